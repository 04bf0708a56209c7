"""Small datasets and encoders for the deep room; everything here is skipped without torch."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from datakin import Dataset


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small networks on two threads wait for each other, and two test processes share two cores."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def make_rows() -> Callable[..., Dataset]:
    """Classes by the sign of one direction, turned by an angle (radians), with some noise."""

    def make(
        n: int = 120,
        seed: int = 0,
        *,
        angle: float = 0.0,
        p: int = 4,
        n_classes: int = 2,
        name: str = "",
    ) -> Dataset:
        from datakin.deep import as_items

        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, p))
        along = X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) + 0.5 * rng.standard_normal(n)
        cuts = np.quantile(along, np.arange(1, n_classes) / n_classes)
        return as_items(X, np.digitize(along, cuts), name=name or f"rows {seed}")

    return make


@pytest.fixture(scope="session")
def make_numbers() -> Callable[..., Dataset]:
    """A linear response with noise, turned by an angle (radians)."""

    def make(n: int = 120, seed: int = 0, *, angle: float = 0.0, name: str = "") -> Dataset:
        from datakin.deep import as_items

        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, 3))
        y = X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) + 0.3 * rng.standard_normal(n)
        return as_items(X, 5 * y + 2, name=name or f"numbers {seed}", task="regression")

    return make
