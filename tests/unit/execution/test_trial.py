"""Pools that are tried: the fits, what they leave out, and what the forecast makes of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from datakin import Zone, as_dataset, forecast_gain, rank, read_table, score
from datakin.execution.trial import try_pool
from datakin.learning.folds import make_plan
from datakin.learning.losses import LOSSES
from datakin.learning.models import Model, choose_models
from datakin.results.forecast import Outlook
from datakin.scoring.forecast import best_weight, learner_of, plain_gain


def draw(n, seed, scale=(1.0, 1.0), is_class=True, rule=(1.0, 1.0)):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2)) * scale
    value = X @ rule + 0.3 * rng.standard_normal(n)
    return X, (value > 0).astype(int) if is_class else value


@pytest.mark.parametrize("name", ["zero_one", "brier", "squared"])
def test_the_losses_are_those_of_scikit_learn_on_the_same_folds(name):
    is_class, loss = name != "squared", LOSSES[name]
    (X, y), (Z, w) = draw(80, 1, is_class=is_class), draw(120, 2, (1.0, 0.2), is_class)
    target, source = as_dataset(X, y, name="t"), as_dataset(Z, w, name="s")
    plan = make_plan(target, 5, "none", 0)
    model = choose_models(None, is_class)[0]
    names, classes = target.features.names, target.classes
    found = try_pool(source, target, names, classes, model, plan, loss, 0)
    learner = LinearRegression()
    if is_class:
        learner = LogisticRegression(C=model.estimator.C, tol=1e-10, max_iter=10_000)
    expected = np.empty(80)
    for k, fold in enumerate(plan.folds):
        train = plan.trains[1 + k]
        fit = make_pipeline(StandardScaler(), learner)
        fit.fit(np.vstack([X[train], Z]), np.append(y[train], w))
        predict = fit.predict_proba if name == "brier" else fit.predict
        expected[fold] = loss.rows(y[fold], predict(X[fold]))
    np.testing.assert_allclose(found, expected, atol=1e-5 if name == "brier" else 1e-10)


def test_a_comparison_carries_the_gain_of_the_pool_that_was_tried():
    target, source = as_dataset(*draw(80, 1), name="t"), as_dataset(*draw(120, 2), name="s")
    c = score(target, source)
    plan, model = make_plan(target, 5, "none", 0), choose_models(None, True)[0]
    args = target.features.names, target.classes, model, plan, LOSSES["zero_one"], 0
    pooled = try_pool(source, target, *args)
    alone = c.errors.frame.query(
        "trained_on == 't' and tested_on == 't' and model == 'logistic' and held_out == 'k'"
    )
    value, error = c.outlook.trial
    assert value == pytest.approx(float(alone.error.iloc[0]) - pooled.mean())
    assert 0 < error < 0.05
    assert c.outlook.learner == "logistic"
    assert c.gain == forecast_gain(c).pooled
    assert rank(target, [source]).comparisons[0].outlook == c.outlook
    assert rank(target, [source], n_jobs=2).comparisons[0].outlook == c.outlook


def test_gain_by_hand():
    # p = 1/2: the formula gives 2 p (1 - p) .04 - p^2 .04 = .01, its variance is p^4 4e-4.
    seen = Outlook(0.2, 0.04, 0.04, (0.0, 4e-4, 0.0), 100, 100, 8, "logistic")
    by_formula = plain_gain(seen)
    assert (by_formula.value, by_formula.standard_error) == pytest.approx((0.01, 0.005))
    tried = plain_gain(replace(seen, trial=(0.11, 0.02)))
    assert (tried.value, tried.standard_error) == (0.11, 0.02)
    assert (tried.low90, tried.high90) == pytest.approx(0.11 + stats.t.ppf([0.05, 0.95], 8) * 0.02)
    assert tried.probability == pytest.approx(stats.t.cdf(5.5, 8))
    # Weights are the formula's.
    assert best_weight(seen) == best_weight(replace(seen, trial=(0.11, 0.02)))


def test_a_pool_may_learn_what_neither_predictor_knows_alone():
    """Each dataset shows one column only; the formula sees two predictors that fail each other."""
    target = as_dataset(*draw(150, 1, (1.0, 0.1), rule=(1.0, 0.0)), name="t")
    source = as_dataset(*draw(400, 2, (0.1, 1.0), rule=(-2.0, 1.0)), name="s")
    found = score(target, source)
    blind = plain_gain(replace(found.outlook, trial=None))
    assert found.cross_errors["s"] > found.own_errors["t"] + 0.15
    assert blind.high90 < 0
    assert found.outlook.trial[0] > -0.02
    assert found.zone is not Zone.NEGATIVE


def test_levels_and_classes_of_both_are_pooled():
    x = np.random.default_rng(0).integers(9, size=60) / 4
    one = pd.DataFrame({"a": ["u", "u", "v"] * 20, "x": x, "y": ["no", "yes"] * 30})
    two = one.assign(a=["v", "v", "w"] * 20, y=["yes", "maybe"] * 30, x=one["x"] + 0.5)
    target, source = (read_table(t, label="y", name=n) for t, n in ((one, "t"), (two, "s")))
    both = target.features.stacked(source.features)
    assert both.levels == (("u", "v", "w"),)
    assert both.codes[:, 0].tolist() == [0, 0, 1] * 20 + [1, 1, 2] * 20
    np.testing.assert_array_equal(both.numeric[:, 0], np.append(one["x"], two["x"]))
    with pytest.warns(match="class missing from the source"):
        found = score(target, source, cv=3, models=["logistic"])
    assert found.outlook.trial is not None


def test_sparse_rows_are_stacked():
    X, y = draw(40, 1)
    thin = as_dataset(sparse.csr_array(X * (X > 0)), y)
    both = thin.features.stacked(thin.features)
    assert both.is_sparse
    assert both.numeric.shape == (80, 2)


def test_rows_in_common_do_not_count():
    """A hundred columns and labels by chance: a fit knows the rows by heart that stand in both."""
    rng = np.random.default_rng(0)
    X, Z = rng.standard_normal((120, 100)), rng.standard_normal((60, 100))
    y, w = rng.integers(2, size=120), rng.integers(2, size=60)
    own = as_dataset(X, y, name="t")
    copies = as_dataset(np.vstack([X[:60], Z]), np.append(y[:60], w), name="s")
    with pytest.warns(match="60 row"):
        value, _ = score(own, copies, models=["logistic"]).outlook.trial
    plan, model = make_plan(own, 5, "none", 0), choose_models(["logistic"], True)[0]
    args = own.features.names, own.classes, model, plan, LOSSES["zero_one"], 0
    pooled = try_pool(copies, own, *args)
    apart = try_pool(as_dataset(Z, w, name="s"), own, *args)
    assert pooled[:60].mean() < apart[:60].mean() - 0.2  # known by heart
    assert value < 0.2  # they would bring a gain of some .25 in the mean


class Fails(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("no")


def test_no_trial():
    target, source = as_dataset(*draw(60, 1), name="t"), as_dataset(*draw(60, 2), name="s")
    plan = make_plan(target, 3, "none", 0)
    args = target.features.names, target.classes, Model("bad", Fails()), plan
    assert try_pool(source, target, *args, LOSSES["zero_one"], 0) is None
    for models in (["rbf_svm"], {"own": LogisticRegression()}, ["linear_svm", "rbf_svm"]):
        assert score(target, source, models=models, cv=3).outlook.trial is None


def test_which_learner_forecasts_are_about():
    assert learner_of(("logistic", "xgboost"), "ensemble") == "logistic"
    assert learner_of(("logistic", "xgboost"), "xgboost") == "xgboost"
    assert learner_of(("rbf_svm",), "ensemble") == "rbf_svm"
    assert learner_of(("rbf_svm", "xgboost"), "weighted") == "weighted"
    assert learner_of(("linear", "xgboost"), "unweighted") == "linear"
