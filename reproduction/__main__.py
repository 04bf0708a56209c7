"""``python -m reproduction NAME``: run a study behind a claim again; print and save its table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from datakin import DatakinError
from reproduction.checking import DIFFERS, check_pages, chosen_pages, table_of
from reproduction.harness import did_you_mean
from reproduction.keeping import keep_rows, stamp_pages
from reproduction.studies import ABOUT, reproduce
from reproduction.study import RESULTS

ACTIONS = ("check", "mark", "keep", "stamp")  # of replicates


def main(arguments: list[str] | None = None) -> int:
    """Return 0, 1 (bad input, or rows that differ) or 130 (interrupted)."""
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    name = options.pop("name")
    asked = {action: options.pop(action) for action in (*ACTIONS, "commit")}
    actions = [action for action in ACTIONS if asked[action] not in (None, False)]
    if actions and name != "replicates":
        parser.error(f"--{actions[0]} goes with replicates")
    if name not in ABOUT:
        if name is not None:
            print(f"Unknown study {name!r}.{did_you_mean(name, ABOUT)}\n", file=sys.stderr)
        print(_list_of_studies(), file=sys.stderr)
        return 1
    try:
        if actions:
            return _act(actions[0], asked, options)
        print(reproduce(name, **options).text)
    except DatakinError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stopped:
        print(str(stopped) or "Interrupted.", file=sys.stderr)
        return 130
    return 0


def _act(action: str, asked: dict[str, Any], options: dict[str, Any]) -> int:
    """Check, mark, keep or stamp pages; return 1 if a page differs."""
    folder = options["folder"]
    if action == "stamp":
        print("\n".join(stamp_pages(folder)) or "All pages have a stamp.")
        return 0
    pages = chosen_pages(asked[action])
    shared = {"data": options["data"], "n_jobs": options["n_jobs"]}
    if action == "keep":
        stale = keep_rows(pages, folder, commit=asked["commit"], **shared)
        print("\n".join(f"stale now: {page}" for page in stale) or "No page is stale by that.")
        return 0
    states = check_pages(pages, folder, is_marking=action == "mark", **shared)
    print(table_of(states))
    return int(any(each.state == DIFFERS for each in states))


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
    about = parser.add_argument_group(
        "replicates",
        "Seeded rows of pages of results; PAGES are names or patterns: eicu 'table-*' 'RESULTS#kill'.",
    )
    add, some = about.add_argument, {"nargs": "*", "metavar": "PAGES"}
    add("--check", **some, help="do they come out again? Writes nothing; 1 if a page differs")
    add("--mark", **some, help="check, and mark pages that differ as stale")
    add("--keep", nargs="+", metavar="PAGES", help="after a deliberate change: keep today's rows and mark "
        "the pages that had others, until their studies are run again")  # fmt: skip
    add("--commit", default="", metavar="REV", help="with --keep: rows as the code of this commit "
        "gives them, for pages made with it")  # fmt: skip
    add("--stamp", action="store_true", help="date pages that have no date by git")
    return parser


if __name__ == "__main__":
    sys.exit(main())
