"""When and with which commit a page of results was made, and whether it is marked stale.

Stamps and marks are lines of the page itself. Only commands write them: the study's own, which makes the
page anew, and ``python -m reproduction replicates``.
"""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = "src"  # what the numbers of a page depend on
UNKNOWN = "unknown"
STALE = "**Stale:**"
_STAMP = re.compile(
    r"(Made on \d{4}-\d\d-\d\d with|Rows last changed on \d{4}-\d\d-\d\d in) commit \w+"
    r"( and changes since)?"
)
_COMMAND = re.compile(r"Command: (`[^`]+`)")


def git(*arguments: str) -> str:
    """Return what git prints, or nothing where there is no git or no repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def code_commit() -> str:
    """Return the last commit that changed the package, and whether it was changed since."""
    commit = git("log", "-1", "--format=%h", "--", CODE) or UNKNOWN
    return commit + " and changes since" * bool(git("status", "--porcelain", "--", CODE))


def today() -> str:
    """Return the date, as pages have it."""
    return time.strftime("%Y-%m-%d", time.gmtime())


def stamp() -> str:
    """Return the words of a page that is made now."""
    return f"Made on {today()} with commit {code_commit()}"


def stamp_of_rows(rows: Path) -> str:
    """Return the words of a page made long ago, from the commit that last changed its rows.

    Moves change nothing. Of a page without a table beside it, only lines of tables count.
    """
    lines = ["-G", r"^\|"] if rows.suffix == ".md" else []
    place = str(rows.relative_to(ROOT))
    known = ("--follow", "--diff-filter=AM", "-1", "--format=%ad in commit %h", "--date=short")
    said = git("log", *known, *lines, "--", place)
    return f"Rows last changed on {said}" if said else ""


def has_stamp(text: str) -> bool:
    """Return whether a page says when and with what it was made."""
    return _STAMP.search(text) is not None


def add_stamp(page: Path, command: str) -> bool:
    """Give a page without a stamp that of its rows; say if it got one."""
    text = page.read_text(encoding="utf-8")
    rows = page.with_suffix(".csv")
    words = "" if has_stamp(text) else stamp_of_rows(rows if rows.exists() else page)
    if not words:
        return False
    if _COMMAND.search(text):
        text = _COMMAND.sub(rf"{words} by \1", text, count=1)
    else:
        text += f"\n{words} by `{command}`.\n"
    page.write_text(text, encoding="utf-8")
    return True


def stale_words(command: str) -> str:
    """Return what a page says whose rows no longer come out."""
    return (
        f"{STALE} rows differ from those of today's code (seen on {today()}, commit {code_commit()}). "
        f"Run `{command}`."
    )


def is_stale(text: str) -> bool:
    """Return whether a page, or a part of it, is marked."""
    return any(line.startswith(STALE) for line in text.splitlines())


def mark(page: Path, command: str) -> None:
    """Write below the title that the page is stale; once is enough."""
    text = page.read_text(encoding="utf-8")
    if not is_stale(text):
        title, rest = text.split("\n", 1)
        page.write_text(f"{title}\n\n{stale_words(command)}\n{rest}", encoding="utf-8")
