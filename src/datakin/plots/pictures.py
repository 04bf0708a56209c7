"""Pictures of scores, and of what sources bring: each function takes a result."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.distances import DistanceMatrix, DistanceRanking
from datakin.plots.canvas import (
    CLUSTERS,
    COLOURS,
    DIM,
    LABELLED,
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
from datakin.results import SCREENED, Choice, Comparison, Explanation, Gain, Matrix, Ranking
from datakin.results.call_words import gain_bar
from datakin.results.explanation_words import Above, effect_on, loss_word
from datakin.results.gain import NORMAL
from datakin.results.words import CHANCES, gain_loss, percent
from datakin.results.words import COLOURS as CALLS

NAMED = 3  # members that name a group
MOST = 30  # effects that a picture shows


def _comparisons(result: Any) -> list[Any]:
    return [result] if isinstance(result, Comparison) else list(result)


@picture(Ranking, Comparison, DistanceRanking)
def ranking(result: Any, *, ax: Any = None) -> Any:
    """Draw the scores of a ranking with their intervals; over the zones where the paper's rule decided."""
    frame = result.frame
    ax = axes(ax, height=1.6 + 0.3 * len(frame))
    zero_line(ax)
    name_rows(ax, frame["source"], len(frame))
    if isinstance(result, DistanceRanking):
        ax.barh(range(len(frame)), frame["score"], color=CLUSTERS[0], height=0.6)
        ax.set_xlabel(f"distance by {result.method} (small means near)")
        entitle(ax, f"Sources for {label(result.target)}")
        return ax
    found = _comparisons(result)
    reach = _limits(frame[["low", "high"]].to_numpy()[: len(found)], found)
    for k, comparison in enumerate(found):
        for low, high, zone in comparison.decision.bands:
            left, ink = max(low, reach[0]), COLOURS[zone.value]
            wide = min(high, reach[1]) - left
            ax.barh(k, wide, left=left, height=1, color=ink, alpha=0.13, linewidth=0)
    for k, row in enumerate(frame.head(len(found)).to_dict("records")):
        dot(ax, k, row["score"], (row["low"], row["high"]), COLOURS.get(row["zone"], CLUSTERS[0]))
    for k in range(len(found), len(frame)):  # below the others, without a score
        ax.text(0, k, f" {SCREENED}", color=DIM, va="center")
        ax.axhspan(k - 0.5, k + 0.5, color=DIM, alpha=0.1, linewidth=0)
    ax.set_xlim(*reach)
    ax.set_xlabel("Cross-Learning Score (0 means kin), 95% interval")
    of_gain = found[0].decision.is_about_gain
    kinds = dict.fromkeys(c.zone for c in found)
    inks = {zone.call if of_gain else zone.value: COLOURS[zone.value] for zone in kinds}
    entitle(ax, f"How kin the sources are to {label(result.target)}", inks)
    return ax


def _limits(values: Any, found: list[Comparison]) -> tuple[float, float]:
    edges = [edge for c in found for edge, _, _ in c.decision.bands if isfinite(edge)]
    low, high = min(0.0, float(np.min(values))), max(0.0, float(np.max(values)), *edges, 1e-6)
    room = 0.05 * (high - low)
    return low - room, high + room


@picture(Ranking, Comparison)
def zones(result: Any, *, ax: Any = None) -> Any:
    """Draw how probable a gain, a cost up to 2% and a larger cost are; or each of the paper's zones.

    The paper's zones: the probability of each if measured again.
    """
    found = _comparisons(result)
    if not any(c.zone_probabilities for c in found):
        raise DatakinError(
            "plots.zones draws how sources that were tried help. None was tried here."
        )
    ax = axes(ax, height=1.4 + 0.3 * len(found))
    left = np.zeros(len(found))
    of_gain = found[0].decision.is_about_gain
    for zone, ink in COLOURS.items():
        share = np.array([c.zone_probabilities.get(zone, 0.0) for c in found])
        if share.any():
            name = CHANCES[zone] if of_gain else zone
            ax.barh(range(len(found)), share, left=left, color=ink, height=0.7, label=name)
        left += share
    name_rows(ax, [c.source for c in found], len(found))
    ax.set_xlim(0, 1)
    ax.set_xlabel("probability" if of_gain else "probability of each zone")
    entitle(ax, f"How likely sources help {label(result.target)}")
    return ax


@picture(Ranking, Comparison)
def learning_curve(result: Any, *, ax: Any = None) -> Any:
    """Draw each dataset's own error against its training rows, extrapolated to the limit."""
    curves = [curve for c in _comparisons(result) for curve in c.curves.values()]
    if isinstance(result, Ranking):  # in which every pair has that of the target
        curves = [curve for curve in curves if curve.dataset == result.target][:1]
    if not curves:
        raise DatakinError("plots.learning_curve needs learning curves. This result has none.")
    ax = axes(ax)
    for ink, curve in zip(CLUSTERS, curves, strict=False):
        ax.errorbar(
            curve.n_train, curve.errors, curve.standard_errors,
            fmt="o", color=ink, capsize=2, label=label(curve.dataset),
        )  # fmt: skip
        rows = np.linspace(min(*curve.n_train, curve.n_rows), 1.6 * curve.n_rows, 80)
        ax.plot(rows, curve.error_at(rows), color=ink)
        ax.axhline(curve.limit.value, color=ink, linestyle="--", linewidth=0.8)
    ax.set_xlabel("training rows")
    ax.set_ylabel("own error (dashed: the limit)")
    entitle(ax, "Would more rows help?")
    return ax


@picture(Matrix, DistanceMatrix)
def matrix(result: Any, *, ax: Any = None) -> Any:
    """Draw the scores of all pairs, with datasets in the order of their tree."""
    from scipy.cluster.hierarchy import leaves_list

    order = leaves_list(result.tree) if len(result) > 1 else np.array([0])
    square = result.square.iloc[order, order]
    side = min(9.0, 3.0 + 0.25 * len(result))
    ax = axes(ax, side + 1, side)
    shown = ax.imshow(np.maximum(square.to_numpy(), 0), cmap="Blues_r", interpolation="nearest")
    if len(result) <= LABELLED:
        names = [label(name) for name in square.index]
        ax.set_xticks(range(len(names)), names, rotation=90)
        ax.set_yticks(range(len(names)), names)
    else:
        ax.set_xticks([])
        ax.set_yticks([])
    ax.figure.colorbar(shown, ax=ax, label=f"{result.word} (small means near)", shrink=0.8)
    entitle(ax, f"{len(result)} datasets: the {result.word} of every pair")
    return ax


@picture(Matrix, DistanceMatrix)
def map(result: Any, *, ax: Any = None) -> Any:
    """Draw the map of the datasets, coloured by group."""
    ax, frame = axes(ax, 6.4, 5.0), result.map
    for cluster, part in frame.groupby("cluster"):
        ink = CLUSTERS[(int(cluster) - 1) % len(CLUSTERS)]
        ax.scatter(part["x"], part["y"], color=ink, label=_members(part["name"]), zorder=3)
    if len(frame) <= LABELLED:
        near = 0.08 * max(np.ptp(frame["x"]), np.ptp(frame["y"]))
        middle = (frame["x"].min() + frame["x"].max()) / 2
        for k, (name, x, y) in enumerate(zip(frame["name"], frame["x"], frame["y"], strict=True)):
            # Of two datasets close together, the name of the second is below its point.
            crowded = (np.hypot(frame["x"][:k] - x, frame["y"][:k] - y) < near).any()
            place, side = (5, "left") if x <= middle else (-5, "right")
            ax.annotate(
                label(name), (x, y), (place, -11 if crowded else 4), ha=side, textcoords="offset points"
            )  # fmt: skip
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.25, 0.15)
    ax.set_xlabel(f"near on the map means a small {result.word}")
    ax.set_xticks([])
    ax.set_yticks([])
    if frame["cluster"].nunique() <= len(CLUSTERS):
        ax.legend(frameon=False, fontsize="small", title="groups")
    ax.set_title(f"Map of {len(result)} datasets", loc="left", fontsize="medium", fontweight="bold")
    return ax


def _members(names: Any) -> str:
    """Return the name of a group: its members, at most three of them."""
    found = [label(name) for name in names]
    rest = len(found) - NAMED
    return ", ".join(found[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


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
