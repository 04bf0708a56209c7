"""The progress bar: after some patience, on a terminal or in a notebook, and nowhere else."""

import io
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

from datakin._core import progress as room
from datakin._core.progress import duration, foretell, hushed, progress, say


class Screen(io.StringIO):
    """A standard error that is a terminal, or not."""

    def __init__(self, terminal=True):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(room, "PATIENCE", 1e-6)


def steps(n=3, pause=0.11):
    """Do some work; tqdm draws at most ten times a second."""
    with progress("fitting", total=n) as advance:
        for _ in range(n):
            time.sleep(pause)
            advance()


def seen(monkeypatch, terminal=True):
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_a_terminal_shows_description_and_count_and_is_left_clean(monkeypatch, at_once):
    screen = seen(monkeypatch)
    steps()
    text = screen.getvalue()
    assert "fitting" in text
    assert "2/3" in text
    assert text.split("\r")[-1].strip() == ""


def test_short_work_shows_nothing(monkeypatch):
    assert room.PATIENCE == 2.0
    screen = seen(monkeypatch)
    steps()
    assert screen.getvalue().strip() == ""


def test_a_file_gets_no_bar_but_a_notebook_does(monkeypatch, at_once):
    screen = seen(monkeypatch, terminal=False)
    steps()
    assert screen.getvalue() == ""
    monkeypatch.setitem(sys.modules, "ipykernel.zmqshell", ModuleType("ipykernel.zmqshell"))
    steps()
    assert "2/3" in screen.getvalue()


def test_hushed_work_shows_nothing(monkeypatch, at_once):
    screen = seen(monkeypatch)
    with hushed():
        steps()
    with hushed(False):
        assert not room._hushed.get()
    assert screen.getvalue() == ""


def test_steps_of_many_threads_are_all_counted(monkeypatch, at_once):
    seen(monkeypatch)
    with progress("fitting", total=4000) as advance, ThreadPoolExecutor(4) as pool:
        for _ in pool.map(lambda _: advance(), range(4000)):
            pass
        assert room._bars[0].n == 4000
    assert room._bars == []


def test_a_line_does_not_run_into_the_bar(monkeypatch, at_once):
    screen = seen(monkeypatch)
    with progress("fitting", total=2) as advance:
        time.sleep(0.11)
        advance()
        say("1 of 2: north")
    before, _, _ = screen.getvalue().partition("1 of 2: north\n")
    assert "1/2" in before
    assert before.endswith("\r")
    assert before.split("\r")[-2].strip() == ""  # the bar was wiped out first
    say("done")
    assert screen.getvalue().endswith("done\n")


def test_an_error_inside_ends_the_bar(monkeypatch, at_once):
    seen(monkeypatch)
    with pytest.raises(KeyboardInterrupt), progress("fitting", total=2):
        raise KeyboardInterrupt
    assert room._bars == []


def test_long_work_is_foretold_where_somebody_sees_it(monkeypatch):
    screen = seen(monkeypatch)
    foretell(38.0, "20 splits")
    foretell(9.0, "20 splits")
    with hushed():
        foretell(38.0, "20 splits")
    assert screen.getvalue() == "about 40 s for 20 splits\n"
    screen = seen(monkeypatch, terminal=False)
    foretell(38.0, "20 splits")
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(10, "10 s"), (12, "10 s"), (89, "90 s"), (91, "2 min"), (600, "10 min"), (5400, "1.5 h")],
)
def test_durations(seconds, text):
    assert duration(seconds) == text
