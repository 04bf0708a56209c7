"""Sentences that name an option twice, in Python and as it is typed: here only the latter is printed.

Errors and notes come from rooms that serve both, with ``keep=['age'] / --keep age`` and the like in them.
"""

from __future__ import annotations

import ast
import re
import shlex

__all__ = ["for_typing"]

TEXT = r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
PLAIN = rf"(?:{TEXT}|[^\[\](){{}}'\"])*"
INNER = rf"(?:{TEXT}|[\[({{]{PLAIN}[\])}}]|[^\[\](){{}}'\"])*"
NESTED = rf"(?:{TEXT}|[\[({{]{INNER}[\])}}]|[^\[\](){{}}'\"])*"
VALUE = rf"(?:{TEXT}|[\[({{]{NESTED}[\])}}]|-?\d[\w.]*|True|False|None)"
PYTHON = rf"\b([a-z_]+)=({VALUE})?"  # an option as Python takes it, perhaps without a value
TYPED = r"--(?:'[^']*'|\"'\"|[^()'])*"  # an option, or several, as they are typed
OPTIONS = (  # those that messages name in Python alone
    *("label", "domain", "ignore", "keep", "group", "weight", "positive", "task", "delimiter"),
    *("encoding", "header", "table", "query", "read_rows", "skip_unusable", "max_rows", "cv"),
    *("models", "learners", "loss", "scaling", "zones", "repeats", "n_jobs", "calls", "screen"),
)
MARK = "\x00"  # around the number of a quoted text that is put aside
OPTION = re.compile(rf"[a-z_]+={VALUE}|--[a-z-]+(?: '[^']*')?")
QUOTED = re.compile(TEXT)
FLAGS = {"random_state": "--seed", "client": "--cluster"}


def for_typing(text: str) -> str:
    """Return a sentence for the command line: options only as they are typed.

    Examples
    --------
    >>> for_typing("'age' looks like an id (to use it: keep=['age'] / --keep age)")
    "'age' looks like an id (to use it: --keep age)"
    >>> for_typing("Say encoding='cp1252' (--encoding). The 'cv' parameter must be above 1.")
    'Say --encoding cp1252. --cv must be above 1.'
    """
    kept: list[str] = []
    said = _spelled(_hidden(text, kept))
    return re.sub(rf"{MARK}(\d+){MARK}", lambda found: kept[int(found[1])], said)


def _hidden(text: str, kept: list[str]) -> str:
    """Return a text with what is quoted put aside: names of files and columns may look like options.

    What stands in quotes as the value of an option, or is the name of a parameter, stays.
    """
    parts, at = [], 0
    while at < len(text):
        option = OPTION.match(text, at)
        quoted = None if text[at] not in "'\"" or _is_in_word(text, at) else QUOTED.match(text, at)
        if option and not _is_in_word(text, at):
            parts.append(option[0])
            at = option.end()
        elif quoted and not text.startswith(" parameter", quoted.end()):
            parts.append(f"{MARK}{len(kept)}{MARK}")
            kept.append(quoted[0])
            at = quoted.end()
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts)


def _is_in_word(text: str, at: int) -> bool:
    return at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")


def _spelled(text: str) -> str:
    """Return a sentence without quoted names, options only as they are typed."""
    text = text.replace(" on the command line)", ")")
    text = re.sub(rf"{PYTHON}(?: / |, )(?=--)", "", text)
    text = re.sub(rf"{PYTHON} \(({TYPED})\)", _from_pair, text)
    text = re.sub(rf", in Python {PYTHON}", "", text)
    text = re.sub(r"\b(?:The )?'([a-z_]+)' parameter(?: \(--[a-z-]+\))?", _from_name, text)
    text = re.sub(r"\b[a-z_]+ / (?=--)|\b[a-z_]+ of read_tables?, (?=--)", "", text)
    text = re.sub(r"\b([a-z_]+)(?: \(|, )--([a-z-]+)\b(\)?)", _from_same, text)
    text = re.sub(r"\.[a-z_]+, (?=--)|(?<=see )\.[a-z_]+, or ", "", text)
    text = re.sub(r"(?<=see )\.[a-z_]+", "--json", text)
    text = re.sub(rf"(?<![-:]){PYTHON}", _from_python, text)
    text = re.sub(r",? or None(?: for all rows)?\b", "", text)
    return text.replace("(positive)", "(--positive)").replace(
        "score(target, source)", "datakin score"
    )


def _from_pair(found: re.Match[str]) -> str:
    """Return what is typed; a value that only Python has is typed, too."""
    value, option = found[2], found[3]
    if value is None or not re.fullmatch(r"--[a-z-]+", option) or option.startswith("--no-"):
        return option
    return _typed(option, value) or option


def _from_name(found: re.Match[str]) -> str:
    return _flag(found[1])


def _from_same(found: re.Match[str]) -> str:
    """Return ``--keep`` for ``keep (--keep)`` and ``keep, --keep``; anything else stays."""
    if _flag(found[1]) != f"--{found[2]}":
        return found[0]
    had_opening = "(" in found[0]
    return f"--{found[2]}" if had_opening else f"--{found[2]}{found[3]}"


def _from_python(found: re.Match[str]) -> str:
    """Return an option that stands in Python alone as it is typed."""
    name, value = found.groups()
    if name not in OPTIONS:
        return found[0]
    return _flag(name) if value is None else _typed(_flag(name), value) or found[0]


def _flag(name: str) -> str:
    return FLAGS.get(name) or f"--{name.replace('_', '-')}"


def _typed(flag: str, value: str) -> str:
    """Return an option with a value of Python as it is typed; nothing if it cannot be in one word."""
    try:
        held = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return ""
    if isinstance(held, bool):
        return flag if held else f"--no-{flag[2:]}"
    if isinstance(held, (list, tuple)) and all(isinstance(each, str) for each in held):
        held = ",".join(held)
    return f"{flag} {shlex.quote(str(held))}" if isinstance(held, (str, int, float)) else ""
