"""What a measurement finds: losses row by row, and what is kept of datasets, plans and pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from datakin._core.exceptions import FitFailure
from datakin.data.features import Array
from datakin.learners.folds import Plan
from datakin.learners.losses import Labels, Loss

Scores = Sequence["Array | None"]  # of one fit, for each model; None for a model that failed


@dataclass(frozen=True, eq=False)
class Errors:
    """Losses of one dataset's predictors on one dataset's rows.

    Predictors come in three sizes: "full" (trained on all rows), "fold" (one fold held out) and
    "inner" (two held out). The rows of the arrays are the models, then "ensemble", then "average"
    (the models' losses averaged with the ensemble's weights).

    Attributes
    ----------
    rows : mapping of size to ndarray of shape (M + 2, n)
        Loss on each row, averaged over the predictors of that size. A cross-validated own error
        has no "full": a predictor trained on all rows cannot be tested on them. A cross error has
        no "inner" if the limit was not asked for.
    means : mapping of "fold" to ndarray of shape (M + 2, K)
        Cross errors: mean loss of the predictors that left out fold k.
    weights : ndarray of shape (n,)
        Weight of each tested row in the mean; 0 for a row that also stands in the other dataset.
    n_train : mapping of size to float
        Mean number of training rows; "all" is the number of rows there are, which is more than
        "full" where the score comes from samples.
    least : float
        What one more error on one row would add to the mean (0-1 losses; 0 for others). Errors
        that do not vary at all are not known any better than this.
    outputs : tuple of str
        The models or aggregates that `rows` are of; all if empty. Where sums alone are needed, other
        rows are not kept, and whole numbers of errors stand for their means over the folds.
    totals : mapping of size to ndarray of shape (M + 2,)
        Mean losses, where not all rows are kept.
    """

    trained_on: str
    tested_on: str
    models: tuple[str, ...]
    rows: Mapping[str, Array]
    means: Mapping[str, Array]
    weights: Array
    n_train: Mapping[str, float]
    least: float = 0.0
    outputs: tuple[str, ...] = ()
    totals: Mapping[str, Array] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows of the arrays."""
        return (*self.models, "ensemble", "average")

    @property
    def n_folds(self) -> int:
        """How many versions of the predictors there are, each without a fold."""
        return int(self.means["fold"].shape[1])

    @property
    def has_inner(self) -> bool:
        """Whether predictors without two folds were tested."""
        return "inner" in self.rows

    @property
    def failed(self) -> Array:
        """Which models have no losses."""
        means = self.totals["fold"] if self.outputs else self.error("fold")
        return np.isnan(means[:-2])

    def row(self, size: str, name: str) -> Array:
        """Return the loss on each row of one model or aggregate."""
        found = self.rows[size][(self.outputs or self.names).index(name)]
        return np.asarray(found / self.n_folds if found.dtype == np.uint8 else found)

    def replicates(self, name: str) -> Array:
        """Return the mean loss of one model or aggregate without each fold."""
        return np.asarray(self.means["fold"][self.names.index(name)])

    def mean(self, size: str, name: str) -> float:
        """Return the mean loss of one model or aggregate."""
        if self.outputs:
            return float(self.totals[size][self.names.index(name)])
        return float(self.row(size, name) @ self.weights)

    def error(self, size: str) -> Array:
        """Return the mean loss of every model, the ensemble and the average."""
        return np.asarray(self.rows[size] @ self.weights)


@dataclass(frozen=True, eq=False)
class Trained:
    """What is kept of a dataset's plan once its predictions are made: own errors and weights.

    Attributes
    ----------
    own : Errors
        The errors of the dataset on itself: cross-validated, or on rows held out of everything.
    full_weights : ndarray of shape (M,)
        Ensemble weights from all rows; 0 for a model that failed.
    fold_weights : ndarray of shape (K, M)
        Ensemble weights from the rows outside each fold.
    folds : tuple of ndarray
        The own errors' rows in K parts: the folds, or parts of the rows held out.
    backends : mapping of str to str
        What fitted each model.
    """

    own: Errors
    full_weights: Array
    fold_weights: Array
    folds: tuple[Array, ...]
    n_fits: int
    failures: tuple[FitFailure, ...]
    backends: Mapping[str, str] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Leave what was found on the way out of what is sent elsewhere."""
        return {name: value for name, value in self.__dict__.items() if name != "kept"}

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What follows from the own errors, for all comparisons with this dataset."""
        return {}

    @property
    def row_weights(self) -> Array:
        """The ensemble weights w(-k) that belong to each row of fold k, shape (n, M)."""
        weights = np.empty((len(self.own.weights), self.fold_weights.shape[1]))
        for k, fold in enumerate(self.folds):
            weights[fold] = self.fold_weights[k]
        return weights


@dataclass(frozen=True, eq=False)
class PlanPredictions:
    """What the fits of one plan say: all that own and cross errors are computed from.

    Attributes
    ----------
    y : ndarray
        Labels of the training rows.
    decisions : tuple of bool
        Which models give decision values, which need calibration before they are probabilities.
    scores : sequence over fits of Scores
        On the dataset's own rows, NaN where the fit was trained on the row.
    held_out : sequence over fits of Scores, or None
        On rows of the same dataset held out of everything, where the plan has only a sample.
    n_rows : int
        How many rows the dataset has.
    """

    dataset: str
    y: Array
    classes: tuple[str, ...]
    models: tuple[str, ...]
    decisions: tuple[bool, ...]
    plan: Plan
    scores: Sequence[Scores]
    held_out: Sequence[Scores] | None
    n_rows: int
    n_fits: int
    failures: tuple[FitFailure, ...] = ()
    backends: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Member:
    """A dataset as the table knows it.

    Attributes
    ----------
    classes : tuple of str
        Empty for regression.
    shares : tuple of float
        Share of rows in each class.
    missing : float
        Share of the feature values that are missing.
    loss : str
        Name of the loss that errors on this dataset are measured in.
    balanced : bool
        Whether every class weighs the same in it.
    best_constant : float or None
        Regression: the loss of the best constant.
    labels : Labels or None
        Of the rows that are tested on; None where only sums are kept.
    is_sampled : bool
        Whether scores come from samples of its rows.
    has_own_loss : bool
        Whether the loss is a function of the user's own.
    """

    name: str
    fingerprint: str
    n_rows: int
    classes: tuple[str, ...]
    shares: tuple[float, ...]
    missing: float
    columns: tuple[str, ...]
    loss: str
    balanced: bool
    best_constant: float | None
    labels: Labels | None
    is_sampled: bool = False
    has_own_loss: bool = False


class Key(NamedTuple):
    """Which plan: a dataset, the columns it is learned on, the stage of its sample.

    `partner` is the other dataset where the plan belongs to one pair alone, as with an encoder that
    is trained on both.
    """

    dataset: str
    columns: tuple[str, ...]
    stage: int = -1
    partner: str = ""

    @classmethod
    def of(cls, values: Sequence[Any]) -> Key:
        """Return a key from its values, as JSON has them."""
        name, columns, stage, partner = values
        return cls(name, tuple(columns), stage, partner)


@dataclass(frozen=True, eq=False, slots=True)
class PairFacts:
    """What a target and a source agreed on before they were measured.

    Attributes
    ----------
    columns, classes : tuple of str
        The columns of both, and all classes.
    n_shared : pair of int
        Rows of the target that also stand in the source, and the reverse.
    left_out : pair of ndarray of bool, or None
        Tested rows of target and source that stand in the other one too; None if there are none.
    notes : pair of tuples of str
        What the user should know, and the same with the roles swapped.
    keys : pair of Key, or None
        The plans of target and source; None for identical datasets, which need none.
    is_final : bool
        Whether `keys` are those that the pair was finished with.
    """

    target: str
    source: str
    columns: tuple[str, ...]
    classes: tuple[str, ...]
    n_shared: tuple[int, int]
    left_out: tuple[Array, Array] | None
    is_identical: bool
    notes: tuple[tuple[str, ...], tuple[str, ...]]
    keys: tuple[Key, Key] | None = None
    is_final: bool = False

    def swapped(self) -> PairFacts:
        """Return the same with the roles swapped."""
        return replace(
            self,
            target=self.source,
            source=self.target,
            n_shared=self.n_shared[::-1],
            left_out=None if self.left_out is None else self.left_out[::-1],
            notes=self.notes[::-1],
            keys=None if self.keys is None else self.keys[::-1],
        )


@dataclass(frozen=True, eq=False)
class Piece:
    """What one plan brought, for each repeat: the unit that is run, stored and joined.

    Attributes
    ----------
    own : sequence of Trained
    crosses : mapping of tested dataset to a sequence of Errors
    predictions : sequence of PlanPredictions, or None
        None where only losses are kept.
    scores : mapping of tested dataset to a sequence (over repeats) of sequences (over fits)
    repeat : int or None
        The only repeat that the piece holds, where repeats are units of work of their own.
    """

    own: Sequence[Trained]
    crosses: Mapping[str, Sequence[Errors]]
    predictions: Sequence[PlanPredictions] | None = None
    scores: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    repeat: int | None = None

    @property
    def n_fits(self) -> int:
        """Number of fits over all repeats."""
        return sum(own.n_fits for own in self.own)

    def only(self, names: Iterable[str]) -> Piece:
        """Return the piece tested on some datasets."""
        wanted = set(names)
        return replace(
            self,
            crosses={name: found for name, found in self.crosses.items() if name in wanted},
            scores={name: found for name, found in self.scores.items() if name in wanted},
        )


def of_repeats(repeats: Sequence[Piece]) -> Piece:
    """Return one piece of several that hold one repeat each."""

    def together(name: str) -> dict[str, tuple[Any, ...]]:
        tested = [getattr(piece, name) for piece in repeats]
        return {other: tuple(found[other][0] for found in tested) for other in tested[0]}

    predictions = [made for piece in repeats for made in piece.predictions or ()]
    own = tuple(piece.own[0] for piece in repeats)
    return Piece(own, together("crosses"), tuple(predictions) or None, together("scores"))


def least_error(loss: Loss, weights: Array) -> float:
    """Return what one more error on one row would add to the mean; 0 where losses are no counts."""
    return float(weights.max()) if loss.needs == "label" and not loss.by_name else 0.0


def kept_weights(loss: Loss, dataset: Labels, kept: Array) -> Array:
    """Return row weights that sum to 1 over the rows kept (over each class alike if balanced)."""
    weights = kept.astype(float)
    if loss.balanced:
        counts = np.bincount(dataset.y[kept], minlength=len(dataset.classes))
        weights = weights / np.maximum(counts, 1)[dataset.y]
    total = weights.sum()
    return weights / total if total else weights
