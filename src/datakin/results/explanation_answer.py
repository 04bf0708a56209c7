"""The answer of an explanation: why a predictor of the source fails, which columns, which rows."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from datakin.results.answer import Answer, AnswerTable, Bar, Row
from datakin.results.words import (
    error_word,
    named,
    number,
    percent,
    percent_interval,
    probability,
    short,
    signed,
)

if TYPE_CHECKING:
    from datakin.results.explanation import (
        ColumnEffect,
        ColumnShift,
        Explanation,
        LossPart,
        Region,
    )

__all__ = ["explanation_answer"]

STEP_WORDS = {
    "source": "the source's, as it is",
    "base rate": "+ new base rate",
    "confidence": "+ new slope",
    "level": "+ new level",
    "scale": "+ new scale",
    "rule": "+ new effects of columns",
    "own": "the target alone",
}
CAUSES = {
    "base rate": "the base rate",
    "confidence": "its confidence",
    "level": "the level of the label",
    "scale": "the scale of the label",
    "rule": "the rule itself",
    "rest": "the form of the rule",
}
LEGEND = (
    "Part: by how much the loss falls with this step, in percent of the loss of the target alone; line: 90% "
    "interval.",
    "All parts add up to the whole difference.",
)
MOST = 6  # lines of the second table
ALL = 0.995  # of the excess; elsewhere the source may even do better
BARELY, MOSTLY = 0.25, 0.75  # shares of the part of the rule


def explanation_answer(found: Explanation) -> Answer:
    """Return the answer of an explanation."""
    source, target = short(found.source), short(found.target)
    if found.is_copy:
        head = f"Nothing to explain: {source} and {target} hold the same rows."
        return Answer("plain", head, notes=found.notes)
    return Answer(
        tone="plain" if not found.causes and found.low <= 0 else "bad" if _fails(found) else "open",
        headline=_headline(found),
        evidence=(_excess(found),),
        table=_ladder(found),
        reasons=tuple(_reasons(found)),
        legend=LEGEND,
        second=_effects(found) if "rule" in found.causes else None,
        caveats=tuple(_caveats(found)),
        notes=found.notes,
    )


def _fails(found: Explanation) -> bool:
    """Return whether the source's predictor surely loses, and why is known."""
    return bool(found.causes) and found.low > 0


def _loss(found: Explanation) -> str:
    return "squared error" if found.loss == "squared" else error_word(found.loss)


def _share(found: Explanation, value: float) -> float:
    """Return a part of the loss as a share of the loss of the target alone."""
    return value / found.loss_alone if found.loss_alone > 0 else 0.0


def _headline(found: Explanation) -> str:
    source, target = short(found.source), short(found.target)
    causes = found.causes
    if causes and found.low <= 0:
        return f"What is learned on {source} loses little on {target}, but {CAUSES[causes[0]]} differs."
    if causes and causes[0] == "rule" and _mended(found) >= MOSTLY:
        return (
            f"What is learned on {source} fails on {target} because features lie elsewhere, where its rule "
            f"is too simple."
        )
    if causes:
        return f"What is learned on {source} fails on {target} because of {CAUSES[causes[0]]}."
    if found.low > 0:
        return f"What is learned on {source} loses something on {target}, and no reason stands out."
    return (
        f"Nothing to explain: on {target}, what is learned on {source} shows no clear difference."
    )


def _excess(found: Explanation) -> str:
    ends = percent_interval(_share(found, found.low), _share(found, found.high))
    way = "higher" if found.excess >= 0 else "lower"
    return (
        f"Its {_loss(found)} is {percent(abs(_share(found, found.excess)))}% {way} than that of the target "
        f"alone (90% interval of the difference {ends})."
    )


def _ladder(found: Explanation) -> AnswerTable:
    rows = []
    parts = (None, *found.parts)
    for step, part in zip(found.steps, parts, strict=True):
        bar = None
        if part is not None:
            bar = Bar(*(_share(found, each) for each in (part.value, part.low, part.high)))
        rows.append(
            Row(
                (
                    STEP_WORDS.get(step.name, step.name),
                    number(step.loss),
                    "-" if part is None else signed(_share(found, part.value)),
                    "yes" if part is not None and part.flagged else "",
                    "",
                ),
                bar=bar,
                is_own=step.name == "own",
            )
        )
    return AnswerTable(
        ("predictor", "loss", "part", "a reason", "interval"),
        tuple(rows),
        ("loss", "part"),
        caption=f"Step by step, {_loss(found)} on held-out rows of {short(found.target)}:",
        bar_of="90% interval of the part",
    )


def _reasons(found: Explanation) -> list[str]:
    said = [text for part in _in_order(found) for text in [_of_part(found, part)] if text]
    said += _of_columns(found)
    said += [_of_region(region) for region in found.regions if region.flagged]
    said += _of_features(found)
    return said


def _in_order(found: Explanation) -> list[LossPart]:
    parts = {part.name: part for part in found.parts}
    return [parts[name] for name in found.causes]


def _of_part(found: Explanation, part: LossPart) -> str:
    source, target = short(found.source), short(found.target)
    size = f"{percent(_share(found, part.value))}%"
    known = isfinite(found.expected) and isfinite(found.slope)
    if part.name == "base rate":
        if not known:
            return (
                f"Base rate ({size}): classes have other shares in {target} than {source} expects."
            )
        return (
            f"Base rate ({size}): {percent(found.observed)}% of {target} are {short(found.positive)!r}, "
            f"where {source} expects {percent(found.expected)}%."
        )
    if part.name == "level":
        way = "higher" if found.observed > found.expected else "lower"
        return (
            f"Level ({size}): the label of {target} is {number(abs(found.observed - found.expected))} {way} "
            f"on average than {source} expects."
        )
    if part.name == "confidence":
        if not known:
            return (
                f"Confidence ({size}): probabilities from {source} are too extreme or too cautious."
            )
        if found.slope < 0:
            return f"Confidence ({size}): on the whole, probabilities from {source} point the wrong way."
        way = "too extreme" if found.slope < 1 else "too cautious"
        return (
            f"Confidence ({size}): probabilities from {source} are {way}; their logits fit {target} when "
            f"multiplied by {number(found.slope)}."
        )
    if part.name == "scale":
        if found.slope < 0:
            return f"Scale ({size}): on the whole, differences that {source} predicts point the wrong way."
        way = "too large" if found.slope < 1 else "too small"
        return (
            f"Scale ({size}): differences that {source} predicts are {way}; they fit {target} when "
            f"multiplied by {number(found.slope)}."
        )
    if part.name == "rule":
        return f"Rule ({size}): columns have other effects in {target} than in {source}."
    return f"Rest ({size}): only a predictor learned on {target} mends it; new effects of columns do not."


def _of_columns(found: Explanation) -> list[str]:
    """Say which columns have other effects."""
    clear = [each for each in found.columns if each.flagged]
    if not clear:
        if any(part.flagged and part.name == "rule" for part in found.parts):
            return ["No single column stands out: the rule differs in several at once."]
        return []
    said = [_of_column(found, clear[0])]
    if len(clear) > 1:
        others = named([each.column for each in clear[1:]], noun="other columns")
        said.append(f"New effects also pay for {others}; columns that go together share this.")
    return said


def _of_column(found: Explanation, each: ColumnEffect) -> str:
    name = short(each.column)
    gain = f"a new effect for it brings {percent(_share(found, each.gain))}%"
    if len(each.effects) != 1:
        return f"Column {name} comes first: {gain}."
    pair = each.effects[0]
    return (
        f"Column {name} comes first: its effect is {number(pair.here)} in {short(found.target)} and "
        f"{number(pair.there)} in {short(found.source)}; {gain}."
    )


def _of_region(region: Region) -> str:
    where = " and ".join(short(each) for each in region.conditions)
    share = "all" if region.share >= ALL else f"{percent(region.share, 0)}%"
    return f"It fails for {where}: {percent(region.rows, 0)}% of the rows, {share} of the excess."


def _of_features(found: Explanation) -> list[str]:
    shift = found.shift
    if shift is None or not shift.has_moved:
        return []
    said = [
        f"Features lie elsewhere: a classifier tells the two tables apart with AUC {shift.auc:.2f} "
        f"(90% interval {shift.low:.2f} to {shift.high:.2f})."
    ]
    if shift.columns:
        said.append(_of_shift(shift.columns[0]))
    if shift.outside >= 0.05:
        said.append(
            f"{percent(shift.outside, 0)}% of the rows lie outside what the source has seen."
        )
    if isfinite(shift.mended):
        weighting = "Weighting the source's rows to lie where the target's do mends"
        share = _mended(found)
        if share >= BARELY:
            said.append(f"{weighting} {percent(share, 0)}% of the rule's part.")
        elif shift.mended_high < _rule(found) / 2:
            said.append(f"{weighting} little: the rule itself differs.")
    return said


def _rule(found: Explanation) -> float:
    """Return the part of the rule."""
    return next((part.value for part in found.parts if part.name == "rule"), 0.0)


def _mended(found: Explanation) -> float:
    """Return the share of the rule's part that weighting surely mends some of; 0 where it does not."""
    shift, rule = found.shift, _rule(found)
    if shift is None or not shift.mended_low > 0 or rule <= 0:
        return 0.0
    return min(shift.mended / rule, 1.0)


def _of_shift(each: ColumnShift) -> str:
    name = short(each.column)
    if each.kind == "number":
        return (
            f"The column that moved most is {name}: on average {number(each.here)} here and "
            f"{number(each.there)} there."
        )
    level = short(each.level) or "missing"
    return (
        f"The column that moved most is {name}: {percent(each.here)}% here and {percent(each.there)}% there "
        f"are {level!r}."
    )


def _effects(found: Explanation) -> AnswerTable | None:
    """Return the columns whose new effects bring most."""
    if not found.columns:
        return None
    rows = []
    for each in found.columns[:MOST]:
        sides = ("-", "-")
        if len(each.effects) == 1:
            sides = number(each.effects[0].here), number(each.effects[0].there)
        rows.append(
            Row(
                (
                    each.column,
                    *sides,
                    signed(_share(found, each.gain)),
                    probability(each.chance),
                    "yes" if each.flagged else "",
                )
            )
        )
    return AnswerTable(
        ("column", "effect here", "there", "gain", "chance", "a reason"),
        tuple(rows),
        ("effect here", "there", "gain", "chance"),
        caption="What a new effect for one column brings, beside a new base rate:",
    )


def _caveats(found: Explanation) -> list[str]:
    said = []
    if found.causes:
        said.append(
            "A part is named if its interval lies above 0 and chance alone rarely brings it; smaller "
            "differences may be there."
        )
        if "rule" in found.causes:
            said.append(
                "Effects are of one standard deviation, from a penalised linear model. Effects of columns "
                "that go together are told apart badly."
            )
    shadow = {"confidence", "scale"} & set(found.causes)
    if shadow and {"rule", "rest"} & set(found.causes):
        said.append(
            f"Other effects of columns also make a predictor too extreme: part of the {shadow.pop()} may be "
            f"the rule."
        )
    if found.n_source < found.n_target:
        said.append(
            "The source has fewer rows than the target: part of the excess may come from that."
        )
    return said
