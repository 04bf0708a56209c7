"""TrAdaBoost and its dynamic version: the papers' formulas by hand, and the awkward rounds."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from datakin.transfer import Concatenate, DynamicTrAdaBoost, TrAdaBoost

BOTH = pytest.mark.parametrize("method", [TrAdaBoost, DynamicTrAdaBoost])


def test_weight_update_on_four_rows():
    # Two target rows, two source rows; the second target row and the first source row are wrong.
    weights, losses = np.array([0.4, 0.1, 0.3, 0.2]), np.array([0.0, 1.0, 1.0, 0.0])
    error = 0.1 / (0.4 + 0.1)  # 0.2, so beta_t = 0.2 / 0.8 = 1/4
    fading = 1 / (1 + np.sqrt(2 * np.log(2) / 10))  # n_s = 2, N = 10
    plain = TrAdaBoost(rounds=10)._update(weights, losses, error, 2)
    np.testing.assert_allclose(plain, [0.4, 0.1 * 4, 0.3 * fading, 0.2], rtol=1e-14)
    correction = 2 * (1 - error)  # C_t = 1.6, on source rows alone
    dynamic = DynamicTrAdaBoost(rounds=10)._update(weights, losses, error, 2)
    expected = [0.4, 0.1 * 4, 0.3 * fading * correction, 0.2 * correction]
    np.testing.assert_allclose(dynamic, expected, rtol=1e-14)


def four_and_four():
    """Four target rows, the last wrong; four source rows, the first and third wrong."""
    X = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    return X, np.array([1, 1, 0, 1]), X, np.array([0, 1, 1, 0])


def test_weights_of_three_rounds_by_hand(sign):
    X, y, Xs, ys = four_and_four()
    model = TrAdaBoost(sign, rounds=3).fit(X, y, sources=[(Xs, ys)])
    fading = 1 / (1 + np.sqrt(2 * np.log(4) / 3))
    # Round 1: eps = 1/4, the wrong row gains 3. Round 2: eps = 3/6, which moves no target row.
    target = np.array([[1, 1, 1, 1], [1, 1, 1, 3], [1, 1, 1, 3]])
    source = np.array([[1, 1, 1, 1], [fading, 1, fading, 1], [fading**2, 1, fading**2, 1]])
    total = target.sum(axis=1, keepdims=True) + source.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.target_row_weights_, target / total, rtol=1e-12)
    np.testing.assert_allclose(model.source_row_weights_, source / total, rtol=1e-12)
    np.testing.assert_allclose(model.errors_, [0.25, 0.5, 0.5], rtol=1e-12)


def test_dynamic_keeps_the_share_of_right_source_rows(sign):
    X, y, Xs, ys = four_and_four()
    model = DynamicTrAdaBoost(sign, rounds=3).fit(X, y, sources=[(Xs, ys)])
    fading = 1 / (1 + np.sqrt(2 * np.log(4) / 3))
    c = 2 * (1 - 0.25)
    target, source = [1, 1, 1, 3], [c * fading, c, c * fading, c]
    total = sum(target) + sum(source)
    np.testing.assert_allclose(model.target_row_weights_[1], np.array(target) / total, rtol=1e-12)
    np.testing.assert_allclose(model.source_row_weights_[1], np.array(source) / total, rtol=1e-12)
    # A right source row keeps its weight relative to the target's total: 1/4 of 4, c of 6.
    shares = model.source_row_weights_[:, 1] / model.target_row_weights_.sum(axis=1)
    np.testing.assert_allclose(shares, 0.25, rtol=1e-12)


def test_the_second_half_votes_with_log_odds(make_classes):
    model = TrAdaBoost(DecisionTreeClassifier(max_depth=1), rounds=5)
    model.fit(*make_classes(60), sources=[make_classes(40, 1)])
    assert len(model.errors_) == 5
    assert model.errors_.max() < 0.45
    assert model.estimator_weights_[:2].tolist() == [0.0, 0.0], "ceil(5/2) = 3 is the first to vote"
    errors = model.errors_[2:]
    np.testing.assert_allclose(model.estimator_weights_[2:], np.log((1 - errors) / errors))
    X, _ = make_classes(50, 9)
    codes = np.array([learner.codes(X) for learner in model.estimators_])
    share = model.estimator_weights_ @ codes / model.estimator_weights_.sum()
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], share, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), share > 0.5)


@BOTH
def test_error_above_one_half_has_no_vote_and_moves_no_target_row(method, sign):
    X, y, Xs, ys = four_and_four()
    model = method(sign, rounds=6).fit(X, 1 - y, sources=[(Xs, 1 - ys)])
    assert model.errors_.max() > 0.5
    ratios = model.target_row_weights_ / model.target_row_weights_[:, :1]
    np.testing.assert_allclose(ratios, 1.0)
    assert (np.diff(model.source_row_weights_[:, 1]) < 0).all(), "wrong source rows fade on"
    # No learner has a vote: they count the same, and all say the same.
    np.testing.assert_array_equal(model.predict(X), [1, 1, 0, 0])


def test_an_error_of_one_half_but_for_rounding_has_no_vote(make_classes):
    # The sources outweigh the target, so that the same stump comes again: after the update its
    # error is one half exactly, and in floating point a little less or more.
    model = TrAdaBoost(DecisionTreeClassifier(max_depth=1), rounds=5)
    model.fit(*make_classes(60), sources=[make_classes(200, 1)])
    np.testing.assert_allclose(model.errors_[2:], 0.5, rtol=1e-12)
    assert model.estimator_weights_.tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]


@BOTH
def test_error_zero_stops_once_nothing_moves(method, sign):
    X = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    y = np.array([1, 1, 0, 0])
    model = method(sign, rounds=30).fit(X, y, sources=[(X, y)])
    assert model.errors_.tolist() == [0.0]
    np.testing.assert_array_equal(model.predict(X), y)


@BOTH
def test_error_zero_lets_wrong_source_rows_fade_and_target_rows_be(method, sign):
    X = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    y, ys = np.array([1, 1, 0, 0]), np.array([1, 1, 0, 1])
    model = method(sign, rounds=10).fit(X, y, sources=[(X, ys)])
    assert model.errors_.tolist() == [0.0] * 10
    relative = model.source_row_weights_ / model.target_row_weights_[:, :1]
    np.testing.assert_allclose(relative[:, :3], 1.0)
    fading = 1 / (1 + np.sqrt(2 * np.log(4) / 10))
    np.testing.assert_allclose(relative[:, 3], fading ** np.arange(10), rtol=1e-12)


@BOTH
@pytest.mark.parametrize(
    "base",
    [
        None,
        LinearSVC(),
        DecisionTreeClassifier(max_depth=2),
        XGBClassifier(n_estimators=5, n_jobs=1),
    ],
)
def test_a_class_that_fades_away_is_survived(method, base, make_classes):
    X, y = make_classes(40)
    Xs, ys = make_classes(300, 1)
    ys[Xs[:, 2] > 1.0] = 2  # a class that the target does not have
    with pytest.warns(UserWarning, match="the target lacks '2' of source 1"):
        model = method(base, rounds=30).fit(X, y, sources=[(Xs, ys)])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X).shape == (40, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert np.mean(model.predict(X) == y) >= 0.75


def test_a_harmful_source_is_outgrown(make_classes):
    X, y = make_classes(60)
    source, (Xe, ye) = make_classes(200, 1, flip=True), make_classes(2000, 2)
    pooled = Concatenate().fit(X, y, sources=[source]).score(Xe, ye)
    boosted = TrAdaBoost(rounds=40).fit(X, y, sources=[source])
    assert pooled < 0.2
    assert boosted.score(Xe, ye) > 0.75
    assert boosted.source_row_weights_[-1].sum() < 0.1


def test_dynamic_gives_good_sources_more_weight(make_classes):
    data, source = make_classes(40), make_classes(200, 1)
    shares = [
        method(rounds=30).fit(*data, sources=[source]).source_row_weights_[-1].sum()
        for method in (TrAdaBoost, DynamicTrAdaBoost)
    ]
    assert shares[0] < shares[1]


@BOTH
def test_several_sources_are_pooled(method, make_classes):
    X, y = make_classes(30)
    first, second = make_classes(50, 1), make_classes(70, 2)
    both = np.vstack([first[0], second[0]]), np.concatenate([first[1], second[1]])
    apart = method(rounds=8).fit(X, y, sources=[first, second])
    together = method(rounds=8).fit(X, y, sources={"one": both})
    np.testing.assert_array_equal(apart.source_row_weights_, together.source_row_weights_)
    np.testing.assert_array_equal(apart.predict(both[0]), together.predict(both[0]))


@BOTH
def test_three_classes_with_names(method, make_classes):
    names = np.array(["ant", "bee", "cat"])
    X, y = make_classes(60, n_classes=3)
    Xs, ys = make_classes(300, 1, n_classes=3)
    model = method(rounds=10).fit(X, names[y], sources=[(Xs, names[ys])])
    Xe, ye = make_classes(1000, 2, n_classes=3)
    assert model.score(Xe, names[ye]) > 0.8


def test_soft_losses_are_one_minus_the_probability_of_the_label(make_classes):
    X, y = make_classes(40)
    model = TrAdaBoost(rounds=4, voting="soft").fit(X, y, sources=[make_classes(100, 1)])
    losses = 1 - model.estimators_[0].probabilities(X)[np.arange(40), y]
    assert model.errors_[0] == pytest.approx(losses.mean())
    beta = losses.mean() / (1 - losses.mean())
    relative = model.target_row_weights_[1] / model.target_row_weights_[1, 0]
    np.testing.assert_allclose(relative, beta ** -(losses - losses[0]), rtol=1e-10)


def test_target_share_sets_the_start(make_classes):
    model = TrAdaBoost(rounds=2, target_share=0.5)
    model.fit(*make_classes(30), sources=[make_classes(300, 1)])
    assert model.target_row_weights_[0].sum() == pytest.approx(0.5)
    assert np.ptp(model.target_row_weights_[0]) == 0


def test_learners_see_weights_of_mean_one(sign):
    X, y, Xs, ys = four_and_four()
    model = TrAdaBoost(sign, rounds=3).fit(X, y, sources=[(Xs, ys)])
    for learner in model.estimators_:
        assert learner.estimator.sample_weight_.mean() == pytest.approx(1.0)


def test_random_learners_repeat(make_classes):
    base = RandomForestClassifier(5)
    X, _ = make_classes(200, 5)
    fits = [
        TrAdaBoost(base, rounds=3, random_state=seed).fit(
            *make_classes(40), sources=[make_classes(60, 1)]
        )
        for seed in (0, 0, 1)
    ]
    forests = [model.estimators_[0].probabilities(X) for model in fits]
    np.testing.assert_array_equal(forests[0], forests[1])
    assert not np.array_equal(forests[0], forests[2])
