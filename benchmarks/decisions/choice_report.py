"""From finished draws to ``choices.md``, ``choices.csv`` and ``choices-sources.csv``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.decisions.choice_goals import goals
from benchmarks.decisions.choice_tables import (
    ChoiceFindings,
    find_choices,
    half_of,
    policy_frame,
    source_frame,
)
from benchmarks.decisions.collections import DEVELOPMENT, FINAL
from benchmarks.decisions.runs import Settings, in_words
from reproduction.harness import made_by, markdown

ABOUT = """\
What happens when one acts on the answer? From each of several domains a small target is drawn; other
domains are its candidate sources, 100 to 400 rows of each. Every policy learns from them, and its error
is measured on all rows that the target's domain has left: share of wrong predictions with classes
counting as in the target (every class alike where one has less than 0.3 of an equal share), or squared
error.

The collections are in two halves. The recipe of `choose` comes from prototypes that have seen all eleven;
every choice made since (learners, strengths of the weights, calls, intervals) was made on the
development half: {development}; its numbers there are those it was tuned to. The final half: {final}.
One choice was made after a look at a run of the final half: how widely the gain of a whole choice is
spread (its intervals held 61% there). So "gain of the choice" has no fresh evidence.

**ratio**: error divided by that of `alone`, geometric mean over draws, then targets, then collections
(shares of wrong predictions below 1% count as 1%); 95% intervals from the bootstrap over targets,
widened for their small number: they are about these collections, not about others. **harmed**: share of
draws whose error, or loss (Brier loss with classes counting as in the target, or squared error), is
more than 2% above that of `alone`; test rows are few in some collections, so the goals also say how often
the error is higher beyond their noise (1.645 standard errors, row by row). **worst target**: the largest mean
ratio of one target.

`choose`: its model. `alone`: the same learners, stacked, on the target alone. `ridge_alone`: its linear
learner only. `pool_all`, `pool_called`: the same learners on the target pooled with all sources, and
with those called "helps" (alone if there is none). `best_single_by_...`: choose with one source, that
with the highest gain of a trial, the lowest `source_to_target` of `rank`, the lowest error of one
linear fit on the source. `kin_weighted`, `kin_weighted_trees`, `art`: the transfer methods with all
sources, on nearly unpenalised logistic or linear regression, or boosted trees. `multi_study`: models of
single sources (linear, trees), weighed by the target's rows. `afterwards_best`: the best single source,
known only afterwards. Stacks of single sources and pools draw the folds once. The gain that came of a
source is that of the very mix that was tried: models of target and source, without a pool.
"""
ALL = {"all": "All collections", "development": "Development half", "final": "Final half"}


def write_choices(
    records: Sequence[dict[str, Any]],
    settings: Settings,
    chosen: Sequence[str],
    folder: Path,
    command: str,
) -> Path:
    """Write the page and both tables, return where the page is."""
    names = [Path(spec).stem for spec in chosen]
    is_whole = set(names) >= set(DEVELOPMENT)
    stem = "choices" if is_whole else "choices-" + "-".join(names)
    halves = {name: [r for r in records if half_of(r["collection"]) == name] for name in ALL}
    parts = {"all": list(records)}
    if halves["development"] and halves["final"]:
        parts |= {name: halves[name] for name in ("development", "final")}
    page = [_intro(records, settings, command)]
    for name, part in parts.items():
        title = ALL[name] if len(parts) > 1 or not is_whole else ALL["development"]
        page.append(_section(title, find_choices(part)))
    if is_whole and not halves["final"]:
        page.append(f"## Final half\n\nNot run yet: {', '.join(FINAL)}.")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}.md"
    path.write_text("\n\n".join(page) + "\n", encoding="utf-8")
    policies = policy_frame(records).rename(columns={"score": "policy"})
    policies.to_csv(folder / f"{stem}.csv", index=False, float_format="%.6g")
    sources = source_frame(records)
    sources.to_csv(folder / f"{stem}-sources.csv", index=False, float_format="%.6g")
    return path


def _intro(records: Sequence[dict[str, Any]], settings: Settings, command: str) -> str:
    hours = sum(r["seconds_all"] for r in records) / 3600
    text = ABOUT.format(development=", ".join(DEVELOPMENT), final=", ".join(FINAL))
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    more = f" ({in_words(settings)}; {len(records)} draws, {hours:.1f} hours of one core)"
    how = made_by(command, "Seeds follow from names", more)
    return "\n\n".join(["# choices", *paragraphs, how])


def _section(title: str, found: ChoiceFindings) -> str:
    parts = [
        f"## {title}",
        "### Goals",
        goals(found),
        "### Policies",
        _policy_table(found),
        "### Ratio by collection",
        _digits(found.collections),
        "### Ratio by rows of the target",
        _digits(found.sizes),
        "### Stated error",
        "Mean error that choose states, and mean error that comes true; held: how often the 90% interval "
        "holds the error on the test rows (whose noise counts against it); below, above: on which side of "
        "the interval it fell.",
        _digits(found.stated, 3),
        "### Calls",
        "Right: a stack of target and source has a lower loss than the target alone (helps); it costs at "
        "most 2% (harmless); a pool of both has a higher loss than the target alone, with the linear learner "
        "(hurts). mean: every collection with a call counts the same. by chance: how often the call would be "
        "right for any source.",
        _call_table(found.calls),
        "How often 90% intervals hold what came true on the test rows:",
        _rates(found.intervals),
        "Probability of a gain as said, and how often a gain came:",
        _digits(found.calibration),
    ]
    if len(found.order):
        parts += [
            "### Order of the sources",
            "Kendall's tau with the gain that came of a stack with each source, and regret: gain of the best "
            "source minus that of the first. `trial`: the gain to expect, by which `rank` orders; "
            "`combined`: the raw gain of the trial minus `source_to_target` over the target's own error, "
            "both clipped at 1; `directional`: `source_to_target`; `source_error`: error of one linear fit "
            "on the source.",
            _ends_table(found.order, "order", ("tau", "regret", "picked")),
            "`trial` minus the others (tau above 0 and regret below 0 are in its favour; above, below: in "
            "how many of the collections):",
            _digits(found.order_pairs, 3),
        ]
    parts += ["### Stability and cost", _digits(found.stability)]
    return "\n\n".join(parts)


def _policy_table(found: ChoiceFindings) -> str:
    rows = []
    for _, row in found.policies.iterrows():
        against = found.against.get(row["policy"])
        rows.append(
            {
                "policy": row["policy"],
                "ratio": _with_ends(row, "ratio"),
                "below 1": f"{row['below']} of {row['collections']}",
                "harmed": f"{row['harmed']:.1%}",
                "harmed (loss)": f"{row['harmed_loss']:.1%}",
                "worst target": f"{row['worst']:.2f} ({row['worst_target']})",
                "of the best's gain": _percent(row["share_of_best"]),
                "choose against it": _with_ends(pd.Series(against), "") if against else "",
            }
        )
    return markdown(pd.DataFrame(rows))


def _call_table(calls: pd.DataFrame) -> str:
    rows = []
    for _, row in calls.iterrows():
        right = _percent(row["right_all"])
        if right:
            right += f" [{row['right_low']:.0%}, {row['right_high']:.0%}]"
        rows.append(
            {
                "call": row["call"],
                "calls": row["calls"],
                "share": _percent(row["share"]),
                "share (mean)": _percent(row["share_mean"]),
                "right": right,
                "right (mean)": _percent(row["right_mean"]),
                "by chance": _percent(row["chance"]),
            }
        )
    return markdown(pd.DataFrame(rows))


def _rates(table: pd.DataFrame) -> str:
    rows = [
        {
            "interval of": row["interval"],
            "number": row["n"],
            "held": f"{row['all']:.1%} [{row['low']:.1%}, {row['high']:.1%}]" if row["n"] else "",
            "held (mean)": f"{row['mean']:.1%}" if row["n"] else "",
        }
        for _, row in table.iterrows()
    ]
    return markdown(pd.DataFrame(rows))


def _ends_table(table: pd.DataFrame, key: str, columns: Sequence[str]) -> str:
    rows = [
        {key: row[key], **{column: _with_ends(row, column) for column in columns}}
        for _, row in table.iterrows()
    ]
    return markdown(pd.DataFrame(rows))


def _with_ends(row: pd.Series, name: str) -> str:
    value, low, high = (row[f"{name}_{end}" if name else end] for end in ("value", "low", "high"))
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _percent(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.0%}"


def _digits(table: pd.DataFrame, digits: int = 2) -> str:
    def show(value: Any) -> Any:
        if isinstance(value, float):
            return "" if np.isnan(value) else f"{value:.{digits}f}"
        return value

    return markdown(table.map(show))
