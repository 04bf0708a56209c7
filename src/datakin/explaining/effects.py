"""Which columns: their effects here and there, and what a new effect for each of them brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from datakin.data.features import Array
from datakin.explaining.dependence import partial_effects
from datakin.explaining.evidence import Evidence, holm
from datakin.explaining.ladder import (
    Judged,
    crossed,
    mean_with_error,
    reach,
    step_error,
)
from datakin.learners.learner import Learner, Rows
from datakin.learners.linear import LinearLearner
from datakin.learners.newton import FREE, curvature, mean_of, refit
from datakin.results.explanation_parts import ColumnEffect, EffectPair

__all__ = ["Single", "clearest_column", "column_effects"]

STIFF = 1.0  # penalty of the new effect of one column
ASKED = 0.05  # chance, corrected for all columns, below which a column is named


@dataclass(frozen=True)
class Single:
    """The column whose effect differs most clearly.

    Attributes
    ----------
    chance : float
        As in `ColumnEffect`.
    gain, low : float
        What a new effect for it brings, and the lower end of the 90% interval.
    """

    chance: float
    gain: float
    low: float


def clearest_column(
    judged: Judged, on_target: Array, evidence: Evidence, places: Mapping[str, Sequence[int]]
) -> Single:
    """Return the column with the clearest difference, and what a new effect for it brings."""
    there = [list(at) for at in places.values() if len(at)]
    chances = holm([evidence.of_columns(at) for at in there])
    if not there or min(chances) > ASKED:
        return Single(1.0, 0.0, 0.0)
    at = there[int(np.argmin(chances))]
    gain, far = _gain(judged, _losses(judged, on_target, []), on_target, at)
    return Single(min(chances), gain, gain - far)


def column_effects(
    judged: Judged,
    source: Rows,
    on_target: Array,
    evidence: Evidence,
    places: Mapping[str, Sequence[int]],
    names: Sequence[str],
    trees: Learner | None = None,
    seed: int = 0,
) -> tuple[ColumnEffect, ...]:
    """Return the columns, the largest gain of a new effect first.

    Parameters
    ----------
    judged : Judged
    source : Rows
    on_target : ndarray of shape (n, m)
        What the source's predictor says of the target's rows.
    evidence : Evidence
    places : mapping of str to columns of the matrix
    names : sequence of str
        Of the columns of the matrix.
    trees : Learner, optional
        Where trees predict, effects are theirs; else those of lines.
    seed : int
    """
    rows = judged.rows
    there = {name: list(at) for name, at in places.items() if len(at)}
    before = _losses(judged, on_target, [])
    chances = holm([evidence.of_columns(at) for at in there.values()])
    sides = []
    if rows.kind != "multiclass":
        sides = [
            _effects(each, rows) if trees is None else partial_effects(trees, each, rows, seed)
            for each in (rows, source)
        ]
    found = []
    for (name, at), chance in zip(there.items(), chances, strict=True):
        gain, far = _gain(judged, before, on_target, at)
        flagged = chance < ASKED and gain - far > 0
        pairs = _pairs(sides, at, names)
        found.append(ColumnEffect(name, gain, gain - far, gain + far, chance, flagged, pairs))
    return tuple(sorted(found, key=lambda each: -each.gain))


def _gain(
    judged: Judged, before: Array, on_target: Array, at: Sequence[int]
) -> tuple[float, float]:
    """Return what new effects of some columns bring, and how far the 90% interval reaches."""
    rows = judged.rows
    after = _losses(judged, on_target, at)
    gain, error = mean_with_error(before - after, rows.weights, judged.groups)
    error = step_error(judged, after, error, len(at) * rows.Y.shape[1])
    return gain, reach(judged.n_units) * error


def _losses(judged: Judged, on_target: Array, at: Sequence[int]) -> Array:
    """Return held-out losses with a new base rate and new effects of some columns.

    Without a new slope, which would take part of the effects of all other columns with it.
    """
    rows = judged.rows

    def adjust(y: Array, eta: Array, weights: Array, outside: Array, kind: str) -> Array:
        D = np.column_stack([np.ones(len(y)), judged.Z[:, at]])
        ridge = np.full(D.shape[1], STIFF)
        ridge[0] = FREE
        b = refit(D[outside], y[outside], eta[outside], weights[outside], ridge, kind)
        return np.asarray(eta + D @ b)

    P = crossed(rows, on_target, judged.folds[0], adjust)
    return judged.losses(P)


def _effects(rows: Rows, target: Rows) -> tuple[Array, Array]:
    """Return effects of one standard deviation in the target, and how far their intervals reach."""
    learner = LinearLearner()
    fitted, told = learner.fit(rows)
    Z = np.hstack([fitted.scaler.apply(rows.X), np.ones((len(rows), 1))])
    beta = fitted.coefficients[0]
    mean = mean_of(Z @ beta, rows.kind)
    ridge = np.full(Z.shape[1], learner.penalties[int(np.argmin(told))])
    ridge[-1] = 1e-8
    part = Z * np.sqrt(rows.weights * curvature(mean, rows.kind))[:, None]
    root = np.linalg.solve(part.T @ part + np.diag(ridge), Z.T * rows.weights)
    spread = np.sqrt(np.sum((root * (rows.Y[:, 0] - mean)) ** 2, axis=1))
    unit = _spreads(target) / fitted.scaler.scales
    return beta[:-1] * unit, reach(len(rows)) * spread[:-1] * unit


def _spreads(rows: Rows) -> Array:
    with np.errstate(invalid="ignore"):
        known = np.where(np.isnan(rows.X), np.nanmean(_safe(rows.X), axis=0), rows.X)
    return np.asarray(np.std(known, axis=0))


def _safe(X: Array) -> Array:
    """Return a matrix without columns that are missing throughout: 0 stands there."""
    return np.where(np.isnan(X).all(axis=0), 0.0, X)


def _pairs(
    sides: Sequence[tuple[Array, Array]], at: Sequence[int], names: Sequence[str]
) -> tuple[EffectPair, ...]:
    if not sides:
        return ()
    (here, near), (there, far) = sides
    return tuple(
        EffectPair(
            names[j],
            *map(float, (here[j], here[j] - near[j], here[j] + near[j])),
            *map(float, (there[j], there[j] - far[j], there[j] + far[j])),
        )
        for j in at
    )
