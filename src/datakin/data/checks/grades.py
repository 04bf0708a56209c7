"""A label that has grades in some datasets and is a yes or no in others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from datakin._core.exceptions import listed
from datakin.data.columns.labels import sort_classes

__all__ = ["Question", "question_of_grades"]


@dataclass(frozen=True)
class Question:
    """What is asked, and the option that answers yes, in Python and on the command line."""

    sentence: str
    python: str
    cli: str

    @property
    def advice(self) -> str:
        """The question with the option."""
        return f"{self.sentence}: {self.python} / {self.cli}"


def question_of_grades(classes: Mapping[str, Collection[str]]) -> Question | None:
    """Ask whether some datasets hold a yes-or-no version of a label that has grades in others.

    All must have the lowest grade and another one: otherwise codes differ, or the answer would leave a
    dataset with one class.

    Parameters
    ----------
    classes : mapping of str to collection of str
        The classes of each dataset.

    Examples
    --------
    >>> question_of_grades({"here": ["0", "1", "2"], "there": ["0", "1"]}).cli
    '--positive 1 --positive 2'
    >>> question_of_grades({"here": ["0", "1"], "there": ["1", "2"]}) is None
    True
    """
    every = sort_classes(name for names in classes.values() for name in names)
    if len(every) < 3 or not all(name.isdecimal() for name in every):
        return None
    two = [name for name, some in classes.items() if len(some) == 2]
    if not 0 < len(two) < len(classes):
        return None
    if any(every[0] not in some or len(some) < 2 for some in classes.values()):
        return None
    more = f" and {len(two) - 4} more" if len(two) > 4 else ""
    return Question(
        f"{', '.join(two[:4])}{more} {'has' if len(two) == 1 else 'have'} the classes "
        f"{listed(sort_classes(classes[two[0]]))}, others {listed(every, limit=10)}. If that is a yes "
        f"or no, make it so in all of them",
        f"positive={list(every[1:])}",
        " ".join(f"--positive {name}" for name in every[1:]),
    )
