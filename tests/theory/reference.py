"""Algorithms 1 and 2 of the paper in plain numpy and scikit-learn, with no engine code of datakin.

Slow and literal on purpose: a pipeline is fitted for every training set, XGBoost sees the numbers
as they are, and every error is a mean of fold means. Two things come from datakin: the rows of the
folds (both must use the same) and the order of the columns (trees break ties by position).
"""

from functools import cache

import numpy as np
from scipy.optimize import minimize, root
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from xgboost import XGBClassifier, XGBRegressor

BOOSTING = {"n_estimators": 100, "max_depth": 6, "learning_rate": 0.3, "n_jobs": 1}
LAMBDA = 500.0


def new_models(is_class):
    """The paper's four learners.

    With more than two classes an SVM's pairwise votes can tie. Ties go to the larger decision
    value (scikit-learn's break_ties), since decision values are what the ensemble reads.
    """
    if is_class:
        svm = {"break_ties": True}
        return {
            "logistic": make_pipeline(
                StandardScaler(), LogisticRegression(C=1e3, solver="newton-cholesky", tol=1e-10)
            ),
            "linear_svm": make_pipeline(StandardScaler(), SVC(kernel="linear", **svm)),
            "rbf_svm": make_pipeline(StandardScaler(), SVC(kernel="rbf", gamma="auto", **svm)),
            "xgboost": XGBClassifier(**BOOSTING),
        }
    return {
        "linear": make_pipeline(StandardScaler(), LinearRegression()),
        "linear_svm": _scaled(SVR(kernel="linear")),
        "rbf_svm": _scaled(SVR(kernel="rbf", gamma="auto")),
        "xgboost": TransformedTargetRegressor(Booster(), transformer=StandardScaler()),
    }


class Booster(RegressorMixin, BaseEstimator):
    """XGBoost whose 32-bit predictions are turned back to the unit of y in 64 bits."""

    def fit(self, X, y):
        self.model_ = XGBRegressor(**BOOSTING).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X).astype(float)


def _scaled(svr):
    inner = make_pipeline(StandardScaler(), svr)
    return TransformedTargetRegressor(inner, transformer=StandardScaler())


class Fits:
    """The fits of one dataset: on all rows, without each fold, without a part of the rest."""

    def __init__(self, X, y, columns, folds, inner_folds, is_class):
        self.X, self.y, self.columns, self.is_class = X, y, list(columns), is_class
        self.folds, everything, known = folds, np.arange(len(y)), {}

        def fit(train):
            if train.tobytes() not in known:  # the fit without folds j and k serves j and k
                models = new_models(is_class)
                Z = X[train][:, self.columns]
                known[train.tobytes()] = {name: m.fit(Z, y[train]) for name, m in models.items()}
            return known[train.tobytes()]

        self.full = fit(everything)
        self.rest = [np.setdiff1d(everything, fold) for fold in folds]
        self.outer = [fit(rest) for rest in self.rest]
        self.inner = [
            [(fit(np.setdiff1d(rest, part)), part) for part in parts]
            for rest, parts in zip(self.rest, inner_folds, strict=True)
        ]


def fit_sigmoid(values, positive):
    """Platt's sigmoid: maximum likelihood with targets drawn away from 0 and 1."""
    n_pos, n_neg = positive.sum(), (~positive).sum()
    target = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))

    def deviance(ab):
        eta = ab[0] * values + ab[1]
        return np.sum(np.logaddexp(0, eta) - target * eta)

    def gradient(ab):
        residual = expit(ab[0] * values + ab[1]) - target
        return np.array([residual @ values, residual.sum()])

    start = minimize(deviance, np.zeros(2), jac=gradient, method="BFGS").x
    return root(gradient, start, tol=1e-14).x


class Reader:
    """Reads the fits: calibration, weights and errors. Options as in datakin.score."""

    def __init__(self, fits, names=None, *, voting="soft", weighting="scaled", loss="error"):
        self.fits, self.names = fits, list(names or fits.full)
        self.voting, self.weighting, self.loss = voting, weighting, loss
        outer = list(zip(fits.outer, fits.folds, strict=True))
        self.full_view = self._view(outer, np.arange(len(fits.y)))
        self.views = [self._view(fits.inner[k], fits.rest[k]) for k in range(len(fits.folds))]
        self.weights = np.array([view["weights"] for view in self.views])

    def _view(self, entries, train):
        """Learn from fits and the rows that each of them did not see."""
        X, y = self.fits.X, self.fits.y
        view = {"sigmoids": {}, "weights": np.full(len(self.names), 1 / len(self.names))}
        tested = np.concatenate([rows for _, rows in entries])
        if self.fits.is_class:
            for name in ("linear_svm", "rbf_svm"):
                d = np.concatenate([self._decision(fit[name], X[rows]) for fit, rows in entries])
                classes = [1] if d.shape[1] == 1 else range(d.shape[1])
                view["sigmoids"][name] = [
                    fit_sigmoid(column, y[tested] == c)
                    for c, column in zip(classes, d.T, strict=True)
                ]
        errors = [
            self.losses(fit, view, X[rows], y[rows])[:-1].mean(axis=1) for fit, rows in entries
        ]
        errors = np.mean(errors, axis=0)  # a mean of fold means
        if not self.fits.is_class and self.weighting == "scaled":
            errors = errors / np.var(y[train])
        view["weights"] = softmax(-LAMBDA * np.std(errors, ddof=1) * errors)
        return view

    def _decision(self, model, X):
        d = model.decision_function(X[:, self.fits.columns])
        return d.reshape(len(X), -1)

    def _probability(self, name, model, view, X):
        if name not in view["sigmoids"]:
            return model.predict_proba(X[:, self.fits.columns]).astype(float)
        sigmoids = view["sigmoids"][name]
        p = [
            expit(a * d + b) for (a, b), d in zip(sigmoids, self._decision(model, X).T, strict=True)
        ]
        p = np.array([1 - p[0], p[0]] if len(p) == 1 else p).T
        return p / p.sum(axis=1, keepdims=True)

    def losses(self, fit, view, X, y):
        """Loss per row of each model, then of the ensemble: shape (M + 1, n)."""
        Z = X[:, self.fits.columns]
        predicted = np.array([fit[name].predict(Z) for name in self.names], dtype=float)
        if not self.fits.is_class:
            pooled = view["weights"] @ predicted
            return (np.vstack([predicted, pooled]) - y) ** 2
        p = np.array([self._probability(name, fit[name], view, X) for name in self.names])
        votes = predicted[:, :, None] == np.arange(p.shape[2])
        pooled = np.tensordot(view["weights"], votes if self.voting == "hard" else p, 1)
        if self.loss == "brier":
            truth = y[:, None] == np.arange(p.shape[2])
            return np.array([0.5 * ((q - truth) ** 2).sum(axis=1) for q in [*p, pooled]])
        return np.vstack([predicted, pooled.argmax(axis=1)]) != y

    @cache  # noqa: B019 (a reader lives as long as its test file)
    def own(self, size):
        """Own losses of each row, from fits and weights that did not see it: (M + 1, n)."""
        rows = np.empty((len(self.names) + 1, len(self.fits.y)))
        for k, fold in enumerate(self.fits.folds):
            fits = [self.fits.outer[k]] if size == "fold" else [f for f, _ in self.fits.inner[k]]
            X, y = self.fits.X[fold], self.fits.y[fold]
            rows[:, fold] = np.mean([self.losses(f, self.views[k], X, y) for f in fits], axis=0)
        return rows

    @cache  # noqa: B019
    def cross(self, other, size):
        """Losses on another dataset's rows of the predictor without fold k: (K, M + 1, n)."""
        X, y = other.fits.X, other.fits.y
        if size == "full":
            return self.losses(self.fits.full, self.full_view, X, y)[None]
        found = []
        for k, view in enumerate(self.views):
            fits = [self.fits.outer[k]] if size == "fold" else [f for f, _ in self.fits.inner[k]]
            found.append(np.mean([self.losses(f, view, X, y) for f in fits], axis=0))
        return np.array(found)

    def fold_mean(self, rows):
        """Algorithm 1, step 4: a mean of fold means."""
        return np.mean([rows[..., fold].mean(axis=-1) for fold in self.fits.folds], axis=0)


def discrepancy(learner, tested, estimate, size):
    """Cross error of the learner's predictors minus the tested dataset's own error."""
    if size == "limit":
        n, K = len(learner.fits.y), len(learner.fits.folds)
        one = n * (K - 1) / K
        two = np.mean(
            [
                len(r) * (1 - 1 / len(i))
                for r, i in zip(learner.fits.rest, learner.fits.inner, strict=True)
            ]
        )
        S1 = discrepancy(learner, tested, estimate, "matched")
        S2 = discrepancy(learner, tested, estimate, "inner")
        return (one * S1 - two * S2) / (one - two)  # linear in 1 / rows
    cross_size = {"paper": "full", "matched": "fold", "inner": "inner"}[size]
    cross = learner.cross(tested, cross_size)
    own = tested.own("inner" if size == "inner" else "fold")
    by_model = cross.mean(axis=(0, 2)) - tested.fold_mean(own)
    if estimate == "ensemble":
        return by_model[-1]
    if estimate == "unweighted":
        return by_model[:-1].mean()
    if estimate != "weighted":
        return by_model[learner.names.index(estimate)]
    if size == "paper":  # scheme 1 to the letter
        return (learner.full_view["weights"] + tested.full_view["weights"]) / 2 @ by_model[:-1]
    return _nested_average(learner, tested, cross[:, :-1], own[:-1])


def _nested_average(learner, tested, cross, own):
    """Scheme 1 with nested weights: half the learner's, half the tested dataset's w(-k)."""
    of_row = np.empty((own.shape[1], own.shape[0]))
    for fold, weights in zip(tested.fits.folds, tested.weights, strict=True):
        of_row[fold] = weights
    by_learner = np.mean([w @ c.mean(axis=1) for w, c in zip(learner.weights, cross, strict=True)])
    by_tested = np.mean((of_row.T * cross.mean(axis=0)).sum(axis=0))
    own_by_tested = tested.fold_mean((of_row.T * own).sum(axis=0))
    own_by_learner = learner.weights.mean(axis=0) @ tested.fold_mean(own)
    return (by_learner + by_tested) / 2 - (own_by_tested + own_by_learner) / 2


def score(target, source, estimate="ensemble", size="matched"):
    to_target = discrepancy(source, target, estimate, size)
    to_source = discrepancy(target, source, estimate, size)
    return (to_target + to_source) / 2
