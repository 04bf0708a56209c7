"""The formula of the forecast against least squares, where it is exact; the forecast against truth."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import datakin
from datakin.scoring.shares import best_shares, pooled_gain

SIGMA = 0.7
P = 3
ROWS = (24, 40, 12)
TRUE = np.array([1.0, -2.0, 0.5])
ONE = np.ones((1, 1))


def design(n, seed):
    """A design with X'X = n I, so that all have the same covariance."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, P)))
    return np.sqrt(n) * q


def expected_error(designs, betas, weights):
    """E |b - b_t|^2 of weighted least squares over all rows: bias and variance from the hat matrix."""
    X = np.vstack(designs)
    w = np.repeat(weights, [len(part) for part in designs])
    hat = np.linalg.solve(X.T @ (w[:, None] * X), X.T * w)
    mean = hat @ np.concatenate([part @ b for part, b in zip(designs, betas, strict=True)])
    return float(np.sum((mean - betas[0]) ** 2) + SIGMA**2 * np.sum(hat**2))


def behind(n_target, n_source, bias):
    """D: excess error of the source's fit minus that of the target's own."""
    return SIGMA**2 * P / n_source + bias @ bias - SIGMA**2 * P / n_target


@pytest.mark.parametrize("weight", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("bias", [np.zeros(3), np.array([0.1, 0.0, 0.0]), np.array([1.0, 2.0, -1])])
def test_one_source_is_exact_for_least_squares(weight, bias):
    n_t, n_s = ROWS[:2]
    designs, betas = [design(n_t, 1), design(n_s, 2)], [TRUE, TRUE + bias]
    alone = expected_error(designs[:1], betas[:1], [1.0])
    lack = SIGMA**2 * P / n_t
    assert alone == pytest.approx(lack, rel=1e-12)
    theta = np.array([lack, behind(n_t, n_s, bias)])
    share = weight * n_s / (n_t + weight * n_s)
    gain = alone - expected_error(designs, betas, [1.0, weight])
    assert pooled_gain(theta, np.array([share]), ONE) == pytest.approx(gain, rel=1e-10)
    by_hand = 2 * share * (1 - share) * theta[0] - share**2 * theta[1]
    assert pooled_gain(theta, np.array([share]), ONE) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("weight", [0.2, 1.0])
def test_pooled_least_squares_is_the_mixture_of_both(weight):
    """What makes the formula exact: the pooled fit is (1 - p) times the target's plus p the source's."""
    rng = np.random.default_rng(5)
    designs = [design(n, seed) for seed, n in enumerate(ROWS[:2])]
    answers = [X @ TRUE + rng.standard_normal(len(X)) for X in designs]
    own = [
        LinearRegression(fit_intercept=False).fit(X, y).coef_
        for X, y in zip(designs, answers, strict=True)
    ]
    weights = np.repeat([1.0, weight], ROWS[:2])
    pooled = LinearRegression(fit_intercept=False)
    pooled.fit(np.vstack(designs), np.concatenate(answers), sample_weight=weights)
    share = weight * ROWS[1] / (ROWS[0] + weight * ROWS[1])
    np.testing.assert_allclose(pooled.coef_, (1 - share) * own[0] + share * own[1], rtol=1e-10)


# Two sources: the same fault, faults at a right angle, and one in between.
FAULTS = {
    "the same": (np.array([0.6, 0.0, 0.0]), np.array([0.6, 0.0, 0.0])),
    "independent": (np.array([0.6, 0.0, 0.0]), np.array([0.0, 0.4, 0.0])),
    "alike": (np.array([0.6, 0.2, 0.0]), np.array([0.4, 0.4, 0.0])),
}


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_two_sources_are_exact_for_least_squares(faults):
    designs = [design(n, seed) for seed, n in enumerate(ROWS)]
    betas = [TRUE, TRUE + faults[0], TRUE + faults[1]]
    lack = SIGMA**2 * P / ROWS[0]
    theta = np.array(
        [lack, *(behind(ROWS[0], n, b) for n, b in zip(ROWS[1:], faults, strict=True))]
    )
    own = lack + theta[1:]
    between = faults[0] @ faults[1] / np.sqrt(own.prod())
    correlation = np.array([[1.0, between], [between, 1.0]])
    weights = np.array([1.0, 0.5, 0.8])
    counts = weights * ROWS
    gain = lack - expected_error(designs, betas, weights)
    found = pooled_gain(theta, counts[1:] / counts.sum(), correlation)
    assert found == pytest.approx(gain, rel=1e-10)
    if faults[0] @ faults[1] == 0:
        apart = 1 - counts[1:].sum() / counts.sum()
        shares = counts[1:] / counts.sum()
        assert gain == pytest.approx(lack - apart**2 * lack - shares**2 @ own, rel=1e-10)


def test_the_best_shares_leave_the_least_expected_error():
    """No other pair of row weights on a fine grid does better than what the shares say."""
    faults = FAULTS["alike"]
    designs = [design(n, seed) for seed, n in enumerate(ROWS)]
    betas = [TRUE, TRUE + faults[0], TRUE + faults[1]]
    lack = SIGMA**2 * P / ROWS[0]
    theta = np.array(
        [lack, *(behind(ROWS[0], n, b) for n, b in zip(ROWS[1:], faults, strict=True))]
    )
    own = lack + theta[1:]
    between = faults[0] @ faults[1] / np.sqrt(own.prod())
    correlation = np.array([[1.0, between], [between, 1.0]])
    ratio = ROWS[0] / np.array(ROWS[1:])
    shares = best_shares(theta, ratio, correlation)
    best = shares / (1 - shares.sum()) * ratio
    found = expected_error(designs, betas, [1.0, *best])
    grid = np.linspace(0.0, 1.0, 41)
    tried = [expected_error(designs, betas, [1.0, a, b]) for a in grid for b in grid]
    assert found <= min(tried) + 1e-9
    assert found == pytest.approx(min(tried), rel=1e-2)
    assert best.max() <= 1


def least_squares(X, y):
    return np.linalg.lstsq(np.c_[np.ones(len(X)), X], y, rcond=None)[0]


@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_the_forecast_means_what_pooling_brings(turn):
    """Mean forecast within three standard errors of the mean gain; intervals hold the expected gain."""
    n, replicates = 100, 30
    lack = 6 / n  # five coefficients and the intercept, noise of variance 1
    expected = 0.75 * lack - 0.25 * (lack + turn**2)
    truth = np.ones(5)
    source_truth = truth + np.array([turn, 0, 0, 0, 0])
    differences, covered = [], 0
    for seed in range(replicates):
        rng = np.random.default_rng([seed, 11])
        parts = []
        for name, beta in (("target", truth), ("source", source_truth)):
            X = rng.standard_normal((n, 5))
            y = X @ beta + rng.standard_normal(n)
            parts.append(datakin.as_dataset(X, y, name=name, task="regression"))
        forecast = datakin.forecast_gain(datakin.score(*parts, models=["linear"], zones="paper"))
        Xs, ys = zip(*((d.features.numeric, d.y) for d in parts), strict=True)
        fits = least_squares(Xs[0], ys[0]), least_squares(np.vstack(Xs), np.concatenate(ys))
        alone, pooled = (np.sum((fit - [0, *truth]) ** 2) for fit in fits)
        differences.append(forecast.gain - (alone - pooled))
        covered += forecast.interval[0] <= expected <= forecast.interval[1]
    error = np.std(differences, ddof=1) / np.sqrt(replicates)
    assert abs(np.mean(differences)) < 3 * error
    assert covered >= 0.85 * replicates
