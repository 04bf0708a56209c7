"""The cross-error table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from datakin.errors.records import Errors

__all__ = ["ErrorTable"]

HELD_OUT = {"full": "none", "fold": "one", "inner": "two"}


def _records(part: Errors) -> Iterator[dict[str, Any]]:
    """Yield a record for every model and size, the ensemble among them."""
    shares = part.weights / part.weights.sum()
    for size, rows in part.rows.items():
        means = part.error(size)
        variances = ((rows - means[:, None]) ** 2) @ shares
        for name, mean, variance in zip(part.names, means, variances, strict=True):
            if name == "average" or np.isnan(mean):
                continue
            yield {
                "trained_on": part.trained_on,
                "tested_on": part.tested_on,
                "model": name,
                "held_out": HELD_OUT[size],
                "n_train": part.n_train[size],
                "rows": int(np.count_nonzero(part.weights)),
                "error": float(mean),
                "spread": float(np.sqrt(variance)),
            }


@dataclass(frozen=True, eq=False)
class ErrorTable:
    """The cross-error table: who was trained on what, tested on what, and erred how much.

    Attributes
    ----------
    records : tuple of dict
        trained_on, tested_on, model, held_out ("none", "one" or "two" folds), n_train, rows,
        error, spread (standard deviation of the row losses).
    """

    records: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, parts: Iterable[Errors]) -> ErrorTable:
        """Collect the means of several Errors; repeats of the same are averaged."""
        found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for record in (record for part in parts for record in _records(part)):
            key = tuple(record[name] for name in ("trained_on", "tested_on", "model", "held_out"))
            found.setdefault(key, []).append(record)
        averaged = [
            {**same[0], **{n: float(np.mean([r[n] for r in same])) for n in ("error", "spread")}}
            for same in found.values()
        ]
        return cls(tuple(averaged))

    @property
    def frame(self) -> pd.DataFrame:
        """The records as a data frame."""
        return pd.DataFrame(list(self.records))
