"""ART and KinWeighted: sources that help count, sources that harm do not; weights by hand."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from datakin import DatakinError, DatakinWarning
from datakin._core.repeatability import derive_seed
from datakin.paper.weighting import GRID, _average, _halves
from datakin.transfer import ART, Concatenate, KinWeighted
from datakin.transfer.pool import make_pool

# ART: its weights by hand, invariances, and several sources.


def test_one_split_by_hand(make_classes):
    X, y = make_classes(40)
    Xs, ys = make_classes(60, 1)
    base = LogisticRegression()
    model = ART(base, repeats=1, sharpness=2.0).fit(X, y, sources=[(Xs, ys)])
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


# KinWeighted.


def test_kin_count_and_strangers_do_not(make_classes):
    """A source of the target's own law, and the same source with its labels turned around."""
    kin, strange = [], []
    for seed in range(5):
        target = make_classes(60, seed, p=10)
        X, y = make_classes(300, 100 + seed, p=10)
        kin.append(KinWeighted().fit(*target, sources=[(X, y)]).source_weights_[0])
        strange.append(KinWeighted().fit(*target, sources=[(X, 1 - y)]).source_weights_[0])
    assert np.median(kin) > 0.7
    assert max(strange) < 0.05


def test_errors_with_kin_and_strangers(make_classes):
    target, kin = make_classes(40, 0), make_classes(300, 1)
    stranger = make_classes(300, 2, flip=True)
    X, y = make_classes(2000, 3)
    alone = Concatenate().fit(*target).score(X, y)
    both = KinWeighted().fit(*target, sources=[kin, stranger])
    assert both.source_weights_[0] > 20 * both.source_weights_[1]
    assert both.score(X, y) > alone
    assert KinWeighted().fit(*target, sources=[kin]).score(X, y) > alone
    assert KinWeighted().fit(*target, sources=[stranger]).score(X, y) > alone - 0.02
    assert Concatenate().fit(*target, sources=[stranger]).score(X, y) < 0.5


def test_the_weight_falls_with_the_distance_of_the_source(make_numbers):
    X, y = make_numbers(60, 0)
    Xs, ys = make_numbers(200, 1)
    weights = []
    for turn in (0.0, 0.5, 1.0, 2.0):
        source = (Xs, ys + turn * Xs[:, 0])
        weights.append(
            KinWeighted(LinearRegression()).fit(X, y, sources=[source]).source_weights_[0]
        )
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0.2
    assert weights[-1] < 1e-3


def test_regression(make_numbers):
    target, kin = make_numbers(30, 0, noise=1.0), make_numbers(300, 1, noise=1.0)
    model = KinWeighted(LinearRegression()).fit(*target, sources=[kin])
    X, y = make_numbers(2000, 2, noise=0.0)
    alone = LinearRegression().fit(*target)
    assert np.mean((model.predict(X) - y) ** 2) < np.mean((alone.predict(X) - y) ** 2)


def test_several_classes(make_classes):
    target, kin = make_classes(60, 0, n_classes=3), make_classes(200, 1, n_classes=3)
    model = KinWeighted().fit(*target, sources=[kin])
    assert model.source_weights_[0] > 0.3
    assert model.predict_proba(target[0]).shape == (60, 3)


def test_weight_zero_is_the_target_alone(make_classes, make_numbers):
    """With nothing but 0 to choose, the fit is the base estimator's own, without weights."""
    X, y = make_classes()
    model = KinWeighted(LogisticRegression(), grid=(0.0,)).fit(X, y, sources=[make_classes(80, 1)])
    assert model.source_weights_.tolist() == [0.0]
    expected = LogisticRegression().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    X, y = make_numbers()
    model = KinWeighted(LinearRegression(), grid=[0.0]).fit(X, y, sources=[make_numbers(80, 1)])
    np.testing.assert_array_equal(model.predict(X), LinearRegression().fit(X, y).predict(X))


def test_the_final_fit_has_the_weights_found(make_numbers):
    X, y = make_numbers(40, 0)
    Xs, ys = make_numbers(80, 1)
    model = KinWeighted(LinearRegression()).fit(X, y, sources=[(Xs, ys + 0.3 * Xs[:, 0])])
    weight = model.source_weights_[0]
    assert 0.01 < weight < 0.99
    by_hand = LinearRegression().fit(
        np.vstack([X, Xs]),
        np.concatenate([y, ys + 0.3 * Xs[:, 0]]),
        sample_weight=np.repeat([1.0, weight], [40, 80]),
    )
    np.testing.assert_allclose(model.predict(X), by_hand.predict(X), rtol=1e-9)


def test_losses_are_held_out_losses_at_each_weight(make_numbers):
    """Four folds by hand, at weight 0 and at weight 1."""
    X, y = make_numbers(8, 0)
    Xs, ys = make_numbers(12, 1)
    model = KinWeighted(LinearRegression(), cv=4, grid=(0.0, 1.0)).fit(X, y, sources=[(Xs, ys)])
    assert model.losses_.shape == (1, 2)
    losses = np.zeros((2, 8))
    folds = KFold(4, shuffle=True, random_state=derive_seed(0, "folds")).split(X)
    for train, test in folds:
        alone = LinearRegression().fit(X[train], y[train])
        pooled = LinearRegression().fit(np.vstack([X[train], Xs]), np.concatenate([y[train], ys]))
        losses[:, test] = [(fit.predict(X[test]) - y[test]) ** 2 for fit in (alone, pooled)]
    np.testing.assert_allclose(model.losses_[0], losses.mean(axis=1), rtol=1e-9)
    # Of two weights, each counts by exp(-n/2 (loss - least) / least).
    least = losses.mean(axis=1).min()
    powers = np.exp(-4 * (losses.mean(axis=1) - least) / least)
    assert model.source_weights_[0] == pytest.approx(powers[1] / powers.sum())


def test_averaging_by_likelihood():
    values = np.array([0.0, 1.0])
    assert _average(values, np.ones((2, 10))) == 0.5  # neither helps nor harms: the middle
    assert _average(values, np.array([np.zeros(10), np.ones(10)])) == 0.0
    assert _average(values, np.array([np.full(10, 1.2), np.ones(10)])) == pytest.approx(
        1 / (1 + np.exp(-1))
    )


def test_two_copies_of_one_source_count_like_one(make_numbers):
    target, source = make_numbers(40, 0), make_numbers(100, 1)
    once = KinWeighted(LinearRegression()).fit(*target, sources=[source])
    twice = KinWeighted(LinearRegression()).fit(*target, sources=[source, source])
    first, second = twice.source_weights_
    assert first == second
    assert first < once.source_weights_[0]
    X, y = make_numbers(500, 2)
    errors = [np.mean((m.predict(X) - y) ** 2) for m in (once, twice)]
    assert errors[1] < 1.05 * errors[0]


def test_the_order_of_sources_does_not_matter(make_classes):
    target = make_classes()
    a, b = make_classes(80, 1), make_classes(60, 2, flip=True)
    ahead = KinWeighted().fit(*target, sources=[a, b]).source_weights_
    back = KinWeighted().fit(*target, sources=[b, a]).source_weights_
    np.testing.assert_allclose(ahead, back[::-1], rtol=1e-6)


def test_weights_stay_between_zero_and_one(make_classes):
    target = make_classes(20, 5)
    sources = {f"s{i}": make_classes(30, 10 + i, flip=i % 2 == 1) for i in range(4)}
    model = KinWeighted(RandomForestClassifier(5), cv=2, grid=(0.0, 0.5, 1.0))
    weights = model.fit(*target, sources=sources).source_weights_
    assert ((weights >= 0) & (weights <= 1)).all()
    assert max(GRID) == 1.0


def test_the_same_seed_gives_the_same_fit(make_classes):
    target, source = make_classes(), make_classes(60, 1)
    options = {"cv": 2, "grid": (0.0, 0.5, 1.0)}
    base = RandomForestClassifier(5)
    one, two = (
        KinWeighted(base, random_state=3, **options).fit(*target, sources=[source]) for _ in "ab"
    )
    np.testing.assert_array_equal(one.predict_proba(target[0]), two.predict_proba(target[0]))
    other = KinWeighted(base, random_state=4, **options).fit(*target, sources=[source])
    assert not np.array_equal(one.predict_proba(target[0]), other.predict_proba(target[0]))


class Halves(ClassifierMixin, BaseEstimator):
    """Without probabilities: losses are of the class predicted."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] < X[:, 1]).astype(int)


def test_a_learner_without_probabilities(make_classes):
    model = KinWeighted(Halves()).fit(*make_classes(), sources=[make_classes(60, 1)])
    assert model.source_weights_[0] == pytest.approx(np.mean(GRID))  # all weights do alike


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": (0.5, 1.0)}, "'grid' parameter must be weights from 0 up, 0 among them"),
        ({"grid": ()}, "'grid' parameter must be weights from 0 up"),
        ({"grid": (-1.0, 0.0)}, "'grid' parameter must be weights from 0 up"),
        ({"grid": (0.0, np.inf)}, "'grid' parameter must be weights from 0 up"),
        ({"grid": "fine"}, "'grid' parameter must be weights from 0 up"),
        ({"grid": None}, "'grid' parameter must be weights from 0 up"),
        ({"cv": 1}, "'cv' parameter must be a whole number of at least 2"),
        ({"cv": 2.5}, "'cv' parameter must be a whole number"),
    ],
)
def test_options(options, message, make_classes):
    with pytest.raises(DatakinError, match=message):
        KinWeighted(**options).fit(*make_classes(), sources=[make_classes(60, 1)])


@pytest.mark.parametrize("base", [KNeighborsClassifier(), KNeighborsRegressor()])
def test_a_learner_without_weights(base, make_classes):
    X, y = make_classes()
    with pytest.raises(DatakinError, match=r"must take row weights.*does not"):
        KinWeighted(base).fit(X, y, sources=[(X, y)])
    KinWeighted(base).fit(X, y)  # alone it needs none


def test_sources_that_do_not_fit(make_classes):
    X, y = make_classes()
    with pytest.raises(DatakinError, match="source 1 has 2, the target 3"):
        KinWeighted().fit(X, y, sources=[(X[:, :2], y)])
    with pytest.raises(DatakinError, match="must use the same class labels"):
        KinWeighted().fit(X, y, sources=[(X, np.array(["no", "yes"])[y])])
    with pytest.warns(DatakinWarning, match="source 1 lacks '1'"):
        KinWeighted().fit(X, y, sources=[(X[y == 0], y[y == 0])])


def test_too_few_rows_for_folds(make_classes, make_numbers):
    X, y = make_classes()
    y = np.where(np.arange(len(y)) == 0, 2, y)
    with pytest.raises(
        DatakinError, match=r"at least 2 rows of every class. Got 40 rows, 1 of one"
    ):
        KinWeighted().fit(X, y, sources=[(X, y)])
    X, y = make_numbers(3)
    with pytest.raises(DatakinError, match=r"at least 2 rows for each fold. Got 3 rows"):
        KinWeighted(LinearRegression()).fit(X, y, sources=[(X, y)])
