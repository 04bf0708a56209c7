"""The code in README and docs: run it, compare what it prints with what is shown, or write that in.

Usage: python docs/tools/blocks.py [--write] README.md docs/*.md

A ``python`` block is run, in one namespace with those before it on the page; what it prints must be
the ``text`` block that follows, if one does. In a ``console`` block the lines after ``$`` are run;
what stands below a command must be what it prints. ``bash`` and
``powershell`` blocks set things up and are not run.

A page with the line ``<!-- needs data: NAME -->`` is run where the folder that DATAKIN_DATA names holds
a folder NAME, and left as it is elsewhere.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OUTPUT = re.compile(r"\s*^```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NEEDED = re.compile(r"^<!-- needs data: ([\w-]+) -->$", re.MULTILINE)
PROGRAM = re.compile(r"^(?:\.venv/bin/)?datakin\b")


@dataclass(frozen=True)
class Block:
    """A piece of code on a page, and where the output that belongs to it stands."""

    language: str
    code: str
    line: int
    start: int  # of the output in the text of the page
    end: int
    shown: str | None


def blocks(text: str) -> Iterator[Block]:
    """Return the code blocks of a page; a command of a console block counts as one."""
    for found in FENCE.finditer(text):
        language, code = found.groups()
        line = text.count("\n", 0, found.start()) + 1
        if language == "console":
            yield from _commands(code, found.start(2), line)
        elif language in ("python", "bash", "powershell"):
            output = OUTPUT.match(text, found.end())
            span = output.span(1) if output else (found.end(), found.end())
            yield Block(language, code, line, *span, output.group(1) if output else None)


def _commands(code: str, start: int, line: int) -> Iterator[Block]:
    for found in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", code, re.MULTILINE):
        first = line + 1 + code.count("\n", 0, found.start())
        span = (start + found.start(2), start + found.end(2))
        yield Block("console", found.group(1), first, *span, found.group(2) or None)


def absent_data(text: str) -> str | None:
    """Return why the blocks of a page cannot run here: the data that it needs are not there."""
    folder = os.environ.get("DATAKIN_DATA")
    for name in NEEDED.findall(text):
        if folder is None or not (Path(folder) / name).is_dir():
            return f"the folder {name} is not in DATAKIN_DATA ({folder or 'not set'})"
    return None


def run_command(command: str) -> str:
    """Run a command of datakin in a shell, as a reader would; return what it prints."""
    if not PROGRAM.match(command):
        raise ValueError(f"A console block holds commands of datakin. Got {command!r}.")
    program = f"{shlex.quote(sys.executable)} -m datakin"
    done = subprocess.run(
        PROGRAM.sub(program, command), shell=True, capture_output=True, text=True, timeout=300
    )
    if done.returncode:
        raise RuntimeError(f"{command!r} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def run_page(
    text: str, folder: Path, run: Callable[[str], str] = run_command
) -> Iterator[tuple[Block, str]]:
    """Run the blocks of a page in a folder, commands by `run`; return each with what it printed."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with _inside(folder):
        for block in blocks(text):
            if block.language == "python":
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(block.code, f"line {block.line}", "exec"), names)
                yield block, printed.getvalue()
            elif block.language == "console":
                yield block, run(block.code)


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Work in a folder, with this machine in the place of other clusters."""
    before, known = Path.cwd(), dict(sys.modules)
    os.environ.setdefault("MPLBACKEND", "agg")
    for module, name in (
        ("dask_jobqueue", "SLURMCluster"),
        ("dask_kubernetes.operator", "KubeCluster"),
    ):
        parts = module.split(".")
        for depth in range(1, len(parts) + 1):
            sys.modules[".".join(parts[:depth])] = ModuleType(".".join(parts[:depth]))
        setattr(sys.modules[module], name, _local_cluster)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        for module in ("dask_jobqueue", "dask_kubernetes", "dask_kubernetes.operator"):
            sys.modules.pop(module)
        sys.modules.update({name: known[name] for name in known if name not in sys.modules})


def _local_cluster(**options: Any) -> Any:
    from dask.distributed import LocalCluster

    return LocalCluster(n_workers=1, processes=False, dashboard_address=None)


def tidy(output: str) -> str:
    """Return output as it is shown: no blanks at line ends, one line break at the end."""
    return "\n".join(line.rstrip() for line in output.strip("\n").splitlines()) + "\n"


def refresh(text: str, folder: Path) -> str:
    """Return the page with the outputs that its blocks have today."""
    for block, printed in reversed(list(run_page(text, folder))):
        if block.shown is not None:
            text = text[: block.start] + tidy(printed) + text[block.end :]
    return text


def main(arguments: list[str]) -> int:
    """Check pages, or write today's outputs into them."""
    write = "--write" in arguments
    stale = 0
    for name in (argument for argument in arguments if argument != "--write"):
        page = Path(name).resolve()
        old = page.read_text(encoding="utf-8")
        if reason := absent_data(old):
            print(f"{name}: not run, {reason}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            new = refresh(old, Path(folder))
        if new != old:
            stale += 1
            print(f"{name}: outputs {'written' if write else 'are not current'}")
        if write and new != old:
            page.write_text(new, encoding="utf-8")
    return 0 if write else min(stale, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
