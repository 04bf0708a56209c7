"""The order of a target's sources, and groups of sources whose order the data do not support."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datakin.learners.stack.records import call_of
from datakin.results.comparison import Comparison

__all__ = ["in_order"]

APART = 1.645  # standard errors of a difference that support an order


def in_order(found: Sequence[Comparison]) -> tuple[tuple[Comparison, ...], dict[str, int]]:
    """Return sources best first, and the number of each one's group.

    A group begins at the first source that hurts, and where a source lies below the first of the group
    before by more than 1.645 standard errors of the difference. Sources are taken as independent. They
    share the target's rows, so that the standard error is too large rather than too small: groups are
    approximate and cautious.

    Parameters
    ----------
    found : sequence of Comparison
        Of one target.
    """
    if any(c.trial is not None for c in found):
        values = {c.source: _by_trial(c) for c in found}
        ordered = sorted(found, key=_place)
    else:
        values = {c.source: _by_loss(c) for c in found}
        ordered = sorted(found, key=lambda c: (c.source_to_target, c.score, c.source))
    groups: dict[str, int] = {}
    first, number, is_last = values[ordered[0].source], 1, _hurts(ordered[0])
    for comparison in ordered:
        value, error = values[comparison.source]
        hurts = _hurts(comparison)
        if hurts != is_last or first[0] - value > APART * float(np.hypot(first[1], error)):
            first, number, is_last = (value, error), number + 1, hurts
        groups[comparison.source] = number
    return tuple(ordered), groups


def _place(c: Comparison) -> tuple[bool, bool, float, float, str]:
    """Return what a source is ordered by where some were tried: the gain to expect, those that hurt last.

    A copy of the target comes first. Another source that was not tried counts as one that brings nothing.
    """
    is_copy = c.trial is None and c.score == c.source_to_target == 0.0
    gain = 0.0 if c.trial is None else c.trial.gain
    return _hurts(c), not is_copy, -gain, c.source_to_target, c.source


def _hurts(c: Comparison) -> bool:
    return c.trial is not None and call_of(c.trial) == "hurts"


def _by_trial(c: Comparison) -> tuple[float, float]:
    """Return what was seen in a trial, and its standard error."""
    return (0.0, 0.0) if c.trial is None else (c.trial.tried, c.trial.standard_error)


def _by_loss(c: Comparison) -> tuple[float, float]:
    """Return what a source's predictors do better on the target than its own, and its standard error."""
    return -c.source_to_target, c.directions["source_to_target"].standard_error
