"""ART: its weights by hand, invariances, and what it does with several sources."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from datakin.transfer import ART


def test_one_split_by_hand(make_classes):
    X, y = make_classes(40)
    Xs, ys = make_classes(60, 1)
    base = LogisticRegression()
    model = ART(base, repeats=1, sharpness=2.0).fit(X, y, sources=[(Xs, ys)])
    from datakin._core.seeds import derive_seed
    from datakin.transfer.art import _halves
    from datakin.transfer.pool import make_pool

    pool = make_pool(X, y, [(Xs, ys)], is_class=True)
    learned, held = _halves(pool, derive_seed(0, "halves", 0))
    assert len(learned) == len(held) == 20
    assert sorted([*learned, *held]) == list(range(40))
    fits = [
        base.fit(X[learned], y[learned]).predict_proba(X[held]),
        base.fit(np.vstack([X[learned], Xs]), np.append(y[learned], ys)).predict_proba(X[held]),
    ]
    deviance = np.array([-2 * np.log(p[np.arange(20), y[held]]).mean() for p in fits])
    expected = np.exp(-2 * deviance) / np.exp(-2 * deviance).sum()
    assert model.target_weight_ == pytest.approx(expected[0])
    assert model.source_weights_ == pytest.approx(expected[1:])
    # The predictor: both candidates on all rows, with these weights.
    full = [
        LogisticRegression().fit(X, y).predict_proba(X),
        LogisticRegression().fit(np.vstack([X, Xs]), np.append(y, ys)).predict_proba(X),
    ]
    np.testing.assert_allclose(
        model.predict_proba(X), expected[0] * full[0] + expected[1] * full[1], rtol=1e-12
    )


def test_halves_share_every_class_evenly(make_classes):
    from datakin.transfer.art import _halves
    from datakin.transfer.pool import make_pool

    X, y = make_classes(31, n_classes=3)
    pool = make_pool(X, y, [], is_class=True)
    halves = _halves(pool, 5)
    counts = [np.bincount(y[rows], minlength=3) for rows in halves]
    assert np.abs(counts[0] - counts[1]).max() <= 1
    assert {tuple(h) for h in _halves(pool, 5)} == {tuple(h) for h in halves}


def test_weights_do_not_depend_on_the_unit_of_y(make_numbers):
    X, y = make_numbers(40)
    Xs, ys = make_numbers(50, 1, sign=0.8)
    found = {}
    for weighting in ("scaled", "paper"):
        for unit in (1.0, 1e3):
            model = ART(LinearRegression(), repeats=4, weighting=weighting)
            model.fit(X, unit * y, sources=[(Xs, unit * ys)])
            found[weighting, unit] = model.source_weights_
    assert found["scaled", 1.0] == pytest.approx(found["scaled", 1e3], rel=1e-9)
    assert found["paper", 1.0] != pytest.approx(found["paper", 1e3], rel=1e-2)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_harmful_sources_lose_their_weight(n_classes, make_classes):
    X, y = make_classes(60, n_classes=n_classes)
    sources = {
        "good": make_classes(100, 1, n_classes=n_classes),
        "bad": make_classes(100, 2, n_classes=n_classes, flip=True),
    }
    model = ART(repeats=10, sharpness=5.0).fit(X, y, sources=sources)
    assert model.source_weights_[1] < 0.02
    assert model.source_weights_[0] > 0.5
    assert model.target_weight_ + model.source_weights_.sum() == pytest.approx(1.0)
    Xe, ye = make_classes(2000, 3, n_classes=n_classes)
    assert model.score(Xe, ye) > ART().fit(X, y).score(Xe, ye) - 0.01


def test_regression_with_several_sources(make_numbers):
    X, y = make_numbers(30)
    sources = [make_numbers(50, 1), make_numbers(50, 2, sign=-1), make_numbers(50, 3)]
    model = ART(LinearRegression(), repeats=10).fit(X, y, sources=sources)
    assert model.source_weights_[1] < 1e-6
    assert model.source_weights_[[0, 2]].min() > 0.2
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "predict_proba")


def test_stops_when_the_weights_stand_still(make_classes):
    data, sources = make_classes(40), [make_classes(50, 1)]
    assert ART(repeats=30, tolerance=1.0).fit(*data, sources=sources).n_repeats_ == 2
    assert ART(repeats=7).fit(*data, sources=sources).n_repeats_ == 7
    X, y = np.zeros((12, 1)), np.arange(12) % 2
    still = ART(repeats=30).fit(X, y, sources=[(X, y)])
    assert still.n_repeats_ == 2, "every split gives the same weights"
    assert still.target_weight_ == pytest.approx(0.5)


def test_exact_candidates_share_the_weight(make_numbers):
    X, y = np.zeros((8, 1)), np.ones(8)
    model = ART(LinearRegression()).fit(X, y, sources=[(X, y)])
    assert model.target_weight_ == pytest.approx(0.5)
    X, y = make_numbers(20, noise=0.0)
    ART(LinearRegression()).fit(X, y, sources=[make_numbers(20, 1, sign=-1)])
