"""Checks of options: each refuses a bad value with one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, suggest

READING = ("label", "domain", "ignore", "group", "weight", "positive")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a word that is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise DatakinError(
            f"The '{name}' parameter must be one of {listed(choices, limit=10)}. "
            f"Got {value!r} instead.{suggest(value, choices)}"
        )


def check_count(name: str, value: Any, least: int | None, why: str = "") -> None:
    """Refuse what is not a whole number of at least so many; `why` says what for."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or (least is not None and value < least):
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


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of jobs."""
    is_whole = isinstance(n_jobs, int) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (is_whole and n_jobs):
        raise DatakinError(
            f"The 'n_jobs' parameter must be a number of jobs, -1 for all cores, or None. "
            f"Got {n_jobs!r} instead."
        )


def check_options(given: Iterable[str], known: Sequence[str], of: str) -> None:
    """Refuse an option by its name; `of` says what the known ones are options of."""
    for option in given:
        if option in READING:
            raise DatakinError(
                f"{option!r} belongs to reading: datakin.read_table(table, {option}=...) makes a "
                f"dataset to compare."
            )
        if option not in known:
            options = (
                f"The options are {listed(known, limit=30)}." if known else "It has no options."
            )
            raise DatakinError(
                f"Unknown option {option!r} of {of}. {options}{suggest(option, known)}"
            )


def check_callback(on_result: Any) -> None:
    """Refuse what cannot be called with a result, before hours of work rather than after."""
    if on_result is not None and not callable(on_result):
        raise DatakinError(
            f"The 'on_result' parameter must be a function of one result, or None. "
            f"Got {type(on_result).__name__} instead."
        )
