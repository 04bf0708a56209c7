"""The weights of a stack: a small quadratic programme, and honesty."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from datakin.learners.kernel import KernelLearner
from datakin.learners.learner import Rows
from datakin.learners.stack.candidates import Stack
from datakin.learners.stack.passes import cut_of, used_sources
from datakin.learners.stack.weights import Style, mix, on_simplex


def test_weights_minimise_the_penalised_sum() -> None:
    rng = np.random.default_rng(0)
    P, y = rng.uniform(size=(5, 40)), rng.uniform(size=40)
    center = np.array([0.5, 0.5, 0, 0, 0])
    found = on_simplex(P @ P.T, P @ y, 0.7, center)

    def value(a: np.ndarray) -> float:
        return float(np.sum((y - a @ P) ** 2) + 0.7 * np.sum((a - center) ** 2))

    best = minimize(
        value,
        np.full(5, 0.2),
        bounds=[(0, 1)] * 5,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1},
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert found.min() >= 0
    assert_allclose(found.sum(), 1.0)
    assert value(found) <= best.fun + 1e-6


def test_no_row_has_a_part_in_its_own_weights() -> None:
    """Changing the label of a row changes no weight that predicts it."""
    rng = np.random.default_rng(1)
    P, Y = rng.uniform(size=(4, 30, 1)), rng.integers(0, 2, (30, 1)).astype(float)
    folds, own = np.arange(30) % 5, np.array([True, True, False, False])
    before = mix(P, Y, np.ones(30), folds, own)
    Y[7] = 1 - Y[7]
    after = mix(P, Y, np.ones(30), folds, own)
    assert_allclose(before.by_fold[folds[7]], after.by_fold[folds[7]], atol=1e-12)
    assert_allclose(before.predictions[7], after.predictions[7], atol=1e-12)
    assert not np.allclose(before.by_fold, after.by_fold)


def test_some_weight_stays_with_the_target() -> None:
    Y = np.ones((40, 1)) * 0.5
    P = np.stack([np.zeros((40, 1)), Y])  # the source is perfect
    found = mix(P, Y, np.ones(40), np.arange(40) % 4, np.array([True, False]), Style(5.0, 0.15))
    assert_allclose(found.weights.sum(), 1.0)
    assert 0.15 <= found.weights[0] < 0.4


def test_without_sources_all_weight_is_with_the_target() -> None:
    rng = np.random.default_rng(2)
    P, Y = rng.uniform(size=(3, 20, 1)), rng.uniform(size=(20, 1))
    found = mix(P, Y, np.ones(20), np.arange(20) % 4, np.ones(3, dtype=bool))
    assert_allclose(found.weights.sum(), 1.0)


def test_the_cut_lies_in_a_gap() -> None:
    for shares in ([0.4, 0.06, 0.045, 0.01], [0.049, 0.051], [0.9], []):
        cut = cut_of(shares)
        assert 0.03 <= cut <= 0.08
        assert all(abs(share - cut) > 1e-3 for share in shares)
    assert used_sources({"b": 0.3, "a": 0.2, "c": 0.01}) == ("a", "b")


def test_the_rows_that_a_learner_is_cut_to_do_not_depend_on_the_seed() -> None:
    rng = np.random.default_rng(0)

    def rows(n: int) -> Rows:
        return Rows(
            rng.standard_normal((n, 2)), rng.integers(0, 2, (n, 1)) * 1.0, np.ones(n), "binary"
        )

    target, sources = rows(40), {"a": rows(700), "b": rows(300)}
    learner = KernelLearner()
    pools = [Stack(target, sources, [learner], seed=seed).pool(learner)[0] for seed in (0, 1)]
    assert len(pools[0]) == learner.most_rows
    assert np.array_equal(pools[0].X, pools[1].X)
