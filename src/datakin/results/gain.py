"""The result of trying transfer methods: how much they reduce the error, in both directions."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pandas as pd

from datakin.results.record import Provenance, Record, register, table

__all__ = ["Gain", "MethodGain"]


@register
@dataclass(frozen=True)
class MethodGain:
    """Realised gain of one transfer method.

    Attributes
    ----------
    target_rer, source_rer, average_rer : float
        Relative error reduction on the target's test rows, on the source's, and their mean. NaN
        if the error without transfer is 0.
    target_se, source_se, average_se : float
        Standard errors over the splits, corrected for their overlap.
    target_error, source_error : float
        Mean test error with the method.
    """

    target_rer: float
    target_se: float
    source_rer: float
    source_se: float
    average_rer: float
    average_se: float
    target_error: float
    source_error: float


@dataclass(frozen=True, repr=False, eq=False)
class Gain(Record):
    """Realised gain of transfer methods between a target and a source.

    Attributes
    ----------
    target, source : str
    methods : dict of str to MethodGain
    target_error, source_error : float
        Mean test error of each dataset without transfer.
    loss : str
    repeats : int
        Number of random splits, or of folds.
    notes : tuple of str
    provenance : Provenance
    split : str
        The errors are means over these: "random split" or "fold".
    """

    target: str
    source: str
    methods: dict[str, MethodGain]
    target_error: float
    source_error: float
    loss: str
    repeats: int
    notes: tuple[str, ...]
    provenance: Provenance
    split: str = "random split"

    @property
    def frame(self) -> pd.DataFrame:
        """One row per method."""
        rows = [
            {"target": self.target, "source": self.source, "method": name, **asdict(found)}
            for name, found in self.methods.items()
        ]
        return pd.DataFrame(rows)

    @property
    def best(self) -> str:
        """The method with the largest average RER."""
        order = self.frame.set_index("method")["average_rer"]
        return str(order.idxmax()) if order.notna().any() else str(order.index[0])

    def __repr__(self) -> str:
        found = self.methods[self.best]
        return (
            f"Gain({self.source!r} -> {self.target!r}: best {self.best!r}, "
            f"target RER {found.target_rer:.4f}, average {found.average_rer:.4f})"
        )

    @property
    def title(self) -> str:
        """The headline of the table."""
        return (
            f"Relative error reduction (RER) by transfer, {self.repeats} {self.split}(s)\n"
            f"error alone: {self.target!r} {self.target_error:.4f}, "
            f"{self.source!r} {self.source_error:.4f} ({self.loss})"
        )

    def __str__(self) -> str:
        return f"{self.title}\n{table(self.frame.drop(columns=['target', 'source']))}"
