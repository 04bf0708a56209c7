"""What a user would write with scikit-learn and XGBoost: algorithm 2 of the paper, plainly.

Three peers: the plain script, the same with LinearSVC or LinearSVR instead of libsvm's linear
kernel (another model, for scale), and a careful user's script, which fits every dataset once
and lets the fits of the outer folds serve the weights too.
"""

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR
from xgboost import XGBClassifier, XGBRegressor

FOLDS, SHARPNESS = 5, 500.0


def learners(is_class, liblinear=False):
    """Name and pipeline of the paper's four models."""
    if is_class:
        linear = LinearSVC(max_iter=10_000) if liblinear else SVC(kernel="linear")
        scaled = [LogisticRegression(max_iter=1000), linear, SVC(kernel="rbf")]
        trees = XGBClassifier()
    else:
        linear = LinearSVR(max_iter=10_000) if liblinear else SVR(kernel="linear")
        scaled = [LinearRegression(), linear, SVR(kernel="rbf")]
        trees = XGBRegressor()
    return [*(make_pipeline(StandardScaler(), model) for model in scaled), trees]


def splits(X, y, is_class):
    splitter = (StratifiedKFold if is_class else KFold)(FOLDS, shuffle=True, random_state=0)
    return splitter.split(X, y)


def losses(predicted, y, is_class):
    return np.mean(predicted != y) if is_class else np.mean((predicted - y) ** 2)


def weigh(errors):
    errors = np.asarray(errors)
    spread = errors.std(ddof=1) if len(errors) > 1 else 0.0
    powers = -SHARPNESS * spread * errors
    powers = np.exp(powers - powers.max())
    return powers / powers.sum()


class Ensemble:
    """Weights from cross-validation, and every model fitted on all rows given."""

    def __init__(self, models, X, y, is_class):
        self.is_class = is_class
        scoring = "accuracy" if is_class else "neg_mean_squared_error"
        errors = []
        for model in models:
            folds = list(splits(X, y, is_class))
            found = cross_val_score(model, X, y, cv=folds, scoring=scoring).mean()
            errors.append(1 - found if is_class else -found)
        self.weights = weigh(errors)
        self.fitted = [clone(model).fit(X, y) for model in models]

    def predict(self, X):
        return combine(self.weights, [model.predict(X) for model in self.fitted], self.is_class)


def combine(weights, predictions, is_class):
    pooled = sum(w * p for w, p in zip(weights, predictions, strict=True))
    return (pooled > 0.5).astype(int) if is_class else pooled


def one_way(models, trained, tested, is_class):
    """Cross error of one dataset's ensemble, and its own nested error."""
    X, y = trained
    cross = losses(Ensemble(models, X, y, is_class).predict(tested[0]), tested[1], is_class)
    own = [
        losses(Ensemble(models, X[a], y[a], is_class).predict(X[b]), y[b], is_class)
        for a, b in splits(X, y, is_class)
    ]
    return cross, np.mean(own)


def plain_score(target, source, is_class=True, liblinear=False, models=None):
    """The score of a pair: 36 fits per dataset and model."""
    models = models or learners(is_class, liblinear)
    on_source, target_own = one_way(models, target, source, is_class)
    on_target, source_own = one_way(models, source, target, is_class)
    return 0.5 * (on_target - target_own) + 0.5 * (on_source - source_own)


class CarefulDataset:
    """Everything a dataset needs, found once: 31 fits per model."""

    def __init__(self, data, is_class):
        X, y = data
        self.data, self.is_class, models = data, is_class, learners(is_class)
        errors, own = [], []
        for a, b in splits(X, y, is_class):
            inner = Ensemble(models, X[a], y[a], is_class)
            predictions = [model.predict(X[b]) for model in inner.fitted]
            errors.append([losses(p, y[b], is_class) for p in predictions])
            own.append(losses(combine(inner.weights, predictions, is_class), y[b], is_class))
        self.own, self.weights = np.mean(own), weigh(np.mean(errors, axis=0))
        self.fitted = [clone(model).fit(X, y) for model in models]

    def error_on(self, other):
        predictions = [model.predict(other.data[0]) for model in self.fitted]
        return losses(
            combine(self.weights, predictions, self.is_class), other.data[1], self.is_class
        )


def careful_scores(datasets, pairs, is_class=True):
    """The scores of some pairs, every dataset fitted once."""
    made = [CarefulDataset(data, is_class) for data in datasets]
    return [
        0.5 * (made[i].error_on(made[j]) - made[j].own)
        + 0.5 * (made[j].error_on(made[i]) - made[i].own)
        for i, j in pairs
    ]
