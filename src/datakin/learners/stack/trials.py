"""What each source does for the target: gains of small trials, for rankings, matrices and choices.

A trial is a stack of the target and one source, judged on the target's held-out rows beside the stack of
the target alone. Its gain is by how much the loss falls, in units of the loss alone.

One trial says little: on a hundred rows its noise is as large as what sources usually bring. So it is
read together with what such trials brought elsewhere (a t distribution, from the development half of
benchmarks/decisions). The stack protects against bad sources, so it rarely loses more than a few percent:
that is why many sources can be called harmless. Whether *pooling* a source would hurt is tried apart, with
the first learner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import stdtrit
from threadpoolctl import threadpool_limits

from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Learner, Rows
from datakin.learners.losses import Judge, choose_loss, mean_squared
from datakin.learners.metrics import ERROR_SPREAD, LEVEL, mean_with_error, metrics_of, reach
from datakin.learners.named import LEARNERS
from datakin.learners.stack.candidates import Candidate, Run, Stack
from datakin.learners.stack.fitting import Folds, Passes, held_out
from datakin.learners.stack.preparation import MOST_ROWS, prepare
from datakin.learners.stack.records import COST, Trial, Trials
from datakin.learners.stack.weights import Mix

# What to expect of a gain, before its trial and from it. Found by `python -m benchmarks.decisions.calibrate`
# on the development half; benchmarks/results/calibration.md shows how well it fits collections left out.
EXPECTED, WIDTH, POWER = 0.053, 0.044, 0.7  # for a target of 40 rows; less for larger ones
USUAL_ROWS, FREEDOM = 40, 4  # of the t distribution of gains
SPREAD = 2.5  # standard errors of rows are so much too small for a gain that comes true elsewhere
FLOOR = 0.01  # standard deviation of what comes true around any forecast, for a target of 40 rows
POOLED_SPREAD = 1.5
REPEATS = 5  # draws of the folds that trials are made of, however many there are
TAILS = (0.02, 0.98)  # numbers as labels: gains of rows are cut at these quantiles
GRID = np.linspace(-0.6, 1.0, 1601)


def folds_of(target: Dataset, random_state: int) -> Folds:
    """Return the function that draws the folds of a target."""

    def draw(repeat: int) -> Array:
        seed = derive_seed(random_state, "repeat", repeat)
        return draw_folds(target.y, bool(target.classes), target.groups, seed)

    return draw


def try_all(
    target: Dataset,
    sources: Sequence[Dataset],
    *,
    max_rows: int | None = MOST_ROWS,
    random_state: int = 0,
) -> Trials:
    """Try every source with the target.

    The numbers of a source depend on the columns and classes of the target, on its own rows and on the
    seed; levels of categories that get a column are those frequent in all tables together.
    """
    prepared = prepare(target, sources, max_rows=max_rows, random_state=random_state)
    learners = tuple(LEARNERS.values())
    own, rows = prepared.target, prepared.rows
    with threadpool_limits(limits=1):
        stack = Stack(rows, prepared.sources, learners, seed=random_state)
        stack.fit_sources(pools=False)
        passes = Passes(stack, rows.weights)
        folds = folds_of(own, random_state)
        for repeat in range(REPEATS):
            passes.add(folds(repeat), pools=False)
        singles, alone = single_mixes(passes), held_out(passes.alone)
        found = {t.source: t for t in try_sources(passes, own.groups, singles=singles)}
    loss = choose_loss(None, own)
    judge = Judge.make(loss, rows.kind, own.classes, own.y, rows.weights)
    given = (judge, own.y, rows.weights, own.groups, ERROR_SPREAD)
    return Trials(
        target.name,
        float(np.average(mean_squared(rows.Y, alone, rows.kind), weights=rows.weights)),
        {
            s.name: replace(
                found[s.name],
                metrics=metrics_of("with the source", held_out(singles[s.name]), *given),
            )
            for s in sources
            if s.name in found
        },
        prepared.unusable,
        tuple(LEARNERS),
        REPEATS,
        metrics_of("the target alone", alone, *given),
    )


def single_mixes(passes: Passes) -> dict[str, list[Mix]]:
    """Return, for every source, the mixes of what is learned from the target and from it alone."""
    return {name: passes.of(partial(_is_of, name)) for name in passes.stack.names}


def _is_of(name: str, candidate: Candidate) -> bool:
    return candidate.rows == "target" or candidate.source == name


def try_sources(
    passes: Passes,
    groups: Array | None = None,
    run: Run | None = None,
    singles: Mapping[str, Sequence[Mix]] | None = None,
) -> list[Trial]:
    """Return the trial of every source of a stack with all of them, from its first draws of the folds.

    Groups are rows of the target that belong together. `run` runs tasks, by default as the stack does.
    `singles` is what `single_mixes` gives, where it is at hand.
    """
    passes = passes.first(REPEATS)
    singles = single_mixes(passes) if singles is None else singles
    target = passes.stack.target
    alone = mean_squared(target.Y, held_out(passes.alone), target.kind)
    pools = _pools(passes, run or passes.stack.run)
    n_units = len(alone) if groups is None else len(np.unique(groups))
    wider = few_units(len(alone), groups)
    found = []
    for name in passes.stack.names:
        after = mean_squared(target.Y, held_out(singles[name][:REPEATS]), target.kind)
        tried, error = gain_of(alone, after, target, groups)
        gain, low, high, p_gain, p_harmless = posterior(tried, error * wider, len(alone))
        pooled, far = float("nan"), float("nan")  # of a source whose rows are not here
        if name in pools:
            pooled, spread = gain_of(*pools[name], target, groups)
            far = reach(n_units) * POOLED_SPREAD * spread
        ends = pooled - far, pooled + far
        found.append(Trial(name, gain, low, high, p_gain, tried, error, pooled, *ends, p_harmless))
    return found


def _pools(passes: Passes, run: Run) -> dict[str, tuple[Array, Array]]:
    """Return losses of the first learner alone and with each source in one pool."""
    stack = passes.stack
    learner, target = stack.learners[0], stack.target
    for repeat, folds in enumerate(passes.folds):
        stack.predict_own(folds, repeat)
    own = [stack.own_passes[learner.name, r] for r in range(len(passes.folds))]
    alone = mean_squared(target.Y, [P for P, _ in own], target.kind)
    draws = [(folds, told) for folds, (_, told) in zip(passes.folds, own, strict=True)]
    tasks = [
        partial(_pooled, learner, target, rows, stack.fits[learner.name, name].told, draws)
        for name, rows in stack.sources.items()
    ]
    return {name: (alone, losses) for name, losses in zip(stack.sources, run(tasks), strict=True)}


def _pooled(
    learner: Learner, target: Rows, source: Rows, told: Array, draws: Sequence[tuple[Array, Array]]
) -> Array:
    """Return the losses of the target's rows, each predicted from a pool without its fold."""
    both, never = target.below(source), np.full(len(source), -1)
    found = [learner.held_out(both, np.append(f, never), [told, own])[0] for f, own in draws]
    return mean_squared(target.Y, found, target.kind)


def gain_of(
    before: Array, after: Array, target: Rows, groups: Array | None = None
) -> tuple[float, float]:
    """Return by how much a loss falls, in units of the loss before, and its standard error by rows.

    Before and after are losses of the same rows; rows of one group count as one.
    """
    base = float(np.average(before, weights=target.weights))
    if base <= 0:
        return 0.0, 0.0
    fall = before - after
    if target.kind == "regression":
        fall = np.clip(fall, *np.quantile(fall, TAILS))
    mean, error = mean_with_error(fall, target.weights, groups)
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
