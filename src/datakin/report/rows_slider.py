"""What if the target had more rows, or fewer: the error of the target alone, from its learning curve.

Every position of the slider and its sentence is computed here; the page only looks them up.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from datakin.report.effects import Unit
from datakin.report.sections import column, section, shortened
from datakin.results import Choice
from datakin.results.words import enumerated, error_word

FURTHEST = 2.0  # times the target's rows: the curve says nothing of what is beyond
STEPS = 80  # positions of the slider
PRINTED = 8  # rows of the table
FLAT = 0.01  # a fall of less than this share over the range is none


def rows_section(choice: Choice) -> dict[str, Any]:
    """Return the section of the slider; a sentence where the curve does not support one."""
    unit, target = Unit(choice.loss), shortened(choice.target)
    points = [(p.n_rows, p.error) for p in choice.curve if p.n_rows > 0 and isfinite(p.error)]

    def drawn(n: int, error: float) -> dict[str, Any]:
        return {"n": n, "error": unit.values("error", error)[unit.drawn("error")]}

    rows: list[dict[str, Any]] = [
        {"n_rows": n, **unit.values("error", error), "kind": "measured"} for n, error in points
    ]
    columns = [
        column("n_rows", "rows learned from", digits=0),
        *unit.columns("error", "error" if unit.has_root else error_word(choice.loss)),
        column("kind", "kind", "text"),
    ]
    title, short = "What if I had n rows of my own?", "More rows"
    line = fitted(points)
    told = enumerated([f"{unit.text(error)} with {n:,} rows" for n, error in points])
    if line is None:
        why = _why_not(points, target, told)
        return section("rows", title, why, columns, rows, table="none", short=short)
    a, b = line
    expected = {n: max(0.0, a + b / n) for n in _positions(points, choice.n_rows)}
    word = f"{error_word(choice.loss)} of {target} alone"
    steps = [
        {**drawn(n, e), "text": f"With {n:,} rows, the {word} should be {unit.text(e)}."}
        for n, e in expected.items()
    ]
    # It begins where the error alone was measured, so that the page has one number for it.
    start = min(range(len(steps)), key=lambda k: abs(steps[k]["n"] - points[-1][0]))
    for k in sorted({round(x) for x in np.linspace(0, len(steps) - 1, PRINTED)}):
        n = steps[k]["n"]
        if n not in dict(points):
            rows.append({"n_rows": n, **unit.values("error", expected[n]), "kind": "from the line"})
    chart = {
        "type": "whatif",
        "steps": steps,
        "start": start,
        "measured": [drawn(*point) for point in points],
        "label": f"Rows of {target} to learn from",
        "axis": "rows learned from",
        "value_axis": unit.named(word),
    }
    text = (
        f"For {target} alone, without any source; the choice itself is not extrapolated. Measured: {told}. "
        f"Folds leave rows out, so fewer were learned from than the {choice.n_rows:,} there are. In between "
        f"and beyond, a line in 1 / rows through these points."
    )
    ordered = sorted(rows, key=lambda row: row["n_rows"])
    return section("rows", title, text, columns, ordered, chart, table="closed", short=short)


def fitted(points: list[tuple[int, float]]) -> tuple[float, float] | None:
    """Return a and b of error = a + b / rows by least squares; None if the curve does not fall.

    Examples
    --------
    >>> a, b = fitted([(50, 0.3), (100, 0.2)])
    >>> round(a, 6), round(b, 6)
    (0.1, 10.0)
    >>> fitted([(50, 0.2), (100, 0.3)]) is None
    True
    """
    if len({n for n, _ in points}) < 2:
        return None
    inverse = np.array([1 / n for n, _ in points])
    errors = np.array([error for _, error in points])
    b, a = np.polyfit(inverse, errors, 1)
    fall = b * (inverse.max() - inverse.min())
    if fall <= FLAT * abs(errors.mean()):
        return None
    return float(a), float(b)


def _positions(points: list[tuple[int, float]], n_rows: int) -> list[int]:
    """Return the numbers of rows that the slider offers; those measured and the target's are among them."""
    first = min(n for n, _ in points)
    last = max(round(FURTHEST * n_rows), max(n for n, _ in points))
    spread = {round(x) for x in np.linspace(first, last, STEPS)}
    known = {n for n, _ in points} | {n_rows}
    return sorted(spread | {n for n in known if first <= n <= last})


def _why_not(points: list[tuple[int, float]], target: str, told: str) -> str:
    if len(points) < 2:
        return f"The error of {target} alone was not measured with different numbers of rows."
    return (
        f"The error of {target} alone does not fall with more rows here: {told}. So nothing is said about "
        f"other numbers of rows."
    )
