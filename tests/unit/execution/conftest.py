"""Datasets that the tests of long runs share."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def family():
    """Return a function that makes k datasets, each a little farther from the first."""

    def make(k=4, n=60, p=3):
        found = {}
        for i in range(k):
            rng = np.random.default_rng(i)
            X = rng.standard_normal((n, p))
            y = (X[:, 0] + 0.3 * i * X[:, 1] + 0.5 * rng.standard_normal(n) > 0).astype(int)
            found[f"d{i}"] = (X, y)
        return found

    return make
