"""The result of looking at tables before anything is computed: how each column is read."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from datakin._core.exceptions import SERIOUS, USUAL, DatakinError, listed, suggest, together
from datakin.data.arrays import as_tables
from datakin.data.checks.difference_kinds import KINDS, Difference, Thing
from datakin.data.checks.grades import question_of_classes
from datakin.data.checks.names import names_several_rows
from datakin.data.checks.suspicions import ROW_ID
from datakin.data.columns.roles import check_label
from datakin.data.described import ColumnDescription
from datakin.data.description import DatasetDescription, Gathered, TableDescription, gather
from datakin.data.origin import READ_ROWS, Origin
from datakin.results.answer import Answer
from datakin.results.description_text import text_of
from datakin.results.record import Record, plain, register

MENDING = ("problem", "units", "name", "levels")  # kinds whose options change data for the better
REFUSED = ("classes", "dates")  # kinds of differences with which tables cannot be compared
REPEATED = 0.98  # an id with fewer values than this share of its rows is one of several rows
SHOWN = {
    **{"role": "role", "kind": "kind", "missing": "n_missing", "distinct": "n_distinct"},
    "values": "values",
}
MOST = 3  # refusals that are shown one by one
FEW = 10  # values that classes may have
LIKELY = frozenset(
    [
        *("label", "target", "outcome", "class", "y", "response", "result", "quality", "event"),
        *("diagnosis", "died", "death", "dead", "expired", "mortality", "survived", "alive"),
    ]
)

for part in (ColumnDescription, TableDescription, DatasetDescription, Thing):
    register(part)


@dataclass(frozen=True, repr=False, eq=False)
class Description(Record):
    """How tables are read: columns, labels, what is odd, and what would mend it.

    `str` gives it as text for a screen, `frame` one row for each column of each table.

    Attributes
    ----------
    label : str or None
        The column to predict; None if none was named.
    tables : tuple of TableDescription
        What was read, with all columns.
    datasets : tuple of DatasetDescription
        What scores would compare: the tables, or the values of the domain column. The first is the
        target.
    things : tuple of Thing
        What to look at, worst first.
    notes : tuple of str
        What else was done while reading.
    """

    label: str | None
    tables: tuple[TableDescription, ...]
    datasets: tuple[DatasetDescription, ...]
    things: tuple[Thing, ...]
    notes: tuple[str, ...] = ()
    is_text: ClassVar[bool] = True

    @property
    def is_usable(self) -> bool:
        """Whether all tables can be used; without a label, whether they can be read."""
        return not any(thing.kind == "problem" for thing in self.things)

    @property
    def options_cli(self) -> str:
        """All options that would mend something, for the command line."""
        asked = (t.option_cli for t in self.things if t.option_cli and t.kind in MENDING)
        return " ".join(dict.fromkeys(asked))

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each column of each table."""
        rows = [
            {
                "table": table.name,
                "column": column.name,
                **{title: getattr(column, name) for title, name in SHOWN.items()},
                "examples": " | ".join(column.examples),
                **{name: getattr(column, name) for name in ("converted", "doubt", "why")},
            }
            for table in self.tables
            for column in table.columns
        ]
        return pd.DataFrame(rows)

    @property
    def headline(self) -> str:
        """The answer in one line."""
        n = len(self.things)
        look = f"{n} thing{'s' * (n > 1)} to look at" if n else "nothing to look at"
        if self.label is None:
            return (
                f"Can be read; say which column to predict (label=, --label). {look.capitalize()}."
            )
        n_all = len(self.datasets)
        bad = {d.name for d in self.datasets if d.problem}
        if n_all > 2:
            bad |= {name for t in self.things if t.kind == "problem" for name in t.about}
        if n_all > len(bad) > 0:
            return f"Can be used: {n_all - len(bad)} of {n_all}; {look}."
        return f"Can be used: {'yes' if self.is_usable else 'no'}; {look}."

    @property
    def candidates(self) -> list[str]:
        """Columns that may be the label, likely ones first."""
        if not self.tables:
            return []
        features = [c for c in self.tables[0].columns if c.n_distinct >= 2 and c.role == "feature"]
        columns = [c for c in features if ROW_ID not in c.doubt]
        order = {c.name: _likelihood(c, c is columns[0], c is columns[-1]) for c in columns}
        return [name for name in sorted(order, key=lambda name: -order[name]) if order[name] > 0]

    def __repr__(self) -> str:
        names = ", ".join(plain(t.name) or "table" for t in self.tables[:4])
        return f"Description({names}: {self.headline})"

    @property
    def tone(self) -> str:
        """The colour of the headline."""
        return "bad" if not self.is_usable else "open" if self.things else "good"

    @property
    def answer(self) -> Answer:
        """Whether the tables can be used, and what to look at."""
        caveats = tuple(thing.text for thing in self.things)
        return Answer(self.tone, self.headline, caveats=caveats, notes=self.notes)

    def text(self, width: int, *, word: Callable[[str], str] | None = None) -> str:
        """Return the description for a terminal of some width.

        Parameters
        ----------
        width : int
        word : callable, optional
            What sentences are passed through; options are then given as they are typed alone.
        """
        return text_of(self, width, word)

    def __str__(self) -> str:
        return text_of(self)


def _likelihood(column: ColumnDescription, is_first: bool, is_last: bool) -> int:
    """Return how likely a column is what someone wants to predict; 0 for not at all."""
    words = column.name.lower().replace("-", "_").replace(" ", "_").split("_")
    is_named = any(word in LIKELY for word in words)
    is_end = is_last or (is_first and column.n_distinct <= FEW)
    return 4 * is_named + 2 * is_end + (column.n_distinct == 2)


def describe(
    source: Any, *, label: str | None = None, domain: str | None = None, **options: Any
) -> Description:
    """Say how tables are read, without computing anything.

    The tables take the way that `read_tables` takes, so that a score with the same options uses what
    is described here. What cannot be used is described, too, with the reason.

    Parameters
    ----------
    source : path, glob, list of paths, mapping of name to table, or one table
        As in `read_tables`. The first table is the target. A table may be a pair (X, y) of arrays.
    label : str, optional
        The column to predict. Without it only the columns are described.
    domain : str, optional
        Column of one table whose values name the datasets.
    **options
        All other options of `read_tables`.

    Returns
    -------
    Description

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [40, 63, 51, 72] * 10, "died": [0, 1, 1, 0, 1] * 8})
    >>> describe({"icu": frame}, label="died")
    Description(icu: Can be used: yes; nothing to look at.)
    """
    check_label(label)
    source, label = as_tables(source, label)
    how = _origin(label, domain, options)
    found = gather(source, how, has_label=label is not None)
    is_split = domain is not None and any(d.fingerprint for d in found.datasets)
    serious, usual = _notes(found)
    others, apart = _differences(found)
    things = [
        *_problems(found.datasets, is_split=is_split),
        *_refusals(found),
        *_more_classes(found, label),
        *_few_columns(found),
        *others,
        *(Thing("note", (), line) for line in together(serious)),
        *_folds(found.datasets),
        *_groups(found.tables, how.group),
    ]
    notes = (*together(usual), *apart)
    return Description(label, found.tables, found.datasets, tuple(things), notes)


def _notes(found: Gathered) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the notes that users should look at and the others, each with what it is about."""
    datasets = [d for d in found.datasets if d.fingerprint]
    everywhere = set.intersection(*(set(d.notes) for d in datasets)) if datasets else set()
    said = [("", note) for note in found.notes]
    said += [("" if n in everywhere else d.name, n) for d in found.datasets for n in d.notes]
    said += [(source, note) for source, notes in found.shared.items() for note in notes]
    if len(found.tables) > 1 or not datasets:  # datasets have the notes of their tables
        named = {d.name for d in datasets}
        said += [(t.name, n) for t in found.tables if t.name not in named for n in t.notes]
    faults = [d.problem for d in found.datasets]
    said = [pair for pair in said if not any(pair[1] in fault for fault in faults)]
    serious = [pair for pair in said if getattr(pair[1], "rank", USUAL) <= SERIOUS]
    return serious, [pair for pair in said if pair not in serious]


def _origin(label: str | None, domain: str | None, options: dict[str, Any]) -> Origin:
    """Return the options of `read_tables` in one object."""
    options = {"read_rows": READ_ROWS, **options}
    options.pop("skip_unusable", None)  # what cannot be used is described in any case
    for name in options:
        if name not in Origin.options():
            raise DatakinError(f"describe has no option {name!r}.{suggest(name, Origin.options())}")
    return Origin(label="" if label is None else label, domain=domain, **options)


def _problems(datasets: Sequence[DatasetDescription], *, is_split: bool) -> list[Thing]:
    """Return why datasets cannot be used; values of a domain with few rows are left out anyway."""
    bad = [d for d in datasets if d.problem and (d.fingerprint or not is_split)]
    return _few([Thing("problem", (d.name,), d.problem) for d in bad], "used")


def _folds(datasets: Sequence[DatasetDescription]) -> list[Thing]:
    """Say which datasets have classes that are too rare for scores; choices can be made all the same."""
    rare = [d for d in datasets if d.folds]
    if not rare:
        return []
    also = f" Similar for {listed(d.name for d in rare[1:])}." if rare[1:] else ""
    text = f"choose works; score, rank and matrix do not: {rare[0].folds}{also}"
    return [Thing("folds", tuple(d.name for d in rare), text)]


def _few(things: list[Thing], what: str) -> list[Thing]:
    """Return the first things, and how many more datasets are like them."""
    more = tuple(name for thing in things[MOST:] for name in thing.about)
    text = f"{len(more)} more cannot be {what}, either: {listed(more)}."
    return things[:MOST] + ([Thing("problem", more, text)] if more else [])


def _groups(tables: Sequence[TableDescription], group: str | None) -> list[Thing]:
    """Ask whether rows belong together where an id that is left out stands in several rows."""
    if group is not None:
        return []
    for each in tables:
        for column in each.columns:
            is_id = column.why == ROW_ID and not column.doubt and names_several_rows(column.name)
            if is_id and column.n_distinct < REPEATED * (each.n_rows - column.n_missing):
                name = column.name
                text = (
                    f"{name!r} has {column.n_distinct:,} values in {each.n_rows:,} rows. If rows with one "
                    f"value belong together, such as stays of one patient, keep them in one fold"
                )
                options = (f"group={name!r}", f"--group {shlex.quote(name)}")
                return [Thing("group", (each.name,), text, *options)]
    return []


def _refusals(found: Gathered) -> list[Thing]:
    """Return why sources cannot be compared, with the option that would mend it if one is known."""
    things = []
    for name, text in found.refusals.items():
        several = [d for d in found.differences if d.source == name and d.kind in REFUSED]
        things.append(Thing("problem", (name,), text, *(several[0].options if several else ())))
    return _few(things, "compared")


def _more_classes(found: Gathered, label: str | None) -> list[Thing]:
    """Ask what a class means that only some datasets have."""
    usable = [
        d for d in found.datasets if not d.problem and not d.folds and d.name not in found.refusals
    ]
    asked = question_of_classes({d.name: d.classes for d in usable}, label or "")
    return [] if asked is None else [asked]


def _few_columns(found: Gathered) -> list[Thing]:
    """Say so if less than half of the columns can be compared."""
    if not found.unused:
        return []
    n_used = {d.name: d.n_columns for d in found.datasets}
    n_all = {name: n + len(found.unused.get(name, {})) for name, n in n_used.items()}
    target, *sources = found.unused
    things = []
    for name in sources:
        n, most = n_used[name], min(n_all[name], n_all[target])
        if 2 * n < most:
            text = f"only {n} of {most} columns of {name!r} and {target!r} can be compared"
            things.append(Thing("columns", (name,), text))
    return things


def _differences(found: Gathered) -> tuple[list[Thing], list[str]]:
    """Return one thing for each kind of difference in a column, and lines on columns of one side."""
    groups: dict[tuple[str, str], list[Difference]] = {}
    for each in sorted(found.differences, key=lambda each: KINDS.index(each.kind)):
        groups.setdefault((each.kind, each.column), []).append(each)
    things, lines = [], []
    for (kind, _), members in groups.items():
        sentence = members[0].sentence
        names = tuple(dict.fromkeys(each.source for each in members))
        if len(names) > 1:
            sentence += f" (similar for {', '.join(names[1:4])}{', ...' * (len(names) > 4)})"
        options = dict.fromkeys(each.options for each in members if each.options[0])
        python, cli = "; ".join(p for p, _ in options), " ".join(c for _, c in options)
        if kind == "columns":
            lines.append(sentence)
        elif kind not in REFUSED:
            things.append(Thing(kind, names, sentence, python, cli))
    return things, lines
