"""Which pages of results pass, which are stale."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from datakin import DatakinError
from reproduction.harness import did_you_mean, listed, made_by, markdown
from reproduction.pages import Page, all_pages
from reproduction.replicates import (
    REPLICATES,
    Columns,
    Ran,
    Spot,
    differences,
    read_replicates,
    run_spots,
)
from reproduction.study import RESULTS, Summary

PASSES, STALE, DIFFERS, NO_SPOT, LEFT = "passes", "stale", "DIFFERS", "no spot", "not checked"
NOT_KEPT = "no rows are kept"
MOST_SAID = 3  # differences of one page that are printed


class State(NamedTuple):
    """What became of one page."""

    page: str
    state: str
    note: str
    largest: float
    seconds: float


def root_of(folder: Path) -> Path:
    """Return the root of the repository whose results of studies lie in a folder."""
    return folder.resolve().parents[1]


def chosen_pages(patterns: Sequence[str] = ()) -> list[Page]:
    """Return the pages whose path or name fits one of some patterns; all without any."""
    pages = all_pages()
    chosen: dict[str, Page] = {}
    for pattern in patterns or ("*",):
        fitting = {
            name: page
            for name, page in pages.items()
            if any(fnmatch(each, pattern) for each in (name, short(name)))
        }
        chosen |= fitting
        if not fitting:
            known = [*map(short, pages)]
            raise DatakinError(
                f"No page is called {pattern!r}. Those known are {listed(known, limit=99)}."
                f"{did_you_mean(pattern, known)}"
            )
    return [*chosen.values()]


def short(name: str) -> str:
    """Return the name of a page without folder and ending: "eicu", "RESULTS#ratios"."""
    return Path(name).name.replace(".md", "")


def check_pages(
    pages: Sequence[Page],
    folder: Path = RESULTS,
    *,
    data: Path | None = None,
    n_jobs: int = 1,
    is_marking: bool = False,
) -> list[State]:
    """Return the state of each page; mark those that differ if asked to."""
    root = root_of(folder)
    ran = run_spots((spot for page in pages for spot in page.spots), data, n_jobs=n_jobs)
    kept = read_replicates(folder)
    if is_marking:
        for page in pages:
            found = _judged(page, root, kept, ran)
            if found.state == DIFFERS and NOT_KEPT not in found.note:
                page.mark_stale(root)
    states = {page.name: _judged(page, root, kept, ran) for page in pages}
    return [_resting(page, states[page.name], root, is_marking) for page in pages]


def _resting(page: Page, state: State, root: Path, is_marking: bool) -> State:
    """Return the state of a page after a look at the marks of those it rests on."""
    known = all_pages()
    wrong = [short(name) for name in page.rests_on if known[name].is_stale(root)]
    if not wrong or state.state != PASSES:
        return state
    if is_marking:
        page.mark_stale(root)
    note = f"its figures come from stale pages: {listed(wrong)}"
    word = STALE if page.is_stale(root) else DIFFERS
    return State(page.name, word, note, state.largest, state.seconds)


def _judged(page: Page, root: Path, kept: Mapping[str, Columns], ran: Mapping[str, Ran]) -> State:
    ours = [(spot, ran[spot.label]) for spot in page.spots]
    sizes = {
        f"{spot.label}: {column}": (size, spot.equal)
        for spot, found in ours
        if not found.skipped
        for column, size in _compared(spot, root, kept, found).items()
    }
    wrong = {place: size for place, (size, equal) in sizes.items() if size > equal}
    said = [f"by {size:.3g}: {place}" for place, size in wrong.items()]
    note = "; ".join(said[:MOST_SAID]) + f"; and {len(said) - MOST_SAID} more" * (
        len(said) > MOST_SAID
    )
    skipped = next((found.skipped for _, found in ours if found.skipped), "")
    if page.is_stale(root):
        state, note = STALE, note or "its spots come out; its figures are older"
    elif wrong:
        state = DIFFERS
    elif not page.spots:
        state, note = NO_SPOT, page.reason
    elif skipped:
        state, note = LEFT, skipped
    else:
        state = PASSES
    largest = max((size for size, _ in sizes.values()), default=0.0)
    return State(page.name, state, note, largest, sum(found.seconds for _, found in ours))


def _compared(spot: Spot, root: Path, kept: Mapping[str, Columns], found: Ran) -> dict[str, float]:
    if found.failed:
        return {found.failed: math.inf}
    said = kept.get(spot.label) if spot.said is None else spot.said(root)
    return {NOT_KEPT: math.inf} if said is None else differences(said, found.rows)


def table_of(states: Iterable[State]) -> str:
    """Return the table of all states, and how many pages there are of each."""
    states = [*states]
    lines = [
        {
            "page": short(each.page),
            "state": each.state,
            "largest difference": f"{each.largest:.1g}" if each.state != NO_SPOT else "",
            "CPU seconds": f"{each.seconds:.1f}",
            "": each.note.replace("|", "/"),
        }
        for each in states
    ]
    counts = Counter(each.state for each in states)
    said = ", ".join(f"{n} {state}" for state, n in counts.items())
    return f"{markdown(pd.DataFrame(lines))}\n\n{len(states)} pages: {said}."


def write_list(folder: Path) -> Summary:
    """Write the page that says what each page is checked by; runs nothing."""
    frame = spots_of_pages()
    text = (
        "Which spots show whether a page is stale: `make check-results` runs them, and says what they cost. "
        "Spots that pages share run once. Rows are kept in `replicates.json`, or read from the page.\n\n"
        + markdown(frame)
    )
    made = made_by("python -m reproduction replicates", "Seeds 0 and 1")
    parts = ["# replicates", REPLICATES, text, made]
    (folder / "replicates.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return Summary(frame, text)


def spots_of_pages() -> pd.DataFrame:
    """Return the spots of each page, or why it has none."""
    return pd.DataFrame(
        {
            "page": short(page.name),
            "spots": "<br>".join(spot.label for spot in page.spots) or page.reason,
        }
        for page in all_pages().values()
    )


def list_now() -> Columns:
    """Return the lines of the list."""
    return {"lines": markdown(spots_of_pages()).splitlines()}
