"""The commands: each parses, calls one public function, prints."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import datakin
from datakin._core.option_groups import grouped
from datakin._core.progress import is_hushed
from datakin.cli.options import Domain, Jobs, Reading, Scoring, Seed, separated
from datakin.cli.tables import one_file, target_and_sources, target_domain
from datakin.delivery import Output, command_line, guarded

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
    "  datakin matrix plants/*.csv --label yield --report map.html",
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
        tables = reading.read([one_file(target), one_file(source)])
        return datakin.score(*tables.values(), **scoring.options())

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
    target: Annotated[
        str | None, typer.Option(help="With --domain: the value that names the target.")
    ] = None,
) -> None:
    """Rank sources for a target, best first.

    For example: datakin rank mine.csv others/*.csv --label died --report ranking.html

    All sites in one table: datakin rank icu.csv --domain hospital --target 73 --label died
    """

    def work() -> Any:
        if domain is None:
            first, others = target_and_sources(tables, target)
            read = reading.read([first, *others])
            chosen = read.pop(next(iter(read)))
        else:
            read = reading.read(tables, domain)
            chosen = read.pop(target_domain(target, domain, read))
        return datakin.rank(chosen, read, on_result=_told(len(read)), **scoring.options())

    output.run(work)


def _told(n_sources: int) -> Callable[[Any], None]:
    """Return a function that tells of finished sources on a terminal, one line each."""
    done = 0

    def tell(result: Any) -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty() and n_sources > 1 and not is_hushed():
            zone = f", {result.zone.value}" if hasattr(result, "zone") else ""
            text = f"{done} of {n_sources}: {result.source}, score {result.score:.4f}{zone}"
            typer.echo(text, err=True)

    return tell


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
    output.run(lambda: datakin.matrix(reading.read(tables, domain), **scoring.options()))


@app.command()
@grouped
def gain(
    target: Annotated[str, typer.Argument(help="The target's table.")],
    source: Annotated[str, typer.Argument(help="The source's table.")],
    reading: Reading,
    output: Output,
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
    seed: Seed = 0,
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
            random_state=seed,
            n_jobs=n_jobs,
        )

    output.run(work)


@app.command()
@grouped
def demo(output: Output, seed: Seed = 0, n_jobs: Jobs = None) -> None:
    """Make a target and six sources with known truth, rank them, and check the ranking."""
    from datakin.synthetic import make_demo

    target, sources = make_demo(random_state=seed)
    result = output.run(
        lambda: datakin.rank(target, [s.dataset for s in sources], n_jobs=n_jobs, random_state=seed)
    )
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


@app.command()
def reproduce(
    name: Annotated[str, typer.Argument(help="Name of the study; a wrong one lists them all.")],
    replicates: Annotated[
        int | None, typer.Option(help="Replicates per cell; the study's own number by default.")
    ] = None,
    n_jobs: Annotated[int, typer.Option("--n-jobs", help="Processes; -1 for all cores.")] = 1,
    folder: Annotated[
        Path, typer.Option(help="Where the results go; an interrupted run goes on there.")
    ] = Path("results"),
    data: Annotated[
        Path | None,
        typer.Option(help="Where real data lie, for the studies that need some (DATAKIN_DATA)."),
    ] = None,
) -> None:
    """Run a study behind a claim again; print and save its table."""
    from datakin.experiments import reproduce as run

    def work() -> None:
        found = run(name, replicates=replicates, n_jobs=n_jobs, folder=folder, data=data)
        typer.echo(found.text)

    guarded(work)


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
