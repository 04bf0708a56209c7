"""Run a dataset's plan: make every fit, and predict the dataset's own rows and other rows.

Here the *scores* of a fit are its outputs per row and class: probabilities, decision values or,
in regression, one predicted number. One dataset with one set of columns is one unit of work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, FitFailure, warn
from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array, Features
from datakin.learners.encoding import (
    MOST_CELLS,
    ColumnEncoder,
    TreeCodes,
    beside,
    dense_of_fits,
    laid_out,
)
from datakin.learners.estimators import FittedLearner
from datakin.learners.fitters import start_fitter
from datakin.learners.folds import Plan
from datakin.learners.models import Model, fit_model

__all__ = ["FitFailure", "FittedPlan", "ModelFits", "PlanRun", "Table", "summary"]

Scores = list["Array | None"]


class Table:
    """The rows of a dataset, and the matrices that a plan's fits make from them.

    `whole` has the same rows, before columns were chosen: what it knows of them is kept.
    """

    def __init__(self, features: Features, codes: TreeCodes, whole: Features | None = None) -> None:
        self.features, self.codes, self.whole = features, codes, whole or features
        self.known: dict[tuple[int, int], Array] = {}  # scores by fit and model, predicted ahead

    @cached_property
    def ranks(self) -> Any:
        """The numbers as ranks, which are the same for all fits of a plan."""
        return self.codes.ranks(self.whole)

    def matrices(self, encoder: ColumnEncoder, rows: Array | slice = slice(None)) -> dict[str, Any]:
        """Return the matrices of one fit by kind; each is made at its first use."""
        return _Matrices(self, encoder, rows)

    def of_fits(self, encoders: Sequence[ColumnEncoder], is_dense: bool) -> list[dict[str, Any]]:
        """Return the matrices of several fits on all rows; `is_dense`: whether dense ones are used."""
        made = [self.matrices(encoder) for encoder in encoders]
        dense = dense_of_fits(encoders, self.features) if is_dense else None
        for each, found in zip(made, dense or (), strict=False):
            each["dense"] = found
        return made


class _Matrices(dict[str, Any]):
    def __init__(self, table: Table, encoder: ColumnEncoder, rows: Array | slice) -> None:
        super().__init__()
        self.table, self.encoder, self.rows = table, encoder, rows

    def __missing__(self, kind: str) -> Any:
        features = self.table.features
        if kind == "dense":
            self[kind] = self.encoder.dense(features, self.rows)
        else:
            indicators = self.encoder.indicators(features, self.rows)
            self[kind] = beside(self.table.ranks[self.rows], indicators)
        return self[kind]


@dataclass(frozen=True, eq=False)
class ModelFits:
    """All fits of one model, in the plan's order.

    Attributes
    ----------
    fits : list of FittedLearner, or None
        None if any fit failed: the model then counts as failed for the whole plan.
    own_scores : list of (ndarray or None)
        Scores on the dataset's own rows, NaN where the fit was trained on the row; None for the
        fit on all rows.
    failures : tuple of FitFailure
    backend : str
        The name of the fitter.
    """

    model: Model
    fits: list[FittedLearner] | None
    own_scores: Scores
    failures: tuple[FitFailure, ...]
    backend: str


class PlanRun:
    """A plan ready to run, with what the fits of all models share.

    Parameters
    ----------
    dataset : Dataset
    columns : sequence of str
    plan : Plan
    random_state : int
    """

    def __init__(
        self, dataset: Dataset, columns: Sequence[str], plan: Plan, random_state: int
    ) -> None:
        self.dataset, self.plan, self.random_state = dataset, plan, random_state
        features = laid_out(dataset.features, columns).canonical()
        if features.is_sparse:
            warn(
                f"{dataset.name!r} is too large to be laid out in full ({features.n_rows} x "
                f"{len(features.names)} cells): of its sparse columns trees take zeros for missing values. "
                f"Fewer columns or rows (max_rows, --max-rows) would mend that."
            )
        self.table = Table(features, TreeCodes(features))
        self.encoders = [ColumnEncoder.learn(features, train) for train in plan.trains]

    def fit(
        self, models: Sequence[Model], advance: Callable[[], None] = lambda: None
    ) -> list[ModelFits]:
        """Fit some models on every training set and predict the rows held out."""
        is_sparse = self.table.features.is_sparse
        models = [m.sized(self.dataset.n_rows, len(self.table.features.names)) for m in models]
        fitters = [start_fitter(m.estimator, m.backend, is_sparse) for m in models]
        found: list[list[tuple[FittedLearner, Array | None] | FitFailure]] = [[] for _ in models]
        for i, (train, name) in enumerate(zip(self.plan.trains, self.plan.names, strict=True)):
            matrices = self.table.matrices(self.encoders[i], train)
            held_out = self.plan.rows_to_predict(i)
            tests = self.table.matrices(self.encoders[i], held_out)
            y, n_classes = self.dataset.y[train], len(self.dataset.classes)
            for model, fitter, made in zip(models, fitters, found, strict=True):
                seed = derive_seed(self.random_state, "fit", model.name, name)
                try:
                    X = matrices[model.features]
                    fit = fit_model(model, X, y, n_classes, seed, fitter=fitter, rows=train)
                    scores = None
                    if len(held_out):
                        scores = self._placed(fit.scores(tests[model.features]), held_out)
                    made.append((fit, scores))
                except Exception as error:  # whatever a user's estimator raises
                    made.append(FitFailure(self.dataset.name, model.name, name, _sentence(error)))
            advance()
        return [
            _collected(model, made, fitter.name)
            for model, made, fitter in zip(models, found, fitters, strict=True)
        ]

    def _placed(self, scores: Array, rows: Array) -> Array:
        """Return the scores at their rows, NaN elsewhere."""
        spread = np.full((self.dataset.n_rows, scores.shape[1]), np.nan)
        spread[rows] = scores
        return spread


def _collected(
    model: Model, made: Sequence[tuple[FittedLearner, Array | None] | FitFailure], backend: str
) -> ModelFits:
    failures = tuple(item for item in made if isinstance(item, FitFailure))
    if failures:
        return ModelFits(model, None, [None] * len(made), failures, backend)
    done = [item for item in made if not isinstance(item, FitFailure)]
    return ModelFits(model, [fit for fit, _ in done], [s for _, s in done], (), backend)


class FittedPlan:
    """All fits of one dataset, ready to predict.

    Parameters
    ----------
    run : PlanRun
    parts : iterable of ModelFits
        One per model, in the models' order.

    Attributes
    ----------
    features : Features
        The training features, columns in canonical order.
    own_scores : list over fits of lists over models
        Scores on the dataset's own rows, NaN where the fit was trained on the row.
    failures : tuple of FitFailure
        A model with a failed fit has None instead of scores in every fit.
    n_fits : int
    """

    def __init__(self, run: PlanRun, parts: Iterable[ModelFits]) -> None:
        self.parts = tuple(parts)
        self.dataset, self.plan, self.encoders = run.dataset, run.plan, run.encoders
        self.features, self.codes = run.table.features, run.table.codes
        self.models = tuple(part.model for part in self.parts)
        self.failures = tuple(failure for part in self.parts for failure in part.failures)
        if all(part.fits is None for part in self.parts):
            raise DatakinError(
                f"Every model failed on {self.dataset.name!r}. {summary(self.failures)}"
            )
        n_fits = len(self.plan.trains)
        self.n_fits = n_fits * len(self.parts)
        self.own_scores: list[Scores] = [
            [part.own_scores[i] for part in self.parts] for i in range(n_fits)
        ]

    def table(self, features: Features) -> Table:
        """Return other rows in the form that `scores` takes."""
        return Table(features.matched_to(self.features), self.codes, features)

    def scores(self, table: Table, n_fits: int) -> list[Scores]:
        """Return each model's scores on some rows, fit by fit; None for a failed model."""
        is_dense = any(part.model.features == "dense" for part in self.parts)
        matrices = table.of_fits(self.encoders[:n_fits], is_dense)
        return [self._scores(fit, table, matrices[fit]) for fit in range(n_fits)]

    def _scores(self, fit: int, table: Table, matrices: dict[str, Any]) -> Scores:
        found: Scores = []
        for m, part in enumerate(self.parts):
            try:
                if part.fits is None:
                    found.append(None)
                elif (fit, m) in table.known:
                    found.append(table.known[fit, m])
                else:
                    found.append(part.fits[fit].scores(matrices[part.model.features]))
            except Exception as error:  # predicting its own rows worked, these rows fail
                raise DatakinError(
                    f"The model {part.model.name!r} trained on {self.dataset.name!r} could not "
                    f"predict ({_sentence(error)}); leave it out of models."
                ) from None
        return found

    def scores_on(self, others: Sequence[Dataset], n_fits: int) -> list[list[Scores]]:
        """Return the scores of the first fits on other datasets: a list over datasets, then fits."""
        if not self.features.is_sparse and any(d.features.is_sparse for d in others):
            width = len(self.features.names)
            if sum(d.n_rows for d in others) * width > MOST_CELLS:
                return [self._scores_in_blocks(d.features, n_fits) for d in others]
        found = [d.features for d in others]
        if not self.features.is_sparse:
            found = [
                laid_out(features, self.features.names) if features.is_sparse else features
                for features in found
            ]
        tables = [self.table(features) for features in found]
        self.predict_ahead(tables, n_fits)
        return [self.scores(table, n_fits) for table in tables]

    def _scores_in_blocks(self, features: Features, n_fits: int) -> list[Scores]:
        """Return the scores of the first fits on sparse rows, so many laid out at a time as fit."""
        size = max(MOST_CELLS // max(len(self.features.names), 1), 1)
        blocks = []
        for start in range(0, features.n_rows, size):
            rows = np.arange(start, min(start + size, features.n_rows))
            full = laid_out(features.take(rows), self.features.names)
            table = self.table(full)
            blocks.append(self.scores(table, n_fits))
        return [
            [
                None if part.fits is None else np.concatenate([b[fit][m] for b in blocks])
                for m, part in enumerate(self.parts)
            ]
            for fit in range(n_fits)
        ]

    def predict_ahead(self, tables: Sequence[Table], n_fits: int) -> None:
        """Let trees predict several tables in one call, which costs them more than 500 rows do.

        The scores of trees do not depend on the other rows of the call. Those of other models are
        matrix products, and their last bits may.
        """
        trees = [
            m
            for m, part in enumerate(self.parts)
            if part.fits is not None and part.model.features != "dense"
        ]
        if not trees or len(tables) < 2 or self.features.is_sparse:
            return
        ends = np.cumsum([table.features.n_rows for table in tables])[:-1]
        ranks = self.codes.ranks(*(table.whole for table in tables))
        for fit in range(n_fits):
            encoder, rows = self.encoders[fit], ranks
            if encoder.levels:
                rows = beside(rows, np.vstack([encoder.indicators(t.features) for t in tables]))
            for m in trees:
                fits = self.parts[m].fits
                assert fits is not None
                pieces = np.split(fits[fit].scores(rows), ends)
                for table, scores in zip(tables, pieces, strict=True):
                    table.known[fit, m] = scores

    def is_decision(self, model: int) -> bool:
        """Return whether a model's scores are decision values, which need calibration."""
        fits = self.parts[model].fits
        return fits is not None and bool(fits[0].n_classes) and fits[0].is_decision


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
