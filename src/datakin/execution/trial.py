"""Pooling tried out: the rows of the target predicted by fits that had the source's rows as well.

The forecast knows how far the source's predictor is behind; what a pool makes of both it infers. Where
the datasets differ in their features, a pooled fit can do much better than that: it learns each rule
where it holds. A few fits of the simplest model tell, at the price of more noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learning.backends import start_fitter
from datakin.learning.encoding import ColumnEncoder, TreeCodes, laid_out
from datakin.learning.engine import Table
from datakin.learning.ensemble import View, row_losses
from datakin.learning.folds import Plan
from datakin.learning.losses import Loss
from datakin.learning.models import Model, fit_model

__all__ = ["try_pool"]


def try_pool(
    source: Dataset,
    target: Dataset,
    columns: Sequence[str],
    classes: Sequence[str],
    model: Model,
    plan: Plan,
    loss: Loss,
    random_state: int,
) -> Array | None:
    """Return the losses on the target's rows, each predicted without its fold.

    Parameters
    ----------
    source, target : Dataset
    columns : sequence of str
    classes : sequence of str
        Of both.
    model : Model
    plan : Plan
        The target's.
    loss : Loss
        The target's.
    random_state : int

    Returns
    -------
    ndarray of shape (n,) or None
        None where the model fails, or gives no probabilities to a loss that needs them.
    """
    both = target.features.select(columns).stacked(source.features)
    features = laid_out(both).canonical()
    table = Table(features, TreeCodes(features))
    n, n_classes = target.n_rows, len(classes)
    y = np.concatenate([_codes(target, classes), _codes(source, classes)])
    fitter = start_fitter(model.estimator, model.backend, features.is_sparse)
    losses = np.empty(n)
    for k, fold in enumerate(plan.folds):
        train = np.append(plan.trains[1 + k], np.arange(n, len(y)))
        encoder = ColumnEncoder.learn(features, train)
        seed = derive_seed(random_state, "pool", model.name, k)
        try:
            X = table.matrices(encoder, train)[model.features]
            fit = fit_model(model, X, y[train], n_classes, seed, fitter=fitter)
            scores = fit.scores(table.matrices(encoder, fold)[model.features])
        except Exception:  # whatever a user's estimator raises: the forecast does without
            return None
        if n_classes and fit.is_decision and (loss.balanced or loss.needs == "probability"):
            return None
        shares = (
            np.bincount(y[train], minlength=n_classes) / len(train) if n_classes else np.ones(1)
        )
        losses[fold] = row_losses(
            [scores],
            View([None], np.maximum(shares, 1e-9), np.ones(1)),
            y[fold],
            loss,
            own=np.arange(n_classes),
            names=classes,
            voting="soft",
        )[0]
    return losses


def _codes(dataset: Dataset, classes: Sequence[str]) -> Array:
    """Return the labels as positions in the classes of both datasets, or as they are."""
    if not classes:
        return dataset.y
    position = {name: code for code, name in enumerate(classes)}
    return np.array([position[name] for name in dataset.classes])[dataset.y]
