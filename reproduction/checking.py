"""Which pages of results pass, which are stale; new rows of spots, marks and stamps."""

from __future__ import annotations

import io
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from datakin import DatakinError
from reproduction.harness import default_data, did_you_mean, listed, made_by, markdown
from reproduction.pages import OURS, Page, all_pages
from reproduction.replicates import (
    EQUAL,
    REPLICATES,
    Columns,
    Found,
    Ran,
    Spot,
    as_columns,
    differences,
    read_replicates,
    rows_of_run,
    run_spots,
    write_replicates,
)
from reproduction.spot import __file__ as PROGRAM
from reproduction.stamps import ROOT, add_stamp
from reproduction.study import RESULTS, Study, Summary

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


def write_list(folder: Path, *, data: Path | None = None, n_jobs: int = 1) -> Summary:
    """Check all pages; write what each is checked by, and how it went."""
    pages = [*all_pages().values()]
    states = check_pages(pages, folder, data=data, n_jobs=n_jobs)
    frame = pd.DataFrame(
        {
            "page": short(page.name),
            "spots": "<br>".join(spot.label for spot in page.spots) or page.reason,
            "state": state.state,
            "CPU seconds": f"{state.seconds:.1f}",
        }
        for page, state in zip(pages, states, strict=True)
    )
    text = (
        "Which spots show whether a page is stale, and what they cost on one core. Spots that pages share "
        f"run once. Rows are kept in `replicates.json`, or read from the page.\n\n{markdown(frame)}"
    )
    made = made_by("python -m reproduction replicates", "Seeds 0 and 1")
    parts = ["# replicates", REPLICATES, text, made]
    (folder / "replicates.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return Summary(frame, table_of(states))


def keep_rows(
    pages: Sequence[Page],
    folder: Path = RESULTS,
    *,
    data: Path | None = None,
    n_jobs: int = 1,
    commit: str = "",
) -> list[str]:
    """Keep new rows of some pages' spots; return the names of pages that are stale by that.

    A page whose rows change was made by other code than that of today, so it is marked until its study is
    run again. Rows of a commit are those that its code gives: for a page that was made with it.
    """
    spots = {spot.label: spot for page in pages for spot in page.spots if spot.said is None}
    if commit:
        return replace_rows(folder, at_commit(commit, spots.values(), data))
    ran = run_spots(spots.values(), data, n_jobs=n_jobs)
    for label, found in ran.items():
        if found.failed:
            raise DatakinError(f"{label} did not run: {found.failed}")
    return replace_rows(folder, {k: found.rows for k, found in ran.items() if not found.skipped})


def replace_rows(folder: Path, rows: Mapping[str, Columns], but: str = "") -> list[str]:
    """Keep rows; mark all pages, but one, whose rows were others."""
    root, kept = root_of(folder), read_replicates(folder)
    changed = {
        label
        for label, new in rows.items()
        if label in kept and max(differences(kept[label], new).values(), default=0.0) > EQUAL
    }
    write_replicates(folder, {**kept, **rows})
    stale = [
        page
        for page in all_pages().values()
        if page.name != but and any(spot.label in changed for spot in page.spots)
    ]
    stale = [page for page in stale if (root / page.name.partition("#")[0]).exists()]
    for page in stale:
        page.mark_stale(root)
    return [page.name for page in stale]


def keep_run(study: Study, folder: Path, data: Path | None, found: Found) -> None:
    """Keep the spots of a run beside the page that it has just written."""
    replace_rows(folder, rows_of_run(study, found, data), but=f"{OURS}/{study.name}.md")


def at_commit(commit: str, spots: Iterable[Spot], data: Path | None) -> dict[str, Columns]:
    """Return rows as the code of a commit gives them, by label."""
    call = ["git", "archive", commit, "src", "reproduction", "benchmarks"]
    packed = subprocess.run(call, cwd=ROOT, capture_output=True)
    if packed.returncode:
        raise DatakinError(f"The commit {commit!r} cannot be read: {packed.stderr.decode()}")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        return {spot.label: as_columns(_run_there(spot, folder, data)) for spot in spots}


def _run_there(spot: Spot, folder: str, data: Path | None) -> Any:
    place = str((data or default_data()).resolve())
    given = {"place": spot.place, "arguments": spot.arguments, "data": place}
    paths = os.pathsep.join((str(Path(folder, "src")), folder))
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", PROGRAM],  # -P: not with the modules beside it
        input=json.dumps(given),
        env={**os.environ, **one, "PYTHONPATH": paths},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise DatakinError(f"{spot.label} did not run with that commit: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def stamp_pages(folder: Path = RESULTS) -> list[str]:
    """Give pages without a stamp that of the commit that last changed their rows."""
    root = root_of(folder)
    pages = [page for name, page in all_pages().items() if "#" not in name]
    found = [page.name for page in pages if add_stamp(root / page.name, page.command)]
    return found + list(import_module("benchmarks.spots").stamp_sections(root))
