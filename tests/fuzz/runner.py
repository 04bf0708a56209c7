"""Run many cases in child processes; a crash or a hang is an outcome, and the next case goes on."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.damage import make_sound
from tests.fuzz.outcomes import Outcome, keep_input

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds for one case
START = 120.0  # seconds for a child to come up


@dataclass
class Run:
    """Cases from `first` until `last` or the deadline, and what came of them.

    Parameters
    ----------
    keep : Path
        Where the inputs of foreign outcomes go.
    only : str or None
        Kinds to run, separated by commas; the others are skipped.
    patience : float
        Seconds after which a case hangs.
    trial : str or None
        "crash" or "hang": what the children do instead of their cases, to try this file itself.
    """

    seed: int
    keep: Path
    first: int = 0
    last: int | None = None
    minutes: float | None = None
    jobs: int = 1
    only: str | None = None
    patience: float = PATIENCE
    trial: str | None = None
    tell: Callable[[Outcome], None] = lambda outcome: None
    outcomes: list[Outcome] = field(default_factory=list)

    def go(self) -> list[Outcome]:
        """Run all cases; return their outcomes."""
        end = None if self.minutes is None else time.monotonic() + 60 * self.minutes
        with tempfile.TemporaryDirectory() as made:
            sound = Path(made, "sound")
            sound.mkdir()
            if self.trial is None:  # a trial reads nothing
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    make_sound(sound)
            jobs = [
                threading.Thread(target=self._work, args=(job, Path(made), sound, end))
                for job in range(self.jobs)
            ]
            for job in jobs:
                job.start()
            for job in jobs:
                job.join()
        return sorted(self.outcomes, key=lambda outcome: outcome.case)

    def _work(self, job: int, made: Path, sound: Path, end: float | None) -> None:
        """Run every `jobs`-th case, with a new child after each crash."""
        at: int | None = self.first + job
        while at is not None and (self.last is None or at < self.last):
            if end is not None and time.monotonic() > end:
                return
            child = Child(self, at, made / f"case{job}", sound)
            at = child.follow(end)

    def note(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self.outcomes.append(outcome)
        self.tell(outcome)


class Child:
    """One child process and what it says."""

    def __init__(self, run: Run, first: int, folder: Path, sound: Path) -> None:
        self.run, self.first, self.folder = run, first, folder
        self.log = folder.with_suffix(".log")
        self.pipe, to = os.pipe()
        arguments: dict[str, Any] = {"seed": run.seed, "first": first, "last": run.last}
        arguments |= {"only": run.only, "folder": str(folder), "sound": str(sound)}
        arguments |= {"step": run.jobs, "keep": str(run.keep), "to": to, "trial": run.trial}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.child", json.dumps(arguments)],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[to],
                env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
            )
        os.close(to)

    def follow(self, end: float | None) -> int | None:
        """Note what the child says until it ends; return the case to go on with, if any is left."""
        running: dict[str, Any] | None = None
        buffer = b""
        try:
            while True:
                wait = START if running is None else self.run.patience
                if not select.select([self.pipe], [], [], wait)[0]:
                    return self._lost(running, f"no answer for {wait:.0f} s")
                chunk = os.read(self.pipe, 1 << 16)
                if not chunk:
                    code = self.process.wait()
                    if code == 0 and running is None:
                        return None
                    return self._lost(running, f"the process ended with {code}")
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    said = json.loads(line)
                    running = said if "start" in said else None
                    if running is None:
                        self.run.note(Outcome(**said))
                if end is not None and time.monotonic() > end and running is None:
                    return None
        finally:
            self.process.kill()
            self.process.wait()
            os.close(self.pipe)

    def _lost(self, running: dict[str, Any] | None, why: str) -> int | None:
        """Note a crash or a hang; without a running case the child itself is broken."""
        tail = self.log.read_text(errors="replace")[-1500:]
        if running is None:
            raise RuntimeError(
                f"The child that was to begin with case {self.first}: {why}.\n{tail}"
            )
        outcome = Outcome(running["case"], running["kind"], "foreign", f"{why}\n{tail}", "process")
        keep_input(self.run.seed, outcome, self.folder, self.run.keep)
        self.run.note(outcome)
        return int(running["case"]) + self.run.jobs
