"""What two datasets share: columns, classes and groups by name, rows by content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import pdtr

from datakin._core.exceptions import MINOR, SERIOUS, DatakinError, Note, listed
from datakin._core.typed_options import recode_options, typed
from datakin.data.checks.copies import chance_by_repeats, chance_of_a_copy
from datakin.data.checks.difference_kinds import KINDS, Difference
from datakin.data.checks.differences import differences
from datakin.data.checks.spelling import matching_values
from datakin.data.checks.suspicions import keep_option
from datakin.data.columns.labels import as_numbers, sort_classes
from datakin.data.dataset import Dataset
from datakin.data.features import Array

ENOUGH = 20  # rows from which their repeats tell chance
FIRST = KINDS.index("name")  # kinds of difference that come before rows and groups
CERTAIN = 0.99  # chance that fewer rows coincide from which they are no coincidence
SHOWN = 3  # differences of one kind in a note
DENSE = 0.8  # share of a range that running numbers fill


@dataclass(frozen=True, eq=False, slots=True)
class Pairing:
    """What a target and a source share.

    Attributes
    ----------
    columns : tuple of str
        Shared columns, sorted by name.
    classes : tuple of str
        Union of the class names; empty for regression.
    shared_target, shared_source : ndarray of bool
        Rows that are in both datasets: models have seen them, so they are left out of the cross
        error.
    identical : bool
        Both hold the same columns and rows.
    notes, back_notes : tuple of str
        What users should know, with these roles and with the roles swapped.
    asides : tuple of str
        Those of the notes that tell of rows, groups and classes, and of no difference in columns.
    """

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    shared_target: Array
    shared_source: Array
    identical: bool
    notes: tuple[str, ...]
    back_notes: tuple[str, ...]
    asides: tuple[str, ...] = ()


def pair(target: Dataset, source: Dataset, *, found: Sequence[Difference] | None = None) -> Pairing:
    """Find what two datasets share, or say why they cannot be compared.

    Parameters
    ----------
    target, source : Dataset
    found : sequence of Difference, optional
        Their `differences`, if they are known already.
    """
    found = differences(target, source) if found is None else found
    classes = _all_classes(target, source, found)
    if target.features.is_sparse != source.features.is_sparse:
        raise DatakinError(
            f"Both datasets must be sparse, or neither. Got a sparse "
            f"{(target if target.features.is_sparse else source).name!r} only."
        )
    columns = _shared_columns(target, source, found)
    rows, by_chance = shared_rows(target, source, columns)
    identical = bool(rows[0].any()) and _same_rows(target, source)
    back = differences(source, target) if found else []
    besides = [
        [*_note_on_rows(shared, by_chance), *_note_on_groups(one, other)]
        for one, other, shared in ((target, source, rows[0]), (source, target, rows[1]))
    ]
    missing = [list(_notes_on_classes(*both)) for both in ((target, source), (source, target))]
    notes = [
        (*_notes(several, KINDS[:FIRST]), *beside, *_notes(several, KINDS[FIRST:]), *few)
        for several, beside, few in zip((found, back), besides, missing, strict=True)
    ]
    if by_chance:
        rows = target.no_rows, source.no_rows
    asides = (*besides[0], *missing[0])
    return Pairing(columns, classes, *rows, identical, notes[0], notes[1], asides)


def _shared_columns(
    target: Dataset, source: Dataset, found: Sequence[Difference]
) -> tuple[str, ...]:
    """Return the columns that both use."""
    ours, theirs = target.columns, source.columns
    shared = tuple(sorted({*ours} & {*theirs}))
    if not shared:
        names = "; ".join([each.advice for each in found if each.kind == "name"][:SHOWN])
        raise DatakinError(
            f"Two datasets must share at least one column. {target.name!r} has "
            f"{listed(sorted(ours))}; {source.name!r} has {listed(sorted(theirs))}."
            f"{f' {names}.' if names else ''}"
        )
    if target.features.numeric_names != source.features.numeric_names:
        numeric = [set(each.features.numeric_names) for each in (target, source)]
        for name in shared:
            if (name in numeric[0]) != (name in numeric[1]):
                raise _two_kinds(name, target, source)
    for each in found:
        if each.kind == "dates":
            python, cli = each.options
            mend = f"if the numbers are dates, say {python} / {cli}, or " if python else ""
            raise _not_one_kind(each.column, f"{each.sentence}; {mend}")
    left_out = {each.column for each in found if each.leaves_out}
    if len(left_out) == len(shared):
        raise DatakinError(
            f"Two datasets must share a column with values in common. In {target.name!r} and "
            f"{source.name!r} {listed(shared)} have none, like codes of the dataset; to use them say "
            f"{keep_option(list(shared))}."
        )
    return tuple(name for name in shared if name not in left_out) if left_out else shared


def _not_one_kind(name: str, what: str) -> DatakinError:
    return DatakinError(
        f"Column {name!r} must be of one kind. {what}leave the column out (ignore=[{name!r}] / "
        f"{typed('ignore', name)})."
    )


def _two_kinds(name: str, target: Dataset, source: Dataset) -> DatakinError:
    text, numbers = target, source
    if target.features.kind(name) != "category":
        text, numbers = source, target
    levels = text.features.levels[text.features.category_names.index(name)]
    words = [level for level in levels if as_numbers(np.array([level], object)) is None]
    codes = matching_values(("0", "1"), levels)
    if not {"0", "1", *codes}.issuperset(levels):
        codes = {}
    python, cli = recode_options(text.name, name, codes)
    mend = f"if they mean the same, say {python} / {cli}" if codes else "correct the text"
    what = f"numbers or dates in {numbers.name!r} and text in {text.name!r}"
    return _not_one_kind(name, f"It holds {what} ({listed(words or levels, limit=3)}); {mend}, or ")


def _notes(found: Sequence[Difference], kinds: Sequence[str]) -> Iterator[Note]:
    """Yield a note for each of some kinds of difference."""
    for kind in kinds if found else ():
        some = [each for each in found if each.kind == kind]
        names = [each.column for each in some]
        if kind == "columns":
            yield from (Note(each.note, MINOR) for each in some)
        elif kind == "codes" and some:
            text = f"left out, no value in common, like codes of the dataset: {listed(names)}"
            yield Note(f"{text} (to learn from them: {keep_option(names)})", SERIOUS)
        elif kind == "range" and some:
            yield Note(f"ranges do not overlap, models can only extrapolate: {listed(names)}")
        elif some:
            more = f"; and {len(some) - SHOWN} more" if len(some) > SHOWN else ""
            text = "; ".join(each.advice for each in some[:SHOWN]) + more
            yield Note(text, SERIOUS)


def _note_on_rows(rows: Array, by_chance: bool) -> Iterator[Note]:
    n_rows = int(rows.sum())
    if n_rows:
        done = (
            ", about as many as chance gives: kept"
            if by_chance
            else ": left out of the cross errors"
        )
        stand = "row of the target also stands" if n_rows == 1 else "rows of the target also stand"
        yield Note(f"{n_rows} {stand} in the source{done}", MINOR if by_chance else SERIOUS)


def _note_on_groups(target: Dataset, source: Dataset) -> list[str]:
    """Name the groups that two datasets share.

    Each table may count its own from 1: then equal numbers say little.
    """
    ours, theirs = (set(dataset.group_names) - {""} for dataset in (target, source))
    shared = sort_classes(ours & theirs)
    if not shared:
        return []
    if _are_counted(ours) and _are_counted(theirs):
        text = "groups are numbered from 0 or 1 in both datasets and taken as different ones"
        return [Note(f"{text}; if they are the same, drop their rows in one", MINOR)]
    stand = "group stands" if len(shared) == 1 else "groups stand"
    text = (
        f"{len(shared)} {stand} in both datasets: {listed(shared)}; their rows train one and test the "
        f"other, so that the two look more alike than they are: drop them in one"
    )
    return [Note(text, SERIOUS)]


def _are_counted(names: set[str]) -> bool:
    """Whether these are running numbers from 0 or 1, as each table may have its own."""
    numbers = sorted(int(name) for name in names if name.isdecimal())
    if not numbers or len(numbers) < len(names) or numbers[0] > 1:
        return False
    return len(numbers) >= DENSE * (numbers[-1] - numbers[0] + 1)


def _notes_on_classes(target: Dataset, source: Dataset) -> Iterator[str]:
    if target.classes == source.classes:
        return
    ours, theirs = set(target.classes), set(source.classes)
    if len(ours) == len(theirs) == 2 and len(ours & theirs) == 1:
        (one,), (other,), (both,) = ours - theirs, theirs - ours, ours & theirs
        python, cli = recode_options(source.name, source.label, {other: one})
        text = (
            f"beside the class {both!r} {target.name!r} has {one!r} and {source.name!r} {other!r}: if they "
            f"mean the same, say {python} / {cli}; otherwise there are three classes"
        )
        yield Note(text, SERIOUS)
    for lacking, few in (("source", ours - theirs), ("target", theirs - ours)):
        if few:
            noun = "class" if len(few) == 1 else "classes"
            yield f"{noun} missing from the {lacking}: {listed(sort_classes(few))}"


def _all_classes(target: Dataset, source: Dataset, found: Sequence[Difference]) -> tuple[str, ...]:
    if bool(target.classes) != bool(source.classes):
        regression = source if target.classes else target
        raise DatakinError(
            f"Both labels must pose the same task. {regression.name!r} looks like regression, "
            f"the other like classes; say which task it is (task)."
        )
    recoding = next((each for each in found if each.kind == "classes"), None)
    if target.classes and (recoding or not set(target.classes) & set(source.classes)):
        how = source.features.how_to_recode(source.classes, target.classes)
        if recoding and not source.features.is_sparse:
            # A label_map is for all tables: it cannot turn codes that both have into others.
            both = set(target.classes) & set(source.classes)
            otherwise = "they cannot be compared" if both else how
            same = f"if they mean the same, say {' / '.join(recoding.options)}"
            how = f"{recoding.unsure or same}; otherwise {otherwise}"
        raise DatakinError(
            f"Both labels must use the same codes. {target.name!r} has {listed(target.classes)}, "
            f"{source.name!r} has {listed(source.classes)}; {how}."
        )
    return sort_classes({*target.classes, *source.classes})


def shared_rows(
    target: Dataset, source: Dataset, columns: tuple[str, ...]
) -> tuple[tuple[Array, Array], bool]:
    """Return which rows stand in both datasets, and whether that is chance.

    In discrete tables rows coincide by chance, about as often as rows repeat within one dataset, or as
    independent columns would give. Rows that are in both tell nothing of that: a copied table may stand
    twice in the other.
    """
    nothing = target.no_rows, source.no_rows
    if target.features.is_single != source.features.is_single:  # 0.1 differs from 0.1 in 32 bits
        target, source = _in_single(target), _in_single(source)
    known, asked = target.distinct_rows(columns), source.distinct_rows(columns)
    if not (known.take(known.searchsorted(asked), mode="clip") == asked).any():
        return nothing, False
    ours, theirs = target.row_hashes(columns), source.row_hashes(columns)
    in_target, in_source = np.isin(ours, theirs), np.isin(theirs, ours)
    sides = (target, source, ours, in_target), (source, target, theirs, in_source)
    # Distinct rows: one row that stands there a hundred times is one coincidence.
    numbers = [(len(np.unique(rows[found])), len(np.unique(rows))) for _, _, rows, found in sides]
    repeats = [
        [
            chance_by_repeats(one.features, columns, one.label_hashes, some)
            for some in (rows, rows[~found])[: 1 + int((~found).sum() >= ENOUGH)]
        ]
        for one, _, rows, found in sides
    ]
    overall = min(first for first, *_ in repeats)
    chances = [others[0] if others else overall for _, *others in repeats]
    for one, other, _, _ in sides:
        chances.append(chance_of_a_copy(one.features, columns, one.label_hashes, other.n_rows))
    chance = max(chances)
    # The estimate may be wrong by a factor of two; and a few rows may be more than were expected.
    by_chance = all(
        n_shared <= 2 * chance * n_rows or pdtr(n_shared - 1, chance * n_rows) < CERTAIN
        for n_shared, n_rows in numbers
    )
    return (in_target, in_source), bool(by_chance)


def _in_single(dataset: Dataset) -> Dataset:
    """Return the same with numbers of 32 bits, to compare with a table that has no others."""
    with np.errstate(over="ignore"):
        numeric = dataset.features.numeric.astype(np.float32).astype(float)
    y = dataset.y if dataset.classes else dataset.y.astype(np.float32).astype(float)
    return replace(dataset, features=replace(dataset.features, numeric=numeric), y=y)


def _same_rows(target: Dataset, source: Dataset) -> bool:
    """Whether both hold the same columns and rows, in any order."""
    if target.n_rows != source.n_rows or set(target.columns) != set(source.columns):
        return False
    columns = tuple(sorted(target.columns))
    ours, theirs = target.row_hashes(columns), source.row_hashes(columns)
    return bool(np.array_equal(np.sort(ours), np.sort(theirs)))
