"""The tests in a copy of the repository: which functions each runs, and which of them a fault breaks."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TOOLS = Path(__file__).parent
# They run the package in processes that nobody looks into, or look at no numbers and words of it.
LEFT_OUT = ("tests/install", "tests/fuzz", "tests/docs", "tests/benchmarks", "tests/reproduction")
SLOW = ("tests/report/test_browser.py", "tests/unit/execution/test_cluster.py")
BATCH = 12  # files of tests that are looked at in one process
FIRST = 4  # tests of a file that run before the others
WALL = 12  # times as long by the clock as in processor time: then a process is given up


@dataclass
class Suite:
    """A copy of the repository at a commit, with what is known of its tests.

    Attributes
    ----------
    folder : Path
        Where all this is kept; a later run goes on from there.
    commit : str
    """

    folder: Path
    commit: str
    runs: dict[str, Any] = field(default_factory=dict)

    @property
    def copy(self) -> Path:
        """The repository at the commit."""
        return self.folder / "copy"

    @property
    def package(self) -> Path:
        """The package in it."""
        return self.copy / "src" / "datakin"

    def unpack(self) -> None:
        """Make the copy, again if it is there: a run that was killed may have left a fault in it.

        It is compiled here, because what is compiled with a fault must never be kept.
        """
        self.copy.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(
            ["git", "archive", self.commit], cwd=ROOT, capture_output=True, check=True
        )
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(self.copy, filter="data")
        environment = self.copy / ".venv"
        if not environment.exists():
            environment.symlink_to(Path(sys.prefix))
        places = [str(self.package), str(self.copy / "tests")]
        subprocess.run([sys.executable, "-m", "compileall", "-q", *places], check=True)

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment in which the copy is tested."""
        path = os.pathsep.join([str(self.copy / "src"), str(TOOLS)])
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FAULTS_")}
        own = {
            "PYTHONPATH": path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "FAULTS_PACKAGE": str(self.package),
        }
        return {**kept, **one, **own, **more}

    def pytest(self, files: Iterable[str], seconds: float, **more: str) -> int | None:
        """Run pytest on some files of the copy; None if it had to be given up."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "fault_plugin",
            "-p",
            "no:cacheprovider",
        ]
        command += ["--no-header", "--tb=line", *files]
        if "FAULTS_NOTE" in more:
            command.remove("-x")
        with subprocess.Popen(
            command,
            cwd=self.copy,
            env=self.environment(**more),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                return process.wait(WALL * seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # the processes that tests start, too
                return None

    def call(self, name: str) -> dict[str, Any]:
        """Make the call of a capability with the copy."""
        command = [
            sys.executable,
            str(TOOLS / "fault_calls.py"),
            name,
            "--package",
            str(self.package),
        ]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=1200,
        )
        return (
            dict(json.loads(done.stdout))
            if done.returncode == 0
            else {"lines": {}, "gave": "error"}
        )

    def files(self) -> list[str]:
        """Return the files with tests, the package's own examples too."""
        found = [*self.copy.glob("tests/**/test_*.py")]
        found += [p for p in self.package.rglob("*.py") if ">>> " in p.read_text(encoding="utf-8")]
        names = sorted(path.relative_to(self.copy).as_posix() for path in found)
        return [name for name in names if not name.startswith(LEFT_OUT) and name not in SLOW]

    def look(self) -> None:
        """Run all tests once and note which functions each of them runs; what was done is kept."""
        notes = self.folder / "notes"
        notes.mkdir(exist_ok=True)
        files = self.files()
        for k in range(0, len(files), BATCH):
            path = notes / f"{k:04}.json.gz"
            if path.exists():
                continue
            plain = notes / "now.json"
            plain.unlink(missing_ok=True)
            self.pytest(files[k : k + BATCH], 600, FAULTS_NOTE=str(plain))
            seen = (
                json.loads(plain.read_text())
                if plain.exists()
                else {"names": [], "tests": {}, "bad": []}
            )
            path.write_bytes(
                gzip.compress(json.dumps({**seen, "files": files[k : k + BATCH]}).encode())
            )
            print(f"{k + BATCH} of {len(files)} files: {len(seen['tests'])} tests pass, "
                  f"{len(seen['bad'])} do not", flush=True)  # fmt: skip

    @cached_property
    def tests(self) -> dict[str, tuple[float, frozenset[str]]]:
        """The seconds and the functions of each test that passes."""
        found = {}
        for path in sorted((self.folder / "notes").glob("*.json.gz")):
            seen = json.loads(gzip.decompress(path.read_bytes()))
            for name, (seconds, numbers) in seen["tests"].items():
                found[name] = (seconds, frozenset(seen["names"][k] for k in numbers))
        return found

    def chosen(self, function: str) -> list[tuple[str, float]]:
        """Return the tests that run a function: a few of every file, cheap ones first, then the rest.

        Tests of one file are much alike, and share what is set up for them.
        """
        of_file: dict[str, list[tuple[float, str]]] = {}
        for name, (seconds, functions) in self.tests.items():
            if function in functions:
                of_file.setdefault(name.split("::")[0], []).append((seconds, name))
        few = [sorted(found)[:FIRST] for found in of_file.values()]
        rest = [sorted(found)[FIRST:] for found in of_file.values()]
        ordered = [*sorted(few, key=cost), *sorted(rest, key=cost)]
        return [(name, seconds) for found in ordered for seconds, name in found]

    def tested(self, file: str, source: bytes, function: str, cap: float) -> dict[str, Any]:
        """Run the tests of a function with another source of its file, until one fails."""
        chosen = self.chosen(function)
        if not chosen:
            return {
                "verdict": "survived",
                "by": "",
                "how": "no test runs it",
                "ran": 0,
                "chosen": 0,
            }
        order, said = self.folder / "order.json", self.folder / "said.json"
        said.unlink(missing_ok=True)
        order.write_text(json.dumps({"tests": chosen, "seconds": cap, "said": str(said)}))
        files = list(dict.fromkeys(name.split("::")[0] for name, _ in chosen))
        with self.changed(file, source):
            code = self.pytest(files, cap, FAULTS_ORDER=str(order))
        found = (
            json.loads(said.read_text())
            if said.exists()
            else {"failed": "collection", "how": "crash"}
        )
        if found["failed"] is None and not found.get("is_over"):
            found |= {"failed": found.get("running"), "how": "hangs" if code is None else "crash"}
        return {
            "verdict": "caught" if found["failed"] else "survived",
            "by": found["failed"] or "",
            "how": found["how"] or ("time is up" if found.get("is_cut") else ""),
            "ran": found.get("ran", 0),
            "chosen": len(chosen),
            "seconds": found.get("seconds"),
        }

    def changed(self, file: str, source: bytes) -> Changed:
        """Return a context in which a file of the copy is another."""
        return Changed(self.package / file, source)


def cost(tests: list[tuple[float, str]]) -> float:
    """Return the seconds that some tests take."""
    return sum(seconds for seconds, _ in tests)


class Changed:
    """A file that is another for a while."""

    def __init__(self, path: Path, source: bytes) -> None:
        self.path, self.source = path, source
        self.before, self.when = path.read_bytes(), path.stat()

    def __enter__(self) -> None:
        self.path.write_bytes(self.source)

    def __exit__(self, *_: object) -> None:
        self.path.write_bytes(self.before)
        os.utime(self.path, ns=(self.when.st_atime_ns, self.when.st_mtime_ns))
