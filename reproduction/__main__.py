"""``python -m reproduction NAME``: run a study behind a claim again; print and save its table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from datakin import DatakinError
from reproduction.harness import did_you_mean
from reproduction.replicates import check_replicates
from reproduction.studies import ABOUT, STUDIES, reproduce
from reproduction.study import RESULTS


def main(arguments: list[str] | None = None) -> int:
    """Return 0, 1 (bad input, or rows that differ) or 130 (interrupted)."""
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    name, check = options.pop("name"), options.pop("check")
    if check is not None and name != "replicates":
        parser.error("--check goes with replicates")
    if name not in ABOUT:
        if name is not None:
            print(f"Unknown study {name!r}.{did_you_mean(name, ABOUT)}\n", file=sys.stderr)
        print(_list_of_studies(), file=sys.stderr)
        return 1
    try:
        if check is not None:
            folder, data = options["folder"], options["data"]
            return 0 if check_replicates(STUDIES, folder, only=check, data=data) else 1
        print(reproduce(name, **options).text)
    except DatakinError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stopped:
        print(str(stopped) or "Interrupted.", file=sys.stderr)
        return 130
    return 0


def _list_of_studies() -> str:
    width = max(map(len, ABOUT))
    lines = [f"  {name:<{width}}  {about}" for name, about in ABOUT.items()]
    return "\n".join(["The studies (python -m reproduction NAME):", *lines])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m reproduction", description=__doc__)
    add = parser.add_argument
    add("name", nargs="?", help="name of the study; without it all are listed")
    add("--replicates", type=int, help="replicates per cell; the study's own number by default")
    add("--n-jobs", type=int, default=1, help="processes, -1 for all cores; changes no number")
    add("--folder", type=Path, default=RESULTS, help="where results and cache go")
    add("--data", type=Path, help="folder with the real data (DATAKIN_DATA, or data)")
    add(
        "--check",
        nargs="?",
        const="*",
        metavar="STUDIES",
        help="replicates: write nothing, compare with those kept; of all studies, or a pattern of names",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
