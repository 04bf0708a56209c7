"""A study in one file: options that stand in ``datakin.toml`` need not be typed.

The file holds long options by their names, and ``target`` and ``sources``, which are tables. A table of
the file with the name of a command, such as ``[choose]``, holds options of that command alone. What is
found becomes words of the command line, so that it is checked as they are. Words that were typed win.
"""

from __future__ import annotations

import glob
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from datakin._core.addresses import is_url, printable
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin._core.files import say
from datakin._core.typed_options import escaped
from datakin.cli.usage import typed

FILE = "datakin.toml"
TABLES = ("target", "sources")  # keys of what is read; all others are options
NO_KEYS = ("config", "no-config", "help", "help-all", "method")
PLACES = ("out", "report", "plot", "model")  # one file for all commands would be replaced by each
FILES = (*PLACES, "test", "add-to", "checkpoint")
NEW_ROWS = ("rename", "delimiter", "encoding", "header", "table", "sheet", "query")  # of predict
NAMES = ("ignore", "keep")  # lists of columns
JOINED = ("learners", "models", "methods", "fail-on")  # lists that are typed with commas


# What an option takes: types of a value, and how they are said. A class may be called 1.
KINDS: dict[Any, tuple[Any, str]] = {
    str: ((str, int, float), "a text"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    bool: (bool, "true or false"),
    list: (list, "a text or a list of texts"),
    Path: (str, "the name of a file"),
}


def _placed(study: str, name: str) -> str:
    """Return a path of a study as it is from the current folder: it begins where the study is."""
    folder = os.path.dirname(study)
    if is_url(name) or name == "-" or os.path.isabs(name) or not folder:
        return name
    return os.path.join(glob.escape(folder) if glob.has_magic(name) else folder, name)


def with_study(command: Any, ctx: Any, words: list[str]) -> list[str]:
    """Return the words behind a command's name with those that its study adds."""
    params = command.get_params(ctx)
    if "config" not in command.kinds:
        return words
    found = command.make_parser(ctx).parse_args(args=list(words))[0]
    if found.get("help") or found.get("help_all") or found.get("no_config"):
        return words
    given = {name for name, value in found.items() if isinstance(value, (str, bool)) or value}
    study = str(found.get("config") or (FILE if os.path.isfile(FILE) else ""))
    if not study:
        return words
    options, tables = _read(study, ctx)
    flags = _flags(params)
    used: list[str] = []
    added: list[str] = []
    for key, value in options.items():
        if key in flags and flags[key].name not in given:
            added += _typed(study, flags[key], key, value, command.kinds[flags[key].name])
            used.append(key)
    named = list(_tables(study, tables, params, given, options))
    used += [key for key in dict.fromkeys(key for key, _ in named) if key not in used]
    added += [word for _, word in named if word.startswith("--target=")]
    files = [word for _, word in named if not word.startswith("--target=")]
    if used and "quiet" not in given and not ("quiet" in used and options["quiet"]):
        say(f"Options from {printable(study)}: {', '.join(used)}.")
    # For the report, and to hide the passwords in them.
    typed.set([*typed.get(), *added, *files])
    if "--" in words:
        return [*added, *words, *files]
    # Behind "--" nothing is an option, whatever a file is called.
    return [*words, *added, *(["--", *files] if files else [])]


def _read(path: str, ctx: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a file says to a command; refuse all of it that is wrong.

    Values by the names of options, with ``-``, where those for this command alone come first, and the
    target and the sources, where they are there.
    """
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
    keys = {*TABLES, *every, *(name for names in every.values() for name in names)}
    general: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key, value in held.items():
        name = key.replace("_", "-")
        if key in every and isinstance(value, dict):
            section = {each.replace("_", "-"): below for each, below in value.items()}
            for each in section:
                _check_key(f"{shown}, [{key}]", each, every[key])
            own |= section if key == wanted else {}
            continue
        _check_key(shown, name, keys)
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
    return {**general, **own}, tables


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
        flags = [(one, _flags(one.get_params(ctx))) for one in inner]
        if names := {key for one, held in flags if "config" in one.kinds for key in held}:
            found[name] = names - set(NO_KEYS)
    return found


def _flags(params: list[Any]) -> dict[str, Any]:
    """Return the options by their long names."""
    options = [param for param in params if param.param_type_name == "option"]
    return {flag[2:]: each for each in options for flag in each.opts if flag.startswith("--")}


def _fits(value: Any, kind: Any) -> bool:
    if kind is list:
        return all(_fits(each, str) for each in (value if isinstance(value, list) else [value]))
    return isinstance(value, KINDS[kind][0]) and isinstance(value, bool) == (kind is bool)


def _checked(path: str, key: str, value: Any, kind: Any) -> Any:
    """Return a value of the kind that an option takes, or say what was expected."""
    if not _fits(value, kind):
        got = str(value).lower() if isinstance(value, bool) else f"{value!r:.60}"
        raise DatakinError(f"{printable(path)}: {key} must be {KINDS[kind][1]}. Got {got}.")
    return value


def _typed(study: str, param: Any, key: str, value: Any, kind: Any) -> list[str]:
    """Return the words that stand for a value."""
    _checked(study, key, value, list if key in JOINED else kind)
    flag = f"--{key}"
    if isinstance(value, bool):
        return [flag] if value else list(param.secondary_opts[:1])
    values = [str(each) for each in value] if isinstance(value, list) else [str(value)]
    if key in JOINED:
        values = [",".join(values)]
    elif key in NAMES and isinstance(value, list):
        values = [escaped(each) for each in values]  # a comma in a list belongs to a name
    if key in FILES:
        values = [_placed(study, each) for each in values]
    return [f"{flag}={each}" for each in values]


def _tables(
    study: str, tables: dict[str, Any], params: list[Any], given: set[str], options: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield the words for the target and the sources, each with its key; none if tables were typed."""
    arguments = {param.name for param in params if param.param_type_name == "argument"}
    if given & arguments or not {"tables", "source"} & arguments:
        return
    sources = _checked(study, "sources", tables.get("sources", []), list)
    sources = sources if isinstance(sources, list) else [sources]
    target = tables.get("target")
    if target is not None:
        target = str(_checked(study, "target", target, str))
        known = {*given, *options}
        if "domain" not in known:
            yield "target", _placed(study, target)
        # One table holds all: its target is a value of the domain column.
        elif "target" in _flags(params) and "target" not in known:
            yield "target", f"--target={target}"
    if "source" in arguments and target is not None and len(sources) != 1:
        raise DatakinError(
            f"{printable(study)}: sources must be one table for datakin score. Got {len(sources)}: "
            f"{listed(sources)}; datakin rank takes several."
        )
    for each in sources:
        yield "sources", _placed(study, str(each))
