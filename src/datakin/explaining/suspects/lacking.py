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
from datakin.results.words import percent, short

__all__ = ["lacking_columns"]

HAVING = 0.5  # share up to which it has it


def lacking_columns(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns that one of the tables hardly has, the most uneven first."""
    if target.features.is_sparse or source.features.is_sparse:
        return
    shared = [name for name in target.columns if name in set(source.columns)]
    if len(shared) < 2:
        return
    shares = {name: (_missing(target, name), _missing(source, name)) for name in shared}
    for name in sorted(shared, key=lambda name: -abs(shares[name][0] - shares[name][1])):
        here, there = shares[name]
        if max(here, there) >= LACKING and min(here, there) <= HAVING:
            yield _suspect(name, here, there, target, source)


def _missing(dataset: Dataset, name: str) -> float:
    features = dataset.features
    if name in features.numeric_names:
        return float(np.mean(np.isnan(numbers_of(dataset, name))))
    return float(np.mean(features.codes[:, features.category_names.index(name)] == MISSING))


def _suspect(name: str, here: float, there: float, target: Dataset, source: Dataset) -> Suspect:
    """Return the suspicion; what the source lacks is of use in the target, and no option is proposed."""
    is_here = here > there
    so = (
        f"what is learned on {short(source.name)} relies on it"
        if is_here
        else f"{short(source.name)} tells little of its effect"
    )
    return Suspect(
        cause="lacking",
        table=target.name if is_here else source.name,
        columns=(name,),
        seen=(
            f"{short(name)} is missing in {percent(here)}% of the rows of {short(target.name)} and in "
            f"{percent(there)}% of those of {short(source.name)}: {so}."
        ),
        python=f"ignore=[{name!r}]" if is_here else "",
        typed=typed("ignore", name) if is_here else "",
        mended=lambda one, two: (without(one, [name]), without(two, [name])),
        changes_target=True,
    )
