"""What each source does for the target, read from the evidence: gains for rankings, matrices and choices.

A trial is a stack of the target and one source, judged on the target's held-out rows beside the stack of
the target alone. Its gain is by how much the loss falls, in units of the loss alone.

One trial says little: on a hundred rows its noise is as large as what sources usually bring. So it is
read together with what such trials brought elsewhere (a t distribution, from the development half of
benchmarks/decisions). The stack protects against bad sources, so it rarely loses more than a few percent:
that is why many sources can be called harmless. Whether *pooling* a source would hurt is tried apart, with
the first learner. Nothing here fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from datakin.data.features import Array
from datakin.learners.losses import LOSSES, Judge, Loss, mean_squared
from datakin.learners.metrics import ERROR_SPREAD, LEVEL, mean_with_error, metrics_of, reach
from datakin.learners.stack.evidence import Evidence, TargetEvidence
from datakin.learners.stack.passes import Passes, held_out
from datakin.learners.stack.records import COST, Trial, Trials

# What to expect of a gain, before its trial and from it. Found by `python -m benchmarks.decisions.calibrate`
# on the development half; benchmarks/results/calibration.md shows how well it fits collections left out.
EXPECTED, WIDTH, POWER = 0.053, 0.044, 0.7  # for a target of 40 rows; less for larger ones
USUAL_ROWS, FREEDOM = 40, 4  # of the t distribution of gains
SPREAD = 2.5  # standard errors of rows are so much too small for a gain that comes true elsewhere
FLOOR = 0.01  # standard deviation of what comes true around any forecast, for a target of 40 rows
POOLED_SPREAD = 1.5
# Draws of the folds that all that is said rests on: at most so many, and as many as predict so many rows.
MOST_DRAWS, ROWS_DRAWN = 5, 600
TAILS = (0.02, 0.98)  # numbers as labels: gains of rows are cut at these quantiles
GRID = np.linspace(-0.6, 1.0, 1601)


def draws_of(n_rows: int) -> int:
    """Return from how many draws of the folds is said what a target of some size loses and gains.

    On many rows draws agree: benchmarks/results/folds.md has what fewer of them change. More draws only
    tell which sources to use.
    """
    return min(max(-(-ROWS_DRAWN // n_rows), 1), MOST_DRAWS)


def read_trials(passes: Passes) -> list[Trial]:
    """Return the trial of every source, from the first draws of the folds."""
    evidence = passes.evidence
    n_draws = draws_of(len(evidence.Y))

    def losses(draws: Sequence[Array]) -> Array:
        return mean_squared(evidence.Y, draws[:n_draws], evidence.kind)

    alone, groups = losses(held_out(passes.alone)), evidence.groups
    first = losses([predictions[0] for predictions in evidence.predictions])
    n_units = len(alone) if groups is None else len(np.unique(groups))
    wider = few_units(len(alone), groups)
    found = []
    for name, mixes in passes.singles.items():
        tried, error = gain_of(alone, losses(held_out(mixes)), evidence)
        gain, low, high, p_gain, p_harmless = posterior(tried, error * wider, len(alone))
        pooled, far = float("nan"), float("nan")  # of a source whose rows are not here
        if name in evidence.pooled:
            pooled, spread = gain_of(first, losses(evidence.pooled[name]), evidence)
            far = reach(n_units) * POOLED_SPREAD * spread
        ends = pooled - far, pooled + far
        found.append(Trial(name, gain, low, high, p_gain, tried, error, pooled, *ends, p_harmless))
    return found


def judge_of(measured: TargetEvidence, loss: Loss | None = None) -> Judge:
    """Return what judges predictions of a target; `loss` is that of the user, where it is a function."""
    known = loss if measured.has_own_loss and loss is not None else LOSSES[measured.loss]
    found = measured.whole
    return Judge.make(known, found.kind, measured.classes, measured.y, found.weights)


def trials_of(measured: TargetEvidence, judge: Judge) -> Trials:
    """Return the trials of a target's sources, in measures that people know too."""
    passes = Passes(measured.whole.first(draws_of(len(measured.y))))
    evidence, alone = passes.evidence, held_out(passes.alone)
    given = (judge, measured.y, evidence.weights, evidence.groups, ERROR_SPREAD)

    def with_metrics(trial: Trial) -> Trial:
        draws = held_out(passes.singles[trial.source])
        return replace(trial, metrics=metrics_of("with the source", draws, *given))

    losses = mean_squared(evidence.Y, alone, evidence.kind)
    return Trials(
        measured.target,
        float(np.average(losses, weights=evidence.weights)),
        {trial.source: with_metrics(trial) for trial in read_trials(passes)},
        dict(measured.unusable),
        tuple(measured.options["learners"]),
        len(evidence.folds),
        metrics_of("the target alone", alone, *given),
        judge.error(alone, measured.y, evidence.weights),
    )


def gain_of(before: Array, after: Array, evidence: Evidence) -> tuple[float, float]:
    """Return by how much a loss falls, in units of the loss before, and its standard error by rows.

    Before and after are losses of the same rows; rows of one group count as one.
    """
    base = float(np.average(before, weights=evidence.weights))
    if base <= 0:
        return 0.0, 0.0
    fall = before - after
    if evidence.kind == "regression":
        fall = np.clip(fall, *np.quantile(fall, TAILS))
    mean, error = mean_with_error(fall, evidence.weights, evidence.groups)
    return mean / base, error / base


def few_units(n_rows: int, groups: Array | None) -> float:
    """Return by how much a standard error counts for more because few groups tell their spread badly."""
    if groups is None:
        return 1.0
    units, rows = stdtrit(np.array([len(np.unique(groups)), n_rows]) - 1.0, 0.5 + LEVEL / 2)
    return float(units / rows)


def posterior(
    tried: float, error: float, n_rows: int, *before: float
) -> tuple[float, float, float, float, float]:
    """Return what to expect of a gain: its mean, the ends of its 90% interval, and two probabilities.

    They are that there is a gain, and that the source costs at most 2%. Parameters as in `gain_density`.
    """
    density = gain_density(tried, error, n_rows, *before)
    below = np.cumsum(density)
    low, high = np.interp([0.5 - LEVEL / 2, 0.5 + LEVEL / 2], below, GRID)
    p_gain, p_harmless = 1 - np.interp([0.0, -COST], GRID, below)
    return float(GRID @ density), float(low), float(high), float(p_gain), float(p_harmless)


def gain_density(
    tried: float,
    error: float,
    n_rows: int,
    expected: float = EXPECTED,
    width: float = WIDTH,
    power: float = POWER,
    spread: float = SPREAD,
) -> Array:
    """Return how probable each gain of the grid is; the sum is 1.

    The trial has a gain and a standard error by rows. Its noise is normal, and its standard error `spread`
    times too small. Before the trial, gains have a t distribution whose middle and width, `expected` and
    `width`, fall with this power of the target's rows.
    """
    scale = (USUAL_ROWS / n_rows) ** power
    noise = float(np.hypot(spread * error, FLOOR * scale**0.5))
    far = (GRID - expected * scale) / (width * scale)
    density = (1 + far**2 / FREEDOM) ** (-(FREEDOM + 1) / 2)
    apart = (tried - GRID) / noise
    density *= np.exp(-0.5 * (apart**2 - np.min(apart**2)))
    return np.asarray(density / density.sum())
