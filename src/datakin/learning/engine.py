"""Runs a dataset's plan: every fit, and the scores each gives on its own and on other rows.

One dataset with one set of columns is one unit of work. Nothing here knows of pairs or scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.seeds import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array, Features
from datakin.learning.encoding import Encoder, TreeCodes
from datakin.learning.folds import Plan
from datakin.learning.models import FittedModel, Model, fit_model

__all__ = ["FitFailure", "FittedPlan", "run_plan"]

Scores = list["Array | None"]


@dataclass(frozen=True)
class FitFailure:
    """A fit that raised: which, and what it said."""

    dataset: str
    model: str
    fit: str
    reason: str


@dataclass(frozen=True, eq=False)
class FittedPlan:
    """All fits of one dataset, ready to predict.

    Attributes
    ----------
    features : Features
        The training features, columns in canonical order.
    own_scores : list over fits
        Scores on the dataset's own rows, NaN where the fit was trained on the row.
    failures : tuple of FitFailure
        A model with a failed fit has None instead of scores throughout.
    n_fits : int
    """

    dataset: Dataset
    features: Features
    models: tuple[Model, ...]
    plan: Plan
    encoders: Sequence[Encoder]
    fits: Sequence[Sequence[FittedModel | None]]
    failures: tuple[FitFailure, ...]
    n_fits: int
    codes: TreeCodes
    own_scores: list[Scores] = field(default_factory=list)

    def scores(self, fit: int, features: Features, rows: Array | slice = slice(None)) -> Scores:
        """Return each model's scores on some rows; None for a failed model."""
        matrices = _Matrices(self.encoders[fit], self.codes, features, rows)
        found: Scores = []
        for model, fitted in zip(self.models, self.fits[fit], strict=True):
            try:
                found.append(None if fitted is None else fitted.scores(matrices[model.features]))
            except Exception as error:  # it has predicted its own rows, yet fails on others
                raise DatakinError(
                    f"The model {model.name!r} trained on {self.dataset.name!r} could not predict "
                    f"({_sentence(error)}); leave it out of models."
                ) from None
        return found

    def is_decision(self, model: int) -> bool:
        """Whether a model's scores need calibration."""
        fitted = self.fits[0][model]
        return fitted is not None and bool(fitted.n_classes) and fitted.is_decision


class _Matrices(dict[str, Any]):
    """The matrices of one fit, each made when a model first asks for it."""

    def __init__(self, encoder: Encoder, codes: TreeCodes, features: Features, rows: Any) -> None:
        super().__init__()
        self.encoder, self.codes, self.features, self.rows = encoder, codes, features, rows

    def __missing__(self, kind: str) -> Any:
        if kind == "dense":
            self[kind] = self.encoder.dense(self.features, self.rows)
        else:
            indicators = self.encoder.indicators(self.features, self.rows)
            self[kind] = self.codes.matrix(self.features, indicators, self.rows)
        return self[kind]


def run_plan(
    dataset: Dataset,
    columns: Sequence[str],
    models: tuple[Model, ...],
    plan: Plan,
    random_state: int,
    advance: Callable[[], None] = lambda: None,
) -> FittedPlan:
    """Fit every model on every training set of the plan and predict the rows held out."""
    features = dataset.features.select(columns).canonical()
    codes = TreeCodes(features)
    encoders, fits, failures, own = [], [], [], []
    for i, (train, name) in enumerate(zip(plan.trains, plan.names, strict=True)):
        encoder = Encoder.learn(features, train)
        matrices = _Matrices(encoder, codes, features, train)
        held_out = plan.rows_to_predict(i)
        tests = _Matrices(encoder, codes, features, held_out)
        fitted: list[FittedModel | None] = []
        own_scores: Scores = []
        for model in models:
            seed = derive_seed(random_state, "fit", model.name, name)
            try:
                X = matrices[model.features]
                fit = fit_model(model, X, dataset.y[train], len(dataset.classes), seed)
                scores = None
                if len(held_out):
                    scores = _placed(fit.scores(tests[model.features]), held_out, dataset.n_rows)
                fitted.append(fit)
                own_scores.append(scores)
            except Exception as error:  # whatever a user's estimator raises
                fitted.append(None)
                own_scores.append(None)
                failures.append(FitFailure(dataset.name, model.name, name, _sentence(error)))
        encoders.append(encoder)
        fits.append(fitted)
        own.append(own_scores)
        advance()
    broken = {failure.model for failure in failures}
    if len(broken) == len(models):
        raise DatakinError(f"Every model failed on {dataset.name!r}. {summary(failures)}")

    def working(rows: Any) -> Any:
        return [
            [None if m.name in broken else f for m, f in zip(models, row, strict=True)]
            for row in rows
        ]

    result = FittedPlan(
        dataset,
        features,
        models,
        plan,
        encoders,
        working(fits),
        tuple(failures),
        len(plan.trains) * len(models),
        codes,
        working(own),
    )
    return result


def _placed(scores: Array, rows: Array, n_rows: int) -> Array:
    """Return the scores at their rows, NaN elsewhere."""
    spread = np.full((n_rows, scores.shape[1]), np.nan)
    spread[rows] = scores
    return spread


def summary(failures: Sequence[FitFailure]) -> str:
    """Group equal failures: one sentence for each model and reason, with counts."""
    groups: dict[tuple[str, str], list[FitFailure]] = {}
    for failure in failures:
        groups.setdefault((failure.model, failure.reason), []).append(failure)
    return " ".join(
        f"{model}: {len(found)} fit(s) failed on {len({f.dataset for f in found})} dataset(s) ({reason})."
        for (model, reason), found in groups.items()
    )


def _sentence(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:160]}" if text else type(error).__name__
