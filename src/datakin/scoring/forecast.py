"""From measured errors to the gain of pooling.

The formulas are in `datakin.scoring.shares`; here their numbers are measured, with the uncertainty
that they have in common, and turned into a forecast, a weight and a zone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr, stdtrit

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.results.comparison import Comparison
from datakin.results.forecast import ExpectedGain, Forecast, Outlook
from datakin.results.record import Provenance
from datakin.results.zones import GAIN
from datakin.scoring.cls import Direction, Discrepancy, of_tested, own_error
from datakin.scoring.shares import best_shares, pooled_gain
from datakin.scoring.uncertainty import jackknife_variance, row_variance, sum_groups

__all__ = [
    "SIMPLEST",
    "best_weight",
    "forecast_gain",
    "forecast_pool",
    "learner_of",
    "outlook",
    "plain_gain",
    "unit_of",
]

SIMPLEST = ("logistic", "linear")

DRAWS = 200
SHARES = tuple(k / 20 for k in range(21))


def learner_of(models: Sequence[str], estimate: str) -> str:
    """Return the learner that forecasts are about.

    The estimate's model or the only one; for an ensemble the simplest of its models, which is what
    the transfer methods learn with by default and whose errors on small targets are the steadiest.
    """
    if estimate in models:
        return estimate
    if len(models) == 1:
        return models[0]
    return next((name for name in SIMPLEST if name in models), estimate)


def outlook(
    directions: Sequence[Direction], learner: str, groups: Array | None, full: Discrepancy
) -> Outlook:
    """Measure what forecasts are made from.

    Parameters
    ----------
    directions : sequence of Direction
        Source to target, one per repeat.
    learner : str
        The model (or aggregate) that the forecast is about.
    groups : ndarray or None
        Of the target's rows.
    full : Discrepancy
        The learner's, of the "paper" size.
    """
    own = directions[0].tested.own
    n, n_fold = own.n_train["all"], own.n_train["fold"]
    beyond = n / n_fold - 1
    lack, a, spread, of_lack, freedom = of_tested(
        directions,
        learner,
        ("lack", full.least),
        lambda: _lack(directions, learner, groups, full.least),
    )
    d = sum_groups(full.influence, groups)
    scale = len(a) / (len(a) - 1)
    of_full = row_variance(full.influence, groups, full.least) + jackknife_variance(full.replicates)
    both = float(a @ d) * scale * float(np.sqrt(of_lack / spread))
    # behind = full + beyond * lack, since the own error was measured with fewer rows than n.
    return Outlook(
        error=max(full.own - beyond * lack, 0.0),
        lack=lack,
        behind=full.value + beyond * lack,
        covariance=(
            of_lack,
            of_full + 2 * beyond * both + beyond**2 * of_lack,
            both + beyond * of_lack,
        ),
        n_target=int(n),
        n_source=int(directions[0].cross.n_train["all"]),
        freedom=freedom,
        learner=learner,
    )


def _lack(
    directions: Sequence[Direction], learner: str, groups: Array | None, least: float
) -> tuple[float, Array, float, float, int]:
    """Return what the target lacks, what rows add to it, two variances and the degrees of freedom.

    The first variance is from the rows; the second is the larger of that and the one from the folds.
    """
    own = directions[0].tested.own
    n, n_fold, n_inner = (own.n_train[size] for size in ("all", "fold", "inner"))
    # Errors at n rows: limit + slope / n. In units of slope / n the two measured sizes are this far.
    apart = n / n_inner - n / n_fold
    rows, folds = np.zeros(len(own.weights)), []
    for direction in directions:
        found = [own_error(direction, learner, size) for size in ("inner", "fold")]
        (inner, weights, inner_folds), (fold, _, fold_folds) = found
        gap = inner - fold
        rows += (gap - gap @ weights) * weights / apart / len(directions)
        folds.append((inner_folds - fold_folds) / apart)
    by_fold = np.mean(folds, axis=0)
    spread = row_variance(rows, groups, least)
    of_lack = max(spread, float(np.var(by_fold, ddof=1)) / len(by_fold))
    added = sum_groups(rows, groups)
    return float(by_fold.mean()), added, spread, of_lack, 2 * (len(by_fold) - 1)


def forecast_gain(comparison: Comparison) -> Forecast:
    """Forecast what pooling the source will do to the error on the target, by the gain formula.

    A diagnostic: it says why a source should help or not, in units of the loss, and needs no fit. The
    call of a source comes from a trial (`Comparison.trial`) where one was made.

    Parameters
    ----------
    comparison : Comparison
        Of `datakin.score`, or a member of a ranking. The forecast is about the model that
        `estimate` names; with an ensemble about logistic or linear regression, if it is among its
        models: what the transfer methods use by default.

    Returns
    -------
    Forecast

    Examples
    --------
    >>> from datakin import score
    >>> from datakin.synthetic import settings
    >>> pair = settings()["lda"](1.0).sample(60, 300, random_state=0)
    >>> forecast = forecast_gain(score(pair.target, pair.source, models=["logistic"]))
    >>> forecast.gain > 0, 0 <= forecast.kinship <= 1
    (True, True)
    """
    if not isinstance(comparison, Comparison):
        raise DatakinError(
            f"forecast_gain takes a Comparison, as datakin.score returns. "
            f"Got {type(comparison).__name__}; for a Ranking see its .forecast."
        )
    if comparison.outlook is None:
        raise DatakinError(
            f"{comparison.target!r} and {comparison.source!r} hold the same rows: "
            f"pooling them brings nothing, and there is nothing to forecast."
        )
    return forecast_pool(
        comparison.target,
        [comparison.source],
        [comparison.outlook],
        np.ones((1, 1)),
        unit_of(comparison.losses[comparison.target]),
        comparison.provenance,
    )


def unit_of(loss: str) -> str:
    """Say what a loss counts."""
    return "share of rows" if loss in ("zero_one", "balanced") else "loss"


def forecast_pool(
    target: str,
    sources: Sequence[str],
    outlooks: Sequence[Outlook],
    correlation: Array,
    unit: str,
    provenance: Provenance,
) -> Forecast:
    """Forecast the gain of pooling several sources at once, and find the best weights.

    Parameters
    ----------
    target : str
    sources : sequence of str
    outlooks : sequence of Outlook
        One for each source.
    correlation : ndarray of shape (m, m)
        Between the sources' losses on the rows of the target.
    unit : str
    provenance : Provenance
    """
    correlation = np.clip(correlation, 0.0, 1.0)
    shares, optimism = _choose(outlooks, correlation)
    rows = np.array([o.n_source for o in outlooks], dtype=float)
    plain = _expected(outlooks, rows / (outlooks[0].n_target + rows.sum()), correlation)
    curve = []
    if len(sources) == 1:
        plain = plain_gain(outlooks[0])
        at = [_expected(outlooks, np.array([share]), correlation) for share in SHARES]
        curve = [(gain.value, gain.low, gain.high) for gain in at]
    return Forecast(
        target=target,
        sources=tuple(sources),
        error=outlooks[0].error,
        pooled=plain,
        best=_expected(outlooks, shares, correlation, optimism),
        kinship=float(shares.sum()),
        weights=dict(zip(sources, _row_weights(shares, outlooks), strict=True)),
        decision=GAIN.decide_gain(plain),
        shares=SHARES if curve else (),
        gains=tuple(curve),
        unit=unit,
        provenance=provenance,
        learner=outlooks[0].learner,
    )


def plain_gain(outlook: Outlook) -> ExpectedGain:
    """Return the formula's gain of plain pooling of one source."""
    share = outlook.n_source / (outlook.n_target + outlook.n_source)
    return _expected([outlook], np.array([share]), np.ones((1, 1)))


def best_weight(outlook: Outlook) -> float:
    """Return what a row of the source should count beside a row of the target."""
    shares, _ = _choose([outlook], np.ones((1, 1)))
    return _row_weights(shares, [outlook])[0]


def _choose(outlooks: Sequence[Outlook], correlation: Array) -> tuple[Array, float]:
    """Return the best shares averaged over the uncertainty of what they are chosen from.

    The average is steadier than the best shares of the one measured value. Beside it stands their
    optimism: by how much the gain looks larger to the data that the shares were chosen on.
    """
    theta, covariance = _joint(outlooks, correlation)
    normal = np.random.default_rng(0).standard_normal((DRAWS, len(theta)))
    values, vectors = np.linalg.eigh(covariance)
    draws = theta + normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    ratio = np.array([o.n_target / o.n_source for o in outlooks])
    chosen = best_shares(draws, ratio, correlation)
    held = np.maximum(theta, np.r_[0.0, np.full(len(theta) - 1, -np.inf)])
    seen, real = (pooled_gain(t, chosen, correlation) for t in (draws, held))
    return chosen.mean(axis=0), max(float(np.mean(seen - real)), 0.0)


def _row_weights(shares: Array, outlooks: Sequence[Outlook]) -> list[float]:
    """Return what a row of each source counts beside a row of the target, at most 1."""
    left = max(1 - float(shares.sum()), 1e-12)
    return [
        min(float(share) / left * o.n_target / o.n_source, 1.0)
        for share, o in zip(shares, outlooks, strict=True)
    ]


def _joint(outlooks: Sequence[Outlook], correlation: Array) -> tuple[Array, Array]:
    """Return (A, D_1, ..., D_m) and its covariance."""
    theta = np.array([outlooks[0].lack, *(o.behind for o in outlooks)])
    spread = np.sqrt([o.covariance[1] for o in outlooks])
    covariance = np.empty((len(theta), len(theta)))
    covariance[0, 0] = outlooks[0].covariance[0]
    covariance[0, 1:] = covariance[1:, 0] = [o.covariance[2] for o in outlooks]
    covariance[1:, 1:] = correlation * np.outer(spread, spread)
    return theta, covariance


def _expected(
    outlooks: Sequence[Outlook], shares: Array, correlation: Array, optimism: float = 0.0
) -> ExpectedGain:
    """Return the gain at some shares with intervals; its gradient gives the standard error."""
    theta, covariance = _joint(outlooks, correlation)
    theta[0] = max(theta[0], 0.0)  # nobody lacks less than nothing
    value = float(pooled_gain(theta, shares, correlation))
    value = max(value - optimism, min(value, 0.0))  # what is left of a gain is no loss
    step = 1e-6 * max(float(np.abs(theta).max()), 1e-9)
    moves = step * np.eye(len(theta))
    ahead, back = (pooled_gain(theta + sign * moves, shares, correlation) for sign in (1, -1))
    slope = (ahead - back) / (2 * step)
    error = float(np.sqrt(max(float(slope @ covariance @ slope), 0.0)))
    return _make_expected(value, error, outlooks[0].freedom)


def _make_expected(value: float, error: float, freedom: int) -> ExpectedGain:
    """Return a gain with intervals by Student's t."""
    wide, narrow = (float(stdtrit(freedom, q)) * error for q in (0.975, 0.95))
    probability = float(stdtr(freedom, value / error)) if error > 0 else float(value > 0)
    return ExpectedGain(
        value, error, value - wide, value + wide, value - narrow, value + narrow, probability
    )
