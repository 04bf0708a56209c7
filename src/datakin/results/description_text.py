"""A description as text: the answer first, then what to look at, then the columns; at most a screen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from datakin.data.described import ColumnDescription
from datakin.data.description import DatasetDescription
from datakin.results.record import plain

if TYPE_CHECKING:
    from datakin.results.description import Description

__all__ = ["label_of", "merged_rows", "text_of"]

WIDTH = 110
ROWS = 24  # columns of tables that are shown
FEW = 8  # columns as expected that are shown of a wide table
DATASETS = 8
THINGS = 8
NOTES = 6
CLASSES = 5
LONGEST = 30  # characters of the name of a column
SHORTEST = 14  # cells are not cut below this


def text_of(found: Description, width: int = WIDTH) -> str:
    """Return a description as text, in lines that are not longer than `width` if possible."""
    blocks = [
        [found.headline],
        _datasets(found, width),
        _things(found, width),
        _columns(found, width),
        _notes(found, width),
    ]
    if found.options_cli:
        blocks.append(_wrapped(f"To mend all of it, add: {found.options_cli}", width, "  "))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _wrapped(text: str, width: int, indent: str, first: str = "") -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()),
        width,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def label_of(dataset: DatasetDescription) -> str:
    """Return the label of a dataset in a few words."""
    if dataset.problem:
        return "cannot be used"
    if dataset.low is not None and dataset.high is not None:
        return f"numbers, {dataset.low:.6g} to {dataset.high:.6g}"
    shown = [f"{plain(name)} ({n})" for name, n in list(dataset.classes.items())[:CLASSES]]
    more = len(dataset.classes) - CLASSES
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _datasets(found: Description, width: int) -> list[str]:
    if not found.datasets:
        lines = [
            f"{plain(t.name) or 'table'}: {_count(t.n_rows, 'row')}, {_count(len(t.columns), 'column')}"
            for t in found.tables
        ]
        names = ", ".join(found.candidates[:5])
        return lines + ([f"May be what you want to predict: {names}"] if names else [])
    head = ("", "rows", "columns used", f"label {found.label!r}")
    usable = [d for d in found.datasets if not d.problem]
    lost = [d for d in found.datasets if d.problem]
    shown = [*usable[:DATASETS], *lost[: max(0, DATASETS - len(usable)) if len(lost) < FEW else 0]]
    rows = [
        (
            plain(d.name) or "table",
            f"{d.n_rows:,}" if d.n_rows else "-",
            str(d.n_columns) if d.n_columns else "-",
            label_of(d),
        )
        for d in found.datasets
        if d in shown
    ]
    lines = _aligned([head, *rows], width, right=(1, 2))
    if len(usable) > DATASETS:
        lines.append(f"... and {len(usable) - DATASETS} more")
    hidden = [d for d in lost if d not in shown]
    if hidden:
        lines += _wrapped(
            f"... and {len(hidden)} that cannot be used: {hidden[0].problem}", width, ""
        )
    return lines


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _things(found: Description, width: int) -> list[str]:
    if not found.things:
        return []
    lines = ["To look at"]
    for number, thing in enumerate(found.things[:THINGS], start=1):
        lines += _wrapped(f"{number}. {thing.text}", width, "     ", "  ")
        if thing.option_cli:
            python = f"   (in Python {thing.option_python})" if thing.option_python else ""
            lines += _wrapped(f"{thing.option_cli}{python}", width, "       ", "     ")
    more = len(found.things) - THINGS
    return lines + ([f"  ... and {more} more (.things, --json)"] if more > 0 else [])


def _notes(found: Description, width: int) -> list[str]:
    lines = [line for note in found.notes[:NOTES] for line in _wrapped(note, width, "    ", "  ")]
    more = len(found.notes) - NOTES
    lines += [f"  ... and {more} more (.notes, --json)"] if more > 0 else []
    return ["Notes", *lines] if lines else []


def merged_rows(found: Description) -> list[tuple[str, list[ColumnDescription | None]]]:
    """Return the columns of all tables, each with what the first two tables have of it."""
    tables = [table for table in found.tables if table.columns]
    names = dict.fromkeys(column.name for table in tables for column in table.columns)
    places = [{column.name: column for column in table.columns} for table in tables[:2]]
    rest = [{column.name: column for column in table.columns} for table in tables[2:]]
    rows = []
    for name in names:
        held = [place.get(name) for place in places]
        if not any(held):
            held[0:1] = [next(place[name] for place in rest if name in place)]
            held = [None, *held[1:]] if len(held) > 1 else held
        rows.append((name, held))
    return rows


def _columns(found: Description, width: int) -> list[str]:
    rows = merged_rows(found)
    if not rows:
        return []
    order, most = rows, ROWS
    if len(rows) > ROWS:
        order = sorted(rows, key=_rank)
        most = min(ROWS, FEW + sum(_rank(row) < 2 for row in rows))
    tables = [t for t in found.tables if t.columns][:2]
    names = [plain(t.name) or "values" for t in tables] if len(tables) > 1 else ["values"]
    head = ("column", "role", "kind", *names, "remark")
    lines = _aligned([head, *(_cells(*row) for row in order[:most])], width)
    rest = order[most:]
    if rest:
        odd = sum(_rank(row) < 2 for row in rest)
        what = f", {odd} of them with a remark" if odd else " as expected"
        lines.append(f"... and {len(rest)} more{what} (.frame, --out columns.csv)")
    return lines


def _rank(row: tuple[str, list[ColumnDescription | None]]) -> int:
    """Return 0 for the label, the group and the domain, 1 for what is remarkable, 2 for the rest."""
    there = [column for column in row[1] if column is not None]
    if any(column.role in ("label", "group", "domain") for column in there):
        return 0
    return 1 if _remark(row[1]) else 2


def _remark(held: list[ColumnDescription | None]) -> str:
    there = [column for column in held if column is not None]
    parts = dict.fromkeys(column.remark for column in there if column.remark)
    if len(there) < len(held):
        parts["in one table only"] = None
    elif len({column.kind for column in there}) > 1 and there[0].role != "label":
        parts[f"{there[0].kind} here, {there[1].kind} there"] = None
    return "; ".join(parts)


def _cells(name: str, held: list[ColumnDescription | None]) -> tuple[str, ...]:
    first = next(column for column in held if column is not None)
    values = [_values(column) if column else "-" for column in held]
    return plain(name), first.role, first.kind, *values, plain(_remark(held))


def _values(column: ColumnDescription) -> str:
    missing = f", {column.n_missing:,} missing" if column.n_missing and column.n_distinct else ""
    return plain(column.values) + missing if column.kind != "not read" else "-"


def _aligned(rows: Iterable[tuple[str, ...]], width: int, right: tuple[int, ...] = ()) -> list[str]:
    """Return rows as lines; the widest cells are cut until the lines fit."""
    rows = list(rows)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    widths[0] = min(widths[0], LONGEST)
    while sum(widths) + 2 * (len(widths) - 1) > width and max(widths) > SHORTEST:
        widths[widths.index(max(widths))] -= 1
    return [
        "  ".join(
            _short(cell, most).rjust(most) if k in right else _short(cell, most).ljust(most)
            for k, (cell, most) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
