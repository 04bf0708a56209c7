"""A choice in words: the headline, the sentences behind it, and the table of its sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite, sqrt
from typing import TYPE_CHECKING

import pandas as pd

from datakin._core.exceptions import counted
from datakin.results.record import plain, table

if TYPE_CHECKING:
    from datakin.results.choice import Choice

__all__ = [
    "CALLS",
    "COLOURS",
    "IN_POINTS",
    "amount",
    "decision_loss",
    "error_word",
    "evidence_of",
    "headline_of",
    "interval_text",
    "legend_of",
    "percent",
    "probability",
    "remarks_of",
    "shown_table",
    "text_of",
]

# What is said of a source, and the tone of it.
CALLS = {"helps": "good", "harmless": "neutral", "unclear": "open", "hurts": "bad"}
# From Okabe and Ito's palette, which colour-blind readers can tell apart.
COLOURS = {"helps": "#009E73", "harmless": "#56B4E9", "unclear": "#E69F00", "hurts": "#D55E00"}
IN_POINTS = ("zero_one", "balanced")  # losses that are shares of wrong predictions
NAMED = 8  # sources that a sentence names
LARGE = (1e4, 1e9)  # numbers between these are written out


def percent(share: float, digits: int | None = None, *, signed: bool = False) -> str:
    """Return a share as a percentage, without its sign for percent.

    Examples
    --------
    >>> percent(0.371), percent(0.004), percent(-0.0001), percent(0.051, 1, signed=True)
    ('37', '0.4', '0', '+5.1')
    """
    value = 100 * share
    if digits is None:
        digits = 0 if abs(value) >= 0.95 else 1
    text = f"{value:{'+' if signed else ''}.{digits}f}"
    return "0" if float(text) == 0 else text


def probability(share: float) -> str:
    """Return a probability that is never said to be certain.

    Examples
    --------
    >>> probability(0.876), probability(0.9999), probability(0.0001)
    ('88%', 'more than 99%', 'less than 1%')
    """
    if share > 0.99:
        return "more than 99%"
    return "less than 1%" if share < 0.01 else f"{share:.0%}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if LARGE[0] <= abs(value) < LARGE[1] else f"{value:.4g}"


def _root(value: float) -> str:
    return f"{sqrt(value):.3g}" if isfinite(value) and value >= 0 else "-"


def amount(choice: Choice, error: float) -> str:
    """Return an error in the unit that people read.

    Percent of rows; or the squared error with its root, which has the unit of the label.
    """
    if choice.loss in IN_POINTS:
        return f"{100 * error:.1f}%"
    if choice.loss == "squared":
        return f"{_number(error)} (root {_root(error)})"
    return _number(error)


def interval_text(choice: Choice) -> str:
    """Return the interval of the error, in the unit that people read."""
    low, high = choice.interval
    if choice.loss == "squared":
        ends = f"{_number(low)} to {_number(high)}"
        return f"{ends} (root {_root(low)} to {_root(high)})"
    return f"{amount(choice, low)} to {amount(choice, high)}"


def error_word(choice: Choice) -> str:
    """Return what the error is called."""
    return {
        "zero_one": "error",
        "balanced": "error (every class counting the same)",
        "squared": "squared error",
    }.get(choice.loss, f"{plain(choice.loss)} loss")


def decision_loss(choice: Choice) -> str:
    """Return the name of the loss that gains are stated in."""
    return "squared error" if choice.task == "regression" else "Brier loss"


def _names(names: Iterable[str]) -> str:
    found: Sequence[str] = [plain(name) for name in names]
    if len(found) > NAMED + 1:
        return f"{', '.join(found[:NAMED])} and {len(found) - NAMED} more"
    return ", ".join(found)


def headline_of(choice: Choice) -> str:
    """Return what to do, in one sentence; sources by name, so that it does not change with shares."""
    n, target = len(choice.choices), plain(choice.target)
    if not n:
        why = "No source can be used" if choice.unusable else "There is no source"
        return f"{why}: learn from {target} alone."
    if not choice.used:
        which = "the one source" if n == 1 else f"any of the {n} sources"
        return f"Do not use {which}: learn from {target} alone."
    used = sorted(choice.used)
    if n == 1:
        return f"Use {plain(used[0])}."
    which = "all" if len(used) == n else str(len(used))
    return f"Use {which} of {n} sources: {_names(used)}."


def evidence_of(choice: Choice) -> tuple[str, ...]:
    """Return the sentences behind the headline."""
    target, word = plain(choice.target), error_word(choice)
    first = f"Expected {word}: {amount(choice, choice.error)}, 90% interval {interval_text(choice)}"
    if not choice.choices:
        return (f"{first}.",)
    beside = f"{target} alone: {amount(choice, choice.error_alone)}"
    if choice.error_all is not None:
        beside += f"; everything pooled: {amount(choice, choice.error_all)}"
    said = [f"{first}; {beside}."]
    said += _gain(choice) if choice.used else _unused(choice)
    if choice.tried > 0 and 0 < len(choice.fewest) < len(choice.used):
        said.append(
            f"The fewest sources that keep nine tenths of the gain: {_names(sorted(choice.fewest))}."
        )
    stable = choice.stability
    said.append(
        f"Same sources in {stable.folds:.0%} of {counted(stable.repeats, 'draw')} of the folds and in "
        f"{stable.sample:.0%} of reweighted samples of the target."
    )
    if not stable.settled and stable.folds < 1:
        said.append("The last draws of the folds did not agree on the sources.")
    return tuple(said)


def _gain(choice: Choice) -> list[str]:
    """Say by how much the loss falls, and how that goes with the errors."""
    name, target = decision_loss(choice), plain(choice.target)
    low, high = (percent(end) for end in choice.gain_interval)
    sure = f"90% interval {low} to {high}%; probability of a fall {probability(choice.p_gain)}"
    way = f"falls by {percent(choice.tried)}%" if choice.tried > 0 else "does not fall"
    measured = f"On the rows of {target}, held out, the {name} {way} against {target} alone."
    to_expect = (
        f"Read with what such choices brought elsewhere, it should fall by {percent(choice.gain)}%"
    )
    to_expect += f" ({sure})."
    if choice.gain <= 0:
        to_expect = f"A fall is not to be expected ({sure})."
    return [measured, to_expect, *_odds(choice)]


def _odds(choice: Choice) -> list[str]:
    """Say why the error and the gain point in different directions, if they do."""
    name, word = decision_loss(choice), error_word(choice)
    rises, falls = choice.error > choice.error_alone, choice.error < choice.error_alone
    if not ((rises and choice.tried > 0) or (falls and choice.tried < 0)):
        return []
    ways = ("rises", "falls") if rises else ("falls", "rises")
    if choice.loss in IN_POINTS:
        return [
            f"The share of wrong predictions {ways[0]} while the {name} {ways[1]}: on "
            f"{counted(choice.n_rows, 'row')} that share is too coarse to tell, and the {name} decides."
        ]
    if choice.loss == "squared" and choice.task == "regression":
        return [
            f"The mean {ways[0]} because of few rows: for the gain, the largest changes of single rows "
            f"are cut at their 2% and 98% quantiles."
        ]
    return [f"The {word} {ways[0]} while the {name} {ways[1]}; sources are chosen by the {name}."]


def _unused(choice: Choice) -> list[str]:
    if amount(choice, choice.error) == amount(choice, choice.error_alone):
        return []
    return ["The expected error was measured with choosing included."]


def legend_of(choice: Choice) -> str:
    """Return how to read the table of sources."""
    return (
        "Call: helps, the loss should fall (nine chances in ten); harmless, it should not rise by more than "
        "2%; unclear, the rows do not tell; hurts, it would rise if the rows were pooled with the target's. "
        f"Gain: by how much the {decision_loss(choice)} should fall with this source alone beside the "
        "target. It is a cautious number. Gains of several sources do not add up. If pooled: with all rows "
        "in one pool. Worth: rows of the target that would bring as much as the gain."
    )


def shown_table(choice: Choice) -> pd.DataFrame:
    """Return the table of sources as it is printed."""
    rows = [
        {
            "source": each.source,
            "call": each.call,
            "gain": f"{percent(each.gain, 1, signed=True)}%",
            "90% interval": f"{percent(each.low, 0, signed=True)} to {percent(each.high, 0, signed=True)}%",
            "if pooled": f"{percent(each.pooled, 0, signed=True)}%"
            if isfinite(each.pooled)
            else "-",
            "share": f"{percent(each.share, 0)}%" if each.share else "-",
            "rows": f"{each.n_rows:,}",
            "worth": "-" if each.worth_rows is None else f"{each.worth_rows:.0f}",
        }
        for each in choice.choices
    ]
    return pd.DataFrame(rows)


def remarks_of(choice: Choice) -> list[str]:
    """Return what stands below the table: sources that could not be used, and notes."""
    lost = [f"Not usable: {plain(name)}. {why}" for name, why in choice.unusable.items()]
    return [*lost, *(f"Note: {note}" for note in choice.notes)]


def text_of(choice: Choice) -> str:
    """Return a choice as plain text."""
    parts = [headline_of(choice), *evidence_of(choice)]
    if choice.choices:
        parts += ["", table(shown_table(choice)), legend_of(choice)]
    if remarks := remarks_of(choice):
        parts += ["", *remarks]
    return "\n".join(parts)
