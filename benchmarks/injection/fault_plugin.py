"""For pytest: notice which functions each test runs, or run some tests in an order and within a time.

The environment says what to do. FAULTS_NOTE=FILE notes; FAULTS_ORDER=FILE orders, a JSON of "tests" (a
list of [test, seconds]), "seconds" (of processor time for all of them) and "said" (a file for what
came out). It imports nothing of ours: the package in its copy is what is tested.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

PACKAGE = os.environ.get("FAULTS_PACKAGE", "")
LONGER = 10  # times as long as without the fault, and
SECONDS = 20.0  # these beside: then a test hangs


def spent() -> float:
    """Return the seconds of processor time, of finished children too."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Noting:
    """Which functions each test runs, how long it takes and how it ends."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.names: list[str] = []
        self.known: dict[int, int] = {}
        self.codes: list[Any] = []  # kept, so that no other code gets the number of one
        self.current: set[int] = set()
        self.tests: dict[str, Any] = {}
        self.bad: set[str] = set()
        self.is_on = False

    def at_call(self, frame: Any, *_: Any) -> None:
        """Note the function that a frame belongs to."""
        number = self.known.get(id(frame.f_code))
        if number is None:
            number = self.number(frame.f_code)
        if number >= 0:
            self.current.add(number)

    def number(self, code: Any) -> int:
        """Return the number of a function of the package, -1 for one of others."""
        self.codes.append(code)
        number = -1
        if code.co_filename.startswith(PACKAGE):
            number = len(self.names)
            self.names.append(f"{os.path.relpath(code.co_filename, PACKAGE)}:{code.co_qualname}")
        self.known[id(code)] = number
        return number

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        """Run a test with an eye on the functions."""
        self.current = set()
        start = spent()
        sys.settrace(self.at_call)
        threading.settrace(self.at_call)
        yield
        sys.settrace(None)
        threading.settrace(None)
        self.tests[item.nodeid] = [round(spent() - start, 3), sorted(self.current)]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep which tests do not pass."""
        if report.outcome != "passed":
            self.bad.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write what was noticed."""
        passed = {name: found for name, found in self.tests.items() if name not in self.bad}
        kept = {"names": self.names, "tests": passed, "bad": sorted(self.bad)}
        self.path.write_text(json.dumps(kept))


class Ordering:
    """Some tests, in an order, until one fails or the time is up."""

    def __init__(self, path: str) -> None:
        given = json.loads(Path(path).read_text())
        self.seconds: dict[str, float] = dict(given["tests"])
        self.place = {name: k for k, name in enumerate(self.seconds)}
        self.cap = given["seconds"]
        self.said = Path(given["said"])
        self.start = 0.0
        self.found: dict[str, Any] = {"ran": 0, "failed": None, "how": "", "is_cut": False}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any], config: Any) -> None:
        """Keep the tests that were asked for, in their order."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.place),
            key=lambda item: self.place[item.nodeid],
        )
        self.start = spent()
        self.found["chosen"] = len(items)
        self.write()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        """Run a test, and stop it when it takes much longer than without the fault."""
        self.found |= {"running": item.nodeid, "ran": self.found["ran"] + 1}
        self.write()
        signal.signal(signal.SIGPROF, self.stop)
        signal.setitimer(signal.ITIMER_PROF, LONGER * self.seconds[item.nodeid] + SECONDS)
        yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        if spent() - self.start > self.cap and not self.found["failed"]:
            self.found["is_cut"] = self.found["ran"] < self.found["chosen"]
            item.session.shouldstop = "the time is up"

    def stop(self, *_: Any) -> None:
        """Say that a test hangs."""
        raise TimeoutError("much longer than without the fault")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the first test that fails, and how."""
        if report.failed and self.found["failed"] is None:
            crash = getattr(report.longrepr, "reprcrash", None)
            how = crash.message if crash else str(report.longrepr)
            self.found |= {"failed": report.nodeid, "how": how.splitlines()[0][:160] if how else ""}

    def pytest_collectreport(self, report: Any) -> None:
        """A fault may show in an import already."""
        if report.failed and self.found["failed"] is None:
            lines = str(report.longrepr).splitlines()
            self.found |= {"failed": report.nodeid or "collection", "how": lines[-1][:160]}

    def pytest_sessionfinish(self) -> None:
        """Write what came out."""
        self.found["seconds"] = round(spent() - self.start, 1)
        self.found["is_over"] = True
        self.write()

    def write(self) -> None:
        """Write as much as is known."""
        self.said.write_text(json.dumps(self.found))


def pytest_configure(config: Any) -> None:
    """Do what the environment says."""
    if "FAULTS_NOTE" in os.environ:
        config.pluginmanager.register(Noting(os.environ["FAULTS_NOTE"]))
    if "FAULTS_ORDER" in os.environ:
        config.pluginmanager.register(Ordering(os.environ["FAULTS_ORDER"]))
