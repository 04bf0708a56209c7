"""Random tables and damaged files through Python and the command line.

    python -m tests.fuzz --minutes 30 --jobs 2      the long fuzz
    python -m tests.fuzz --cases 5000 --only 'damaged file,damaged text'
    python -m tests.fuzz --seed 1 --case 77         one case again, in this process

Run from the repository's root. Every outcome must be a result, a DatakinWarning or a DatakinError;
anything else is foreign: its input is kept in a folder, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

from datakin import DatakinWarning
from tests.fuzz.cases import KINDS, Place, kind_of
from tests.fuzz.damage import make_sound
from tests.fuzz.outcomes import OUTCOMES, Outcome, run_case
from tests.fuzz.runner import Run

SHOWN = 40  # foreign outcomes in the summary, one for each place


def summary(seed: int, outcomes: list[Outcome]) -> str:
    """Return counts by kind and outcome, and one foreign outcome for each place it comes from."""
    counts = Counter((o.kind, o.what) for o in outcomes)
    lines = [f"{'':16}" + "".join(f"{what:>9}" for what in OUTCOMES)]
    for kind in [*KINDS, "all"]:
        row = [
            sum(n for (k, w), n in counts.items() if w == what and kind in (k, "all"))
            for what in OUTCOMES
        ]
        if any(row):
            lines.append(f"{kind:16}" + "".join(f"{n:9,}" for n in row))
    lines += [f"{len(outcomes):,} inputs, seed {seed}", *_foreign(seed, outcomes)]
    return "\n".join(lines)


def _foreign(seed: int, outcomes: list[Outcome]) -> list[str]:
    places: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.what == "foreign":
            name = outcome.text.partition(":")[0][:60]
            places.setdefault((name, outcome.where), []).append(outcome)
    lines = []
    for found in sorted(places.values(), key=len, reverse=True)[:SHOWN]:
        first = found[0]
        text = " ".join(first.text.split())[:220]
        again = f"python -m tests.fuzz --seed {seed} --case {first.case}"
        lines.append(f"{len(found)} x {first.kind}: {text}\n    {first.where}\n    {again}")
    return lines


def once(seed: int, case: int) -> int:
    """Run one case here, with its traceback, and leave its input in a folder."""
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{seed}-{case}-"))
    place = Place(folder / "input", folder / "sound")
    for path in (place.folder, place.sound):
        path.mkdir()
    make_sound(place.sound)
    outcome = run_case(seed, case, place)
    print(f"{outcome.kind}: {outcome.what}\n{outcome.text}\n{outcome.where}\n{place.folder}")
    if outcome.what == "foreign":
        kind, rng = kind_of(seed, case)
        (folder / "again").mkdir()
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # to see where a foreign one comes from
            warnings.simplefilter("ignore", DatakinWarning)
            try:
                KINDS[kind].run(rng, Place(folder / "again", place.sound))
            except Exception:
                traceback.print_exc()
    return 1 if outcome.what == "foreign" else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, help="how long; 30 for the long fuzz")
    parser.add_argument("--cases", type=int, help="how many cases of the chosen kinds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="this one again, in this process")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", help=f"kinds, separated by commas: {', '.join(KINDS)}")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir(), "datakin-fuzz"))
    given = parser.parse_args()
    if given.case is not None:
        return once(given.seed, given.case)
    minutes = given.minutes if given.minutes or given.cases else 1.0
    only = None if given.only is None else frozenset(given.only.split(","))
    if unknown := sorted((only or set()) - set(KINDS)):
        parser.error(f"no such kind: {', '.join(unknown)}")
    last = None if given.cases is None else _last(given.seed, given.cases, only)
    run = Run(given.seed, given.keep, last=last, minutes=minutes, jobs=given.jobs, only=given.only)
    run.tell = lambda o: (
        print(f"case {o.case}: {o.text[:150]}", flush=True) if o.what == "foreign" else None
    )
    outcomes = run.go()
    print(summary(given.seed, outcomes))
    n_foreign = sum(outcome.what == "foreign" for outcome in outcomes)
    print(f"{n_foreign} foreign" + (f"; their inputs are in {given.keep}" if n_foreign else ""))
    return 1 if n_foreign else 0


def _last(seed: int, count: int, only: frozenset[str] | None) -> int:
    """Return the number of cases after which so many of the chosen kinds have been run."""
    case = 0
    while count:
        count -= only is None or kind_of(seed, case)[0] in only
        case += 1
    return case


if __name__ == "__main__":
    sys.exit(main())
