"""Run a dataset's plan: make every fit, and predict the dataset's own rows and other rows.

Here the *scores* of a fit are its outputs per row and class: probabilities, decision values or,
in regression, one predicted number. One dataset with one set of columns is one unit of work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from datakin._core.exceptions import DatakinError, FitFailure, warn
from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array, Features
from datakin.learners.encoding import MOST_CELLS, ColumnEncoder, TreeCodes, beside, laid_out
from datakin.learners.estimators import FittedLearner
from datakin.learners.fitters import start_fitter
from datakin.learners.folds import Plan
from datakin.learners.models import Model, fit_model
from datakin.learners.planned import PlannedFits, PlanRows

Scores = list["Array | None"]


class Table:
    """The rows of a dataset, and the matrices that a plan's fits make from them.

    `whole` has the same rows, before columns were chosen: what it knows of them is kept.
    """

    def __init__(self, features: Features, codes: TreeCodes, whole: Features | None = None) -> None:
        self.features, self.codes, self.whole = features, codes, whole or features

    @cached_property
    def ranks(self) -> Any:
        """The numbers as ranks, which are the same for all fits of a plan."""
        return self.codes.ranks(self.whole)

    def matrices(
        self, encoder: ColumnEncoder, kinds: Iterable[str], rows: Array | slice = slice(None)
    ) -> dict[str, Any]:
        """Return the matrices of one fit, those of some kinds."""
        return {
            kind: encoder.dense(self.features, rows)
            if kind == "dense"
            else beside(self.ranks[rows], encoder.indicators(self.features, rows))
            for kind in set(kinds)
        }


@dataclass(eq=False)
class ModelFits:
    """All fits of one model, in the plan's order.

    Attributes
    ----------
    model : Model
    fits : list of FittedLearner
        None at all if any fit failed: the model then counts as failed for the whole plan. Nor of a learner.
    planned : PlannedFits or None
        All fits of a learner.
    own_scores : list of (ndarray or None)
        Scores on the dataset's own rows, NaN where the fit was trained on the row; None for the
        fit on all rows, and for a model that failed.
    failures : list of FitFailure
    backend : str
        The name of the fitter.
    """

    model: Model
    fits: list[FittedLearner]
    own_scores: Scores
    failures: list[FitFailure] = field(default_factory=list)
    backend: str = ""
    planned: PlannedFits | None = None

    @property
    def works(self) -> bool:
        """Whether no fit failed."""
        return bool(self.fits) or self.planned is not None


class PlanRun:
    """A plan for a dataset and some of its columns, ready to run, with what the fits of all models share."""

    def __init__(
        self, dataset: Dataset, columns: Sequence[str], plan: Plan, random_state: int
    ) -> None:
        self.dataset, self.plan, self.random_state = dataset, plan, random_state
        self.columns = columns

    @cached_property
    def table(self) -> Table:
        """The rows as estimators take them."""
        features = laid_out(self.dataset.features, self.columns).canonical()
        return Table(features, TreeCodes(features))

    @cached_property
    def encoders(self) -> list[ColumnEncoder]:
        """What is learned of columns from the training rows of each fit, for estimators."""
        return [ColumnEncoder.learn(self.table.features, train) for train in self.plan.trains]

    @cached_property
    def rows(self) -> PlanRows:
        """The rows as learners take them."""
        return PlanRows.make(self.dataset, self.columns)

    def fit(
        self, models: Sequence[Model], advance: Callable[[], None] = lambda: None
    ) -> list[ModelFits]:
        """Fit some models on every training set and predict the rows held out."""
        made = {model.name: self._planned(model) for model in models if model.learner is not None}
        others = [model for model in models if model.learner is None]
        if others:
            made |= {each.model.name: each for each in self._fitted(others, advance)}
        else:
            for _ in self.plan.trains:
                advance()
        return [made[model.name] for model in models]

    def _planned(self, model: Model) -> ModelFits:
        """Return all fits of a learner."""
        made = ModelFits(model, [], [None] * len(self.plan.trains), backend="learner")
        assert model.learner is not None
        try:
            planned = self.rows.fit(model.learner, self.plan)
            own_scores = self.rows.own_scores(planned, self.plan)
        except Exception as error:  # as an estimator's: other models may do
            made.failures.append(FitFailure(self.dataset.name, model.name, "all", _sentence(error)))
        else:
            made.planned, made.own_scores = planned, own_scores
        return made

    def _fitted(self, models: Sequence[Model], advance: Callable[[], None]) -> list[ModelFits]:
        """Return the fits of estimators, one training set after the other."""
        features = self.table.features
        if features.is_sparse:
            warn(
                f"{self.dataset.name!r} is too large to be laid out in full ({features.n_rows} x "
                f"{len(features.names)} cells): of its sparse columns trees take zeros for missing values. "
                f"Fewer columns or rows (max_rows, --max-rows) would mend that."
            )
        models = [m.sized(features.n_rows, len(features.names)) for m in models]
        fitters = [start_fitter(m.estimator, m.backend, features.is_sparse) for m in models]
        kinds = [m.features for m in models]
        made = [ModelFits(model, [], []) for model in models]
        for train, left_out, encoder in zip(
            self.plan.trains, self.plan.names, self.encoders, strict=True
        ):
            held_out = self.plan.held_out(train)
            X, tests = (self.table.matrices(encoder, kinds, rows) for rows in (train, held_out))
            y, n_classes = self.dataset.y[train], len(self.dataset.classes)
            for each, fitter in zip(made, fitters, strict=True):
                name, kind = each.model.name, each.model.features
                seed = derive_seed(self.random_state, "fit", name, left_out)
                try:
                    fit = fit_model(
                        each.model, X[kind], y, n_classes, seed, fitter=fitter, rows=train
                    )
                    scores = fit.scores(tests[kind]) if len(held_out) else None
                except Exception as error:  # whatever a user's estimator raises
                    reason = _sentence(error)
                    each.failures.append(FitFailure(self.dataset.name, name, left_out, reason))
                else:
                    each.fits.append(fit)
                    each.own_scores.append(self._placed(scores, held_out))
            advance()
        for each, fitter in zip(made, fitters, strict=True):
            each.backend = fitter.name
            if each.failures:
                each.fits, each.own_scores = [], [None] * len(self.plan.trains)
        return made

    def _placed(self, scores: Array | None, rows: Array) -> Array | None:
        """Return the scores at their rows, NaN elsewhere."""
        if scores is None:
            return None
        spread = np.full((self.dataset.n_rows, scores.shape[1]), np.nan)
        spread[rows] = scores
        return spread


class FittedPlan:
    """All fits of one dataset, ready to predict.

    Attributes
    ----------
    own_scores : list over fits of lists over models
        As in `ModelFits`: None in every fit for a model with a failed one.
    failures : tuple of FitFailure
    n_fits : int
    """

    def __init__(self, run: PlanRun, parts: Iterable[ModelFits]) -> None:
        self.parts = tuple(parts)
        self.dataset, self.plan, self.run = run.dataset, run.plan, run
        self.models = tuple(part.model for part in self.parts)
        self.failures = tuple(failure for part in self.parts for failure in part.failures)
        if not any(part.works for part in self.parts):
            raise DatakinError(
                f"Every model failed on {self.dataset.name!r}. {summary(self.failures)}"
            )
        n_fits = len(self.plan.trains)
        self.n_fits = n_fits * len(self.parts)
        self.own_scores: list[Scores] = [
            [part.own_scores[i] for part in self.parts] for i in range(n_fits)
        ]

    def scores_on(self, others: Sequence[Dataset], n_fits: int) -> list[list[Scores]]:
        """Return the scores of the first fits on other datasets: a list over datasets, then fits."""
        found = [other.features for other in others]
        # An estimator that was fitted on a sparse matrix takes one.
        takes_sparse = self._has_estimators and self.run.table.features.is_sparse
        if any(each.is_sparse for each in found) and not takes_sparse:
            return [self._in_blocks(each, n_fits) for each in found]
        return self._on(found, n_fits)

    @property
    def _has_estimators(self) -> bool:
        return any(part.fits for part in self.parts)

    def _on(self, found: Sequence[Features], n_fits: int) -> list[list[Scores]]:
        """Return scores on tables of numbers: a list over tables, then fits."""
        scores: list[list[Scores]] = [
            [[None] * len(self.parts) for _ in range(n_fits)] for _ in found
        ]
        if self._has_estimators:
            own = self.run.table
            tables = [Table(each.matched_to(own.features), own.codes, each) for each in found]
            by_fit = [self._scores(fit, tables) for fit in range(n_fits)]
            scores = [list(of_table) for of_table in zip(*by_fit, strict=True)]
        planned = [(m, part) for m, part in enumerate(self.parts) if part.planned is not None]
        for of_table, features in zip(scores, found, strict=True):
            X = self.run.rows.encoder.apply(features) if planned else None
            for m, part in planned:
                for of_fit, given in zip(of_table, self._planned(part, X, n_fits), strict=True):
                    of_fit[m] = given
        return scores

    def _planned(self, part: ModelFits, X: Any, n_fits: int) -> Array:
        """Return the scores of a learner's fits."""
        assert part.planned is not None
        try:
            return part.planned.scores(X, n_fits)
        except Exception as error:
            raise self._failed(part, error) from None

    def _failed(self, part: ModelFits, error: Exception) -> DatakinError:
        """Return what to say where its own rows could be predicted and others cannot."""
        return DatakinError(
            f"The model {part.model.name!r} trained on {self.dataset.name!r} could not "
            f"predict ({_sentence(error)}); leave it out of models."
        )

    def _in_blocks(self, features: Features, n_fits: int) -> list[Scores]:
        """Return scores on rows that may be sparse, so many laid out at a time as fit."""
        names, n, parts = tuple(self.run.columns), features.n_rows, []
        size = max(MOST_CELLS // max(len(names), 1), 1) if features.is_sparse else n
        for start in range(0, n, size):
            some = features if size >= n else features.take(np.arange(start, min(start + size, n)))
            block = laid_out(some, names) if features.is_sparse else some
            parts.append(self._on([block], n_fits)[0])
        return [
            [None if m[0] is None else np.concatenate(m) for m in zip(*fit, strict=True)]
            for fit in zip(*parts, strict=True)
        ]

    def _scores(self, fit: int, tables: Sequence[Table]) -> list[Scores]:
        """Return the scores of one fit on some tables: a list over tables, then models."""
        kinds = {part.model.features for part in self.parts if part.fits}
        matrices = [table.matrices(self.run.encoders[fit], kinds) for table in tables]
        found: list[Sequence[Array | None]] = []
        for part in self.parts:
            X: list[Any] = [each.get(part.model.features) for each in matrices]
            try:
                if not part.fits:
                    found.append([None] * len(tables))
                elif part.model.features == "tree" and not any(sparse.issparse(each) for each in X):
                    # One call for all tables: to trees it costs more than 500 rows do. Those of other
                    # models are matrix products, whose last bits may depend on the other rows.
                    ends = np.cumsum([len(each) for each in X])[:-1]
                    found.append(np.split(part.fits[fit].scores(np.vstack(X)), ends))
                else:
                    found.append([part.fits[fit].scores(each) for each in X])
            except Exception as error:
                raise self._failed(part, error) from None
        return [list(of_table) for of_table in zip(*found, strict=True)]

    def is_decision(self, model: int) -> bool:
        """Return whether a model's scores are decision values, which need calibration."""
        fits = self.parts[model].fits
        return bool(fits) and bool(fits[0].n_classes) and fits[0].is_decision


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
