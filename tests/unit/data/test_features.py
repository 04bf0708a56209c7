"""Hashes of rows: the same for a sparse matrix and the dense one."""

import numpy as np
import pytest
from scipy import sparse

from datakin import as_dataset
from datakin.data.features import Features

RNG = np.random.default_rng(0)
X = np.where(RNG.random((50, 13)) < 0.3, RNG.normal(size=(50, 13)), 0.0)
X[3] = 0.0  # a row without a stored value
X[4, -1] = -0.0
NAMES = [f"x{j}" for j in range(13)]


@pytest.mark.parametrize("names", [NAMES, NAMES[3:8], NAMES[-1:], []], ids=len)
def test_sparse_rows_are_hashed_as_dense_ones(names):
    dense, thin = (Features.of_numbers(m, NAMES) for m in (X, sparse.csr_array(X)))
    np.testing.assert_array_equal(thin.row_hashes(names), dense.row_hashes(names))
    assert thin.select(names).digest() == dense.select(names).digest()


def test_sparse_and_dense_datasets_have_one_fingerprint():
    y = np.arange(50) % 2
    for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_matrix):
        assert as_dataset(kind(X), y).fingerprint == as_dataset(X, y).fingerprint
    changed = X.copy()
    changed[7, 5] += 1e-12
    assert as_dataset(sparse.csr_array(changed), y).fingerprint != as_dataset(X, y).fingerprint


def test_explicit_zeros_and_unsorted_columns_change_nothing():
    matrix = sparse.csr_array(
        (np.array([2.0, 0.0, 1.0]), np.array([2, 1, 0]), np.array([0, 3])), shape=(1, 3)
    )
    dense = Features.of_numbers(np.array([[1.0, 0.0, 2.0]]), NAMES[:3])
    assert Features.of_numbers(matrix, NAMES[:3]).digest() == dense.digest()
