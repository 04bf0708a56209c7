"""The command that says why what is learned on a source fails here."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import datakin
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.cli.naming import parse_names
from datakin.cli.options import Given, register
from datakin.cli.output import Output
from datakin.cli.program import MEASURE, app
from datakin.cli.reading import Domain, Reading, Target

__all__ = ["explain"]


class Explained(Given):
    """Options of explain."""

    fields_of = "datakin.explaining.act:ExplainOptions"


@register(app, MEASURE, "Say why what is learned on a source fails here.")
def explain(
    tables: Annotated[
        list[str],
        typer.Argument(help="The target's table and the source's; or one table with --domain."),
    ],
    reading: Reading,
    explained: Explained,
    output: Output,
    domain: Domain = None,
    target: Target = None,
    source: Annotated[
        str | None, typer.Option(help="With --domain: the value that names the source.")
    ] = None,
) -> None:
    """Say why what is learned on a source fails on the target, and what would mend it.

    For example: datakin explain mine.csv theirs.csv --label died

    Both in one table: datakin explain icu.csv --domain hospital --target 73 --source 12 --label died
    """

    def work() -> Any:
        options = explained.options()
        return datakin.explain(*_pair(reading, tables, domain, target, source), **options)

    output.run(work)


def _pair(
    reading: Reading, tables: list[str], domain: str | None, target: str | None, source: str | None
) -> tuple[datakin.Dataset, datakin.Dataset]:
    """Read the target and the one source: two tables, or two parts of one."""
    if domain is None and source is not None:
        raise DatakinError(
            "--source names a value of --domain; without it the second table is the source."
        )
    first, sources = reading.read_sources(tables, domain, target)
    if domain is None and len(sources) > 1:
        raise DatakinError(
            f"datakin explain takes one source. Got {len(sources)}: {listed(sources)}; datakin rank and "
            f"datakin choose explain several with --explain."
        )
    if domain is None:
        return first, next(iter(sources.values()))
    if source is None:
        raise DatakinError(
            f"--domain needs --source beside --target, one of the values of {domain!r}: "
            f"{listed(sources, limit=20)}."
        )
    source = parse_names(reading.name).get(source, source)
    if source not in sources:
        raise DatakinError(
            f"The source {source!r} must be another usable value of {domain!r}: "
            f"{listed(sources, limit=20)}.{suggest(source, sources)}"
        )
    return first, sources[source]
