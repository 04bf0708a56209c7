"""Why a source fails, as every report shows it: the ladder of its loss, and effects of columns."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from datakin.report.sections import column, interval, pairs, section, shortened, texts
from datakin.results import Explanation
from datakin.results.explanation_words import (
    MEANING,
    Above,
    effect_on,
    effect_words,
    loss_word,
)
from datakin.results.words import percent


def fall_columns(above: Above) -> list[dict[str, Any]]:
    """Return the columns of a fall of the loss, with its interval."""
    return [
        column("value", above.titled("by how much the loss falls"), digits=1, signed=True),
        interval("low", "high", above.titled("90% interval"), 1, signed=True),
    ]


def ladder_section(found: Explanation) -> dict[str, Any]:
    """Return the section of the parts that the excess is made of; without rows for copies."""
    above, target, loss = Above.of(found), shortened(found.target), loss_word(found)
    columns = [
        column("what", "part", "text"),
        *fall_columns(above),
        *texts(chance="chance of it, were the rules equal", reason="a reason"),
        column("loss", f"{loss} from here on"),
        column("meaning", "what it means, if it is a reason", "text"),
    ]
    text = (
        f"The source's predictor is mended step by step, on held-out rows of {target}. Each bar begins where "
        f"the one above it ends; all parts add up to the whole. A part is a reason if its interval lies "
        f"above 0 and chance alone rarely brings it."
    )
    unit = ", in % of it" if above.unit else ""
    axis = (
        f"how far the {loss} lies above that of {target} alone{unit}. Lines: 90% intervals of where a part "
        f"ends."
    )
    chart = {"type": "waterfall", "name": "what", "unit": above.unit, "axis": axis}
    rows = [] if found.is_copy else _parts(found, above)
    return section("ladder", "What the loss is made of", text, columns, rows, chart, short="Parts")


def _parts(found: Explanation, above: Above) -> list[dict[str, Any]]:
    """Return the whole and its parts, each with where it begins and ends."""
    at, low, high = found.excess, found.low, found.high
    rows: list[dict[str, Any]] = [
        {
            "what": "The whole",
            "meaning": f"{shortened(found.source)} against the target's own predictor",
            **above.numbers(value=at, low=low, high=high),
            "from": 0.0,
            **above.numbers(to=at, end_low=low, end_high=high),
            "loss": found.steps[0].loss,
            "summary": True,
        }
    ]
    for part, step in zip(found.parts, found.steps[1:], strict=False):
        left, least, most = at - part.value, at - part.high, at - part.low
        rows.append(
            {
                "what": part.name.capitalize(),
                "meaning": MEANING.get(part.name, ""),
                **above.numbers(value=part.value, low=part.low, high=part.high),
                "chance": _chance(part.chance),
                "reason": "yes" if part.flagged else "no",
                "flagged": part.flagged,
                **above.numbers(**{"from": at, "to": left, "end_low": least, "end_high": most}),
                "loss": step.loss,
            }
        )
        at = left
    return rows


def _chance(chance: float) -> str:
    if not isfinite(chance):
        return "not tested"
    return "less than 0.1%" if chance < 0.001 else f"{percent(min(chance, 1.0))}%"


def effects_section(found: Explanation) -> dict[str, Any]:
    """Return the section of the effects of columns in both tables; without rows if none are known."""
    target, source, on = shortened(found.target), shortened(found.source), effect_on(found)
    rows = [
        {**vars(pair), "reason": "yes" if each.flagged else "no"}
        for each in found.columns
        for pair in each.effects
    ]
    columns = [
        column("name", "column", "text"),
        column("here", f"effect in {target}", digits=3),
        interval("here_low", "here_high", "90% interval", 3),
        column("there", f"effect in {source}", digits=3),
        interval("there_low", "there_high", "90% interval, there", 3),
        column("reason", "a reason", "text"),
    ]
    text = (
        f"Effects of one standard deviation {on}, from {effect_words(found)} of each table. Where the two "
        f"intervals of a column lie apart, it counts otherwise here than there. Effects of columns that go "
        f"together are told apart badly. Columns whose new effects bring most stand first."
    )
    chart = pairs(
        "name",
        f"effect of one standard deviation {on}. Lines: 90% intervals.",
        ("here", "here_low", "here_high", f"in {target}"),
        ("there", "there_low", "there_high", f"in {source}"),
    )
    title = "Effects of columns, here and there"
    return section("effects", title, text, columns, rows, chart, table="closed", short="Effects")


def why_pair(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Return the sections of one explanation in the report of a comparison; none without one."""
    found = [each for each in explanations if not each.is_copy]
    if not found:
        return []
    parts, effects = ladder_section(found[0]), effects_section(found[0])
    parts |= {"id": "why-parts", "title": "Why it fails: the parts of the loss"}
    effects |= {"id": "why-effects", "title": "Why it fails: effects of columns, here and there"}
    return [part for part in (parts, effects) if part["rows"]]


def why_sources(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Return the section of why sources hurt in a ranking or a choice; none without explanations."""
    found = [each for each in explanations if not each.is_copy]
    if not found:
        return []
    names = {part.name for each in found for part in each.parts}
    shown = [name for name in MEANING if name in names]
    parts = [
        column(f"part {name}", f"{name}, %", digits=1, signed=True, meaning=MEANING[name])
        for name in shown
    ]
    columns = [
        column("source", "source", "name"),
        column("reasons", "reasons", "text"),
        column("excess", "excess, %", digits=0, signed=True),
        interval("low", "high", "90% interval, %", 0, signed=True),
        *parts,
        column("said", "in words", "text"),
    ]
    target = shortened(found[0].target)
    meanings = "; ".join(f"{name}: {MEANING[name]}" for name in shown)
    text = (
        f"What the loss of each source's predictor on {target} is made of, in percent of the "
        f"{loss_word(found[0])} of {target} alone: {meanings}. The parts of a source add up to its excess. "
        f"Select a source for its steps."
    )
    series = [(f"part {n}", f"low {n}", f"high {n}", n.capitalize()) for n in shown]
    axis = "part of the loss, in % of that of the target's own predictor. Lines: 90% intervals."
    chart = {"equal": True} | pairs("source", axis, *series)
    rows, title = [_row(each) for each in found], "Why sources hurt"
    return [section("why-hurts", title, text, columns, rows, chart, short="Why they hurt")]


def _row(each: Explanation) -> dict[str, Any]:
    above = Above(each.loss_alone if each.loss_alone > 0 else 1.0)
    row: dict[str, Any] = {
        "source": each.source,
        "reasons": ", ".join(each.causes) or "none stands out",
        **above.numbers(excess=each.excess, low=each.low, high=each.high),
        "said": each.answer.headline,
    }
    for part in each.parts:
        ends = {"part": part.value, "low": part.low, "high": part.high}
        row |= above.numbers(**{f"{end} {part.name}": value for end, value in ends.items()})
    return row


def ladder_of(explanations: Sequence[Explanation], source: str) -> list[list[str]]:
    """Return the steps of a source for the side sheet: the predictor, its loss, what the step brings."""
    for each in explanations:
        table = each.answer.table
        if each.source == source and table is not None:
            steps = []
            for what, _, loss, part, reason, _ in (row.cells for row in table.rows):
                brings = " " if part == "-" else part  # the first step brings nothing
                steps.append([what, loss, f"{brings}, a reason" if reason else brings])
            return steps
    return []
