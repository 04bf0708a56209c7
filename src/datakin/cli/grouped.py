"""Options in groups, and options made from the fields of a dataclass.

typer reads options from a function's signature. Here a parameter that is a group stands for all
options of the group, so that no command has to repeat them, and what another room says of its own
options (name, default, help, choices) need not be said again.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_type_hints

import typer

from datakin._core.exceptions import DatakinError

__all__ = ["Given", "choice", "grouped", "separated"]

KINDS: dict[str, Any] = {"names": str, "word": str, "path": Path}
SPELLED = {"random_state": "--seed"}
SETS = ("extended",)  # one word for several names


class Given:
    """Values given for the options of another room; a subclass names the dataclass that has them.

    The metadata of a field may hold `help`, `choices` (words the shell completes), `kind` ("names":
    separated by commas; "word"; "path"), `flag` (another spelling), `none` (the value that stands for
    None), `metavar`, `only_with` (a field and the value of it that this one needs to have an effect),
    and `hidden` for a field that is not an option. Help that a field does not have comes from the
    docstring of its class.
    """

    fields_of: ClassVar[Any]
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
        hints = get_type_hints(cls.fields_of)
        documented = _documented(cls.fields_of.__doc__ or "")
        return [
            _parameter(each, hints[each.name], documented.get(each.name, ("", ())))
            for each in cls._fields()
        ]

    @classmethod
    def _fields(cls) -> list[Field[Any]]:
        shown = [each for each in fields(cls.fields_of) if not each.metadata.get("hidden")]
        return [each for each in shown if not cls.only or each.name in cls.only]


def _parameter(each: Field[Any], hint: Any, described: tuple[str, tuple[str, ...]]) -> Any:
    """Return a field as a parameter that typer understands."""
    about, default = each.metadata, each.default
    kind = KINDS.get(about.get("kind", ""), hint)
    if "kind" in about and default is None:
        kind = kind | None
    more = {key: about[key] for key in ("metavar",) if key in about}
    if "none" in about:
        kind, more = int, {**more, "min": about["none"]}
    flag = about.get("flag") or _flag(each.name)
    if default is True:
        flag = f"{flag}/--no-{flag[2:]}"
    option = choice(
        about.get("help", described[0]), about.get("choices", described[1]), flag, **more
    )
    return inspect.Parameter(
        each.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, option],
    )


def _flag(name: str) -> str:
    return SPELLED.get(name, f"--{name.replace('_', '-')}")


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


def choice(help: str, words: tuple[str, ...] = (), flag: str | None = None, **more: Any) -> Any:
    """Return an option with words that the shell completes its value with."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    flags = () if flag is None else (flag,)
    return typer.Option(*flags, help=help, autocompletion=complete if words else None, **more)


def separated(text: str) -> list[str]:
    """Return names that were separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with every parameter that is a group spread into its options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]) or hasattr(hints[name], "parameters"):
            groups[name] = hints[name]
        else:
            parameters.append(parameter.replace(annotation=hints[name]))
    spread_into = {name: _parameters(group) for name, group in groups.items()}
    parameters += [each for inner in spread_into.values() for each in inner]

    @functools.wraps(command)
    def spread(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{p.name: values.pop(p.name) for p in spread_into[name]})
        command(**values)

    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    spread.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    spread.__annotations__ = {p.name: p.annotation for p in keyword}
    return spread


def _parameters(group: Any) -> list[inspect.Parameter]:
    """Return the options of a group, marked with the panel of the help that they belong to."""
    found = group.parameters() if hasattr(group, "parameters") else _own(group)
    for parameter in found:
        parameter.annotation.__metadata__[0].rich_help_panel = group.panel
    return list(found)


def _own(group: Any) -> list[inspect.Parameter]:
    """Return the fields of a dataclass whose types are annotated with options."""
    inner = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
            annotation=inner[each.name],
        )
        for each in fields(group)
    ]
