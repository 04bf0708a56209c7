"""What users pass to be compared: datasets, pairs (X, y), and lists or mappings of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from datakin._core.exceptions import SERIOUS, DatakinError, Note, listed, repeated, warn
from datakin.data.arrays import as_dataset
from datakin.data.checks.folds import fault_of_folds
from datakin.data.checks.grades import question_of_classes
from datakin.data.dataset import Dataset
from datakin.data.pairing import pair

__all__ = [
    "Kind",
    "check_names",
    "coerce",
    "collect",
    "for_comparison",
    "for_matrix",
    "for_ranking",
    "unweighted",
]


@dataclass(frozen=True)
class Kind:
    """A kind of data.

    Attributes
    ----------
    make : callable
        ``make(X, y, name=name)`` returns a Dataset.
    advice : str
        How to get a dataset of this kind, for users who pass something else.
    """

    make: Callable[..., Dataset]
    advice: str


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
    twice = repeated(d.name for d in datasets)
    if twice:
        raise DatakinError(
            f"Datasets must have different names. Got more than one named {listed(twice)}; "
            f"pass name= when reading them, or a mapping of name to dataset."
        )


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
