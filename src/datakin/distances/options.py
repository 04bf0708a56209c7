"""Checks of the options that the distances share."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, suggest

__all__ = ["check_choice", "check_count", "check_positive", "check_seed"]


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a word that is not one of the choices."""
    if value not in choices:
        raise DatakinError(
            f"The '{name}' parameter must be one of {listed(choices)}. "
            f"Got {value!r} instead.{suggest(value, choices)}"
        )


def check_count(name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number of at least so many."""
    if not _is_whole(value) or value < least:
        raise DatakinError(
            f"The '{name}' parameter must be a whole number of at least {least}. "
            f"Got {value!r} instead."
        )


def check_positive(name: str, value: Any) -> None:
    """Refuse what is not a finite number above 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not isfinite(value) or value <= 0:
        raise DatakinError(
            f"The '{name}' parameter must be a number above 0. Got {value!r} instead."
        )


def check_seed(value: Any) -> None:
    """Refuse a random_state that would not repeat."""
    if not _is_whole(value):
        raise DatakinError(
            f"The 'random_state' parameter must be a whole number (results must be repeatable). "
            f"Got {value!r} instead."
        )


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
