"""Checks of options: each refuses a bad value with one sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, suggest

__all__ = ["check_choice", "check_count", "check_number", "check_positive", "check_seed"]


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a word that is not one of the choices."""
    if value not in choices:
        raise DatakinError(
            f"The '{name}' parameter must be one of {listed(choices)}. "
            f"Got {value!r} instead.{suggest(value, choices)}"
        )


def check_count(name: str, value: Any, least: int | None, why: str = "") -> None:
    """Refuse what is not a whole number of at least so many; `why` says what for."""
    if not _is_whole(value) or (least is not None and value < least):
        bound = "" if least is None else f" of at least {least}"
        reason = f" ({why})" if why else ""
        raise DatakinError(
            f"The '{name}' parameter must be a whole number{bound}{reason}. Got {value!r} instead."
        )


def check_number(name: str, value: Any, what: str, fits: Callable[[float], bool]) -> None:
    """Refuse what is not a finite number that fits; `what` describes one that does."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not isfinite(value) or not fits(float(value)):
        raise DatakinError(f"The '{name}' parameter must be {what}. Got {value!r} instead.")


def check_positive(name: str, value: Any) -> None:
    """Refuse what is not a finite number above 0."""
    check_number(name, value, "a number above 0", lambda number: number > 0)


def check_seed(value: Any) -> None:
    """Refuse a random_state that would not repeat."""
    check_count("random_state", value, None, "results must be repeatable")


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
