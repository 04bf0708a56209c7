"""The answer of an explanation: why a predictor of the source fails, what would mend it."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING

from datakin.results import explanation_words, words
from datakin.results.answer import Answer, AnswerTable, Bar, Row, said
from datakin.results.explanation_parts import APART
from datakin.results.explanation_reasons import column_effect_sides, lacking, reasons_of

if TYPE_CHECKING:
    from datakin.results.explanation import Explanation

STEP_WORDS = {
    "source": "the source's, as it is",
    "mended": "+ tables mended",
    "base rate": "+ new base rate",
    "confidence": "+ new confidence",
    "level": "+ new level",
    "scale": "+ new scale",
    "rule": "+ new effects of columns",
    "own": "the target's own",
}
CAUSES = {
    "base rate": "the base rate differs",
    "confidence": "its probabilities are not those of the target",
    "level": "its predictions are too {way} on the whole",
    "scale": "differences that it predicts are too {size}",
    "rule": "the rule itself differs",
    "rest": "the form of the rule differs",
    "units": "{column} looks to be in other units",
    "codes": "the levels of {column} look recoded",
    "blanks": "missing values of {column} look coded as a value",
    "leak": "{column} looks to give the label away in one of them",
    "lacking": "{table} hardly has {column}",
    "classes": "the classes look swapped",
    "names": "columns look to stand under other names",
}
ELSEWHERE = {
    "outside": "features lie elsewhere, where the source has no rows",
    "weighting": "features lie elsewhere, where its rule is too simple",
}
LEGEND = (
    "Part: by how much the loss falls with this step, in percent of the loss of the target's own predictor; "
    "line: 90% interval.",
    "All parts add up to the whole difference. A part is a reason if its interval lies above 0 and chance, "
    "in the rows of both tables, rarely brings it.",
)
BY_COLUMN = (
    "The rule is a reason for the sake of one column: the interval of its new effect lies above 0."
)
BY_LOSS = (
    "The rule is a reason by what new effects and an own predictor gain. The test does not see columns that "
    "act together."
)
PLAIN = "The mend is a reason because what it mends is plain to see in the tables."
MENDED = "Of the mend it is by how much the difference of the two predictors falls."
WIDE = 0.25  # of the loss alone: an upper end of the excess from which rows tell little
MOST = 6  # lines of the second table


def explanation_answer(found: Explanation) -> Answer:
    """Return the answer of an explanation."""
    source, target = words.short(found.source), words.short(found.target)
    if found.is_copy:
        head = f"Nothing to explain: {source} and {target} hold the same rows."
        return Answer("plain", head, notes=found.notes)
    fails = bool(found.causes) and found.low > 0
    nothing = not found.causes and found.low <= 0
    return Answer(
        tone="plain" if nothing else "bad" if fails else "open",
        headline=_headline(found),
        evidence=tuple(filter(None, (_excess(found), _alone(found)))),
        table=_ladder(found),
        reasons=tuple(reasons_of(found)),
        legend=tuple(_legend(found)),
        second=_effects(found) if "rule" in found.causes else None,
        caveats=tuple(_caveats(found)),
        notes=found.notes,
        remedies=tuple(explanation_words.remedies_of(found)),
    )


def _legend(found: Explanation) -> Iterator[str]:
    yield from LEGEND
    flagged = {part.name: part for part in found.parts if part.flagged}
    rule, coding = flagged.get("rule"), flagged.get("coding")
    if rule is not None and rule.low <= 0:
        yield BY_COLUMN
    if rule is not None and isnan(rule.chance):
        yield BY_LOSS
    if coding is not None and coding.low <= 0:
        yield PLAIN
    if _has_mended_target(found):
        yield MENDED


def _why(found: Explanation) -> str:
    """Return the first cause, as it stands behind "because"."""
    cause = found.causes[0]
    if cause == "features":
        return ELSEWHERE[found.shift.explains if found.shift is not None else "outside"]
    mend = next((each for each in found.mends if each.flagged and each.cause == cause), None)
    columns = () if mend is None else mend.columns
    column = words.named(columns if cause == "lacking" else columns[:1], noun="columns")
    way = "low" if found.observed > found.expected else "high"
    if cause == "base rate" and not found.is_of_labels:
        few = "few" if way == "low" else "many"
        return f"it expects too {few} {words.short(found.positive)!r} there"
    if cause == "scale" and found.slope < 0:
        return "differences that it predicts point the wrong way"
    if cause == "confidence" and found.slope < 0:
        return "its probabilities point the wrong way"
    size = "small" if found.slope > 1 else "large"
    table = words.short(mend.table) if mend is not None else ""
    return CAUSES.get(cause, cause).format(column=column, table=table, way=way, size=size)


def _headline(found: Explanation) -> str:
    target, learned = words.short(found.target), f"what is learned on {words.short(found.source)}"
    if found.causes and found.low <= 0:
        return said(f"{learned} loses little on {target}, but {_why(found)}.")
    if found.causes:
        return said(f"{learned} fails on {target} because {_why(found)}.")
    if found.low > 0:
        return said(f"{learned} loses something on {target}, and no reason stands out.")
    nothing = f"on {target}, {learned} shows no clear difference"
    if found.high < 0:
        nothing = f"{learned} does better on {target} than what is learned on {target} alone"
    return f"Nothing to explain: {nothing}."


def _excess(found: Explanation) -> str:
    above, loss = explanation_words.Above.of(found), explanation_words.loss_word(found)
    if not above.base:
        return f"The target's own predictor has no {loss}: shares of it cannot be told."
    ends = words.percent_interval(above.share(found.low), above.share(found.high))
    share = f"{words.percent(above.share(abs(found.excess)))}%"
    than = f"{'higher' if found.excess >= 0 else 'lower'} than that of the target's own predictor"
    if _has_mended_target(found):
        of = f"{share} of the loss of the mended target (90% interval {ends})"
        return f"Its {loss} is {words.number(abs(found.excess))} {than}: {of}."
    return f"Its {loss} is {share} {than} (90% interval of the difference {ends})."


def _alone(found: Explanation) -> str:
    """Return the baseline of all results."""
    if isnan(found.error_alone):
        return ""
    error = f"{words.error_word(found.error_loss)} is {words.amount(found.error_loss, found.error_alone)}"
    return f"With {words.short(found.target)} alone, and all learners, the {error}."


def _has_mended_target(found: Explanation) -> bool:
    return any(
        mend.flagged and (mend.is_of_both or mend.table == found.target) for mend in found.mends
    )


def _ladder(found: Explanation) -> AnswerTable:
    above, rows, is_number = explanation_words.Above.of(found), [], found.task == "regression"
    for step, part in zip(found.steps, (None, *found.parts), strict=True):
        bar, brings = None, ("-", "")
        if part is not None:
            bar = Bar(*(above.share(each) for each in (part.value, part.low, part.high)))
            brings = (words.signed(bar.value), "yes" if part.flagged else "")
        error = words.number(step.error) if is_number else f"{100 * step.error:.1f}%"
        cells = (STEP_WORDS.get(step.name, step.name), error, words.number(step.loss), *brings, "")
        rows.append(Row(cells, bar=bar))
    by = explanation_words.learner_words(found)
    of = f"{explanation_words.loss_word(found)} of {by} on held-out rows of {words.short(found.target)}"
    title = "RMSE" if is_number else "error"
    return AnswerTable(
        ("predictor", title, "loss", "part", "a reason", "interval"),
        tuple(rows),
        (title, "loss", "part"),
        caption=f"Step by step, {of}:",
        bar_of="90% interval of the part",
    )


def _effects(found: Explanation) -> AnswerTable | None:
    """Return the columns whose new effects bring most."""
    if not found.columns:
        return None
    above, rows = explanation_words.Above.of(found), []
    for each in found.columns[:MOST]:
        here, there = column_effect_sides(each)
        there = "missing" if lacking(found, each.column) else there
        gain, chance = words.signed(above.share(each.gain)), words.probability(each.chance)
        rows.append(Row((each.column, here, there, gain, chance, "yes" if each.flagged else "")))
    return AnswerTable(
        ("column", "effect here", "there", "gain", "chance", "a reason"),
        tuple(rows),
        ("effect here", "there", "gain", "chance"),
        caption=(
            f"What a new effect for one column brings, beside a new {explanation_words.first_part(found)} "
            f"(chance: how often luck alone would bring so clear a difference in any of them):"
        ),
    )


def _caveats(found: Explanation) -> Iterator[str]:
    causes, base = set(found.causes), explanation_words.Above.of(found).base
    if causes and found.low > 0:
        yield (
            "This is about what the source teaches alone. Beside rows of the target it may be harmless, or "
            "even help: choose tries that."
        )
    if causes:
        yield "Smaller differences than those that are named may be there, too."
    if not causes and base and found.low <= 0 and found.high > WIDE * base:
        yield (
            f"{found.n_target:,} rows tell little: a loss that is up to "
            f"{words.percent(found.high / base, 0)}% higher would not be noticed."
        )
    if any(mend.flagged for mend in found.mends):
        yield (
            "What the tables look like is a suspicion, and the mend was tried. Whether it is right, only who "
            "made the tables can say."
        )
    if any(mend.flagged and mend.fall < 0 for mend in found.mends):
        yield (
            "Mend all that is named at once. What is wrong in two columns offsets each other: one mend alone "
            "makes it worse."
        )
    if _has_mended_target(found):
        alone, before = (
            words.number(found.loss_alone),
            words.number(found.steps[0].loss - found.excess),
        )
        is_other = f" instead of {before}" if before != alone else ", as before"
        yield (
            f"The target is mended, too: the loss of its own predictor is {alone}{is_other}. The part of "
            f"the mend counts both tables."
        )
    if "rule" in causes:
        yield (
            f"Effects are of one standard deviation {explanation_words.effect_on(found)}, from "
            f"{explanation_words.effect_words(found)}. Effects of columns that go together are told apart "
            f"badly."
        )
    shadow = {"confidence", "scale"} & causes
    if shadow and {"rule", "rest"} & causes:
        yield (
            f"Other effects of columns also make a predictor too extreme: part of the {shadow.pop()} may be "
            f"the rule."
        )
    shift = found.shift
    if causes & {"base rate", "level", "rule", "rest"} and shift is not None and shift.auc >= APART:
        yield (
            f"The tables hardly overlap (AUC {shift.auc:.2f}): what features do and what the label does can "
            f"hardly be told apart."
        )
    if found.n_source < found.n_target:
        yield "The source has fewer rows than the target: part of the excess may come from that."
