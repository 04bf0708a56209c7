"""The size of the package: every line is counted once, as what it is."""

import textwrap

import pytest

from benchmarks.size import BESIDE, PACKAGE, WHOLE, Size, measure, size_of, table

MODULE = '''\
"""What this module
is for.
"""

import dataclasses
from typing import NamedTuple

# A comment of its own.
TEXT = """
# no comment
"""  # not counted: the line holds code


@dataclasses.dataclass(frozen=True)
class Point:
    """A point."""

    x: int = 0


class Pair(NamedTuple):
    first: int


class Plain:
    def name(self):
        "Return the name."
        return "not a docstring"
'''


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


def test_lines_are_counted_as_what_they_are(tmp_path):
    size = size_of(write(tmp_path / "a.py", MODULE))
    # Code: two imports, three lines of TEXT, three and two of the records, three of Plain.
    assert size == Size(files=1, lines=28, code=13, docs=5, comments=1, records=2)
    assert size_of(write(tmp_path / "a.js", "one\ntwo\n")) == Size(assets=2)


@pytest.fixture
def repository(tmp_path):
    write(tmp_path / PACKAGE / "__init__.py", "x = 1\n")
    write(tmp_path / PACKAGE / "room" / "deep" / "a.py", "# why\nx = 1\ny = 2\n")
    write(tmp_path / PACKAGE / "room" / "page.css", "a {}\n")
    write(tmp_path / PACKAGE / "room" / "__pycache__" / "a.pyc", "\n")
    write(tmp_path / "tests" / "test_a.py", "x = 1\n")
    return tmp_path


def test_rooms_are_the_folders_of_the_package(repository):
    rooms, beside = measure(repository)
    assert rooms == {
        ".": Size(1, 1, 1),
        "room": Size(1, 3, 2, comments=1, assets=1),
        WHOLE: Size(2, 4, 3, comments=1, assets=1),
    }
    assert beside == {name: Size(1, 1, 1) if name == "tests" else Size() for name in BESIDE}


def test_a_room_that_is_gone_or_new_is_shown(repository):
    now, _ = measure(repository)
    before = {"gone": Size(1, 2000, 1), WHOLE: Size(1, 2000, 1)}
    lines = table([before, now], ["files", "lines"]).splitlines()
    assert lines[2:] == [
        "| gone | 1 / 0 | 2,000 / 0 |",
        "| room | 0 / 1 | 0 / 3 |",
        "| . | 0 / 1 | 0 / 1 |",
        f"| {WHOLE} | 1 / 2 | 2,000 / 4 |",
    ]
