"""The report of a ranking by score."""

from __future__ import annotations

from typing import Any

from datakin.report.comparisons import (
    FACTS,
    MODELS,
    curve_section,
    details_of,
    loss_of,
    model_rows,
    role_facts,
    unit_on,
)
from datakin.report.effects import effect_row, effect_section, pooled_row
from datakin.report.explained import why_sources
from datakin.report.sections import (
    ZONES,
    column,
    interval,
    numbers,
    origin,
    pairs,
    records,
    section,
    view,
)
from datakin.results import SCREENED, Comparison, Ranking
from datakin.results.call_words import gain_legend, legend_of_calls
from datakin.results.words import CALLS, error_word

WAYS = (
    ("source_to_target", "st_low", "st_high", "source to target"),
    ("target_to_source", "ts_low", "ts_high", "target to source"),
)


def ranking_view(ranking: Ranking) -> dict[str, Any]:
    """Return the sections of a ranking."""
    kin = list(ranking)
    curves = [c.curves[ranking.target] for c in kin if ranking.target in c.curves]
    sections = [
        *([_effects(ranking, kin)] if ranking.is_tried else []),
        *why_sources(ranking.explanations),
        _scores(ranking, kin),
        _screened(ranking),
        _facts(ranking, kin),
        _models(kin),
        *curve_section(curves[:1]),
    ]
    return view(
        "ranking",
        f"Sources for {ranking.target}",
        ranking,
        [part for part in sections if part["rows"]],
        tiles=_tiles(ranking, kin),
        details={c.source: details_of(c, ranking.explanations) for c in kin},
        calls=kin[0].decision.is_about_gain,
        selects="source",
        provenance=origin(*(c.provenance for c in ranking.comparisons), Fits=str(ranking.n_fits)),
    )


def _tiles(ranking: Ranking, kin: list[Comparison]) -> list[dict[str, str]]:
    tiles = [{"label": "sources", "value": str(len(ranking) + len(ranking.screened))}]
    words = [c.decision.word for c in kin]
    shown = CALLS if kin[0].decision.is_about_gain else ZONES
    tiles += [{"label": word, "value": str(words.count(word)), "zone": word} for word in shown]
    if ranking.screened:
        tiles.append({"label": SCREENED, "value": str(len(ranking.screened))})
    if ranking.error_alone is not None:
        errors = unit_on(kin[0], ranking.target)
        what = f"{error_word(errors.loss)} of the target alone"
        tiles.append({"label": what, "value": errors.text(ranking.error_alone)})
    tiles.append({"label": "rows of the target", "value": f"{kin[0].n_rows[ranking.target]:,}"})
    return tiles


def _effects(ranking: Ranking, kin: list[Comparison]) -> dict[str, Any]:
    """Return the section of the gains of the sources that were tried."""
    name, unit, _ = loss_of(kin[0])
    rows = []
    for row, c in zip(records(ranking.frame), kin, strict=False):
        if c.trial is not None:
            ends, word = (row["gain_low"], row["gain_high"]), c.decision.word
            found = effect_row(row["gain"], ends, row["p_gain"], c.loss_alone, unit)
            row |= {**found, **pooled_row(c.trial, word), "call": word, "zone": word}
            rows.append(row)
    calls = [c.call for c in kin]
    text = " ".join([*legend_of_calls(calls), *gain_legend(name, calls)])
    group = [column("group", "group", digits=0)] if len(kin) > 1 else []
    return effect_section(ranking.target, (name, unit), rows, text, more=group)


def _scores(ranking: Ranking, kin: list[Comparison]) -> dict[str, Any]:
    frame, rows = ranking.frame.head(len(kin)), []
    on_target, on_source = unit_on(kin[0], ranking.target), unit_on(kin[0], kin[0].source)
    for row, c in zip(records(frame), kin, strict=True):
        row["zone"] = c.decision.word
        if not c.decision.is_about_gain:
            row |= {"zone_low": c.decision.low, "zone_high": c.decision.high}
        for key, low, high, _ in WAYS:
            way = c.directions[key]
            row |= {key: way.value, low: way.low, high: way.high}
        row |= on_target.values("on_target", c.cross_errors.get(c.source))
        row |= on_target.values("own_target", c.own_errors.get(c.target))
        row |= on_source.values("on_source", c.cross_errors.get(c.target))
        row |= on_source.values("own_source", c.own_errors.get(c.source))
        rows.append(row)
    chart = pairs(
        "source",
        "Cross-Learning Score. 0 means kin, more means less kin. Lines: 95% intervals.",
        ("score", "low", "high", "score: mean of both directions"),
        *WAYS,
    )
    text = (
        "How much worse the predictors of one dataset do on the other than that dataset's own. For using a "
        "source, the direction from source to target matters."
    )
    is_paper = not kin[0].decision.is_about_gain
    if is_paper:
        chart["bands"] = ["zone_low", "zone_high"]
        text += (
            " The background shows the paper's zones: positive at or below 0, negative where the score is "
            "higher than chance explains. They apply to the paper's estimate of the score."
        )
    columns = [
        column("source", "source", "name"),
        *([column("zone", "zone", "zone")] if is_paper else []),
        column("score", "score"),
        interval("low", "high", "95% interval"),
        *numbers(source_to_target="source to target", target_to_source="target to source"),
        *([] if ranking.is_tried else [column("p_first", "probability of being best", digits=2)]),
        *on_target.columns("own_target", "target's own error in this comparison")[:1],
        *on_target.columns("on_target", "source's error on target")[:1],
        *on_source.columns("own_source", "source's own error in this comparison")[:1],
        *on_source.columns("on_source", "target's error on source")[:1],
        column("n_rows", "rows", digits=0),
    ]
    if "standardised" in frame:
        columns.insert(-1, column("standardised", "score, standardised"))
    title = "Who is kin: scores in both directions"
    return section("scores", title, text, columns, rows, chart, short="Scores")


def _screened(ranking: Ranking) -> dict[str, Any]:
    rows = [
        {
            "source": each.source,
            "source_to_target": each.source_to_target,
            "standard_error": each.standard_error,
            "gain": 100 * each.row()["gain"],
            "n_rows": each.n_rows,
        }
        for each in ranking.screened
    ]
    columns = [
        column("source", "source", "name"),
        *numbers(source_to_target="source to target, quick", standard_error="standard error"),
        column("gain", "gain, %", digits=1, signed=True),
        column("n_rows", "rows", digits=0),
    ]
    text = (
        "Sources that a quick pass of a few fits found out of reach. They were not measured in full and "
        "are not called; the numbers are those of the quick pass."
    )
    return section("screened", "Screened out", text, columns, rows)


def _models(kin: list[Comparison]) -> dict[str, Any]:
    rows = [row for c in kin for row in model_rows(c)]
    columns = [column("source", "source", "name"), *MODELS]
    chart = {"type": "dots", "name": "source", "series": "model", "value": "score"}
    chart["axis"] = "score by each model alone"
    text = (
        "The score by each model alone. Where the dots of a source lie close together, the models agree. A "
        "single dot far away comes from that model, not from the data."
    )
    title = "Do the models agree?"
    return section(
        "models", title, text, columns, rows, chart, table="closed", more=True, short="models"
    )


def _facts(ranking: Ranking, kin: list[Comparison]) -> dict[str, Any]:
    rows = [{**role_facts(kin[0], ranking.target, "target"), "shared": None}]
    rows += [{**role_facts(c, c.source, "source"), "shared": c.n_shared_rows} for c in kin]
    text = (
        "What was read. Rows in common with the target are left out of the cross errors; columns that the "
        "other dataset does not have are left out of the comparison."
    )
    return section("facts", "The data", text, FACTS, rows, short="Data")
