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
from datakin.learners.encoding import TableEncoder, in_full
from datakin.learners.learner import Rows, responses

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
    alone : Rows
        The same, as if there were no source: without columns for levels that are rare in the target.
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
        Which rows of a dataset belong together, as codes; only of those that have groups.
    """

    target: Dataset
    rows: Rows
    alone: Rows
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
    tables_too: bool = False,
) -> Prepared:
    """Match the sources to the target, draw samples of what is too large, encode all of it.

    Weights of the rows may be given by name; other datasets have theirs, or none. Of the target and of each
    source there are at most `max_rows`, drawn by the random state (None: all). An encoder that is there
    already is used as it is. With `tables_too` rows also keep what they were before they were encoded.
    """
    given = weights or {}
    _check_names(given, [d.name for d in (target, *sources)])
    notes: list[str] = []
    unusable: dict[str, str] = {}
    tables: dict[str, tuple[Features, Array, Array]] = {}
    # By name: sums over all tables do not depend on the order in which they were given.
    target, *sources = (_weighted(d, given) for d in (target, *sources))
    others = sorted(sources, key=lambda source: source.name)
    own, _ = sampled(target, max_rows, random_state, notes)
    tables[own.name] = in_full(own.features, own.name), own.y, _weights(own)
    groups = {own.name: own.groups}
    _check_counted(own)
    for source in others:
        try:
            part, features = _matched(own, source, max_rows, random_state, notes)
            tables[source.name] = features, part.y, _weights(part)
        except DatakinError as error:
            unusable[source.name] = str(error)
            continue
        groups[source.name] = part.groups
    if encoder is None:
        encoder = TableEncoder.learn([features for features, _, _ in tables.values()])
    rows = {}
    for name, (features, y, counts) in tables.items():
        Y, kind = responses(y, len(target.classes))
        table = encoder.table(features) if tables_too else None
        rows[name] = Rows(encoder.apply(features), Y, counts, kind, encoder.names, table)
    return Prepared(
        own,
        rows[own.name],
        _as_alone(rows[own.name], tables[own.name][0]),
        {name: part for name, part in rows.items() if name != own.name},
        encoder,
        {source.name: source.n_rows for source in sources},
        unusable,
        tuple(notes),
        {d.name: d.fingerprint for d in (target, *sources)},
        {n: np.unique(g, return_inverse=True)[1] for n, g in groups.items() if g is not None},
    )


def _as_alone(rows: Rows, features: Features) -> Rows:
    """Return the target's rows as its own encoder would give them, whatever sources there are."""
    known = set(TableEncoder.learn([features]).names)
    rare = np.array([name not in known for name in rows.names], dtype=bool)
    if not rows.X[:, rare].any():
        return rows
    return replace(rows, X=np.where(rare, 0.0, rows.X))


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
    kept: list[int] = []
    n_rows = 0
    for number, size in enumerate(np.bincount(groups).tolist()):
        if size and n_rows + size <= max_rows:
            kept.append(number)
            n_rows += size
    enough = len(kept) > 1 and 2 * n_rows >= max_rows
    return np.isin(groups, kept if enough else [])


def _matched(
    target: Dataset, source: Dataset, max_rows: int | None, random_state: int, notes: list[str]
) -> tuple[Dataset, Features]:
    """Return the rows of a source that are used, labels as the target's, and features laid out as its."""
    common = pair(target, source)
    if common.identical:
        raise DatakinError(f"{source.name!r} holds the same rows as {target.name!r}.")
    usable, n_other = ~common.shared_source, 0
    if target.classes:
        place = {name: code for code, name in enumerate(target.classes)}
        code_of = np.array([place.get(name, -1) for name in source.classes])
        n_other = int((code_of[source.y] < 0).sum())
        usable &= code_of[source.y] >= 0
        if n_other:
            other = sorted(set(source.classes) - set(place))
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
    some = source if usable.all() else source.take(np.flatnonzero(usable))
    part, _ = sampled(some, max_rows, random_state, notes)
    features = _as_target(in_full(part.features, part.name), target.features, common.columns)
    same_codes = part.classes == target.classes
    return part if same_codes else replace(part, y=code_of[part.y]), features


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


def _as_target(features: Features, like: Features, columns: Sequence[str]) -> Features:
    """Return the target's columns; those that are not among `columns` are missing."""
    n, shared = features.n_rows, set(columns)
    numeric = np.full((n, len(like.numeric_names)), np.nan)
    for j, name in enumerate(like.numeric_names):
        if name in shared:
            numeric[:, j] = features.numeric[:, features.numeric_names.index(name)]
    codes = np.full((n, len(like.category_names)), MISSING, dtype=np.int32)
    levels: list[tuple[str, ...]] = [()] * codes.shape[1]
    for j, name in enumerate(like.category_names):
        if name in shared:
            place = features.category_names.index(name)
            codes[:, j], levels[j] = features.codes[:, place], features.levels[place]
    return Features(numeric, like.numeric_names, codes, like.category_names, tuple(levels))


def _check_names(weights: Mapping[str, Array], names: Sequence[str]) -> None:
    """Refuse weights of datasets that are not there."""
    for name in weights:
        if name not in names:
            raise DatakinError(
                f"Weights must be given by the names of datasets. Got {name!r}; the datasets are "
                f"{listed(names, limit=20)}.{suggest(name, names)}"
            )


def _weighted(dataset: Dataset, given: Mapping[str, Array]) -> Dataset:
    """Return a dataset with the weights given for it, which come before its own; checked."""
    if dataset.name not in given:
        return dataset
    found = np.asarray(given[dataset.name], dtype=float)
    if found.shape != (dataset.n_rows,):
        raise DatakinError(
            f"There must be one weight for each of the {dataset.n_rows:,} rows of {dataset.name!r}. Got an "
            f"array of shape {found.shape}."
        )
    if not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise DatakinError(
            f"The weights of {dataset.name!r} must be finite, not negative, and not all 0."
        )
    return replace(dataset, weights=found)


def _weights(part: Dataset) -> Array:
    """Return the weights of the rows with mean 1; equal ones where there are none."""
    if part.weights is None:
        return np.ones(part.n_rows)
    found = part.weights / (part.weights.max() or 1.0)
    # As many rows of equal weight would make means as certain as these do (Kish, 1965).
    n_equal = float(found.sum() ** 2 / (np.sum(found**2) or 1.0))
    if n_equal < LEAST_ROWS - EPS:
        raise DatakinError(
            f"The weights of {part.name!r} must leave enough to learn from. Its {part.n_rows:,} rows that "
            f"can be used count like {n_equal:.3g} of equal weight; at least {LEAST_ROWS} are needed. Give "
            f"weights that differ less, or fewer rows the weight 0."
        )
    return np.asarray(found / found.mean())


def _check_counted(target: Dataset) -> None:
    """Refuse what leaves one group only, or nothing of a class, to learn from."""
    counts = np.ones(target.n_rows, dtype=bool) if target.weights is None else target.weights > 0
    if target.groups is not None and len(np.unique(target.groups[counts])) < 2:
        which, cure = "", "group"
        if target.weights is not None:
            which, cure = " with a weight above 0", "group or the weights"
        raise DatakinError(
            f"Rows of {target.name!r}{which} must be in at least two groups. Got one: no row can be "
            f"predicted without its group. Leave out {cure}."
        )
    gone = [k for k in range(len(target.classes)) if k in target.y and k not in target.y[counts]]
    if gone:
        raise DatakinError(
            f"Every class of {target.name!r} must have a row with a weight above 0. Got weights of 0 only "
            f"for {listed(target.classes[k] for k in gone)}; leave out these rows, or give some of them a "
            f"weight."
        )
