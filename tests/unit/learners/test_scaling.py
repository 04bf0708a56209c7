"""Numbers of any size are scaled alike, and clean ones as scikit-learn does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

import datakin
from datakin import DatakinError
from datakin.learners.scaling import center_and_scale, medians, standardised

FAST = {"models": ["logistic", "linear_svm", "rbf_svm"], "cv": 3}


def pair(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * n, 3))
    y = (X[:, 0] + rng.normal(size=2 * n) > 0).astype(int)
    return X, y


def scored(X, y, **options):
    n = len(y) // 2
    return datakin.score((X[:n], y[:n]), (X[n:], y[n:]), **{**FAST, **options})


EXPECTED = {}


@settings(max_examples=15, deadline=None)
@given(power=st.integers(-400, 400), column=st.integers(0, 2))
def test_a_power_of_two_changes_nothing(power, column):
    X, y = pair()
    if "clean" not in EXPECTED:
        EXPECTED["clean"] = scored(X, y).model_scores
    X[:, column] *= 2.0**power
    assert scored(X, y).model_scores == EXPECTED["clean"]


@pytest.mark.parametrize("power", [-1000, -600, -512, 512, 600, 1000])
@pytest.mark.parametrize("models", [None, "extended"])
def test_columns_near_the_ends_of_the_numbers(power, models):
    X, y = pair()
    expected = scored(X, y, models=models)
    X[:, 1] *= 2.0**power
    found = scored(X, y, models=models)
    assert found.model_scores == expected.model_scores
    assert np.isfinite([found.score, *found.interval]).all()


@pytest.mark.parametrize("size", [1e-308, 1e-200, 1e-154, 1e154, 1e200, 1e307])
def test_a_score_is_a_number_whatever_the_size_of_a_column(size):
    X, y = pair()
    X[:, 0] *= size
    assert np.isfinite(scored(X, y, models=None).score)


def test_a_source_of_another_size_is_far_and_not_a_fault():
    X, y = pair()
    n = len(y) // 2
    X[:n, 0] *= 1e-200
    X[n:, 0] *= 1e200
    assert np.isfinite(scored(X, y).score)


def test_clean_columns_are_scaled_as_scikit_learn_does():
    X = np.random.default_rng(0).normal(3.0, 5.0, size=(101, 7))
    X[:, 3] = 4.0
    centers, scales = center_and_scale(X)
    scaler = StandardScaler().fit(np.asfortranarray(X))
    assert (centers == scaler.mean_).all()
    assert (scales == scaler.scale_).all()


def test_what_cannot_be_held_is_far_out():
    found = standardised(np.array([[1e300], [-1e300], [0.0]]), np.zeros(1), np.array([1e-100]))
    assert found.ravel().tolist() == [1e100, -1e100, 0.0]
    found = standardised(np.array([[1.5e308]]), np.array([-1.5e308]), np.array([1e308]))
    assert found[0, 0] == pytest.approx(3.0)


def test_medians_of_the_largest_numbers():
    large = np.array([[1.5e308, 1.0], [1.6e308, np.nan], [1.5e308, 3.0], [1.6e308, 5.0]])
    assert medians(large)[0] == pytest.approx(1.55e308)
    assert medians(large)[1] == 3.0
    assert medians(large[:, :1])[0] == pytest.approx(1.55e308)


@pytest.mark.parametrize(("size", "unit"), [(1e-154, "1e154"), (1e200, "1e-200")])
def test_a_response_whose_squares_cannot_be_held_is_refused(size, unit):
    X, _ = pair()
    y = np.round(X[:, 0] + 0.1 * X[:, 1], 3) * size
    with pytest.raises(DatakinError, match=r"in another unit: convert=\{'LABEL': \(1e-?\d+, 0\)\}"):
        scored(X, y, models=["linear"])
    with pytest.raises(DatakinError, match=r"--convert LABEL=1e"):
        datakin.transfer_gain((X[:60], y[:60]), (X[60:], y[60:]), repeats=2)


def test_a_response_in_another_unit_has_the_same_zone():
    X, _ = pair()
    y = np.round(X[:, 0] + 0.1 * X[:, 1], 3)
    one = scored(X, y, models=["linear"])
    other = scored(X, y * 2.0**200, models=["linear"])
    assert other.zone is one.zone
    assert other.score == one.score * 2.0**400
