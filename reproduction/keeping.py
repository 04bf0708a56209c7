"""New rows of spots, from a study's own run, from today's code or from a commit's; stamps of old pages."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from datakin import DatakinError
from reproduction.checking import root_of
from reproduction.harness import default_data
from reproduction.pages import OURS, Page, all_pages
from reproduction.replicates import (
    EQUAL,
    Columns,
    Found,
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
from reproduction.study import RESULTS, Study


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
