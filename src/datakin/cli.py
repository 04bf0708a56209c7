"""The command line: parses, calls one public function, prints."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import datakin
from datakin._core.exceptions import DatakinError, DatakinWarning, Interrupted, listed, suggest
from datakin._core.option_groups import grouped

__all__ = ["app", "main"]

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Which labelled datasets are kin, and will learning from one help on another?\n\n"
    "A low score says that what is learned on one dataset holds on the other. "
    "Start with: datakin demo",
)

Domain = Annotated[str | None, typer.Option(help="Column that splits one table into datasets.")]
Jobs = Annotated[int | None, typer.Option("--n-jobs", help="Threads; -1 for all cores.")]
Seed = Annotated[int, typer.Option(help="Root of all randomness.")]


@dataclass(frozen=True)
class Reading:
    """Options on how tables are read."""

    label: Annotated[str, typer.Option(help="The column to predict.")]
    ignore: Annotated[
        list[str] | None, typer.Option(help="Column(s) to leave out; repeat or separate by commas.")
    ] = None
    group: Annotated[
        str | None,
        typer.Option(help="Column whose equal values stay in one fold, such as a patient id."),
    ] = None
    positive: Annotated[
        list[str] | None,
        typer.Option(help="The positive class; every other becomes 0. Repeat if tables differ."),
    ] = None
    label_map: Annotated[
        list[str] | None, typer.Option(help="Recode labels: old=new; repeat or separate by commas.")
    ] = None
    delimiter: Annotated[str, typer.Option(help="Separator of csv files.")] = ","
    task: Annotated[str, typer.Option(help="auto, binary, multiclass or regression.")] = "auto"

    def read(self, tables: list[str], domain: str | None = None) -> dict[str, datakin.Dataset]:
        """Read all tables together."""
        ignore = [name for entry in self.ignore or () for name in entry.split(",") if name]
        return datakin.read_tables(
            list(tables),
            label=self.label,
            domain=domain,
            ignore=ignore,
            group=self.group,
            positive=self.positive or None,
            label_map=self._mapping(),
            delimiter="\t" if self.delimiter == "\\t" else self.delimiter,
            task=self.task,
        )

    def _mapping(self) -> dict[str, str] | None:
        if not self.label_map:
            return None
        entries = [entry for text in self.label_map for entry in text.split(",")]
        bad = [entry for entry in entries if "=" not in entry]
        if bad:
            raise DatakinError(f"--label-map must look like old=new. Got {listed(bad)}.")
        return {old: new for old, _, new in (entry.partition("=") for entry in entries)}


@dataclass(frozen=True)
class Scoring:
    """Options on how scores are computed."""

    method: Annotated[
        str,
        typer.Option(help="cls, or a rival: kl, js, wasserstein, mmd, energy, otdd, proxy_a."),
    ] = "cls"
    models: Annotated[
        str | None, typer.Option(help="'extended', or model names separated by commas.")
    ] = None
    estimate: Annotated[
        str, typer.Option(help="ensemble, weighted, unweighted, or one model's name.")
    ] = "ensemble"
    loss: Annotated[
        str, typer.Option(help="auto, zero_one, balanced, brier, log, squared or absolute.")
    ] = "auto"
    size: Annotated[str, typer.Option(help="matched, paper or limit.")] = "matched"
    cv: Annotated[int, typer.Option(help="Number of folds.")] = 5
    stratify: Annotated[
        bool,
        typer.Option("--stratify/--no-stratify", help="Whether folds keep the class shares."),
    ] = True
    repeats: Annotated[int, typer.Option(help="Fold seeds to average over.")] = 1
    zones: Annotated[
        str, typer.Option(help="Rule for zones: paper, or gain (what pooling should bring).")
    ] = "paper"
    seed: Seed = 0
    n_jobs: Jobs = None
    skip_unusable: Annotated[
        bool,
        typer.Option("--skip-unusable", help="Leave out datasets with too few rows of a class."),
    ] = False

    def options(self) -> dict[str, Any]:
        """Return the options as the Python functions take them."""
        if self.method != "cls":
            return {"method": self.method}
        models: Any = self.models
        if models is not None and models != "extended":
            models = _separated(models)
        return {
            "models": models,
            "estimate": self.estimate,
            "loss": self.loss,
            "size": self.size,
            "cv": self.cv,
            "stratify": self.stratify,
            "repeats": self.repeats,
            "zones": self.zones,
            "random_state": self.seed,
            "n_jobs": self.n_jobs,
            "skip_unusable": self.skip_unusable,
        }


@dataclass(frozen=True)
class Output:
    """Options on where the result goes."""

    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON and nothing else.")
    ] = False
    out: Annotated[
        Path | None, typer.Option(help="Also write the result to a .json or .csv file.")
    ] = None

    def run(self, work: Callable[[], Any]) -> Any:
        """Do the work; print notes to standard error, the result to standard output."""

        def whole() -> Any:
            if self.out is not None:
                _check_out(self.out)
            return _with_notes(work)

        result = _guarded(whole, self.deliver)
        self.deliver(result)
        return result

    def deliver(self, result: Any) -> None:
        """Write and print a result."""
        if self.out is not None:
            if self.out.suffix.lower() == ".json":
                self.out.write_text(result.to_json(indent=1), encoding="utf-8")
            else:
                result.frame.to_csv(self.out, index=False)
            typer.echo(f"Written to {self.out}", err=True)
        if self.as_json:
            typer.echo(result.to_json())
        else:
            from datakin.render import show

            show(result)


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
    """Compare one target with one source."""

    def work() -> Any:
        tables = reading.read([_one_file(target), _one_file(source)])
        return datakin.score(*tables.values(), **scoring.options())

    output.run(work)


@app.command()
@grouped
def rank(
    tables: Annotated[
        list[str],
        typer.Argument(
            help="The target's table, then the sources' (globs work); or one table with --domain."
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
    """Rank sources for a target, closest kin first."""

    def work() -> Any:
        if domain is None:
            first, others = _target_and_sources(tables, target)
            read = reading.read([first, *others])
            chosen = read.pop(next(iter(read)))
        else:
            read = reading.read(tables, domain)
            chosen = read.pop(_target_domain(target, domain, read))
        return datakin.rank(chosen, read, **scoring.options())

    output.run(work)


def _target_and_sources(tables: list[str], target: str | None) -> tuple[str, list[str]]:
    from datakin.data.files import find_files

    if target is not None:
        raise DatakinError(
            "--target names a value of --domain; without it the first table is the target."
        )
    first = _one_file(tables[0])
    found = [path for pattern in tables[1:] for path in find_files(pattern)]
    others = [path for path in found if not os.path.samefile(path, first)]
    if not others:
        raise DatakinError(
            "A ranking needs a target and at least one source. Got one table; see --domain."
        )
    return first, others


def _target_domain(target: str | None, domain: str, read: dict[str, datakin.Dataset]) -> str:
    if target is None:
        raise DatakinError(
            f"--domain needs --target, one of the values of {domain!r}: {listed(read, limit=20)}."
        )
    if target not in read:
        raise DatakinError(
            f"The target {target!r} must be a usable value of {domain!r}: "
            f"{listed(read, limit=20)}.{suggest(target, read)}"
        )
    return target


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
    """Compare every dataset with every other; show clusters."""
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
    """Try transfer methods on random splits: how much do they cut the error?"""

    def work() -> Any:
        tables = reading.read([_one_file(target), _one_file(source)])
        return datakin.transfer_gain(
            *tables.values(),
            methods=None if methods is None else _separated(methods),
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
    if not output.as_json:
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
) -> None:
    """Run a study behind a claim again; print and save its table."""
    from datakin.experiments import reproduce as run

    def work() -> None:
        typer.echo(run(name, replicates=replicates, n_jobs=n_jobs, folder=folder).text)

    _guarded(work)


def _separated(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _one_file(pattern: str) -> str:
    from datakin.data.files import find_files

    files = find_files(pattern)
    if len(files) > 1:
        raise DatakinError(f"Expected one file. {pattern!r} names {len(files)}: {listed(files)}.")
    return files[0]


def _guarded(work: Callable[[], Any], keep: Callable[[Any], None] = lambda partial: None) -> Any:
    """Turn errors into a sentence and an exit code; keep what an interrupted run has finished."""
    try:
        return work()
    except DatakinError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(1) from None
    except Interrupted as stopped:
        typer.echo(str(stopped), err=True)
        if stopped.partial is not None:
            keep(stopped.partial)
        raise typer.Exit(130) from None
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        raise typer.Exit(130) from None


def _with_notes(work: Callable[[], Any]) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return work()
        finally:
            notes = [str(w.message) for w in caught if issubclass(w.category, DatakinWarning)]
            lines = [line for note in notes for line in note.splitlines()]
            for line in dict.fromkeys(lines):
                typer.echo(f"Note: {line}", err=True)


def _check_out(out: Path) -> None:
    if out.suffix.lower() not in (".json", ".csv"):
        raise DatakinError(f"--out must end in .json or .csv. Got {str(out)!r}.")
    if out.is_dir():
        raise DatakinError(f"--out must be a file. Got the folder {str(out)!r}.")
    if not out.parent.is_dir():
        raise DatakinError(f"The folder of --out must exist. Got {str(out.parent)!r}.")
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise DatakinError(f"--out must be writable. Got {str(out)!r}.")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit with 0, 1 (bad input) or 130 (interrupted)."""
    if arguments is None:
        arguments = sys.argv[1:]
    try:
        app(args=arguments or ["--help"])
    except SystemExit as stop:
        # A wrong option is bad input like any other.
        sys.exit(1 if stop.code == 2 else stop.code)
