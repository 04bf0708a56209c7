"""Run the draws of a collection, keep each as soon as it is finished, go on where a run stopped."""

from __future__ import annotations

import hashlib
import json
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from benchmarks.decisions.collection import Collection, load_collection
from benchmarks.decisions.draws import N_SOURCES, N_TARGETS, SIZES, draw, plan
from benchmarks.decisions.gains import realise
from benchmarks.decisions.scores import add_forecasts, score_draw
from threadpoolctl import threadpool_limits

from datakin._core.exceptions import DatakinError, DatakinWarning, Interrupted
from datakin._core.progress import progress

VERSION = 2  # of what a draw holds; a new one starts a new cache
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


def run_collection(
    spec: str, data: Path, settings: Settings, *, folder: Path, n_jobs: int = 1
) -> list[dict[str, Any]]:
    """Return the records of all draws of a collection, running those that are missing."""
    settings.check()
    collection = load_collection(spec, data)
    tasks = [
        (target, n, sources, repeat)
        for repeat in range(settings.repeats)  # first: a part of a run has something of everything
        for target, n, sources in plan(
            collection, settings.sizes, settings.n_targets, settings.n_sources
        )
    ]
    store = Store(folder / "cache" / f"decisions-{collection.name}.jsonl")
    missing = [task for task in tasks if _key(collection, task) not in store.done]
    _estimate(collection.name, tasks, missing, store, n_jobs)
    try:
        with progress(f"{collection.name}: {len(missing)} draws", len(missing)) as advance:
            for task, record in _work(spec, data, missing, n_jobs):
                store.add(_key(collection, task), record)
                advance()
    except KeyboardInterrupt:
        raise Interrupted(
            f"Interrupted with {len(store.done)} draws of {collection.name!r} kept; the same command goes "
            f"on from there."
        ) from None
    return [store.done[_key(collection, task)] for task in tasks]


def kept_records(
    spec: str, data: Path, settings: Settings, *, folder: Path
) -> list[dict[str, Any]]:
    """Return the records that are there already, running nothing."""
    store = Store(folder / "cache" / f"decisions-{Path(spec).stem}.jsonl")
    if not store.done:
        return []
    collection = load_collection(spec, data)
    keys = [
        _key(collection, (target, n, sources, repeat))
        for repeat in range(settings.repeats)
        for target, n, sources in plan(
            collection, settings.sizes, settings.n_targets, settings.n_sources
        )
    ]
    return [store.done[key] for key in keys if key in store.done]


class Store:
    """Finished draws, one JSON line each; a torn last line is dropped and done again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            text = path.read_text(encoding="utf-8")
            if text and not text.endswith("\n"):
                path.write_text(text + "\n", encoding="utf-8")  # or the next would be torn too
            for line in text.splitlines():
                try:
                    entry = json.loads(line)
                    self.done[entry["key"]] = entry["record"]
                except (json.JSONDecodeError, KeyError, TypeError):
                    continue

    def add(self, key: str, record: dict[str, Any]) -> None:
        line = json.dumps({"key": key, "record": record})
        self.done[key] = json.loads(line)["record"]  # as a later run will read it
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


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
        for source in map(add_forecasts, record["sources"]):
            plain = {k: v for k, v in source.items() if not isinstance(v, dict)}
            rows.append({**known, **plain, **source["errors"]})
    return pd.DataFrame(rows)


def seconds_of(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return the processor time of every score, one row per draw."""
    return pd.DataFrame([{"collection": r["collection"], **r["seconds"]} for r in records])


def _key(collection: Collection, task: Task) -> str:
    text = json.dumps([VERSION, collection.name, collection.fingerprint, collection.balance, task])
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _estimate(
    name: str, tasks: Sequence[Task], missing: Sequence[Task], store: Store, n_jobs: int
) -> None:
    """Say what is left to do, and how long it should take if anything is known of it."""
    text = f"{name}: {len(tasks)} draws, {len(missing)} missing"
    if missing and store.done:
        each = sum(r["seconds_all"] for r in store.done.values()) / len(store.done)
        minutes = each * len(missing) / max(n_jobs, 1) / 60
        text += f", about {each:.0f} s of processor time each: {minutes:.0f} min"
    print(text, file=sys.stderr, flush=True)


def _work(
    spec: str, data: Path, missing: Sequence[Task], n_jobs: int
) -> Iterator[tuple[Task, dict[str, Any]]]:
    from joblib import Parallel, delayed

    def one(task: Task) -> tuple[Task, dict[str, Any]]:
        return task, run_draw(spec, data, task)

    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    yield from parallel(delayed(one)(task) for task in missing)


def in_words(settings: Settings) -> str:
    """Return the settings in one line."""
    return ", ".join(f"{k} {v}" for k, v in asdict(settings).items())
