"""Numbers and names in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["amount", "enumerated", "error_text", "plural", "points", "shortened"]

# Letters without shape that turn the direction of the text around them.
TURNS = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
LONGEST = 48  # characters of a name in a sentence; charts and tables have the whole of it


def shortened(name: str) -> str:
    r"""Return a name on one line, its middle left out if it is long.

    Examples
    --------
    >>> shortened("two\nlines")
    'two lines'
    >>> len(shortened("x" * 300))
    48
    >>> shortened("\u202etxt")
    '\\u202etxt'
    """
    line = " ".join(name.split()).translate(TURNS)
    if len(line) <= LONGEST:
        return line
    half = (LONGEST - 1) // 2
    return f"{line[: LONGEST - 1 - half]}…{line[-half:]}"


def enumerated(items: Iterable[str], limit: int = 6) -> str:
    """Return items as a sentence has them.

    Examples
    --------
    >>> enumerated(["a", "b", "c"])
    'a, b and c'
    >>> enumerated("abcd", limit=2)
    'a, b and 2 more'
    """
    found: Sequence[str] = list(items)
    if len(found) > limit:
        return f"{', '.join(found[:limit])} and {len(found) - limit} more"
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} and {found[-1]}"


def plural(n: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> plural(1, "source"), plural(2, "source")
    ('1 source', '2 sources')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def error_text(error: float, in_points: bool) -> str:
    """Return an error as a percentage, or as it is where it is no share of rows."""
    return f"{100 * error:.1f}%" if in_points else f"{error:.4g}"


def points(gain: float, in_points: bool) -> str:
    """Return the size of a gain, without its sign."""
    size = abs(gain)
    if not in_points:
        return f"{size:.4g}"
    text = f"{100 * size:.{1 if size >= 0.001 else 2}f}"
    return f"{text} point{'' if text == '1.0' else 's'}"


def amount(gain: float, in_points: bool) -> str:
    """Return a gain with its sign, in points where it is a share of rows."""
    sign = "+" if gain >= 0 else "\N{MINUS SIGN}"
    return f"{sign}{100 * abs(gain):.1f}" if in_points else f"{sign}{abs(gain):.4g}"
