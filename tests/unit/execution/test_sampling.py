"""Large datasets: scores from samples."""

import warnings

import numpy as np
import pytest

import datakin
from datakin import DatakinError, DatakinWarning
from datakin.cross_errors.options import Options
from datakin.data import as_dataset
from datakin.execution.sampling import LargeSample

LINEAR = {"models": ["logistic"]}


def draw(n, seed, angle=0.0, rare=None, task="class"):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    value = np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] + 0.5 * rng.standard_normal(n)
    if task == "regression":
        return X, value
    return X, (value > (0.0 if rare is None else np.quantile(value, 1 - rare))).astype(int)


def quietly(call, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        return call(*arguments, **options)


def test_samples_are_nested_stratified_and_apart_from_the_tested_rows():
    X, y = draw(30_000, 0, rare=0.2)
    order = np.argsort(y, kind="stable")  # a file sorted by its label
    sample = LargeSample(as_dataset(X[order], y[order]), Options())
    assert len(sample.tested) == 10_000
    assert sample.sizes == (2500, 5000, 10_000)
    stages = [set(sample.pool[:m]) for m in sample.sizes]
    assert stages[0] < stages[1] < stages[2]
    assert not stages[2] & set(sample.tested)
    for rows in (sample.tested, *(sample.pool[:m] for m in sample.sizes)):
        share = y[order][rows].mean()
        assert share == pytest.approx(0.2, abs=2 / len(rows))


def test_a_rare_class_has_rows_in_the_first_sample():
    X, y = draw(40_000, 0, rare=0.004)
    sample = LargeSample(as_dataset(X, y), Options())
    assert y[sample.pool[: sample.sizes[0]]].sum() >= 12


def test_groups_are_not_torn():
    X, y = draw(24_000, 1)
    groups = np.repeat(np.arange(800), 30)
    sample = LargeSample(as_dataset(X, y, group=groups), Options())
    tested, trained = groups[sample.tested], groups[sample.pool]
    assert not set(tested) & set(trained)
    assert len(tested) == pytest.approx(10_000, abs=30)


def test_two_large_samples_of_one_distribution_score_0():
    result = quietly(datakin.score, draw(30_000, 0), draw(30_000, 1), **LINEAR)
    assert abs(result.score) < 2 * result.standard_error
    assert result.standard_error < 0.005


def test_it_agrees_with_the_score_of_all_rows():
    target, source = draw(12_000, 0), draw(12_000, 1, angle=0.6)
    sampled = quietly(datakin.score, target, source, **LINEAR)
    whole = datakin.score(target, source, max_rows=None, **LINEAR)
    error = np.hypot(sampled.standard_error, whole.standard_error)
    assert sampled.score > 0.05
    assert abs(sampled.score - whole.score) < 2 * error


def test_it_agrees_with_the_score_of_all_rows_for_regression():
    target, source = draw(12_000, 0, task="regression"), draw(12_000, 1, 0.6, task="regression")
    sampled = quietly(datakin.score, target, source, models=["linear"])
    whole = datakin.score(target, source, max_rows=None, models=["linear"])
    error = np.hypot(sampled.standard_error, whole.standard_error)
    assert sampled.score > 0.2
    assert abs(sampled.score - whole.score) < 2 * error


def test_it_says_that_it_sampled_and_how():
    with pytest.warns(DatakinWarning, match=r"has 15,000 rows, more than max_rows.*on 3,750"):
        result = datakin.score(draw(15_000, 0), draw(300, 1), **LINEAR)
    assert result.n_rows == {"target": 15_000, "source": 300}
    table = result.errors.frame.query("trained_on == 'target' and model == 'ensemble'")
    assert set(table["n_train"].round()) == {3750.0, 2500.0}
    assert "tested on 7,500" in result.notes[0]


def test_a_small_target_against_a_large_source_keeps_its_own_error():
    small, large = draw(300, 0), draw(15_000, 1)
    mixed = quietly(datakin.score, small, large, **LINEAR)
    alone = datakin.score(small, draw(300, 2), **LINEAR)
    assert mixed.own_errors["target"] == alone.own_errors["target"]
    assert mixed.sizes["limit"].value == pytest.approx(mixed.score, abs=0.05)


def test_swapping_a_large_pair_changes_nothing():
    one, two = as_dataset(*draw(12_000, 0), name="one"), as_dataset(*draw(500, 1, 1.0), name="two")
    forth, back = (quietly(datakin.score, a, b, **LINEAR) for a, b in ((one, two), (two, one)))
    assert forth.score == back.score
    assert forth.standard_error == pytest.approx(back.standard_error, rel=1e-12)


def test_other_sources_do_not_change_a_sampled_number():
    target, sources = draw(400, 0), {"large": draw(12_000, 1), "small": draw(300, 2, 1.0)}
    ranking = quietly(datakin.rank, target, sources, **LINEAR)
    alone = quietly(datakin.rank, target, {"large": sources["large"]}, **LINEAR)
    assert ranking["large"].score == alone["large"].score
    matrix = quietly(datakin.matrix, {"t": target, **sources}, **LINEAR)
    assert matrix.scores[0, 1] == ranking["large"].score


def test_samples_grow_until_precise():
    target, source = draw(60_000, 0), draw(60_000, 1, 0.6)
    rough = quietly(datakin.score, target, source, precision=0.02, **LINEAR)
    fine = quietly(datakin.score, target, source, precision=0.0025, **LINEAR)
    n_train = [c.errors.frame["n_train"].max() for c in (rough, fine)]
    assert n_train[0] == 2500
    assert n_train[1] > 2500


def test_a_precision_out_of_reach_is_said():
    with pytest.warns(
        DatakinWarning,
        match=r"standard error is 0\.00\d\d, above the precision asked for \(1e-06\)",
    ):
        datakin.score(draw(11_000, 0), draw(11_000, 1, 0.6), precision=1e-6, **LINEAR)


def test_rows_in_common_are_left_out_of_samples_too():
    X, y = draw(24_000, 0)
    other = draw(12_000, 1)
    both = np.vstack([X[:6000], other[0]]), np.concatenate([y[:6000], other[1]])
    with pytest.warns(DatakinWarning, match="6000 rows of the target also stand in the source"):
        result = datakin.score((X, y), both, **LINEAR)
    rows = result.errors.frame.query("trained_on == 'target' and tested_on == 'source'")["rows"]
    assert rows.max() < 7500  # of 9000 tested, a third stands in the target
    assert abs(result.score) < 2 * result.standard_error


@pytest.mark.parametrize("value", [0, 10, 2.5, "many", True])
def test_max_rows_must_mean_something(value):
    with pytest.raises(DatakinError, match="The 'max_rows' parameter must be a whole number of at"):
        datakin.CrossLearningScore(max_rows=value)


@pytest.mark.parametrize("value", [0, -1, "fine", float("nan"), None])
def test_precision_must_mean_something(value):
    with pytest.raises(DatakinError, match="The 'precision' parameter must be a number above 0"):
        datakin.CrossLearningScore(precision=value)
