"""What the tests of all distances share."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from datakin import DatakinWarning, Dataset, as_dataset
from datakin.distances import (
    MMD,
    OTDD,
    Energy,
    JensenShannon,
    KLDivergence,
    ProxyADistance,
    Wasserstein,
)

ALL = {
    "kl": KLDivergence(),
    "kl gaussian": KLDivergence(density="gaussian"),
    "js": JensenShannon(),
    "w1": Wasserstein(),
    "w1 sliced": Wasserstein(method="sliced", n_projections=20),
    "mmd": MMD(),
    "mmd biased": MMD(unbiased=False),
    "energy": Energy(),
    "energy unbiased": Energy(unbiased=True),
    "otdd": OTDD(),
    "otdd gaussian": OTDD(inner="gaussian"),
    "otdd debiased": OTDD(debias=True, splits=2),
    "proxy": ProxyADistance(),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `distance` with every distance."""
    if "distance" in metafunc.fixturenames:
        metafunc.parametrize("distance", list(ALL.values()), ids=list(ALL))


@pytest.fixture(scope="session")
def make_cloud() -> Callable[..., Dataset]:
    """Two classes of points with a shift, a stretch and, if asked for, ties."""

    def make(
        seed: int, n: int = 24, *, p: int = 2, shift: float = 0.0, ties: bool = False
    ) -> Dataset:
        rng = np.random.default_rng([seed, n, p])
        y = np.arange(n) % 2
        X = rng.standard_normal((n, p)) * rng.uniform(0.5, 2.0, p) + shift + 0.7 * y[:, None]
        if ties:
            X = np.round(2 * X) / 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DatakinWarning)  # rounded numbers may look like codes
            return as_dataset(X, y, name=f"cloud {seed}", task="binary")

    return make
