"""The reasons of an explanation, in sentences: what was seen, which parts, columns, rows, features."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING

from datakin._core.exceptions import counted
from datakin.results.explanation_parts import (
    APART,
    LACKING,
    ColumnEffect,
    ColumnShift,
    FeatureShift,
    KeptRows,
    LossPart,
    Region,
)
from datakin.results.explanation_words import Above
from datakin.results.words import named, number, percent, short, signed

if TYPE_CHECKING:
    from datakin.results.explanation import Explanation

ALL = 0.995  # of the excess; elsewhere the source may even do better
OFTEN = 0.3  # difference of two shares of missing values that is said
PLACES = 2  # regions that a sentence names
FAINT = 0.1  # share of a larger effect up to which another one is next to none
LITTLE = 0.25  # share of the rule that new effects of single columns bring where these act together
BARELY = 0.25  # share of what is named that weighting mends


def reasons_of(found: Explanation) -> Iterator[str]:
    """Yield why a predictor of the source fails, the first reason first."""
    parts, shift = {part.name: part for part in found.parts}, found.shift
    for cause in found.causes:
        yield from (mend.seen for mend in found.mends if mend.flagged and mend.cause == cause)
        if cause == "features" and shift is not None:
            yield _of_explaining_features(found, shift)
        if cause in parts:
            yield _of_part(found, parts[cause])
    if "rule" in found.causes:
        yield from _of_columns(found)
    yield from (_of_region(region) for region in found.regions if region.flagged)
    if shift is not None and found.causes:
        yield from _of_missing(found, shift)
    if shift is not None and shift.has_moved:
        yield from _of_features(found, shift)
    if found.kept is not None and Above.of(found).base:
        yield _of_kept(found, found.kept)
    yield from (mend.seen for mend in found.mends if not mend.part)


def _of_part(found: Explanation, part: LossPart) -> str:
    source, target = short(found.source), short(found.target)
    size = f"{percent(Above.of(found).share(part.value))}%"
    head, slope = f"{part.name.capitalize()} ({size})", number(found.slope)
    if part.name == "base rate":
        rates = [f"{percent(x)}%" for x in (found.observed, found.expected, found.in_source)]
        said = (
            f"{head}: {rates[0]} of {target} are {short(found.positive)!r}, where {source} expects "
            f"{rates[1]}; of {source} itself {rates[2]} are."
        )
        not_so = "" if found.is_of_labels else " So the classes' own shares are not the reason."
        return said + not_so
    if part.name == "level":
        way = "higher" if found.observed > found.expected else "lower"
        means = f"means {number(found.observed)} and {number(found.in_source)}"
        return (
            f"{head}: the label of {target} is {number(abs(found.observed - found.expected))} {way} on "
            f"average than {source} expects ({means})."
        )
    if part.name in ("confidence", "scale"):
        is_scale = part.name == "scale"
        what = f"differences that {source} predicts" if is_scale else f"probabilities from {source}"
        ways = ("too large", "too small") if is_scale else ("too extreme", "too cautious")
        if found.slope < 0:
            return f"{head}: on the whole, {what} point the wrong way."
        if not isfinite(found.slope) and not is_scale:
            return f"{head}: {what} are {' or '.join(ways)}."
        fit = f"{'they' if is_scale else 'their logits'} fit {target} when multiplied by {slope}"
        noise = "" if is_scale else " Noise in the labels of one table looks the same."
        return f"{head}: {what} are {ways[not found.slope < 1]}; {fit}.{noise}"
    if part.name == "rule":
        way = "act together otherwise" if _is_together(found) else "have other effects"
        return f"{head}: columns {way} in {target} than in {source}."
    return f"Rest ({size}): only a predictor learned on {target} mends it; new effects of columns do not."


def _of_columns(found: Explanation) -> Iterator[str]:
    """Say which columns have other effects."""
    clear = [each for each in found.columns if each.flagged]
    if clear:
        yield _of_column(found, clear[0])
    elif _is_together(found):
        yield "New effects of single columns bring little: it is how columns act together."
    else:
        yield "No single column surely stands out: several may differ."
    if len(clear) > 1:
        others = named([each.column for each in clear[1:]], noun="other columns")
        yield f"New effects also pay for {others}; columns that go together share this."


def _is_together(found: Explanation) -> bool:
    """Whether trees find another rule, of which new effects of single columns bring next to nothing."""
    rule = next((part for part in found.parts if part.name == "rule"), None)
    if rule is None or found.learner != "trees" or any(each.flagged for each in found.columns):
        return False
    return max((each.gain for each in found.columns), default=0.0) < LITTLE * rule.value


def _of_column(found: Explanation, each: ColumnEffect) -> str:
    target, source, first = short(found.target), short(found.source), f"Column {short(each.column)}"
    gain = f"a new effect for it brings {percent(Above.of(found).share(each.gain))}%"
    lacks = lacking(found, each.column)
    if lacks:
        rows = f"{percent(lacks)}% of the rows of {source}, which tell little of its effect"
        return f"{first} comes first: it is missing in {rows}; {gain}."
    if len(each.effects) != 1:
        return f"{first} comes first: {gain}."
    pair, on = each.effects[0], f" on {short(found.positive)!r}" if found.task == "binary" else ""
    both = f"{number(pair.here)} in {target} and {number(pair.there)} in {source}"
    ratio = _ratio(pair.here, pair.there)
    return f"{first} comes first: its effect{on} is {both}{ratio}; {gain}."


def lacking(found: Explanation, column: str) -> float:
    """Return the share of the source's rows that lack a column, where these are nearly all; else 0."""
    columns = () if found.shift is None else found.shift.columns
    share = next((each.missing_there for each in columns if each.column == column), 0.0)
    return share if share >= LACKING else 0.0


def _ratio(here: float, there: float) -> str:
    """Say how two effects compare, where that is plain."""
    if here * there < 0 and min(abs(here), abs(there)) > FAINT * max(abs(here), abs(there)):
        return ", the other way round"
    if there and 1.5 <= here / there < 20:
        return f", {here / there:.1f} times as much"
    if here and 1.5 <= there / here < 20:
        return f", {there / here:.1f} times as much there"
    return ""


def column_effect_sides(each: ColumnEffect) -> tuple[str, str]:
    """Return the effects here and there as they stand in a table; of levels, the one that differs most."""
    if not each.effects:
        return "-", "-"
    pair = max(each.effects, key=lambda one: abs(one.here - one.there))
    if len(each.effects) == 1:
        return number(pair.here), number(pair.there)
    level = short(pair.name.partition("=")[2] or "missing")
    return f"{level}: {number(pair.here)}", number(pair.there)


def _of_region(region: Region) -> str:
    where = " and ".join(short(each) for each in region.conditions)
    share = "all" if region.share >= ALL else f"{percent(region.share, 0)}%"
    of = f", {share} of the excess" if isfinite(region.share) else ""
    return f"It fails for {where}: {percent(region.rows, 0)}% of the rows{of}."


def _of_explaining_features(found: Explanation, shift: FeatureShift) -> str:
    source, target = short(found.source), short(found.target)
    if shift.explains == "outside":
        return (
            f"{percent(shift.outside, 0)}% of the rows of {target} lie outside what {source} has seen; on "
            f"the others no difference of the rule is left."
        )
    return (
        f"Weighting the rows of {source} to lie where those of {target} do mends it: no difference of the "
        f"rule is left."
    )


def _of_missing(found: Explanation, shift: FeatureShift) -> Iterator[str]:
    """Say which column one table has and the other hardly has."""

    def apart(each: ColumnShift) -> float:
        return abs(each.missing_here - each.missing_there)

    one = max(shift.columns, key=apart, default=None)
    if one is not None and apart(one) >= OFTEN:
        word = "missing" if one.kind == "number" else _missing(one)
        yield (
            f"{short(one.column)} is {word} in {percent(one.missing_here)}% of the rows of "
            f"{short(found.target)} and in {percent(one.missing_there)}% of those of {short(found.source)}."
        )


def _of_features(found: Explanation, shift: FeatureShift) -> Iterator[str]:
    yield (
        f"Features lie elsewhere: a classifier tells the two tables apart with AUC {shift.auc:.2f} "
        f"(90% interval {shift.low:.2f} to {shift.high:.2f})."
    )
    if shift.columns:
        yield _of_shift(shift.columns[0])
    if shift.explains:
        return
    if shift.outside >= 0.05:
        yield f"{percent(shift.outside, 0)}% of the rows lie outside what the source has seen."
    total = sum(part.value for part in found.parts if part.flagged and part.name != "coding")
    if not isfinite(shift.mended) or total <= 0:
        return
    weighting = "Weighting the source's rows to lie where the target's do mends"
    if shift.mended_low > 0 and shift.mended >= BARELY * total:
        yield f"{weighting} {percent(min(shift.mended / total, 1.0), 0)}% of what is named."
    elif shift.mended_high < total / 2 and shift.auc < APART:
        yield f"{weighting} little of what is named: the tables differ where both lie."


def _missing(each: ColumnShift) -> str:
    """Return what values are that have no name; where none has one, the column may be left out."""
    is_whole = max(each.missing_here, each.missing_there) == 1
    return "missing or unknown" if is_whole else "missing"


def _of_shift(each: ColumnShift) -> str:
    where = f"on average {number(each.here)} here and {number(each.there)} there"
    if each.kind != "number":
        level = repr(short(each.level)) if each.level else _missing(each)
        where = f"{percent(each.here)}% here and {percent(each.there)}% there are {level}"
    return f"The column that moved most is {short(each.column)}: {where}."


def _of_kept(found: Explanation, kept: KeptRows) -> str:
    """Say which rows of the source are worth keeping."""
    above = Above.of(found)
    places = [" and ".join(short(text) for text in each) for each in kept.dropped]
    more = len(places) - PLACES
    where = " or ".join(places[:PLACES] + ([counted(more, "other part")] if more > 0 else []))
    low, high = above.share(kept.low), above.share(kept.high)
    change, loss = above.share(kept.alone - kept.kept), "the loss of the target"
    if kept.helps:
        whole = percent(above.share(kept.alone - kept.everything))
        return (
            f"A part of {short(found.source)} is of use: all but rows with {where}. Pooled with these "
            f"{percent(kept.share, 0)}% of its rows, {loss} falls by {percent(change)}% (90% interval "
            f"{percent(low)} to {percent(high)}%); with all rows by {whole}%."
        )
    better = f"Without its rows with {where}, {short(found.source)} fits better"
    if kept.high < 0:
        rise = f"Pooled with the others, {loss} rises by {percent(-change)}%"
        return f"{better}, but not well. {rise}."
    return (
        f"{better}. But no gain is sure: pooled with the others, {loss} changes by {signed(-change)} (90% "
        f"interval {percent(-high)} to {percent(-low)}%)."
    )
