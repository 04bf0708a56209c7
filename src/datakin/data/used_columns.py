"""Which columns of a dataset a comparison uses, and why it does not use the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from datakin.data.dataset import Dataset

if TYPE_CHECKING:
    from datakin.data.description import TableDescription

__all__ = ["unused_columns", "with_roles"]


def unused_columns(
    datasets: Sequence[Dataset], shared: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, str]]:
    """Return dataset -> columns that no comparison uses -> why.

    Parameters
    ----------
    datasets : sequence of Dataset
        The target, then the sources.
    shared : mapping of str to sequence of str
        Source -> columns that it is compared by; without sources that cannot be compared.
    """
    if not shared:
        return {}
    target, *others = datasets
    sources = [source for source in others if source.name in shared]
    used = {column for columns in shared.values() for column in columns}
    found = {target.name: {c: _why(c, sources) for c in target.columns if c not in used}}
    for source in sources:
        unused = [c for c in source.columns if c not in shared[source.name]]
        found[source.name] = {c: _why(c, [target]) for c in unused}
    return found


def _why(column: str, others: Sequence[Dataset]) -> str:
    """Return why a column cannot be compared with any of some datasets."""
    reasons = {}
    for other in others:
        if column in other.columns:
            reasons["apart"] = "no value in common"
        elif column in other.left_out:
            reasons["unused"] = f"{other.left_out[column]} in {other.name!r}"
        else:
            several = "any other table" if len(others) > 1 else repr(other.name)
            reasons["absent"] = f"not in {several}"
    if len(reasons) > 1:
        reasons.pop("absent", None)
    return "; ".join(reasons.values())


def with_roles(
    tables: Sequence[TableDescription],
    datasets: Sequence[Dataset],
    unused: Mapping[str, Mapping[str, str]],
) -> tuple[TableDescription, ...]:
    """Return the tables; columns that no comparison uses are left out, with the reason."""
    found = []
    for table in tables:  # one table is all datasets, or several that a column splits it into
        parts = [d for d in datasets if len(tables) == 1 or d.name == table.name]
        columns = []
        for column in table.columns:
            why = _why_in_all(column.name, parts, unused) if column.role == "feature" else ""
            columns.append(replace(column, role="left out", why=why) if why else column)
        found.append(replace(table, columns=tuple(columns)))
    return tuple(found)


def _why_in_all(
    column: str, parts: Sequence[Dataset], unused: Mapping[str, Mapping[str, str]]
) -> str:
    """Return why a column is used in none of some datasets; empty if one uses it."""
    reasons = [unused.get(d.name, {}).get(column, "") for d in parts]
    gone = [column in d.left_out for d in parts]
    return next(filter(None, reasons), "") if all(map(any, zip(reasons, gone, strict=True))) else ""
