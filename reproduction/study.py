"""A study: cells to fill with replicates, a summary of them, a page and perhaps a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd

from datakin import DatakinError
from reproduction.harness import Cache, Row, key_of, made_by, run_missing

RESULTS = Path(__file__).parent / "results"
# Okabe and Ito's palette: told apart by the colour-blind, and in grey by their lightness.
COLOURS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
}
INK = "#222222"
_STYLE = {
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "text.color": INK,
    "axes.labelcolor": INK,
    "legend.frameon": False,
    "savefig.facecolor": "white",
}


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

    `replicate` and `summarise` may have a parameter ``data``: the folder where real data lie.
    """

    name: str
    about: str
    cells: Sequence[Row]
    replicate: Callable[..., list[Row]]
    summarise: Callable[..., Summary]
    replicates: int
    draw: Callable[[pd.DataFrame], Any] | None = None

    def with_data(self, data: Path | None) -> Study:
        """Return the study with the folder of its data filled in."""
        if data is not None and not data.is_dir():
            raise DatakinError(f"The data must be in a folder. {data} is not one.")

        def bind(call: Callable[..., Any]) -> Callable[..., Any]:
            return partial(call, data=data) if "data" in signature(call).parameters else call

        return replace(self, replicate=bind(self.replicate), summarise=bind(self.summarise))


def run_study(
    study: Study,
    *,
    replicates: int | None = None,
    n_jobs: int = 1,
    folder: Path = RESULTS,
    data: Path | None = None,
    keep: Callable[[Sequence[tuple[Row, int, list[Row]]]], None] | None = None,
) -> Summary:
    """Fill the cells, write ``NAME.csv`` and ``NAME.md``; go on where an earlier run stopped.

    `keep` is given cell, seed and rows of all replicates, for what is kept of them beside the page.
    """
    replicates = study.replicates if replicates is None else replicates
    if replicates < 1:
        raise DatakinError(f"replicates must be at least 1. Got {replicates}.")
    if study.draw is not None:
        require_matplotlib()  # now rather than after hours of work
    study = study.with_data(data)
    runs = sorted({_run_of(study, cell) for cell in study.cells})
    caches = {run: Cache(folder / "cache" / f"{run}.jsonl") for run in runs}
    tasks = [
        (caches[_run_of(study, cell)], key_of(_named(cell), seed), (cell, seed))
        for cell in study.cells
        for seed in range(max(1, round(replicates * cell.get("times", 1))))
    ]
    # By seed, so that a part of a run has something of every cell.
    tasks.sort(key=lambda task: task[2][1])

    def work(task: tuple[Row, int]) -> list[Row]:
        cell, seed = task
        plain = {k: v for k, v in _named(cell).items() if not isinstance(v, list)}
        return [{**plain, "seed": seed, **row} for row in study.replicate(cell, seed)]

    found = run_missing(study.name, tasks, work, n_jobs=n_jobs, unit="replicate(s)")
    summary = study.summarise(pd.DataFrame([row for rows in found for row in rows]))
    _write(study, summary, replicates, folder)
    if keep is not None:
        keep([(*task, rows) for (_, _, task), rows in zip(tasks, found, strict=True)])
    return summary


def _run_of(study: Study, cell: Row) -> str:
    return str(cell.get("run", study.name))


def _named(cell: Row) -> Row:
    return {name: value for name, value in cell.items() if name != "times"}


def _write(study: Study, summary: Summary, replicates: int, folder: Path) -> None:
    summary.frame.to_csv(folder / f"{study.name}.csv", index=False, float_format="%.6g")
    parts = [f"# {study.name}", study.about]
    if study.draw is not None:
        save_figure(study.draw, summary.frame, folder / study.name)
        parts.append(f"![{study.about}]({study.name}.png)")
    command = f"python -m reproduction {study.name} --replicates {replicates}"
    parts += [summary.text, made_by(command, f"Seeds 0 to {replicates - 1}")]
    (folder / f"{study.name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def require_matplotlib(module: str = "matplotlib") -> Any:
    """Return matplotlib or a module of it, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise DatakinError(
            "Drawing needs the package 'matplotlib'. It is not installed: pip install 'datakin[report]'."
        ) from None


def blank_figure(width: float, height: float) -> Any:
    """Return an empty figure of a size in inches; nothing global is touched."""
    return require_matplotlib("matplotlib.figure").Figure(
        figsize=(width, height), layout="constrained"
    )


def save_figure(draw: Callable[[pd.DataFrame], Any], frame: pd.DataFrame, stem: Path) -> None:
    """Draw a frame and save it as ``STEM.png``."""
    with require_matplotlib().rc_context(_STYLE):
        figure = draw(frame)
        # Without the version in the file, the same picture is the same file.
        options = {"metadata": {"Software": None}, "pil_kwargs": {"optimize": True}}
        figure.savefig(f"{stem}.png", dpi=150, **options)
