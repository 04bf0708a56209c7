"""Small datasets, a table measured once, and a comparison of results field by field."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from datakin import CrossErrors, Dataset, as_dataset

FAST = {"models": ["logistic", "linear_svm"], "cv": 3}


@pytest.fixture(scope="session")
def draw() -> Callable[..., Dataset]:
    """One dataset; its rule turns with its number."""

    def make(i: int, n: int = 0, *, p: int = 3, turn: float = 0.3, name: str = "") -> Dataset:
        rng = np.random.default_rng(i)
        n = n or 45 + 5 * i
        X = rng.standard_normal((n, p))
        y = X[:, 0] + turn * i * X[:, 1] + 0.5 * rng.standard_normal(n) > 0
        return as_dataset(X, y.astype(int), name=name or f"d{i}")

    return make


@pytest.fixture(scope="session")
def four(draw: Callable[..., Dataset]) -> list[Dataset]:
    return [draw(i) for i in range(4)]


@pytest.fixture(scope="session")
def fast() -> dict[str, Any]:
    return dict(FAST)


@pytest.fixture(scope="session")
def errors(four: list[Dataset]) -> CrossErrors:
    """All pairs of four datasets, with pools tried for the first."""
    return CrossErrors.measure(four, trials="d0", **FAST)


@pytest.fixture(scope="session")
def plain(four: list[Dataset]) -> CrossErrors:
    """All pairs of four datasets, without pools."""
    return CrossErrors.measure(four, **FAST)


@pytest.fixture(scope="session")
def assert_same() -> Callable[..., None]:
    """Compare two results field by field, numbers to 1e-12; `but` names fields that may differ."""

    def check(found: Any, expected: Any, *but: str) -> None:
        texts = [r if isinstance(r, str) else r.to_json() for r in (found, expected)]
        one, two = (json.loads(text) for text in texts)
        assert list(differences(one, two, but)) == []

    return check


def differences(one: Any, two: Any, but: tuple[str, ...], path: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(two, dict):
        for key in {**one, **two}:
            if key in but or f"{path}.{key}".endswith(tuple(f".{name}" for name in but)):
                continue
            if key not in one or key not in two:
                yield f"{path}.{key} is on one side only"
            else:
                yield from differences(one[key], two[key], but, f"{path}.{key}")
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for at, (first, second) in enumerate(zip(one, two, strict=True)):
            yield from differences(first, second, but, f"{path}[{at}]")
    elif isinstance(one, float) and isinstance(two, float):
        if abs(one - two) > 1e-12:
            yield f"{path}: {one!r} and {two!r}"
    elif one != two:
        yield f"{path}: {str(one)[:80]} and {str(two)[:80]}"
