"""What an answer from files to a report passes through: modules, records, plans, opened files.

    python benchmarks/walk.py [rank | choose | explain] [--src FOLDER] [--json]

`rank` and `choose` take three files, `explain` two of them. `--src` takes another package folder, such as
that of an older commit. Definitions:

- module: one of ours in which a function ran, not counting what runs while modules are imported;
- room: the first name below `datakin` of such a module;
- record: a dataclass or NamedTuple of ours of which an object was made by its `__init__` (or `__new__`);
- object type: a record, or any other class of ours of which an object was made by an `__init__`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import runpy
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from dataclasses import is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

FILES = ("a.csv", "b.csv", "c.csv")
WALKS = {"rank": FILES, "choose": FILES, "explain": FILES[:2]}  # command -> the files it is given
COUNTED = ("make_plan", "pair")  # functions whose calls are counted by name
COMPREHENSIONS = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")  # parts of a function


class Walk:
    """Counts calls of our functions and objects of our classes, in all threads."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.functions: Counter[tuple[str, str]] = Counter()
        self.types: Counter[type] = Counter()
        self.found: Counter[str] = Counter()  # calls of find_files by file
        self.planned: Counter[str] = Counter()  # calls of make_plan by dataset
        self.opened: Counter[str] = Counter()
        self.names = names
        self._importing: defaultdict[int, int] = defaultdict(int)

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        """Be called at every call and return; for sys.setprofile."""
        if event not in ("call", "return"):
            return
        module = str(frame.f_globals.get("__name__", ""))
        if frame.f_code.co_name == "<module>":
            if _is_ours(module):
                self._importing[threading.get_ident()] += 1 if event == "call" else -1
        elif event == "call" and self._is_watched(module):
            self._count(frame, module)

    def _is_watched(self, module: str) -> bool:
        ours = _is_ours(module) or module.startswith("namedtuple_")
        return ours and not self._importing[threading.get_ident()]

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Be called when a file is opened; for sys.addaudithook."""
        if event == "open" and isinstance(arguments[0], (str, os.PathLike)):
            name = Path(arguments[0]).name
            if name in self.names and "r" in str(arguments[1] or "r"):
                self.opened[name] += 1

    def _count(self, frame: FrameType, module: str) -> None:
        code, first = frame.f_code, None
        if code.co_argcount:
            first = frame.f_locals.get(code.co_varnames[0])
        if code.co_name == "<lambda>" and code.co_varnames[:1] == ("_cls",):
            if _is_ours(first.__module__):
                self.types[first] += 1
        elif code.co_name == "__init__" and type(first).__init__.__code__ is code:
            self.types[type(first)] += 1  # not its base's, called from its own
        if code.co_filename == "<string>" or module.startswith("namedtuple_"):
            return  # methods that dataclasses and namedtuples write for themselves
        if code.co_name not in COMPREHENSIONS:
            self.functions[module, code.co_qualname] += 1
        if code.co_name == "find_files":
            self.found[Path(str(first)).name] += 1
        if code.co_name == "make_plan":
            self.planned[str(getattr(first, "name", first))] += 1


def _is_ours(module: str) -> bool:
    return module == "datakin" or module.startswith("datakin.")


def write_files(folder: Path) -> None:
    """Write three small tables; the label is "y"."""
    import numpy as np
    import pandas as pd

    for seed, name in enumerate(FILES):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((80, 3)).round(3)
        y = (X[:, 0] + 0.4 * seed * X[:, 1] + 0.5 * rng.standard_normal(80) > 0).astype(int)
        frame = pd.DataFrame(X, columns=["age", "dose", "rate"])
        frame.assign(y=y).to_csv(folder / name, index=False)


def take(what: str, folder: Path) -> Walk:
    """Run a command on its files, with a report, under the profiler."""
    write_files(folder)
    walk = Walk(FILES)
    command = ["datakin", what, *WALKS[what], "--label", "y", "--report", "r.html"]
    before, sys.argv = sys.argv, command
    sys.addaudithook(walk.audit)
    threading.setprofile(walk.profile)
    sys.setprofile(walk.profile)
    try:
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            runpy.run_module("datakin", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        sys.argv = before
    if not (folder / "r.html").exists():
        raise SystemExit("The command wrote no report.")
    return walk


def figures(walk: Walk) -> dict[str, Any]:
    """Return the counts by what they count."""
    modules: Counter[str] = Counter()
    for module, _ in walk.functions:
        modules[module] += 1
    records = {t for t in walk.types if is_dataclass(t) or issubclass(t, tuple)}
    calls: Counter[str] = Counter()
    for (_, name), n in walk.functions.items():
        calls[name.rsplit(".")[-1]] += n
    rooms = sorted({module.split(".")[1] for module in modules if "." in module})
    made = {t.__name__: n for t, n in sorted(walk.types.items(), key=lambda item: -item[1])}
    return {
        "package": str(Path(sys.modules["datakin"].__file__ or "").parent),
        "modules entered": len(modules),
        "rooms passed": len(rooms),
        "functions called": len(walk.functions),
        "calls": sum(walk.functions.values()),
        "record types": len(records),
        "object types": len(walk.types),
        "records made": sum(walk.types[t] for t in records),
        "Dataset made": made.get("Dataset", 0),
        "Pair made": made.get("Pair", 0),
        **{f"calls of {name}": calls[name] for name in COUNTED},
        "plans by dataset": dict(sorted(walk.planned.items())),
        "find_files by file": dict(sorted(walk.found.items())),
        "opened for reading": dict(sorted(walk.opened.items())),
        "functions by module": dict(sorted(modules.items())),
        "objects by type": made,
        "rooms": rooms,
        "records": sorted(t.__name__ for t in records),
    }


def main() -> None:
    """Print the figures as a table, or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=WALKS, default="rank", help="the command")
    parser.add_argument("--src", type=Path, help="the folder that holds the package datakin")
    parser.add_argument("--json", action="store_true", help="everything, as JSON")
    given = parser.parse_args()
    if given.src:
        sys.path.insert(0, str(given.src.resolve()))
    with tempfile.TemporaryDirectory() as folder:
        found = figures(take(given.what, Path(folder)))
    if given.json:
        print(json.dumps(found, indent=1))
        return
    for name, value in found.items():
        if name in ("functions by module", "objects by type"):
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{key} {n}" for key, n in value.items()) or "none"
        print(f"{name:<22} {', '.join(value) if isinstance(value, list) else value}")


if __name__ == "__main__":
    main()
