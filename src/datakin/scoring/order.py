"""The order of a target's sources, and groups of sources whose order the data do not support."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datakin.results.comparison import Comparison

__all__ = ["in_order"]

APART = 1.645  # standard errors of a difference that support an order


def in_order(found: Sequence[Comparison]) -> tuple[tuple[Comparison, ...], dict[str, int]]:
    """Return sources best first, and the number of each one's group.

    A group begins where a source lies below the first of the group before by more than 1.645 standard
    errors of the difference. Sources are taken as independent. They share the target's rows, so that
    the standard error is too large rather than too small: groups are approximate and cautious.

    Parameters
    ----------
    found : sequence of Comparison
        Of one target.
    """
    if any(c.trial is not None for c in found):
        values = {c.source: _by_trial(c) for c in found}
        ordered = sorted(found, key=lambda c: (-values[c.source][0], c.source))
    else:
        values = {c.source: _by_loss(c) for c in found}
        ordered = sorted(found, key=lambda c: (c.source_to_target, c.score, c.source))
    groups: dict[str, int] = {}
    first = values[ordered[0].source]
    number = 1
    for comparison in ordered:
        value, error = values[comparison.source]
        if first[0] - value > APART * float(np.hypot(first[1], error)):
            first, number = (value, error), number + 1
        groups[comparison.source] = number
    return tuple(ordered), groups


def _by_trial(c: Comparison) -> tuple[float, float]:
    """Return what a source is ordered by where some were tried, and its standard error.

    The gain of the trial plus what its predictors do better (minus: worse) on the target than the
    target's own, both in units of the target's own loss. A source that was not tried counts as one
    that brought nothing.
    """
    tried = (0.0, 0.0) if c.trial is None else (c.trial.tried, c.trial.standard_error)
    value, error = _by_loss(c)
    own = c.own_errors.get(c.target, 0.0)
    loses = (value / own, error / own) if own > 0 else (float(np.sign(value)), 0.0)
    parts = [_cut(*tried), _cut(*loses)]
    return parts[0][0] + parts[1][0], float(np.hypot(parts[0][1], parts[1][1]))


def _cut(value: float, error: float) -> tuple[float, float]:
    """Return a number cut at 1 either way, and what is left of its standard error."""
    low, middle, high = np.clip([value - error, value, value + error], -1, 1).tolist()
    return middle, (high - low) / 2


def _by_loss(c: Comparison) -> tuple[float, float]:
    """Return what a source's predictors do better on the target than its own, and its standard error."""
    return -c.source_to_target, c.directions["source_to_target"].standard_error
