"""Pictures of what sources bring: choices, transfer methods, and why a source fails."""

from __future__ import annotations

from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.plots.canvas import (
    CLUSTERS,
    DIM,
    WHOLE,
    axes,
    beside,
    dot,
    entitle,
    label,
    name_rows,
    picture,
    zero_line,
)
from datakin.results import Choice, Explanation, Gain
from datakin.results.call_words import gain_bar
from datakin.results.explanation_words import Above, effect_on, loss_word
from datakin.results.gain import NORMAL
from datakin.results.words import COLOURS as CALLS
from datakin.results.words import gain_loss, percent

MOST = 30  # effects that a picture shows


@picture(Gain)
def gain(result: Any, *, ax: Any = None) -> Any:
    """Draw the realised gain of transfer methods, on the target and on the source (if it is one)."""
    frame = result.frame
    ax = axes(ax, height=1.6 + 0.4 * len(frame))
    shifts = (-0.13, 0.13) if len(result.sides) > 1 else (0.0,)
    for k, (side, shift) in enumerate(zip(result.sides, shifts, strict=True)):
        reach = 100 * NORMAL * frame[f"{side}_se"]
        ax.errorbar(
            100 * frame[f"{side}_rer"], np.arange(len(frame)) + shift, xerr=reach,
            fmt="o", color=CLUSTERS[k], label=f"on the {side}",
        )  # fmt: skip
    zero_line(ax)
    name_rows(ax, frame["method"], len(frame))
    ax.set_xlabel("gain: fall of the error in % of the error alone, 90% interval")
    entitle(ax, f"What transfer methods brought {label(result.target)}")
    return ax


@picture(Choice)
def choice(result: Any, *, ax: Any = None) -> Any:
    """Draw the gain of each source with its 90% interval and its share, and that of the choice.

    Of a source that hurts, the gain of one pool with the target's rows is drawn, which decides that.
    """
    found = result.choices
    ax = axes(ax, height=1.8 + 0.32 * len(found))
    zero_line(ax)
    for k, each in enumerate(found):
        bar = gain_bar(each, each.call)
        dot(ax, k, 100 * bar.value, (100 * bar.low, 100 * bar.high), CALLS[each.call])
    names = [each.source for each in found]
    shares = [f"{percent(each.share, 0)}%" if each.share else "not used" for each in found]
    if result.used:
        value, *ends = (100 * share for share in (result.gain, *result.gain_interval))
        dot(ax, len(found), value, ends, WHOLE, "D")
        names.append("The choice")
        shares.append(f"{percent(sum(each.share for each in found), 0)}%")
    beside(ax, shares)
    if found:
        ax.text(1.01, -0.85, "share", transform=ax.get_yaxis_transform(), fontsize="small")
    name_rows(ax, names, len(names))
    loss = gain_loss(result.task)
    ax.set_xlabel(f"gain: fall of the {loss} in % of the target's own, 90% interval", loc="right")
    if not found:
        ax.text(0.5, 0.5, "no source to try", transform=ax.transAxes, ha="center", color=DIM)
    words = {"hurts": "hurts (if pooled)"}
    inks = {words.get(each.call, each.call): CALLS[each.call] for each in found}
    entitle(ax, f"What each source brings {label(result.target)}", inks)
    return ax


@picture(Explanation)
def explanation(result: Any, *, ax: Any = None) -> Any:
    """Draw the parts that the excess loss is made of, each from where the one above it ends.

    Lines are 90% intervals of where a part ends. Parts that are named as reasons have a colour of their own.
    """
    ax = axes(ax, height=1.8 + 0.36 * (1 + len(result.parts)))
    title = f"What {label(result.source)} loses on {label(result.target)}"
    zero_line(ax)
    if result.is_copy:
        ax.text(0.5, 0.5, "the same rows", transform=ax.transAxes, ha="center", color=DIM)
        ax.set_xlabel("loss above that of the target alone")
        ax.set_yticks([])
        entitle(ax, title)
        return ax
    above, at = Above.of(result), result.excess
    _bar(ax, 0, (0.0, above.shown(at)), (above.shown(result.low), above.shown(result.high)), WHOLE)
    for k, part in enumerate(result.parts, start=1):
        ends = above.shown(at), above.shown(at - part.value)
        reach = above.shown(at - part.high), above.shown(at - part.low)
        _bar(ax, k, ends, reach, CALLS["hurts"] if part.flagged else CLUSTERS[0])
        ax.plot([ends[0]] * 2, [k - 1, k], color=DIM, linewidth=0.8, linestyle=":")
        at -= part.value
    names = ["The whole", *(part.name.capitalize() for part in result.parts)]
    beside(ax, [above.text(value) for value in (result.excess, *(p.value for p in result.parts))])
    name_rows(ax, names, len(names))
    unit = "% of it" if above.unit else "its units"
    ax.set_xlabel(
        f"{loss_word(result)} above that of {label(result.target)} alone, in {unit}, 90% interval"
    )
    inks, flags = {"the whole": WHOLE}, {part.flagged for part in result.parts}
    inks |= {"a reason": CALLS["hurts"]} if True in flags else {}
    inks |= {"not named": CLUSTERS[0]} if False in flags else {}
    entitle(ax, title, inks)
    return ax


def _bar(ax: Any, k: int, ends: tuple[float, float], reach: tuple[float, float], ink: str) -> None:
    ax.barh(k, ends[1] - ends[0], left=ends[0], height=0.6, color=ink, alpha=0.5, linewidth=0)
    ax.plot(reach, [k, k], color=ink, linewidth=1.6)


@picture(Explanation)
def effects(result: Any, *, ax: Any = None) -> Any:
    """Draw the effects of columns in the target and in the source, side by side with 90% intervals."""
    found = [pair for each in result.columns for pair in each.effects][:MOST]
    if not found:
        raise DatakinError(
            "plots.effects needs effects of columns. This explanation has none: it has several classes, or "
            "nothing to explain."
        )
    ax = axes(ax, height=1.8 + 0.4 * len(found))
    zero_line(ax)
    sides = ((-0.15, "here", result.target), (0.15, "there", result.source))
    for k, (shift, side, name) in enumerate(sides):
        for row, pair in enumerate(found):
            value, *ends = (getattr(pair, f"{side}{end}") for end in ("", "_low", "_high"))
            dot(ax, row + shift, value, ends, CLUSTERS[k], size=5)
        ax.plot([], [], "o", color=CLUSTERS[k], label=f"in {label(name)}")
    name_rows(ax, [pair.name for pair in found], len(found))
    on = effect_on(result)
    ax.set_xlabel(f"effect of one standard deviation {on}, 90% interval")
    entitle(ax, "Effects of columns, here and there")
    return ax
