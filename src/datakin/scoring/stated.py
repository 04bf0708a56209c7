"""Looks at the evidence of a target: errors with their intervals, gains, stability, worth in rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.learners.losses import LOSSES, Judge, mean_squared, squared
from datakin.learners.metrics import (
    ERROR_SPREAD,
    Metrics,
    agreeing,
    error_interval,
    metrics_of,
    sampling_error,
)
from datakin.learners.stack.evidence import Evidence
from datakin.learners.stack.gains import few_units, gain_of, posterior
from datakin.learners.stack.passes import Passes, StackReading, held_out, used_sources
from datakin.learners.stack.records import Trial
from datakin.learners.stack.weights import reweighted
from datakin.results.choice import CurvePoint, Stability

# What to expect of a choice before its gain is measured, as for single sources (see `calls`). Wider than
# the development half asks for: elsewhere some choices gain much more.
EXPECTED, WIDTH, POWER, SPREAD = 0.11, 0.15, 0.63, 2.0
REWEIGHTED = 100  # Targets with other weights of their rows.
FLAT = 0.03  # A learning curve that falls by less, from half of the rows to all, shows no worth.


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


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The rows of a target, and what judges predictions of them.

    Predictions are held out, one array for each draw of the folds.

    Attributes
    ----------
    judge : Judge
    y : ndarray
        Class codes, or numbers.
    weights : ndarray
        Of the rows, as the user gave them.
    groups : ndarray or None
        Rows that belong together, as codes without gaps.
    """

    judge: Judge
    y: Array
    weights: Array
    groups: Array | None

    def stated(self, draws: Sequence[Array]) -> Stated:
        """Return the error of predictions, and its 90% interval."""
        judge, y = self.judge, self.y
        counts = judge.row_weights(y, self.weights)
        by_draw = [judge.rows(y, predictions) for predictions in draws]
        rows = np.mean(by_draw, axis=0)
        error = float(np.average(rows, weights=counts))
        center = np.full(len(y), error)
        if judge.loss.balanced:  # each class has a mean of its own
            for code in np.unique(y):
                center[y == code] = np.average(rows[y == code], weights=counts[y == code])
        spread, n = sampling_error(counts * (rows - center), self.groups)
        spread /= float(counts.sum())
        if judge.kind != "regression" and judge.loss.needs == "label":
            # Without any wrong row, or with all of them wrong, rows say nothing of their spread.
            share = (error * n + 1) / (n + 2)
            spread = max(spread, float(np.sqrt(share * (1 - share) / n)) / 2)
        is_share = judge.loss.name in ("zero_one", "balanced")
        low, high = error_interval(error, spread, n, is_share=is_share, spread=ERROR_SPREAD)
        errors = tuple(float(np.average(losses, weights=counts)) for losses in by_draw)
        return Stated(error, low, high, errors, spread, n)

    def metrics(self, of: str, draws: Sequence[Array], error: Stated) -> Metrics:
        """Return the metrics of predictions, beside the error that is stated of them.

        They are means over the draws of the folds, as the error is, and their intervals are as much wider
        than rows alone say. What follows from the error (accuracy, RMSE, ...) is exactly what it says.
        """
        judge, y, weights = self.judge, self.y, self.weights
        metrics = metrics_of(of, draws, judge, y, weights, self.groups, ERROR_SPREAD)
        # A loss of the user's own may have any name.
        if LOSSES.get(judge.loss.name) is not judge.loss:
            return metrics
        is_number = judge.kind == "regression"
        variance = float(np.cov(y, aweights=weights, ddof=0)) if is_number else 0.0
        return agreeing(metrics, judge.loss.name, error.error, (error.low, error.high), variance)


def best_single(passes: Passes) -> tuple[str, list[Array]] | None:
    """Return the source that is most often the best one, and held-out predictions by the best one.

    For every fold the best source is that whose stack with the target loses least (Brier or squared
    error) on the rows of the other folds: no row helps to pick what it is predicted by.
    """
    evidence, singles = passes.evidence, passes.singles
    if not singles:
        return None
    names = sorted(singles)
    picked, draws = np.zeros(len(names), dtype=int), []
    for draw, folds in enumerate(evidence.folds):
        predictions = np.array([singles[name][draw].predictions for name in names])
        losses = evidence.weights * squared(evidence.Y, predictions, evidence.kind)
        by_fold = np.array([np.bincount(folds, weights=of_source) for of_source in losses])
        best = np.argmin(losses.sum(axis=1)[:, None] - by_fold, axis=0)
        picked += np.bincount(best, minlength=len(names))
        draws.append(predictions[best[folds], np.arange(len(folds))])
    return names[int(np.argmax(picked))], draws


def mean_losses(evidence: Evidence, draws: Sequence[Array]) -> Array:
    """Return the decision loss of each row, mean over the draws of the folds."""
    return mean_squared(evidence.Y, draws, evidence.kind)


def mean_loss(evidence: Evidence, draws: Sequence[Array]) -> float:
    """Return the mean of `mean_losses`, by the weights of the rows."""
    return float(np.average(mean_losses(evidence, draws), weights=evidence.weights))


def total_gain(passes: Passes, draws: Sequence[Array]) -> tuple[float, float, float, float, float]:
    """Return the gain to expect with its 90% interval, P(gain > 0), and the gain of held-out predictions."""
    evidence = passes.evidence
    alone = mean_losses(evidence, held_out(passes.alone)[: len(draws)])
    gain, error = gain_of(alone, mean_losses(evidence, draws), evidence)
    error *= few_units(len(alone), evidence.groups)
    expected = posterior(gain, error, len(alone), EXPECTED, WIDTH, POWER, SPREAD)
    return *expected[:4], gain


def stability_of(reading: StackReading, error: Stated, seed: int) -> Stability:
    """Return how often other folds, and other weights of the rows, lead to the same sources."""
    passes, evidence = reading.passes, reading.passes.evidence
    n_draws, names = passes.n_draws, evidence.names
    by_folds = [used_sources(evidence.shares(mix.weights)) for mix in passes.choosing]
    rng = np.random.default_rng(derive_seed(seed, "reweighted"))
    by_sample = []
    for b in range(REWEIGHTED if names else 0):
        weights = evidence.weights * rng.standard_exponential(len(evidence.Y))
        mix = reweighted(evidence.predictions[b % n_draws], evidence.Y, weights, evidence.own)
        by_sample.append(used_sources(evidence.shares(mix)))

    def share(answers: Sequence[tuple[str, ...]]) -> float:
        return float(np.mean([answer == reading.used for answer in answers])) if answers else 1.0

    def by_source(answers: Sequence[tuple[str, ...]]) -> dict[str, float]:
        return {name: float(np.mean([name in answer for answer in answers])) for name in names}

    return Stability(
        n_draws,
        passes.is_settled,
        share(by_folds),
        min(error.by_draw),
        max(error.by_draw),
        share(by_sample),
        by_source(by_folds),
        by_source(by_sample),
    )


def curve_of(passes: Passes, judged: JudgedRows) -> tuple[CurvePoint, ...]:
    """Return the error of the target alone at half of its rows, and at nearly all of them."""
    evidence, n = passes.evidence, len(judged.y)
    n_folds = int(evidence.folds[0].max()) + 1
    # The weights of the whole: half of the rows is too little to find them too.
    halves = [
        np.einsum("cnm,c->nm", P, mix.weights)
        for P, mix in zip(evidence.halves, passes.alone, strict=True)
    ]

    def point(rows: int, draws: Sequence[Array]) -> CurvePoint:
        error = judged.judge.error(draws, judged.y, judged.weights)
        return CurvePoint(rows, error, mean_loss(evidence, draws))

    nearly = round(n * (n_folds - 1) / n_folds)
    return point(round(n / 2), halves), point(nearly, held_out(passes.alone))


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
    half, full = curve
    # Two groups predict each other, from as many rows.
    if half.n_rows == full.n_rows or half.loss - full.loss < FLAT * full.loss:
        return None
    if trial.gain <= 0:
        return 0.0
    slope = (half.loss - full.loss) / (1 / half.n_rows - 1 / full.n_rows)
    level = full.loss - slope / full.n_rows  # Of endless rows.
    aim = full.loss * (1 - trial.gain)
    if aim <= level:  # No number of own rows would do, by a curve that is nearly flat.
        return None
    worth = slope / (aim - level) - full.n_rows
    return float(worth) if worth <= n_rows else None
