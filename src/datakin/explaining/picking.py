"""Which learner explains: lines, unless trees predict the source clearly better."""

from __future__ import annotations

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.explaining.ladder import losses_of
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Learner, Rows
from datakin.learners.named import LEARNERS
from datakin.learners.stack.preparation import prepare

__all__ = ["pick_learner"]

FOLDS = 5
ENOUGH = 100  # rows of the source from which trees are tried
CLEAR = 2.0  # standard errors by which trees must be better
SEED = 0  # of the folds


def pick_learner(target: Dataset, source: Dataset, loss: str) -> Learner:
    """Return the trees if they predict held-out rows of the source clearly better than lines, else lines.

    Lines are preferred because their effects can be read, and because they are quick. The folds do not depend
    on the user's seed: another seed would otherwise explain by another learner where the two are close.
    """
    lines, trees = LEARNERS["linear"], LEARNERS["trees"]
    prepared = prepare(target, [source], max_rows=None, random_state=SEED)
    rows, groups = prepared.sources.get(source.name), prepared.groups.get(source.name)
    if rows is None or len(rows) < ENOUGH:
        return lines
    y = rows.Y[:, 0] if rows.kind == "regression" else rows.codes
    folds = draw_folds(y, rows.kind != "regression", groups, derive_seed(SEED, "learner"), FOLDS)
    better = _losses(lines, rows, folds, loss) - _losses(trees, rows, folds, loss)
    mean = float(np.average(better, weights=rows.weights))
    error = float(np.std(better)) / np.sqrt(len(better))
    return trees if mean > CLEAR * error else lines


def _losses(learner: Learner, rows: Rows, folds: Array, loss: str) -> Array:
    return losses_of(rows.Y, learner.held_out(rows, folds)[0], rows.kind, loss)
