"""Heads: small models fitted on the embeddings of one dataset.

A linear head is logistic regression (ridge regression for numbers) on standardised embeddings, with
scikit-learn's L2 penalty and at its optimum. Small ones are solved by the package's own Newton
method, large ones by scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression
from torch import nn

from datakin._core.warned import unheard
from datakin.data.features import Array
from datakin.deep.training import Training, fit_network, seeded
from datakin.learners.fitters import MOST_PARAMETERS
from datakin.learners.newton import logistic

Model = Callable[[Array], Array]


@dataclass(frozen=True)
class HeadOptions:
    """The kind of head, and how it is fitted.

    Attributes
    ----------
    kind : {"linear", "mlp"}
    C : float
        Inverse strength of the linear head's penalty, as in scikit-learn.
    hidden : int
        Hidden units of the MLP.
    scale : {"each", "whole"}
        Divide each feature by its own standard deviation, or all by one number. The latter is for
        an encoder that was trained on both datasets, whose features are already on one scale: a
        feature that hardly varies in one dataset must not become large in the other.
    """

    kind: str
    C: float
    hidden: int
    device: Any
    scale: str = "each"


@dataclass(frozen=True, eq=False)
class Head:
    """A fitted head.

    Attributes
    ----------
    model : callable
        Embeddings in; out come probabilities of the classes that it was trained on, shape
        (n, len(codes)), or values, shape (n, 1).
    codes : ndarray of int
        The classes of the training rows.
    n_classes : int
        Number of all classes; 0 for regression.
    """

    model: Model
    codes: Array
    n_classes: int

    def predict(self, Z: Array) -> Array:
        """Return probabilities (n, n_classes), 0 for classes without training rows, or values (n, 1)."""
        found = np.asarray(self.model(Z))
        if len(self.codes) == self.n_classes:
            return found
        full = np.zeros((len(Z), self.n_classes))
        full[:, self.codes] = found
        return full


def fit_head(Z: Array, y: Array, n_classes: int, options: HeadOptions, seed: int) -> Head:
    """Fit a head on embeddings.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Embeddings of the training rows.
    y : ndarray of shape (n,)
        Class codes or numbers.
    n_classes : int
        0 for regression.
    """
    codes, targets = np.zeros(0, dtype=int), y
    if n_classes:
        codes, targets = np.unique(y, return_inverse=True)
    if len(codes) == 1:
        return Head(lambda Z: np.ones((len(Z), 1)), codes, n_classes)
    mean, spread = _scale(Z, options.scale)

    def scaled(Z: Array) -> Array:
        return np.asarray((Z - mean) / spread)

    fit = _mlp if options.kind == "mlp" else _linear
    model = fit(scaled(Z), targets, len(codes), options, seed)
    return Head(lambda Z: model(scaled(Z)), codes, n_classes)


def _scale(Z: Array, scale: str) -> tuple[Array, Array]:
    """Return what features are standardised by: the means and the spreads of the training rows."""
    mean, spread = Z.mean(axis=0), Z.std(axis=0)
    if scale == "whole":
        spread = np.full(len(spread), np.sqrt(np.mean(spread**2)))
    return mean, np.where(spread > 1e-12 * (1 + np.abs(mean)), spread, 1.0)


def _linear(X: Array, y: Array, n_classes: int, options: HeadOptions, _: int) -> Model:
    """Fit logistic regression, or ridge regression for numbers."""
    few, back = _reduce(X)
    if n_classes:
        beta = _logistic(few, y, n_classes, options.C)
    else:
        beta = _ridge(few, y, 1.0 / options.C)
    coefficients, intercept = back @ beta[:-1], beta[-1]

    def model(X: Array) -> Array:
        eta = X @ coefficients + intercept
        if n_classes == 2:
            return np.hstack([expit(-eta), expit(eta)])
        return np.asarray(softmax(eta, axis=1) if n_classes else eta)

    return model


def _mlp(X: Array, y: Array, n_classes: int, options: HeadOptions, seed: int) -> Model:
    """Fit a network with one hidden layer."""
    given = X.astype(np.float32)
    with seeded(seed):
        net = nn.Sequential(nn.Linear(X.shape[1], options.hidden), nn.ReLU())
        out, centre, unit = fit_network(
            net,
            nn.Linear(options.hidden, n_classes or 1),
            lambda rows: given[rows],
            y,
            np.arange(len(given)),
            n_classes=n_classes,
            training=Training(60, 64, 3e-3, 8, options.device),
            seed=seed,
        )

    def model(X: Array) -> Array:
        rows = torch.from_numpy(X.astype(np.float32)).to(options.device)
        with torch.no_grad():
            found = out(net(rows)).double().cpu().numpy()
        return np.asarray(softmax(found, axis=1) if n_classes else found * unit + centre)

    return model


def _reduce(X: Array) -> tuple[Array, Array]:
    """Return the rows in at most as many dimensions as there are rows, and the matrix back.

    With an L2 penalty the best coefficients lie in the span of the rows, so nothing is lost.
    """
    n, p = X.shape
    if p <= n:
        return X, np.eye(p)
    left, sizes, right = np.linalg.svd(X, full_matrices=False)
    return left * sizes, right.T


def _logistic(X: Array, y: Array, n_classes: int, C: float) -> Array:
    columns = 1 if n_classes == 2 else n_classes
    shape = (X.shape[1] + 1, columns)
    if shape[0] * columns <= MOST_PARAMETERS:
        found = logistic(X, y, n_classes, 1.0 / C, np.zeros(shape))
        if found is not None:
            return found
    model = LogisticRegression(C=C, solver="newton-cg", tol=1e-10, max_iter=5000)
    # Close to the optimum its line search can fail through rounding, and then it warns.
    with unheard():
        model.fit(X, y)
    return np.vstack([model.coef_.T, model.intercept_[None]])


def _ridge(X: Array, y: Array, penalty: float) -> Array:
    # X is centred: the intercept is the mean, and has no penalty.
    gram = X.T @ X + penalty * np.eye(X.shape[1])
    beta = np.linalg.solve(gram, X.T @ (y - y.mean()))
    return np.vstack([beta[:, None], [[y.mean() - X.mean(axis=0) @ beta]]])
