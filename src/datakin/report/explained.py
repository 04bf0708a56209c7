"""Explanations inside the reports of comparisons, rankings and choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datakin.report.explained_columns import effects_section
from datakin.report.explanations import ladder_section, loss_word
from datakin.report.sections import column, interval, pairs, section
from datakin.report.words import shortened
from datakin.results import Explanation
from datakin.results.explanation_words import MEANING, Above, part_title

__all__ = ["ladder_of", "why_pair", "why_sources"]

ORDER = tuple(MEANING)  # of the parts


def why_pair(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Return the sections of one explanation in the report of a comparison; none without one."""
    found = [each for each in explanations if not each.is_copy]
    sections = [
        {**make(each, key), "title": f"{title}: {name}"}
        for each in found[:1]
        for make, key, title, name in (
            (ladder_section, "why-parts", "Why it fails", "the parts of the loss"),
            (effects_section, "why-effects", "Why it fails", "effects of columns, here and there"),
        )
    ]
    return [part for part in sections if part["rows"]]


def why_sources(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Return the section of why sources hurt in a ranking or a choice; none without explanations."""
    found = [each for each in explanations if not each.is_copy]
    if not found:
        return []
    names = {part.name: None for each in found for part in each.parts}
    shown = sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    columns = [
        column("source", "source", "name"),
        column("reasons", "reasons", "text"),
        column("excess", "excess, %", digits=0, signed=True),
        interval("low", "high", "90% interval, %", 0, signed=True),
        *(
            column(f"part {name}", f"{name}, %", digits=1, signed=True, meaning=MEANING.get(name))
            for name in shown
        ),
        column("said", "in words", "text"),
    ]
    target = shortened(found[0].target)
    text = (
        f"What the loss of each source's predictor on {target} is made of, in percent of the "
        f"{loss_word(found[0])} of {target} alone: {_meanings(shown)}. The parts of a source add up to its "
        f"excess. Select a source for its steps."
    )
    series = [(f"part {n}", f"low {n}", f"high {n}", part_title(n)) for n in shown]
    axis = "part of the loss, in % of that of the target alone. Lines: 90% intervals."
    chart = {"equal": True} | pairs("source", axis, *series)
    title = "Why sources hurt"
    rows = [_row(each) for each in found]
    return [
        section(
            "why-hurts",
            title,
            text,
            columns,
            rows,
            chart=chart,
            table="open",
            short="Why they hurt",
        )
    ]


def _meanings(names: Sequence[str]) -> str:
    return "; ".join(f"{name}: {MEANING[name]}" for name in names if name in MEANING)


def _row(each: Explanation) -> dict[str, Any]:
    above = Above(each.loss_alone if each.loss_alone > 0 else 1.0)
    row: dict[str, Any] = {
        "source": each.source,
        "reasons": ", ".join(each.causes) or "none stands out",
        "excess": above.shown(each.excess),
        "low": above.shown(each.low),
        "high": above.shown(each.high),
        "said": each.answer.headline,
    }
    for part in each.parts:
        row |= {
            f"part {part.name}": above.shown(part.value),
            f"low {part.name}": above.shown(part.low),
            f"high {part.name}": above.shown(part.high),
        }
    return row


def ladder_of(explanations: Sequence[Explanation], source: str) -> list[list[str]]:
    """Return the steps of a source for the side sheet: the predictor, its loss, what the step brings."""
    for each in explanations:
        table = each.answer.table
        if each.source == source and table is not None:
            return [
                [row.cells[0], row.cells[2], _brought(row.cells[3], bool(row.cells[4]))]
                for row in table.rows
            ]
    return []


def _brought(part: str, is_reason: bool) -> str:
    """Return what a step brings, as it stands in a sheet; the first step brings nothing."""
    return " " if part == "-" else f"{part}{', a reason' * is_reason}"
