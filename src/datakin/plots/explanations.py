"""Pictures of an explanation: what the loss is made of, and effects of columns in both tables."""

from __future__ import annotations

from typing import Any

from datakin._core.exceptions import DatakinError
from datakin.plots.canvas import (
    CALLS,
    CLUSTERS,
    DIM,
    axes,
    entitle,
    label,
    name_rows,
    picture,
    zero_line,
)
from datakin.results import EffectPair, Explanation
from datakin.results.explanation_words import Above, effect_on, part_title
from datakin.results.words import error_word

__all__ = ["effects", "explanation"]

WHOLE = "#333333"
MOST = 30  # effects that a picture shows


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
    names = ["The whole", *(part_title(part.name) for part in result.parts)]
    _tell(ax, [above.text(value) for value in (result.excess, *(p.value for p in result.parts))])
    name_rows(ax, names, len(names))
    loss = "squared error" if result.loss == "squared" else error_word(result.loss)
    unit = "% of it" if above.unit else "its units"
    ax.set_xlabel(f"{loss} above that of {label(result.target)} alone, in {unit}, 90% interval")
    inks = {"the whole": WHOLE, "a reason": CALLS["hurts"], "not named": CLUSTERS[0]}
    there = {"the whole", *("a reason" if p.flagged else "not named" for p in result.parts)}
    entitle(ax, title, {name: ink for name, ink in inks.items() if name in there})
    return ax


def _bar(ax: Any, k: int, ends: tuple[float, float], reach: tuple[float, float], ink: str) -> None:
    ax.barh(k, ends[1] - ends[0], left=ends[0], height=0.6, color=ink, alpha=0.5, linewidth=0)
    ax.plot(reach, [k, k], color=ink, linewidth=1.6)


def _tell(ax: Any, texts: list[str]) -> None:
    """Write the size of each part beside the axes, where no line reaches."""
    for k, text in enumerate(texts):
        ax.text(1.01, k, text, transform=ax.get_yaxis_transform(), va="center", fontsize="small")


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
            _effect(ax, row + shift, pair, side, CLUSTERS[k])
        ax.plot([], [], "o", color=CLUSTERS[k], label=f"in {label(name)}")
    name_rows(ax, [pair.name for pair in found], len(found))
    on = effect_on(result)
    ax.set_xlabel(f"effect of one standard deviation {on}, 90% interval")
    entitle(ax, "Effects of columns, here and there")
    return ax


def _effect(ax: Any, y: float, pair: EffectPair, side: str, ink: str) -> None:
    ends = [getattr(pair, f"{side}_low"), getattr(pair, f"{side}_high")]
    ax.plot(ends, [y, y], color=ink, linewidth=1.6)
    ax.plot(getattr(pair, side), y, "o", color=ink, markersize=5)
