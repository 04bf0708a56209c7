"""Labels that mean something else in the other table: classes swapped, numbers in other units."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment

from datakin._core.typed_options import recode_options
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.explaining.edits import relabelled
from datakin.explaining.suspects.suspect import Suspect
from datakin.explaining.suspects.units import conversion, units_suspect
from datakin.learning.stack.rows import Rows
from datakin.results.words import named, short

__all__ = ["label_units", "swapped_classes"]

ASKED = 0.75  # share of the excess that other classes must mend: a rule that is partly reversed is no swap


def swapped_classes(
    target: Dataset, source: Dataset, rows: Rows, on_target: Array
) -> Iterator[Suspect]:
    """Yield the order of classes in which the source's predictor is right more often, if it is another one.

    Parameters
    ----------
    target, source : Dataset
    rows : Rows
        Of the target.
    on_target : ndarray of shape (n, m)
        What the source's predictor says of them.
    """
    classes = target.classes
    if not classes or set(classes) != set(source.classes):
        return
    P, Y = on_target, rows.Y
    if rows.kind == "binary":
        P, Y = np.hstack([1 - P, P]), np.hstack([1 - Y, Y])
    weights = rows.weights[:, None] * Y
    # How probable each class of the source is, beyond its share, among the rows of each class.
    found = (weights.T @ P) / np.maximum(weights.sum(axis=0), 1e-12)[:, None]
    found = found - np.average(P, axis=0, weights=rows.weights)
    mine, theirs = linear_sum_assignment(-found)
    if found[mine, theirs].sum() <= max(np.trace(found), 0.0) or (mine == theirs).all():
        return
    codes = {classes[t]: classes[m] for m, t in zip(mine, theirs, strict=True) if m != t}
    python, typed_option = recode_options(source.name, source.label, codes)
    pairs = [f"{old!r} as {new!r}" for old, new in codes.items()]
    yield Suspect(
        cause="classes",
        table=source.name,
        columns=(source.label,),
        seen=(
            f"The classes look swapped: the rule of {short(source.name)} fits {short(target.name)} if you "
            f"read {named(pairs, most=3, noun='other classes')}."
        ),
        python=python,
        typed=typed_option,
        mended=lambda one, other: (one, relabelled(other, codes)),
        asked=ASKED,
    )


def label_units(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield a label that is a number in other units, where its name suggests them or all values lie apart.

    Any other factor is a scale, which is a part of the ladder.
    """
    if target.classes or source.classes or target.label != source.label:
        return
    for by_name in (True, False):
        way = conversion(target.y, source.y, target.label, by_name=by_name)
        if way is not None:
            found = units_suspect(target.label, way, target, source)
            if by_name or found.is_plain:
                yield found
            return
