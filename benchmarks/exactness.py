"""How far our fitters are from scikit-learn's and XGBoost's own fits."""

import numpy as np

from datakin.learning.backends import start_fitter
from datakin.learning.models import choose_models, fit_model

CLASSES = {"two classes": 2, "four classes": 4, "regression": 0}


def problem(task, seed):
    """Return training X, y and rows to predict, standardised."""
    n_classes = CLASSES[task]
    rng = np.random.default_rng([seed, n_classes])
    n, p = int(rng.integers(120, 900)), int(rng.integers(2, 25))
    X = rng.standard_normal((n + 2000, p))
    signal = 2 * X @ rng.standard_normal((p, 4)) / np.sqrt(p) + 0.5 * X[:, [0]] * X[:, [1]]
    if n_classes:
        y = np.argmax(signal[:, :n_classes] + rng.gumbel(size=(n + 2000, n_classes)), axis=1)
    else:
        y = signal[:, 0] + rng.standard_normal(n + 2000)
    X = (X - X[:n].mean(axis=0)) / X[:n].std(axis=0)
    return X[:n], y[:n], X[n:]


def differences(task, seed):
    """Yield model, what fitted it, and the difference to scikit-learn's predictions."""
    X, y, Z = problem(task, seed)
    n_classes = CLASSES[task]
    for model in choose_models(None, bool(n_classes)):
        fitter = start_fitter(model.estimator, model.backend, is_sparse=False)
        one = fit_model(model, X, y, n_classes, 0).scores(Z)
        two = fit_model(model, X, y, n_classes, 0, fitter).scores(Z)
        if n_classes:
            yield model.name, fitter.name, float(np.mean(one.argmax(1) != two.argmax(1)))
        else:
            yield model.name, fitter.name, float(np.abs(one - two).max() / y.std())


def exactness(n_problems=20):
    rows = []
    for task in CLASSES:
        found = {}
        for seed in range(n_problems):
            for name, backend, value in differences(task, seed):
                found.setdefault((name, backend), []).append(value)
        for (name, backend), values in found.items():
            row = task, name, backend, len(values), f"{np.mean(values):.2g}", f"{max(values):.2g}"
            rows.append(row)
    return rows, ["task", "model", "fitted by", "problems", "mean", "largest"]
