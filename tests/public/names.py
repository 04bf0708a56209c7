"""Every public name and option, found by looking at the package as it is.

A name is written as users would: ``datakin.Ranking.best`` for what a class has,
``datakin.score(cv) = 5`` for an option and its default, ``$ datakin rank --screen`` for a flag.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, get_type_hints

ROOMS = (
    "datakin",
    "datakin.transfer",
    "datakin.synthetic",
    "datakin.distances",
    "datakin.plots",
    "datakin.deep",
    "datakin.paper",  # last, so that what older rooms name too is kept under their names
)
COMMAND_LINE = "$ datakin"
NEEDS = {"datakin.deep": "torch", "datakin.plots": "matplotlib"}
# Nobody makes these by hand: the parameters of their classes are no options.
RESULTS = frozenset(
    {
        *("Choice", "Comparison", "CrossErrors", "Dataset", "DemoSource", "Description"),
        *("Distance", "DistanceMatrix", "DistanceRanking", "Estimate", "Explanation", "Forecast"),
        *(
            "Gain",
            "KinModel",
            "LearningCurve",
            "Matrix",
            "Metrics",
            "Provenance",
            "Ranking",
            "Sample",
        ),
        *("Setting", "SettingClass", "SmallNoise", "Zone", "ZoneDecision"),
    }
)
MODEL = "datakin.load_model()"  # no room lists its class, and yet users hold it
MODEL_HAS = ("card", "error_on", "metrics_on", "predict", "predict_proba", "save", "score")
# What takes ``**options``, and whose options those are.
PASSED_ON = {
    "datakin.score": "datakin.CrossLearningScore",
    "datakin.rank": "datakin.CrossLearningScore",
    "datakin.matrix": "datakin.CrossLearningScore",
    "datakin.CrossErrors.measure": "datakin.CrossLearningScore",
    "datakin.CrossLearningScore.as_in_paper": "datakin.CrossLearningScore",
    "datakin.CrossLearningScore.replace": "datakin.CrossLearningScore",
    "datakin.paper.as_in_paper": "datakin.CrossLearningScore",
    "datakin.paper.score": "datakin.CrossLearningScore",
    "datakin.explain_sources": "datakin.explain",
    "datakin.describe": "datakin.read_table",
}
LOOKS = ("datakin.CrossErrors.score", "datakin.CrossErrors.rank", "datakin.CrossErrors.matrix")
# Of options that are passed on, those that the call itself gives.
GIVEN = {
    "datakin.explain_sources": ("target", "source"),
    "datakin.describe": ("source", "label", "name"),
}


def is_there(room: str) -> bool:
    """Whether what a room needs is installed."""
    return room not in NEEDS or find_spec(NEEDS[room]) is not None


def name_of(entry: str) -> str:
    """Return an entry of the record without the default value."""
    return entry.split(" = ", 1)[0]


def room_of(entry: str) -> str:
    """Return the room, or the command line, that an entry belongs to."""
    if entry.startswith(COMMAND_LINE):
        return COMMAND_LINE
    return max((room for room in ROOMS if entry.startswith(f"{room}.")), key=len)


@cache
def objects() -> dict[str, Any]:
    """Return what each public name stands for, with the rooms that can be imported here."""
    found = {
        f"{room}.{name}": getattr(import_module(room), name)
        for room in ROOMS
        if is_there(room)
        for name in import_module(room).__all__
    }
    return {**found, MODEL: get_type_hints(found["datakin.load_model"])["return"]}


@cache
def homes() -> dict[int, str]:
    """Return the first public name of each class and function, by identity."""
    found: dict[int, str] = {}
    for name, thing in objects().items():
        found.setdefault(id(thing), name)
    return found


def members(kind: type) -> list[str]:
    """Return the public attributes and methods that a class has from datakin, not from elsewhere."""
    ours = [base for base in kind.__mro__ if base.__module__.split(".")[0] == "datakin"]
    names = {name for base in ours for name in (*vars(base), *inspect.get_annotations(base))}
    if getattr(kind, "_is_protocol", False):
        names |= {name for base in ours for name in getattr(base, "__protocol_attrs__", ())}
    if kind is objects()[MODEL]:
        names &= set(MODEL_HAS)
    return sorted(name for name in names if not name.startswith("_") and is_ours(kind, name))


def is_ours(kind: type, name: str) -> bool:
    """Whether datakin wrote a member; scikit-learn puts methods of its own into our classes."""
    found = inspect.getattr_static(kind, name, None)
    return type(found).__module__.split(".")[0] != "sklearn" or name == "predict_proba"


def method(kind: type, name: str) -> Any:
    """Return a method of a class as it is called, None for any other member."""
    found = inspect.getattr_static(kind, name, None)
    if isinstance(found, (classmethod, staticmethod)):
        return found.__func__
    return found if inspect.isfunction(found) else None


def parameters(call: Any) -> list[inspect.Parameter]:
    """Return the parameters of a call, without self and without those that take all that is left."""
    try:
        found = list(inspect.signature(call).parameters.values())
    except ValueError:  # exceptions that take what ValueError takes
        return []
    if is_dataclass(call) and all(
        p.kind is p.VAR_POSITIONAL or p.kind is p.VAR_KEYWORD for p in found
    ):
        return [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if each.default is MISSING else each.default,
            )
            for each in fields(call)
            if each.init
        ]
    rest = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p for p in found if p.kind not in rest and p.name not in ("self", "cls")]


def options(path: str, call: Any) -> Iterator[str]:
    """Yield the entries of a call's parameters."""
    for each in parameters(call):
        default = "" if each.default is each.empty else f" = {spelled(each.default)}"
        yield f"{path}({each.name}){default}"
    yield from passed_on(path)


def passed_on(path: str) -> Iterator[str]:
    """Yield the entries of ``**options``; their default values stand where they belong to."""
    if path in LOOKS:
        looks = objects()["datakin.CrossLearningScore"].names("look")
        yield from (f"{path}({name})" for name in looks)
    if path in PASSED_ON:
        for each in parameters(objects()[PASSED_ON[path]]):
            if each.name not in GIVEN.get(path, ()):
                yield f"{path}({each.name})"


def spelled(value: Any) -> str:
    """Return a default as text that is the same in every process."""
    return re.sub(r" at 0x\w+|\n", "", repr(value))


def entries(path: str, thing: Any) -> Iterator[str]:
    """Yield a public name, its options and, of a class, its members and theirs."""
    yield path
    if not inspect.isclass(thing):
        if callable(thing):
            yield from options(path, thing)
        return
    if thing.__name__ not in RESULTS:
        yield from options(path, thing)
    for name in members(thing):
        yield f"{path}.{name}"
        call = method(thing, name)
        if call is not None:
            yield from options(f"{path}.{name}", call)


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Yield each command of the command line: its words, itself and its context."""
    import typer

    from datakin.cli import app

    def walk(words: str, command: Any, parent: Any) -> Iterator[tuple[str, Any, Any]]:
        context = command.make_context(words.split()[-1], [], parent, resilient_parsing=True)
        yield words, command, context
        for name in getattr(command, "list_commands", lambda _: ())(context):
            yield from walk(f"{words} {name}", command.get_command(context, name), context)

    yield from walk(COMMAND_LINE, typer.main.get_command(app), None)


@cache
def flags() -> tuple[str, ...]:
    """Return every command, with its arguments and each spelling of its options."""
    found: list[str] = []
    for words, command, context in commands():
        found.append(words)
        for each in command.get_params(context):
            is_argument = each.param_type_name == "argument"
            spelt = [each.name.upper()] if is_argument else [*each.opts, *each.secondary_opts]
            found += [f"{words} {flag}" for flag in spelt]
    return tuple(found)


@cache
def surface() -> tuple[str, ...]:
    """Return every entry, sorted; those of a room that cannot be imported here are left out."""
    found = {
        entry
        for path, thing in objects().items()
        if homes()[id(thing)] == path
        for entry in entries(path, thing)
    }
    return tuple(sorted({*found, *objects(), *flags()}))
