"""Predictions read with weights -> losses row by row. Nothing is fitted here.

Ensemble weights stay nested: a row of fold k is only ever predicted with weights and calibration that
come from rows outside fold k.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from datakin.cross_errors.options import Options
from datakin.cross_errors.records import (
    Errors,
    PlanPredictions,
    Scores,
    Trained,
    kept_weights,
    least_error,
)
from datakin.data.features import Array
from datakin.learners.ensemble import (
    View,
    fit_sigmoids,
    losses_of_fits,
    model_weights,
    outputs_of_fits,
)
from datakin.learners.losses import Labels, Loss

N_PARTS = 5  # of rows held out of everything, to tell how much their error varies


class PlanReading:
    """The predictions of one plan, read with the weights that some options give.

    Parameters
    ----------
    loss : Loss
        The loss of this dataset; it decides the ensemble's weights and its own error.
    labels : Labels
        Of the rows that own errors are measured on: all rows, by cross-validation; or, for a sample,
        other rows held out of everything. As the fit on the whole sample can be tested on those, it
        then stands for "fold", and the fits without one fold for "inner".
    views : tuple of View and sequence of View, optional
        Weights and calibration from all rows and from those outside each fold, where they are known.
    """

    def __init__(
        self,
        made: PlanPredictions,
        loss: Loss,
        options: Options,
        labels: Labels,
        views: tuple[View, Sequence[View]] | None = None,
    ) -> None:
        self.made, self.loss, self.options, self.labels = made, loss, options, labels
        is_whole = made.held_out is None
        trained = labels if is_whole else Labels(made.dataset, made.y, made.classes)
        self.row_weights = loss.row_weights(trained)
        self.full_view, self.views = views or self._find_views()

    def _find_views(self) -> tuple[View, Sequence[View]]:
        plan = self.made.plan
        outer = tuple((1 + k, fold) for k, fold in enumerate(plan.folds))
        full = self._view(outer, plan.trains[0])
        # Rows held out of everything need no weights that have not seen them.
        views = [self._view(entries, plan.trains[1 + k]) for k, entries in enumerate(plan.inner)]
        return full, views or [full] * plan.n_folds

    def trained(self) -> Trained:
        """Return own errors and weights."""
        made, views, folds = self.made, self.views, self.made.plan.folds
        if made.held_out is None:
            own = self._own_errors()
        else:
            folds = _parts(self.labels)
            views = [self.full_view] * len(folds)
            own = self._held_out_errors(folds)
        weights = np.array([view.weights for view in views])
        return Trained(
            own, self.full_view.weights, weights, folds, made.n_fits, made.failures, made.backends
        )

    def _view(self, entries: Iterable[tuple[int, Array]], train: Array) -> View:
        """Learn weights and calibration from fits and the rows that test them."""
        made, y = self.made, self.made.y
        entries = tuple(entries)
        n_models, n_classes = len(made.models), len(made.classes)
        shares = (
            np.bincount(y[train], minlength=n_classes) / len(train) if n_classes else np.ones(1)
        )
        sigmoids: list[Array | None] = [None] * n_models
        tested = np.concatenate([rows for _, rows in entries])
        for m in range(n_models):
            if made.decisions[m]:
                values = np.concatenate([_of(made.scores[fit], rows)[m] for fit, rows in entries])
                sigmoids[m] = fit_sigmoids(values, y[tested])
        draft = View(sigmoids, shares, np.full(n_models, 1 / n_models))
        losses = (
            self._own_losses(fit, draft, rows)[:n_models] * self.row_weights[rows]
            for fit, rows in entries
        )
        errors = np.mean([np.mean(each, axis=1) for each in losses], axis=0)
        scale = 1.0
        if not n_classes and self.options.weighting == "scaled":
            scale = self.loss.of_best_constant(y[train])
        return View(sigmoids, shares, model_weights(errors, self.options.sharpness, scale))

    def _own_losses(self, fit: int, view: View, rows: Array) -> Array:
        classes = self.made.classes
        found = losses_of_fits(
            [_of(self.made.scores[fit], rows)],
            [view],
            self.made.y[rows],
            self.loss,
            own=np.arange(len(classes)),
            names=classes,
            voting=self.options.voting,
        )
        return np.asarray(found[0])

    def _own_errors(self) -> Errors:
        made, plan = self.made, self.made.plan
        n_folds, n_outputs, n = plan.n_folds, len(made.models) + 2, len(made.y)
        rows = {size: np.empty((n_outputs, n)) for size in ("fold", "inner")}
        weights = np.empty(n)
        for k, fold in enumerate(plan.folds):
            view = self.views[k]
            rows["fold"][:, fold] = self._own_losses(1 + k, view, fold)
            inner = [self._own_losses(fit, view, fold) for fit, _ in plan.inner[k]]
            rows["inner"][:, fold] = np.mean(inner, axis=0)
            weights[fold] = self.row_weights[fold] / (n_folds * len(fold))
        name = made.dataset
        least = least_error(self.loss, weights)
        return Errors(name, name, made.models, rows, {}, weights, self._n_train, least)

    def _held_out_errors(self, parts: Sequence[Array]) -> Errors:
        labels = self.labels
        nothing = np.zeros(labels.n_rows, dtype=bool)
        assert self.made.held_out is not None
        found = self.test_on(labels, self.made.held_out, self.loss, labels.classes, nothing)
        weights, row_weights = np.empty(labels.n_rows), self.loss.row_weights(labels)
        for part in parts:
            weights[part] = row_weights[part] / (len(parts) * len(part))
        return replace(found, weights=weights, least=least_error(self.loss, weights))

    def test_on(
        self,
        other: Labels,
        scores: Sequence[Scores],
        loss: Loss,
        classes: tuple[str, ...],
        left_out: Array,
    ) -> Errors:
        """Return the errors on another dataset's rows, in its loss and in the classes of both.

        `scores` are those of the fit on all rows and of those without one fold; those without two
        folds, if they are there, give the errors that the limit needs. Rows that stand in this dataset
        too are left out.
        """
        made, plan = self.made, self.made.plan
        position = {name: code for code, name in enumerate(classes)}
        own = np.array([position[name] for name in made.classes], dtype=int)
        y = np.array([position[c] for c in other.classes])[other.y] if classes else other.y
        weights = _weights(loss, other, left_out)
        voting = self.options.voting

        def losses(fits: Sequence[int], views: Sequence[View]) -> Array:
            some = [scores[fit] for fit in fits]
            return losses_of_fits(some, views, y, loss, own=own, names=classes, voting=voting)

        full, *outer = losses(range(1 + plan.n_folds), [self.full_view, *self.views])
        rows = {"full": full, "fold": np.mean(outer, axis=0)}
        if len(scores) > 1 + plan.n_folds:
            inner = [
                np.mean(losses([fit for fit, _ in fits], [view] * len(fits)), axis=0)
                for fits, view in zip(plan.inner, self.views, strict=True)
            ]
            rows["inner"] = np.mean(inner, axis=0)
        if made.held_out is not None:
            rows = {"full": full, "fold": full, "inner": rows["fold"]}
        means = {"fold": np.column_stack([errors @ weights for errors in outer])}
        least = least_error(loss, weights)
        about = made.dataset, other.name, made.models
        return Errors(*about, rows, means, weights, self._n_train, least)

    def own_outputs(self, estimate: str) -> tuple[Array | None, Array]:
        """Return the predictions that own errors ("fold") are of: outputs, and classes decided for.

        Of the ensemble or of one model, each with a first axis of length 1; see `outputs_of_fits`.
        """
        made, plan = self.made, self.made.plan
        if made.held_out is not None:
            return self.outputs_on(made.held_out, self.loss, "full", estimate)
        outputs: Array | None = None
        decided = np.empty((1, len(made.y) if made.classes else 0), dtype=int)
        for k, fold in enumerate(plan.folds):
            scores = [_of(made.scores[1 + k], fold)]
            p, best = self._outputs(scores, [self.views[k]], self.loss, estimate)
            if p is not None:
                outputs = np.empty((1, len(made.y), p.shape[-1])) if outputs is None else outputs
                outputs[:, fold] = p
            if made.classes:
                decided[:, fold] = best
        return outputs, decided

    def outputs_on(
        self, scores: Sequence[Scores], loss: Loss, size: str, estimate: str
    ) -> tuple[Array | None, Array]:
        """Return the predictions that errors on other rows are of, one for each predictor of a size.

        `loss` is that of the rows, `size` "full" or "fold", `estimate` "ensemble" or a model's name.
        """
        if size == "full" or self.made.held_out is not None:
            return self._outputs([scores[0]], [self.full_view], loss, estimate)
        fits = range(1, 1 + self.made.plan.n_folds)
        return self._outputs([scores[fit] for fit in fits], self.views, loss, estimate)

    def _outputs(
        self, scores: Sequence[Scores], views: Sequence[View], loss: Loss, estimate: str
    ) -> tuple[Array | None, Array]:
        model = None if estimate == "ensemble" else self.made.models.index(estimate)
        return outputs_of_fits(scores, views, loss, voting=self.options.voting, model=model)

    @cached_property
    def _n_train(self) -> dict[str, float]:
        plan, full = self.made.plan, float(len(self.made.y))
        inner = [len(plan.trains[fit]) for entries in plan.inner for fit, _ in entries]
        outer = [len(train) for train in plan.trains[1 : 1 + plan.n_folds]]
        sizes = {"all": float(self.made.n_rows), "full": full}
        if self.made.held_out is not None:
            return {**sizes, "fold": full, "inner": float(np.mean(outer))}
        return {**sizes, "fold": float(np.mean(outer)), "inner": float(np.mean(inner))}


def _parts(labels: Labels) -> tuple[Array, ...]:
    """Return the rows in parts of about equal size, groups kept together."""
    number = np.arange(labels.n_rows)
    if labels.groups is not None:
        number = np.unique(labels.groups, return_inverse=True)[1]
    return tuple(np.flatnonzero(number % N_PARTS == k) for k in range(N_PARTS))


def _weights(loss: Loss, labels: Labels, left_out: Array) -> Array:
    """Return the weights of the tested rows in the mean."""
    if np.count_nonzero(left_out):
        return kept_weights(loss, labels, ~left_out)
    if loss.balanced not in labels.kept:
        labels.kept[loss.balanced] = kept_weights(loss, labels, ~left_out)
    return labels.kept[loss.balanced]


def _of(scores: Scores, rows: Array) -> list[Any]:
    return [None if s is None else s[rows] for s in scores]
