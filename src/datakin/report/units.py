"""Errors in the unit that people read: percent of rows, or the root of a squared error beside it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

from datakin.report.sections import column
from datakin.results.words import IN_POINTS, amount

__all__ = ["Unit"]


@dataclass(frozen=True)
class Unit:
    """How errors of one loss are shown.

    Attributes
    ----------
    loss : str
        "zero_one", "balanced", "squared", "brier", ...
    """

    loss: str

    @property
    def is_percent(self) -> bool:
        """Whether errors are shares of wrong predictions."""
        return self.loss in IN_POINTS

    @property
    def has_root(self) -> bool:
        """Whether the root of an error has the unit of the label."""
        return self.loss == "squared"

    @property
    def digits(self) -> int:
        """Decimals of an error in a table."""
        return 1 if self.is_percent else 4

    def named(self, label: str) -> str:
        """Return the name of an error with its unit."""
        return f"{label}, %" if self.is_percent else label

    def columns(self, key: str, label: str) -> list[dict[str, Any]]:
        """Return the columns of an error: the root of a squared one, and the square beside it."""
        found = [column(key, self.named(label), digits=self.digits)]
        if self.has_root:
            found = [
                column(f"{key}_root", f"{label}, RMSE", digits=3),
                column(key, f"{label}, squared"),
            ]
        return found

    def values(self, key: str, error: float | None) -> dict[str, float | None]:
        """Return what those columns hold."""
        if error is None or not isfinite(error):
            return {key: None}
        if not self.has_root:
            return {key: 100 * error if self.is_percent else error}
        return {key: error, f"{key}_root": sqrt(error) if error >= 0 else None}

    def drawn(self, key: str) -> str:
        """Return which of them is drawn."""
        return f"{key}_root" if self.has_root else key

    def text(self, error: float) -> str:
        """Return an error as every other place writes it."""
        return amount(self.loss, error)
