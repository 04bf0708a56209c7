"""Numbers and names in sentences: one way to write each, the same in every result."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, isfinite, sqrt

from datakin.results.record import escaped, plain

# What is said of a source. From Okabe and Ito's palette, which colour-blind readers can tell apart.
COLOURS = {"helps": "#009E73", "harmless": "#56B4E9", "unclear": "#E69F00", "hurts": "#D55E00"}
CALLS = tuple(COLOURS)
IN_POINTS = ("zero_one", "balanced")  # losses that are shares of wrong predictions
WORDS = {
    "zero_one": "error",
    "balanced": "balanced error",
    "squared": "root mean squared error",
    "absolute": "mean absolute error",
    "brier": "Brier loss",
    "log": "log loss",
}
# What a trial may bring, by the zone that stands for it.
CHANCES = {"positive": "a gain", "harmless": "a cost up to 2%", "negative": "a larger cost"}
FINE = 9.95  # percentages below it have one decimal
LARGE = (1e4, 1e9)  # numbers between these are written out
LONGEST = 40  # characters of a name in a sentence


def percent(share: float, digits: int | None = None) -> str:
    """Return a share as a number of percent, without its sign for percent.

    Examples
    --------
    >>> percent(0.371), percent(0.0246), percent(-0.0001)
    ('37', '2.5', '0')
    """
    value = 100 * share
    if digits is None:
        digits = 0 if abs(value) >= FINE else 1
    text = f"{value:.{digits}f}"
    return "0" if float(text) == 0 else text


def signed(share: float, digits: int | None = None) -> str:
    """Return a share in percent with its sign.

    Examples
    --------
    >>> signed(0.051), signed(-0.2), signed(0.0)
    ('+5.1%', '-20%', '0%')
    """
    text = percent(share, digits)
    return f"{text}%" if text.startswith("-") or text == "0" else f"+{text}%"


def fall_or_rise(gain: float) -> str:
    """Return what a loss does, in percent.

    Examples
    --------
    >>> fall_or_rise(0.05), fall_or_rise(-0.2)
    ('fall by 5.0%', 'rise by 20%')
    """
    return f"{'fall' if gain >= 0 else 'rise'} by {percent(abs(gain))}%"


def percent_interval(low: float, high: float) -> str:
    """Return an interval of shares in percent.

    Examples
    --------
    >>> percent_interval(-0.017, 0.064)
    '-1.7 to 6.4%'
    >>> percent_interval(0.1, 0.32)
    '10 to 32%'
    """
    digits = 1 if 100 * max(abs(low), abs(high)) < FINE else 0
    return f"{percent(low, digits)} to {percent(high, digits)}%"


def probability(share: float) -> str:
    """Return a probability that is never said to be certain.

    Examples
    --------
    >>> probability(0.876), probability(0.9999), probability(0.0001), probability(0.898)
    ('88%', 'more than 99%', 'less than 1%', '89.8%')
    """
    if not isfinite(share):
        return "not known"
    if share > 0.99:
        return "more than 99%"
    if share < 0.01:
        return "less than 1%"
    # Rounded, a probability must not look like the one that is asked for.
    return f"{floor(1000 * share) / 10}%" if 0.895 <= share < 0.9 else f"{share:.0%}"


def number(value: float) -> str:
    """Return a number with three or four digits that count, large ones written out."""
    return f"{value:,.0f}" if LARGE[0] <= abs(value) < LARGE[1] else f"{value:.3g}"


def amount(loss: str, error: float) -> str:
    """Return an error in the unit that people read: percent of rows, or the unit of the label.

    Examples
    --------
    >>> amount("zero_one", 0.131), amount("squared", 0.25), amount("brier", 0.1266)
    ('13.1%', '0.5', '0.127')
    """
    if loss in IN_POINTS:
        return f"{100 * error:.1f}%"
    if loss == "squared":
        return number(sqrt(error)) if isfinite(error) and error >= 0 else "-"
    return number(error)


def interval_amount(loss: str, low: float, high: float) -> str:
    """Return an interval of errors in the unit that people read."""
    first = amount(loss, low)
    return f"{first.removesuffix('%')} to {amount(loss, high)}"


def error_word(loss: str) -> str:
    """Return what an error in this loss is called, as `amount` writes it."""
    return WORDS.get(loss, f"{plain(loss)} loss")


def gain_loss(task: str) -> str:
    """Return the name of the loss that gains are stated in."""
    return "squared error" if task == "regression" else "Brier loss"


def short(name: str) -> str:
    """Return a name for a sentence: on its line, cut in the middle if it is long."""
    return cut_in_the_middle(escaped(name), LONGEST)


def cut_in_the_middle(text: str, most: int) -> str:
    """Return a text of at most so many characters: its beginning and its end."""
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - 1 - half]}…{text[-half:]}"


def named(names: Iterable[str], most: int = 4, noun: str = "sources") -> str:
    """Return names in a sentence; their number where they are too many.

    Examples
    --------
    >>> named(["a", "b", "c"]), named("abcdefg")
    ('a, b and c', '7 sources')
    """
    found = [short(name) for name in names]
    return f"{len(found)} {noun}" if len(found) > most else enumerated(found, most)


def enumerated(items: Iterable[str], limit: int = 6) -> str:
    """Return items as a list in a sentence.

    Examples
    --------
    >>> enumerated(["a", "b", "c"])
    'a, b and c'
    >>> enumerated("abcd", limit=2)
    'a, b and 2 more'
    """
    found = list(items)
    if len(found) > limit:
        found = [*found[:limit], f"{len(found) - limit} more"]
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} and {found[-1]}"
