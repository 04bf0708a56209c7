"""Heads are at scikit-learn's optimum, whatever the number of features."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install '.[deep]')")

from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

from datakin.deep.heads import HeadOptions, fit_head

CPU = torch.device("cpu")
LINEAR = HeadOptions("linear", 0.5, 16, CPU)


def rows(n, p, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, p)) * rng.uniform(0.1, 5, p) + rng.standard_normal(p)
    return Z, np.digitize(Z[:, 0] + 0.5 * Z[:, 1], np.arange(1, n_classes) - n_classes / 2)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("n", "p"), [(150, 6), (400, 350), (60, 200)], ids=["few", "many", "wide"])
def test_linear_head_is_at_the_optimum(n, p, n_classes):
    Z, y = rows(n, p, n_classes)
    y = np.unique(y, return_inverse=True)[1]
    found = fit_head(Z, y, int(y.max()) + 1, LINEAR, 0)
    scaler = StandardScaler().fit(Z)
    model = LogisticRegression(C=0.5, solver="newton-cg", tol=1e-12, max_iter=10_000)
    model.fit(scaler.transform(Z), y)
    new = rows(50, p, n_classes, seed=1)[0]
    np.testing.assert_allclose(
        found.predict(new), model.predict_proba(scaler.transform(new)), atol=1e-6
    )


@pytest.mark.parametrize(("n", "p"), [(100, 5), (30, 80)])
def test_ridge_head(n, p):
    Z, _ = rows(n, p, 2)
    y = Z[:, 0] * 3 + np.random.default_rng(1).standard_normal(n)
    found = fit_head(Z, y, 0, LINEAR, 0).predict(Z)[:, 0]
    X = StandardScaler().fit_transform(Z)
    np.testing.assert_allclose(found, Ridge(2.0).fit(X, y).predict(X), atol=1e-8)


def test_one_scale_for_all_features_leaves_the_geometry_alone():
    Z, y = rows(200, 5, 2)
    y = np.unique(y, return_inverse=True)[1]
    whole = HeadOptions("linear", 1.0, 16, CPU, "whole")
    turn = np.linalg.qr(np.random.default_rng(2).standard_normal((5, 5)))[0]
    one = fit_head(Z, y, int(y.max()) + 1, whole, 0).predict(Z)
    other = fit_head(7 * Z @ turn + 3, y, int(y.max()) + 1, whole, 0).predict(7 * Z @ turn + 3)
    np.testing.assert_allclose(one, other, atol=1e-8)


def test_a_class_without_a_training_row_has_probability_0():
    Z, _ = rows(60, 4, 2)
    y = np.where(Z[:, 0] > 0, 2, 0)
    p = fit_head(Z, y, 4, LINEAR, 0).predict(Z)
    assert p.shape == (60, 4)
    assert (p[:, [1, 3]] == 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    only = fit_head(Z, np.full(60, 3), 4, LINEAR, 0).predict(Z[:2])
    np.testing.assert_array_equal(only, [[0, 0, 0, 1]] * 2)


def test_mlp_head_learns_what_no_line_parts():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((400, 2))
    y = (Z[:, 0] * Z[:, 1] > 0).astype(int)
    errors = {}
    for kind in ("linear", "mlp"):
        options = HeadOptions(kind, 1.0, 32, CPU)
        head = fit_head(Z[:300], y[:300], 2, options, seed=0)
        errors[kind] = np.mean(head.predict(Z[300:]).argmax(1) != y[300:])
    assert errors["linear"] > 0.3
    assert errors["mlp"] < 0.1
    options = HeadOptions("mlp", 1.0, 32, CPU)
    twice = [fit_head(Z[:300], y[:300], 2, options, seed=0).predict(Z[300:]) for _ in range(2)]
    np.testing.assert_array_equal(*twice)
