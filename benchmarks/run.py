"""Times datakin against what a user would write, and writes benchmarks/results/RESULTS.md.

``python benchmarks/run.py`` (``make bench``) runs every section but the slowest, "huge";
``--only ratios large`` runs some of them. Each section is kept in benchmarks/results/NAME.json with
its date, machine and versions, and RESULTS.md beside it is put together from what is there, so that
sections may be run at different times. ``--quick`` runs small versions to see that they work: it prints, and
keeps nothing.

What a section compares takes turns in one process, every library with one thread, so that ratios
hold also on a busy machine.
"""

import argparse
import inspect
import json
import os
import platform
import sys
import time
import warnings
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from peer import plain_score
from sections import SECTIONS
from threadpoolctl import threadpool_limits
from workloads import draw

sys.path.append(str(Path(__file__).parents[1]))  # the studies, when run as a program

import datakin
from reproduction.stamps import STALE, stamp

RESULTS = Path(__file__).parent / "results"
LIBRARIES = (
    "datakin",
    "numpy",
    "scipy",
    "scikit-learn",
    "xgboost-cpu",
    "xgboost",
    "POT",
    "joblib",
    "torch",
)


def machine():
    """What the numbers were measured on."""
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return (
        f"{os.cpu_count()} cores, {names[0] if names else platform.machine()}, {platform.system()}"
    )


def versions():
    found = [f"python {platform.python_version()}"]
    for name in LIBRARIES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def warm_up():
    """Imports and first calls count for nobody."""
    for is_class in (True, False):
        data = draw(60, 10, 1, 0.0, is_class), draw(60, 10, 2, 0.5, is_class)
        datakin.score(*data, n_jobs=2)
        plain_score(*data, is_class)


def run(section, quick):
    """Run the parts of a section; return what is to be kept."""
    tables, before = [], time.time()
    for caption, place in section.parts:
        module, _, name = place.partition(":")
        call = getattr(import_module(module), name)
        options = {"quick": quick} if "quick" in inspect.signature(call).parameters else {}
        rows, columns = call(**options)
        tables.append({"caption": caption, "columns": list(columns), "rows": [*map(list, rows)]})
    return {
        "section": section.name,
        "stamp": stamp(),
        "minutes": round((time.time() - before) / 60, 1),
        "machine": machine(),
        "versions": versions(),
        "load": os.getloadavg()[2],  # of the last quarter of an hour: who else was at work
        "tables": tables,
    }


def table(found):
    columns, rows = found["columns"], found["rows"]
    lines = [f"| {' | '.join(columns)} |", f"|{'|'.join('---' for _ in columns)}|"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([found["caption"], "", *lines] if found["caption"] else lines)


def place_of(section):
    return RESULTS / f"{section.name}.json"


def command_of(section):
    return f"python benchmarks/run.py --only {section.name}"


def assemble(folder=RESULTS):
    """Return RESULTS.md from the sections that have been run."""
    parts = ["# Benchmarks\n\nWritten by `make bench` (`python benchmarks/run.py`)."]
    for section in SECTIONS:
        place, command = folder / place_of(section).name, f"`{command_of(section)}`"
        parts.append(f"## {section.title}\n\n{section.text}")
        if not place.exists():
            parts.append(f"Not yet run: {command}.")
            continue
        found = json.loads(place.read_text(encoding="utf-8"))
        parts += [f"{STALE} {found['stale']}"] if "stale" in found else []
        parts += [table(part) for part in found["tables"]]
        made = f"{found.get('stamp', 'Made')} by {command}, {found['minutes']} minutes"
        load = f"mean load {found['load']:.1f}"
        parts.append(f"{made}; {found['machine']}, {load}; {found['versions']}.")
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [section.name for section in SECTIONS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="SECTION", default=None)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--assemble", action="store_true", help="write RESULTS.md, run nothing")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [
        section
        for section in SECTIONS
        if (section.name in wanted.only if wanted.only else section.is_usual)
    ]
    if not wanted.assemble:
        warm_up()
        for section in chosen:
            print(f"== {section.name}", flush=True)
            found = run(section, wanted.quick)
            if not wanted.quick:
                place_of(section).parent.mkdir(exist_ok=True)
                place_of(section).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if not wanted.quick:
        (RESULTS / "RESULTS.md").write_text(assemble(), encoding="utf-8")


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main()
