"""Targets with a helpful and a harmful source, and learners whose answers are known."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class Sign(ClassifierMixin, BaseEstimator):
    """Predicts code 1 where the first column is positive, whatever it is taught."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.sample_weight_ = sample_weight
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)


class First(RegressorMixin, BaseEstimator):
    """Predicts the first column, whatever it is taught."""

    def fit(self, X, y, sample_weight=None):
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 0]


@pytest.fixture(scope="session")
def sign():
    return Sign()


@pytest.fixture(scope="session")
def first():
    return First()


@pytest.fixture(scope="session")
def make_classes():
    """(X, y) of two or three classes along the first columns; flip turns the labels around."""

    def make(n=40, seed=0, *, n_classes=2, flip=False, p=3):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, p))
        scores = X[:, :n_classes] + 0.3 * rng.standard_normal((n, n_classes))
        scores[:n_classes] = 2 * np.eye(n_classes)  # every class has a row
        y = scores.argmax(axis=1)
        return X, (n_classes - 1 - y if flip else y)

    return make


@pytest.fixture(scope="session")
def make_numbers():
    """(X, y) of a linear response; sign -1 turns the coefficients around."""

    def make(n=40, seed=0, *, sign=1.0, noise=0.5):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, 3))
        return X, sign * X @ [1.0, -2.0, 0.5] + noise * rng.standard_normal(n)

    return make


@pytest.fixture(scope="session")
def duo(make_lda):
    """A small target and a source that is somewhat kin."""
    return make_lda(40, 1, name="home"), make_lda(60, 2, name="away", angle=0.3)
