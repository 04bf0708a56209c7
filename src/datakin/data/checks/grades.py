"""A label that has more classes in some datasets than in others: grades, or a code for 'unknown'."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from datakin._core.exceptions import first_of, listed
from datakin._core.typed_options import recode_options
from datakin.data.checks.difference_kinds import Thing
from datakin.data.columns.labels import sort_classes

UNKNOWN = re.compile(r"9+|-\d+")  # codes that often stand for a value that is not known
SHOWN = 4  # datasets that a question names


def question_of_classes(classes: Mapping[str, Collection[str]], label: str) -> Thing | None:
    """Ask what a class of a label means that only some datasets have.

    Examples
    --------
    >>> question_of_classes({"here": ["0", "1", "2"], "there": ["0", "1"]}, "died").option_cli
    '--positive 1 --positive 2'
    >>> question_of_classes({"here": ["0", "1"], "there": ["0", "1", "9"]}, "died").option_cli
    '--recode there::died:9='
    >>> question_of_classes({"here": ["0", "1"], "there": ["1", "2"]}, "died") is None
    True
    """
    return _question_of_unknown(classes, label) or _question_of_grades(classes)


def _question_of_unknown(classes: Mapping[str, Collection[str]], label: str) -> Thing | None:
    """Ask whether a 9 or a -1 beside the two classes of the others is a value that is not known."""
    two = {frozenset(some) for some in classes.values() if len(some) == 2}
    if len(two) != 1:
        return None
    (usual,) = two
    found: dict[str, str] = {}
    for name, some in classes.items():
        more = set(some) - usual
        if len(some) == 3 and len(more) == 1 and UNKNOWN.fullmatch(min(more)):
            found[name] = min(more)
    if not found:
        return None
    options = [recode_options(name, label, {code: ""}) for name, code in found.items()]
    return Thing(
        "classes",
        tuple(found),
        f"{_who_has(list(found))} the class {listed(sort_classes(set(found.values())))} beside "
        f"{listed(sort_classes(usual))}, which are all that others have. If it says 'unknown', make it "
        f"a missing value",
        "; ".join(python for python, _ in options),
        " ".join(cli for _, cli in options),
    )


def _question_of_grades(classes: Mapping[str, Collection[str]]) -> Thing | None:
    """Ask whether some datasets hold a yes-or-no version of a label that has grades in others.

    All must have the lowest grade and another one: otherwise codes differ, or the answer would leave a
    dataset with one class.
    """
    every = sort_classes(name for names in classes.values() for name in names)
    if len(every) < 3 or not all(name.isdecimal() for name in every):
        return None
    two = [name for name, some in classes.items() if len(some) == 2]
    if not 0 < len(two) < len(classes):
        return None
    if any(every[0] not in some or len(some) < 2 for some in classes.values()):
        return None
    return Thing(
        "classes",
        tuple(two),
        f"{_who_has(two)} the classes {listed(sort_classes(classes[two[0]]))}, others "
        f"{listed(every, limit=10)}. If that is a yes or no, make it so in all of them",
        f"positive={list(every[1:])}",
        " ".join(f"--positive {name}" for name in every[1:]),
    )


def _who_has(names: Sequence[str]) -> str:
    return f"{first_of(names, SHOWN)} {'has' if len(names) == 1 else 'have'}"
