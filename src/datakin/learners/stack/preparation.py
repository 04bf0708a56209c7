"""From datasets to rows that a stack can learn from; what was done to them is said in notes.

The columns are the target's. A source that lacks one is learned as if its values were missing; what it
has besides is not used. Rows of a source that stand in the target are left out, and so are rows of
classes that the target does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import MISSING, Array, Features
from datakin.data.pairing import Pairing, pair
from datakin.learners.encoding import TableEncoder, fits_in_full, laid_out
from datakin.learners.learner import Rows, responses

__all__ = ["MOST_ROWS", "Prepared", "prepare", "sampled"]

MOST_ROWS = 5_000  # of the target, and of each source
EPS = 1e-9
LEAST_ROWS = 10  # of a source, once rows that cannot be used are gone


@dataclass(frozen=True, eq=False)
class Prepared:
    """A target and its sources, ready to be learned from.

    Attributes
    ----------
    target : Dataset
        The rows that are learned from: all, or a sample of many.
    rows : Rows
        Of the target.
    sources : dict of str to Rows
        Of the sources that can be used.
    encoder : TableEncoder
    given : dict of str to int
        Number of rows of each source as it was given.
    unusable : dict of str to str
        Sources that cannot be used, and why.
    notes : tuple of str
    fingerprints : dict of str to str
    groups : dict of str to ndarray
        Which rows of a source belong together, as codes; only of sources that have groups.
    """

    target: Dataset
    rows: Rows
    sources: dict[str, Rows]
    encoder: TableEncoder
    given: dict[str, int]
    unusable: dict[str, str]
    notes: tuple[str, ...]
    fingerprints: dict[str, str]
    groups: dict[str, Array] = field(default_factory=dict)


def prepare(
    target: Dataset,
    sources: Sequence[Dataset],
    *,
    weights: Mapping[str, Array] | None = None,
    max_rows: int | None = MOST_ROWS,
    random_state: int = 0,
    encoder: TableEncoder | None = None,
) -> Prepared:
    """Match the sources to the target, draw samples of what is too large, encode all of it.

    Parameters
    ----------
    target : Dataset
    sources : sequence of Dataset
    weights : mapping of str to ndarray, optional
        Of the rows of some datasets, by name; for the others those that the datasets have.
    max_rows : int or None
        Largest number of rows of the target and of each source; None for all.
    random_state : int
        Of the samples.
    encoder : TableEncoder, optional
        One that is there already; it is not learned then.
    """
    _check_names(weights or {}, [d.name for d in (target, *sources)])
    given = {d.name: _given(dict(weights or {}), d) for d in (target, *sources)}
    notes: list[str] = []
    own_rows, chosen = sampled(target, max_rows, random_state, notes)
    own = _full(own_rows.features, target.name)
    features, labels = [own], [own_rows.y]
    kept_weights = [_weights(given[target.name], target, chosen)]
    _check_counted(own_rows, kept_weights[0], given[target.name] is not None)
    names: list[str] = []
    unusable: dict[str, str] = {}
    groups: dict[str, Array] = {}
    # By name: sums over all tables do not depend on the order in which they were given.
    for source in sorted(sources, key=lambda each: each.name):
        try:
            part, y, rows = _matched(own_rows, source, max_rows, random_state, notes)
            own_weights = _weights(given[source.name], source, rows)
        except DatakinError as error:
            unusable[source.name] = str(error)
            continue
        names.append(source.name)
        if source.groups is not None:
            groups[source.name] = np.unique(source.groups[rows], return_inverse=True)[1]
        features.append(part)
        labels.append(y)
        kept_weights.append(own_weights)
    encoder = TableEncoder.learn(features) if encoder is None else encoder
    made = []
    for part, y, weight in zip(features, labels, kept_weights, strict=True):
        Y, kind = responses(y, len(target.classes))
        made.append(Rows(encoder.apply(part), Y, weight, kind))
    return Prepared(
        own_rows,
        made[0],
        dict(zip(names, made[1:], strict=True)),
        encoder,
        {source.name: source.n_rows for source in sources},
        unusable,
        tuple(notes),
        {d.name: _fingerprint(d, given[d.name]) for d in (target, *sources)},
        groups,
    )


def sampled(
    dataset: Dataset, max_rows: int | None, random_state: int, notes: list[str]
) -> tuple[Dataset, Array]:
    """Return a dataset or a sample of it, and the rows taken.

    Groups are kept whole; where they are too large for that, rows are drawn from all groups.
    """
    everything = np.arange(dataset.n_rows)
    if max_rows is None or dataset.n_rows <= max_rows:
        return dataset, everything
    # Weights do not move the sample: twice as large ones are the same ones.
    content = replace(dataset, weights=None).fingerprint
    rng = np.random.default_rng(derive_seed(random_state, "sample", content))
    rows = np.arange(0)
    if dataset.groups is not None:
        order = rng.permutation(int(dataset.groups.max()) + 1)[dataset.groups]
        rows = np.flatnonzero(_whole_groups(order, max_rows))
    if not len(rows):
        rows = np.sort(rng.permutation(dataset.n_rows)[:max_rows])
    notes.append(
        f"{dataset.name}: {len(rows):,} of its {dataset.n_rows:,} rows are used, drawn at random"
    )
    return dataset.take(rows), rows


def _whole_groups(groups: Array, max_rows: int) -> Array:
    """Return which rows are in the groups, from the lowest, that fit; those that do not are left out.

    None where this would be one group, or less than half of the rows that may be taken.
    """
    numbers, sizes = np.unique(groups, return_counts=True)
    found: list[int] = []
    n_rows = 0
    for number, size in zip(numbers.tolist(), sizes.tolist(), strict=True):
        if n_rows + size <= max_rows:
            found.append(number)
            n_rows += size
    enough = len(found) > 1 and 2 * n_rows >= max_rows
    return np.isin(groups, found if enough else [])


def _matched(
    target: Dataset, source: Dataset, max_rows: int | None, random_state: int, notes: list[str]
) -> tuple[Features, Array, Array]:
    """Return a source's features laid out as the target's, its labels and the rows taken."""
    common = pair(target, source)
    if common.identical:
        raise DatakinError(f"{source.name!r} holds the same rows as {target.name!r}.")
    usable = ~common.shared_source
    codes, n_other = np.zeros(source.n_rows), 0
    if target.classes:
        place = {name: code for code, name in enumerate(target.classes)}
        codes = np.array([place.get(name, -1) for name in source.classes])[source.y]
        usable &= codes >= 0
        other = sorted({name for name in source.classes if name not in place})
        n_other = int((codes < 0).sum())
        if n_other:
            number = "1 row" if n_other == 1 else f"{n_other:,} rows"
            notes.append(
                f"{source.name}: {number} left out, of classes that {target.name} does not have: "
                f"{listed(other)}"
            )
    if int(usable.sum()) < LEAST_ROWS:
        raise DatakinError(
            f"{source.name!r} has {int(usable.sum())} rows that can be used; at least {LEAST_ROWS} are "
            f"needed."
        )
    notes += [f"{source.name}: {note}" for note in _notes(common, target.name, n_other)]
    rows = np.flatnonzero(usable)
    part, taken = sampled(
        source if usable.all() else source.take(rows), max_rows, random_state, notes
    )
    rows = rows[taken]
    features = _as_target(_full(part.features, source.name), target.features, common.columns)
    return features, codes[rows].astype(int) if target.classes else source.y[rows], rows


def _notes(common: Pairing, target: str, n_other: int) -> list[str]:
    """Return what is said of a pair; rows in both count here as those that are not learned from."""
    n_copies = int(common.shared_source.sum())
    number = "1 row" if n_copies == 1 else f"{n_copies:,} rows"
    stand = "stands" if n_copies == 1 else "stand"
    said = []
    for note in common.notes:
        if note.endswith(" of the cross errors"):
            said.append(f"{number} left out, which also {stand} in {target}")
        elif not (n_other and note.startswith("classes missing from the target")):  # said already
            said.append(note)
    return said


def _full(features: Features, name: str) -> Features:
    if not features.is_sparse:
        return features
    if not fits_in_full(features):
        raise DatakinError(
            f"{name!r} is a sparse matrix that is too large to be laid out in full: {features.n_rows:,} rows "
            f"x {len(features.names):,} columns. Give fewer columns, such as the leading components."
        )
    return laid_out(features)


def _as_target(features: Features, like: Features, columns: Sequence[str]) -> Features:
    """Return the target's columns; those that are not among `columns` are missing."""
    n, shared = features.n_rows, set(columns)
    numeric = np.full((n, len(like.numeric_names)), np.nan)
    place = {name: j for j, name in enumerate(features.numeric_names)}
    for j, name in enumerate(like.numeric_names):
        if name in shared:
            numeric[:, j] = features.numeric[:, place[name]]
    codes = np.full((n, len(like.category_names)), MISSING, dtype=np.int32)
    levels: list[tuple[str, ...]] = []
    place = {name: j for j, name in enumerate(features.category_names)}
    for j, name in enumerate(like.category_names):
        if name in shared:
            codes[:, j] = features.codes[:, place[name]]
            levels.append(features.levels[place[name]])
        else:
            levels.append(())
    return replace(
        features,
        numeric=numeric,
        numeric_names=like.numeric_names,
        codes=codes,
        category_names=like.category_names,
        levels=tuple(levels),
    )


def _check_names(weights: Mapping[str, Array], names: Sequence[str]) -> None:
    """Refuse weights of datasets that are not there."""
    for name in weights:
        if name not in names:
            raise DatakinError(
                f"Weights must be given by the names of datasets. Got {name!r}; the datasets are "
                f"{listed(names, limit=20)}.{suggest(name, names)}"
            )


def _given(weights: Mapping[str, Array], dataset: Dataset) -> Array | None:
    """Return the weights of all rows of a dataset, those given by name before its own; checked."""
    given = weights.get(dataset.name, dataset.weights)
    if given is None:
        return None
    found = np.asarray(given, dtype=float)
    if found.shape != (dataset.n_rows,):
        raise DatakinError(
            f"There must be one weight for each of the {dataset.n_rows:,} rows of {dataset.name!r}. Got an "
            f"array of shape {found.shape}."
        )
    if not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise DatakinError(
            f"The weights of {dataset.name!r} must be finite, not negative, and not all 0."
        )
    return found


def _weights(given: Array | None, dataset: Dataset, rows: Array) -> Array:
    """Return the weights of some rows with mean 1; equal ones where none are given."""
    if given is None:
        return np.ones(len(rows))
    found = given[rows]
    found = found / (found.max() or 1.0)
    # As many rows of equal weight would make means as certain as these do (Kish, 1965).
    n_equal = float(found.sum() ** 2 / (np.sum(found**2) or 1.0))
    if n_equal < LEAST_ROWS - EPS:
        raise DatakinError(
            f"The weights of {dataset.name!r} must leave enough to learn from. Its {len(rows):,} rows that "
            f"can be used count like {n_equal:.3g} of equal weight; at least {LEAST_ROWS} are needed. Give "
            f"weights that differ less, or fewer rows the weight 0."
        )
    return np.asarray(found / found.mean())


def _check_counted(target: Dataset, weights: Array, are_given: bool) -> None:
    """Refuse what leaves one group only, or nothing of a class, to learn from."""
    if target.groups is not None and len(np.unique(target.groups[weights > 0])) < 2:
        which, cure = (
            (" with a weight above 0", "group or the weights") if are_given else ("", "group")
        )
        raise DatakinError(
            f"Rows of {target.name!r}{which} must be in at least two groups. Got one: no row can be "
            f"predicted without its group. Leave out {cure}."
        )
    if not target.classes:
        return
    there, counted = (
        np.bincount(y, minlength=len(target.classes)) for y in (target.y, target.y[weights > 0])
    )
    gone = [target.classes[k] for k in np.flatnonzero((there > 0) & (counted == 0))]
    if gone:
        raise DatakinError(
            f"Every class of {target.name!r} must have a row with a weight above 0. Got weights of 0 only "
            f"for {listed(gone)}; leave out these rows, or give some of them a weight."
        )


def _fingerprint(dataset: Dataset, given: Array | None) -> str:
    """Return the fingerprint of a dataset with the weights that are used."""
    if given is None or dataset.weights is given:
        return dataset.fingerprint
    return replace(dataset, weights=given).fingerprint
