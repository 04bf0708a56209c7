"""The commands that look at tables and measure them: each parses, calls one public function, prints."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import datakin
from datakin._core.exceptions import DatakinError
from datakin.cli.explanations import Explaining
from datakin.cli.failing import Failing
from datakin.cli.options import Scoring, Trying, register, separated
from datakin.cli.output import Output, PlainOutput
from datakin.cli.program import MEASURE, START, TRY, app
from datakin.cli.reading import Domain, Looking, Reading, Target

__all__ = ["check", "gain", "matrix", "rank", "score"]


@register(app, START, "Say how tables are read, and what would mend them.")
def check(
    tables: Annotated[
        list[str],
        typer.Argument(help="One table or several, the target's first; or one with --domain."),
    ],
    reading: Looking,
    output: PlainOutput,
    domain: Domain = None,
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
    target: Annotated[
        str, typer.Argument(help="The target's table (csv, csv.gz, parquet, feather).")
    ],
    source: Annotated[str, typer.Argument(help="The source's table.")],
    reading: Reading,
    scoring: Scoring,
    output: Output,
    failing: Failing,
    explaining: Explaining,
) -> None:
    """Compare one target with one source.

    For example: datakin score mine.csv theirs.csv --label died
    """

    def work() -> Any:
        failing.check()
        options = scoring.options()
        first, other = reading.read_pair(target, source)
        found = datakin.score(first, other, **options)
        return explaining.apply(found, first, {found.source: other}, options["random_state"])

    found = output.run(work)
    failing.stop([(found.source, found.call)])


@register(app, MEASURE, "Rank sources for a target, best first.")
def rank(
    tables: Annotated[
        list[str],
        typer.Argument(
            help="The target's table, then the sources' (globs work, a folder of Parquet files is "
            "one table); or one table with --domain."
        ),
    ],
    reading: Reading,
    scoring: Scoring,
    output: Output,
    failing: Failing,
    explaining: Explaining,
    domain: Domain = None,
    target: Target = None,
    screen: Annotated[
        bool,
        typer.Option(
            "--screen",
            help="Look at all sources with a few quick fits first; full work only for those within "
            "reach of the best or called helpful. The others stay in the table, marked.",
        ),
    ] = False,
) -> None:
    """Rank sources for a target, best first.

    For example: datakin rank mine.csv others/*.csv --label died --report ranking.html

    All sites in one table: datakin rank icu.csv --domain hospital --target 73 --label died

    Many sources: datakin rank mine.csv others/*.csv --label died --screen
    """

    def work() -> Any:
        failing.check()
        options = scoring.options()
        skips = bool(options.get("skip_unusable"))
        first, sources = reading.read_sources(tables, domain, target, skip_unusable=skips)
        tell = output.teller(len(sources), screen=screen)
        found = datakin.rank(first, sources, screen=screen, on_result=tell, **options)
        return explaining.apply(found, first, sources, options["random_state"])

    found = output.run(work, explaining.closing)
    failing.stop((each.source, each.call) for each in found)


@register(app, MEASURE, "Compare every table with every other; show clusters.")
def matrix(
    tables: Annotated[
        list[str], typer.Argument(help="Tables (globs work), or one table with --domain.")
    ],
    reading: Reading,
    scoring: Scoring,
    output: Output,
    failing: Failing,
    domain: Domain = None,
    calls: Annotated[
        bool,
        typer.Option("--calls", help="Try every table with every other, both ways, and call it."),
    ] = False,
) -> None:
    """Compare every dataset with every other; show clusters.

    For example: datakin matrix plants/*.csv --label yield --report map.html
    """

    def work() -> Any:
        failing.check()
        if failing.fail_on is not None and not calls:
            raise DatakinError("--fail-on has an effect only with --calls.")
        options = scoring.options()
        skips = bool(options.get("skip_unusable"))
        members = reading.read_all(tables, domain, skip_unusable=skips)
        return datakin.matrix(members, calls=calls, **options)

    failing.stop_on_pairs(output.run(work).calls)


@register(app, TRY, "Try transfer methods on random splits.")
def gain(
    tables: Annotated[
        list[str],
        typer.Argument(
            help="The target's table, then the sources' (globs work); or one table with --domain."
        ),
    ],
    reading: Reading,
    output: Output,
    trying: Trying,
    domain: Domain = None,
    target: Target = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Names separated by commas: concatenate, tradaboost, dynamic_tradaboost, "
            "tradaboost_r2, art, kin_weighted, kin_stack. All that fit the task by default."
        ),
    ] = None,
    estimator: Annotated[
        str | None,
        typer.Option(help="Base learner: logistic (for numbers linear), forest or xgboost."),
    ] = None,
    repeats: Annotated[int, typer.Option(help="Number of random splits.")] = 15,
    test_size: Annotated[float, typer.Option(help="Share of rows that test.")] = 0.3,
    n_jobs: Annotated[
        int | None, typer.Option("--n-jobs", help="Processes; -1 for all cores.")
    ] = None,
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
