"""Which columns: their effects here and there, and what a new effect for each of them brings.

Effects are those of linear models. Where trees predict they are partial dependence (Friedman, 2001): all rows
get one value of a column and then another; how far do predictions move on average?
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.explaining.evidence import Evidence, holm
from datakin.explaining.ladder import crossed
from datakin.explaining.world import World, matrix_columns
from datakin.learners.learner import Learner, Rows
from datakin.learners.linear import LinearLearner
from datakin.learners.metrics import reach
from datakin.learners.newton import FREE, curvature, link, mean_of, refit
from datakin.results.explanation_parts import ColumnEffect, EffectPair

__all__ = ["clearest_column", "column_effects"]

STIFF = 1.0  # Penalty of the new effect of one column.
ASKED = 0.05  # P-value, corrected for all columns, below which a column is named.
HALVES = 8  # Of a table, which show how much effects of trees move by chance.
MOST = 300  # Rows whose predictions are averaged.
ENDS = (0.1587, 0.8413)  # Quantiles one standard deviation below and above the middle.


def _columns_of(world: World) -> dict[str, list[int]]:
    """Return the columns of the matrix that each column of the table has become, where there are any."""
    places = matrix_columns(world.prepared.encoder)
    return {name: at for name, at in places.items() if at}


def clearest_column(world: World, evidence: Evidence) -> tuple[float, float, float]:
    """Return p-value, gain and least gain of a new effect of the column that differs most clearly."""
    columns = list(_columns_of(world).values())
    p_values = holm([evidence.of_columns(at) for at in columns])
    if not columns or min(p_values) > ASKED:
        return 1.0, 0.0, 0.0
    at = columns[int(np.argmin(p_values))]
    gain, far = _gain(world, _losses(world, []), at)
    return min(p_values), gain, gain - far


def column_effects(world: World, evidence: Evidence) -> list[ColumnEffect]:
    """Return the columns, the largest gain of a new effect first."""
    rows, names = world.judged.rows, world.prepared.encoder.names
    columns = _columns_of(world)
    before = _losses(world, [])
    p_values = holm([evidence.of_columns(at) for at in columns.values()])
    sides = []
    if rows.kind != "multiclass":
        sides = [_effects(world, side) for side in (rows, world.source_rows)]
    effects = []
    for (name, at), p_value in zip(columns.items(), p_values, strict=True):
        gain, far = _gain(world, before, at)
        is_named = p_value < ASKED and gain - far > 0
        pairs = tuple(
            EffectPair(names[j], *(x for side in sides for x in side[j])) for j in at if sides
        )
        effects.append(ColumnEffect(name, gain, gain - far, gain + far, p_value, is_named, pairs))
    return sorted(effects, key=lambda effect: -effect.gain)


def _gain(world: World, before: Array, at: Sequence[int]) -> tuple[float, float]:
    """Return what new effects of some columns bring, and how far the 90% interval reaches."""
    n_fitted = len(at) * world.judged.rows.Y.shape[1]
    return world.judged.fall(before, _losses(world, at), n_fitted)


def _losses(world: World, at: Sequence[int]) -> Array:
    """Return held-out losses with a new base rate and new effects of some columns.

    Without a new slope, which would take part of the effects of all other columns with it.
    """
    judged = world.judged

    def adjust(y: Array, eta: Array, weights: Array, outside: Array, kind: str) -> Array:
        D = np.column_stack([np.ones(len(y)), judged.Z[:, at]])
        ridge = np.array([FREE] + [STIFF] * len(at))
        b = refit(D[outside], y[outside], eta[outside], weights[outside], ridge, kind)
        return np.asarray(eta + D @ b)

    return judged.losses(crossed(judged, world.on_target, judged.folds[0], adjust))


def _effects(world: World, rows: Rows) -> list[tuple[float, float, float]]:
    """Return effects of one standard deviation in the target, each with its interval."""
    target = world.judged.rows
    if world.by_trees:
        effects, far = _tree_effects(world.learner, rows, target, world.seed)
    else:
        effects, far = _linear_effects(rows, target)
    ends = zip(effects, effects - far, effects + far, strict=True)
    return [(float(effect), float(low), float(high)) for effect, low, high in ends]


def _linear_effects(rows: Rows, target: Rows) -> tuple[Array, Array]:
    learner = LinearLearner()
    fitted, losses = learner.fit(rows)
    Z = np.hstack([fitted.scaler.apply(rows.X), np.ones((len(rows), 1))])
    beta = fitted.coefficients[0]
    mean = mean_of(Z @ beta, rows.kind)
    ridge = np.full(Z.shape[1], learner.penalties[int(np.argmin(losses))])
    ridge[-1] = 1e-8
    part = Z * np.sqrt(rows.weights * curvature(mean, rows.kind))[:, None]
    root = np.linalg.solve(part.T @ part + np.diag(ridge), Z.T * rows.weights)
    spread = np.sqrt(np.sum((root * (rows.Y[:, 0] - mean)) ** 2, axis=1))
    unit = _spreads(target.X) / fitted.scaler.scales
    return beta[:-1] * unit, reach(len(rows)) * spread[:-1] * unit


def _spreads(X: Array) -> Array:
    """Return standard deviations of columns; missing numbers are their mean, 0 where all are missing."""
    known = np.where(np.isnan(X).all(axis=0), 0.0, X)
    return np.asarray(np.std(np.where(np.isnan(X), np.nanmean(known, axis=0), X), axis=0))


def _tree_effects(learner: Learner, rows: Rows, target: Rows, seed: int) -> tuple[Array, Array]:
    """Return effects and how far their intervals reach; predictions are averaged over the target's rows.

    The spread of an effect is that of random halves of the rows (a delete-half jackknife).
    """
    X = target.X[np.linspace(0, len(target) - 1, min(MOST, len(target))).astype(int)]
    steps = [_ends(column) for column in target.X.T]
    effects = _dependence(learner, rows, X, steps)
    rng = np.random.default_rng(derive_seed(seed, "halves for effects"))
    halves = [rng.permutation(len(rows))[: len(rows) // 2] for _ in range(HALVES)]
    apart = [_dependence(learner, rows.take(half), X, steps) - effects for half in halves]
    return effects, reach(HALVES) * np.sqrt(np.mean(np.square(apart), axis=0))


def _ends(column: Array) -> tuple[float, float, float]:
    """Return two values of a column, and how many standard deviations are between them."""
    known = column[~np.isnan(column)]
    if not len(known) or known.min() == known.max():
        return 0.0, 0.0, 1.0
    low, high = (float(end) for end in np.quantile(known, ENDS))
    if low == high or set(np.unique(known)) <= {0.0, 1.0}:
        low, high = float(known.min()), float(known.max())
    return low, high, (high - low) / max(float(np.std(known)), 1e-12)


def _dependence(
    learner: Learner, rows: Rows, X: Array, steps: list[tuple[float, float, float]]
) -> Array:
    """Return by how much mean predictions move with each column, per standard deviation."""
    predictor = learner.fit(rows)[0]

    def mean(j: int, value: float) -> float:
        moved = X.copy()
        moved[:, j] = value
        return float(np.mean(link(predictor.predict(moved), rows.kind)[:, 0]))

    return np.array(
        [
            0.0 if low == high else (mean(j, high) - mean(j, low)) / size
            for j, (low, high, size) in enumerate(steps)
        ]
    )
