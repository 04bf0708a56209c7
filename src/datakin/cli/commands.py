"""The commands: each parses, calls one public function, prints."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated, Any

import typer

import datakin
from datakin.cli import distances
from datakin.cli.grouped import grouped, separated
from datakin.cli.options import Domain, Reading, Running, Scoring, Seed, Target
from datakin.cli.output import Output, command_line
from datakin.cli.tables import one_file, read_sources, told

__all__ = ["app", "main"]

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Which labelled datasets are kin, and will learning from one help on another?\n\n"
    "A low score says that what is learned on one dataset holds on the other: pooling the two should "
    "help. See it at work:\n\n"
    "  datakin demo --report demo.html\n\n"
    "Which of these tables should I learn from, besides mine?\n\n"
    "  datakin rank mine.csv others/*.csv --label died --report ranking.html\n\n"
    "The same, where one table holds all sites:\n\n"
    "  datakin rank icu.csv --domain hospital --target 73 --label died\n\n"
    "One source only; what transfer methods really bring; the map of many tables:\n\n"
    "  datakin score mine.csv theirs.csv --label died\n\n"
    "  datakin gain mine.csv theirs.csv --label died\n\n"
    "  datakin matrix plants/*.csv --label yield --report map.html\n\n"
    "How far features lie apart, by a distance:\n\n"
    "  datakin distance energy mine.csv theirs.csv --label died",
    epilog="Zones: positive (pooling should help), ambiguous (the data do not tell), negative (it should "
    "harm). Each command has its own --help.",
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        typer.echo(f"datakin {datakin.__version__}")
        raise typer.Exit


@app.command()
@grouped
def score(
    target: Annotated[
        str, typer.Argument(help="The target's table (csv, csv.gz, parquet, feather).")
    ],
    source: Annotated[str, typer.Argument(help="The source's table.")],
    reading: Reading,
    scoring: Scoring,
    output: Output,
) -> None:
    """Compare one target with one source.

    For example: datakin score mine.csv theirs.csv --label died
    """

    def work() -> Any:
        options = scoring.options()
        tables = reading.read([one_file(target), one_file(source)])
        return datakin.score(*tables.values(), **options)

    output.run(work)


@app.command()
@grouped
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
    domain: Domain = None,
    target: Target = None,
) -> None:
    """Rank sources for a target, best first.

    For example: datakin rank mine.csv others/*.csv --label died --report ranking.html

    All sites in one table: datakin rank icu.csv --domain hospital --target 73 --label died
    """

    def work() -> Any:
        options = scoring.options()
        first, sources = read_sources(reading, tables, domain, target)
        return datakin.rank(first, sources, on_result=told(len(sources)), **options)

    output.run(work)


@app.command()
@grouped
def matrix(
    tables: Annotated[
        list[str], typer.Argument(help="Tables (globs work), or one table with --domain.")
    ],
    reading: Reading,
    scoring: Scoring,
    output: Output,
    domain: Domain = None,
) -> None:
    """Compare every dataset with every other; show clusters.

    For example: datakin matrix plants/*.csv --label yield --report map.html
    """

    def work() -> Any:
        options = scoring.options()
        return datakin.matrix(reading.read(tables, domain), **options)

    output.run(work)


@app.command()
@grouped
def gain(
    target: Annotated[str, typer.Argument(help="The target's table.")],
    source: Annotated[str, typer.Argument(help="The source's table.")],
    reading: Reading,
    output: Output,
    seed: Seed,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Names separated by commas: concatenate, tradaboost, dynamic_tradaboost, "
            "tradaboost_r2, art, kin_weighted. All that fit the task by default."
        ),
    ] = None,
    estimator: Annotated[
        str | None,
        typer.Option(help="Base learner: logistic (for numbers linear), forest or xgboost."),
    ] = None,
    repeats: Annotated[int, typer.Option(help="Number of random splits.")] = 50,
    test_size: Annotated[float, typer.Option(help="Share of rows that test.")] = 0.3,
    n_jobs: Annotated[
        int | None, typer.Option("--n-jobs", help="Processes; -1 for all cores.")
    ] = None,
) -> None:
    """Try transfer methods on random splits: how much do they cut the error?

    For example: datakin gain mine.csv theirs.csv --label died --n-jobs -1
    """

    def work() -> Any:
        tables = reading.read([one_file(target), one_file(source)])
        return datakin.transfer_gain(
            *tables.values(),
            methods=None if methods is None else separated(methods),
            estimator=estimator,
            repeats=repeats,
            test_size=test_size,
            n_jobs=n_jobs,
            **seed.options(),
        )

    output.run(work)


@app.command()
@grouped
def demo(output: Output, running: Running) -> None:
    """Make a target and six sources with known truth, rank them, and check the ranking."""
    from datakin.synthetic import make_demo

    options = running.options()
    target, sources = make_demo(random_state=options["random_state"])
    result = output.run(lambda: datakin.rank(target, [s.dataset for s in sources], **options))
    if not output.is_silent:
        typer.echo(_verdict(result, {s.dataset.name: s for s in sources}))


def _verdict(ranking: datakin.Ranking, truth: dict[str, Any]) -> str:
    """Hold the ranking against the truth, in plain words."""
    lines = ["", "The truth, in the order of the ranking:"]
    lines += [f"  {c.source:<14}{truth[c.source].truth:<34} found {c.zone.value}" for c in ranking]
    angles = [truth[c.source].angle for c in ranking]
    kin = [c.zone for c in ranking if truth[c.source].angle == 0]
    far = [c.zone for c in ranking if truth[c.source].angle >= 90]
    negative = datakin.Zone.NEGATIVE
    checks = {
        "The order follows the truth": angles == sorted(angles),
        "No source with the target's rule is called negative": negative not in kin,
        "Every source with an unrelated rule is called negative": set(far) == {negative},
    }
    lines += ["", *(f"{text}: {'yes' if holds else 'NO'}" for text, holds in checks.items())]
    return "\n".join(lines)


@app.command(
    hidden=True, context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)
def reproduce() -> None:
    """Say where the studies of the paper are."""
    typer.echo(
        "The studies are beside the package: in a clone of the repository run "
        "`make reproduce NAME=...` (python -m reproduction NAME).",
        err=True,
    )
    raise typer.Exit(1)


app.add_typer(distances.app, name="distance")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit with 0, 1 (bad input) or 130 (interrupted)."""
    if arguments is None:
        arguments = sys.argv[1:]
    try:
        command_line.set(shlex.join(["datakin", *arguments]))
        app(args=arguments or ["--help"])
    except SystemExit as stop:
        # A wrong option is bad input like any other.
        sys.exit(1 if stop.code == 2 else stop.code)
