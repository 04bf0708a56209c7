r"""Options as they are typed: a mark that belongs to a name has a backslash before it.

The column ``a=b`` is typed ``a\=b`` where ``=`` has a meaning of its own. What messages print to be
typed is made here, and what was typed is taken apart here.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

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


def name_options(option: str, names: Sequence[str]) -> tuple[str, str]:
    """Return an option that takes names of columns, in Python and on the command line.

    Examples
    --------
    >>> name_options("keep", ["a", "b"])
    ("keep=['a', 'b']", '--keep a,b')
    """
    python = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    cli = shlex.quote(",".join(map(escaped, names[:5])) + (",..." if len(names) > 5 else ""))
    return f"{option}=[{python}]", f"--{option} {cli}"


def recode_options(table: str, column: str, values: Mapping[str, str]) -> tuple[str, str]:
    """Return what recodes values, old -> new (empty: missing), in Python and on the command line.

    Without a table it is for all of them.
    """
    inner = f"{{{column!r}: {dict(values)!r}}}"
    python = f"recode={{{table!r}: {inner}}}" if table else f"recode={inner}"
    each = (typed("recode", column, ":", old, "=", new, table=table) for old, new in values.items())
    return python, " ".join(each)


def convert_options(table: str, column: str, python: str, cli: str) -> tuple[str, str]:
    """Return what converts a column, in Python and on the command line, from how both write it."""
    inner = f"{{{column!r}: {python}}}"
    python = f"convert={{{table!r}: {inner}}}" if table else f"convert={inner}"
    return python, typed("convert", column, f"={cli}", table=table)


def recode_option(name: str, old: str, new: str) -> str:
    r"""Return how one value of a column is replaced; an empty new value is a missing one.

    Examples
    --------
    >>> print(recode_option("age", "> 89", "90"))
    recode={'age': {'> 89': '90'}} (--recode 'age:> 89=90')
    >>> print(recode_option("a:b", "<=1", ""))
    recode={'a:b': {'<=1': ''}} (--recode 'a\:b:<\=1=')
    """
    return "{} ({})".format(*recode_options("", name, {old: new}))


def convert_option(name: str, how: str | tuple[float, float]) -> str:
    """Return how a column is converted: by the format of its dates, or by slope and intercept.

    Examples
    --------
    >>> print(convert_option("seen", "%d/%m/%y"))
    convert={'seen': '%d/%m/%y'} (--convert seen=%d/%m/%y)
    >>> print(convert_option("price", (0.001, 0)))
    convert={'price': (0.001, 0)} (--convert price=0.001,0)
    """
    spelled = how if isinstance(how, str) else ",".join(f"{number:g}" for number in how)
    return "{} ({})".format(*convert_options("", name, repr(how), spelled))
