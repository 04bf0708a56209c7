"""A study: cells to fill with replicates, a cache that survives interruption, a summary."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from datakin._core.exceptions import DatakinError, Interrupted
from datakin._core.progress import progress
from datakin.experiments.canvas import require_matplotlib, save_figure
from datakin.results.record import make_provenance

__all__ = ["Row", "Study", "Summary", "markdown", "run_study"]

Row = dict[str, Any]


@dataclass(frozen=True)
class Summary:
    """What a study found: a tidy table and the page that explains it."""

    frame: pd.DataFrame
    text: str


@dataclass(frozen=True)
class Study:
    """A named study.

    Attributes
    ----------
    name : str
    about : str
        One line for the list of studies.
    cells : sequence of dict
        The situations studied; plain values. Cells with the same "run" share a cache, also between
        studies that only summarise differently. A cell with "times" has that many times the
        replicates: more where noise would decide, fewer where the work is dear.
    replicate : callable
        ``replicate(cell, seed)`` returns rows of plain values.
    summarise : callable
        ``summarise(rows)`` of the frame of all rows returns a Summary.
    replicates : int
        How many replicates a cell has by default.
    draw : callable, optional
        ``draw(frame)`` of the summary's frame returns a matplotlib figure.
    """

    name: str
    about: str
    cells: Sequence[Row]
    replicate: Callable[[Row, int], list[Row]]
    summarise: Callable[[pd.DataFrame], Summary]
    replicates: int
    draw: Callable[[pd.DataFrame], Any] | None = None


def markdown(frame: pd.DataFrame) -> str:
    """Return a frame as a Markdown table."""

    def show(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.4f}" if value == value else ""  # NaN: nothing to show
        return str(value)

    head = [f"| {' | '.join(map(str, frame.columns))} |", "|" + "---|" * frame.shape[1]]
    body = [f"| {' | '.join(map(show, row))} |" for row in frame.itertuples(index=False)]
    return "\n".join(head + body)


class _Cache:
    """Finished replicates, one JSON line each; a torn last line is dropped and done again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, list[Row]] = {}
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for line in text.splitlines():
            try:
                entry = json.loads(line)
                self.done[entry["key"]] = entry["rows"]
            except (json.JSONDecodeError, KeyError, TypeError):
                continue
        # What is added must not become part of a torn line, or it would be lost with it.
        self._before = "" if not text or text.endswith("\n") else "\n"

    def add(self, key: str, rows: list[Row]) -> None:
        self.done[key] = rows
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self._before + json.dumps({"key": key, "rows": rows}) + "\n")
        self._before = ""


def _key(cell: Row, seed: int) -> str:
    named = {name: value for name, value in cell.items() if name != "times"}
    text = json.dumps([named, seed], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _one(study: Study, cell: Row, seed: int) -> list[Row]:
    plain = {k: v for k, v in cell.items() if k != "times" and not isinstance(v, list)}
    return [{**plain, "seed": seed, **row} for row in study.replicate(cell, seed)]


def run_study(
    study: Study, *, replicates: int | None = None, n_jobs: int = 1, folder: Path = Path("results")
) -> Summary:
    """Fill the cells, write ``NAME.csv`` and ``NAME.md``; go on where an earlier run stopped."""
    replicates = study.replicates if replicates is None else replicates
    if replicates < 1:
        raise DatakinError(f"replicates must be at least 1. Got {replicates}.")
    if n_jobs == 0:
        raise DatakinError("n_jobs must not be 0: say how many processes, or -1 for all cores.")
    if study.draw is not None:
        require_matplotlib()  # now rather than after hours of work
    try:
        (folder / "cache").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatakinError(
            f"The results must go to a folder that can be written. {folder} cannot ({error.strerror})."
        ) from None
    runs = {str(cell.get("run", study.name)) for cell in study.cells}
    caches = {run: _Cache(folder / "cache" / f"{run}.jsonl") for run in sorted(runs)}

    def cache_of(cell: Row) -> _Cache:
        return caches[str(cell.get("run", study.name))]

    wanted = [
        (cell, seed)
        for cell in study.cells
        for seed in range(max(1, round(replicates * cell.get("times", 1))))
    ]
    wanted.sort(key=lambda entry: entry[1])  # so that a part of a run has something of every cell
    missing = [(cell, seed) for cell, seed in wanted if _key(cell, seed) not in cache_of(cell).done]
    try:
        with progress(f"{study.name}: {len(missing)} replicates", len(missing)) as advance:
            for cell, seed, rows in _work(study, missing, n_jobs):
                cache_of(cell).add(_key(cell, seed), rows)
                advance()
    except KeyboardInterrupt:
        raise Interrupted(
            f"Interrupted with {sum(len(cache.done) for cache in caches.values())} replicate(s) kept; "
            f"the same command goes on from there."
        ) from None
    rows = [row for cell, seed in wanted for row in cache_of(cell).done[_key(cell, seed)]]
    summary = study.summarise(pd.DataFrame(rows))
    _write(study, summary, replicates, folder)
    return summary


def _work(
    study: Study, missing: Sequence[tuple[Row, int]], n_jobs: int
) -> Iterator[tuple[Row, int, list[Row]]]:
    from joblib import Parallel, delayed

    def task(cell: Row, seed: int) -> tuple[Row, int, list[Row]]:
        return cell, seed, _one(study, cell, seed)

    # Processes: below a few thousand rows the learners spend most of their time under the
    # interpreter's lock.
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    yield from parallel(delayed(task)(cell, seed) for cell, seed in missing)


def _write(study: Study, summary: Summary, replicates: int, folder: Path) -> None:
    summary.frame.to_csv(folder / f"{study.name}.csv", index=False, float_format="%.6g")
    versions = make_provenance(0, {}, {}).versions
    used = ", ".join(f"{package} {version}" for package, version in versions.items())
    picture = []
    if study.draw is not None:
        save_figure(study.draw, summary.frame, folder / study.name)
        picture = [f"![{study.about}]({study.name}.png)", ""]
    page = [
        f"# {study.name}",
        "",
        study.about,
        "",
        *picture,
        summary.text,
        "",
        f"Command: `datakin reproduce {study.name} --replicates {replicates}`. "
        f"Seeds 0 to {replicates - 1}. {used}.",
        "",
    ]
    (folder / f"{study.name}.md").write_text("\n".join(page), encoding="utf-8")
