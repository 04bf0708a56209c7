"""The columns of a sparse table that can be odd: where its zeros stand rules out most of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from datakin.data.checks.leaks import CLOSE, TOLD, Labels
from datakin.data.features import Array, Features

__all__ = ["telling_columns"]


def telling_columns(features: Features, labels: Labels) -> Iterator[tuple[str, Array]]:
    """Yield the names and values of columns that can be ids or give the label away.

    All zeros of a column stand on the same side of it. If they have unlike labels, it neither is a
    copy of the label nor tells it; and an id has one zero at most. Names say nothing here: they are
    x0, x1, ...
    """
    if not features.numeric_names:
        return
    filled = sparse.csc_array(features.numeric[labels.rows] != 0, dtype=float)
    can_tell = (_can_tell_classes if labels.is_class else _can_tell_response)(filled, labels.sample)
    columns = features.numeric.tocsc()
    for j in np.flatnonzero(can_tell):
        yield features.numeric_names[j], columns[:, [j]].toarray()[:, 0]


def _can_tell_classes(filled: sparse.csc_array, labels: Labels) -> Array:
    """Whether the zeros of each column stand with one class, but for a few rows."""
    members = np.eye(len(labels.counts))[labels.y]
    zeros = labels.counts[:, None] - members.T @ filled
    wrong = zeros.sum(axis=0) - zeros.max(axis=0)
    return np.asarray(wrong <= (1 - TOLD) * (len(labels.y) - labels.counts.max()) + 0.5)


@np.errstate(over="ignore", invalid="ignore")  # responses near 1e300 have no variance
def _can_tell_response(filled: sparse.csc_array, labels: Labels) -> Array:
    """Whether a response, or its ranks, vary little among the zeros of each column.

    A column that is the same in some rows has a squared correlation of at most one less the share of
    the response's squares within these rows.
    """
    n_zeros = len(labels.y) - filled.sum(axis=0)
    can_tell = np.zeros(filled.shape[1], dtype=bool)
    for y in (labels.y, labels.ranks):
        centred = y - y.mean()
        total = centred @ centred
        sums, squares = (v.sum() - v @ filled for v in (centred, centred**2))
        within = squares - sums**2 / np.maximum(n_zeros, 1)
        can_tell |= within <= (1 - CLOSE**2 + 1e-6) * total
    return can_tell
