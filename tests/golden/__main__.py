"""Record the calls, or compare today's code with an older commit's on this machine.

    python -m tests.golden compare --commit cd357aa     are numbers and texts the same? Exit code 1 if not
    python -m tests.golden record --only 'rank*'        rewrite what is stored with today's code

Scores must be equal to 1e-12, what the stack of learners or a network finds to 1e-8, and texts letter by
letter; only numbers of JSON, which nobody reads, to 1e-8. Names of texts begin with "text_", "typed_",
"help" or "refused_".

Run from the repository's root. `record` is for a change of numbers or texts that is meant: commit it alone,
with the reason.
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
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tests.golden.fields import Difference, differences, flatten, tree_of
from tests.golden.words import HERE, changes

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).parent / "record"
TEXTS = Path(__file__).parent / "texts"
EQUAL = 1e-12
NEAR = 1e-8  # for what is found by eigenvectors, trees and networks
SHOWN = 12  # lines of a text that differ


def chosen(only: str, local: bool = True) -> dict[str, Any]:
    """Return the calls whose name fits a pattern; without torch those that need none."""
    from tests.golden.calls import HAS_TORCH, LOCAL, NEED_TORCH, STORED

    calls = {**STORED, **LOCAL} if local else STORED
    skipped = frozenset() if HAS_TORCH else NEED_TORCH
    return {n: call for n, call in calls.items() if fnmatch(n, only) and n not in skipped}


def chosen_texts(only: str) -> dict[str, Any]:
    """Return the calls that give texts, by a pattern too."""
    from tests.golden.calls import HAS_TORCH
    from tests.golden.commands import TYPED
    from tests.golden.refusals import REFUSALS
    from tests.golden.results import DEEP, SAID

    skipped = frozenset() if HAS_TORCH else {*DEEP, "refused_deep"}
    calls = {**SAID, **TYPED, **REFUSALS}
    return {n: call for n, call in calls.items() if fnmatch(n, only) and n not in skipped}


def run(calls: Iterable[str]) -> dict[str, Any]:
    """Return the tree of each call's result."""
    from tests.golden.results import outcome

    return {name: tree_of(outcome(name)[0]) for name in calls}


def stored(names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the recorded trees, of all calls by default."""
    files = sorted(RECORD.glob("*.json"))
    return {f.stem: json.loads(f.read_text()) for f in files if names is None or f.stem in names}


def stored_text(name: str) -> str:
    """Return a recorded text."""
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


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

    trees = run(chosen(only, local=False))
    for name, tree in trees.items():
        write(name, tree)
    texts = {name: call() for name, call in chosen_texts(only).items()}
    for name, text in texts.items():
        (TEXTS / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    known = {*chosen("*", local=False), *chosen_texts("*")}
    for file in (*RECORD.glob("*.json"), *TEXTS.glob("*.txt")):
        if file.stem not in known and fnmatch(file.stem, only):
            file.unlink()
    fields = sum(1 for tree in trees.values() for _ in flatten(tree))
    print(
        f"{len(trees)} calls, {fields} fields and {len(texts)} texts recorded with {datakin.__file__}"
    )
    return 0


def elsewhere(src: Path, only: str, folder: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Run the calls in another process with the package of another folder."""
    out = Path(folder, "trees.json")
    path = os.pathsep.join([str(src), str(ROOT)])
    settings = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.golden", "run", "--only", only, "--out", str(out)]
    subprocess.run(command, cwd=ROOT, env=settings, check=True)
    found = json.loads(out.read_text())
    if not Path(found["package"]).is_relative_to(src):
        raise SystemExit(f"Expected datakin of {src}. Got {found['package']}.")
    return dict(found["trees"]), dict(found["texts"])


def package_of(commit: str, folder: str) -> Path:
    """Unpack the package as it was at a commit; nothing is left in the repository's own records."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True)
    if packed.returncode:
        raise SystemExit(packed.stderr.decode())
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return Path(folder, "src")


def compare(commit: str, only: str) -> int:
    """Say how far the code at hand is from a commit, and in which fields and lines."""
    start = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as before,
        tempfile.TemporaryDirectory() as after,
        ThreadPoolExecutor() as both,
    ):
        src = package_of(commit, before).resolve()
        versions = [
            both.submit(elsewhere, *each)
            for each in ((src, only, before), (ROOT / "src", only, after))
        ]
        (old, said), (new, says) = (version.result() for version in versions)
    found = [d for name in old for d in differences(name, old[name], new[name])]
    added = sum(1 for tree in new.values() for _ in flatten(tree)) - len(found)
    print(
        f"{len(old)} calls, {len(found)} fields, {len(said)} texts of {commit} and of the working tree "
        f"in {time.perf_counter() - start:.0f} s; {added:+d} fields"
    )
    return max(tell(found) if found else 0, tell_texts(said, says))


def tell_texts(old: dict[str, str], new: dict[str, str]) -> int:
    """Print the lines that differ; 1 if there are any."""
    found = {name: changes(old[name], new[name], HERE) for name in old}
    wrong = {name: lines for name, lines in found.items() if lines}
    print(f"{len(wrong)} texts of {len(old)} differ")
    for name, lines in wrong.items():
        more = [f"... and {len(lines) - SHOWN} more lines"] if len(lines) > SHOWN else []
        print("\n".join([f"{name}: {len(lines)} lines", *lines[:SHOWN], *more]))
    return 1 if wrong else 0


def equal(call: str) -> float:
    """Return what a number of a call may differ by."""
    from tests.golden.calls import DEEP, TRAINED
    from tests.golden.learned import LEARNED

    return NEAR if call in LEARNED or call in DEEP or call in TRAINED else EQUAL


def tell(found: list[Difference]) -> int:
    """Print the largest difference and the worst fields of each call; 1 if any differs."""
    worst = max(found, key=lambda d: d.size)
    print(f"largest difference: {worst.size:.3g} ({worst.call}: {worst.path})")
    wrong = [d for d in found if d.size > equal(d.call)]
    print(f"{len(wrong)} fields differ by more than {EQUAL:g} (of what is learned {NEAR:g})")
    for call in dict.fromkeys(d.call for d in wrong):
        of_call = sorted((d for d in wrong if d.call == call), key=lambda d: -d.size)
        print(f"{call}: {len(of_call)} fields")
        for each in of_call[:4]:
            print(f"  {each.path}: {each.old!r} became {each.new!r} ({each.size:.3g})")
    return 1 if wrong else 0


def run_to(out: str, only: str) -> int:
    """Write the trees and the texts of the calls, and which package made them."""
    import datakin

    trees = run(chosen(only))
    texts = {name: call() for name, call in chosen_texts(only).items()}
    made = {"package": datakin.__file__, "trees": trees, "texts": texts}
    Path(out).write_text(json.dumps(made))
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
