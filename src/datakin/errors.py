"""The hinge of the house: fitted plans -> losses row by row -> the cross-error table.

Everything before this file is expensive and done once per dataset; everything after it is a pure
view of what is computed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learning.calibration import fit_sigmoids
from datakin.learning.engine import FitFailure, FittedPlan, Scores, Table
from datakin.learning.ensemble import View, model_weights, row_losses
from datakin.learning.losses import Loss

__all__ = ["ErrorTable", "Errors", "Learner", "Predictions"]

HELD = ("fold", "inner")
HELD_OUT = {"full": "none", "fold": "one", "inner": "two"}


@dataclass(frozen=True, eq=False)
class Errors:
    """Losses of one dataset's predictors on one dataset's rows.

    Predictors come in three sizes: "full" (trained on all rows), "fold" (one fold held out) and
    "inner" (two held out). The rows of the arrays are the models, then "ensemble", then "average"
    (the models' losses averaged with the ensemble's weights).

    Attributes
    ----------
    rows : mapping of size to ndarray of shape (M + 2, n)
        Loss on each row, averaged over the predictors of that size. A cross-validated own error
        has no "full": a predictor trained on all rows cannot be tested on them. A cross error has
        no "inner" if the limit was not asked for.
    means : mapping of size to ndarray of shape (M + 2, K)
        Mean loss of the predictors that left out fold k.
    weights : ndarray of shape (n,)
        Weight of each tested row in the mean; 0 for a row that also stands in the other dataset.
    n_train : mapping of size to float
        Mean number of training rows; "all" is the number of rows there are, which is more than
        "full" where the score comes from samples.
    least : float
        What one more error on one row would add to the mean (0-1 losses; 0 for others). Errors
        that do not vary at all are not known any better than this.
    """

    trained_on: str
    tested_on: str
    models: tuple[str, ...]
    rows: Mapping[str, Array]
    means: Mapping[str, Array]
    weights: Array
    n_train: Mapping[str, float]
    least: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows of the arrays."""
        return (*self.models, "ensemble", "average")

    def error(self, size: str) -> Array:
        """Return the mean loss of every model, the ensemble and the average."""
        return np.asarray(self.rows[size] @ self.weights)


@dataclass(frozen=True, eq=False)
class Learner:
    """What is kept of a dataset's plan once its predictions are made: errors and weights.

    Attributes
    ----------
    own : Errors
        The errors of the dataset on itself: cross-validated, or on rows held out of everything.
    full_weights : ndarray of shape (M,)
        Ensemble weights from all rows; 0 for a model that failed.
    fold_weights : ndarray of shape (K, M)
        Ensemble weights from the rows outside each fold.
    folds : tuple of ndarray
        The own errors' rows in K parts: the folds, or parts of the rows held out.
    n_fits : int
    failures : tuple of FitFailure
    backends : mapping of str to str
        What fitted each model.
    """

    own: Errors
    full_weights: Array
    fold_weights: Array
    folds: tuple[Array, ...]
    n_fits: int
    failures: tuple[FitFailure, ...]
    backends: Mapping[str, str] = field(default_factory=dict)

    @property
    def row_weights(self) -> Array:
        """The ensemble weights w(-k) that belong to each row of fold k, shape (n, M)."""
        weights = np.empty((len(self.own.weights), self.fold_weights.shape[1]))
        for k, fold in enumerate(self.folds):
            weights[fold] = self.fold_weights[k]
        return weights


class Predictions:
    """A fitted plan read through its views: own errors, and errors on other datasets.

    Parameters
    ----------
    fitted : FittedPlan
    loss : Loss
        The loss of this dataset; it decides the ensemble's weights and its own error.
    sharpness : float
    voting : {"soft", "hard"}
    weighting : {"scaled", "paper"}
        Whether regression losses are divided by that of the best constant before weighting.
    held_out : Dataset, optional
        Other rows of the same dataset to measure its own errors on; the plan then needs no inner
        folds. As the fit on all rows can be tested on them, it stands for "fold", and the fits
        without one fold for "inner". By default own errors are cross-validated.
    n_rows : int, optional
        How many rows there are where the plan has only a sample of them.
    """

    def __init__(
        self,
        fitted: FittedPlan,
        loss: Loss,
        *,
        sharpness: float,
        voting: str,
        weighting: str,
        held_out: Dataset | None = None,
        n_rows: int | None = None,
    ) -> None:
        self.fitted, self.loss, self.voting = fitted, loss, voting
        self.sharpness, self.weighting, self.n_rows = sharpness, weighting, n_rows
        self.is_held_out = held_out is not None
        plan = fitted.plan
        outer = tuple((1 + k, fold) for k, fold in enumerate(plan.folds))
        self.full_view = self._view(outer, plan.trains[0])
        # Rows held out of everything need no weights that have not seen them.
        self.views = [
            self._view(entries, plan.trains[1 + k]) for k, entries in enumerate(plan.inner)
        ] or [self.full_view] * plan.n_folds
        if held_out is None:
            self.folds, self.own = plan.folds, self._own_errors()
        else:
            self.folds = _parts(held_out)
            self.own = self._held_out_errors(held_out)

    @property
    def dataset(self) -> Dataset:
        """The dataset the predictors were trained on."""
        return self.fitted.dataset

    def learner(self) -> Learner:
        """Return the errors and weights, without the fitted models."""
        fitted, views = self.fitted, self.views
        if self.is_held_out:
            views = [self.full_view] * len(self.folds)
        return Learner(
            self.own,
            self.full_view.weights,
            np.array([view.weights for view in views]),
            self.folds,
            fitted.n_fits,
            fitted.failures,
            {part.model.name: part.backend for part in fitted.parts},
        )

    def _view(self, entries: Iterable[tuple[int, Array]], train: Array) -> View:
        """Learn weights and calibration from fits and the rows that test them."""
        fitted, y = self.fitted, self.dataset.y
        entries = tuple(entries)
        n_models, n_classes = len(fitted.models), len(self.dataset.classes)
        shares = (
            np.bincount(y[train], minlength=n_classes) / len(train) if n_classes else np.ones(1)
        )
        sigmoids: list[Array | None] = [None] * n_models
        tested = np.concatenate([rows for _, rows in entries])
        for m in range(n_models):
            if fitted.is_decision(m):
                values = np.concatenate(
                    [_of(fitted.own_scores[fit], rows)[m] for fit, rows in entries]
                )
                sigmoids[m] = fit_sigmoids(values, y[tested])
        draft = View(sigmoids, shares, np.full(n_models, 1 / n_models))
        row_weights = self.loss.row_weights(self.dataset)
        errors = np.mean(
            [
                np.mean(self._own_losses(fit, draft, rows)[:n_models] * row_weights[rows], axis=1)
                for fit, rows in entries
            ],
            axis=0,
        )
        scale = 1.0
        if not n_classes and self.weighting == "scaled":
            scale = self.loss.of_best_constant(y[train])
        return View(sigmoids, shares, model_weights(errors, self.sharpness, scale))

    def _own_losses(self, fit: int, view: View, rows: Array) -> Array:
        classes = self.dataset.classes
        scores = _of(self.fitted.own_scores[fit], rows)
        return row_losses(
            scores,
            view,
            self.dataset.y[rows],
            self.loss,
            own=np.arange(len(classes)),
            names=classes,
            voting=self.voting,
        )

    def _own_errors(self) -> Errors:
        plan, n = self.fitted.plan, self.dataset.n_rows
        n_folds, n_outputs = plan.n_folds, len(self.fitted.models) + 2
        rows = {size: np.empty((n_outputs, n)) for size in ("fold", "inner")}
        weights = np.empty(n)
        row_weights = self.loss.row_weights(self.dataset)
        means = {size: np.empty((n_outputs, n_folds)) for size in rows}
        for k, fold in enumerate(plan.folds):
            view = self.views[k]
            rows["fold"][:, fold] = self._own_losses(1 + k, view, fold)
            inner = [self._own_losses(fit, view, fold) for fit, _ in plan.inner[k]]
            rows["inner"][:, fold] = np.mean(inner, axis=0)
            weights[fold] = row_weights[fold] / (n_folds * len(fold))
            for size in rows:
                means[size][:, k] = n_folds * (rows[size][:, fold] @ weights[fold])
        return Errors(
            self.dataset.name,
            self.dataset.name,
            self._model_names(),
            rows,
            means,
            weights,
            self._n_train(),
            _least(self.loss, weights),
        )

    def _held_out_errors(self, rows: Dataset) -> Errors:
        found = self.test_on(
            rows, self.loss, rows.classes, np.zeros(rows.n_rows, dtype=bool), inner=False
        )
        weights, row_weights = np.empty(rows.n_rows), self.loss.row_weights(rows)
        for part in self.folds:
            weights[part] = row_weights[part] / (len(self.folds) * len(part))
        return replace(found, weights=weights, least=_least(self.loss, weights))

    def test_on(
        self,
        other: Dataset,
        loss: Loss,
        classes: tuple[str, ...],
        left_out: Array,
        *,
        inner: bool = True,
        table: Table | None = None,
    ) -> Errors:
        """Return the errors on another dataset's rows.

        Parameters
        ----------
        other : Dataset
        loss : Loss
            The loss of the other dataset.
        classes : tuple of str
            Union of the classes of both.
        left_out : ndarray of bool
            Rows of the other dataset that stand in this one too.
        inner : bool
            Test the predictors without two folds too: most of the predictions, and of use for the
            limit alone.
        table : Table, optional
            The other rows as `tables` has made them.
        """
        plan, kept = self.fitted.plan, ~left_out
        position = {name: code for code, name in enumerate(classes)}
        own = np.array([position[name] for name in self.dataset.classes], dtype=int)
        y = np.array([position[c] for c in other.classes])[other.y] if classes else other.y
        weights = _kept_weights(loss, other, kept)

        def losses(scores: Scores, view: View) -> Array:
            return row_losses(scores, view, y, loss, own=own, names=classes, voting=self.voting)

        table = self.tables([other], inner)[0] if table is None else table
        n_fits = self._n_fits(inner)
        fit_scores = [self.fitted.scores(fit, table) for fit in range(n_fits)]
        parts = {"fold": [losses(fit_scores[1 + k], view) for k, view in enumerate(self.views)]}
        if inner:
            parts["inner"] = [
                np.mean([losses(fit_scores[fit], view) for fit, _ in plan.inner[k]], axis=0)
                for k, view in enumerate(self.views)
            ]
        full = losses(fit_scores[0], self.full_view)
        rows = {size: np.mean(part, axis=0) for size, part in parts.items()}
        means = {
            size: np.column_stack([errors @ weights for errors in part])
            for size, part in parts.items()
        }
        if self.is_held_out:
            rows, means = {"fold": full, "inner": rows["fold"]}, dict.fromkeys(HELD, means["fold"])
        return Errors(
            self.dataset.name,
            other.name,
            self._model_names(),
            {"full": full, **rows},
            means,
            weights,
            self._n_train(),
            _least(loss, weights),
        )

    def tables(self, others: Sequence[Dataset], inner: bool) -> list[Table]:
        """Return the rows of other datasets as `test_on` takes them, ready for many of them."""
        made = [self.fitted.table(d.features.matched_to(self.fitted.features)) for d in others]
        self.fitted.predict_ahead(made, self._n_fits(inner))
        return made

    def _n_fits(self, inner: bool) -> int:
        plan = self.fitted.plan
        return len(plan.trains) if inner else 1 + plan.n_folds

    def _model_names(self) -> tuple[str, ...]:
        return tuple(model.name for model in self.fitted.models)

    def _n_train(self) -> dict[str, float]:
        plan, full = self.fitted.plan, float(self.dataset.n_rows)
        inner = [len(plan.trains[fit]) for entries in plan.inner for fit, _ in entries]
        outer = [len(train) for train in plan.trains[1 : 1 + plan.n_folds]]
        sizes = {"all": float(self.n_rows or full), "full": full}
        if self.is_held_out:
            return {**sizes, "fold": full, "inner": float(np.mean(outer))}
        return {**sizes, "fold": float(np.mean(outer)), "inner": float(np.mean(inner))}


def _parts(dataset: Dataset, n_parts: int = 5) -> tuple[Array, ...]:
    """Return the rows in parts of about equal size, groups kept together."""
    number = np.arange(dataset.n_rows)
    if dataset.groups is not None:
        number = np.unique(dataset.groups, return_inverse=True)[1]
    return tuple(np.flatnonzero(number % n_parts == k) for k in range(n_parts))


def _least(loss: Loss, weights: Array) -> float:
    return float(weights.max()) if loss.needs == "label" and not loss.by_name else 0.0


def _of(scores: Scores, rows: Array) -> list[Any]:
    return [None if s is None else s[rows] for s in scores]


def _kept_weights(loss: Loss, dataset: Dataset, kept: Array) -> Array:
    """Return row weights that sum to 1 over the rows kept (over each class alike if balanced)."""
    weights = kept.astype(float)
    if loss.balanced:
        counts = np.bincount(dataset.y[kept], minlength=len(dataset.classes))
        weights = weights / np.maximum(counts, 1)[dataset.y]
    total = weights.sum()
    return weights / total if total else weights


def _records(part: Errors) -> Iterator[dict[str, Any]]:
    """Yield a record for every model and size, the ensemble among them."""
    shares = part.weights / part.weights.sum()
    for size, rows in part.rows.items():
        means = part.error(size)
        variances = ((rows - means[:, None]) ** 2) @ shares
        for name, mean, variance in zip(part.names, means, variances, strict=True):
            if name == "average" or np.isnan(mean):
                continue
            yield {
                "trained_on": part.trained_on,
                "tested_on": part.tested_on,
                "model": name,
                "held_out": HELD_OUT[size],
                "n_train": part.n_train[size],
                "rows": int(np.count_nonzero(part.weights)),
                "error": float(mean),
                "spread": float(np.sqrt(variance)),
            }


@dataclass(frozen=True, eq=False)
class ErrorTable:
    """The cross-error table: who was trained on what, tested on what, and erred how much.

    Attributes
    ----------
    records : tuple of dict
        trained_on, tested_on, model, held_out ("none", "one" or "two" folds), n_train, rows,
        error, spread (standard deviation of the row losses).
    """

    records: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, parts: Iterable[Errors]) -> ErrorTable:
        """Collect the means of several Errors; repeats of the same are averaged."""
        found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for record in (record for part in parts for record in _records(part)):
            key = tuple(record[name] for name in ("trained_on", "tested_on", "model", "held_out"))
            found.setdefault(key, []).append(record)
        averaged = [
            {**same[0], **{n: float(np.mean([r[n] for r in same])) for n in ("error", "spread")}}
            for same in found.values()
        ]
        return cls(tuple(averaged))

    @property
    def frame(self) -> pd.DataFrame:
        """The records as a data frame."""
        return pd.DataFrame(list(self.records))
