"""The report of an explanation: why what is learned on a source fails on a target."""

from __future__ import annotations

from math import isfinite
from typing import Any

from datakin.report.explained_columns import (
    columns_section,
    effects_section,
    moved_section,
    regions_section,
)
from datakin.report.sections import column, forest, interval, origin, pairs, section, view
from datakin.report.words import notes_of, shortened, verdict_of
from datakin.results import Explanation, KeptRows, Mend
from datakin.results.explanation_words import MEANING, Above, part_title
from datakin.results.words import error_word, number, percent

__all__ = ["explanation_view", "ladder_section", "loss_word"]

FACTS = [column("what", "what", "text"), column("value", "here", "text")]
WHOLE = "The whole"
NAN = float("nan")


def explanation_view(found: Explanation) -> dict[str, Any]:
    """Return the sections of an explanation."""
    sections = [
        ladder_section(found),
        _mends(found),
        effects_section(found),
        columns_section(found),
        regions_section(found),
        moved_section(found),
        *([] if found.kept is None else [_kept(found, found.kept)]),
        _facts(found),
    ]
    answer = found.answer
    return view(
        "explanation",
        f"What {found.source} loses on {found.target}",
        verdict_of(answer),
        [part for part in sections if part["rows"]],
        tiles=_tiles(found),
        notes=notes_of(answer),
        provenance=origin(found.provenance),
    )


def loss_word(found: Explanation) -> str:
    """Return what the loss is called: not its root, which is not what parts add up to."""
    return "squared error" if found.loss == "squared" else error_word(found.loss)


def _tiles(found: Explanation) -> list[dict[str, str]]:
    if found.is_copy:
        return []
    above = Above.of(found)
    tiles = [
        {"label": f"excess in {loss_word(found)}", "value": above.text(found.excess)},
        {
            "label": "90% interval",
            "value": f"{above.text(found.low)} to {above.text(found.high)}",
        },
    ]
    causes = ", ".join(found.causes) or "none stands out"
    tiles.append({"label": "reasons" if len(found.causes) > 1 else "reason", "value": causes})
    if found.shift is not None:
        tiles.append({"label": "AUC between the tables", "value": f"{found.shift.auc:.2f}"})
    return tiles


def ladder_section(found: Explanation, key: str = "ladder") -> dict[str, Any]:
    """Return the section of the parts that the excess is made of; without rows for copies."""
    above = Above.of(found)
    title, short = "What the loss is made of", "Parts"
    columns = [
        column("what", "part", "text"),
        column("value", above.titled("by how much the loss falls"), digits=1, signed=True),
        interval("low", "high", above.titled("90% interval"), 1, signed=True),
        column("chance", "chance of it, were the rules equal", "text"),
        column("reason", "a reason", "text"),
        column("loss", f"{loss_word(found)} from here on"),
        column("meaning", "what it means, if it is a reason", "text"),
    ]
    text = (
        f"The source's predictor is mended step by step, on held-out rows of {shortened(found.target)}. Each "
        f"bar begins where the one above it ends; all parts add up to the whole. A part is a reason if its "
        f"interval lies above 0 and chance alone rarely brings it."
    )
    axis = (
        f"how far the {loss_word(found)} lies above that of {shortened(found.target)} alone"
        f"{', in % of it' if above.unit else ''}. Lines: 90% intervals of where a part ends."
    )
    chart = {"type": "waterfall", "name": "what", "unit": above.unit, "axis": axis}
    rows = [] if found.is_copy else _parts(found, above)
    return section(key, title, text, columns, rows, chart=chart, table="open", short=short)


def _parts(found: Explanation, above: Above) -> list[dict[str, Any]]:
    """Return the whole and its parts, each with where it begins and ends."""
    at = found.excess
    rows: list[dict[str, Any]] = [
        {
            "what": WHOLE,
            "meaning": f"{shortened(found.source)} against the target's own predictor",
            **_numbers(above, found.excess, found.low, found.high),
            "from": 0.0,
            "to": above.shown(at),
            "end_low": above.shown(found.low),
            "end_high": above.shown(found.high),
            "loss": found.steps[0].loss,
            "summary": True,
        }
    ]
    for part, step in zip(found.parts, found.steps[1:], strict=False):
        rows.append(
            {
                "what": part_title(part.name),
                "meaning": MEANING.get(part.name, ""),
                **_numbers(above, part.value, part.low, part.high),
                "chance": _chance(part.chance),
                "reason": "yes" if part.flagged else "no",
                "flagged": part.flagged,
                "from": above.shown(at),
                "to": above.shown(at - part.value),
                "end_low": above.shown(at - part.high),
                "end_high": above.shown(at - part.low),
                "loss": step.loss,
            }
        )
        at -= part.value
    return rows


def _numbers(above: Above, value: float, low: float, high: float) -> dict[str, float]:
    return {"value": above.shown(value), "low": above.shown(low), "high": above.shown(high)}


def _chance(chance: float) -> str:
    if not isfinite(chance):
        return "not tested"
    return "less than 0.1%" if chance < 0.001 else f"{percent(min(chance, 1.0))}%"


MENDS = [
    column("cause", "likely cause", "text"),
    column("seen", "what was seen", "text"),
    column("table", "in", "text"),
    column("typed", "what mends it", "code"),
    column("python", "in Python", "code"),
]


def _mends(found: Explanation) -> dict[str, Any]:
    """Return the section of what may be the cause and what would mend it."""
    above = Above.of(found)
    rows = [_mend(each, above) for each in found.mends]
    columns = [
        *MENDS,
        interval("before", "after", above.titled("excess, as it is and mended"), 1, between="→"),
        interval("low", "high", above.titled("90% interval of the fall"), 1, signed=True),
    ]
    if any(above.costs(each) for each in found.mends):
        columns.append(column("costs", "the target alone then loses more by, %", digits=1))
    text = (
        "What in the tables may be the cause, and the option that mends it while they are read. Where a mend "
        "was tried, the excess is shown before and after it. What is marked with a star is named as a cause."
    )
    chart = None
    if any(row["before"] == row["before"] for row in rows):
        axis = f"excess over {shortened(found.target)} alone{', %' if above.unit else ''}. Left is better."
        before, after = ("before", "", "", "as it is"), ("after", "", "", "once mended")
        chart = pairs("cause", axis, before, after)
    title, short = "Likely causes, and what mends them", "Causes"
    return section("causes", title, text, columns, rows, chart=chart, table="open", short=short)


def _mend(each: Mend, above: Above) -> dict[str, Any]:
    about = ", ".join(each.columns)
    costs = above.costs(each)
    ends = (NAN, NAN) if costs else (above.shown(each.low), above.shown(each.high))
    return {
        "cause": f"{part_title(each.cause)}{f': {about}' if about else ''}{' *' * each.flagged}",
        "seen": each.seen,
        "table": each.table or "both",
        "typed": each.typed,
        "python": each.python,
        "before": above.shown(each.before),
        "after": 100 * above.left(each) if costs else above.shown(each.after),
        "low": ends[0],
        "high": ends[1],
        "costs": 100 * costs,
    }


def _kept(found: Explanation, kept: KeptRows) -> dict[str, Any]:
    """Return the section of the rows of the source that are worth keeping."""
    target, source, above = shortened(found.target), shortened(found.source), Above(kept.alone)
    share = f"{percent(kept.share, 0)}%"
    rows = [
        {"what": what, "loss": loss, "kept": kept.kept, **_numbers(above, loss - kept.kept, *ends)}
        for what, loss, ends in (
            (f"against {target} alone", kept.alone, (kept.low, kept.high)),
            (f"against all rows of {source}", kept.everything, (kept.low_all, kept.high_all)),
        )
    ]
    columns = [
        column("what", "the rows kept", "text"),
        column("value", above.titled("by how much the loss falls"), digits=1, signed=True),
        interval("low", "high", above.titled("90% interval"), 1, signed=True),
        interval("loss", "kept", f"{loss_word(found)}, and with what is kept", 3, between="→"),
    ]
    left = "; ".join(" and ".join(each) for each in kept.dropped)
    text = (
        f"{share} of the rows of {source} were pooled with those of {target}, and the others were left out: "
        f"{left or 'none'}. That {'surely' if kept.helps else 'does not surely'} "
        f"{'beats' if kept.helps else 'beat'} {target} alone."
    )
    unit = ", in % of the loss alone" if above.unit else ""
    axis = f"by how much the loss falls{unit}. Right of 0 is better. Lines: 90% intervals."
    chart = forest("what", "value", axis, tag={"digits": 1, "unit": above.unit})
    title = "Is a part of the source worth keeping?"
    return section("kept", title, text, columns, rows, chart=chart, table="open", short="Rows kept")


def _facts(found: Explanation) -> dict[str, Any]:
    """Return the section of what was learned from, and what was expected."""
    word = loss_word(found)
    facts = {
        "Target": f"{found.target} ({found.n_target:,} rows)",
        "Source": f"{found.source} ({found.n_source:,} rows)",
        "Learner": found.learner,
    }
    if not found.is_copy:
        facts[f"{part_title(word)} of the source's predictor"] = number(found.steps[0].loss)
        facts[f"{part_title(word)} of the target alone"] = number(found.loss_alone)
    if isfinite(found.observed) and isfinite(found.expected):
        text, of = (
            (number, "Mean of the label")
            if found.task == "regression"
            else (lambda share: f"{percent(share)}%", f"Share of {found.positive!r}")
        )
        facts[f"{of} in the target"] = text(found.observed)
        facts[f"{of} as the source expects it"] = text(found.expected)
    if isfinite(found.slope):
        facts["Slope (1 is right)"] = number(found.slope)
    rows = [{"what": what, "value": value} for what, value in facts.items()]
    told = "What was learned from, and what the source's predictor expects."
    return section("facts", "The data", told, FACTS, rows, table="open", short="Data")
