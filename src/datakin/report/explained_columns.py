"""Sections of an explanation that are about columns and rows: effects, features that moved, regions."""

from __future__ import annotations

from math import isfinite
from typing import Any

from datakin.report.sections import column, forest, interval, pairs, section
from datakin.report.words import shortened
from datakin.results import ColumnShift, Explanation
from datakin.results.explanation_words import Above, effect_on, effect_words, first_part
from datakin.results.words import number, percent, percent_interval

__all__ = ["columns_section", "effects_section", "moved_section", "regions_section"]

NAMED = "* named as a reason"


def effects_section(found: Explanation, key: str = "effects") -> dict[str, Any]:
    """Return the section of the effects of columns in both tables; without rows if none are known."""
    target, source = shortened(found.target), shortened(found.source)
    rows = [
        {
            "name": pair.name,
            "here": pair.here,
            "here_low": pair.here_low,
            "here_high": pair.here_high,
            "there": pair.there,
            "there_low": pair.there_low,
            "there_high": pair.there_high,
            "reason": "yes" if each.flagged else "no",
        }
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
    on = effect_on(found)
    text = (
        f"Effects of one standard deviation {on}, from {effect_words(found)} of each table. Where the two "
        f"intervals of a column lie apart, it counts otherwise here than there. Effects of columns that go "
        "together are told apart badly. Columns whose new effects bring most stand first."
    )
    chart = pairs(
        "name",
        f"effect of one standard deviation {on}. Lines: 90% intervals.",
        ("here", "here_low", "here_high", f"in {target}"),
        ("there", "there_low", "there_high", f"in {source}"),
    )
    return section(
        key, "Effects of columns, here and there", text, columns, rows, chart=chart, short="Effects"
    )


def columns_section(found: Explanation) -> dict[str, Any]:
    """Return the section of what a new effect for each column brings."""
    above = Above.of(found)
    rows = [
        {
            "column": each.column,
            "gain": above.shown(each.gain),
            "low": above.shown(each.low),
            "high": above.shown(each.high),
            "chance": 100 * each.chance,
            "reason": "yes" if each.flagged else "no",
            **({"mark": "*"} if each.flagged else {}),
        }
        for each in found.columns
    ]
    columns = [
        column("column", "column", "text"),
        column("gain", above.titled("by how much the loss falls"), digits=1, signed=True),
        interval("low", "high", above.titled("90% interval"), 1, signed=True),
        column("chance", "chance of it, were the effect the same, %", digits=1),
        column("reason", "a reason", "text"),
    ]
    text = (
        f"What a new effect for one column brings on held-out rows, beside a new {first_part(found)}. "
        f"Columns that go together can stand in for each other, so that these numbers do not add up."
    )
    axis = f"by how much the loss falls{_of_alone(above)}. Lines: 90% intervals."
    chart = forest("column", "gain", axis, tag={"digits": 1, "unit": above.unit})
    if any("mark" in row for row in rows):
        chart["mark_label"] = NAMED
    return section("columns", "Which columns", text, columns, rows, chart=chart, short="Columns")


def _of_alone(above: Above) -> str:
    return ", in % of the loss alone" if above.unit else ""


def moved_section(found: Explanation) -> dict[str, Any]:
    """Return the section of where the features lie; without rows if that is not known."""
    shift = found.shift
    columns = [
        column("column", "column", "text"),
        column("kind", "kind", "text"),
        column("difference", "difference", digits=2, signed=True),
        interval("low", "high", "90% interval", 2, signed=True),
        column("here", "here", "text"),
        column("there", "there", "text"),
    ]
    if shift is None:
        return section("moved", "", "", columns, ())
    text = (
        f"A classifier tells rows of the two tables apart with AUC {shift.auc:.2f} (90% interval "
        f"{shift.low:.2f} to {shift.high:.2f}); 0.5 is not at all. {percent(shift.outside)}% of the target's "
        f"rows lie outside what the source has seen. Below: numbers by their means, in standard deviations; "
        f"categories by the share of rows that would have to change.{_weighted(found)}"
    )
    rows = [{**_moved(each), "column": each.column} for each in shift.columns]
    axis = (
        "here minus there, in standard deviations; categories: share of rows that differ, 0 to 1. Lines: 90% "
        "intervals."
    )
    chart = forest("column", "difference", axis)
    title = "Where the features lie"
    return section("moved", title, text, columns, rows, chart=chart, short="Features")


def _moved(each: ColumnShift) -> dict[str, Any]:
    row = {"kind": each.kind, "difference": each.difference, "low": each.low, "high": each.high}
    if each.kind == "number":
        return {**row, "here": _mean(each.here), "there": _mean(each.there)}
    level = repr(each.level) if each.level else "missing"
    return {**row, "here": _share(each.here, level), "there": _share(each.there, level)}


def _mean(value: float) -> str:
    return f"mean {number(value)}" if isfinite(value) else "no values"


def _share(value: float, level: str) -> str:
    return f"{percent(value)}% {shortened(level)}" if isfinite(value) else "no values"


def _weighted(found: Explanation) -> str:
    """Say what weighting the source's rows brought, where it was tried."""
    shift, above = found.shift, Above.of(found)
    if shift is None or not isfinite(shift.mended) or not above.base:
        return ""
    ends = percent_interval(shift.mended_low / above.base, shift.mended_high / above.base)
    return (
        f" With the source's rows weighted to lie where the target's do, what is named shrinks by "
        f"{percent(shift.mended / above.base)}% of the loss alone (90% interval {ends}); they then count "
        f"like {shift.rows_left:,.0f} rows."
    )


def regions_section(found: Explanation) -> dict[str, Any]:
    """Return the section of the rows of the target for which the source's predictor fails."""
    above = Above.of(found)
    rows = [
        {
            "where": " and ".join(each.conditions) or "all rows",
            "rows": 100 * each.rows,
            "share": 100 * each.share,
            "excess": above.shown(each.excess),
            "low": above.shown(each.low),
            "high": above.shown(each.high),
            "reason": "yes" if each.flagged else "no",
            **({"mark": "*"} if each.flagged else {}),
        }
        for each in found.regions
    ]
    columns = [
        column("where", "rows where", "text"),
        column("rows", "of the target's rows, %", digits=0),
        column("share", "of the excess, %", digits=0),
        column("excess", above.titled("mean excess there"), digits=1, signed=True),
        interval("low", "high", above.titled("90% interval"), 1, signed=True),
        column("reason", "larger than elsewhere", "text"),
    ]
    text = (
        "Found by a shallow tree on one half of the rows and measured on the other: how far the loss of the "
        "source's predictor lies above that of the target's own."
    )
    axis = f"mean excess of these rows{_of_alone(above)}. Lines: 90% intervals."
    chart = forest("where", "excess", axis, tag={"digits": 1, "unit": above.unit})
    if any("mark" in row for row in rows):
        chart["mark_label"] = "* larger than elsewhere"
    return section(
        "regions",
        "For which rows it fails",
        text,
        columns,
        rows,
        chart=chart,
        table="open",
        short="Rows",
    )
