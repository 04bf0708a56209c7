"""Boosting from another predictor, and which learner explains."""

import numpy as np
import pytest

from datakin import explain
from datakin.explaining.world import ENOUGH, pick_learner
from datakin.learners.trees import boosted
from tests.unit.explain.planted import planted
from tests.unit.explain.spoiled import sets


@pytest.mark.parametrize("kind", ["binary", "regression"])
def test_boosting_stays_where_there_is_nothing_to_learn(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    start = 3 * X[:, 0]
    # Labels that are what is predicted: no gradient is left.
    y = start if kind == "regression" else 1 / (1 + np.exp(-start))
    outside = np.arange(200) % 5 > 0
    found = boosted(X, start, y, start, np.ones(200), outside, kind)
    np.testing.assert_allclose(found, start, atol=1e-4)


@pytest.mark.parametrize("kind", ["binary", "regression"])
def test_boosting_learns_a_difference(kind):
    """What differs where one column is high is learned on some rows and found on the others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    start = X[:, 0]
    truth = start + np.where(X[:, 1] > 0.5, 2.0, 0.0)
    if kind == "regression":
        y = truth + 0.5 * rng.normal(size=1500)
    else:
        y = (rng.random(1500) < 1 / (1 + np.exp(-truth))).astype(float)
    outside = np.arange(1500) % 5 > 0
    found = boosted(X, start, y, start, np.ones(1500), outside, kind)[~outside]
    before, after = (np.mean((each - truth[~outside]) ** 2) for each in (start[~outside], found))
    assert after < 0.25 * before


def test_weights_count_in_boosting():
    X = np.tile([[0.0], [1.0]], (100, 1))
    y = np.repeat([0.0, 1.0], 100)
    weights = np.repeat([1.0, 9.0], 100)
    every = np.ones(200, dtype=bool)
    found = boosted(X, np.zeros(200), y, np.zeros(200), weights, every, "regression")
    assert found == pytest.approx(np.full(200, 0.9), abs=0.06)  # 0.1 ** 30 rounds, and the penalty


def bent(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, 3 * np.abs(X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n)


@pytest.mark.parametrize("numbers", [False, True])
def test_trees_that_learn_nothing_expect_the_mean(numbers):
    """Where held-out rows ask for no slope, the level must fit the slope that is used."""
    rng, made = np.random.default_rng(0), []
    for n, mean in ((300, 12.0), (200, 10.0)):
        x = rng.poisson(3, size=(n, 1)).astype(float)
        y = mean + 2 * rng.normal(size=n)
        made.append((x, y if numbers else (y > 11.5).astype(int)))
    found = explain(*made, learner="trees")
    assert found.expected == pytest.approx(found.in_source, abs=0.3 if numbers else 0.03)
    assert found.causes == (("level",) if numbers else ("base rate",))


def test_trees_are_picked_for_a_rule_that_bends():
    found = explain(bent(150, 0), bent(400, 1))
    assert found.learner == "trees"
    assert found.provenance.options["learner"] == "auto"
    assert found.causes == ()
    assert explain(*planted("nothing", 0, 150, 300)).learner == "linear"


def test_lines_are_picked_for_few_rows():
    import datakin

    target, source = (datakin.as_dataset(*bent(n, n), name=f"set of {n}") for n in (60, ENOUGH - 1))
    assert pick_learner(target, source, "squared").name == "linear"
    assert (
        pick_learner(target, datakin.as_dataset(*bent(400, 2), name="s"), "squared").name == "trees"
    )


def test_the_learner_is_picked_on_the_source_and_repeats():
    tables = sets("effect")
    assert {pick_learner(*tables, "log").name for _ in range(2)} == {"linear"}


def test_trees_climb_by_boosting():
    (X, y), (other, z) = bent(200, 0), bent(400, 1)
    found = explain((X, y + 2 * (X[:, 2] > 0)), (other, z), learner="trees")
    assert found.causes[0] in ("rule", "level")
    assert "rule" in found.causes
    assert found.columns[0].column == "x2"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_shares_of_few_neighbours_do_not_look_too_extreme(seed):
    """They are 0 or 1 for many rows, in any table: no difference between the two."""
    from sklearn.neighbors import KNeighborsClassifier

    found = explain(*planted("nothing", seed, 300, 600), learner=KNeighborsClassifier(5))
    assert found.causes == ()
