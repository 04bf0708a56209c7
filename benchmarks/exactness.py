"""How far our fitters, and the scores made of them, are from scikit-learn's and XGBoost's own.

A loss of one's own is given every prediction: one that remembers them lets two runs of the same plan
be compared row by row.
"""

import numpy as np
from library import models, run_to_the_end

import datakin

CLASSES = {"two classes": 2, "four classes": 4, "regression": 0}
MOST = 400  # rows of a dataset


def problem(task, seed, turn=0.0):
    """Return X and y of one dataset, standardised; another turn gives another rule."""
    n_classes = CLASSES[task]
    rng = np.random.default_rng([seed, n_classes, int(100 * turn)])
    n, p = np.random.default_rng([seed, n_classes]).integers((120, 2), (MOST, 25))
    X = rng.standard_normal((n, p))
    rules = np.random.default_rng([seed, 1]).standard_normal((2, p, 4))
    rule = np.cos(turn) * rules[0] + np.sin(turn) * rules[1]
    signal = 2 * X @ rule / np.sqrt(p) + 0.5 * X[:, [0]] * X[:, [1]]
    if n_classes:
        y = np.argmax(signal[:, :n_classes] + rng.gumbel(size=(n, n_classes)), axis=1)
    else:
        y = signal[:, 0] + rng.standard_normal(n)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def pair_of(task, seed):
    return [problem(task, seed, turn) for turn in (0.0, 0.6)]


def predictions(pair, chosen):
    """Return every prediction of a score of one model, and what fitted it."""
    seen = []

    def remember(truth, predicted):
        seen.append(np.array(predicted))
        truth = np.asarray(truth)
        return (truth - predicted) ** 2 if truth.dtype.kind == "f" else truth != predicted

    found = datakin.matrix(pair, models=chosen, cv=3, loss=remember)
    fitters = sorted(set(found.provenance.backends.values()))
    return np.concatenate(seen), " and ".join(fitters) or "library"


def differences(task, seed):
    """Yield model, what fitted it, and three differences in the predictions."""
    pair, is_class = pair_of(task, seed), bool(CLASSES[task])
    scale = 0 if is_class else np.std(pair[0][1])
    for name, plain in models(is_class).items():
        ours, fitter = predictions(pair, [name])
        default, _ = predictions(pair, {name: plain})
        tight, _ = predictions(pair, {name: run_to_the_end(is_class)[name]})
        both = ((ours, default), (ours, tight), (default, tight))
        yield name, fitter, [gap(one, other, scale) for one, other in both]


def gap(one, other, scale):
    """Share of other labels; for numbers the largest difference, in units of `scale`."""
    return float(np.abs(one - other).max() / scale) if scale else float(np.mean(one != other))


def fits(quick=False):
    rows = []
    for task in CLASSES:
        found = {}
        for seed in range(2 if quick else 20):
            for name, fitter, values in differences(task, seed):
                found.setdefault((name, fitter), []).append(values)
        for (name, fitter), values in found.items():
            cells = [
                f"{mean:.2g} ({most:.2g})"
                for mean, most in zip(np.mean(values, axis=0), np.max(values, axis=0), strict=True)
            ]
            rows.append((task, name, fitter, len(values), *cells))
            print(*rows[-1], sep="  ", flush=True)
    columns = ["task", "model", "fitted by", "problems", "ours against the library"]
    return rows, [*columns, "ours against the library run to the end", "the library against that"]


def scores(quick=False):
    """The score with our fitters against the score with every model on the libraries' path."""
    rows = []
    for task, n_classes in CLASSES.items():
        found = []
        for seed in range(2 if quick else 20):
            pair = pair_of(task, seed)
            one, two = datakin.score(*pair), datakin.score(*pair, models=models(bool(n_classes)))
            found.append((abs(one.score - two.score), two.standard_error))
        gaps, errors = np.array(found).T
        shares = gaps / errors
        row = (task, len(gaps), f"{gaps.mean():.2g}", f"{gaps.max():.2g}")
        rows.append((*row, f"{shares.mean():.2g}", f"{shares.max():.2g}"))
        print(*rows[-1], sep="  ", flush=True)
    columns = ["task", "problems", "difference in score, mean", "largest"]
    return rows, [*columns, "in standard errors of the score, mean", "largest"]
