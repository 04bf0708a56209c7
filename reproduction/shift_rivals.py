"""Small versions of two published ways to split shift of X from shift of Y given X.

- `disde`: by how much the error grows for either reason (Cai, Namkoong and Yadlowsky, 2023)
- `shift_tests`: a test for each (Maia Polo et al., 2023), with linear models
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from reproduction.harness import Array, Row
from reproduction.shift_designs import Table

TIMES = 100  # permutations, and draws of labels
DEPTH = 2  # of the trees of the predictor that is judged


def disde(target: Table, source: Table, seed: int) -> Row:
    """Split the growth of the error from the source (P) to the target (Q) over what both share (S).

    The shared distribution of X has a density proportional to pq / (p + q). Half of the source trains a
    forest of shallow trees; the other half and the target are told apart by a cross-fitted forest.

    Returns
    -------
    dict
        "p_to_s" and "s_to_q" are due to X, "y_given_x" to the rule; they add up to the growth.
    """
    rng = np.random.default_rng(seed)
    held = rng.permutation(len(source[1])) < len(source[1]) // 2
    judged = RandomForestClassifier(50, max_depth=DEPTH, random_state=0)
    judged.fit(source[0][~held], source[1][~held])
    sides = (source[0][held], source[1][held]), target
    wrong = [judged.predict(X) != y for X, y in sides]
    is_target = np.repeat([0, 1], [len(each) for each in wrong])
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    forest = RandomForestClassifier(50, min_samples_leaf=10, random_state=0)
    both = np.vstack([X for X, _ in sides])
    p = cross_val_predict(forest, both, is_target, cv=folds, method="predict_proba")[:, 1]
    share = is_target.mean()
    scale = (1 - share) * p + share * (1 - p)
    weights = (p / scale)[is_target == 0], ((1 - p) / scale)[is_target == 1]
    shared = [float(np.average(e, weights=w)) for e, w in zip(wrong, weights, strict=True)]
    return {
        "p_to_s": shared[0] - float(wrong[0].mean()),
        "y_given_x": shared[1] - shared[0],
        "s_to_q": float(wrong[1].mean()) - shared[1],
    }


def shift_tests(target: Table, source: Table, seed: int) -> Row:
    """Return the chance of a shift of X as large as this, and of one of Y given X.

    The statistics are divergences, from classifiers of one half of the rows; tests use the other half.
    X: rows change sides. Y given X: labels of the target are drawn anew from a model of both tables.
    """
    rng = np.random.default_rng(seed)
    (X, y, is_target), held = _halves(target, source, rng)
    learned = ~held
    by_x = LogisticRegression().fit(X[learned], is_target[learned])
    by_both = LogisticRegression().fit(np.column_stack([X, y])[learned], is_target[learned])
    ratio = by_x.decision_function(X[held])
    n_target = int(is_target[held].sum())
    moved = ratio[is_target[held] == 1].mean()
    other = [rng.permutation(ratio)[:n_target].mean() for _ in range(TIMES)]
    here = held & (is_target == 1)
    # What features add is the same for all draws of labels, so that the label's share decides.
    effect = float(by_both.coef_[0, -1])
    drawn = _labels(X[learned], y[learned], X[here], rng)
    return {
        "p_x": _chance(float(moved), np.array(other)),
        "p_y_given_x": _chance(effect * float(y[here].mean()), effect * drawn.mean(axis=1)),
    }


def _halves(
    target: Table, source: Table, rng: np.random.Generator
) -> tuple[tuple[Array, Array, Array], Array]:
    X = np.vstack([target[0], source[0]])
    y = np.concatenate([target[1], source[1]]).astype(float)
    is_target = np.repeat([1, 0], [len(target[1]), len(source[1])])
    return (X, y, is_target), rng.permutation(len(y)) < len(y) // 2


def _labels(X: Array, y: Array, new: Array, rng: np.random.Generator) -> Array:
    """Draw labels for rows, from a model in which the tables do not differ."""
    if np.isin(y, (0.0, 1.0)).all():
        p = LogisticRegression().fit(X, y).predict_proba(new)[:, 1]
        return np.asarray(rng.random((TIMES, len(new))) < p, dtype=float)
    model = Ridge().fit(X, y)
    spread = np.std(y - model.predict(X))
    return np.asarray(model.predict(new) + spread * rng.standard_normal((TIMES, len(new))))


def _chance(seen: float, drawn: Array) -> float:
    return float((1 + np.count_nonzero(drawn >= seen)) / (1 + len(drawn)))
