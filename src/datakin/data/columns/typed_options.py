r"""Corrections as notes print them: in Python, and as they can be typed on the command line."""

from __future__ import annotations

from datakin._core.typed_options import typed

__all__ = ["convert_option", "recode_option"]


def recode_option(name: str, old: str, new: str) -> str:
    r"""Return how one value of a column is replaced; an empty new value is a missing one.

    Examples
    --------
    >>> print(recode_option("age", "> 89", "90"))
    recode={'age': {'> 89': '90'}} (--recode 'age:> 89=90')
    >>> print(recode_option("a:b", "<=1", ""))
    recode={'a:b': {'<=1': ''}} (--recode 'a\:b:<\=1=')
    """
    cli = typed("recode", name, ":", old, "=", new)
    return f"recode={{{name!r}: {{{old!r}: {new!r}}}}} ({cli})"


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
    return f"convert={{{name!r}: {how!r}}} ({typed('convert', name, f'={spelled}')})"
