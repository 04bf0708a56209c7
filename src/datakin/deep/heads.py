"""Heads: what is learned on embeddings, once per domain.

A linear head is logistic (ridge for numbers) regression on standardised embeddings with an L2
penalty, solved to its optimum; scikit-learn's estimators have the same one.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression
from torch import nn

from datakin.data.features import Array
from datakin.deep.training import Training, fit_network, seeded
from datakin.learning.backends.linear import newton

__all__ = ["HeadOptions", "fit_head"]

MOST_PARAMETERS = 300  # beyond, products with the Hessian are cheaper than the Hessian


@dataclass(frozen=True)
class HeadOptions:
    """Which head, and how it is fitted.

    Attributes
    ----------
    kind : {"linear", "mlp"}
    C : float
        Inverse strength of the linear head's penalty, as in scikit-learn.
    hidden : int
        Hidden units of the MLP.
    scale : {"each", "whole"}
        Divide each feature by its own spread, or all by one number. An encoder trained on both
        domains has made their geometry one; features that hardly vary in one domain must not be
        blown up in the other.
    """

    kind: str
    C: float
    hidden: int
    device: Any
    scale: str = "each"


class _Scaled:
    """A head behind the mean and spread of its own training rows."""

    def __init__(self, Z: Array, scale: str) -> None:
        self.mean = Z.mean(axis=0)
        spread = Z.std(axis=0)
        if scale == "whole":
            spread = np.full(len(spread), np.sqrt(np.mean(spread**2)))
        self.spread = np.where(spread > 1e-12 * (1 + np.abs(self.mean)), spread, 1.0)

    def scale(self, Z: Array) -> Array:
        return np.asarray((Z - self.mean) / self.spread)


class _Linear(_Scaled):
    """Scores = link of a linear function."""

    def __init__(
        self, Z: Array, y: Array, codes: Array, n_classes: int, options: HeadOptions
    ) -> None:
        super().__init__(Z, options.scale)
        C = options.C
        self.codes, self.n_classes = codes, n_classes
        X, turn = _turned(self.scale(Z))
        if n_classes:
            beta = _logistic(X, np.searchsorted(codes, y), len(codes), C)
        else:
            beta = _ridge(X, y, 1.0 / C)
        self.coefficients, self.intercept = turn @ beta[:-1], beta[-1]

    def predict(self, Z: Array) -> Array:
        eta = self.scale(Z) @ self.coefficients + self.intercept
        if not self.n_classes:
            return np.asarray(eta)
        p = np.hstack([expit(-eta), expit(eta)]) if eta.shape[1] == 1 else softmax(eta, axis=1)
        return spread_out(p, self.codes, self.n_classes)


class _MLP(_Scaled):
    """One hidden layer, trained by gradient steps on embeddings."""

    def __init__(
        self, Z: Array, y: Array, codes: Array, n_classes: int, options: HeadOptions, seed: int
    ) -> None:
        super().__init__(Z, options.scale)
        self.codes, self.n_classes, self.device = codes, n_classes, options.device
        self.centre = 0.0 if n_classes else float(y.mean())
        self.unit = 1.0 if n_classes else float(y.std()) or 1.0
        X = self.scale(Z).astype(np.float32)
        targets = np.searchsorted(codes, y) if n_classes else (y - self.centre) / self.unit
        training = Training(60, 64, 3e-3, 8, options.device)
        with seeded(seed):
            self.net = nn.Sequential(nn.Linear(X.shape[1], options.hidden), nn.ReLU())
            self.out = fit_network(
                self.net,
                nn.Linear(options.hidden, len(codes) or 1),
                lambda rows: X[rows],
                targets,
                np.arange(len(X)),
                n_classes=len(codes),
                training=training,
                seed=seed,
            )

    def predict(self, Z: Array) -> Array:
        X = torch.from_numpy(self.scale(Z).astype(np.float32)).to(self.device)
        with torch.no_grad():
            out = self.out(self.net(X)).double().cpu().numpy()
        if not self.n_classes:
            return np.asarray(out * self.unit + self.centre)
        return spread_out(softmax(out, axis=1), self.codes, self.n_classes)


class _Constant:
    """The one class that the training rows have."""

    def __init__(self, code: int, n_classes: int) -> None:
        self.code, self.n_classes = code, n_classes

    def predict(self, Z: Array) -> Array:
        return np.tile(np.arange(self.n_classes) == self.code, (len(Z), 1)).astype(float)


def fit_head(Z: Array, y: Array, n_classes: int, options: HeadOptions, seed: int) -> Any:
    """Fit a head; its ``predict`` returns probabilities (n, n_classes) or values (n, 1).

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Embeddings of the training rows.
    y : ndarray of shape (n,)
        Class codes or numbers.
    n_classes : int
        0 for regression.
    options : HeadOptions
    seed : int
    """
    codes = np.unique(y) if n_classes else np.zeros(0, dtype=int)
    if n_classes and len(codes) == 1:
        return _Constant(int(codes[0]), n_classes)
    if options.kind == "mlp":
        return _MLP(Z, y, codes, n_classes, options, seed)
    return _Linear(Z, y, codes, n_classes, options)


def spread_out(p: Array, codes: Array, n_classes: int) -> Array:
    """Return probabilities over all classes: 0 for those without a training row."""
    if len(codes) == n_classes:
        return np.asarray(p)
    full = np.zeros((len(p), n_classes))
    full[:, codes] = p
    return full


def _turned(X: Array) -> tuple[Array, Array]:
    """Return rows in as few dimensions as there are rows, and the way back.

    With an L2 penalty the optimum lies in the span of the rows: nothing is lost.
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
        found = newton(X, y, n_classes, 1.0 / C, np.zeros(shape))
        if found is not None:
            return found
    model = LogisticRegression(C=C, solver="newton-cg", tol=1e-10, max_iter=5000)
    with warnings.catch_warnings():
        # Next to the optimum its line search can fail for rounding, and says so.
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return np.vstack([model.coef_.T, model.intercept_[None]])


def _ridge(X: Array, y: Array, penalty: float) -> Array:
    # X is centred, so that the intercept is the mean and stays outside the penalty.
    gram = X.T @ X + penalty * np.eye(X.shape[1])
    beta = np.linalg.solve(gram, X.T @ (y - y.mean()))
    return np.vstack([beta[:, None], [[y.mean() - X.mean(axis=0) @ beta]]])
