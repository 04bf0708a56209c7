"""Fitted plans -> losses row by row, on the dataset itself and on others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from datakin.data import Dataset
from datakin.data.features import Array
from datakin.errors.records import Errors, Learner, kept_weights, least_error
from datakin.learning.calibration import fit_sigmoids
from datakin.learning.engine import FittedPlan, Scores, Table
from datakin.learning.ensemble import View, model_weights, row_losses
from datakin.learning.losses import Loss

__all__ = ["Predictions"]

HELD = ("fold", "inner")


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
            least_error(self.loss, weights),
        )

    def _held_out_errors(self, rows: Dataset) -> Errors:
        found = self.test_on(
            rows, self.loss, rows.classes, np.zeros(rows.n_rows, dtype=bool), inner=False
        )
        weights, row_weights = np.empty(rows.n_rows), self.loss.row_weights(rows)
        for part in self.folds:
            weights[part] = row_weights[part] / (len(self.folds) * len(part))
        return replace(found, weights=weights, least=least_error(self.loss, weights))

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
        weights = kept_weights(loss, other, kept)

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
            least_error(loss, weights),
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


def _of(scores: Scores, rows: Array) -> list[Any]:
    return [None if s is None else s[rows] for s in scores]
