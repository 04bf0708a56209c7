"""A study in one file: options that stand in ``datakin.toml`` need not be typed.

The file holds long options by their names, and ``target`` and ``sources``, which are tables. A table of
the file with the name of a command, such as ``[choose]``, holds options of that command alone. What is
found becomes words of the command line, so that it is checked as they are. Words that were typed win.
"""

from __future__ import annotations

import glob
import os
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datakin._core.addresses import is_url, printable, without_password
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin._core.streams import say
from datakin._core.typed_options import escaped
from datakin.cli.usage import typed

__all__ = ["FILE", "with_study"]

FILE = "datakin.toml"
TABLES = ("target", "sources")  # keys of what is read; all others are options
NO_KEYS = ("config", "no-config", "help", "help-all", "method")
PLACES = ("out", "report", "plot", "model")  # one file for all commands would be replaced by each
FILES = (*PLACES, "test", "add-to", "checkpoint")
NEW_ROWS = ("rename", "delimiter", "encoding", "header", "table", "sheet", "query")  # of predict
NAMES = ("ignore", "keep")  # lists of columns
JOINED = ("learners", "models", "methods", "fail-on")  # lists that are typed with commas


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or _is_number(value)  # a class may be called 1


def _are_texts(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, list) and all(map(_is_text, value)))


# What an option takes: the test of a value, and how it is said.
FITS: dict[Any, Callable[[Any], bool]] = {
    str: _is_text,
    int: lambda value: _is_number(value) and isinstance(value, int),
    float: _is_number,
    bool: lambda value: isinstance(value, bool),
    list: _are_texts,
    Path: lambda value: isinstance(value, str),
}
SAID = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a text or a list of texts",
    Path: "the name of a file",
}


@dataclass(frozen=True)
class Study:
    """What a file says to one command.

    Parameters
    ----------
    path : str
        The file, as it was found or given.
    folder : str
        Where it is: its paths begin there.
    options : mapping of str to Any
        Values by the names of options, with ``-``; those for this command alone come first.
    tables : mapping of str to Any
        The target and the sources, where they are there.
    """

    path: str
    folder: str
    options: Mapping[str, Any]
    tables: Mapping[str, Any]

    def place(self, name: str) -> str:
        """Return a path as it is from the current folder."""
        if is_url(name) or name == "-" or os.path.isabs(name) or not self.folder:
            return name
        folder = glob.escape(self.folder) if glob.has_magic(name) else self.folder
        return os.path.join(folder, name)


def with_study(command: Any, ctx: Any, words: list[str]) -> list[str]:
    """Return the words of a command with those that its study adds.

    Parameters
    ----------
    command : Command
    ctx : typer.Context
    words : list of str
        What was typed behind the name of the command.
    """
    params = command.get_params(ctx)
    if not command.takes_study:
        return words
    found = command.make_parser(ctx).parse_args(args=list(words))[0]
    if found.get("help") or found.get("help_all") or found.get("no_config"):
        return words
    given = {name for name, value in found.items() if isinstance(value, (str, bool)) or value}
    path = found.get("config") or (FILE if os.path.isfile(FILE) else None)
    if path is None:
        return words
    study = _read(str(path), ctx)
    used: list[str] = []
    added: list[str] = []
    tables: list[str] = []
    for key, value in study.options.items():
        param = _param(params, key)
        if param is not None and param.name not in given:
            value = _checked(study.path, key, value, command.kinds[param.name])
            added += _typed(study, param, key, value)
            used.append(key)
    has_domain = "domain" in given or "domain" in study.options
    for key, word in _tables(study, params, given, has_domain=has_domain):
        used += [key] if key not in used else []
        (added if word.startswith("--target=") else tables).append(word)
    if used and not {"quiet"} & {*given, *(key for key in used if study.options.get(key))}:
        say(f"Options from {printable(study.path)}: {', '.join(used)}.")
    # Behind "--" nothing is an option, whatever a file is called.
    behind = ["--", *tables] if tables else []
    whole = [*words, *added, *behind] if "--" not in words else [*added, *words, *tables]
    _remember([*added, *tables])
    return whole


def _remember(words: list[str]) -> None:
    """Keep words beside those that were typed: for the report, and to hide the passwords in them."""
    from datakin.cli.output import command_line

    typed.set([*typed.get(), *words])
    shown = (printable(without_password(word)) for word in words)
    command_line.set(f"{command_line.get() or 'datakin'} {shlex.join(shown)}".rstrip())


def _read(path: str, ctx: Any) -> Study:
    """Return what a file says to a command; refuse all of it that is wrong."""
    shown = printable(path)
    try:
        with open(path, "rb") as file:
            held = tomllib.loads(file.read().decode("utf-8-sig"))  # some editors begin with a mark
    except OSError as error:
        raise DatakinError(
            f"The file of options {shown!r} could not be read: {error.strerror}."
        ) from None
    except RecursionError:
        raise DatakinError(
            f"{shown} must be a TOML file. Got brackets in too many brackets."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DatakinError(
            f'{shown} must be a TOML file, with lines such as label = "died". Got: {error}.'
        ) from None
    every = _options_of_all(ctx)
    wanted = ctx.command_path.split()[1]
    general: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key, value in held.items():
        name = key.replace("_", "-")
        if key in every and isinstance(value, dict):
            own |= _section(shown, key, value, every[key], key == wanted)
            continue
        _check_key(shown, name, {*TABLES, *every, *(n for names in every.values() for n in names)})
        if name in every:
            raise DatakinError(
                f"{shown}: [{key}] must be a table of options of datakin {key}. Got {value!r:.60}."
            )
        if name in PLACES:
            raise DatakinError(
                f"{shown}: {key} must stand below a command, such as [choose] or [rank]: every command "
                f"writes a file of its own."
            )
        general[name] = value
    tables = {key: general.pop(key) for key in TABLES if key in general}
    if wanted == "predict":  # columns to keep, for one, are something else there
        general = {key: value for key, value in general.items() if key in NEW_ROWS}
    return Study(path, os.path.dirname(path), {**general, **own}, tables)


def _section(
    path: str, name: str, held: dict[str, Any], known: set[str], is_wanted: bool
) -> dict[str, Any]:
    """Return the options that stand below the name of a command."""
    found = {key.replace("_", "-"): value for key, value in held.items()}
    for key in found:
        _check_key(f"{path}, [{name}]", key, known)
    return found if is_wanted else {}


def _check_key(path: str, key: str, known: set[str]) -> None:
    if key not in known:
        raise DatakinError(
            f"{path}: no option is called {key!r}.{suggest(key, sorted(known))} The keys are target, "
            f"sources and the long options of the command line, without the dashes before them."
        )


def _options_of_all(ctx: Any) -> dict[str, set[str]]:
    """Return the names of the options of each command that takes a study; of all distances together."""
    root = ctx.find_root().command
    found: dict[str, set[str]] = {}
    for name in root.list_commands(ctx):
        command = root.get_command(ctx, name)
        inner = [command]
        if hasattr(command, "list_commands"):
            inner = [command.get_command(ctx, each) for each in command.list_commands(ctx)]
        names = {each for one in inner for p in _takers(one, ctx) for each in _names(p)}
        if names:
            found[name] = names - set(NO_KEYS)
    return found


def _takers(command: Any, ctx: Any) -> list[Any]:
    """Return the options of a command, none if it takes no study."""
    params = command.get_params(ctx)
    options = [param for param in params if param.param_type_name == "option"]
    return options if getattr(command, "takes_study", False) else []


def _names(param: Any) -> list[str]:
    return [flag[2:] for flag in param.opts if flag.startswith("--")]


def _param(params: list[Any], key: str) -> Any:
    """Return the option of a name, None if the command has none."""
    options = (param for param in params if param.param_type_name == "option")
    return next((param for param in options if key in _names(param)), None)


def _checked(path: str, key: str, value: Any, kind: Any) -> Any:
    """Return a value of the kind that an option takes, or say what was expected."""
    kind = list if key in JOINED else kind
    if not FITS[kind](value):
        got = str(value).lower() if isinstance(value, bool) else f"{value!r:.60}"
        raise DatakinError(f"{printable(path)}: {key} must be {SAID[kind]}. Got {got}.")
    return value


def _typed(study: Study, param: Any, key: str, value: Any) -> list[str]:
    """Return the words that stand for a value."""
    flag = f"--{key}"
    if isinstance(value, bool):
        return [flag] if value else list(param.secondary_opts[:1])
    values = [str(each) for each in value] if isinstance(value, list) else [str(value)]
    if key in JOINED:
        values = [",".join(values)]
    elif key in NAMES and isinstance(value, list):
        values = [escaped(each) for each in values]  # a comma in a list belongs to a name
    if key in FILES:
        values = [study.place(each) for each in values]
    return [f"{flag}={each}" for each in values]


def _tables(
    study: Study, params: list[Any], given: set[str], *, has_domain: bool
) -> Iterator[tuple[str, str]]:
    """Yield the words for the target and the sources, each with its key; none if tables were typed."""
    arguments = [param.name for param in params if param.param_type_name == "argument"]
    if given & set(arguments) or not {"tables", "source"} & set(arguments):
        return
    path = printable(study.path)
    sources = _checked(study.path, "sources", study.tables.get("sources", []), list)
    sources = sources if isinstance(sources, list) else [sources]
    target = study.tables.get("target")
    if target is not None:
        target = str(_checked(study.path, "target", target, str))
    if has_domain:
        # One table holds all: its target is a value of the domain column.
        named = "target" in given or "target" in study.options
        if target is not None and _param(params, "target") is not None and not named:
            yield "target", f"--target={target}"
    elif target is not None:
        yield "target", study.place(target)
    if "source" in arguments and target is not None and len(sources) != 1:
        raise DatakinError(
            f"{path}: sources must be one table for datakin score. Got {len(sources)}: "
            f"{listed(sources)}; datakin rank takes several."
        )
    for each in sources:
        yield "sources", study.place(str(each))
