"""Data, results and files that several calls need: tiny data, few and fast fits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

import datakin
from datakin import Dataset
from tests.golden.data import classes, table
from tests.public.use import Use

FAST: dict[str, Any] = {"models": ["logistic"], "zones": "paper"}
# Every option of the score that changes a number, at another value than its default.
SCORING: dict[str, Any] = {
    "models": ["logistic", "linear_svm"],
    "estimate": "logistic",
    "cv": 3,
    "loss": "zero_one",
    "sharpness": 20.0,
    "direction": 0.3,
    "size": "paper",
    "inner": "fresh",
    "stratify": False,
    "voting": "hard",
    "weighting": "paper",
    "zones": "paper",
    "zone_error": "folds",
    "repeats": 2,
    "max_rows": 200,
    "precision": 0.1,
    "random_state": 1,
    "n_jobs": 1,
    "skip_unusable": True,
}
SYMMETRIC = {**SCORING, "direction": 0.5}
READING: dict[str, Any] = {
    "label": "y",
    "ignore": ["spare"],
    "keep": ["age"],
    "group": "ward",
    "weight": "count",
    "positive": "sick",
    "task": "binary",
    "label_map": {"ill": "sick", "well": "well"},
    "rename": {"years": "age"},
    "recode": {"colour": {"rd": "red"}},
    "convert": {"dose": (0.001, 0)},
    "delimiter": ";",
    "encoding": "cp1252",
    "header": True,
    "read_rows": 50,
}


@cache
def target() -> Dataset:
    return classes(60, 1)


@cache
def sources() -> tuple[Dataset, ...]:
    return classes(70, 2, 0.2), classes(50, 3, 2.0)


@cache
def errors() -> Any:
    return datakin.CrossErrors.measure([target(), *sources()], **FAST)


@cache
def choice() -> Any:
    return datakin.choose(target(), list(sources()), learners=["linear"], repeats=1)


@cache
def explanation() -> Any:
    return datakin.explain(target(), sources()[1], learner="linear")


@cache
def gain() -> Any:
    return datakin.transfer_gain(target(), sources()[0], methods=["concatenate"], repeats=2)


@cache
def comparison() -> Any:
    return datakin.score(target(), sources()[1], models=["logistic"])


@contextmanager
def cluster() -> Iterator[Any]:
    """A Dask client in this process, None where Dask is not installed."""
    if find_spec("distributed") is None:
        yield None
        return
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as made,
        distributed.Client(made) as client,
    ):
        yield client


def take(result: Any) -> None:
    """Take a finished result, as a progress bar would."""
    assert result.source


def written(use: Use, name: str, seed: int, n: int = 90) -> str:
    """Write a table that needs every correction, as a text file."""
    frame = table(n, seed).drop(columns="seen").rename(columns={"age": "years"})
    frame["colour"] = frame["colour"].replace("red", "rd")
    frame["ward"] = np.arange(n) // 3
    frame["count"] = 1.0 + np.arange(n) % 2
    path = use.folder / f"{name}.csv"
    frame.to_csv(path, sep=";", index=False, encoding="cp1252")
    return str(path)


def database(use: Use, name: str = "base", seed: int = 1) -> str:
    """Write a database of two tables."""
    import sqlite3

    path = use.folder / f"{name}.db"
    with sqlite3.connect(path) as base:
        for k, each in enumerate(("first", "second")):
            frame = table(60, seed + k).drop(columns="seen")
            frame.to_sql(each, base, index=False, if_exists="replace")
    base.close()
    return str(path)


def kept(use: Use, result: Any) -> Any:
    """Write a result as JSON and read it again."""
    text = use.on(result, "to_json", indent=1)
    json.loads(text)
    use("datakin.from_json", text=text)
    use.on(type(result), "from_json", text=text)
    return use.read(result)
