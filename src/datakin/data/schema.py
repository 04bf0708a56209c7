"""What a fitted model must know of the tables it was learned from, to read new rows the same way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin._core.json_text import PlainFields
from datakin.data.columns.dates import FORMS, form_of
from datakin.data.columns.labels import canonical_label
from datakin.data.dataset import Dataset
from datakin.data.origin import Origin
from datakin.data.recoding import Convert, Recode, corrections_for

KINDS = ("number", "truth value", "date", "duration", "category")
CODEC = re.compile(r"[\w.-]{1,40}", re.ASCII)


@dataclass(frozen=True)
class SchemaColumn:
    """One column that a model uses."""

    name: str
    kind: str  # one of `KINDS`, as which it was read
    form: str = ""  # how dates were spelled, such as "dates dd/mm/yyyy"; empty if it is plain


@dataclass(frozen=True)
class TableSchema:
    """The columns that a model uses, and how the target's table was read, with its user's corrections.

    Made by `TableSchema.of`.
    """

    columns: tuple[SchemaColumn, ...]  # in the order of the target's table
    label: str
    beside: tuple[str, ...] = ()  # columns with another part to play, such as groups
    decimal: str = ""  # the decimal sign of the target's texts, where it mattered
    rename: Mapping[str, str] = field(default_factory=dict)  # old name -> new name
    recode: Mapping[str, Recode] = field(default_factory=dict)  # column -> old -> new value
    convert: Mapping[str, Convert] = field(default_factory=dict)
    label_map: Mapping[str, str] = field(default_factory=dict)  # old class -> new class
    positive: tuple[str, ...] = ()  # the classes that became "1"
    delimiter: str | None = None
    encoding: str | None = None
    header: bool = True

    @classmethod
    def of(cls, target: Dataset, columns: Sequence[str] | None = None) -> TableSchema:
        """Return the schema of a model of some columns, such as those shared with all sources, or of all."""
        wanted = set(target.columns if columns is None else columns)
        if unknown := wanted - set(target.columns):
            raise DatakinError(f"The target has no columns {sorted(unknown)}.")
        order = dict.fromkeys([*target.facts, *target.columns])
        how = target.how or Origin(label=target.label)
        signs = {facts.decimal for facts in target.facts.values()} & {",", "."}
        several = isinstance(how.positive, (list, tuple, set, frozenset))
        positive = () if how.positive is None else how.positive if several else (how.positive,)
        return cls(
            tuple(_column(target, name) for name in order if name in wanted),
            target.label,
            how.beside,
            signs.pop() if len(signs) == 1 else "",
            **corrections_for(how, "", target.name, how.value),
            label_map={
                canonical_label(k): canonical_label(v) for k, v in (how.label_map or {}).items()
            },
            positive=tuple(sorted(canonical_label(value) for value in positive)),
            delimiter=how.delimiter,
            encoding=how.encoding,
            header=how.header,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for a file."""
        return {**vars(self), "columns": [vars(column) for column in self.columns]}

    @classmethod
    def from_dict(cls, plain: PlainFields) -> TableSchema:
        """Return the schema of a file; refuse what `to_dict` cannot have written."""
        columns = []
        for each in plain.objects("columns"):
            name, kind = each.text("name"), each.choice("kind", KINDS)
            columns.append(SchemaColumn(name, kind, each.choice("form", list(FORMS))))
            each.done()
        names = [column.name for column in columns]
        if not names or len(set(names)) < len(names):
            raise DatakinError(
                "The columns of the schema must be there, each with a name of its own."
            )
        how = Origin(  # which refuses what no user could have asked for
            label=plain.text("label"),
            rename=plain.mapping("rename"),
            recode=plain.mapping("recode"),
            convert={
                name: tuple(line) if isinstance(line, list) else line
                for name, line in plain.mapping("convert").items()
            },
        )
        label_map = plain.mapping("label_map")
        if not all(isinstance(new, str) for new in label_map.values()):
            raise DatakinError("label_map of the schema must hold texts.")
        made = cls(
            tuple(columns),
            how.label,
            plain.texts("beside"),
            plain.choice("decimal", ("", ",", ".")),
            **corrections_for(how, ""),
            label_map=label_map,
            positive=plain.texts("positive"),
            delimiter=_short(plain, "delimiter", re.compile(r".", re.DOTALL)),
            encoding=_short(plain, "encoding", CODEC),
            header=plain.truth("header"),
        )
        plain.done()
        return made


def _short(plain: PlainFields, what: str, form: re.Pattern[str]) -> str | None:
    value = plain.text_or_none(what)
    if value is not None and not form.fullmatch(value):
        raise DatakinError(f"{what} of the schema cannot be {value[:40]!r}.")
    return value


def _column(target: Dataset, name: str) -> SchemaColumn:
    if target.features.kind(name) == "category":
        return SchemaColumn(name, "category")
    facts = target.facts.get(name)
    if facts is None or facts.kind == "category":
        return SchemaColumn(name, "number")
    return SchemaColumn(name, facts.kind, form_of(facts.converted) if facts.kind == "date" else "")
