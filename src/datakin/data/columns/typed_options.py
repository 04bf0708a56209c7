r"""Corrections as notes print them: in Python, and as they can be typed on the command line."""

from __future__ import annotations

from collections.abc import Mapping

from datakin._core.typed_options import typed

__all__ = ["convert_option", "convert_options", "recode_option", "recode_options"]


def recode_options(table: str, column: str, values: Mapping[str, str]) -> tuple[str, str]:
    """Return what recodes the values of a column, in Python and on the command line.

    Parameters
    ----------
    table : str
        Empty for all tables.
    column : str
    values : mapping of str to str
        Old value -> new value; an empty one is a missing value.
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
