"""Options of commands, in groups.

typer reads options from a function's signature. Here a parameter that is a group stands for all
options of the group, so that no command repeats them. A group is a dataclass with annotated fields, or a
`Given`, made from what another room says of its own options.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from pkgutil import resolve_name
from types import UnionType
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo

from datakin._core.exceptions import DatakinError
from datakin.cli.usage import AllHelp, Command, FromStudy

__all__ = [
    "Given",
    "Running",
    "Scoring",
    "Trying",
    "completed",
    "kind_of",
    "make_command",
    "register",
    "separated",
]

TAKES = {bool: "", int: "NUMBER", float: "NUMBER", Path: "FILE"}  # all others take a text
KINDS: dict[str, Any] = {"names": str, "word": str, "path": Path}
SETS = ("paper", "extended")  # one word for several names


def register(
    app: typer.Typer, panel: str, short: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a function to an app as a command, its options being made when the command is used.

    The libraries beneath the rooms that describe options take seconds to load: `datakin --help` does
    without them.

    Parameters
    ----------
    app : typer.Typer
    panel : str
        The group of commands that it stands in.
    short : str
        What it does, for the list of all commands.
    """

    def add(function: Callable[..., None]) -> Callable[..., None]:
        class Late(Command):
            def get_params(self, ctx: Any) -> Any:
                if not self.params:
                    made = make_command(function)
                    self.params, self.callback = made.params, made.callback
                    self.takes_study, self.kinds = made.takes_study, made.kinds
                return super().get_params(ctx)

        name, help = function.__name__, function.__doc__
        app.command(name, help=help, short_help=short, rich_help_panel=panel, cls=Late)(
            lambda: None
        )
        return function

    return add


def make_command(function: Callable[..., None], name: str | None = None) -> Any:
    """Return the command of a function, with every parameter that is a group spread into its options."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {}
    options: list[inspect.Parameter] = []
    for key, parameter in inspect.signature(function).parameters.items():
        if is_dataclass(hints[key]) or hasattr(hints[key], "parameters"):
            groups[key] = hints[key]
        else:
            options.append(_option(key, hints[key], parameter.default))
    members = {key: _members(group) for key, group in groups.items()}
    options += [each for inner in members.values() for each in inner]
    takes_study = any(getattr(group, "takes_study", False) for group in groups.values())
    beside = [*(_members(FromStudy) if takes_study else []), *_members(AllHelp)]

    @functools.wraps(function)
    def spread(**values: Any) -> None:
        for each in beside:
            del values[each.name]
        for key, group in groups.items():
            values[key] = group(**{each.name: values.pop(each.name) for each in members[key]})
        function(**values)

    options += beside
    for each in options:
        _name_what_it_takes(each)
    spread.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    spread.__annotations__ = {each.name: each.annotation for each in options}
    app = typer.Typer(add_completion=False)
    app.command(name, cls=Command)(spread)
    made: Any = typer.main.get_command(app)
    made.takes_study = takes_study
    made.kinds = {each.name: kind_of(each.annotation) for each in options}
    return made


def kind_of(annotation: Any) -> Any:
    """Return what an option takes: str, int, float, bool, Path, or list for several texts."""
    kind = get_args(annotation)[0]
    found = [each for each in get_args(kind) if each is not type(None)]
    if isinstance(kind, UnionType) and found:
        kind = found[0]
    return list if get_origin(kind) is list else kind


def _name_what_it_takes(each: inspect.Parameter) -> None:
    """Put a plain word into the help, in place of a type of Python."""
    about = each.annotation.__metadata__[0]
    if about.metavar is not None:
        return
    if isinstance(about, ArgumentInfo):
        about.metavar = each.name.upper()
    else:
        about.metavar = TAKES.get(kind_of(each.annotation), "TEXT")


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is MISSING else default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _members(group: Any) -> list[inspect.Parameter]:
    """Return the options of a group, marked with the panel of the help that they belong to."""
    if hasattr(group, "parameters"):
        found: list[inspect.Parameter] = group.parameters()
    else:
        hints = get_type_hints(group, include_extras=True)
        without = getattr(group, "without", ())
        shown = [each for each in fields(group) if each.name not in without]
        found = [_option(each.name, hints[each.name], each.default) for each in shown]
    for each in found:
        each.annotation.__metadata__[0].rich_help_panel = group.panel
    return found


class Given:
    """Values given for the options of another room; a subclass names the dataclass that has them.

    The metadata of a field may hold `help`, `choices` (words the shell completes), `kind` ("names":
    separated by commas; "word"; "path"), `flag` (another spelling), `none` (the value that stands for
    None), `metavar`, `only_with` (a field and the value of it that this one needs to have an effect),
    and `hidden` for a field that is not an option. Help that a field does not have comes from the
    docstring of its class.
    """

    fields_of: ClassVar[Any]  # the class, or where it is: "module:name"
    only: ClassVar[tuple[str, ...]] = ()  # some of the fields; all if empty
    panel: ClassVar[str | None] = None

    def __init__(self, **values: Any) -> None:
        self.values = values

    def options(self) -> dict[str, Any]:
        """Return the options as Python functions take them; refuse those without an effect."""
        for each in self._fields():
            other, needed = each.metadata.get("only_with", ("", None))
            if other and self.values[each.name] != each.default and self.values[other] != needed:
                value = "" if needed is True else f" {needed}"
                raise DatakinError(
                    f"{_flag(each.name)} has an effect only with {_flag(other)}{value}."
                )
        return {each.name: _value(each, self.values[each.name]) for each in self._fields()}

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the options as parameters of a command."""
        described = cls._described()
        hints, told = get_type_hints(described), _documented(described.__doc__ or "")
        return [
            _parameter(each, hints[each.name], *told.get(each.name, ("", ())))
            for each in cls._fields()
        ]

    @classmethod
    def _described(cls) -> Any:
        return resolve_name(cls.fields_of) if isinstance(cls.fields_of, str) else cls.fields_of

    @classmethod
    def _fields(cls) -> list[Field[Any]]:
        shown = [each for each in fields(cls._described()) if not each.metadata.get("hidden")]
        return [each for each in shown if not cls.only or each.name in cls.only]


def _parameter(
    each: Field[Any], hint: Any, help: str, choices: tuple[str, ...]
) -> inspect.Parameter:
    """Return a field as a parameter that typer understands."""
    about, default = each.metadata, each.default
    kind, more = KINDS.get(about.get("kind", ""), hint), {}
    if "kind" in about and default is None:
        kind = kind | None
    if "none" in about:
        kind, more = int, {"min": about["none"]}
    flag = about.get("flag") or _flag(each.name)
    if default is True:
        flag = f"{flag}/--no-{flag[2:]}"
    words = about.get("choices", choices)
    help, metavar = about.get("help", help), about.get("metavar")
    option = typer.Option(flag, help=help, metavar=metavar, autocompletion=completed(words), **more)
    return _option(each.name, Annotated[kind, option], default)


def completed(words: tuple[str, ...]) -> Callable[[str], list[str]] | None:
    """Return the function by which the shell completes a value with one of some words."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete if words else None


def _flag(name: str) -> str:
    return "--seed" if name == "random_state" else f"--{name.replace('_', '-')}"


def _value(each: Field[Any], value: Any) -> Any:
    """Return what was given for a field as the field holds it."""
    if each.metadata.get("kind") == "names" and value is not None:
        return value if value in SETS else separated(value)
    return None if "none" in each.metadata and value == each.metadata["none"] else value


def _documented(docstring: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the first sentence and the choices of each parameter in a numpydoc docstring."""
    text = inspect.cleandoc(docstring).partition("Parameters\n----------\n")[2]
    text = re.split(r"\n\n\w+\n-+\n", text)[0]
    found = {}
    for name, kind, about in re.findall(r"^(\w+) : (.*)\n((?:    .*\n?)+)", text, re.MULTILINE):
        sentence = re.split(r"(?<=\.)\s", " ".join(about.split()))[0]
        words = tuple(re.findall(r'"(\w+)"', kind)) if kind.startswith("{") else ()
        choices = f"{' or '.join(words)}. " if words else ""
        found[name] = (choices + sentence, words)
    return found


def separated(text: str) -> list[str]:
    """Return names that were separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


class Running(Given):
    """The seed, and how many threads."""

    fields_of = "datakin.cross_errors.options:Options"
    only: ClassVar[tuple[str, ...]] = ("random_state", "n_jobs")


class Trying(Running):
    """The seed, and the loss that errors are measured in."""

    only = ("loss", "random_state")


class Choosing(Given):
    """Options of choose."""

    fields_of = "datakin.choosing.act:ChoiceOptions"
    panel = "How the choice is made"


class Scoring(Running):
    """Options on how scores are computed: those of the Cross-Learning Score."""

    only = ()
    panel = "How scores are computed"

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the options, and the one that is gone."""
        gone = _option("method", Annotated[str | None, typer.Option(hidden=True)], None)
        return [*super().parameters(), gone]

    def options(self) -> dict[str, Any]:
        """Return the options as Python functions take them."""
        method = self.values["method"]
        if method is not None:
            name = "NAME" if method == "cls" else method
            raise DatakinError(
                f"The --method option is gone: 'datakin distance {name} TABLES... --label COLUMN' "
                f"measures a distance; score, rank and matrix compute the Cross-Learning Score."
            )
        return super().options()
