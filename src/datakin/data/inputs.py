"""What users pass to be compared: datasets, pairs (X, y), and lists or mappings of them.

A source may be given the base rate of its target before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from datakin._core.checks import check_seed
from datakin._core.exceptions import SERIOUS, DatakinError, Note, listed, warn
from datakin._core.repeatability import derive_seed
from datakin.data.arrays import as_dataset
from datakin.data.checks.folds import fault_of_folds
from datakin.data.checks.grades import question_of_classes
from datakin.data.dataset import Dataset, check_unique
from datakin.data.drafts import MIN_ROWS
from datakin.data.pairing import pair


@dataclass(frozen=True)
class Kind:
    """A kind of data."""

    make: Callable[..., Dataset]  # make(X, y, name=name)
    advice: str  # how to get a dataset of this kind, for users who pass something else


TABLES = Kind(as_dataset, "read tables and files with datakin.read_table(table, label=...)")


def coerce(data: Any, name: str = "", kind: Kind = TABLES) -> Dataset:
    """Return a Dataset for a Dataset or an (X, y) pair, naming it when it has no name."""
    if isinstance(data, Dataset):
        return data if data.name else data.renamed(name)
    if isinstance(data, (tuple, list)) and len(data) == 2:
        return kind.make(data[0], data[1], name=name)
    raise DatakinError(
        f"A dataset must be a Dataset or a pair (X, y). Got {type(data).__name__}; {kind.advice}."
    )


def collect(data: Any, stem: str, kind: Kind = TABLES) -> list[Dataset]:
    """Return the datasets of a list or mapping; a mapping's keys are their names."""
    if isinstance(data, Mapping):
        return [coerce(d, str(name), kind).renamed(str(name)) for name, d in data.items()]
    if isinstance(data, (list, tuple)):
        return [coerce(d, f"{stem} {i}", kind) for i, d in enumerate(data, start=1)]
    raise DatakinError(
        f"Several datasets must come as a list, or as a mapping of name to dataset. "
        f"Got {type(data).__name__}."
    )


def check_names(datasets: Sequence[Dataset]) -> None:
    """Refuse datasets of the same name."""
    advice = "pass name= when reading them, or a mapping of name to dataset"
    check_unique((dataset.name for dataset in datasets), advice)


def unweighted(datasets: Sequence[Dataset]) -> list[Dataset]:
    """Return datasets without row weights, with one warning if some had any."""
    weighted = [d.name for d in datasets if d.weights is not None]
    if weighted:
        warn(
            f"row weights are used by choose and explain only: those of {listed(weighted)} have no effect "
            f"here"
        )
    return [d.unweighted() for d in datasets]


def for_comparison(target: Any, source: Any, kind: Kind = TABLES) -> list[Dataset]:
    """Return target and source; a dataset may be compared with itself."""
    datasets = [coerce(target, "target", kind), coerce(source, "source", kind)]
    if datasets[0].name == datasets[1].name and pair(*datasets).identical:
        datasets[1] = datasets[1].renamed(f"{datasets[1].name} (again)")
    return _checked(datasets, kind)


def for_ranking(target: Any, sources: Any, kind: Kind = TABLES) -> list[Dataset]:
    """Return the target, then its sources, at least one."""
    datasets = [coerce(target, "target", kind), *collect(sources, "source", kind)]
    if len(datasets) < 2:
        raise DatakinError("A ranking needs at least one source. Got none.")
    return _checked(datasets, kind)


def for_matrix(datasets: Any, kind: Kind = TABLES) -> list[Dataset]:
    """Return the members of a matrix, at least two."""
    members = collect(datasets, "dataset", kind)
    if len(members) < 2:
        raise DatakinError(f"A matrix needs at least two datasets. Got {len(members)}.")
    return _checked(members, kind)


def _checked(datasets: list[Dataset], kind: Kind) -> list[Dataset]:
    """Return datasets with names of their own and no row weights; ask about a label's grades."""
    check_names(datasets)
    classes = {d.name: d.classes for d in datasets if not fault_of_folds(d)}
    question = question_of_classes(classes, datasets[0].label)
    if question is not None and kind is TABLES:
        warn(Note(question.advice, SERIOUS))
    return unweighted(datasets)


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
    lacking = [name for name in target.classes if name not in source.classes]
    if lacking:
        raise DatakinError(
            f"{source.name!r} must have every class of {target.name!r} for its shares to be matched. It "
            f"lacks {listed(lacking)}."
        )
    of_target = dict(zip(target.classes, _shares(target), strict=True))
    wanted = np.array([of_target.get(name, 0.0) for name in source.classes])
    shares = _shares(source)
    counts = np.bincount(source.y, minlength=len(wanted))
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.where(shares > 0, wanted / shares, 0.0)  # how much of each class, up to a factor
        total = float(np.min(np.where(wanted > 0, shares / wanted, np.inf)))
    keep = np.minimum(counts, np.floor(total * rates * counts + 1e-9).astype(int))
    if keep.sum() < MIN_ROWS:
        raise DatakinError(
            f"At least {MIN_ROWS} rows must be left. With the shares of {target.name!r}, {source.name!r} "
            f"would have {int(keep.sum())}."
        )
    return _drawn(source, target.name, keep, random_state)


def _shares(dataset: Dataset) -> np.ndarray:
    """Return the shares of the classes; rows that count more count more here."""
    sums = np.bincount(dataset.y, weights=dataset.weights, minlength=len(dataset.classes))
    return np.asarray(sums / sums.sum())


def _drawn(source: Dataset, target: str, keep: np.ndarray, seed: int) -> Dataset:
    rng = np.random.default_rng(derive_seed(seed, "class shares", source.fingerprint))
    rows = [rng.permutation(np.flatnonzero(source.y == code))[:n] for code, n in enumerate(keep)]
    taken = np.sort(np.concatenate(rows))
    note = (
        f"{len(taken):,} of its {source.n_rows:,} rows are used, drawn at random so that its classes have "
        f"the shares that they have in {target}"
    )
    return replace(source.take(taken), notes=(*source.notes, note))
