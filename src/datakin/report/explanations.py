"""The report of an explanation: why what is learned on a source fails on a target."""

from __future__ import annotations

from math import isfinite
from typing import Any

from datakin.report.explained import effects_section, fall_columns, ladder_section
from datakin.report.sections import (
    column,
    counts,
    forest,
    interval,
    origin,
    pairs,
    section,
    shortened,
    texts,
    view,
)
from datakin.results import ColumnShift, Explanation, KeptRows, Mend
from datakin.results.explanation_words import Above, first_part, loss_word
from datakin.results.words import number, percent, percent_interval

FACTS = [column("what", "what", "text"), column("value", "here", "text")]
NAN = float("nan")
MENDS = [
    *texts(cause="likely cause", seen="what was seen", table="in"),
    column("typed", "what mends it", "code"),
    column("python", "in Python", "code"),
]
MOVED = [
    *texts(column="column", kind="kind"),
    column("difference", "difference", digits=2, signed=True),
    interval("low", "high", "90% interval", 2, signed=True),
    *texts(here="here", there="there"),
]


def explanation_view(found: Explanation) -> dict[str, Any]:
    """Return the sections of an explanation."""
    sections = [
        ladder_section(found),
        _mends(found),
        effects_section(found),
        _columns(found),
        _regions(found),
        *_moved(found),
        *([] if found.kept is None else [_kept(found, found.kept)]),
        _facts(found),
    ]
    return view(
        "explanation",
        f"What {found.source} loses on {found.target}",
        found,
        [part for part in sections if part["rows"]],
        tiles=[] if found.is_copy else _tiles(found),
        provenance=origin(found.provenance),
    )


def _tiles(found: Explanation) -> list[dict[str, str]]:
    above, causes = Above.of(found), ", ".join(found.causes) or "none stands out"
    tiles = {
        f"excess in {loss_word(found)}": above.text(found.excess),
        "90% interval": f"{above.text(found.low)} to {above.text(found.high)}",
        "reasons" if len(found.causes) > 1 else "reason": causes,
    }
    if found.shift is not None:
        tiles["AUC between the tables"] = f"{found.shift.auc:.2f}"
    return [{"label": label, "value": value} for label, value in tiles.items()]


def _of_alone(above: Above) -> str:
    return ", in % of the loss alone" if above.unit else ""


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
        columns.append(
            column("costs", "the target's own predictor then loses more by, %", digits=1)
        )
    text = (
        "What in the tables may be the cause, and the option that mends it while they are read. Where a mend "
        "was tried, the excess is shown before and after it. What is marked with a star is named as a cause."
    )
    chart = None
    if any(row["before"] == row["before"] for row in rows):
        axis = f"excess over {shortened(found.target)} alone{', %' if above.unit else ''}. Left is better."
        before, after = ("before", "", "", "as it is"), ("after", "", "", "once mended")
        chart = pairs("cause", axis, before, after)
    title = "Likely causes, and what mends them"
    return section("causes", title, text, columns, rows, chart, short="Causes")


def _mend(each: Mend, above: Above) -> dict[str, Any]:
    about, costs = ", ".join(each.columns), above.costs(each)
    low, high = (NAN, NAN) if costs else (above.shown(each.low), above.shown(each.high))
    return {
        "cause": f"{each.cause.capitalize()}{f': {about}' if about else ''}{' *' * each.flagged}",
        "seen": each.seen,
        "table": each.table or "both",
        "typed": each.typed,
        "python": each.python,
        "before": above.shown(each.before),
        "after": 100 * above.left(each) if costs else above.shown(each.after),
        "low": low,
        "high": high,
        "costs": 100 * costs,
    }


def _flagged(is_flagged: bool) -> dict[str, str]:
    """Return whether a row is named, in its table and, by a star, in its picture."""
    return {"reason": "yes", "mark": "*"} if is_flagged else {"reason": "no"}


def _falls(
    name: str, value: str, what: str, above: Above, rows: list[dict[str, Any]], star: str = ""
) -> dict[str, Any]:
    """Return the picture of losses with their intervals; a star says which of them are named."""
    axis = f"{what}. Lines: 90% intervals."
    chart = forest(name, value, axis, tag={"digits": 1, "unit": above.unit})
    return chart | ({"mark_label": f"* {star}"} if any("mark" in row for row in rows) else {})


def _columns(found: Explanation) -> dict[str, Any]:
    """Return the section of what a new effect for each column brings."""
    above = Above.of(found)
    rows = [
        {
            "column": each.column,
            **above.numbers(gain=each.gain, low=each.low, high=each.high),
            "chance": 100 * each.chance,
            **_flagged(each.flagged),
        }
        for each in found.columns
    ]
    gain, ends = fall_columns(above)
    columns = [
        column("column", "column", "text"),
        {**gain, "key": "gain"},
        ends,
        column("chance", "chance of it, were the effect the same, %", digits=1),
        column("reason", "a reason", "text"),
    ]
    text = (
        f"What a new effect for one column brings on held-out rows, beside a new {first_part(found)}. "
        f"Columns that go together can stand in for each other, so that these numbers do not add up."
    )
    what = f"by how much the loss falls{_of_alone(above)}"
    chart = _falls("column", "gain", what, above, rows, "named as a reason")
    title = "Which columns"
    return section("columns", title, text, columns, rows, chart, table="closed", short="Columns")


def _regions(found: Explanation) -> dict[str, Any]:
    """Return the section of the rows of the target for which the source's predictor fails."""
    above = Above.of(found)
    rows = [
        {
            "where": " and ".join(each.conditions) or "all rows",
            "rows": 100 * each.rows,
            "share": 100 * each.share,
            **above.numbers(excess=each.excess, low=each.low, high=each.high),
            **_flagged(each.flagged),
        }
        for each in found.regions
    ]
    columns = [
        column("where", "rows where", "text"),
        *counts(rows="of the target's rows, %", share="of the excess, %"),
        column("excess", above.titled("mean excess there"), digits=1, signed=True),
        interval("low", "high", above.titled("90% interval"), 1, signed=True),
        column("reason", "larger than elsewhere", "text"),
    ]
    text = (
        "Found by a shallow tree on one half of the rows and measured on the other: how far the loss of the "
        "source's predictor lies above that of the target's own."
    )
    what = f"mean excess of these rows{_of_alone(above)}"
    chart = _falls("where", "excess", what, above, rows, "larger than elsewhere")
    return section("regions", "For which rows it fails", text, columns, rows, chart, short="Rows")


def _moved(found: Explanation) -> list[dict[str, Any]]:
    """Return the section of where the features lie; none if that is not known."""
    shift = found.shift
    if shift is None:
        return []
    text = (
        f"A classifier tells rows of the two tables apart with AUC {shift.auc:.2f} (90% interval "
        f"{shift.low:.2f} to {shift.high:.2f}); 0.5 is not at all. {percent(shift.outside)}% of the target's "
        f"rows lie outside what the source has seen. Below: numbers by their means, in standard deviations; "
        f"categories by the share of rows that would have to change.{_weighted(found)}"
    )
    axis = (
        "here minus there, in standard deviations; categories: share of rows that differ, 0 to 1. Lines: 90% "
        "intervals."
    )
    rows, chart = map(_moved_row, shift.columns), forest("column", "difference", axis)
    title = "Where the features lie"
    return [section("moved", title, text, MOVED, rows, chart, table="closed", short="Features")]


def _moved_row(each: ColumnShift) -> dict[str, Any]:
    names = ("kind", "difference", "low", "high")
    row: dict[str, Any] = {name: getattr(each, name) for name in names}
    for side, value in (("here", each.here), ("there", each.there)):
        if not isfinite(value):
            row[side] = "no values"
        elif each.kind == "number":
            row[side] = f"mean {number(value)}"
        else:
            level = repr(each.level) if each.level else "missing"
            row[side] = f"{percent(value)}% {shortened(level)}"
    return {**row, "column": each.column}


def _weighted(found: Explanation) -> str:
    """Say what weighting the source's rows brought, where it was tried."""
    shift, above = found.shift, Above.of(found)
    if shift is None or not isfinite(shift.mended) or not above.base:
        return ""
    ends = percent_interval(above.share(shift.mended_low), above.share(shift.mended_high))
    return (
        f" With the source's rows weighted to lie where the target's do, what is named shrinks by "
        f"{percent(above.share(shift.mended))}% of the loss alone (90% interval {ends}); they then count "
        f"like {shift.rows_left:,.0f} rows."
    )


def _kept(found: Explanation, kept: KeptRows) -> dict[str, Any]:
    """Return the section of the rows of the source that are worth keeping."""
    target, source, above = shortened(found.target), shortened(found.source), Above(kept.alone)
    rows = [
        {
            **{"what": what, "loss": loss, "kept": kept.kept},
            **above.numbers(value=loss - kept.kept, low=low, high=high),
        }
        for what, loss, low, high in (
            (f"against {target} alone", kept.alone, kept.low, kept.high),
            (f"against all rows of {source}", kept.everything, kept.low_all, kept.high_all),
        )
    ]
    columns = [
        column("what", "the rows kept", "text"),
        *fall_columns(above),
        interval("loss", "kept", f"{loss_word(found)}, and with what is kept", 3, between="→"),
    ]
    left = "; ".join(" and ".join(each) for each in kept.dropped) or "none"
    beats = "surely beats" if kept.helps else "does not surely beat"
    text = (
        f"{percent(kept.share, 0)}% of the rows of {source} were pooled with those of {target}, and the "
        f"others were left out: {left}. That {beats} {target} alone."
    )
    what = f"by how much the loss falls{_of_alone(above)}. Right of 0 is better"
    chart = _falls("what", "value", what, above, rows)
    title = "Is a part of the source worth keeping?"
    return section("kept", title, text, columns, rows, chart, short="Rows kept")


def _facts(found: Explanation) -> dict[str, Any]:
    """Return the section of what was learned from, and what was expected."""
    word, is_number = loss_word(found), found.task == "regression"
    facts = {
        "Target": f"{found.target} ({found.n_target:,} rows)",
        "Source": f"{found.source} ({found.n_source:,} rows)",
        "Learner": found.learner,
    }
    if not found.is_copy:
        facts[f"{word.capitalize()} of the source's predictor"] = number(found.steps[0].loss)
        facts[f"{word.capitalize()} of the target's own predictor"] = number(found.loss_alone)
    if isfinite(found.observed) and isfinite(found.expected):
        of = "Mean of the label" if is_number else f"Share of {found.positive!r}"
        in_target, as_expected = (
            number(value) if is_number else f"{percent(value)}%"
            for value in (found.observed, found.expected)
        )
        facts[f"{of} in the target"] = in_target
        facts[f"{of} as the source expects it"] = as_expected
    if isfinite(found.slope):
        facts["Slope (1 is right)"] = number(found.slope)
    rows = [{"what": what, "value": value} for what, value in facts.items()]
    told = "What was learned from, and what the source's predictor expects."
    return section("facts", "The data", told, FACTS, rows, short="Data")
