"""The command line: parses, calls one public function, prints."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import datakin
from datakin._core.exceptions import DatakinError, DatakinWarning, Interrupted, listed, suggest

__all__ = ["app", "main"]

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Which labelled datasets are kin, and will learning from one help on another?\n\n"
    "A low score says that what is learned on one dataset holds on the other. "
    "Start with: datakin demo",
)

Label = Annotated[str, typer.Option(help="The column to predict.")]
Domain = Annotated[str | None, typer.Option(help="Column that splits one table into datasets.")]
Ignore = Annotated[
    list[str] | None, typer.Option(help="Column(s) to leave out; repeat or separate by commas.")
]
Group = Annotated[
    str | None,
    typer.Option(help="Column whose equal values stay in one fold, such as a patient id."),
]
Positive = Annotated[str | None, typer.Option(help="The positive class; every other becomes 0.")]
LabelMap = Annotated[
    list[str] | None, typer.Option(help="Recode a label: old=new. Repeat for each.")
]
Delimiter = Annotated[str, typer.Option(help="Separator of csv files.")]
Task = Annotated[str, typer.Option(help="auto, binary, multiclass or regression.")]
Models = Annotated[str | None, typer.Option(help="'extended', or model names separated by commas.")]
Estimate = Annotated[str, typer.Option(help="ensemble, weighted, unweighted, or one model's name.")]
LossName = Annotated[
    str, typer.Option("--loss", help="auto, zero_one, balanced, brier, log, squared or absolute.")
]
Size = Annotated[str, typer.Option(help="matched, paper or limit.")]
Folds = Annotated[int, typer.Option("--cv", help="Number of folds.")]
Repeats = Annotated[int, typer.Option(help="Fold seeds to average over.")]
Seed = Annotated[int, typer.Option(help="Root of all randomness.")]
Jobs = Annotated[int | None, typer.Option("--n-jobs", help="Threads; -1 for all cores.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]
Out = Annotated[Path | None, typer.Option(help="Also write the result to a .json or .csv file.")]


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        typer.echo(f"datakin {datakin.__version__}")
        raise typer.Exit


@app.command()
def score(
    target: Annotated[
        str, typer.Argument(help="The target's table (csv, csv.gz, parquet, feather).")
    ],
    source: Annotated[str, typer.Argument(help="The source's table.")],
    label: Label,
    ignore: Ignore = None,
    group: Group = None,
    positive: Positive = None,
    label_map: LabelMap = None,
    delimiter: Delimiter = ",",
    task: Task = "auto",
    models: Models = None,
    estimate: Estimate = "ensemble",
    loss: LossName = "auto",
    size: Size = "matched",
    cv: Folds = 5,
    repeats: Repeats = 1,
    seed: Seed = 0,
    n_jobs: Jobs = None,
    as_json: AsJson = False,
    out: Out = None,
) -> None:
    """Compare one target with one source."""

    def work() -> Any:
        paths = [_one_file(target), _one_file(source)]
        tables = _read(paths, None, label, ignore, group, positive, label_map, delimiter, task)
        first, second = tables.values()
        return datakin.score(
            first, second, **_options(models, estimate, loss, size, cv, repeats, seed, n_jobs)
        )

    _run(work, as_json, out)


@app.command()
def rank(
    tables: Annotated[
        list[str],
        typer.Argument(
            help="The target's table, then the sources' (globs work); or one table with --domain."
        ),
    ],
    label: Label,
    domain: Domain = None,
    target: Annotated[
        str | None, typer.Option(help="With --domain: the value that names the target.")
    ] = None,
    ignore: Ignore = None,
    group: Group = None,
    positive: Positive = None,
    label_map: LabelMap = None,
    delimiter: Delimiter = ",",
    task: Task = "auto",
    models: Models = None,
    estimate: Estimate = "ensemble",
    loss: LossName = "auto",
    size: Size = "matched",
    cv: Folds = 5,
    repeats: Repeats = 1,
    seed: Seed = 0,
    n_jobs: Jobs = None,
    as_json: AsJson = False,
    out: Out = None,
) -> None:
    """Rank sources for a target, closest kin first."""

    def work() -> Any:
        if domain is not None:
            if target is None:
                raise DatakinError(
                    "--domain needs --target: the value of the domain column that is the target."
                )
            read = _read(tables, domain, label, ignore, group, positive, label_map, delimiter, task)
            name = target
            if name not in read:
                raise DatakinError(
                    f"The target {name!r} must be a value of {domain!r}: "
                    f"{listed(read, limit=20)}.{suggest(name, read)}"
                )
        else:
            if target is not None:
                raise DatakinError(
                    "--target names a value of --domain; without it the first table is the target."
                )
            from datakin.data.files import find_files, stem

            first = _one_file(tables[0])
            others = [
                p
                for pattern in tables[1:]
                for p in find_files(pattern)
                if not os.path.samefile(p, first)
            ]
            if not others:
                raise DatakinError(
                    "A ranking needs a target and at least one source. Got one table; see --domain."
                )
            read = _read(
                [first, *others], None, label, ignore, group, positive, label_map, delimiter, task
            )
            name = stem(first)
        chosen = read.pop(name)
        return datakin.rank(
            chosen, read, **_options(models, estimate, loss, size, cv, repeats, seed, n_jobs)
        )

    _run(work, as_json, out)


@app.command()
def matrix(
    tables: Annotated[
        list[str], typer.Argument(help="Tables (globs work), or one table with --domain.")
    ],
    label: Label,
    domain: Domain = None,
    ignore: Ignore = None,
    group: Group = None,
    positive: Positive = None,
    label_map: LabelMap = None,
    delimiter: Delimiter = ",",
    task: Task = "auto",
    models: Models = None,
    estimate: Estimate = "ensemble",
    loss: LossName = "auto",
    size: Size = "matched",
    cv: Folds = 5,
    repeats: Repeats = 1,
    seed: Seed = 0,
    n_jobs: Jobs = None,
    as_json: AsJson = False,
    out: Out = None,
) -> None:
    """Compare every dataset with every other; show clusters."""

    def work() -> Any:
        read = _read(tables, domain, label, ignore, group, positive, label_map, delimiter, task)
        return datakin.matrix(
            read, **_options(models, estimate, loss, size, cv, repeats, seed, n_jobs)
        )

    _run(work, as_json, out)


@app.command()
def demo(
    seed: Seed = 0,
    n_jobs: Jobs = None,
    as_json: AsJson = False,
    out: Out = None,
) -> None:
    """Make a target and six sources with known truth, rank them, and check the ranking."""
    from datakin.synthetic import make_demo

    target, sources = make_demo(random_state=seed)

    def work() -> Any:
        return datakin.rank(target, [s.dataset for s in sources], n_jobs=n_jobs, random_state=seed)

    result = _run(work, as_json, out)
    if not as_json:
        typer.echo(_verdict(result, {s.dataset.name: s for s in sources}))


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
        summary = run(name, replicates=replicates, n_jobs=n_jobs, folder=folder)
        typer.echo(summary.text)

    _guarded(work)


def _verdict(ranking: datakin.Ranking, truth: dict[str, Any]) -> str:
    """Hold the ranking against the truth, in plain words."""
    lines = ["", "The truth, in the order of the ranking:"]
    lines += [f"  {c.source:<14}{truth[c.source].truth:<34} found {c.zone.value}" for c in ranking]
    angles = [truth[c.source].angle for c in ranking]
    kin = [c for c in ranking if truth[c.source].angle == 0]
    far = [c for c in ranking if truth[c.source].angle >= 90]
    checks = {
        "The order follows the truth": angles == sorted(angles),
        "No source with the target's rule is called negative": all(
            c.zone.value != "negative" for c in kin
        ),
        "Every source with an unrelated rule is called negative": all(
            c.zone.value == "negative" for c in far
        ),
    }
    return "\n".join(
        [*lines, "", *(f"{text}: {'yes' if holds else 'NO'}" for text, holds in checks.items())]
    )


def _one_file(pattern: str) -> str:
    from datakin.data.files import find_files

    files = find_files(pattern)
    if len(files) > 1:
        raise DatakinError(f"Expected one file. {pattern!r} names {len(files)}: {listed(files)}.")
    return files[0]


def _read(
    tables: list[str],
    domain: str | None,
    label: str,
    ignore: list[str] | None,
    group: str | None,
    positive: str | None,
    label_map: list[str] | None,
    delimiter: str,
    task: str,
) -> dict[str, datakin.Dataset]:
    mapping = None
    if label_map:
        parts = [entry.partition("=") for entry in label_map]
        bad = [entry for entry, (_, sign, _) in zip(label_map, parts, strict=True) if not sign]
        if bad:
            raise DatakinError(f"--label-map must look like old=new. Got {listed(bad)}.")
        mapping = {old: new for old, _, new in parts}
    return datakin.read_tables(
        list(tables),
        label=label,
        domain=domain,
        ignore=[name for entry in ignore or () for name in entry.split(",") if name],
        group=group,
        positive=positive,
        label_map=mapping,
        delimiter="\t" if delimiter == "\\t" else delimiter,
        task=task,
    )


def _options(
    models: str | None,
    estimate: str,
    loss: str,
    size: str,
    cv: int,
    repeats: int,
    seed: int,
    n_jobs: int | None,
) -> dict[str, Any]:
    chosen: Any = models
    if models is not None and models != "extended":
        chosen = [name.strip() for name in models.split(",") if name.strip()]
    return {
        "models": chosen,
        "estimate": estimate,
        "loss": loss,
        "size": size,
        "cv": cv,
        "repeats": repeats,
        "random_state": seed,
        "n_jobs": n_jobs,
    }


def _run(work: Callable[[], Any], as_json: bool, out: Path | None) -> Any:
    """Do the work; print notes to standard error, the result to standard output."""

    def whole() -> Any:
        if out is not None:
            _check_out(out)
        return _with_notes(work)

    result = _guarded(whole, lambda partial: _deliver(partial, as_json, out))
    _deliver(result, as_json, out)
    return result


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
            for note in dict.fromkeys(notes):
                typer.echo(f"Note: {note}", err=True)


def _check_out(out: Path) -> None:
    if out.suffix.lower() not in (".json", ".csv"):
        raise DatakinError(f"--out must end in .json or .csv. Got {str(out)!r}.")
    if out.is_dir():
        raise DatakinError(f"--out must be a file. Got the folder {str(out)!r}.")
    if not out.parent.is_dir():
        raise DatakinError(f"The folder of --out must exist. Got {str(out.parent)!r}.")
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise DatakinError(f"--out must be writable. Got {str(out)!r}.")


def _deliver(result: Any, as_json: bool, out: Path | None) -> None:
    if out is not None:
        if out.suffix.lower() == ".json":
            out.write_text(result.to_json(indent=1), encoding="utf-8")
        else:
            result.frame.to_csv(out, index=False)
    if as_json:
        typer.echo(result.to_json())
    else:
        from datakin.render import show

        show(result)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit with 0, 1 (bad input) or 130 (interrupted)."""
    if arguments is None:
        arguments = sys.argv[1:]
    try:
        app(args=arguments or ["--help"])
    except SystemExit as stop:
        # A wrong option is bad input like any other.
        sys.exit(1 if stop.code == 2 else stop.code)
