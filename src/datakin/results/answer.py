"""The answer of a result: what to do, why, a small table, what to know. Written once, shown everywhere.

The terminal, the notebook and the report show the same `Answer`; none of them has sentences of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from datakin._core.exceptions import SERIOUS, URGENT, USUAL, Note
from datakin.results.record import aligned, escaped, wrapped
from datakin.results.words import signed

WIDTH = 80  # characters of a line, unless more are asked for
MOST = 100  # sentences are not wider, however wide the screen is
NAME = 24  # characters of a name in a table
SHORT = 8  # of a name in a table that does not fit otherwise
REASONS = 6  # sources whose call is explained without being asked for
KIND = 32  # characters that tell what a note is about; options behind them are spelled in two ways
LINES = 60  # rows of a table as text
BAR = (11, 32)  # least and most characters of a drawn interval
WHOLE = 0.005  # shares from here on are written in whole percents
REACH = 4.0  # a bar is cut where it is longer than this many times the middle one


@dataclass(frozen=True)
class Bar:
    """A number with its interval, to be drawn."""

    value: float
    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether there is something to draw."""
        return all(map(isfinite, (self.value, self.low, self.high)))


@dataclass(frozen=True)
class Axis:
    """The common scale of the bars of a table; 0 lies between its ends."""

    low: float
    high: float
    unit: str = "%"  # with it, values are shares and are written as percentages; else ""

    def text(self, value: float) -> str:
        """Return a value as it is written at the end of the axis."""
        if self.unit == "%":
            return signed(value, 0 if abs(value) >= WHOLE else 1)
        return f"{value:.2g}"


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    cells: tuple[str, ...]  # one for each column
    call: str = ""  # what the line is coloured by, or nothing
    bar: Bar | None = None  # what is drawn in the column of bars


@dataclass(frozen=True)
class AnswerTable:
    """The table of an answer: at most seven columns, which fit 80 characters."""

    columns: tuple[str, ...]  # titles; that of the drawn intervals is "interval"
    rows: tuple[Row, ...]
    right: tuple[str, ...] = ()  # titles of the columns of numbers
    caption: str = ""  # a line above the table
    bar_of: str = ""  # what is drawn, such as "90% interval of the gain"; empty if nothing is
    unit: str = "%"  # of the drawn intervals

    @property
    def axis(self) -> Axis:
        """The scale of all bars."""
        drawn = [row for row in self.rows if row.bar is not None]
        # A pool that hurts may lie far out: it is drawn up to the end of the axis.
        usual = [row for row in drawn if row.call != "hurts"] or drawn
        return axis_of([row.bar for row in usual if row.bar is not None], self.unit)

    def lines(self, width: int = WIDTH) -> list[str]:
        """Return the table as lines of text that are not longer than `width` if possible."""
        shown = self.rows[:LINES]
        columns = [
            _cut([title, *(row.cells[k] for row in shown)], NAME)
            for k, title in enumerate(self.columns)
        ]
        columns = self._fitted(columns, max(width, WIDTH))
        if self.bar_of:
            self._draw(shown, columns, width)
        lines = aligned(columns, [title in self.right for title in self.columns])
        more = len(self.rows) - len(shown)
        return lines + ([f"... and {more} more"] if more > 0 else [])

    def _fitted(self, columns: list[list[str]], width: int) -> list[list[str]]:
        """Return the columns with long names cut, the longest first, until the table fits a width.

        Of columns of numbers only the titles are cut.
        """
        widths = [max(map(len, column)) for column in columns]
        least = [
            max(map(len, column[1:]), default=1) if title in self.right else SHORT
            for title, column in zip(self.columns, columns, strict=True)
        ]
        if self.bar_of:
            widths[self.columns.index("interval")] = BAR[0]
        while sum(widths) + 2 * (len(widths) - 1) > width:
            room, k = max((room if room > least[k] else 0, k) for k, room in enumerate(widths))
            if not room:
                break
            widths[k] -= 1
        return [_cut(column, room) for column, room in zip(columns, widths, strict=True)]

    def _draw(self, shown: Sequence[Row], columns: list[list[str]], width: int) -> None:
        """Fill the column of bars with the room that the other columns leave."""
        where = self.columns.index("interval")
        others = sum(max(map(len, c)) + 2 for k, c in enumerate(columns) if k != where)
        room = min(BAR[1], max(BAR[0], width - others))
        axis = self.axis
        low, high = axis.text(axis.low), axis.text(axis.high)
        head = f"{low}{high.rjust(max(1, room - len(low)))}"
        columns[where] = [head, *(bar_text(row.bar, axis, room) for row in shown)]


@dataclass(frozen=True)
class Remedy:
    """What would mend something."""

    text: str  # what to do and what it brings, in a sentence
    python: str = ""  # the option that does it, if there is one
    typed: str = ""  # the same on the command line


@dataclass(frozen=True)
class Answer:
    """What a result says."""

    tone: str  # "good", "plain", "open" or "bad": the colour of the headline
    headline: str  # what to do, in one sentence
    evidence: tuple[str, ...] = ()  # how good that is, and how sure: two sentences
    table: AnswerTable | None = None
    reasons: tuple[str, ...] = ()  # why sources are called so: a sentence or two for each
    legend: tuple[str, ...] = ()  # how to read the table
    caveats: tuple[str, ...] = ()  # what to know before acting on it
    notes: tuple[str, ...] = ()  # what was done to the data
    second: AnswerTable | None = None
    remedies: tuple[Remedy, ...] = ()  # what would mend it
    is_typed: bool = False  # whether options are shown as they are typed; else as in Python

    def with_notes(self, notes: Iterable[str]) -> Answer:
        """Return the answer with further notes; one that says the same of other rows is not repeated."""
        given = tuple(dict.fromkeys(notes))
        own = [note for note in self.notes if not any(_is_said(note, other) for other in given)]
        # What may make numbers wrong stands where nobody misses it.
        urgent = [note for note in given if _rank(note) <= URGENT]
        worst = [note for note in given if URGENT < _rank(note) <= SERIOUS]
        usual = [note for note in given if _rank(note) > SERIOUS]
        return replace(
            self,
            evidence=(*self.evidence, *(said(note.partition(": ")[2] or note) for note in urgent)),
            caveats=(*worst, *self.caveats),
            notes=grouped([*usual, *own]),
        )

    def said_as(self, word: Callable[[str], str]) -> Answer:
        """Return the answer with what may name options passed through a function."""
        caveats, notes = tuple(map(word, self.caveats)), tuple(map(word, self.notes))
        return replace(self, caveats=caveats, notes=notes, is_typed=True)

    def option(self, remedy: Remedy) -> str:
        """Return the option of a remedy, as it is shown here."""
        return escaped(remedy.typed if self.is_typed else remedy.python)

    def blocks(self, width: int = WIDTH, *, details: bool = False) -> list[tuple[str, list[str]]]:
        """Return the parts as (name, lines of text), none of them empty.

        Without `details` only the first reasons are given.
        """
        wide, reasons, more = min(width, MOST), self.reasons, len(self.reasons) - REASONS
        if not details and more > 0:
            reasons = (*reasons[:REASONS], f"... and {more} more, with all details.")
        parts = [
            ("headline", _wrapped(self.headline, wide)),
            ("evidence", [line for text in self.evidence for line in _wrapped(text, wide)]),
            ("table", _titled(self.table, width)),
            ("legend", _wrapped(" ".join(self.legend), wide)),
            ("reasons", _listed("Why", reasons, wide)),
            ("remedies", self._mended(wide)),
            ("second", _titled(self.second, width)),
            ("caveats", _listed("What to know", self.caveats, wide)),
            ("notes", _listed("What was done to the data", self.notes, wide)),
        ]
        return [(name, lines) for name, lines in parts if lines]

    def _mended(self, width: int) -> list[str]:
        """Return what would mend it; options stand on lines of their own, to be copied whole."""
        lines = []
        for each in self.remedies:
            lines += _wrapped(each.text, width, "- ", "  ")
            lines += [f"    {self.option(each)}"] if self.option(each) else []
        return ["What would mend it", *lines] if lines else []

    def text(self, width: int = WIDTH, *, details: bool = False) -> str:
        """Return the answer as plain text."""
        lines: list[str] = []
        for name, block in self.blocks(width, details=details):
            # The evidence stands directly below the headline.
            lines += block if not lines or name == "evidence" else ["", *block]
        return "\n".join(lines)


def said(text: str) -> str:
    """Return a sentence with a capital at its beginning and a full stop at its end.

    Examples
    --------
    >>> said("it contains 0")
    'It contains 0.'
    """
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


def axis_of(bars: Sequence[Bar], unit: str = "%") -> Axis:
    """Return a scale that shows 0 and all bars; ends far beyond the others are cut."""
    known = [bar for bar in bars if bar.is_known]
    least = 0.01 if unit == "%" else 1e-3
    if not known:
        return Axis(-least, least, unit)
    lows, highs = sorted(bar.low for bar in known), sorted(bar.high for bar in known)
    middle = sorted(max(abs(bar.low), abs(bar.high)) for bar in known)[len(known) // 2]
    limit = max(REACH * middle, *(abs(bar.value) for bar in known), least)
    return Axis(min(0.0, max(lows[0], -limit)), max(least, min(highs[-1], limit)), unit)


def bar_text(bar: Bar | None, axis: Axis, room: int) -> str:
    """Return an interval drawn with characters: ``---o---``, with ``|`` at 0.

    Examples
    --------
    >>> bar_text(Bar(0.05, -0.02, 0.1), Axis(-0.1, 0.1), 21)
    '        --|----o-----'
    """
    span = axis.high - axis.low

    def place(value: float) -> int:
        where = round((room - 1) * ((value - axis.low) / span))
        return min(max(where, 0), room - 1)

    signs = [" "] * room
    signs[place(0.0)] = "|"
    if bar is not None and bar.is_known:
        first, last = place(bar.low), place(bar.high)
        signs[first : last + 1] = "-" * (last + 1 - first)
        signs[0] = "<" if bar.low < axis.low else signs[0]
        signs[-1] = ">" if bar.high > axis.high else signs[-1]
        signs[place(0.0)] = "|"
        if axis.low <= bar.value <= axis.high:
            signs[place(bar.value)] = "o"
    return "".join(signs).rstrip() or " "


def _rank(note: str) -> int:
    return note.rank if isinstance(note, Note) else USUAL


def grouped(notes: Sequence[str]) -> tuple[str, ...]:
    """Return notes in which those that say the same of several datasets are one.

    Examples
    --------
    >>> grouped(["north: 3 rows left out", "south: 3 rows left out", "east: 5 rows left out"])
    ('north, south: 3 rows left out', 'east: 5 rows left out')
    """
    names: dict[str, dict[str, None]] = {}  # by what is said: who it is said of
    for note in notes:
        name, _, rest = note.partition(": ")
        names.setdefault(rest or note, {}).update({name: None} if rest else {})
    return tuple(f"{', '.join(found)}: {text}" if found else text for text, found in names.items())


def _bare(text: str) -> str:
    """Return a text without quoted names, numbers and what stands in brackets."""
    return re.sub(r" \([^()]*\)|'[^']*'(, )?|[\d.,]+", "", text).strip()


def _titled(table: AnswerTable | None, width: int) -> list[str]:
    """Return a table below its caption."""
    if table is None:
        return []
    caption = _wrapped(table.caption, min(width, MOST)) if table.caption else []
    return [*caption, *table.lines(width)]


def _is_said(note: str, other: str) -> bool:
    """Return whether another note says the same, of the same dataset; options may be spelled otherwise."""
    name, _, rest = note.partition(": ")
    told = [_bare(part)[:KIND] for part in (other, other.partition(": ")[2])]
    if not rest:
        return _bare(note)[:KIND] in told
    return _bare(rest)[:KIND] in told and (name in other or ": " not in other)


def _cut(texts: Sequence[str], room: int) -> list[str]:
    """Return texts that stay on their line and have at most so many characters."""
    shown = map(escaped, texts)
    return [text if len(text) <= room else f"{text[: room - 1]}…" for text in shown]


def _wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    return wrapped(escaped(" ".join(text.split())), width, first, rest)


def _listed(title: str, texts: Sequence[str], width: int) -> list[str]:
    """Return a title and its sentences, each with a dash before it."""
    lines = [line for text in texts for line in _wrapped(text, width, "- ", "  ")]
    return [title, *lines] if lines else []
