"""Learners on sparse matrices: the numbers of the same matrix in full, or of its fullest columns."""

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


def test_of_a_matrix_that_is_too_large_the_fullest_columns_are_used(monkeypatch):
    monkeypatch.setattr(encoding, "MOST_CELLS", 200)
    with pytest.warns(datakin.DatakinWarning, match="sparse columns the 2 with the most values"):
        found = datakin.score(*pair(sparse.csr_matrix), **OPTIONS)
    monkeypatch.undo()
    few = [(X[:, 3:], y) for X, y in pair(np.asarray)]
    own = datakin.score(*few, **OPTIONS).own_errors
    assert [*found.own_errors.values()] == pytest.approx([*own.values()], abs=0.1)
