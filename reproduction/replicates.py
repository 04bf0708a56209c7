"""Seeded rows behind every page of results, and whether they come out again.

A page is a mean over many replicates, and rounded; to make it takes hours. So each page has a few spots: a
cell and a seed of its study, a draw of a benchmark. The study's own command keeps their rows, with all
digits, beside the page that it writes. A page passes if they come out again, and is stale if not.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from datakin import DatakinError
from reproduction.harness import Row
from reproduction.spot import OF_STUDY, run
from reproduction.study import Study

REPLICATES = "Seeded rows behind every page of results: do they come out again?"
EQUAL = 1e-9
# Which replicates: place of the cell among the study's, and seed. Elsewhere the first seed of the first and
# of the last cell, or the first two seeds of a single one.
CHOSEN = {
    # The extended models; the others are in table-estimates.
    "table-diff": ((15, 0), (17, 0)),
    "figure-diff": ((15, 0), (17, 0)),
    "table-gain": tuple((place, 0) for place in range(7)),  # methods and learners differ by task
    # By region; scores come with seed 0. The demo has no hospital to study.
    "eicu": ((1, 0), (3, 1)),
    "gusto": ((0, 0), (1, 1)),
    "digits": ((2, 0), (5, 0)),
    "canines": ((0, 0), (10, 0)),
    "repair": ((0, 0),),  # trains networks
    "planted-causes": ((0, 0), (25, 1), (97, 0)),  # nothing, units, the effect of a column
    "part-intervals": ((0, 0), (36, 0)),  # nothing, the effect of a column
    "explain-real": ((0, 0), (16, 1)),  # with its checks, and without
    "explain-remedies": ((1, 0),),  # heart; GUSTO-I takes a minute
}
# Pictures of the cells of table-gain, which are dear.
OF_GAINS = ("figure-gain-", "figure-zones-")
CLOCK = "seconds"  # columns that measure the machine begin so
# A spot that cannot run here says so in these words.
LACKING = ("expected in", "needs the package")

Columns = dict[str, list[Any]]  # rows, column by column
# What a run found: cell, seed and rows.
Found = Sequence[tuple[Row, int, list[Row]]]


@dataclass(frozen=True)
class Spot:
    """A seeded part of what stands behind a page. Pages that share it share the label.

    Attributes
    ----------
    label : str
    place, arguments : str, tuple
        What runs, as `reproduction.spot.run` takes it.
    said : callable, optional
        ``said(root)`` returns what the page, or the table beside it, says of the spot. Without it, rows
        are kept in ``replicates.json``.
    equal : float
        How far apart two numbers may be: the smaller of the absolute and the relative difference.
    """

    label: str
    place: str
    arguments: tuple[Any, ...] = ()
    said: Callable[[Path], Columns] | None = None
    equal: float = EQUAL

    def run(self, data: Path | None = None) -> Columns:
        """Return the rows, column by column, as they are kept."""
        with threadpool_limits(limits=1):
            return as_columns(
                run(self.place, [*self.arguments], None if data is None else str(data))
            )


def as_columns(found: Any) -> Columns:
    """Return rows, or a record with parts, as columns of plain values, without times."""
    if isinstance(found, list):
        names = dict.fromkeys(name for row in found for name in row)
        columns = {name: [row.get(name) for row in found] for name in names}
    else:
        columns = {}
        for name, value in found.items():
            has_parts = isinstance(value, dict) or (
                isinstance(value, list) and value and isinstance(value[0], dict)
            )
            parts = as_columns(value) if has_parts else {"": value}
            columns |= {
                f"{name}.{part}".rstrip("."): each if isinstance(each, list) else [each]
                for part, each in parts.items()
            }
    kept = {name: each for name, each in columns.items() if not name.startswith(CLOCK)}
    return dict(json.loads(json.dumps(kept)))


def spots_of(study: Study) -> list[Spot]:
    """Return the spots of a study."""
    places: tuple[tuple[int, int], ...] = (
        ((0, 0), (-1, 0)) if len(study.cells) > 1 else ((0, 0), (0, 1))
    )
    if study.name.startswith(OF_GAINS):
        places = places[:1]
    found = []
    for place, seed in CHOSEN.get(study.name, places):
        cell = study.cells[place]
        values = [str(v) for k, v in cell.items() if k not in ("run", "times")]
        name = str(cell.get("run", study.name))
        label = f"{name}: {', '.join(values)}; seed {seed}"
        found.append(Spot(label, OF_STUDY + study.name, (cell, seed)))
    return found


def rows_of_run(study: Study, found: Found, data: Path | None) -> dict[str, Columns]:
    """Return the rows of the spots, by label, as they came in a run of the study."""
    kept = {}
    for spot in spots_of(study):
        cell, seed = spot.arguments
        rows = next((rows for c, s, rows in found if c == cell and s == seed), None)
        if rows is None:  # of a run with fewer seeds
            kept[spot.label] = spot.run(data)
        else:
            ours = [{k: v for k, v in row.items() if k not in (*cell, "seed")} for row in rows]
            kept[spot.label] = as_columns(ours)
    return kept


def differences(kept: Columns, now: Columns) -> dict[str, float]:
    """Return the columns that differ, with the largest difference; infinite where it is no number.

    A difference is the smaller of the absolute and the relative one.
    """
    found = {}
    for name, old in kept.items():
        new = now.get(name, [])
        sizes = map(_distance, old, new) if len(old) == len(new) else [math.inf]
        found[name] = max(sizes, default=0.0)
    return {name: size for name, size in found.items() if size > 0}


def _distance(old: Any, new: Any) -> float:
    if old == new or (old != old and new != new):
        return 0.0
    if not _is_number(old) or not _is_number(new) or math.isnan(old - new):
        return math.inf
    gap = abs(old - new)
    return float(min(gap, gap / max(abs(old), abs(new))))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Ran(NamedTuple):
    """What became of a spot: its rows, CPU seconds, why it was skipped, what went wrong."""

    rows: Columns
    seconds: float = 0.0
    skipped: str = ""
    failed: str = ""


def run_spots(
    spots: Iterable[Spot], data: Path | None = None, *, n_jobs: int = 1
) -> dict[str, Ran]:
    """Run each spot once; return what came, by label."""
    by_label = {spot.label: spot for spot in spots}
    tasks = [delayed(_ran)(spot, data) for spot in by_label.values()]
    return dict(zip(by_label, Parallel(n_jobs, batch_size=1)(tasks), strict=True))


def _ran(spot: Spot, data: Path | None) -> Ran:
    start = time.process_time()
    try:
        return Ran(spot.run(data), time.process_time() - start)
    except Exception as error:  # one page that cannot be checked must not hide the others
        if isinstance(error, DatakinError) and any(words in str(error) for words in LACKING):
            return Ran({}, skipped=str(error))
        return Ran({}, time.process_time() - start, failed=f"{type(error).__name__}: {error}")


def read_replicates(folder: Path) -> dict[str, Columns]:
    """Return the rows that were kept, by label."""
    path = folder / "replicates.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def write_replicates(folder: Path, kept: Mapping[str, Columns]) -> None:
    """Keep rows, a line for each column, so that changes can be read."""
    parts = []
    for label in sorted(kept):
        lines = [f"{json.dumps(name)}: {json.dumps(kept[label][name])}" for name in kept[label]]
        parts.append(f"{json.dumps(label)}: {{\n" + ",\n".join(lines) + "\n}")
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    (folder / "replicates.json").write_text(text, encoding="utf-8")
