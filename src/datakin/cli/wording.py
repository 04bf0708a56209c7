"""Sentences that name an option twice, in Python and as it is typed: here only the latter is printed.

Errors and notes come from rooms that serve both, with ``keep=['age'] / --keep age`` and the like in them.
"""

from __future__ import annotations

import ast
import re
import shlex

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
# What is quoted, unless it is the value of an option or the name of a parameter.
QUOTED = re.compile(
    rf"(?<!\w)(?:(?:[a-z_]+={VALUE}|--[a-z-]+(?: '[^']*')?)|({TEXT})(?! parameter))"
)
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
    kept: list[str] = []  # names of files and columns may look like options

    def put_aside(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        kept.append(found[1])
        return f"{MARK}{len(kept) - 1}{MARK}"

    said = QUOTED.sub(put_aside, text)
    for pattern, spelled in SPELLINGS:
        said = re.sub(pattern, spelled, said)
    return re.sub(rf"{MARK}(\d+){MARK}", lambda found: kept[int(found[1])], said)


def flag_of(name: str) -> str:
    """Return how an option is typed."""
    return FLAGS.get(name) or f"--{name.replace('_', '-')}"


def _from_same(found: re.Match[str]) -> str:
    """Return ``--keep`` for ``keep (--keep)`` and ``keep, --keep``; anything else stays."""
    flag = flag_of(found[1])
    return flag if flag == (found[2] or found[3]) else found[0]


def _from_python(found: re.Match[str]) -> str:
    """Return an option that stands in Python alone as it is typed."""
    name, value = found.groups()
    if name not in OPTIONS:
        return found[0]
    return flag_of(name) if value is None else _typed(flag_of(name), value) or found[0]


def _from_pair(found: re.Match[str]) -> str:
    """Return what is typed; a value that only Python has is typed, too."""
    value, option = found[2], found[3]
    if value is None or not re.fullmatch(r"--[a-z-]+", option) or option.startswith("--no-"):
        return option
    return _typed(option, value) or option


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


# How options are spelled in a sentence without quoted names, and how they are typed, in this order.
SPELLINGS = (
    (rf" on the command line(?=\))|, in Python {PYTHON}|{PYTHON}(?: / |, )(?=--)", ""),
    (rf"{PYTHON} \(({TYPED})\)", _from_pair),
    (r"\b(?:The )?'([a-z_]+)' parameter(?: \(--[a-z-]+\))?", lambda found: flag_of(found[1])),
    (r"\b[a-z_]+(?: / | of read_tables?, )(?=--)", ""),
    (r"\b([a-z_]+)(?: \((--[a-z-]+)\)|, (--[a-z-]+)\b)", _from_same),
    (r"\.[a-z_]+, (?=--)|(?<=see )\.[a-z_]+, or ", ""),
    (r"(?<=see )\.[a-z_]+", "--json"),
    (rf"(?<![-:]){PYTHON}", _from_python),
    (r",? or None(?: for all rows)?\b", ""),
    (r"\(positive\)", "(--positive)"),
    (r"score\(target, source\)", "datakin score"),
)
