"""The distances: commands below ``datakin distance``, each with the options of its class and no others."""

from __future__ import annotations

import inspect
from typing import Any

import typer
from typer.core import TyperGroup

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.cli.options import Given, argument, make_command, option
from datakin.cli.output import Output
from datakin.cli.program import MEASURE, app
from datakin.cli.reading import DOMAIN, TARGET, Reading

__all__ = ["distances"]


class Distances(TyperGroup):
    """The commands, each made when it is asked for: the distances take a second to load."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the distances."""
        from datakin.distances import METHODS

        return list(METHODS)

    def get_command(self, ctx: Any, name: str) -> Any:
        """Return the command of a distance; None if there is none of that name."""
        from datakin.distances import METHODS

        return _distance(name, METHODS[name]) if name in METHODS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first word names."""
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(
                f"No distance is called {args[0]!r}. The distances are {listed(known, limit=10)}."
                f"{suggest(args[0], known)}"
            )
        return super().resolve_command(ctx, args)


distances = typer.Typer(
    cls=Distances,
    no_args_is_help=True,
    short_help="Measure how far the features of tables lie apart.",
    help="Measure how far the features of tables lie apart; otdd looks at labels, too.\n\n"
    "Two tables give one distance, more of them a ranking for the first, --matrix all with all:\n\n"
    "  datakin distance energy mine.csv others/*.csv --label died\n\n"
    "A distance does not tell whether learning from a table helps: see datakin rank.",
    epilog="Each distance has options of its own: datakin distance mmd --help.",
)


def _distance(name: str, kind: Any) -> Any:
    """Return the command of one distance."""

    class Chosen(Given):
        fields_of = kind
        panel = f"Options of {name}"

    def distance(
        reading: Reading,
        chosen: Any,
        output: Output,
        tables: list[str] = argument(
            "The target's table, then the sources'; or one with --domain."
        ),
        matrix: bool = option("Compare every table with every other.", False),
        domain: str | None = DOMAIN,
        target: str | None = TARGET,
    ) -> None:
        def work() -> Any:
            measure = kind(**chosen.options())
            if matrix and target is not None:
                raise DatakinError("--matrix compares all with all: leave out --target.")
            if matrix:
                return measure.matrix(reading.read_all(tables, domain))
            first, sources = reading.read_sources(tables, domain, target)
            if len(sources) == 1 and domain is None:
                return measure.compare(first, *sources.values())
            return measure.rank(first, sources, on_result=output.teller(len(sources)))

        output.run(work)

    summary = (inspect.getdoc(kind) or "").partition("\n\n")[0]
    distance.__doc__ = (
        f"{summary}\n\nFor example: datakin distance {name} mine.csv theirs.csv --label died"
    )
    distance.__annotations__["chosen"] = Chosen
    return make_command(distance, name)


app.add_typer(distances, name="distance", rich_help_panel=MEASURE)
