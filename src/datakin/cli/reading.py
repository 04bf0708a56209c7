"""How tables are read: the options, which table is the target, and which are its sources.

Paths are looked up here once; what was found is handed to `read_tables`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer

import datakin
from datakin._core.exceptions import DatakinError, listed, suggest, warn
from datakin._core.typed_options import cut, unescaped
from datakin.cli.corrections import parse_convert, parse_recode, parse_rename
from datakin.cli.naming import check_values, name_parts, name_tables, parse_names
from datakin.cli.options import completed

__all__ = ["Domain", "Looking", "Reading", "ReadingNew", "Target", "names"]

TASKS = ("auto", "binary", "multiclass", "regression")
Domain = Annotated[str | None, typer.Option(help="Column that splits one table into datasets.")]
Target = Annotated[str | None, typer.Option(help="With --domain: the value that names the target.")]


@dataclass(frozen=True)
class Reading:
    """Options on how tables are read, and the reading."""

    panel: ClassVar[str] = "How tables are read"
    takes_study: ClassVar[bool] = True

    label: Annotated[list[str], typer.Option(help="The column to predict.", metavar="COLUMN")]
    ignore: Annotated[
        list[str] | None, typer.Option(help="Column(s) to leave out; repeat or separate by commas.")
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Column(s) to use although they look like ids, codes or copies."),
    ] = None
    group: Annotated[
        str | None,
        typer.Option(help="Column whose equal values stay in one fold, such as a patient id."),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(help="Column of how much each row counts; used by choose and explain."),
    ] = None
    positive: Annotated[
        list[str] | None,
        typer.Option(help="The positive class; every other becomes 0."),
    ] = None
    label_map: Annotated[
        list[str] | None, typer.Option(help="Recode labels: old=new; repeat or separate by commas.")
    ] = None
    rename: Annotated[
        list[str] | None,
        typer.Option(help="Rename a column: old=new, or TABLE::old=new for one table."),
    ] = None
    recode: Annotated[
        list[str] | None,
        typer.Option(help="Recode a value: column:old=new, or TABLE::column:old=new."),
    ] = None
    convert: Annotated[
        list[str] | None,
        typer.Option(
            help="Other units: column=slope,intercept; or dates: column=%d/%m/%Y. TABLE:: in front "
            "for one table."
        ),
    ] = None
    match_classes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLE",
            help="Leave out rows of this source until its classes have the target's shares.",
        ),
    ] = None
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE=NAME",
            help="Call a table, or a value of --domain, so.",
        ),
    ] = None
    delimiter: Annotated[
        str | None, typer.Option(help="Separator of text files; recognised by default.")
    ] = None
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of text files; recognised by default.")
    ] = None
    header: Annotated[
        bool, typer.Option("--header/--no-header", help="Whether the first line names the columns.")
    ] = True
    table: Annotated[
        str | None,
        typer.Option("--table", "--sheet", help="Table of a database, or sheet of a workbook."),
    ] = None
    query: Annotated[
        str | None, typer.Option(help="SQL that reads from a database, instead of a table.")
    ] = None
    task: Annotated[
        str,
        typer.Option(
            help="auto, binary, multiclass or regression.", autocompletion=completed(TASKS)
        ),
    ] = "auto"
    read_rows: Annotated[
        int, typer.Option(min=0, help="Rows to draw from a file that has more; 0 for all.")
    ] = 200_000

    def read(
        self, tables: list[Any], domain: str | None = None, *, skip_unusable: bool = False
    ) -> dict[str, datakin.Dataset]:
        """Read all tables together."""
        read = datakin.read_tables(
            self.named(tables, domain), domain=domain, skip_unusable=skip_unusable, **self.options()
        )
        names = parse_names(self.name)
        return read if domain is None or not names else name_parts(read, names)

    def read_all(
        self, tables: list[Any], domain: str | None = None, *, skip_unusable: bool = False
    ) -> dict[str, datakin.Dataset]:
        """Read tables none of which is a target."""
        if self.match_classes:
            raise DatakinError(
                "--match-classes is for a target and its sources. A matrix has no target."
            )
        return self.read(tables, domain, skip_unusable=skip_unusable)

    def named(self, tables: list[Any], domain: str | None = None) -> list[Any]:
        """Return the tables with the names that were typed for them; parts of one have none yet."""
        from datakin.data.files.opening import find_tables

        names = parse_names(self.name)
        return (
            tables if domain is not None or not names else name_tables(find_tables(tables), names)
        )

    def describe(self, tables: list[str], domain: str | None) -> datakin.Description:
        """Say how tables are read."""
        options, names = self.options(), parse_names(self.name)
        found = datakin.describe(self.named(tables, domain), domain=domain, **options)
        if domain is None or not names:
            return found
        check_values([each.name for each in found.datasets], names)
        recode = dict(options["recode"] or {})
        recode[domain] = {**names, **recode.get(domain, {})}
        return datakin.describe(tables, domain=domain, **{**options, "recode": recode})

    def options(self) -> dict[str, Any]:
        """Return the options of `read_tables`, all but the domain."""
        return {
            "label": self._one_label(),
            "ignore": names(self.ignore),
            "keep": names(self.keep),
            "group": self.group,
            "weight": self.weight,
            "positive": self.positive or None,
            "label_map": self._mapping(),
            "rename": parse_rename(self.rename),
            "recode": parse_recode(self.recode),
            "convert": parse_convert(self.convert),
            "delimiter": "\t" if self.delimiter == "\\t" else self.delimiter,
            "encoding": self.encoding,
            "header": self.header,
            "table": self.table,
            "query": self.query,
            "task": self.task,
            "read_rows": self.read_rows or None,
        }

    def _one_label(self) -> Any:
        """Return the label; several of them go on as they are, to be refused where all are."""
        return self.label[0] if self.label and len(self.label) == 1 else self.label or None

    def _mapping(self) -> dict[str, str] | None:
        entries = [cut(entry, "=") for text in self.label_map or () for entry in cut(text, ",")]
        if bad := ["=".join(entry) for entry in entries if len(entry) != 2]:
            raise DatakinError(f"--label-map must look like old=new. Got {listed(bad)}.")
        return {unescaped(old): unescaped(new) for old, new in entries} or None

    def read_pair(self, target: str, source: str) -> list[datakin.Dataset]:
        """Read two tables."""
        first, second = self.read([_one_file(target), _one_file(source)]).values()
        return [first, *self._matched(first, {second.name: second}).values()]

    def _matched(
        self, target: datakin.Dataset, sources: dict[str, datakin.Dataset]
    ) -> dict[str, datakin.Dataset]:
        """Return the sources, those that were named with the target's shares of the classes."""
        for name in names(self.match_classes):
            if name not in sources:
                raise DatakinError(
                    f"--match-classes must name a source. Got {name!r}; the sources are "
                    f"{listed(sources, limit=20)}.{suggest(name, sources)}"
                )
            sources = {**sources, name: datakin.match_classes(sources[name], target)}
            warn(f"{name}: {sources[name].notes[-1]}")
        return sources

    def read_sources(
        self,
        tables: list[str],
        domain: str | None,
        target: str | None,
        *,
        skip_unusable: bool = False,
    ) -> tuple[datakin.Dataset, dict[str, datakin.Dataset]]:
        """Read the target and its sources: the first table and the others, or the parts of one."""
        if domain is None:
            read = self.read(_target_first(tables, target), skip_unusable=skip_unusable)
            first = read.pop(next(iter(read)))
            return first, self._matched(first, read)
        read = self.read(list(tables), domain)
        target = parse_names(self.name).get(target, target) if target is not None else None
        if target is None:
            raise DatakinError(
                f"--domain needs --target, one of the values of {domain!r}: {listed(read, limit=20)}."
            )
        if target not in read:
            raise DatakinError(
                f"The target {target!r} must be a usable value of {domain!r}: "
                f"{listed(read, limit=20)}.{suggest(target, read)}"
            )
        first = read.pop(target)
        return first, self._matched(first, read)

    def read_to_choose(
        self, tables: list[str], domain: str | None, target: str | None
    ) -> tuple[datakin.Dataset, dict[str, datakin.Dataset], dict[str, str]]:
        """Read the target and what sources can be read; the others are returned with the reason."""
        from datakin.data.door import read_usable

        if domain is not None:
            return *self.read_sources(tables, domain, target), {}
        paths = [_one_file(tables[0])] if len(tables) == 1 else _target_first(tables, target)
        read, left_out = read_usable(self.named(paths), **self.options())
        first = read.pop(next(iter(read)))
        return first, self._matched(first, read), left_out


@dataclass(frozen=True)
class Looking(Reading):
    """The same options, for a look at tables before anything is known of them."""

    without: ClassVar[tuple[str, ...]] = ("match_classes",)

    label: Annotated[
        list[str] | None,
        typer.Option(
            help="The column to predict; leave it out for a first look.", metavar="COLUMN"
        ),
    ] = None  # type: ignore[assignment]


@dataclass(frozen=True)
class ReadingNew:
    """Options on how new rows are read; the model knows the rest."""

    panel: ClassVar[str] = "How the table is read"
    takes_study: ClassVar[bool] = True

    rename: Annotated[
        list[str] | None, typer.Option(help="Rename a column: old=new, new being the model's name.")
    ] = None
    delimiter: Annotated[
        str | None, typer.Option(help="Separator of text files; recognised by default.")
    ] = None
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of text files; recognised by default.")
    ] = None
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first line names the columns."),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option("--table", "--sheet", help="Table of a database, or sheet of a workbook."),
    ] = None
    query: Annotated[
        str | None, typer.Option(help="SQL that reads from a database, instead of a table.")
    ] = None

    def options(self) -> dict[str, Any]:
        """Return the options of `read_new_rows`."""
        return {
            "rename": parse_rename(self.rename),
            "delimiter": "\t" if self.delimiter == "\\t" else self.delimiter,
            "encoding": self.encoding,
            "header": self.header,
            "table": self.sheet,
            "query": self.query,
        }


def names(entries: list[str] | None) -> list[str]:
    """Return names that were repeated, or separated by commas."""
    return [unescaped(name) for entry in entries or () for name in cut(entry, ",") if name]


def _one_file(pattern: str) -> Any:
    """Return the one file, or folder of Parquet part files, that a pattern names."""
    from datakin.data.files.opening import find_tables

    found = find_tables([pattern], together=os.path.isdir(pattern))
    if len(found) > 1:
        raise DatakinError(
            f"Expected one file, or a folder of Parquet part files. {pattern!r} names "
            f"{len(found)}: {listed(table.path for table in found)}."
        )
    return found[0]


def _target_first(tables: list[str], target: str | None) -> list[Any]:
    """Return the target's table and those of its sources."""
    from datakin.data.files.opening import find_tables

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
