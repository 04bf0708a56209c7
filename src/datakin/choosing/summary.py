"""From the passes of a stack to what is said of it: errors, gains, stability, worth in rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.learners.losses import Judge, mean_squared
from datakin.learners.metrics import ERROR_SPREAD, error_interval, sampling_error
from datakin.learners.stack.fitting import Passes, held_out, used_sources
from datakin.learners.stack.trials import Trial, few_units, gain_of, posterior
from datakin.learners.stack.weights import reweighted
from datakin.results.choice import CurvePoint, Stability

__all__ = [
    "ERROR_SPREAD",
    "Stated",
    "error_interval",
    "fewest_sources",
    "stability_of",
    "stated",
    "total_gain",
    "worth_of",
]

# What to expect of a choice before its gain is measured, as for single sources (see `calls`). Wider than
# the development half asks for: elsewhere some choices gain much more.
EXPECTED, WIDTH, POWER, SPREAD = 0.11, 0.15, 0.63, 2.0
REWEIGHTED = 100  # targets with other weights of their rows
FLAT = 0.03  # a learning curve that falls by less, from half of the rows to all, tells no worth
KEPT = 0.9  # of the gain that the fewest sources must keep


@dataclass(frozen=True)
class Stated:
    """An error with its interval.

    Attributes
    ----------
    error, low, high : float
    by_draw : tuple of float
        Of each draw of the folds.
    standard_error : float
        By rows alone.
    n_units : int
        Rows, or groups of them.
    """

    error: float
    low: float
    high: float
    by_draw: tuple[float, ...]
    standard_error: float
    n_units: int


def stated(
    draws: Sequence[Array], judge: Judge, y: Array, weights: Array, groups: Array | None
) -> Stated:
    """Return the error that held-out predictions have, and its 90% interval.

    Parameters
    ----------
    draws : sequence of ndarray
        Held-out predictions, of each draw of the folds.
    judge : Judge
    y : ndarray
        Class codes, or numbers.
    weights : ndarray
        Of the rows, as the user gave them.
    groups : ndarray or None
    """
    counts = judge.row_weights(y, weights)
    by_draw = [judge.rows(y, each) for each in draws]
    rows = np.mean(by_draw, axis=0)
    error = float(np.average(rows, weights=counts))
    center = np.full(len(y), error)
    if judge.loss.balanced:  # each class has a mean of its own
        for code in np.unique(y):
            center[y == code] = np.average(rows[y == code], weights=counts[y == code])
    parts = counts * (rows - center)
    spread, n = sampling_error(parts, groups)
    spread /= float(counts.sum())
    if judge.kind != "regression" and judge.loss.needs == "label":
        # Without any wrong row, or with all of them wrong, rows tell nothing of their spread.
        share = (error * n + 1) / (n + 2)
        spread = max(spread, float(np.sqrt(share * (1 - share) / n)) / 2)
    is_share = judge.loss.name in ("zero_one", "balanced")
    low, high = error_interval(error, spread, n, is_share=is_share, spread=ERROR_SPREAD)
    each = tuple(float(np.average(one, weights=counts)) for one in by_draw)
    return Stated(error, low, high, each, spread, n)


def mean_losses(passes: Passes, draws: Sequence[Array]) -> Array:
    """Return the decision loss of each row, mean over the draws of the folds."""
    return mean_squared(passes.stack.target.Y, draws, passes.stack.target.kind)


def total_gain(
    passes: Passes, draws: Sequence[Array], groups: Array | None
) -> tuple[float, float, float, float, float]:
    """Return the gain to expect with its 90% interval, P(gain > 0), and the gain of held-out predictions."""
    target = passes.stack.target
    alone = mean_losses(passes, held_out(passes.alone))
    gain, error = gain_of(alone, mean_losses(passes, draws), target, groups)
    error *= few_units(len(alone), groups)
    found = posterior(gain, error, len(alone), EXPECTED, WIDTH, POWER, SPREAD)
    return *found[:4], gain


def stability_of(
    passes: Passes, used: tuple[str, ...], settled: bool, error: Stated, seed: int
) -> Stability:
    """Return how often other folds, and other weights of the rows, lead to the same sources."""
    stack, n_draws = passes.stack, len(passes.mixes)
    by_folds = [used_sources(stack.shares(each.weights)) for each in passes.choosing]
    rng = np.random.default_rng(derive_seed(seed, "reweighted"))
    by_sample = []
    for b in range(REWEIGHTED if stack.names else 0):
        draws = rng.standard_exponential(len(stack.target))
        weights = [
            reweighted(P, stack.target.Y, passes.row_weights * draws, stack.own)
            for P in passes.predictions[b % n_draws : b % n_draws + 1]
        ]
        by_sample.append(used_sources(stack.shares(np.mean(weights, axis=0))))

    def share(answers: Sequence[tuple[str, ...]]) -> float:
        return float(np.mean([one == used for one in answers])) if answers else 1.0

    def each(answers: Sequence[tuple[str, ...]]) -> dict[str, float]:
        return {
            name: float(np.mean([name in one for one in answers])) if answers else 0.0
            for name in stack.names
        }

    return Stability(
        n_draws,
        settled,
        share(by_folds),
        min(error.by_draw),
        max(error.by_draw),
        share(by_sample),
        each(by_folds),
        each(by_sample),
    )


def fewest_sources(passes: Passes, shares: dict[str, float]) -> tuple[str, ...]:
    """Return the fewest sources, by share, that keep nine tenths of what all used ones bring.

    They are judged by stacks of the target and these sources, each learned from alone.
    """
    order = sorted((n for n, share in shares.items() if share > 0), key=lambda n: (-shares[n], n))
    if len(order) < 2:
        return tuple(order)
    weights = passes.stack.target.weights
    base = float(np.average(mean_losses(passes, held_out(passes.alone)), weights=weights))

    def gain(some: Sequence[str]) -> float:
        kept = set(some)
        mixes = passes.of(lambda c: c.rows == "target" or c.source in kept)
        return base - float(np.average(mean_losses(passes, held_out(mixes)), weights=weights))

    whole = gain(order)
    for k in range(1, len(order)):
        if gain(order[:k]) >= KEPT * whole:
            return tuple(order[:k])
    return tuple(order)


def worth_of(trial: Trial, curve: Sequence[CurvePoint], n_rows: int) -> float | None:
    """Return how many rows of the target would bring what a source brings.

    The loss of the target alone is taken to fall like a + b / rows between the two points of its
    learning curve and beyond. None where that curve is too flat to tell: a row of a source is hardly
    worth more than one of the target's own.

    Parameters
    ----------
    trial : Trial
    curve : sequence of CurvePoint
        At half of the rows, and at nearly all.
    n_rows : int
        Of the source.
    """
    if len(curve) < 2:
        return None
    half, full = curve[0], curve[-1]
    if half.n_rows == full.n_rows:  # two groups: each predicts the other
        return None
    slope = (half.loss - full.loss) / (1 / half.n_rows - 1 / full.n_rows)
    if half.loss - full.loss < FLAT * full.loss:
        return None
    if trial.gain <= 0:
        return 0.0
    level = full.loss - slope / full.n_rows  # of endless rows
    aim = full.loss * (1 - trial.gain)
    if aim <= level:  # no number of own rows would do, by a curve that is nearly flat
        return None
    found = slope / (aim - level) - full.n_rows
    return float(found) if found <= n_rows else None
