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

    model: Callable[[Array], Array]
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
    if options.kind == "mlp":
        return Head(_MLP(Z, targets, len(codes), options, seed), codes, n_classes)
    return Head(_Linear(Z, targets, len(codes), options), codes, n_classes)


class _Scaled:
    """A model on features standardised by its own training rows."""

    def __init__(self, Z: Array, scale: str) -> None:
        self.mean = Z.mean(axis=0)
        spread = Z.std(axis=0)
        if scale == "whole":
            spread = np.full(len(spread), np.sqrt(np.mean(spread**2)))
        self.spread = np.where(spread > 1e-12 * (1 + np.abs(self.mean)), spread, 1.0)

    def scale(self, Z: Array) -> Array:
        return np.asarray((Z - self.mean) / self.spread)


class _Linear(_Scaled):
    """Logistic regression, or ridge regression for numbers."""

    def __init__(self, Z: Array, y: Array, n_classes: int, options: HeadOptions) -> None:
        super().__init__(Z, options.scale)
        self.n_classes = n_classes
        X, back = _reduce(self.scale(Z))
        if n_classes:
            beta = _logistic(X, y, n_classes, options.C)
        else:
            beta = _ridge(X, y, 1.0 / options.C)
        self.coefficients, self.intercept = back @ beta[:-1], beta[-1]

    def __call__(self, Z: Array) -> Array:
        eta = self.scale(Z) @ self.coefficients + self.intercept
        if not self.n_classes:
            return np.asarray(eta)
        if self.n_classes == 2:
            return np.hstack([expit(-eta), expit(eta)])
        return np.asarray(softmax(eta, axis=1))


class _MLP(_Scaled):
    """A network with one hidden layer."""

    def __init__(self, Z: Array, y: Array, n_classes: int, options: HeadOptions, seed: int) -> None:
        super().__init__(Z, options.scale)
        self.n_classes, self.device = n_classes, options.device
        X = self.scale(Z).astype(np.float32)
        with seeded(seed):
            self.net = nn.Sequential(nn.Linear(X.shape[1], options.hidden), nn.ReLU())
            self.out, self.centre, self.unit = fit_network(
                self.net,
                nn.Linear(options.hidden, n_classes or 1),
                lambda rows: X[rows],
                y,
                np.arange(len(X)),
                n_classes=n_classes,
                training=Training(60, 64, 3e-3, 8, options.device),
                seed=seed,
            )

    def __call__(self, Z: Array) -> Array:
        X = torch.from_numpy(self.scale(Z).astype(np.float32)).to(self.device)
        with torch.no_grad():
            out = self.out(self.net(X)).double().cpu().numpy()
        if not self.n_classes:
            return np.asarray(out * self.unit + self.centre)
        return np.asarray(softmax(out, axis=1))


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
