"""Weights of algorithm 2 by hand, ties, failed models, and freedom from the unit of y."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from datakin import DatakinError, score
from datakin.learners.ensemble import (
    View,
    apply_sigmoids,
    losses_of_fits,
    model_weights,
)
from datakin.learners.losses import LOSSES, resolve_loss


def test_weights_by_hand():
    """E = .1, .2, .3: the standard deviation with l - 1 is .1, so exponents are -5, -10, -15."""
    weights = model_weights(np.array([0.1, 0.2, 0.3]), 500.0)
    expected = np.exp([0.0, -5.0, -10.0])
    np.testing.assert_allclose(weights, expected / expected.sum(), rtol=1e-13)


def test_scale_divides_errors_first():
    errors = np.array([0.4, 0.7, 0.5, 0.2])
    np.testing.assert_allclose(
        model_weights(errors * 2500, 500.0, 2500.0), model_weights(errors, 500.0), rtol=1e-12
    )
    literal = model_weights(errors * 2, 500.0)
    assert literal[0] < 1e-20 < model_weights(errors, 500.0)[0]  # the unit decides without a scale


@pytest.mark.parametrize("n_models", [1, 2, 4])
def test_equal_errors_give_uniform_weights(n_models):
    assert model_weights(np.full(n_models, 0.25), 500.0).tolist() == [1 / n_models] * n_models


def test_failed_models_weigh_nothing():
    weights = model_weights(np.array([0.1, np.nan, 0.2]), 500.0)
    assert weights[1] == 0.0
    np.testing.assert_allclose(weights[[0, 2]], model_weights(np.array([0.1, 0.2]), 500.0))
    assert model_weights(np.array([np.nan, 0.4]), 500.0).tolist() == [0.0, 1.0]


def test_huge_errors_do_not_overflow():
    weights = model_weights(np.array([1e8, 2e8]), 500.0)
    assert weights.tolist() == [1.0, 0.0]


def losses(probabilities, weights, y, voting="soft", loss="zero_one", shares=None):
    n_classes = probabilities[0].shape[1]
    shares = np.full(n_classes, 1 / n_classes) if shares is None else shares
    view = View([None] * len(probabilities), shares, np.array(weights))
    names = [str(c) for c in range(n_classes)]
    return losses_of_fits([probabilities], [view], np.array(y), LOSSES[loss], own=np.arange(n_classes),
                          names=names, voting=voting)[0]  # fmt: skip


def test_soft_and_hard_voting_differ():
    """One sure model against two that lean the other way."""
    sure, leaning = np.array([[0.05, 0.95]]), np.array([[0.6, 0.4]])
    found = {v: losses([sure, leaning, leaning], [0.4, 0.3, 0.3], [1], v) for v in ("soft", "hard")}
    assert found["soft"][:, 0].tolist() == [0.0, 1.0, 1.0, 0.0, 0.6]
    assert found["hard"][:, 0].tolist() == [0.0, 1.0, 1.0, 1.0, 0.6]


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_ties_go_to_the_lowest_class(voting, order):
    """Three models, three classes, equal weights; sums of thirds differ in the last bit."""
    votes = [np.eye(3)[[c]] for c in order]
    found = losses(votes, [1 / 3] * 3, [0], voting)
    assert found[-2, 0] == 0.0
    assert losses(votes, [1 / 3] * 3, [1], voting)[-2, 0] == 1.0


def test_balanced_loss_divides_by_the_class_shares():
    """p = 0.3 for a class of 10% is far above its share."""
    p = np.array([[0.7, 0.3]])
    shares = np.array([0.9, 0.1])
    assert losses([p], [1.0], [1], loss="balanced", shares=shares)[:, 0].tolist() == [0.0, 0.0, 0.0]
    assert losses([p], [1.0], [1], loss="zero_one", shares=shares)[:, 0].tolist() == [1.0, 1.0, 1.0]


class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("no licence")

    def predict(self, X):
        raise AssertionError("never fitted")


@pytest.mark.parametrize("estimate", ["ensemble", "weighted", "unweighted"])
@pytest.mark.parametrize("size", ["paper", "matched", "limit"])
def test_a_broken_model_is_as_good_as_none(make_lda, estimate, size):
    pair = make_lda(50, 1, name="t"), make_lda(60, 2, angle=0.5, name="s")
    sound = {"one": LogisticRegression(), "two": LogisticRegression(C=0.01)}
    options = {"estimate": estimate, "size": size, "cv": 3}
    expected = score(*pair, models=sound, **options)
    with pytest.warns(
        match=r"broken: 14 fit\(s\) failed on 2 dataset\(s\) \(RuntimeError: no licence\)"
    ):
        found = score(*pair, models={"broken": Broken(), **sound}, **options)
    assert found.score == pytest.approx(expected.score, abs=1e-14)
    assert found.model_scores == expected.model_scores
    assert found.model_weights["t"]["broken"] == 0.0


def test_all_models_broken_is_an_error(make_lda):
    with pytest.raises(DatakinError, match=r"Every model failed on 't'. broken: 7 fit\(s\) failed"):
        score(make_lda(50, 1, name="t"), make_lda(60, 2), models={"broken": Broken()}, cv=3)


@pytest.mark.parametrize("models", [["linear", "linear_svm", "rbf_svm"], None])
@pytest.mark.parametrize("unit", [1000.0, 0.001])
def test_regression_is_free_of_the_unit_of_y(make_linear, models, unit):
    pairs = [
        (make_linear(70, 1, unit=u, name="t"), make_linear(90, 2, angle=0.8, unit=u, name="s"))
        for u in (1.0, unit)
    ]
    before, after = (score(*pair, models=models, cv=3) for pair in pairs)
    # 1e-4: a support vector machine stops at a tolerance of 1e-3, and rounding moves where.
    for name in ("t", "s"):
        assert after.model_weights[name] == pytest.approx(before.model_weights[name], abs=1e-4)
    assert after.standardised == pytest.approx(before.standardised, abs=1e-5)
    assert after.score == pytest.approx(unit**2 * before.score, rel=1e-4)


def test_standardised_divides_each_direction_by_its_variance(make_linear):
    target, source = make_linear(70, 1, name="t"), make_linear(90, 2, unit=3.0, name="s")
    result = score(target, source, models=["linear"], direction=0.25)
    expected = 0.25 * result.source_to_target / np.var(target.y)
    expected += 0.75 * result.target_to_source / np.var(source.y)
    assert result.standardised == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("estimate", ["ensemble", "unweighted"])
def test_a_weight_that_underflows_is_no_failure(make_linear, estimate):
    """The paper's literal weights are 0 to the last bit for large units; the models still count."""
    pair = make_linear(70, 1, unit=1000.0, name="t"), make_linear(90, 2, unit=1000.0, name="s")
    names = ["linear", "linear_svm", "rbf_svm"]
    result = score(*pair, models=names, cv=3, weighting="paper", estimate=estimate)
    assert list(result.model_scores) == names
    if estimate == "unweighted":
        assert result.score == pytest.approx(np.mean(list(result.model_scores.values())), rel=1e-12)


def test_infinite_sharpness_is_refused(make_lda):
    """0 times infinity: the weights would be NaN, and two strangers would score 0."""
    pair = make_lda(50, 1), make_lda(60, 2, angle=3.0)
    with pytest.raises(DatakinError, match="sharpness"):
        score(*pair, models=["logistic", "rbf_svm"], sharpness=float("inf"))


def by_definition(scores, view, y, loss, own, names, voting):
    """The losses of one fit, model by model."""
    found, pooled = [], 0.0
    for m, raw in enumerate(scores):
        if raw is None:
            found.append(np.full(len(y), np.nan))
            continue
        p = raw if view.sigmoids[m] is None else apply_sigmoids(raw, view.sigmoids[m])
        best = np.argmax(p / view.shares if loss.balanced else raw, axis=1)
        found.append(of_class(loss, y, best, p, own, names))
        pooled = pooled + view.weights[m] * (np.eye(p.shape[1])[best] if voting == "hard" else p)
    votes = pooled / view.shares if loss.balanced and voting == "soft" else pooled
    best = np.argmax(np.round(votes, 12), axis=1)
    works = view.weights > 0
    average = view.weights[works] @ np.array(found)[works]
    return np.array([*found, of_class(loss, y, best, pooled, own, names), average])


def of_class(loss, y, best, p, own, names):
    if loss.needs == "probability":
        spread = np.zeros((len(p), len(names)))
        spread[:, own] = p
        return loss.rows(y, spread)
    words = np.array(names, dtype=object) if loss.by_name else np.arange(len(names))
    return loss.rows(words[y], words[own[best]])


def far_apart(true, predicted):
    """Depends on all rows of the call, as a user's function may."""
    assert true.shape == predicted.shape == (60,)
    return (true != predicted) * (1.0 + np.mean(true != predicted))


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", ["zero_one", "balanced", "brier", "log", far_apart])
def test_losses_of_several_fits_are_those_of_each(loss, n_classes, voting):
    rng = np.random.default_rng(4)
    n, loss, names = 60, resolve_loss(loss), ["a", "b", "c", "d"]
    own, y = np.array([2, 0, 3])[:n_classes], rng.integers(0, 4, n)
    views, scores = [], []
    for _ in range(3):
        raw = np.round(rng.standard_normal((n, n_classes)), 1)  # ties
        p = rng.dirichlet(np.ones(n_classes), n)
        sigmoids = rng.standard_normal((1 if n_classes == 2 else n_classes, 2))
        weights = np.append(rng.dirichlet(np.ones(2)), 0.0)
        views.append(View([sigmoids, None, None], p.mean(axis=0), weights))
        scores.append([raw, p, None])
    about = {"own": own, "names": names, "voting": voting}
    found = losses_of_fits(scores, views, y, loss, **about)
    for fit, view, each in zip(scores, views, found, strict=True):
        np.testing.assert_array_equal(each, by_definition(fit, view, y, loss, **about))
        np.testing.assert_array_equal(each, losses_of_fits([fit], [view], y, loss, **about)[0])


@pytest.mark.parametrize("loss", ["squared", "absolute", lambda true, predicted: true * predicted])
def test_losses_of_several_regressions_are_those_of_each(loss):
    rng = np.random.default_rng(5)
    loss, y = resolve_loss(loss), rng.standard_normal(40)
    loss = replace(loss, needs="value", by_name=False) if loss.by_name else loss
    views = [View([None] * 2, np.ones(1), weights) for weights in rng.dirichlet(np.ones(2), 3)]
    scores = [[rng.standard_normal((40, 1)) for _ in range(2)] for _ in views]
    about = {"own": np.arange(0), "names": (), "voting": "soft"}
    found = losses_of_fits(scores, views, y, loss, **about)
    for fit, view, each in zip(scores, views, found, strict=True):
        values = [*fit, view.weights[0] * fit[0] + view.weights[1] * fit[1]]
        expected = [loss.rows(y, value[:, 0]) for value in values]
        expected.append(view.weights @ np.array(expected[:2]))
        np.testing.assert_array_equal(each, expected)
