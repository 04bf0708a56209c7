"""A source whose classes have the shares that they have in the target: a mend for another base rate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from datakin._core.checks import check_seed
from datakin._core.exceptions import DatakinError, listed
from datakin._core.repeatability import derive_seed
from datakin.data.dataset import Dataset

__all__ = ["match_classes"]

FEWEST = 20  # rows that must be left


def match_classes(source: Dataset, target: Dataset, *, random_state: int = 0) -> Dataset:
    """Leave out rows of a source at random, until its classes have the shares of a target's.

    If two tables differ in their base rate and in nothing else, a rule learned on what is left holds in the
    target.

    Parameters
    ----------
    source, target : Dataset
        With the same classes. Where rows have weights, shares are those of the weights.
    random_state : int
        Which rows are left out.

    Returns
    -------
    Dataset
        Some of the rows of the source, in their order, with a note that says so.

    Examples
    --------
    >>> import numpy as np
    >>> from datakin import as_dataset
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> target = as_dataset(X, np.repeat([0, 1], [80, 20]), name="mine")
    >>> source = as_dataset(X + 1, np.repeat([0, 1], [50, 50]), name="theirs")
    >>> np.bincount(match_classes(source, target).y)
    array([50, 12])
    """
    check_seed(random_state)
    for each in (source, target):
        if not isinstance(each, Dataset):
            raise DatakinError(
                f"match_classes takes two datasets, such as read_table returns. Got {type(each).__name__}."
            )
    if not target.classes or not source.classes:
        raise DatakinError(
            "Only tables with classes can have their shares matched. A label that is a number is moved by "
            "convert= (--convert)."
        )
    place = {name: code for code, name in enumerate(source.classes)}
    lacking = [name for name in target.classes if name not in place]
    if lacking:
        raise DatakinError(
            f"{source.name!r} must have every class of {target.name!r} for its shares to be matched. It "
            f"lacks {listed(lacking)}."
        )
    wanted = np.zeros(len(source.classes))
    wanted[[place[name] for name in target.classes]] = _shares(target)
    shares = _shares(source)
    counts = np.bincount(source.y, minlength=len(wanted))
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.where(shares > 0, wanted / shares, 0.0)  # how much of each class, up to a factor
        total = float(np.min(np.where(wanted > 0, shares / wanted, np.inf)))
    keep = np.minimum(counts, np.floor(total * rates * counts + 1e-9).astype(int))
    if keep.sum() < FEWEST:
        raise DatakinError(
            f"At least {FEWEST} rows must be left. With the shares of {target.name!r}, {source.name!r} would "
            f"have {int(keep.sum())}."
        )
    return _drawn(source, target.name, keep, random_state)


def _shares(dataset: Dataset) -> np.ndarray:
    """Return the shares of the classes; rows that count more count more here."""
    if dataset.weights is None:
        return np.asarray(dataset.class_shares)
    sums = np.bincount(dataset.y, weights=dataset.weights, minlength=len(dataset.classes))
    return np.asarray(sums / sums.sum())


def _drawn(source: Dataset, target: str, keep: np.ndarray, seed: int) -> Dataset:
    rng = np.random.default_rng(derive_seed(seed, "class shares", source.fingerprint))
    rows = [
        rng.permutation(np.flatnonzero(source.y == code))[:n]
        for code, n in enumerate(keep.tolist())
    ]
    taken = np.sort(np.concatenate(rows))
    note = (
        f"{len(taken):,} of its {source.n_rows:,} rows are used, drawn at random so that its classes have "
        f"the shares that they have in {target}"
    )
    return replace(source.take(taken), notes=(*source.notes, note))
