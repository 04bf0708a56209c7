"""The options of a Cross-Learning Score, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Integral
from os import PathLike
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.learning.losses import Loss, resolve_loss
from datakin.learning.models import Model, choose_models
from datakin.scoring.cls import SIZES

__all__ = ["Options"]

MAX_ROWS = 10_000  # the whole plan of larger datasets takes minutes and decides no better
WHERE = ("n_jobs", "client", "checkpoint", "skip_unusable")  # change no number

AGGREGATES = ("ensemble", "weighted", "unweighted")
CHOICES = {
    "size": SIZES,
    "inner": ("shared", "fresh"),
    "voting": ("soft", "hard"),
    "zones": ("gain", "paper"),
    "zone_error": ("rows", "folds"),
    "weighting": ("scaled", "paper"),
}


@dataclass(frozen=True)
class Options:
    """How a score is computed. See `datakin.CrossLearningScore` for the meaning of each."""

    models: Any = None
    estimate: str = "ensemble"
    cv: int = 5
    loss: Any = "auto"
    sharpness: float = 500.0
    direction: float = 0.5
    size: str = "matched"
    inner: str = "shared"
    stratify: bool = True
    voting: str = "soft"
    weighting: str = "scaled"
    zones: str = "gain"
    zone_error: str = "rows"
    repeats: int = 1
    max_rows: int | None = MAX_ROWS
    precision: float = 0.005
    random_state: int = 0
    n_jobs: int | None = None
    client: Any = None
    checkpoint: Any = None
    skip_unusable: bool = False

    def check(self) -> None:
        """Refuse values that mean nothing, saying what would."""
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise DatakinError(
                    f"The '{name}' parameter must be one of {listed(choices)}. Got {value!r} instead."
                )
        _check_int("cv", self.cv, 3, "nested folds need at least three")
        _check_int("repeats", self.repeats, 1, "one set of folds is the least")
        _check_int("random_state", self.random_state, None, "results must be repeatable")
        if self.n_jobs is not None and (not _is_int(self.n_jobs) or self.n_jobs == 0):
            raise DatakinError(
                f"The 'n_jobs' parameter must be a number of jobs, -1 for all cores, or None. "
                f"Got {self.n_jobs!r} instead."
            )
        if self.max_rows is not None:
            _check_int("max_rows", self.max_rows, 200, "or None to use all rows")
        if not _is_number(self.precision) or self.precision <= 0:
            raise DatakinError(
                f"The 'precision' parameter must be a number above 0, a standard error to reach. "
                f"Got {self.precision!r} instead."
            )
        if self.client is not None and not (
            isinstance(self.client, str) or hasattr(self.client, "submit")
        ):
            raise DatakinError(
                f"The 'client' parameter must be a dask.distributed.Client or a scheduler's address. "
                f"Got {self.client!r} instead."
            )
        if self.checkpoint is not None and not isinstance(self.checkpoint, (str, PathLike)):
            raise DatakinError(
                f"The 'checkpoint' parameter must be the path of a folder. "
                f"Got {self.checkpoint!r} instead."
            )
        if not _is_number(self.sharpness) or self.sharpness < 0:
            raise DatakinError(
                f"The 'sharpness' parameter must be a number, at least 0. Got {self.sharpness!r} instead."
            )
        if not _is_number(self.direction) or not 0 <= self.direction <= 1:
            raise DatakinError(
                f"The 'direction' parameter must lie between 0 and 1. Got {self.direction!r} instead."
            )
        self.resolved_loss()

    def resolved_loss(self) -> Loss | None:
        """Return the loss, None for "auto"."""
        return resolve_loss(self.loss)

    def chosen_models(self, is_class: bool) -> tuple[Model, ...]:
        """Return the models for the task, and check that `estimate` is one of what they give."""
        models = choose_models(self.models, is_class)
        names = [model.name for model in models]
        if self.estimate not in (*AGGREGATES, *names):
            if self.models is None:
                known = {m.name: m for m in choose_models("extended", is_class)}
                if self.estimate in known:  # a model of the extended zoo, asked for by name alone
                    return (*models, known[self.estimate])
            raise DatakinError(
                f"The 'estimate' parameter must be one of {listed((*AGGREGATES, *names), limit=12)}. "
                f"Got {self.estimate!r} instead.{suggest(str(self.estimate), [*AGGREGATES, *names])}"
            )
        return models

    def summary(self) -> dict[str, Any]:
        """Return the options as plain values for the record."""
        models = self.models
        if isinstance(models, dict):
            models = {str(k): repr(v) for k, v in models.items()}
        elif models is not None and not isinstance(models, str):
            models = [m if isinstance(m, str) else repr(m) for m in models]
        resolved = self.resolved_loss()
        loss = self.loss if isinstance(self.loss, str) else resolved.name if resolved else "auto"
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name in WHERE:
            del plain[name]
        return {**plain, "models": models, "loss": loss}


def _is_int(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    return isfinite(value)


def _check_int(name: str, value: Any, least: int | None, why: str) -> None:
    if not _is_int(value) or (least is not None and value < least):
        bound = "" if least is None else f" of at least {least}"
        raise DatakinError(
            f"The '{name}' parameter must be a whole number{bound} ({why}). Got {value!r} instead."
        )
