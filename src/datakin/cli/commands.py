"""The commands that look at tables and measure them; those of distances stand below `datakin distance`."""

from __future__ import annotations

import inspect
from typing import Any

import typer
from typer.core import TyperGroup

import datakin
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.cli.options import (
    Given,
    Scoring,
    Trying,
    argument,
    make_command,
    option,
    register,
    separated,
)
from datakin.cli.output import CallsOutput, Output, PlainOutput, SquareOutput
from datakin.cli.program import MEASURE, START, TRY, app
from datakin.cli.reading import DOMAIN, TABLES, TARGET, Looking, Reading


class Explained(Given):
    """Options of explain."""

    fields_of = "datakin.explaining.act:ExplainOptions"


@register(app, START, "Say how tables are read, and what would mend them.")
def check(
    reading: Looking,
    output: PlainOutput,
    tables: list[str] = argument("One table or several, the target's first; or one with --domain."),
    domain: str | None = DOMAIN,
) -> None:
    """Say how tables are read: columns, labels, what looks odd, and what would mend it.

    For example: datakin check mine.csv

    With the column to predict, and a source: datakin check mine.csv theirs.csv --label died

    Nothing is computed. Ends with 1 if a table cannot be used.
    """
    found = output.run(lambda: reading.describe(tables, domain))
    if not found.is_usable:
        raise typer.Exit(1)


@register(app, MEASURE, "Compare one target with one source.")
def score(
    reading: Reading,
    scoring: Scoring,
    output: CallsOutput,
    target: str = argument("The target's table (csv, csv.gz, parquet, feather)."),
    source: str = argument("The source's table."),
) -> None:
    """Compare one target with one source.

    For example: datakin score mine.csv theirs.csv --label died
    """

    def work() -> Any:
        options = scoring.options()
        first, other = reading.read_pair(target, source)
        found = datakin.score(first, other, **options)
        return output.explained(found, first, {found.source: other}, options["random_state"])

    output.stop(output.run(work))


@register(app, MEASURE, "Rank sources for a target, best first.")
def rank(
    reading: Reading,
    scoring: Scoring,
    output: CallsOutput,
    tables: list[str] = argument(
        "The target's table, then the sources' (globs work, a folder of Parquet files is one table); "
        "or one table with --domain."
    ),
    domain: str | None = DOMAIN,
    target: str | None = TARGET,
    screen: bool = option(
        "Look at all sources with a few quick fits first; full work only for those within reach of the "
        "best or called helpful. The others stay in the table, marked.",
        False,
    ),
) -> None:
    """Rank sources for a target, best first.

    For example: datakin rank mine.csv others/*.csv --label died --report ranking.html

    All sites in one table: datakin rank icu.csv --domain hospital --target 73 --label died

    Many sources: datakin rank mine.csv others/*.csv --label died --screen
    """

    def work() -> Any:
        options = scoring.options()
        skips = bool(options["skip_unusable"])
        first, sources = reading.read_sources(tables, domain, target, skip_unusable=skips)
        tell = output.teller(len(sources), screen=screen)
        found = datakin.rank(first, sources, screen=screen, on_result=tell, **options)
        return output.explained(found, first, sources, options["random_state"])

    output.stop(output.run(work, output.closing))


@register(app, MEASURE, "Compare every table with every other; show clusters.")
def matrix(
    reading: Reading,
    scoring: Scoring,
    output: SquareOutput,
    tables: list[str] = argument("Tables (globs work), or one table with --domain."),
    domain: str | None = DOMAIN,
    calls: bool = option("Try every table with every other, both ways, and call it.", False),
) -> None:
    """Compare every dataset with every other; show clusters.

    For example: datakin matrix plants/*.csv --label yield --report map.html
    """

    def work() -> Any:
        if output.fail_on is not None and not calls:
            raise DatakinError("--fail-on has an effect only with --calls.")
        options = scoring.options()
        skips = bool(options["skip_unusable"])
        members = reading.read_all(tables, domain, skip_unusable=skips)
        return datakin.matrix(members, calls=calls, **options)

    output.stop(output.run(work))


@register(app, MEASURE, "Say why what is learned on a source fails here.")
def explain(
    reading: Reading,
    explained: Explained,
    output: Output,
    tables: list[str] = argument(
        "The target's table and the source's; or one table with --domain."
    ),
    domain: str | None = DOMAIN,
    target: str | None = TARGET,
    source: str | None = option("With --domain: the value that names the source."),
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
    what = f"another usable value of {domain!r}"
    return first, sources[reading.part_of(sources, source, what, role="source")]


@register(app, TRY, "Try transfer methods on random splits.")
def gain(
    reading: Reading,
    output: Output,
    trying: Trying,
    tables: list[str] = TABLES,
    domain: str | None = DOMAIN,
    target: str | None = TARGET,
    methods: str | None = option(
        "Names separated by commas: concatenate, tradaboost, dynamic_tradaboost, tradaboost_r2, art, "
        "kin_weighted, kin_stack. All that fit the task by default."
    ),
    estimator: str | None = option(
        "Base learner: logistic (for numbers linear), forest or xgboost."
    ),
    repeats: int = option("Number of random splits.", 15),
    test_size: float = option("Share of rows that test.", 0.3),
    n_jobs: int | None = option("Processes; -1 for all cores."),
) -> None:
    """Try transfer methods on random splits: how much do they cut the error?

    For example: datakin gain mine.csv theirs.csv --label died --n-jobs -1

    One source is also the target once. Several are all learned from at once, for the target alone:
    datakin gain mine.csv other1.csv other2.csv --label died
    """

    def work() -> Any:
        from datakin.paper import transfer_gain

        first, sources = reading.read_sources(tables, domain, target)
        return transfer_gain(
            first,
            sources if len(sources) > 1 else next(iter(sources.values())),
            methods=None if methods is None else separated(methods),
            estimator=estimator,
            repeats=repeats,
            test_size=test_size,
            n_jobs=n_jobs,
            **trying.options(),
        )

    output.run(work)


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
