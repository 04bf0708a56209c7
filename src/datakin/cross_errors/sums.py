"""What is kept of a direction of a pair where not all of its losses are: few of them, or sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from datakin.cross_errors.records import Errors
from datakin.data.features import Array

SIZES = ("full", "fold")


def slimmed(errors: Errors, outputs: Sequence[str]) -> Errors:
    """Return errors of which only some outputs are kept row by row."""
    rows = {size: np.array([errors.row(size, name) for name in outputs]) for size in SIZES}
    return replace(
        errors,
        rows={size: _as_counts(losses, errors.n_folds) for size, losses in rows.items()},
        means={"fold": errors.means["fold"]},
        outputs=tuple(outputs),
        totals={
            size: np.array([row @ errors.weights for row in errors.rows[size]]) for size in SIZES
        },
    )


def _as_counts(losses: Array, n_predictors: int) -> Array:
    """Return mean losses as numbers of errors, an eighth of the room, if that is what they are."""
    counts = np.rint(losses * n_predictors)
    are_counts = bool(counts.min() >= 0 and counts.max() <= 255)  # NaN is not
    if are_counts and (counts / n_predictors == losses).all():
        return np.asarray(counts, dtype=np.uint8)
    return losses


@dataclass(frozen=True, eq=False, slots=True)
class WaySums:
    """One direction of a pair without its rows: what `datakin.scoring.ways` reads scores from.

    Attributes
    ----------
    models : tuple of str
        Those that work on both datasets.
    sizes : tuple of str
        The scores that can be had: "paper", "matched" and perhaps "limit".
    estimate : str
        What the sums are of.
    parts : ndarray of shape (S, 4 + K)
        For each size cross error, own error, variance from the tested rows, least standard error, and
        the cross errors without each fold.
    by_model : ndarray of shape (M, S, 2)
        Cross and own error of every model.
    own : ndarray of shape (3,)
        The tested dataset's own error, and its standard error from rows and from folds.
    curve : ndarray
        The numbers of the tested dataset's learning curve.
    weights : ndarray
        Ensemble weights of the tested dataset, for all models.
    """

    trained_on: str
    tested_on: str
    models: tuple[str, ...]
    sizes: tuple[str, ...]
    estimate: str
    parts: Array
    by_model: Array
    own: Array
    curve: Array
    weights: Array
    all_models: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Grams:
    """How the losses of a target's sources vary together, summed over the target's rows.

    Attributes
    ----------
    size : str
        The score whose losses `products` are of.
    products : ndarray of shape (m, m)
        Sums of products of what each row (or group) adds to the sources' errors.
    n : int
        Number of rows, or groups.
    """

    sources: tuple[str, ...]
    size: str
    products: Array
    n: int

    def only(self, names: Iterable[str]) -> Grams:
        """Return the sums of some of the sources."""
        wanted = set(names)
        at = [i for i, name in enumerate(self.sources) if name in wanted]
        kept = tuple(self.sources[i] for i in at)
        return Grams(kept, self.size, self.products[np.ix_(at, at)], self.n)
