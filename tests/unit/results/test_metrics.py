"""Metrics in results: they say what the errors say, in JSON and back, for every kind of label and loss."""

import json
import warnings
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import balanced_accuracy_score, r2_score, roc_auc_score

import datakin
from datakin import CrossErrors, DatakinWarning, as_dataset, from_json
from datakin.choosing.predictions import predict_table

QUICK = {"repeats": 2, "learners": ["linear", "trees"]}
FAST = {"models": ["logistic", "rbf_svm"], "cv": 3}
CLASSES = {"accuracy", "balanced_accuracy", "brier", "auc"}
TWO = {*CLASSES, "calibration_intercept", "calibration_slope"}
NUMBERS = {"rmse", "r2", "mae"}
WAYS = ("source_to_target", "target_to_source", "target", "source")


def draw(kind, n, seed, turn=0.0, name="", **more):
    """Return a dataset: two classes, a rare one, three, or numbers."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    z = X[:, 0] + turn * X[:, 1] + 0.7 * rng.standard_normal(n)
    y = {
        "binary": np.where(z > 0, "yes", "no"),
        "rare": np.where(z > 1.6, "yes", "no"),
        "multiclass": np.array(["low", "mid", "top"])[np.digitize(z, [-0.6, 0.6])],
        "numbers": 30 + 5 * z,
    }[kind]
    frame = pd.DataFrame(X, columns=list("abc"))
    return as_dataset(frame, y, name=name or f"d{seed}", **more)


def task(kind, n=70, **more):
    return draw(kind, n, 1, name="mine", **more), [
        draw(kind, 120, 2, 0.1, "near"),
        draw(kind, 120, 3, 3.0, "far"),
    ]


def quietly(call, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        return call(*data, **options)


@pytest.fixture(scope="module")
def choices():
    made = {
        kind: quietly(datakin.choose, *task(kind, 150), **QUICK) for kind in ("rare", "numbers")
    }
    for kind in ("binary", "multiclass"):
        made[kind] = quietly(datakin.choose, *task(kind), **QUICK)
    return made


def implied(metrics, loss):
    """The error that metrics imply."""
    return {
        "zero_one": lambda v: 1 - v["accuracy"],
        "balanced": lambda v: 1 - v["balanced_accuracy"],
        "squared": lambda v: v["rmse"] ** 2,
    }[loss](metrics.values)


@pytest.mark.parametrize("kind", ["binary", "rare", "multiclass", "numbers"])
def test_a_choice_says_one_thing(choices, kind):
    choice = choices[kind]
    loss = {"rare": "balanced", "numbers": "squared"}.get(kind, "zero_one")
    assert choice.loss == loss
    assert list(choice.metrics) == ["alone", "best_single", "all", "choice"]
    errors = (choice.error_alone, choice.error_best, choice.error_all, choice.error)
    for metrics, error in zip(choice.metrics.values(), errors, strict=True):
        exact = {
            "zero_one": ("accuracy", 1 - error),
            "balanced": ("balanced_accuracy", 1 - error),
            "squared": ("rmse", sqrt(error)),
        }[loss]
        assert metrics.values[exact[0]] == exact[1]
        names = {"multiclass": CLASSES, "numbers": NUMBERS}.get(kind, TWO)
        assert set(metrics.values) == set(metrics.intervals) == names
        assert metrics.rows == choice.n_rows
        assert np.isfinite([*metrics.values.values()]).all()
        for name, (low, high) in metrics.intervals.items():
            assert low <= metrics.values[name] <= high
        assert metrics.positive == ("yes" if kind in ("binary", "rare") else "")
    low, high = choice.interval
    found = choice.metrics["choice"].intervals
    if loss == "squared":
        assert found["rmse"] == (sqrt(low), sqrt(high))
    else:
        assert found["accuracy" if loss == "zero_one" else "balanced_accuracy"] == (
            1 - high,
            1 - low,
        )
    assert choice.best_source == ("far" if kind == "rare" else "near")


def test_what_is_exact_is_also_what_the_predictions_say(choices, monkeypatch):
    """Metrics from predictions alone agree with those that follow from errors."""
    monkeypatch.setattr("datakin.scoring.stated.agreeing", lambda found, *_: found)
    for kind, before in choices.items():
        n = 150 if kind in ("rare", "numbers") else 70
        after = quietly(datakin.choose, *task(kind, n), **QUICK)
        for name, metrics in after.metrics.items():
            assert metrics.values == pytest.approx(before.metrics[name].values, rel=1e-12)
            assert implied(metrics, before.loss) == pytest.approx(
                implied(before.metrics[name], before.loss), rel=1e-12
            )


def test_without_sources_or_pools(choices):
    target, sources = task("binary")
    bare = quietly(datakin.choose, target, **QUICK)
    assert list(bare.metrics) == ["alone", "choice"]
    assert bare.metrics["alone"].values == bare.metrics["choice"].values
    assert bare.error_best is None
    assert bare.best_source == ""
    apart = quietly(datakin.choose, target, sources, pools=False, **QUICK)
    assert list(apart.metrics) == ["alone", "best_single", "choice"]
    assert apart.error_best == choices["binary"].error_best  # pools take no part in it


def test_one_source_is_the_best_one():
    target, sources = task("binary")
    one = quietly(datakin.choose, target, sources[:1], **QUICK)
    assert one.best_source == "near"
    assert one.metrics["best_single"].values["accuracy"] == 1 - one.error_best


def test_weights_of_rows_count():
    target, sources = task("binary")
    w = np.linspace(0.2, 2, target.n_rows)
    heavy = quietly(datakin.choose, target, sources, weights={"mine": w}, **QUICK)
    assert heavy.metrics["choice"].values["accuracy"] == 1 - heavy.error
    plain = quietly(datakin.choose, target, sources, **QUICK)
    assert heavy.metrics["alone"].values["auc"] != plain.metrics["alone"].values["auc"]


def test_a_loss_of_one_s_own_changes_no_metric():
    def zero_one(true, predicted):  # named like another one
        return 0.5 * (np.asarray(true) != np.asarray(predicted))

    found = quietly(datakin.choose, *task("binary"), loss=zero_one, **QUICK)
    assert found.metrics["choice"].values["accuracy"] == pytest.approx(1 - 2 * found.error)


def test_json_of_now_and_of_earlier_versions(choices):
    for choice in choices.values():
        again = from_json(choice.to_json())
        assert again == choice
        assert again.metrics == choice.metrics
        old = json.loads(choice.to_json())
        for name in ("metrics", "error_best", "best_source"):
            del old[name]
        earlier = from_json(json.dumps(old))
        assert earlier.metrics == {}
        assert earlier.error_best is None


@pytest.mark.parametrize("kind", ["binary", "rare", "multiclass", "numbers"])
def test_fresh_rows(choices, kind):
    choice = choices[kind]
    fresh = draw(kind, 300, 7)
    found = choice.metrics_on(fresh)
    assert found == choice.model.metrics_on(fresh)
    assert implied(found, choice.loss) == pytest.approx(choice.error_on(fresh), rel=1e-12)
    rng = np.random.default_rng(7)
    X = pd.DataFrame(rng.standard_normal((300, 3)), columns=list("abc"))
    y = np.array(fresh.classes)[fresh.y] if fresh.classes else fresh.y
    if kind == "numbers":
        assert found.values["r2"] == pytest.approx(r2_score(y, choice.model.predict(X)))
        assert found.values["rmse"] == sqrt(choice.error_on(fresh))
        return
    predicted = choice.model.predict(X)
    assert found.values["accuracy"] == pytest.approx(np.mean(predicted == y))
    assert found.values["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
    p = choice.model.predict_proba(X)
    if kind != "multiclass":
        assert found.values["auc"] == pytest.approx(roc_auc_score(y == "yes", p[:, 1]))
    assert (choice.model.metrics_on((X, y)).values) == found.values


def test_rows_of_unknown_classes_and_without_labels(choices):
    model = choices["binary"].model
    fresh = draw("binary", 60, 8)
    rng = np.random.default_rng(8)
    X = pd.DataFrame(rng.standard_normal((60, 3)), columns=list("abc"))
    y = np.array(fresh.classes, dtype=object)[fresh.y]
    y[:6] = "perhaps"
    found = model.metrics_on((X, y))
    assert set(found.values) == {"accuracy", "balanced_accuracy", "brier"}
    assert found.values["accuracy"] == 1 - model.error_on((X, y))
    table = quietly(predict_table, model, X.assign(y=y))
    assert table.metrics == found
    assert from_json(table.to_json()) == table
    assert quietly(predict_table, model, X).metrics is None


# Pairs.


@pytest.mark.parametrize("kind", ["binary", "rare", "multiclass", "numbers"])
@pytest.mark.parametrize("size", ["matched", "paper"])
def test_a_comparison_says_one_thing(kind, size):
    models = ["linear", "rbf_svm"] if kind == "numbers" else FAST["models"]
    target, (source, _) = task(kind, 150)
    found = quietly(datakin.score, target, source, models=models, cv=3, size=size)
    assert list(found.metrics) == [*WAYS, "alone", "with_source"]
    errors = {
        "source_to_target": (found.cross_errors["near"], "mine"),
        "target_to_source": (found.cross_errors["mine"], "near"),
        "target": (found.own_errors["mine"], "mine"),
        "source": (found.own_errors["near"], "near"),
    }
    for name, (error, tested) in errors.items():
        metrics, loss = found.metrics[name], found.losses[tested]
        exact = {
            "zero_one": ("accuracy", 1 - error),
            "balanced": ("balanced_accuracy", 1 - error),
            "squared": ("rmse", sqrt(error)),
        }[loss]
        assert metrics.values[exact[0]] == exact[1]
        assert set(metrics.values) == {"multiclass": CLASSES, "numbers": NUMBERS}.get(kind, TWO)
        assert metrics.rows == found.n_rows[tested]
    brier = "rmse" if kind == "numbers" else "brier"
    alone = found.metrics["alone"].values[brier]
    loss_alone = alone**2 if kind == "numbers" else alone
    assert loss_alone == pytest.approx(found.loss_alone, rel=1e-12)
    again = from_json(found.to_json())
    assert again == found
    old = json.loads(found.to_json())
    del old["metrics"], old["trial"]["metrics"]
    assert from_json(json.dumps(old)).metrics == {}


@pytest.mark.parametrize("estimate", ["ensemble", "logistic", "rbf_svm"])
@pytest.mark.parametrize("kind", ["binary", "rare", "multiclass"])
def test_predictions_say_what_the_errors_say(monkeypatch, estimate, kind):
    """The predictions that metrics are made of are those that errors were made of."""
    target, (source, _) = task(kind, 150)
    options = {"cv": 3, "models": FAST["models"], "estimate": estimate, "repeats": 2}
    right = quietly(datakin.score, target, source, **options)
    monkeypatch.setattr("datakin.scoring.metrics.agreeing", lambda found, *_: found)
    found = quietly(datakin.score, target, source, **options)
    for name in WAYS:
        assert found.metrics[name].values == pytest.approx(right.metrics[name].values, rel=1e-12)


def test_brier_and_absolute_errors_are_metrics_too():
    target, (source, _) = task("binary")
    found = quietly(datakin.score, target, source, loss="brier", **FAST)
    assert found.metrics["source_to_target"].values["brier"] == found.cross_errors["near"]
    target, (source, _) = task("numbers")
    found = quietly(datakin.score, target, source, loss="absolute", models=["linear"], cv=3)
    assert found.metrics["target"].values["mae"] == found.own_errors["mine"]


def test_where_there_are_no_probabilities():
    target, (source, _) = task("binary")
    hard = quietly(datakin.score, target, source, voting="hard", zones="paper", **FAST)
    assert list(hard.metrics) == list(WAYS)
    assert set(hard.metrics["target"].values) == {"accuracy", "balanced_accuracy"}
    mean = quietly(datakin.score, target, source, estimate="weighted", zones="paper", **FAST)
    assert mean.metrics["target"].values == {"accuracy": 1 - mean.own_errors["mine"]}
    limit = quietly(datakin.score, target, source, size="limit", zones="paper", **FAST)
    assert limit.metrics == {}


def test_what_is_kept_decides_what_can_be_said(tmp_path):
    data = [draw("binary", 60, seed, 0.1 * seed, f"d{seed}") for seed in (1, 2)]
    kept = {
        keep: quietly(CrossErrors.measure, data, keep=keep, **FAST)
        for keep in ("predictions", "losses", "sums")
    }
    whole, part, none = (table.score("d1", "d2").metrics for table in kept.values())
    assert set(whole["target"].values) == TWO
    assert part["target"].values == {"accuracy": whole["target"].values["accuracy"]}
    assert none == {}
    kept["predictions"].save(tmp_path / "saved")
    assert CrossErrors.load(tmp_path / "saved").score("d1", "d2").metrics == whole
    turned = kept["predictions"].score("d2", "d1").metrics
    assert turned["source_to_target"] == whole["target_to_source"]
    assert turned["target"] == whole["source"]


def test_rows_in_both_are_left_out_of_both():
    target = draw("binary", 80, 1, name="mine")
    other = draw("binary", 80, 2, 0.2)
    X = np.vstack([other.features.numeric, target.features.numeric[:20]])
    y = np.array(target.classes)[np.append(other.y, target.y[:20])]
    source = as_dataset(pd.DataFrame(X, columns=list("abc")), y, name="near")
    found = quietly(datakin.score, target, source, **FAST)
    assert found.n_shared_rows == 20
    assert found.metrics["source_to_target"].rows == found.metrics["target"].rows == 60
    assert found.metrics["target"].values["accuracy"] == 1 - found.own_errors["mine"]


def test_a_ranking_has_them_for_every_source():
    target, sources = task("binary")
    ranking = quietly(datakin.rank, target, sources, **FAST)
    for found in ranking.comparisons:
        assert found.metrics["alone"] == ranking.comparisons[0].metrics["alone"]
        assert found.metrics["target"] == ranking.comparisons[0].metrics["target"]
        assert set(found.metrics["with_source"].values) == TWO
    auc = {c.source: c.metrics["source_to_target"].values["auc"] for c in ranking.comparisons}
    assert auc["near"] > auc["far"]


def test_another_class_in_one_dataset():
    target = draw("multiclass", 90, 1, name="mine")
    two = draw("binary", 90, 2)
    y = np.where(two.y == 1, "top", "low")
    source = as_dataset(pd.DataFrame(two.features.numeric, columns=list("abc")), y, name="near")
    found = quietly(datakin.score, target, source, **FAST)
    assert set(found.metrics["source_to_target"].values) == CLASSES
    right = 1 - found.cross_errors["near"]
    assert_allclose(found.metrics["source_to_target"].values["accuracy"], right, rtol=0)
