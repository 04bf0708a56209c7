"""The commands: each parses, calls one public function, prints.

The distances are commands below ``datakin distance``, each with the options of its class and no others.
"""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import datakin
from datakin._core.addresses import printable, without_password
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin._core.streams import printed, say
from datakin.cli.options import (
    Choosing,
    Given,
    Running,
    Scoring,
    Trying,
    make_command,
    register,
    separated,
)
from datakin.cli.output import UNREAD, DataOutput, Output, PlainOutput, command_line, error_text
from datakin.cli.reading import Domain, Looking, Reading, ReadingNew, Target, names
from datakin.cli.usage import Commands, typed

__all__ = ["app", "main"]

FRESH = 2_000  # rows that check the error of the demo's model

app = typer.Typer(
    cls=Commands,
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Which labelled datasets are kin, and will learning from one help on another?\n\n"
    "A low score says that what is learned on one dataset holds on the other: pooling the two should "
    "help. See it at work:\n\n"
    "  datakin demo --report demo.html\n\n"
    "How is my table read? The first thing to ask of a new file:\n\n"
    "  datakin check mine.csv\n\n"
    "Which of these tables should I learn from, besides mine, and what will my error be?\n\n"
    "  datakin choose mine.csv others/*.csv --label died --model kin.datakin\n\n"
    "  datakin predict kin.datakin new.csv --out predicted.csv\n\n"
    "The same, where one table holds all sites:\n\n"
    "  datakin choose icu.csv --domain hospital --target 73 --label died\n\n"
    "Who is kin to my table, by the Cross-Learning Score?\n\n"
    "  datakin rank mine.csv others/*.csv --label died --report ranking.html\n\n"
    "One source only; what transfer methods really bring; the map of many tables:\n\n"
    "  datakin score mine.csv theirs.csv --label died\n\n"
    "  datakin gain mine.csv theirs.csv --label died\n\n"
    "  datakin matrix plants/*.csv --label yield --report map.html\n\n"
    "How far features lie apart, by a distance:\n\n"
    "  datakin distance energy mine.csv theirs.csv --label died",
    epilog="Zones: positive (pooling should help), harmless (it should cost next to nothing), ambiguous "
    "(the data do not tell), negative (it should harm). Each command has its own --help.",
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(f"datakin {datakin.__version__}")
        raise typer.Exit


@register(app)
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
    found = output.run(lambda: datakin.describe(tables, domain=domain, **reading.options()))
    if not found.is_usable:
        raise typer.Exit(1)


@register(app)
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
        return datakin.score(*reading.read_pair(target, source), **options)

    output.run(work)


@register(app)
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
        options = scoring.options()
        skips = bool(options.get("skip_unusable"))
        first, sources = reading.read_sources(tables, domain, target, skip_unusable=skips)
        tell = output.teller(len(sources), screen=screen)
        return datakin.rank(first, sources, screen=screen, on_result=tell, **options)

    output.run(work)


@register(app)
def matrix(
    tables: Annotated[
        list[str], typer.Argument(help="Tables (globs work), or one table with --domain.")
    ],
    reading: Reading,
    scoring: Scoring,
    output: Output,
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
        options = scoring.options()
        skips = bool(options.get("skip_unusable"))
        members = reading.read(tables, domain, skip_unusable=skips)
        return datakin.matrix(members, calls=calls, **options)

    output.run(work)


@register(app)
def choose(
    tables: Annotated[
        list[str],
        typer.Argument(
            help="The target's table, then the sources' (globs work); or one table with --domain."
        ),
    ],
    reading: Reading,
    output: Output,
    choosing: Choosing,
    domain: Domain = None,
    target: Target = None,
    model: Annotated[
        Path | None, typer.Option(help="Save the fitted model: kin.datakin, for datakin predict.")
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(help="A labelled table of later rows: the stated error is checked on it."),
    ] = None,
    add_to: Annotated[
        str | None,
        typer.Option(help="A saved model: its sources stay as they are, these are added."),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Draws of the folds; by default 5 to 12, until the answer stays the same.",
            show_default=False,
            rich_help_panel="How the choice is made",
        ),
    ] = None,
) -> None:
    """Choose the sources to learn from, fit the model, say what error to expect.

    For example: datakin choose mine.csv others/*.csv --label died --model kin.datakin

    All sites in one table: datakin choose icu.csv --domain hospital --target 73 --label died

    Is the error what it should be? datakin choose mine.csv others/*.csv --label died --test later.csv
    """
    said: list[str] = []
    faults: list[str] = []  # of what comes after the choice: they do not keep it back

    def work() -> Any:
        from datakin._core.files import check_file
        from datakin.choosing import check_test
        from datakin.choosing.act import choose_from

        if model is not None:
            check_file(model, "The model", overwrite=output.force)
        first, sources, left_out = reading.read_to_choose(tables, domain, target)
        if test is not None:
            check_test(test, first, add_to)
        options = choosing.options() | ({} if repeats is None else {"repeats": repeats})
        found = choose_from(first, list(sources.values()), left_out, add_to=add_to, **options)

        def save() -> str:
            found.model.save(model, overwrite=output.force)
            return f"The model is in {printable(str(model))}: datakin predict {model} TABLE"

        _attempt(save if model is not None else None, said, faults)
        _attempt((lambda: found.tested_on(test)) if test is not None else None, said, faults)
        return found

    try:
        output.run(work, lambda choice: "\n".join(["", *said]) if said else "")
    finally:
        told = said if output.as_json and not output.quiet else []
        for line in (*told, *faults):
            say(line)
    if faults:
        raise typer.Exit(1)


def _attempt(do: Callable[[], str] | None, said: list[str], faults: list[str]) -> None:
    """Do something with a result that is there already: what is said of it, or the fault, is kept."""
    if do is None:
        return
    try:
        said.append(do())
    except DatakinError as error:
        faults.append(error_text(error))
    except MemoryError:
        faults.append("Error: memory ran out after the choice was made.")


@register(app)
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
        first, sources = reading.read_sources(tables, domain, target)
        return datakin.transfer_gain(
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


@register(app)
def predict(
    model: Annotated[str, typer.Argument(help="The model: a .datakin file.")],
    output: DataOutput,
    reading: ReadingNew,
    table: Annotated[
        str | None, typer.Argument(help="The table to predict; it needs no label.", metavar="TABLE")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Column(s) to carry along, such as an id; repeat or separate by commas."),
    ] = None,
    card: Annotated[
        bool,
        typer.Option("--card", help="Print what the model was learned from, and nothing else."),
    ] = False,
) -> None:
    """Predict the rows of a table with a saved model.

    For example: datakin predict kin.datakin new.csv --keep patient --out predicted.csv

    What is in a model: datakin predict kin.datakin --card

    If the table has the label too, the error on it is printed beside the one that the model promises.
    """

    def work() -> Any:
        fitted = datakin.load_model(model)
        if card:
            return fitted.card
        if table is None:
            raise DatakinError("Give a table to predict, or --card to see what the model is.")
        from datakin.choosing import predict_table

        return predict_table(fitted, table, keep=names(keep), **reading.options())

    output.run(work)


@register(app)
def demo(output: Output, running: Running) -> None:
    """Make a target and six sources with known truth, choose among them, and check the choice."""
    from datakin.synthetic import make_demo

    options = running.options()
    seed = options["random_state"]
    target, sources = make_demo(random_state=seed)
    fresh = make_demo(n_target=FRESH, random_state=seed, draw=1)[0]
    truth = {s.dataset.name: s for s in sources}
    output.run(
        lambda: datakin.choose(target, [s.dataset for s in sources], **options),
        lambda choice: _verdict(choice, truth, fresh),
    )


def _verdict(choice: datakin.Choice, truth: dict[str, Any], fresh: datakin.Dataset) -> str:
    """Hold the choice against the truth, in plain words."""
    lines = ["", "The truth about each source:"]
    lines += [f"  {c.source:<14}{truth[c.source].truth:<34} {c.call}" for c in choice.choices]
    far = [c for c in choice.choices if truth[c.source].angle >= 90]
    near = [c for c in choice.choices if truth[c.source].angle == 0]
    (low, high), found = choice.interval, choice.error_on(fresh)
    checks = {
        "A source with the target's rule is used": any(c.share > 0 for c in near),
        "No source with an unrelated rule is used": all(c.share == 0 for c in far),
        f"On {FRESH:,} fresh rows the error is {found:.1%}, within its interval": low
        <= found
        <= high,
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
        tables: Annotated[
            list[str],
            typer.Argument(help="The target's table, then the sources'; or one with --domain."),
        ],
        reading: Reading,
        chosen: Any,
        output: Output,
        matrix: Annotated[
            bool, typer.Option("--matrix", help="Compare every table with every other.")
        ] = False,
        domain: Domain = None,
        target: Target = None,
    ) -> None:
        def work() -> Any:
            measure = kind(**chosen.options())
            if matrix and target is not None:
                raise DatakinError("--matrix compares all with all: leave out --target.")
            if matrix:
                return measure.matrix(reading.read(tables, domain))
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


app.add_typer(distances, name="distance")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    Exits with 0, 1 (bad input, or a result that could not be written), 130 (interrupted) or 141 (the
    reader of standard output has left).
    """
    if arguments is None:
        arguments = sys.argv[1:]
    typed.set(arguments)
    shown = (printable(without_password(word)) for word in arguments)
    command_line.set(shlex.join(["datakin", *shown]))
    try:
        app(args=arguments or ["--help"])
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # the help, half read
            sys.exit(_flushed(UNREAD))
        # A wrong option is bad input like any other.
        sys.exit(_flushed(1 if stop.code == 2 else stop.code))
    except OSError as error:
        # What is printed by Typer itself has no file of a name.
        place = "standard output" if error.filename is None else repr(error.filename)
        say(f"Error: {place} could not be read or written: {error.strerror or error}.")
        sys.exit(_flushed(1))


def _flushed(code: Any) -> Any:
    """Return the exit code, and 1 for a success whose last words cannot be printed."""
    if sys.stdout is None:
        return code
    try:
        with printed():
            return code
    except BrokenPipeError:
        return code or UNREAD
    except DatakinError as error:
        if not code:
            say(f"Error: {error}")
        return code or 1
