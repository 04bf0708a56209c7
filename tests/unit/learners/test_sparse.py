"""A sparse matrix gives the numbers of the same matrix in full."""

import numpy as np
import pytest
from scipy import sparse

import datakin
from datakin.learners import encoding, engine


def table(seed, n=70, p=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(2) * (rng.random((n, p)) < 0.4)
    X[:, -1] = rng.normal(size=n)  # no row stands twice
    y = (X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)
    return X, y


def both_ways(form=sparse.csr_array):
    (X, y), (Z, w) = table(0), table(1)
    return [(X, y), (Z, w)], [(form(X), y), (form(Z), w)]


NUMBERS = ("score", "standard_error", "model_scores", "model_weights", "own_errors", "cross_errors")


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
def test_scores_of_sparse_and_dense_are_equal(form):
    dense, thin = both_ways(form)
    one, other = datakin.score(*dense), datakin.score(*thin)
    assert {name: getattr(one, name) for name in NUMBERS} == {
        name: getattr(other, name) for name in NUMBERS
    }
    assert one.provenance.backends == other.provenance.backends


def test_regression_and_own_pools_are_equal():
    dense, thin = both_ways()
    noise = np.random.default_rng(5).normal(size=70)
    y = [dense[i][0][:, 0] + noise for i in (0, 1)]
    one, other = (
        datakin.rank((pair[0][0], y[0]), {"other": (pair[1][0], y[1])}).best
        for pair in (dense, thin)
    )
    assert one.score == other.score
    assert one.trial.gain == other.trial.gain


def test_transfer_gains_are_equal():
    dense, thin = both_ways()
    one, other = (
        datakin.transfer_gain(*pair, repeats=3, estimator="xgboost", methods=["concatenate"])
        for pair in (dense, thin)
    )
    assert one.methods == other.methods


def test_rows_are_laid_out_in_blocks(monkeypatch):
    dense, thin = both_ways()
    expected = datakin.score(*dense)
    monkeypatch.setattr(engine, "MOST_CELLS", 100)  # twenty rows at a time
    found = datakin.score(*thin)
    assert found.model_scores == pytest.approx(expected.model_scores, abs=1e-12)


def test_a_matrix_that_is_too_large_is_named(monkeypatch):
    _, thin = both_ways()
    thin[1] = (thin[1][0][:40], thin[1][1][:40])  # the other one is small enough
    monkeypatch.setattr(encoding, "MOST_CELLS", 250)
    with pytest.warns(datakin.DatakinWarning, match=r"too large to be laid out.*zeros for missing"):
        datakin.score(*thin, models=["logistic", "xgboost"])
