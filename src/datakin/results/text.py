"""Small plain tables for the terminal."""

from __future__ import annotations

from typing import Any

import pandas as pd

__all__ = ["cell", "plain", "table"]

LONGEST = 60  # characters of a name in a table


def plain(name: str) -> str:
    r"""Return a name that stays on its line: control characters as escapes, the end cut off.

    Examples
    --------
    >>> plain("two\nlines")
    'two\\nlines'
    """
    text = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in name)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def cell(value: Any) -> str:
    """Format one value of a table."""
    return f"{value:.4f}" if isinstance(value, float) else plain(str(value))


def table(frame: pd.DataFrame, limit: int = 60) -> str:
    """Return a frame as aligned text, numbers to the right."""
    shown = frame.head(limit)
    columns = [[plain(str(name)), *map(cell, shown[name])] for name in shown.columns]
    numeric = [pd.api.types.is_numeric_dtype(shown[name]) for name in shown.columns]
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for row in zip(*columns, strict=True):
        parts = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    if len(frame) > limit:
        lines.append(f"... and {len(frame) - limit} more rows")
    return "\n".join(lines)
