"""Small datasets that many tests need: factories, so that each test says what it varies."""

import atexit
import gc
import re
from collections.abc import Callable, Generator, Sequence
from fnmatch import translate
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from datakin import Dataset, as_dataset, read_table
from datakin.execution import trials
from datakin.learners.stack import gains
from datakin.learners.stack import trials as stack_trials
from datakin.learners.stack.evidence import TargetEvidence

# Tests over invented examples try the same ones each time: whether a change is right must not
# depend on luck. `pytest --hypothesis-profile=default` tries others.
settings.register_profile("same", derandomize=True)
settings.load_profile("same")

LONG = re.compile(
    "|".join(
        translate(line.replace("[", "[[]", 1))
        for line in Path(__file__).with_name("long.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    )
)


FIRST = ("tests/golden/", "tests/public/", "tests/report/")

# Each process collects all tests: the many objects of that stay until the end, so nobody needs to look
# through them for garbage, neither meanwhile nor later.
gc.disable()
atexit.register(gc.unfreeze)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples stand in docstrings of the package; to look for them in tests takes a second."""
    found = yield
    return [each for each in found if not isinstance(each, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if LONG.match(item.nodeid):
            item.add_marker(pytest.mark.long)
    # What takes long or waits for a browser begins: left to the end, it ran while others had nothing to do.
    # Who begins takes a third of all tests, from the first on; others take over from the last.
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))


# A score tries its source with three learners on five draws of the folds, which is most of the time of a
# small one. Tests of tables, files and words need a linear model on two draws only. Folders whose tests
# hold the numbers and words of the program as it is are listed here; elsewhere a test or module says
# `pytest.mark.whole_trials`. Many golden calls score the same tables with other options: there the same
# trial is made once.
WHOLE = ("src", "golden", "docs", "real", "reproduction", "benchmarks")
ALL_LEARNERS = stack_trials.LEARNERS
LINES = {"linear": ALL_LEARNERS["linear"]}
ALL_DRAWS, FEW_DRAWS = gains.MOST_DRAWS, 2
whole_trials = trials.measure_target
golden_trials: dict[str, TargetEvidence] | None = None


def pytest_runtest_setup(item: pytest.Item) -> None:
    global golden_trials
    folder = item.nodeid.split("/")[1] if item.nodeid.startswith("tests/") else "src"
    is_whole = item.get_closest_marker("whole_trials") or folder in WHOLE
    stack_trials.LEARNERS = ALL_LEARNERS if is_whole else LINES
    gains.MOST_DRAWS = ALL_DRAWS if is_whole else FEW_DRAWS
    if folder != "golden":
        golden_trials = None
    elif golden_trials is None:
        golden_trials = {}


def measure_target(target: Dataset, sources: Sequence[Dataset], **options: Any) -> TargetEvidence:
    if golden_trials is None:
        return whole_trials(target, sources, **options)
    key = repr(([(each.name, each.fingerprint) for each in (target, *sources)], options))
    if key not in golden_trials:
        golden_trials[key] = whole_trials(target, sources, **options)
    return golden_trials[key]


trials.measure_target = measure_target


@pytest.fixture(scope="session")
def make_lda() -> Callable[..., Dataset]:
    """Two Gaussian classes whose means point along a direction at some angle (radians)."""

    def make(
        n: int = 60,
        seed: int = 0,
        *,
        angle: float = 0.0,
        p: int = 3,
        name: str = "",
        shift: float = 0.8,
    ) -> Dataset:
        rng = np.random.default_rng(seed)
        y = np.arange(n) % 2
        mean = np.zeros(p)
        mean[:2] = np.cos(angle), np.sin(angle)
        X = rng.standard_normal((n, p)) + shift * np.outer(2 * y - 1, mean)
        return as_dataset(X, y, name=name or f"lda {seed}")

    return make


@pytest.fixture(scope="session")
def make_linear() -> Callable[..., Dataset]:
    """A linear response with noise; the first coefficient turns by an angle (radians)."""

    def make(
        n: int = 60, seed: int = 0, *, angle: float = 0.0, unit: float = 1.0, name: str = ""
    ) -> Dataset:
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, 3))
        y = X @ [np.cos(angle), np.sin(angle), 0.5] + 0.5 * rng.standard_normal(n)
        return as_dataset(X, unit * y, name=name or f"linear {seed}", task="regression")

    return make


@pytest.fixture(scope="session")
def make_mixed() -> Callable[..., pd.DataFrame]:
    """A table with numbers, categories, ties and missing values of both kinds; label "y"."""

    def make(n: int = 80, seed: int = 0, *, angle: float = 0.0) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        y = np.arange(n) % 2
        X = rng.standard_normal((n, 3))
        X[:, 0] += 1.2 * (2 * y - 1) * np.cos(angle)
        X[:, 1] += 1.2 * (2 * y - 1) * np.sin(angle)
        X[:, 2] = np.round(X[:, 2], 1)
        X[rng.random(n) < 0.1, 1] = np.nan
        colour = np.where(rng.random(n) < 0.3 + 0.4 * y, "red", rng.choice(["blue", "green"], n))
        colour = np.where(rng.random(n) < 0.1, None, colour)
        frame = pd.DataFrame(X, columns=["age", "dose", "rate"])
        return frame.assign(colour=pd.Series(colour, dtype=object), y=y)

    return make


@pytest.fixture(scope="session")
def read() -> Callable[..., Dataset]:
    """Read a table with the label "y"."""

    def read(frame: pd.DataFrame, name: str = "") -> Dataset:
        return read_table(frame, label="y", name=name)

    return read
