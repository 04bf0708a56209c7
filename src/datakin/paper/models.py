"""The models that only the paper asks for: linear support vector machines, large trees, polynomials, QDA.

*Interior point*, for linear kernels (`minimise_hinge`). libsvm's time grows like rows to the power
2.5 there. liblinear (LinearSVC, LinearSVR) is fast but penalises the intercept, which is another
problem. Here a step costs rows x columns^2, and about 15 steps reach the optimum of libsvm's own
problem, with more digits than libsvm's default. A plan's fits are 5 times as fast as libsvm's at
1,000 rows and 10 columns (regression: 12 times), and about 40 times at 5,000 rows and 50 columns.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs
from sklearn.svm import SVC, SVR

from datakin.cross_learning import CrossLearningScore
from datakin.data.features import Array
from datakin.learners.fitters import GenericFitter, partly
from datakin.learners.models import Model, choose_models, default_models
from datakin.learners.svm import HONOURED, as_fitted, train
from datakin.results import Comparison

FEWEST_ENTRIES = 2500  # rows x columns; with fewer, libsvm's linear kernel is as fast (classes)
MOST_COLUMNS = 100  # the quadratic model then has 5,150 terms
BOOSTING = {"n_estimators": 100, "max_depth": 6, "learning_rate": 0.3, "n_jobs": 1}

# Interior point.
MOST_STEPS = 60
GAP = 1e-11  # between primal and dual value, relative
INSIDE = 0.995  # share of the way to the boundary that a step may take
GOOD = 1e-8  # gap that is still accepted when rounding stops the method
# The four models of algorithm 2. For numbers "linear" takes the place of "logistic", and the support
# vector machines are regressions.
MODELS = ("logistic", "linear_svm", "rbf_svm", "xgboost")

# What differs from the default of `CrossLearningScore`: the four models, losses weighted as they are,
# inner folds drawn anew, and the paper's score and zones with standard errors from folds.
OPTIONS = {
    "models": "paper",
    "size": "paper",
    "inner": "fresh",
    "weighting": "paper",
    "zones": "paper",
    "zone_error": "folds",
}


as_in_paper = CrossLearningScore.as_in_paper


def choose_named(models: Any, is_class: bool) -> tuple[Model, ...]:
    """Return the models for an option of the user, which may have any name.

    "paper": the paper's four. "extended": the default's and more. All else is as in
    `datakin.learners.models.choose_models`.
    """
    known = named_models(is_class)
    first = next(iter(known))
    sets = {
        None: [first, "rbf_svm", "trees"],
        "paper": [first, "linear_svm", "rbf_svm", "xgboost"],
        "extended": [name for name in known if name not in ("linear_svm", "xgboost")],
    }
    if models is None or isinstance(models, str):
        models = sets.get(models, [models])
    return choose_models(models, is_class, known)


def named_models(is_class: bool) -> dict[str, Model]:
    """Return all models that have a name, those of the default among them."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler
    from xgboost import XGBClassifier, XGBRegressor

    def on(terms: Any, strength: float) -> Any:
        last = LogisticRegression(C=strength, max_iter=1000) if is_class else Ridge(1.0)
        return make_pipeline(FunctionTransformer(terms), StandardScaler(), last)

    machine, boosted = (SVC, XGBClassifier) if is_class else (SVR, XGBRegressor)
    first, radial, trees = default_models(is_class).values()
    linear = replace(
        radial, name="linear_svm", estimator=machine(kernel="linear"), backend=LinearSVMFitter
    )
    large = replace(trees, name="xgboost", estimator=boosted(**BOOSTING), sizing=None)
    # The penalties that come closest to the oracle in the quadratic settings of the paper.
    quadratic = Model("quadratic", on(_quadratic, 10.0))
    found = [first, linear, radial, trees, large, quadratic, Model("cubic", on(_cubic, 1.0))]
    if is_class:
        # A little shrinkage, because one-hot columns have a singular covariance.
        found.append(Model("qda", QuadraticDiscriminantAnalysis(reg_param=1e-3)))
    return {model.name: model for model in found}


def _quadratic(X: Array) -> Array:
    """Return the columns with their squares and products."""
    if X.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"{X.shape[1]} columns have too many products; at most {MOST_COLUMNS} can be taken"
        )
    first, second = np.triu_indices(X.shape[1])
    return np.hstack([X, X[:, first] * X[:, second]])


def _cubic(X: Array) -> Array:
    """Return the columns with their squares, products and cubes."""
    return np.hstack([_quadratic(X), X**3])


class LinearSVMFitter:
    """SVC or SVR with a linear kernel: our interior point method, libsvm on few rows."""

    name = "libsvm"
    honoured = ("kernel", "gamma", *HONOURED)

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.is_class = isinstance(estimator, SVC)
        self.is_large: bool | None = None

    @staticmethod
    def serves(estimator: Any) -> bool:
        """Return whether this fitter can do what the estimator's options say."""
        return bool(estimator.kernel == "linear" and estimator.C > 0)

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with decision_function (classes) or predict."""
        if X.shape[1] == 0:
            return GenericFitter(self.estimator).fit(X, y, seed)
        beta = self._interior_point(X, y) if self._suits(X) else None
        if beta is None:
            if self.is_large:
                self.name = partly("interior point", "libsvm")
            support, weights, intercepts = train(self.estimator, "linear", X, y)
            beta = np.vstack([X[support].T @ weights, intercepts])
        return as_fitted(lambda X: X @ beta[:-1] + beta[-1], y, self.is_class)

    def _suits(self, X: Array) -> bool:
        """Return whether the interior point method pays.

        Decided once, on the first training set, which is the largest. A step costs rows x columns^2.
        libsvm takes many times more steps for regression than for classes.
        """
        if self.is_large is None:
            if self.is_class:
                self.is_large = X.size >= FEWEST_ENTRIES and 2 * X.shape[1] <= len(X)
            else:
                self.is_large = X.shape[1] <= len(X)
            self.name = "interior point" if self.is_large else "libsvm"
        return self.is_large

    def _interior_point(self, X: Array, y: Array) -> Array | None:
        cost = float(self.estimator.C)
        if not self.is_class:
            signs = np.ones((2, len(y))) * [[1.0], [-1.0]]
            beta = minimise_hinge(X, signs, signs * y - float(self.estimator.epsilon), cost)
            return None if beta is None else beta[:, None]
        found = []
        for i, j in combinations(range(int(y.max()) + 1), 2):
            rows = (y == i) | (y == j)
            labels = np.where(y[rows] == j, 1.0, -1.0)[None]
            beta = minimise_hinge(X[rows], labels, np.ones_like(labels), cost)
            if beta is None:
                return None
            found.append(beta)
        return np.column_stack(found)


def minimise_hinge(X: Array, signs: Array, levels: Array, cost: float = 1.0) -> Array | None:
    """Minimise |w|^2 / 2 + cost * sum max(0, level - sign * (x w + b)); return w, then b.

    For classes every row has one sign, its label -1 or 1, and level 1. For regression with a margin
    e every row is there twice, with signs 1 and -1 and levels y - e and -y - e: signs and levels have shape
    (conditions, n). None if the method does not converge.

    Notes
    -----
    Mehrotra's predictor-corrector steps on the dual's conditions: multipliers 0 <= a <= cost with
    slacks s (for a >= 0) and t (for a <= cost),

        sign (x w + b) - level = s - t,   w = sum a sign x,   0 = sum a sign,   a s = (cost - a) t = 0.

    `inside` holds a and cost - a, `slacks` holds s and t.
    """
    design = np.hstack([X, np.ones((len(X), 1))])
    ridge = np.array([*np.ones(X.shape[1]), 0.0])
    beta = np.zeros(len(ridge))
    inside = np.full((2, *signs.shape), cost / 2)
    slacks = np.ones_like(inside)
    part = np.empty_like(design)
    gap = np.inf
    for _ in range(MOST_STEPS):
        by = 1.0 / inside
        margins = levels - signs * (design @ beta)
        unmet = design.T @ (signs * inside[0]).sum(axis=0) - ridge * beta
        total = float(np.vdot(inside, slacks))
        value = float(0.5 * beta[:-1] @ beta[:-1] + cost * np.maximum(margins, 0.0).sum())
        gap = max(total, float(np.abs(margins + slacks[0] - slacks[1]).max())) / (1 + value)
        if gap < GAP:
            return beta
        ratios = slacks * by
        d = 1.0 / (ratios[0] + ratios[1])
        np.multiply(design, np.sqrt(d.sum(axis=0))[:, None], out=part)
        factor, fault = dpotrf(part.T @ part + np.diag(ridge))
        if fault:
            break
        system = design, signs, factor, d, unmet
        # Predictor: aim at a s = (cost - a) t = 0 to see how long a straight step may be.
        _, change = _step(*system, margins)
        move = change * by
        length = min(1.0, 1.0 / max(1 + move.max(), -move.min()))
        slack_change = -slacks * (1 + move)
        ahead = np.vdot(inside + length * change, slacks + length * slack_change)
        aim = total / inside.size * (float(ahead) / total) ** 3
        # Corrector: aim at that product, with the predictor's second-order term.
        extra = (aim - change * slack_change) * by
        step, change = _step(*system, margins + extra[0] - extra[1])
        slack_change = extra - slacks - ratios * change
        shrink = max(-(change * by).min(), -(slack_change / slacks).min(), INSIDE)
        length = INSIDE / shrink
        if not length > 1e-10:
            break
        beta = beta + length * step
        inside += length * change
        slacks += length * slack_change
    return beta if gap < GOOD else None


def _step(
    design: Array, signs: Array, factor: Array, d: Array, unmet: Array, right: Array
) -> tuple[Array, Array]:
    """Solve sign x (step) + (change of a) / d = right, while w = sum a sign x comes to hold."""
    pulled = signs * (d * right)
    step, _ = dpotrs(factor, design.T @ pulled.sum(axis=0) + unmet)
    change = d * (right - signs * (design @ step))
    return step, np.stack((change, -change))


def score(target: Any, source: Any, *, model: str | None = None, **changes: Any) -> Comparison:
    """Score a pair by Algorithm 2 of the paper, or with one model by Algorithm 1.

    Parameters
    ----------
    target, source : Dataset or (X, y)
    model : str, optional
        One of `MODELS`, or another model that `CrossLearningScore` knows: Algorithm 1. By default
        the ensemble of the four: Algorithm 2.
    **changes
        Other options of `CrossLearningScore`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from datakin.paper import settings
    >>> pair = settings()["lda"](0.5).sample(200, 200)
    >>> round(score(pair.target, pair.source, model="logistic").score, 2)
    0.2
    """
    if model is not None:
        changes = {"models": [model], "estimate": model, **changes}
    return as_in_paper(**changes).compare(target, source)
