"""Run the draws of a collection, keep each as soon as it is finished, go on where a run stopped."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.decisions.collection import Collection, load_collection
from benchmarks.decisions.draws import N_SOURCES, N_TARGETS, SIZES, draw, plan
from benchmarks.decisions.gains import realise
from benchmarks.decisions.scores import score_draw
from datakin import DatakinError, DatakinWarning
from reproduction.harness import Cache, key_of, run_missing

VERSION = 3  # of what a draw holds; a new one starts a new cache
MOST_REPEATS = 10
LEAST_TARGET = 20

Task = tuple[str, int, tuple[str, ...], int]


@dataclass(frozen=True)
class Settings:
    """How much to draw: within 5 targets x 8 sources x 10 repeats of each size."""

    repeats: int = 5
    sizes: tuple[int, ...] = SIZES
    n_targets: int = N_TARGETS
    n_sources: int = N_SOURCES

    def check(self) -> None:
        if not 1 <= self.repeats <= MOST_REPEATS:
            raise DatakinError(
                f"repeats must be a number from 1 to {MOST_REPEATS}. Got {self.repeats}."
            )
        if not self.sizes or min(self.sizes) < LEAST_TARGET:
            raise DatakinError(
                f"A target must have at least {LEAST_TARGET} rows. Got sizes {self.sizes}."
            )


QUICK = Settings(repeats=1, sizes=(40,), n_targets=2, n_sources=4)


@dataclass(frozen=True)
class Study:
    """What is done with a draw, and under which name and version it is kept."""

    name: str
    version: int
    run: Callable[[str, Path, Task], dict[str, Any]]


def run_collection(
    spec: str,
    data: Path,
    settings: Settings,
    *,
    folder: Path,
    n_jobs: int = 1,
    study: Study | None = None,
) -> list[dict[str, Any]]:
    """Return the records of all draws of a collection, running those that are missing.

    The study of scores by default.
    """
    settings.check()
    study = study or _scores()
    collection = load_collection(spec, data)
    cache = Cache(_place(folder, collection.name, study))
    tasks = [(cache, _key(collection, task, study), task) for task in _tasks(collection, settings)]
    _estimate(collection.name, tasks, cache, n_jobs)
    return run_missing(
        collection.name,
        tasks,
        lambda task: study.run(spec, data, task),
        n_jobs=n_jobs,
        unit=f"draws of {collection.name!r}",
    )


def kept_records(
    spec: str, data: Path, settings: Settings, *, folder: Path, study: Study | None = None
) -> list[dict[str, Any]]:
    """Return the records that are there already, running nothing."""
    study = study or _scores()
    cache = Cache(_place(folder, Path(spec).stem, study))
    if not cache.done:
        return []
    collection = load_collection(spec, data)
    keys = [_key(collection, task, study) for task in _tasks(collection, settings)]
    return [cache.done[key] for key in keys if key in cache.done]


def _scores() -> Study:
    return Study("decisions", VERSION, run_draw)


def _place(folder: Path, name: str, study: Study) -> Path:
    return folder / "cache" / f"{study.name}-{name}.jsonl"


def _tasks(collection: Collection, settings: Settings) -> list[Task]:
    """Return all draws; by repeat, so that a part of a run has something of everything."""
    planned = plan(collection, settings.sizes, settings.n_targets, settings.n_sources)
    return [
        (target, n, sources, repeat)
        for repeat in range(settings.repeats)
        for target, n, sources in planned
    ]


def run_draw(spec: str, data: Path, task: Task) -> dict[str, Any]:
    """Draw, score and realise one decision."""
    collection = load_collection(spec, data)
    target, n_target, sources, repeat = task
    began = time.process_time()
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        made = draw(collection, target, n_target, sources, repeat)
        scores, seconds = score_draw(made)
        scored = time.process_time()
        alone, errors = realise(made, collection.task)
    return {
        "collection": collection.name,
        "task": collection.task,
        "target": target,
        "n_target": n_target,
        "repeat": repeat,
        "n_test": made.test.n_rows,
        "alone": alone,
        "seconds": seconds,
        "seconds_realised": time.process_time() - scored,
        "seconds_all": time.process_time() - began,
        "sources": [
            {"source": name, **scores[name], "errors": errors[name]} for name in made.sources
        ],
    }


def frame_of(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return one row per draw and source; errors alone as "alone:learner"."""
    rows = []
    for record in records:
        known = {
            k: record[k] for k in ("collection", "task", "target", "n_target", "repeat", "n_test")
        }
        known |= {f"alone:{learner}": error for learner, error in record["alone"].items()}
        for source in record["sources"]:
            plain = {k: v for k, v in source.items() if not isinstance(v, dict)}
            rows.append({**known, **plain, **source["errors"]})
    return pd.DataFrame(rows)


def seconds_of(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return the processor time of every score, one row per draw."""
    return pd.DataFrame([{"collection": r["collection"], **r["seconds"]} for r in records])


def _key(collection: Collection, task: Task, study: Study) -> str:
    return key_of(study.version, collection.name, collection.fingerprint, collection.balance, task)


def _estimate(name: str, tasks: Sequence[Any], cache: Cache, n_jobs: int) -> None:
    """Say what is left to do, and how long it should take if anything is known of it."""
    missing = [task for task in tasks if task[1] not in cache.done]
    text = f"{name}: {len(tasks)} draws, {len(missing)} missing"
    if missing and cache.done:
        each = sum(r["seconds_all"] for r in cache.done.values()) / len(cache.done)
        minutes = each * len(missing) / max(n_jobs, 1) / 60
        text += f", about {each:.0f} s of processor time each: {minutes:.0f} min"
    print(text, file=sys.stderr, flush=True)


def in_words(settings: Settings) -> str:
    """Return the settings in one line."""
    return ", ".join(f"{k} {v}" for k, v in asdict(settings).items())
