"""What differs between two datasets that should be alike, with the option that would mend it."""

from __future__ import annotations

from dataclasses import dataclass

from datakin.data.dataset import Dataset

__all__ = ["KINDS", "Difference", "differences"]

KINDS = ("classes", "units", "name", "levels", "codes", "range", "columns")  # worst first


@dataclass(frozen=True)
class Difference:
    """One thing that differs between a target and a source.

    Parameters
    ----------
    kind : str
        One of "classes", "units", "name", "levels", "codes", "range" and "columns".
    column : str
        The column that it is about, as the target calls it.
    sentence : str
        What differs, in words.
    option_python, option_cli : str
        What to type to mend it; empty if there is nothing to type.
    """

    kind: str
    column: str
    sentence: str
    option_python: str = ""
    option_cli: str = ""


def differences(target: Dataset, source: Dataset) -> list[Difference]:
    """Return what differs between two datasets, worst first."""
    return []
