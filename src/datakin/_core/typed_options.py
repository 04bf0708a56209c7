r"""Options as they are typed: a mark that belongs to a name has a backslash before it.

The column ``a=b`` is typed ``a\=b`` where ``=`` has a meaning of its own. What messages print to be
typed is made here, and what was typed is taken apart here.
"""

from __future__ import annotations

import re
import shlex

__all__ = ["cut", "escaped", "for_table", "typed", "unescaped"]

MARKS = r"\\:=,"
# Corrections for all tables, as they stand in a text: in Python, then to be typed.
CORRECTION = re.compile(r"\b(recode|convert)=(\{.*?\}) \(--\1 ((?:'[^']*'|[^\s')]|\"'\")+)\)")


def escaped(name: str) -> str:
    r"""Return a name with a backslash before each mark.

    Examples
    --------
    >>> escaped("temp=C")
    'temp\\=C'
    """
    return re.sub(f"([{MARKS}])", r"\\\1", name)


def unescaped(text: str) -> str:
    """Return the name that was typed."""
    return re.sub(rf"\\([{MARKS}])", r"\1", text)


def cut(text: str, mark: str, most: int = 0) -> list[str]:
    r"""Return the parts between marks that have no backslash before them.

    Examples
    --------
    >>> cut(r"a\,b,c", ",")
    ['a\\,b', 'c']
    """
    parts = [""]
    for found in re.finditer(rf"\\.|{re.escape(mark)}|.", text, re.DOTALL):
        if found.group() == mark and not (most and len(parts) > most):
            parts.append("")
        else:
            parts[-1] += found.group()
    return parts


def typed(option: str, *parts: str, table: str = "") -> str:
    r"""Return an option to be typed: names and marks in turn, perhaps for one table.

    Examples
    --------
    >>> typed("recode", "sex", ":", "m", "=", "male", table="mine")
    '--recode mine::sex:m=male'
    >>> typed("rename", "a=b", "=", "c d")
    "--rename 'a\\=b=c d'"
    """
    text = "".join(part if i % 2 else escaped(part) for i, part in enumerate(parts))
    return f"--{option} {shlex.quote(f'{escaped(table)}::{text}' if table else text)}"


def for_table(text: str, table: str) -> str:
    r"""Return a text in which the corrections that it names are for one table.

    Examples
    --------
    >>> print(for_table("say recode={'age': {'> 89': '90'}} (--recode 'age:> 89=90').", "mine"))
    say recode={'mine': {'age': {'> 89': '90'}}} (--recode 'mine::age:> 89=90').
    """

    def named(found: re.Match[str]) -> str:
        option, python, cli = found.groups()
        cli = shlex.quote(f"{escaped(table)}::{shlex.split(cli)[0]}")
        return f"{option}={{{table!r}: {python}}} (--{option} {cli})"

    return CORRECTION.sub(named, text)
