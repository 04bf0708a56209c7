"""Record the calls, or compare today's code with an older commit's on this machine.

    python -m tests.golden compare --commit cd357aa     equal to 1e-12? Exit code 1 if not
    python -m tests.golden record --only 'rank*'        rewrite the stored numbers with today's code

Run from the repository's root. `record` is for a change of numbers that is meant: commit it alone, with
the reason.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tests.golden.fields import Difference, differences, flatten, tree_of

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).parent / "record"
EQUAL = 1e-12


def chosen(only: str, local: bool = True) -> dict[str, Any]:
    """Return the calls whose name fits a pattern; without torch those that need none."""
    from tests.golden.calls import HAS_TORCH, LOCAL, NEED_TORCH, STORED

    calls = {**STORED, **LOCAL} if local else STORED
    skipped = frozenset() if HAS_TORCH else NEED_TORCH
    return {n: call for n, call in calls.items() if fnmatch(n, only) and n not in skipped}


def run(calls: dict[str, Any]) -> dict[str, Any]:
    """Return the tree of each call's result; datakin's own warnings are expected."""
    from datakin import DatakinWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        return {name: tree_of(call()) for name, call in calls.items()}


def stored(names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the recorded trees, of all calls by default."""
    files = sorted(RECORD.glob("*.json"))
    return {f.stem: json.loads(f.read_text()) for f in files if names is None or f.stem in names}


def write(name: str, tree: dict[str, Any]) -> None:
    """Write one call's tree, one line for each field of the result, so that diffs can be read."""
    lines = [
        f"{json.dumps(key)}:{json.dumps(tree[key], sort_keys=True, separators=(',', ':'))}"
        for key in sorted(tree)
    ]
    (RECORD / f"{name}.json").write_text("{" + ",\n".join(lines) + "}\n")


def record(only: str) -> int:
    """Rewrite the record with the code at hand; calls that are gone leave it."""
    import datakin
    from tests.golden.calls import STORED

    trees = run(chosen(only, local=False))
    for name, tree in trees.items():
        write(name, tree)
    for name in stored():
        if name not in STORED and fnmatch(name, only):
            (RECORD / f"{name}.json").unlink()
    fields = sum(1 for tree in trees.values() for _ in flatten(tree))
    print(f"{len(trees)} calls, {fields} fields recorded with {datakin.__file__}")
    return 0


def elsewhere(src: Path, only: str, folder: str) -> dict[str, Any]:
    """Run the calls in another process with the package of another folder."""
    out = Path(folder, "trees.json")
    path = os.pathsep.join([str(src), str(ROOT)])
    settings = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.golden", "run", "--only", only, "--out", str(out)]
    subprocess.run(command, cwd=ROOT, env=settings, check=True)
    found = json.loads(out.read_text())
    if not Path(found["package"]).is_relative_to(src):
        raise SystemExit(f"Expected datakin of {src}. Got {found['package']}.")
    return dict(found["trees"])


def package_of(commit: str, folder: str) -> Path:
    """Unpack the package as it was at a commit; nothing is left in the repository's own records."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True)
    if packed.returncode:
        raise SystemExit(packed.stderr.decode())
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return Path(folder, "src")


def compare(commit: str, only: str) -> int:
    """Say how far the code at hand is from a commit, and in which fields."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        old = elsewhere(package_of(commit, folder).resolve(), only, folder)
        middle = time.perf_counter()
        new = elsewhere(ROOT / "src", only, folder)
        seconds = middle - start, time.perf_counter() - middle
    found = [d for name in old for d in differences(name, old[name], new[name])]
    added = sum(1 for tree in new.values() for _ in flatten(tree)) - len(found)
    print(
        f"{len(old)} calls, {len(found)} fields; {commit} took {seconds[0]:.0f} s, "
        f"the working tree {seconds[1]:.0f} s; {added:+d} fields"
    )
    return tell(found)


def tell(found: list[Difference]) -> int:
    """Print the largest difference and the worst fields of each call; 1 if any differs."""
    worst = max(found, key=lambda d: d.size)
    print(f"largest difference: {worst.size:.3g} ({worst.call}: {worst.path})")
    wrong = [d for d in found if d.size > EQUAL]
    print(f"{len(wrong)} fields differ by more than {EQUAL:g}")
    for call in dict.fromkeys(d.call for d in wrong):
        of_call = sorted((d for d in wrong if d.call == call), key=lambda d: -d.size)
        print(f"{call}: {len(of_call)} fields")
        for each in of_call[:4]:
            print(f"  {each.path}: {each.old!r} became {each.new!r} ({each.size:.3g})")
    return 1 if wrong else 0


def run_to(out: str, only: str) -> int:
    """Write the trees of the calls, and which package made them."""
    import datakin

    trees = run(chosen(only))
    Path(out).write_text(json.dumps({"package": datakin.__file__, "trees": trees}))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("what", choices=("compare", "record", "run"))
    parser.add_argument("--only", default="*", help="calls whose name fits this pattern")
    parser.add_argument("--commit", default="cd357aa", help="compare: the older commit")
    parser.add_argument("--out", help="run: the file to write")
    given = parser.parse_args()
    if given.what == "compare":
        return compare(given.commit, given.only)
    return record(given.only) if given.what == "record" else run_to(given.out, given.only)


if __name__ == "__main__":
    sys.exit(main())
