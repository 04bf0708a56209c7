"""Options of commands, in groups: each option is described once, by a field of a dataclass.

typer reads options from a function's signature. Here a parameter that is a group, a `Given`, stands for
all options of the group, so that no command repeats them. The fields are those of the group itself, or
of a dataclass in another room that says of its own options what `option` says here.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, field, fields
from pathlib import Path
from pkgutil import resolve_name
from types import UnionType
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer

from datakin._core.exceptions import DatakinError
from datakin.cli.usage import Command, show_all
from datakin.cli.wording import flag_of

TAKES = {bool: "", int: "NUMBER", float: "NUMBER", Path: "FILE"}  # all others take a text
KINDS: dict[str, Any] = {"names": str, "word": str, "path": Path}
SETS = ("learners", "paper", "extended")  # one word for several names


def option(help: str, default: Any = None, **about: Any) -> Any:
    """Return a field, or the default of a parameter, that describes an option; `about` is for `Given`."""
    return field(default=default, metadata={"help": help, **about})


HELP_ALL = option("Show all options and exit.", False, callback=show_all)


def argument(help: str, default: Any = MISSING, **about: Any) -> Any:
    """Return the default of a parameter that is typed without a flag."""
    return option(help, default, is_argument=True, **about)


class Given:
    """Values given for a group of options.

    The metadata of a field may hold `help`, `choices` (words the shell completes), `kind` ("names":
    separated by commas; "word"; "path"), `flag` (other spellings), `none` (the value that stands for
    None), `min`, `metavar`, `panel`, `only_with` (a field and the value of it that this one needs to
    have an effect), `parse` (makes of what was typed what Python functions take), `apart` for an option
    that they do not take, and `hidden` for a field that is not an option. Help that a field does not
    have comes from the docstring of its class.
    """

    fields_of: ClassVar[Any] = None  # another class that has the fields, or where: "module:name"
    only: ClassVar[tuple[str, ...]] = ()  # some of the fields; all if empty
    without: ClassVar[tuple[str, ...]] = ()
    panel: ClassVar[str | None] = None  # the part of the help that the options belong to

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def options(self) -> dict[str, Any]:
        """Return the options as Python functions take them; refuse those without an effect."""
        every = [each for each in self._fields() if not each.metadata.get("apart")]
        for each in every:
            other, needed = each.metadata.get("only_with", ("", None))
            if (
                other
                and getattr(self, each.name) != each.default
                and getattr(self, other) != needed
            ):
                value = "" if needed is True else f" {needed}"
                raise DatakinError(
                    f"{flag_of(each.name)} has an effect only with {flag_of(other)}{value}."
                )
        return {each.name: _value(each, getattr(self, each.name)) for each in every}

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the options as parameters of a command."""
        described = cls._described()
        hints, told = get_type_hints(described), _documented(described.__doc__ or "")
        return [
            _parameter(each.name, each, hints[each.name], cls.panel, *told.get(each.name, ()))
            for each in cls._fields()
        ]

    @classmethod
    def _described(cls) -> Any:
        found = cls.fields_of or cls
        return resolve_name(found) if isinstance(found, str) else found

    @classmethod
    def _fields(cls) -> list[Field[Any]]:
        shown = [each for each in fields(cls._described()) if not each.metadata.get("hidden")]
        left = [each for each in shown if each.name not in cls.without]
        return [each for each in left if not cls.only or each.name in cls.only]


def _value(each: Field[Any], value: Any) -> Any:
    """Return what was given for a field as the field holds it."""
    about = each.metadata
    if "parse" in about:
        return about["parse"](value)
    if about.get("kind") == "names" and value is not None:
        return value if value in SETS else separated(value)
    return None if "none" in about and value == about["none"] else value


def _parameter(
    name: str,
    each: Field[Any],
    hint: Any,
    panel: str | None = None,
    help: str = "",
    choices: tuple[str, ...] = (),
) -> inspect.Parameter:
    """Return a field as a parameter that typer understands."""
    about, default = each.metadata, each.default
    kind = KINDS.get(about.get("kind", ""), hint)
    if "kind" in about and default is None:
        kind = kind | None
    if "none" in about:
        kind = int
    words = about.get("choices", choices)

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    is_argument = about.get("is_argument", False)
    flag = about.get("flag") or flag_of(name)
    if default is True and "/" not in flag:
        flag = f"{flag}/--no-{flag[2:]}"
    word = name.upper() if is_argument else TAKES.get(_kind_of(kind), "TEXT")
    make = typer.Argument if is_argument else functools.partial(typer.Option, *flag.split())
    made = make(
        help=about.get("help", help),
        metavar=about.get("metavar") or word,
        min=about.get("min", about.get("none")),
        autocompletion=complete if words else None,
        rich_help_panel=about.get("panel", panel),
        callback=about.get("callback"),
        is_eager="callback" in about,
    )
    default = inspect.Parameter.empty if default is MISSING else default
    only = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, only, default=default, annotation=Annotated[kind, made])


def _kind_of(hint: Any) -> Any:
    """Return what an option takes: str, int, float, bool, Path, or list for several texts."""
    found = [each for each in get_args(hint) if each is not type(None)]
    kind = found[0] if isinstance(hint, UnionType) else hint
    return list if get_origin(kind) is list else kind


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


def make_command(function: Callable[..., None], name: str | None = None) -> Any:
    """Return the command of a function, with every parameter that is a group spread into its options."""
    hints = get_type_hints(function)
    given = inspect.signature(function).parameters
    groups = {key: hints[key] for key in given if issubclass(_kind_of(hints[key]), Given)}
    own = [_parameter(key, given[key].default, hints[key]) for key in given if key not in groups]
    members = {key: group.parameters() for key, group in groups.items()}
    options = [*own, *(each for inner in members.values() for each in inner)]
    options.append(_parameter("help_all", HELP_ALL, bool))

    @functools.wraps(function)
    def spread(help_all: bool, **values: Any) -> None:
        for key, group in groups.items():
            values[key] = group(**{each.name: values.pop(each.name) for each in members[key]})
        function(**values)

    spread.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    spread.__annotations__ = {each.name: each.annotation for each in options}
    app = typer.Typer(add_completion=False)
    app.command(name, cls=Command)(spread)
    made: Any = typer.main.get_command(app)
    made.kinds = {each.name: _kind_of(get_args(each.annotation)[0]) for each in options}
    return made


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
                    self.params, self.callback, self.kinds = made.params, made.callback, made.kinds
                return super().get_params(ctx)

        name, help = function.__name__, function.__doc__
        app.command(name, help=help, short_help=short, rich_help_panel=panel, cls=Late)(
            lambda: None
        )
        return function

    return add


class Running(Given):
    """The seed, and how many threads."""

    fields_of = "datakin.cross_errors.options:Options"
    only = ("random_state", "n_jobs")


class Trying(Given):
    """The seed, and the loss that errors are measured in."""

    fields_of = "datakin.cross_errors.options:Options"
    only = ("loss", "random_state")


class Scoring(Given):
    """Options on how scores are computed: those of the Cross-Learning Score."""

    fields_of = "datakin.cross_errors.options:Options"
    panel = "How scores are computed"


class Choosing(Given):
    """Options of choose."""

    fields_of = "datakin.choosing.act:ChoiceOptions"
    panel = "How the choice is made"
