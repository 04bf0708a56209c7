"""How tables are read: the options, which table is the target, and which are its sources.

Paths are looked up here once; what was found is handed to `read_tables`.
"""

from __future__ import annotations

import os
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

import datakin
from datakin._core.exceptions import DatakinError, listed, suggest, warn
from datakin.cli.corrections import (
    name_tables,
    name_values,
    names,
    parse_convert,
    parse_label_map,
    parse_names,
    parse_recode,
    parse_rename,
)
from datakin.cli.options import Given, argument, option

Texts = list[str] | None
Read = dict[str, "datakin.Dataset"]

TABLES = argument("The target's table, then the sources' (globs work); or one table with --domain.")
DOMAIN = option("Column that splits one table into datasets.")
TARGET = option("With --domain: the value that names the target.")
# What options do that new rows have too.
DELIMITER = "Separator of text files; recognised by default."
ENCODING = "Encoding of text files; recognised by default."
HEADER = "Whether the first line names the columns."
SHEET = "Table of a database, or sheet of a workbook."
QUERY = "SQL that reads from a database, instead of a table."
CONFIG = "A file of options, instead of datakin.toml in this folder."
NO_CONFIG = "Take no options from datakin.toml."


def _delimiter(text: str | None) -> str | None:
    return "\t" if text == "\\t" else text


def _one_label(labels: Texts) -> Any:
    """Return the label; several of them go on as they are, to be refused where all are."""
    return labels[0] if labels and len(labels) == 1 else labels or None


@dataclass(frozen=True)
class Reading(Given):
    """Options on how tables are read, and the reading."""

    panel = "How tables are read"

    label: Texts = option(
        "The column to predict.", default=MISSING, metavar="COLUMN", parse=_one_label
    )
    ignore: Texts = option("Column(s) to leave out; repeat or separate by commas.", parse=names)
    keep: Texts = option(
        "Column(s) to use although they look like ids, codes or copies.", parse=names
    )
    group: str | None = option("Column whose equal values stay in one fold, such as a patient id.")
    weight: str | None = option("Column of how much each row counts; used by choose and explain.")
    positive: Texts = option(
        "The positive class; every other becomes 0.", parse=lambda texts: texts or None
    )
    label_map: Texts = option(
        "Recode labels: old=new; repeat or separate by commas.", parse=parse_label_map
    )
    rename: Texts = option(
        "Rename a column: old=new, or TABLE::old=new for one table.", parse=parse_rename
    )
    recode: Texts = option(
        "Recode a value: column:old=new, or TABLE::column:old=new.", parse=parse_recode
    )
    convert: Texts = option(
        "Other units: column=slope,intercept; or dates: column=%d/%m/%Y. TABLE:: in front for one table.",
        parse=parse_convert,
    )
    match_classes: Texts = option(
        "Leave out rows of this source until its classes have the target's shares.",
        metavar="TABLE",
        apart=True,
    )
    name: Texts = option(
        "Call a table, or a value of --domain, so.", metavar="FILE=NAME", apart=True
    )
    delimiter: str | None = option(DELIMITER, parse=_delimiter)
    encoding: str | None = option(ENCODING)
    header: bool = option(HEADER, True)
    table: str | None = option(SHEET, flag="--table --sheet")
    query: str | None = option(QUERY)
    task: str = option(
        "auto, binary, multiclass or regression.",
        "auto",
        choices=("auto", "binary", "multiclass", "regression"),
    )
    read_rows: int = option("Rows to draw from a file that has more; 0 for all.", 200_000, none=0)
    config: Path | None = option(CONFIG, apart=True)
    no_config: bool = option(NO_CONFIG, False, apart=True)

    def read(
        self, tables: list[Any], domain: str | None = None, *, skip_unusable: bool = False
    ) -> Read:
        """Read all tables together."""
        read = datakin.read_tables(
            self._named(tables, domain),
            domain=domain,
            skip_unusable=skip_unusable,
            **self.options(),
        )
        given = parse_names(self.name)
        if domain is None or not given:
            return read
        called = name_values(read, given)
        return {name: part.renamed(name) for name, part in zip(called, read.values(), strict=True)}

    def read_all(
        self, tables: list[Any], domain: str | None = None, *, skip_unusable: bool = False
    ) -> Read:
        """Read tables none of which is a target."""
        if self.match_classes:
            raise DatakinError(
                "--match-classes is for a target and its sources. A matrix has no target."
            )
        return self.read(tables, domain, skip_unusable=skip_unusable)

    def read_pair(self, target: str, source: str) -> list[datakin.Dataset]:
        """Read two tables."""
        first, sources = self._split(self.read([_one_file(target), _one_file(source)]))
        return [first, *sources.values()]

    def read_sources(
        self,
        tables: list[str],
        domain: str | None,
        target: str | None,
        *,
        skip_unusable: bool = False,
    ) -> tuple[datakin.Dataset, Read]:
        """Read the target and its sources: the first table and the others, or the parts of one."""
        if domain is None:
            found = _target_first(tables, target)
            return self._split(self.read(found, skip_unusable=skip_unusable))
        read = self.read(list(tables), domain)
        if target is None:
            raise DatakinError(
                f"--domain needs --target, one of the values of {domain!r}: {listed(read, limit=20)}."
            )
        target = self.part_of(read, target, f"a usable value of {domain!r}")
        return self._split({target: read[target], **read})

    def part_of(self, read: Read, value: str, what: str, role: str = "target") -> str:
        """Return the name of the part that a value of the domain column stands for."""
        value = parse_names(self.name).get(value, value)
        if value not in read:
            raise DatakinError(
                f"The {role} {value!r} must be {what}: {listed(read, limit=20)}.{suggest(value, read)}"
            )
        return value

    def read_to_choose(
        self, tables: list[str], domain: str | None, target: str | None
    ) -> tuple[datakin.Dataset, Read, dict[str, str]]:
        """Read the target and what sources can be read; the others are returned with the reason."""
        from datakin.data.door import read_usable

        if domain is not None:
            return *self.read_sources(tables, domain, target), {}
        paths = [_one_file(tables[0])] if len(tables) == 1 else _target_first(tables, target)
        read, left_out = read_usable(self._named(paths), **self.options())
        return *self._split(read), left_out

    def describe(self, tables: list[str], domain: str | None) -> datakin.Description:
        """Say how tables are read."""
        options, given = self.options(), parse_names(self.name)
        found = datakin.describe(self._named(tables, domain), domain=domain, **options)
        if domain is None or not given:
            return found
        name_values([each.name for each in found.datasets], given)
        recode = dict(options["recode"] or {})
        recode[domain] = {**given, **recode.get(domain, {})}
        return datakin.describe(tables, domain=domain, **{**options, "recode": recode})

    def _named(self, tables: list[Any], domain: str | None = None) -> list[Any]:
        """Return the tables with the names that were typed for them; parts of one have none yet."""
        from datakin.data.files.addresses import find_tables

        given = parse_names(self.name)
        return name_tables(find_tables(tables), given) if domain is None and given else tables

    def _split(self, read: Read) -> tuple[datakin.Dataset, Read]:
        """Return the first dataset and the others, those that were named with its shares of classes."""
        (_, target), *others = read.items()
        sources = dict(others)
        for name in names(self.match_classes):
            if name not in sources:
                raise DatakinError(
                    f"--match-classes must name a source. Got {name!r}; the sources are "
                    f"{listed(sources, limit=20)}.{suggest(name, sources)}"
                )
            sources[name] = datakin.match_classes(sources[name], target)
            warn(f"{name}: {sources[name].notes[-1]}")
        return target, sources


@dataclass(frozen=True)
class Looking(Reading):
    """The same options, for a look at tables before anything is known of them."""

    without = ("match_classes",)

    label: Texts = option(
        "The column to predict; leave it out for a first look.", metavar="COLUMN", parse=_one_label
    )


@dataclass(frozen=True)
class ReadingNew(Given):
    """Options on how new rows are read; the model knows the rest."""

    panel = "How the table is read"

    rename: Texts = option(
        "Rename a column: old=new, new being the model's name.", parse=parse_rename
    )
    delimiter: str | None = option(DELIMITER, parse=_delimiter)
    encoding: str | None = option(ENCODING)
    header: bool | None = option(HEADER, flag="--header/--no-header")
    sheet: str | None = option(SHEET, flag="--table --sheet")
    query: str | None = option(QUERY)
    config: Path | None = option(CONFIG, apart=True, panel=Reading.panel)
    no_config: bool = option(NO_CONFIG, False, apart=True, panel=Reading.panel)

    def options(self) -> dict[str, Any]:
        """Return the options of `read_new_rows`."""
        found = super().options()
        return {"table": found.pop("sheet"), **found}


def _one_file(pattern: str) -> Any:
    """Return the one file, or folder of Parquet part files, that a pattern names."""
    from datakin.data.files.addresses import find_tables

    found = find_tables([pattern], together=os.path.isdir(pattern))
    if len(found) > 1:
        raise DatakinError(
            f"Expected one file, or a folder of Parquet part files. {pattern!r} names "
            f"{len(found)}: {listed(table.path for table in found)}."
        )
    return found[0]


def _target_first(tables: list[str], target: str | None) -> list[Any]:
    """Return the target's table and those of its sources."""
    from datakin.data.files.addresses import find_tables

    if target is not None:
        raise DatakinError(
            "--target names a value of --domain; without it the first table is the target."
        )
    first = _one_file(tables[0])
    found = find_tables([first, *tables[1:]]) if len(tables) > 1 else []
    others = [table for table in found if not table.is_same(first)]
    if not others:
        twice = ", twice" if len(tables) > 1 else ""
        raise DatakinError(
            f"Give the target's table and at least one source. Got one table{twice}; see --domain."
        )
    return [first, *others]
