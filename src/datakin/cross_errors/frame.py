"""The rows of the cross-error table, as users see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from datakin.cross_errors.records import Errors
from datakin.cross_errors.sums import WaySums

HELD_OUT = {"full": "none", "fold": "k", "inner": "jk"}  # folds held out of the predictors
WEIGHTS_FROM = {"full": "all rows", "fold": "other folds", "inner": "other folds"}


def _records(part: Errors) -> Iterator[dict[str, Any]]:
    """Yield a record for every model and size, the ensemble among them."""
    shares = part.weights / part.weights.sum()
    n_rows = int(np.count_nonzero(part.weights))
    about = {"trained_on": part.trained_on, "tested_on": part.tested_on}
    for size, rows in part.rows.items():
        means = part.error(size)
        variances = ((rows - means[:, None]) ** 2) @ shares
        for name, mean, variance in zip(part.names, means, variances, strict=True):
            if name == "average" or np.isnan(mean):
                continue
            yield {
                **about,
                "model": name,
                "held_out": HELD_OUT[size],
                "weights_from": WEIGHTS_FROM[size] if name == "ensemble" else "",
                "n_train": part.n_train[size],
                "rows": n_rows,
                "error": float(mean),
                "spread": float(np.sqrt(variance)),
            }


def sum_records(ways: Iterable[WaySums]) -> Iterator[dict[str, Any]]:
    """Yield the errors of the estimate that sums are of; a dataset's own error once."""
    told: set[str] = set()
    for way in ways:
        for at, size in enumerate(way.sizes[:2]):
            held_out = {"paper": "none", "matched": "k"}[size]
            about = {"model": way.estimate, "held_out": held_out, "tested_on": way.tested_on}
            yield {"trained_on": way.trained_on, **about, "error": float(way.parts[at, 0])}
            if size == "matched" and way.tested_on not in told:
                told.add(way.tested_on)
                yield {"trained_on": way.tested_on, **about, "error": float(way.parts[at, 1])}


def error_records(parts: Iterable[Errors]) -> tuple[dict[str, Any], ...]:
    """Return the records of several Errors; repeats of the same are averaged."""
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for record in (record for part in parts for record in _records(part)):
        key = tuple(record[name] for name in ("trained_on", "tested_on", "model", "held_out"))
        found.setdefault(key, []).append(record)
    return tuple(
        {**same[0], **{n: float(np.mean([r[n] for r in same])) for n in ("error", "spread")}}
        for same in found.values()
    )
