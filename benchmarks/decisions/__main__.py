"""``python -m benchmarks.decisions``: run the decision benchmark and write its table."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.decisions.collections import HELD_OUT, OPEN
from benchmarks.decisions.draws import SIZES
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
    chosen = options.collection or [*OPEN, *(HELD_OUT if options.held_out else ())]
    try:
        settings.check()
        records = []
        for spec in chosen:
            if options.report:
                records += kept_records(spec, data, settings, folder=options.folder)
            else:
                records += run_collection(
                    spec, data, settings, folder=options.folder, n_jobs=options.n_jobs
                )
        if not records:
            raise DatakinError("There is no finished draw to report. Run without --report first.")
        page = write_report(records, settings, chosen, options.folder, _command(options))
        print(page.read_text(encoding="utf-8"))
        print(f"Kept in {page} and {page.with_suffix('.csv').name}.", file=sys.stderr)
    except DatakinError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stopped:
        print(str(stopped) or "Interrupted.", file=sys.stderr)
        return 130
    return 0


def _command(options: argparse.Namespace) -> str:
    parts = ["python -m benchmarks.decisions"]
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
