"""All pages of results: the command that makes each, and the spots that show whether it is stale."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from reproduction import stamps
from reproduction.claims import refresh_claims
from reproduction.replicates import Columns, Spot, spots_of
from reproduction.studies import STUDIES
from reproduction.study import RESULTS

OURS, OTHERS = "reproduction/results", "benchmarks/results"


@dataclass(frozen=True)
class Page:
    """A page of results, or a section of one ("PAGE.md#section").

    Attributes
    ----------
    name : str
        Path below the root of the repository.
    command : str
        What makes the page anew.
    spots : tuple of Spot
    reason : str
        Why there are none.
    rests_on : tuple of str
        Names of other pages that its figures are read from.
    mark : callable, optional
        ``mark(root, command)`` marks a section as stale; of a whole page the line is written below its title.
    """

    name: str
    command: str
    spots: tuple[Spot, ...] = ()
    reason: str = ""
    rests_on: tuple[str, ...] = ()
    mark: Callable[[Path, str], None] | None = None

    def text(self, root: Path) -> str:
        """Return what the page, or the section, says."""
        path, _, section = self.name.partition("#")
        text = (root / path).read_text(encoding="utf-8")
        command = f"`{self.command}`"
        if not section:
            return text
        return next((part for part in text.split("\n## ") if command in part), "")

    def is_stale(self, root: Path) -> bool:
        """Return whether it is marked."""
        return stamps.is_stale(self.text(root))

    def mark_stale(self, root: Path) -> None:
        """Mark it."""
        if self.mark is not None:
            self.mark(root, self.command)
        else:
            stamps.mark(root / self.name, self.command)


def all_pages() -> dict[str, Page]:
    """Return all pages by name."""
    found = [*map(_of_study, STUDIES), _claims(), _replicates()]
    found += import_module("benchmarks.spots").pages()
    return {page.name: page for page in found}


def command_of(page: str, otherwise: str) -> str:
    """Return the command that a page says it was made by."""
    said = re.search(r"(?:Command:|by) `([^`]+)`", page)
    return said[1] if said else otherwise


def _of_study(name: str) -> Page:
    path = RESULTS / f"{name}.md"
    plain = f"python -m reproduction {name}"
    command = command_of(path.read_text(encoding="utf-8"), plain) if path.exists() else plain
    return Page(f"{OURS}/{name}.md", command, tuple(spots_of(STUDIES[name])))


def _replicates() -> Page:
    checking = "reproduction.checking"
    spot = Spot("replicates: the list", f"{checking}:list_now", (), list_said)
    return Page(f"{OURS}/replicates.md", "python -m reproduction replicates", (spot,))


def list_said(root: Path) -> Columns:
    """Return the list of spots as its page has it."""
    text = (root / OURS / "replicates.md").read_text(encoding="utf-8")
    return {"lines": [line for line in text.splitlines() if line.startswith("|")]}


def _claims() -> Page:
    groups = import_module("tomllib").loads((RESULTS.parent / "claims.toml").read_text("utf-8"))
    files = [
        Path(str(group["file"]).format_map(claim)).stem
        for group in groups["group"]
        if "file" in group
        for claim in group["claims"]
    ]
    return Page(
        f"{OURS}/claims.md",
        "python -m reproduction claims",
        (Spot("claims: the whole page", "reproduction.pages:claims_now", (), claims_said),),
        rests_on=tuple(f"{OURS}/{name}.md" for name in dict.fromkeys(files)),
    )


def claims_said(root: Path) -> Columns:
    """Return the lines of the page of claims."""
    return _lines(root / OURS / "claims.md")


def claims_now() -> dict[str, Any]:
    """Return the lines of the page of claims as the tables of today make it."""
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where) / "results"
        shutil.copytree(RESULTS, folder, ignore=shutil.ignore_patterns("cache", "*.png"))
        shutil.copy(RESULTS.parent / "claims.toml", where)
        refresh_claims(folder)
        return _lines(folder / "claims.md")


def _lines(page: Path) -> Columns:
    lines = page.read_text(encoding="utf-8").splitlines()
    kept = [each for each in lines if not (each.startswith(stamps.STALE) or stamps.has_stamp(each))]
    return {"lines": [each for each in kept if each]}
