"""The record of public names and options: ``python -m tests.public.record`` writes it again.

A name leaves the record only with its replacement in `GONE`, which CHANGELOG.md has to tell users.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.public.names import COMMAND_LINE, ROOMS, is_there, name_of, room_of, surface

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).parent / "record.txt"

# A public name that is no more, and what CHANGELOG.md tells its users to take instead, word for word:
# {"datakin.old": "datakin.new"}. What belongs to it (its options, its members) goes with it.
GONE: dict[str, str] = {
    "datakin.Choice.fewest": "used",
    "datakin.Comparison.gain": "comparison.trial",
    "datakin.Comparison.outlook": "comparison.curves",
    "datakin.Comparison.weight": "choose",
    "datakin.CrossErrors.learner": "was about the formula alone",
    "datakin.Dataset.sketches": "describe",
    "datakin.Forecast": "choose",
    "datakin.Ranking.forecast": "choose",
    "datakin.forecast_gain": "choose",
    "datakin.plots.forecast": "plots.choice",
    **{f"$ datakin {name} --method": "datakin distance" for name in ("score", "rank", "matrix")},
    "$ datakin reproduce": "make reproduce",
    "datakin.plots.pair": "sklearn.inspection.DecisionBoundaryDisplay",
}


def recorded() -> list[str]:
    """Return the entries of the record."""
    return RECORD.read_text(encoding="utf-8").splitlines()


def is_gone(entry: str) -> bool:
    """Whether a name, or the name that it belongs to, is in `GONE`."""
    return any(re.match(re.escape(old) + r"($|[.( ])", name_of(entry)) for old in GONE)


def here(entries: list[str]) -> list[str]:
    """Return the entries of those rooms that can be imported here, and of the command line."""
    rooms = [*filter(is_there, ROOMS), COMMAND_LINE]
    return [entry for entry in entries if room_of(entry) in rooms]


def lost(before: list[str], now: list[str]) -> list[str]:
    """Return the names that were there before, are not any more, and nothing says what replaces them."""
    left = {*map(name_of, now)}
    return [entry for entry in here(before) if name_of(entry) not in left and not is_gone(entry)]


def untold(changelog: str) -> list[str]:
    """Return the names that are gone of which no entry of the changelog says what replaces them."""
    entries = [
        " ".join(each.split()) for each in re.split(r"^[-*] ", changelog, flags=re.MULTILINE)
    ]
    return [
        old
        for old, new in GONE.items()
        if not any(old.removeprefix("$ ") in entry and new in entry for entry in entries)
    ]


def write() -> None:
    """Write the names of today; refuse to lose one of those before."""
    if not all(map(is_there, ROOMS)):
        raise SystemExit("The record needs all rooms: pip install -e '.[dev,deep]'.")
    now, before = surface(), recorded() if RECORD.exists() else []
    missing = lost(before, now)
    if missing:
        raise SystemExit("Say in GONE what replaces these:\n" + "\n".join(missing))
    RECORD.write_text("\n".join(now) + "\n", encoding="utf-8")
    print(f"{len(now)} names and options, {len({*now} - {*before})} of them new or changed")


if __name__ == "__main__":
    write()
