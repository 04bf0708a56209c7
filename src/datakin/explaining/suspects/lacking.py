"""A column that one table has and the other hardly has: nearly all its values are missing there.

A predictor of a table that has the column relies on it, and has to guess its values where it is missing. One
of a table that lacks it knows nothing of its effect.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from datakin._core.typed_options import typed
from datakin.data import Dataset
from datakin.data.features import MISSING
from datakin.explaining.edits import numbers_of, without
from datakin.explaining.suspects.suspect import Suspect
from datakin.results.explanation_parts import LACKING
from datakin.results.words import named, percent, short

__all__ = ["lacking_columns"]

HAVING = 0.5  # share up to which it has it
HALF, HARDLY_ANY = 0.5, 0.1  # shares of a column that may go together with one that is lacking


def lacking_columns(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns that one of the tables hardly has: all of them together, then one by one.

    What is not asked of some rows is often not asked as a whole; then leaving out one column is not enough.
    """
    if target.features.is_sparse or source.features.is_sparse:
        return
    shares = {name: (_missing(target, name), _missing(source, name)) for name in target.columns}
    order = sorted(shares, key=lambda name: -abs(shares[name][0] - shares[name][1]))
    for side in (0, 1):
        single = [name for name in order if _is_lacking(shares[name], side, LACKING, HAVING)]
        more = [name for name in order if _is_lacking(shares[name], side, HALF, HARDLY_ANY)]
        together = [*single, *(name for name in more if name not in single)]
        ways = [together] if single and len(together) > 1 else []
        for names in (*ways, *([name] for name in single)):
            if len(names) < len(shares):
                yield _suspect(tuple(names), shares[names[0]], side, (target, source))


def _is_lacking(shares: tuple[float, float], side: int, least: float, most: float) -> bool:
    return shares[side] >= least and shares[1 - side] <= most


def _missing(dataset: Dataset, name: str) -> float:
    features = dataset.features
    if name not in dataset.columns:
        return 1.0
    if name in features.numeric_names:
        return float(np.mean(np.isnan(numbers_of(dataset, name))))
    return float(np.mean(features.codes[:, features.category_names.index(name)] == MISSING))


def _suspect(
    names: tuple[str, ...], shares: tuple[float, float], side: int, tables: tuple[Dataset, Dataset]
) -> Suspect:
    """Return the suspicion; what the source lacks is of use in the target, and no option is proposed."""
    target, source = tables
    here, there = shares
    one = len(names) == 1
    so = (
        f"what is learned on {short(source.name)} relies on {'it' if one else 'them'}"
        if side == 0
        else f"{short(source.name)} tells little of {'its effect' if one else 'their effects'}"
    )
    seen = (
        f"{short(names[0])} is missing in {percent(here)}% of the rows of {short(target.name)} and in "
        f"{percent(there)}% of those of {short(source.name)}"
    )
    if not set(names) & set(source.columns):
        seen = f"{short(source.name)} has no {named(names, noun='of the columns')}"
    elif not one:
        seen = (
            f"{named(names, noun='columns')} are mostly missing in {short(tables[side].name)} and not in "
            f"{short(tables[1 - side].name)}"
        )
    return Suspect(
        cause="lacking",
        table=tables[side].name,
        columns=names,
        seen=f"{seen}: {so}.",
        python=f"ignore={list(names)!r}" if side == 0 else "",
        typed=" ".join(typed("ignore", name) for name in names) if side == 0 else "",
        mended=lambda one, two: (without(one, list(names)), without(two, list(names))),
        changes_target=True,
    )
