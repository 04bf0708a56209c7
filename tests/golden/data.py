"""Small fixed datasets for the recorded calls.

`turn` is the angle, in radians, between a dataset's rule and the others'. Values are rounded, so that data
and fingerprints are the same on every processor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from datakin import Dataset, as_dataset, read_table, read_tables


def _signal(n: int, seed: int, turn: float, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, n, p])
    X = np.round(rng.standard_normal((n, p)), 3)
    along = np.cos(turn) * X[:, 0] + np.sin(turn) * X[:, 1] + 0.5 * rng.standard_normal(n)
    return X, np.round(along, 3)


def classes(
    n: int,
    seed: int,
    turn: float = 0.0,
    *,
    k: int = 2,
    p: int = 3,
    rare: float | None = None,
    **more: Any,
) -> Dataset:
    """Classes by cuts of a noisy direction: `k` of equal size, or two of which one is rare."""
    X, along = _signal(n, seed, turn, p)
    cuts = np.quantile(along, [1 - rare] if rare else np.arange(1, k) / k)
    return as_dataset(X, np.digitize(along, cuts), name=f"d{seed}", **more)


def numbers(n: int, seed: int, turn: float = 0.0, *, p: int = 3, **more: Any) -> Dataset:
    """A noisy linear response with a bend, in a unit of its own."""
    X, along = _signal(n, seed, turn, p)
    y = np.round(4 * along + X[:, 2] ** 2, 3)
    return as_dataset(X, y, name=f"d{seed}", task="regression", **more)


def table(n: int, seed: int, turn: float = 0.0, *, is_class: bool = True) -> pd.DataFrame:
    """Numbers, text, a date and missing values of every kind; the label is "y"."""
    rng = np.random.default_rng([seed, n])
    X, along = _signal(n, seed, turn, 3)
    X[:, 2] = np.round(X[:, 2], 1)
    X[rng.random(n) < 0.1, 1] = np.nan
    colour = np.where(rng.random(n) < 0.3 + 0.4 * (along > 0), "red", "blue").astype(object)
    colour[rng.random(n) < 0.1] = None
    days = pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    frame = pd.DataFrame(X, columns=["age", "dose", "rate"])
    frame = frame.assign(colour=colour, seen=days, spare=np.arange(n) % 7)
    return frame.assign(y=np.where(along > 0, "ill", "well") if is_class else along)


def mixed(n: int, seed: int, turn: float = 0.0, drop: tuple[str, ...] = (), **more: Any) -> Dataset:
    frame = table(n, seed, turn, **more).drop(columns=list(drop))
    return read_table(frame, label="y", name=f"d{seed}")


def thin(n: int, seed: int, turn: float = 0.0, *, is_class: bool = True) -> Dataset:
    """Sparse rows: 20 columns, most of them 0."""
    X, along = _signal(n, seed, turn, 20)
    X[:, 3:][np.abs(X[:, 3:]) < 1.2] = 0
    y = (along > 0).astype(int) if is_class else along
    kind = "binary" if is_class else "regression"
    return as_dataset(sparse.csr_matrix(X), y, name=f"d{seed}", task=kind)


def overlapping() -> tuple[Dataset, Dataset]:
    """Two datasets with 15 rows in common."""
    X, along = _signal(150, 3, 0.0, 3)
    y = (along > 0).astype(int)
    return as_dataset(X[:80], y[:80], name="first"), as_dataset(X[65:], y[65:], name="second")


def four(n: int, seed: int, turn: float = 0.0) -> Dataset:
    """Four classes."""
    return classes(n, seed, turn, k=4)


def grouped(make: Callable[..., Dataset]) -> Callable[..., Dataset]:
    """The same data in groups of four rows."""
    return lambda n, seed, turn=0.0: make(n, seed, turn, group=np.arange(n) // 4)


def several(make: Callable[..., Dataset] = classes) -> tuple[Dataset, list[Dataset]]:
    return make(60, 1), [make(90, 2, 0.2), make(70, 3, 0.9), make(80, 4, 2.5)]


def family(make: Callable[..., Dataset] = classes) -> list[Dataset]:
    target, sources = several(make)
    return [target, *sources]


def unlike() -> tuple[Dataset, list[Dataset]]:
    """Tables that share some columns only."""
    return mixed(70, 1), [
        mixed(80, 2, 0.3, drop=("spare",)),
        mixed(90, 3, 0.9, drop=("dose", "seen")),
        mixed(60, 4, 2.0),
    ]


def spoilt() -> list[Dataset]:
    """One of them has too few rows of a class for five folds."""
    return [*family()[:3], classes(80, 5, rare=0.02)]


# Tables that differ in one known way, for explanations and for the words on files.

LEVELS = np.array(["red", "blue", "green"])
WORDS = {"red": "rot", "blue": "blau", "green": "gruen"}


def draw(
    n: int, seed: int, kind: str = "binary", *, flip: int = 1, level: float = 0.0
) -> pd.DataFrame:
    """Two numbers, a category, and a label in column "y" that depends on all three."""
    rng = np.random.default_rng([seed, n, 7])
    a, b = rng.normal(10, 2, n).round(2), rng.normal(0, 1, n).round(2)
    c = rng.choice(LEVELS, n)
    z = 0.5 * flip * (a - 10) + b + 1.5 * (c == "red") - 0.5 + level + 0.6 * rng.normal(size=n)
    if kind == "numbers":
        y = np.round(3 * z + 20, 2)
    elif kind == "several":
        y = np.array(["no", "maybe", "yes"])[np.digitize(z, [-0.7, 0.7])]
    else:
        y = np.where(z > 0, "yes", "no")
    return pd.DataFrame({"a": a, "b": b, "c": c, "y": y})


def spoil(cause: str, frame: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the source's table with what makes it differ from the target's."""
    rng, n = np.random.default_rng([len(frame), 11]), len(frame)
    match cause:
        case "units":
            return frame.assign(a=(frame.a * 1.8 + 32).round(2))
        case "codes":
            return frame.assign(c=frame.c.map(WORDS))
        case "cycle":
            return frame.assign(c=frame.c.map(dict(zip(LEVELS, np.roll(LEVELS, 1), strict=True))))
        case "blanks":
            return frame.assign(a=frame.a.where(rng.random(n) > 0.15, -99.0))
        case "missing":
            return frame.assign(b=np.nan)
        case "lacking":
            return frame.drop(columns="b")
        case "names":
            return frame.rename(columns={"b": "B"})
        case "classes":
            return frame.assign(y=frame.y.map({"yes": "no", "no": "yes", "maybe": "maybe"}))
        case "leak":
            label = frame.y if kind == "numbers" else frame.y.map({"no": 0, "maybe": 1, "yes": 2})
            return frame.assign(b=(label + 0.3 * rng.normal(size=n)).round(2))
        case "copies":
            return pd.concat([frame, frame.iloc[: n // 2]], ignore_index=True)
    return frame


def planted_frames(cause: str, kind: str = "binary", n: int = 90) -> tuple[pd.DataFrame, ...]:
    """Return the tables of a target and of a source of twice its rows, between which one thing differs."""
    task = "numbers" if kind == "regression" else kind
    changed = {"rule": {"flip": -1}, "base rate": {"level": 1.2}}.get(cause, {})
    return draw(n, 1, task), spoil(cause, draw(2 * n, 2, task, **changed), task)


def planted(
    cause: str, kind: str = "binary", n: int = 90, **options: Any
) -> tuple[Dataset, Dataset]:
    """Return the same, read as datasets."""
    mine, theirs = planted_frames(cause, kind, n)
    target, source = read_tables({"mine": mine, "theirs": theirs}, label="y", **options).values()
    return target, source
