"""Learners on sparse matrices: the numbers of the same matrix in full."""

import numpy as np
import pytest
from scipy import sparse

import datakin
from datakin.learners import encoding, engine

OPTIONS = {"models": "learners", "zones": "paper", "cv": 3}


def pair(form):
    made = []
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(70, 5)) * (rng.random((70, 5)) < (0.3, 0.4, 0.5, 0.6, 1.0))
        y = (X[:, 3] - X[:, 4] + 0.5 * rng.normal(size=70) > 0).astype(int)
        made.append((form(X), y))
    return made


@pytest.mark.parametrize("n_cells", [None, 100])
def test_scores_of_sparse_and_dense_are_equal(monkeypatch, n_cells):
    dense = datakin.score(*pair(np.asarray), **OPTIONS)
    if n_cells:  # other rows are laid out twenty at a time
        monkeypatch.setattr(engine, "MOST_CELLS", n_cells)
    thin = datakin.score(*pair(sparse.csr_array), **OPTIONS)
    assert thin.score == pytest.approx(dense.score, abs=1e-12)
    assert thin.model_scores == pytest.approx(dense.model_scores, abs=1e-12)


def test_a_matrix_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(encoding, "MOST_CELLS", 200)
    with pytest.raises(
        datakin.DatakinError, match=r"too large to be laid out in full.*fewer columns"
    ):
        datakin.score(*pair(sparse.csr_matrix), **OPTIONS)
