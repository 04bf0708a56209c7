"""How far our fitters, and the scores made of them, are from scikit-learn's and XGBoost's own."""

from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR

import datakin
from datakin.learning.backends import start_fitter
from datakin.learning.models import choose_models, fit_model

CLASSES = {"two classes": 2, "four classes": 4, "regression": 0}
N_TEST = 2000


def problem(task, seed, most=900, turn=0.0):
    """Return training X, y and rows to predict, standardised."""
    n_classes = CLASSES[task]
    rng = np.random.default_rng([seed, n_classes, int(100 * turn)])
    n, p = np.random.default_rng([seed, n_classes]).integers((120, 2), (most, 25))
    X = rng.standard_normal((n + N_TEST, p))
    rules = np.random.default_rng([seed, 1]).standard_normal((2, p, 4))
    rule = np.cos(turn) * rules[0] + np.sin(turn) * rules[1]
    signal = 2 * X @ rule / np.sqrt(p) + 0.5 * X[:, [0]] * X[:, [1]]
    if n_classes:
        y = np.argmax(signal[:, :n_classes] + rng.gumbel(size=(n + N_TEST, n_classes)), axis=1)
    else:
        y = signal[:, 0] + rng.standard_normal(n + N_TEST)
    X = (X - X[:n].mean(axis=0)) / X[:n].std(axis=0)
    return X[:n], y[:n], X[n:]


def run_to_the_end(model, is_class):
    """The same model by a library that does not stop early."""
    tight = {
        "logistic": LogisticRegression(
            C=1e3, solver="newton-cholesky" if is_class else "lbfgs", tol=1e-10, max_iter=1000
        ),
        "linear_svm": (SVC if is_class else SVR)(kernel="linear", tol=1e-6),
        "rbf_svm": (SVC if is_class else SVR)(kernel="rbf", gamma="auto", tol=1e-7),
    }
    return replace(model, estimator=tight.get(model.name, model.estimator), backend=None)


def differences(task, seed):
    """Yield model, what fitted it, and three differences in the predictions."""
    X, y, Z = problem(task, seed)
    n_classes = CLASSES[task]
    for model in choose_models(None, bool(n_classes)):
        fitter = start_fitter(model.estimator, model.backend, is_sparse=False)
        fitted = fit_model(model, X, y, n_classes, 0, fitter=fitter)
        ours = fitted.scores(Z)
        default = fit_model(replace(model, backend=None), X, y, n_classes, 0).scores(Z)
        tight = fit_model(run_to_the_end(model, bool(n_classes)), X, y, n_classes, 0).scores(Z)
        if model.name == "linear_svm" and not n_classes:
            tight = optimum(X, y, fitted, Z)
        pairs = ((ours, default), (ours, tight), (default, tight))
        yield model.name, fitter.name, [gap(a, b, 0 if n_classes else y.std()) for a, b in pairs]


def optimum(X, y, fitted, Z, cost=1.0, margin=0.1):
    """Predictions of the linear machine for regression at its optimum, to 64 bits.

    Which rows lie on the border of the tube fixes the optimum by a linear system. They are read
    from our fit; that the solution meets all conditions is checked, not assumed.
    """
    y = (y - fitted.center) / fitted.scale
    design = np.hstack([X, np.ones((len(X), 1))])
    residuals = y - design @ fitted.estimator.values.beta[:, 0]
    on = np.abs(np.abs(residuals) - margin) < 1e-6
    out = (np.abs(residuals) > margin) & ~on
    pull = np.sign(residuals)[:, None] * design
    q, m = design.shape[1], int(on.sum())
    system = np.zeros((q + m, q + m))
    system[: q - 1, : q - 1] = np.eye(q - 1)
    system[:q, q:], system[q:, :q] = -pull[on].T, pull[on]
    border = np.sign(residuals[on]) * y[on] - margin
    found = np.linalg.solve(system, np.concatenate([cost * pull[out].sum(axis=0), border]))
    beta, multipliers = found[:q], found[q:]
    assert ((multipliers > 0) & (multipliers < cost)).all()
    assert np.array_equal(np.abs(y - design @ beta)[~on] > margin, out[~on])
    values = Z @ beta[:-1] + beta[-1]
    return (values * fitted.scale + fitted.center)[:, None]


def gap(one, other, scale):
    """Share of other labels; for numbers the largest difference, in units of `scale`."""
    if scale:
        return float(np.abs(one - other).max() / scale)
    return float(np.mean(one.argmax(axis=1) != other.argmax(axis=1)))


def fits(quick=False):
    rows = []
    for task in CLASSES:
        found = {}
        for seed in range(3 if quick else 20):
            for name, backend, values in differences(task, seed):
                found.setdefault((name, backend), []).append(values)
        for (name, backend), values in found.items():
            cells = [
                f"{mean:.2g} ({most:.2g})"
                for mean, most in zip(np.mean(values, axis=0), np.max(values, axis=0), strict=True)
            ]
            rows.append((task, name, backend, len(values), *cells))
            print(*rows[-1], sep="  ", flush=True)
    columns = ["task", "model", "fitted by", "problems", "ours against the library"]
    return rows, [*columns, "ours against the library run to the end", "the library against that"]


def scores(quick=False):
    """The score with our fitters against the score with every model on the libraries' path."""
    rows = []
    for task, n_classes in CLASSES.items():
        found = []
        for seed in range(2 if quick else 20):
            pair = [problem(task, seed, 400, turn)[:2] for turn in (0.0, 0.6)]
            plain = [replace(m, backend=None) for m in choose_models(None, bool(n_classes))]
            one, two = datakin.score(*pair), datakin.score(*pair, models=plain)
            found.append((abs(one.score - two.score), two.standard_error))
        gaps, errors = np.array(found).T
        shares = gaps / errors
        row = (task, len(gaps), f"{gaps.mean():.2g}", f"{gaps.max():.2g}")
        rows.append((*row, f"{shares.mean():.2g}", f"{shares.max():.2g}"))
        print(*rows[-1], sep="  ", flush=True)
    columns = ["task", "problems", "difference in score, mean", "largest"]
    return rows, [*columns, "in standard errors of the score, mean", "largest"]
