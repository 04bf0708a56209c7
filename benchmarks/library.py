"""The house's models on the libraries' own path: scikit-learn estimators under the same names.

A model that is named is fitted by datakin's fast fitters; an estimator that is passed is fitted as
it is. The one thing that differs is XGBoost's input: standardised columns instead of ranks.
"""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from xgboost import XGBClassifier, XGBRegressor

BOOSTING = {"n_estimators": 100, "max_depth": 6, "learning_rate": 0.3, "n_jobs": 1}


def models(is_class):
    """Return the default models by name."""
    if is_class:
        return {
            "logistic": LogisticRegression(C=1e3, max_iter=1000),
            "linear_svm": SVC(kernel="linear"),
            "rbf_svm": SVC(kernel="rbf", gamma="auto"),
            "xgboost": XGBClassifier(**BOOSTING),
        }
    made = {
        "linear_svm": SVR(kernel="linear"),
        "rbf_svm": SVR(kernel="rbf", gamma="auto"),
        "xgboost": XGBRegressor(**BOOSTING),
    }
    return {"linear": LinearRegression()} | {name: scaled(m) for name, m in made.items()}


def run_to_the_end(is_class):
    """Return the same models, those that stop early with tolerances that do not let them."""
    if is_class:
        tight = {
            "logistic": LogisticRegression(
                C=1e3, solver="newton-cholesky", tol=1e-10, max_iter=1000
            ),
            "linear_svm": SVC(kernel="linear", tol=1e-6),
            "rbf_svm": SVC(kernel="rbf", gamma="auto", tol=1e-7),
        }
    else:
        tight = {
            "linear_svm": scaled(OptimalLinearSVR()),
            "rbf_svm": scaled(SVR(kernel="rbf", gamma="auto", tol=1e-7)),
        }
    return models(is_class) | tight


def scaled(regressor):
    """Standardise y within the training rows, as kernel machines need."""
    return TransformedTargetRegressor(regressor, transformer=StandardScaler())


class OptimalLinearSVR(RegressorMixin, BaseEstimator):
    """The linear machine for regression at its optimum, to 64 bits.

    Which rows lie on the border of the tube, and which outside, fixes the optimum by a linear system.
    They are read from libsvm's fit. Where the solution does not meet all conditions, because its 32 bits
    did not tell them rightly, libsvm's own fit is taken.
    """

    cost, margin = 1.0, 0.1

    def fit(self, X, y):
        near = SVR(kernel="linear", C=self.cost, epsilon=self.margin, tol=1e-9).fit(X, y)
        forces = np.zeros(len(y))
        forces[near.support_] = near.dual_coef_[0]
        out = np.abs(forces) >= self.cost * (1 - 1e-9)
        on = (forces != 0) & ~out
        design = np.hstack([X, np.ones((len(X), 1))])
        pull = np.sign(forces)[:, None] * design
        q, m = design.shape[1], int(on.sum())
        system = np.zeros((q + m, q + m))
        system[: q - 1, : q - 1] = np.eye(q - 1)
        system[:q, q:], system[q:, :q] = -pull[on].T, pull[on]
        border = np.sign(forces[on]) * y[on] - self.margin
        right = np.concatenate([self.cost * pull[out].sum(axis=0), border])
        found = np.linalg.lstsq(system, right)[0]
        self.beta_, multipliers = found[:q], found[q:]
        is_inside = ((multipliers > 0) & (multipliers < self.cost)).all()
        is_beyond = np.abs(y - design @ self.beta_)[~on] > self.margin
        if not (is_inside and np.array_equal(is_beyond, out[~on])):
            self.beta_ = np.append(near.coef_[0], near.intercept_)
        return self

    def predict(self, X):
        return X @ self.beta_[:-1] + self.beta_[-1]
