"""``python -m benchmarks.decisions``: run the decision benchmark and write its table."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.decisions.choice_report import write_choices
from benchmarks.decisions.collections import DEVELOPMENT, FINAL, HELD_OUT, OPEN
from benchmarks.decisions.draws import SIZES
from benchmarks.decisions.policies import STUDY as CHOICES
from benchmarks.decisions.report import write_report
from benchmarks.decisions.runs import QUICK, Settings, kept_records, run_collection
from datakin import DatakinError
from reproduction.harness import default_data

RESULTS = Path(__file__).parents[1] / "results"


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    settings = QUICK if options.quick else Settings()
    if options.repeats is not None:
        settings = replace(settings, repeats=options.repeats)
    if options.sizes:
        settings = replace(settings, sizes=tuple(sorted(set(options.sizes))))
    data = options.data or default_data()
    chosen = options.collection or _collections(options)
    study = CHOICES if options.choices else None
    try:
        settings.check()
        if options.final and not options.choices:
            raise DatakinError("--final is for the study of choices: say --choices too.")
        records = []
        for spec in chosen:
            if options.report:
                records += kept_records(spec, data, settings, folder=options.folder, study=study)
            else:
                records += run_collection(
                    spec,
                    data,
                    settings,
                    folder=options.folder,
                    n_jobs=options.n_jobs,
                    study=study,
                )
        if not records:
            raise DatakinError("There is no finished draw to report. Run without --report first.")
        write = write_choices if options.choices else write_report
        page = write(records, settings, chosen, options.folder, _command(options))
        print(page.read_text(encoding="utf-8"))
        more = f" and {page.stem}-sources.csv" if options.choices else ""
        print(f"Kept in {page} and {page.with_suffix('.csv').name}{more}.", file=sys.stderr)
    except DatakinError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stopped:
        print(str(stopped) or "Interrupted.", file=sys.stderr)
        return 130
    return 0


def _collections(options: argparse.Namespace) -> list[str]:
    held_out = HELD_OUT if options.held_out else ()
    if not options.choices:
        return [*OPEN, *held_out]
    return [*DEVELOPMENT, *(FINAL if options.final else held_out)]


def _command(options: argparse.Namespace) -> str:
    parts = ["python -m benchmarks.decisions"]
    parts += ["--choices"] if options.choices else []
    parts += ["--final"] if options.final else []
    parts += [f"--collection {Path(spec).name}" for spec in options.collection or ()]
    parts += ["--held-out"] if options.held_out else []
    parts += ["--quick"] if options.quick else []
    parts += [f"--sizes {' '.join(map(str, options.sizes))}"] if options.sizes else []
    parts += [f"--repeats {options.repeats}"] if options.repeats is not None else []
    return " ".join(parts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decisions", description=__doc__)
    add = parser.add_argument
    add("--collection", action="append", metavar="NAME|PATH",
        help="a collection, or the path of a loader.py with load(data); may be given again")  # fmt: skip
    add(
        "--held-out", action="store_true", help=f"also run the held-out ones: {', '.join(HELD_OUT)}"
    )
    add("--choices", action="store_true",
        help=f"study what happens when one acts, on {', '.join(DEVELOPMENT)}")  # fmt: skip
    add("--final", action="store_true", help=f"of choices, also run {', '.join(FINAL)}")
    add("--quick", action="store_true", help="2 targets of 40 rows, 4 sources, 1 repeat")
    add("--repeats", type=int, help=f"repeats of each target and size ({Settings().repeats})")
    add("--sizes", type=int, nargs="+", help=f"rows of the targets ({SIZES})")
    add("--n-jobs", type=int, default=1, help="processes; changes no number")
    add("--data", type=Path, help="folder with the datasets (DATAKIN_DATA, or data)")
    add("--folder", type=Path, default=RESULTS, help="where results and cache go")
    add("--report", action="store_true", help="run nothing; report what is kept")
    return parser


if __name__ == "__main__":
    sys.exit(main())
