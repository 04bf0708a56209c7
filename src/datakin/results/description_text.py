"""A description as text: the answer first, then what to look at, then the columns; at most a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from datakin._core.exceptions import first_of, shown
from datakin.data.described import ColumnDescription
from datakin.data.description import DatasetDescription
from datakin.results.record import aligned, plain, wrapped

if TYPE_CHECKING:
    from datakin.results.description import Description

WIDTH = 110
ROWS = 24  # columns of tables that are shown
FEW = 8  # columns as expected that are shown of a wide table
NAMED = 5  # columns that a thing may name to be referred to beside them
SHOWN = 2  # tables whose values stand side by side
DATASETS = 8
THINGS = 8
NOTES = 6
CLASSES = 5
BESIDE = 14  # characters of a remark that stand beside its row where space is short
LONGEST = 30  # characters of the name of a column
SHORTEST = ((16, 26), (10, 14))  # cells and those of the last column are cut to this, then to that

Held = list[ColumnDescription | None]  # what each table has of a column
Row = tuple[str, Held]


def text_of(
    found: Description, width: int = WIDTH, word: Callable[[str], str] | None = None
) -> str:
    """Return a description as text, in lines that are not longer than `width` if possible.

    With `word`, which turns sentences into those of the command line, options are not given in Python.
    """
    say = word or str
    blocks = [
        [say(found.headline)],
        _datasets(found, width),
        _things(found, width, word),
        _columns(found, width, "--out columns.csv" if word else ".frame"),
        _notes(found, width, word),
    ]
    if found.options_cli:
        blocks.append([f"To mend all of it, add: {found.options_cli}"])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def label_of(dataset: DatasetDescription) -> str:
    """Return the label of a dataset in a few words."""
    if not dataset.task:
        return "cannot be used"
    if dataset.low is not None and dataset.high is not None:
        return f"numbers, {dataset.low:.6g} to {dataset.high:.6g}"
    classes = [f"{plain(name)} ({n})" for name, n in dataset.classes.items()]
    bad = "cannot be used: " if dataset.problem else ""
    return bad + first_of(classes, CLASSES)


def _datasets(found: Description, width: int) -> list[str]:
    if not found.datasets:
        lines = [
            f"{plain(t.name) or 'table'}: {_count(t.n_rows, 'row')}, {_count(len(t.columns), 'column')}"
            for t in found.tables
        ]
        names = ", ".join(found.candidates[:5])
        return lines + ([f"May be what you want to predict: {names}"] if names else [])
    head = ("", "rows", "columns used", f"label {found.label!r}")
    usable = [d for d in found.datasets if d.task]
    lost = [d for d in found.datasets if not d.task]
    some = [*usable[:DATASETS], *lost[: max(0, DATASETS - len(usable)) if len(lost) < FEW else 0]]
    rows = [head]
    for d in found.datasets:
        if d in some:
            n_rows, n_columns = f"{d.n_rows:,}" if d.n_rows else "-", str(d.n_columns or "-")
            rows.append((plain(d.name) or "table", n_rows, n_columns, label_of(d)))
    lines = _aligned(rows, width, right=(1, 2))
    if len(usable) > DATASETS:
        lines.append(f"... and {len(usable) - DATASETS} more")
    hidden = [d for d in lost if d not in some]
    if hidden:
        lines += wrapped(f"... and {len(hidden)} that cannot be used: {hidden[0].problem}", width)
    return lines


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _things(found: Description, width: int, word: Callable[[str], str] | None) -> list[str]:
    if not found.things:
        return []
    say = word or str
    lines = ["To look at"]
    for number, thing in enumerate(found.things[:THINGS], start=1):
        lines += wrapped(f"{number}. {say(thing.text)}", width, "  ", "     ")
        if thing.option_cli:
            lines.append(f"     {thing.option_cli}")  # in one line, to be copied
        if thing.option_cli and word is None:
            lines += wrapped(f"in Python: {thing.option_python}", width, "     ", "       ")
    more = len(found.things) - THINGS
    where = "--json" if word else ".things"
    return lines + ([f"  ... and {more} more ({where})"] if more > 0 else [])


def _notes(found: Description, width: int, word: Callable[[str], str] | None) -> list[str]:
    notes = shown(list(map(word or str, found.notes)), NOTES, "--json" if word else ".notes")
    lines = [line for note in notes for line in wrapped(note, width, "  ", "    ")]
    return ["Notes", *lines] if lines else []


def _columns(found: Description, width: int, where: str) -> list[str]:
    places = [{column.name: column for column in t.columns} for t in found.tables if t.columns]
    every = dict.fromkeys(name for place in places for name in place)
    rows: list[Row] = [(name, [place.get(name) for place in places]) for name in every]
    if not rows:
        return []
    tables = [plain(t.name) for t in found.tables if t.columns]
    hints = _hints(found, [name for name, _ in rows])
    told = {
        name: "; ".join(filter(None, [hints.get(name, ""), _remark(held, tables)]))
        for name, held in rows
    }
    order, most = rows, ROWS
    if len(rows) > ROWS:
        order = sorted(rows, key=lambda row: _rank(row, told))
        most = min(ROWS, FEW + sum(_rank(row, told) < 2 for row in rows))
    names = tables[:SHOWN] if len(tables) > 1 else ["values"]
    head = ("column", "role", "kind", *names, "remark")
    lines = _with_remarks([head, *(_cells(*row, told[row[0]]) for row in order[:most])], width)
    rest = order[most:]
    if rest:
        odd = sum(_rank(row, told) < 2 for row in rest)
        what = f", {odd} of them with a remark" if odd else " as expected"
        lines.append(f"... and {len(rest)} more{what} ({where})")
    more = len(tables) - SHOWN
    if more > 0:
        others = f"{', '.join(tables[SHOWN : SHOWN + 3])}{', ...' * (more > 3)}"
        tables_left = f"{_count(more, 'more table')}, of which only remarks are shown: {others}"
        lines += wrapped(f"... and {tables_left} ({where})", width, rest="    ")
    return lines


def _with_remarks(rows: list[tuple[str, ...]], width: int) -> list[str]:
    """Return rows as lines; a remark that does not fit beside its row stands below it, whole."""
    lines = _aligned(rows, width)
    if all(line.endswith(row[-1]) for row, line in zip(rows, lines, strict=True)):
        return lines
    short = [(*row[:-1], row[-1] if len(row[-1]) <= BESIDE else "") for row in rows]
    found = []
    for row, line in zip(rows, _aligned(short, width), strict=True):
        found.append(line)
        if len(row[-1]) > BESIDE:
            found += wrapped(row[-1], width, "      ", "      ")
    return found


def _hints(found: Description, columns: list[str]) -> dict[str, str]:
    """Return column -> a hint at the first thing that speaks of it and of few others."""
    hints: dict[str, str] = {}
    for number, thing in enumerate(found.things, start=1):
        named = [name for name in columns if repr(name) in thing.text]
        if len(named) <= NAMED:
            hints = dict.fromkeys(named, f"see {number}") | hints
    return hints


def _rank(row: Row, told: dict[str, str]) -> int:
    """Return 0 for columns with a part of their own, 1 for what is remarkable, 2 for the rest."""
    if any(column and column.role in ("label", "group", "domain", "weight") for column in row[1]):
        return 0
    return 1 if told[row[0]] else 2


def _remark(held: Held, tables: list[str]) -> str:
    """Return what is odd about a column, with the table's name unless it holds of all or the first."""
    there = [(k, column) for k, column in enumerate(held) if column is not None]
    about: dict[str, list[int]] = {}
    for k, column in there:
        about.setdefault(column.remark, []).append(k)
    parts = []
    for remark, places in about.items():
        known = len(places) == len(there) or len(tables) == SHOWN or places[0] == 0
        if remark:
            parts.append(remark if known else f"{tables[places[0]]}: {remark}")
    if len(there) < len(held) and all(column.role != "left out" for _, column in there):
        parts.append(_absent(held, tables))
    kinds = {column.kind: k for k, column in reversed(there)}
    if len(kinds) > 1 and there[0][1].role != "label":
        one, other = sorted(kinds, key=lambda kind: kinds[kind])[:2]
        where = "there" if len(tables) == SHOWN else f"in {tables[kinds[other]]}"
        parts.append(f"{one} here, {other} {where}")
    return "; ".join(dict.fromkeys(parts))


def _absent(held: Held, tables: list[str]) -> str:
    """Say which tables lack a column."""
    lacking = [name for name, column in zip(tables, held, strict=True) if column is None]
    if len(lacking) == len(tables) - 1:
        only = next(k for k, column in enumerate(held) if column is not None)
        return "in one table only" if only < SHOWN else f"in {tables[only]} only"
    return f"not in {lacking[0]}" if len(lacking) == 1 else f"not in {len(lacking)} tables"


def _cells(name: str, held: Held, remark: str) -> tuple[str, ...]:
    first = next(column for column in held if column is not None)
    values = [_values(column) if column else "-" for column in held[:SHOWN]]
    return (plain(name), first.role, first.kind, *values, plain(remark))


def _values(column: ColumnDescription) -> str:
    missing = f", {column.n_missing:,} missing" if column.n_missing and column.n_distinct else ""
    return plain(column.values) + missing if column.kind != "not read" else "-"


def _aligned(rows: Sequence[tuple[str, ...]], width: int, right: tuple[int, ...] = ()) -> list[str]:
    """Return rows as lines; the widest cells are cut until the lines fit, remarks less than others."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    widths[0] = min(widths[0], LONGEST)
    last = len(widths) - 1
    for least, least_of_last in SHORTEST:
        while sum(widths) + 2 * last > width:
            long = [k for k, n in enumerate(widths) if n > (least_of_last if k == last else least)]
            if not long:
                break
            widths[max(long, key=widths.__getitem__)] -= 1
    columns = [[_short(row[k], most) for row in rows] for k, most in enumerate(widths)]
    return aligned(columns, [k in right for k in range(len(widths))])


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
