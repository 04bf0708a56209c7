"""The reports of rankings, by score and by distance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datakin.distances import DistanceRanking
from datakin.report.comparisons import details_of, model_rows, role_facts
from datakin.report.sections import (
    FACTS,
    GAIN,
    MODELS,
    PROBABILITY,
    bars,
    column,
    curve_section,
    forest,
    gain_forest,
    gain_row,
    origin,
    pairs,
    records,
    section,
    view,
)
from datakin.report.words import (
    CALLS,
    ZONES,
    enumerated,
    error_text,
    score_zones,
    shortened,
    verdict_of,
)
from datakin.results import SCREENED, Comparison, LearningCurve, Ranking

__all__ = ["distance_ranking_view", "ranking_view"]

SCORES = [
    column("source", "source", "name"),
    column("score", "score"),
    column("low", "low"),
    column("high", "high"),
    column("zone", "zone", "zone"),
    column("p_first", "P(first)", digits=2),
    column("n_rows", "rows", digits=0),
]
TRIED = [
    column("source", "source", "name"),
    column("group", "group", digits=0),
    column("zone", "call", "zone"),
    column("gain_percent", "gain, %", digits=1),
    column("low_percent", "90% low, %", digits=1),
    column("high_percent", "90% high, %", digits=1),
    column("p_gain", "P(gain)", digits=2),
]


def ranking_view(ranking: Ranking) -> dict[str, Any]:
    """Return the sections of a ranking."""
    kin = list(ranking)
    title = f"Sources for {ranking.target}"
    sections = [
        *([_trials(ranking, kin)] if ranking.is_tried else []),
        _scores(ranking, kin),
        _screened(ranking),
        _directions(kin),
        _models(kin),
        _gains(ranking, kin),
        *_weights(ranking, kin),
        *curve_section(_target_curves(ranking, kin)),
        _facts(ranking, kin),
    ]
    notes: dict[str, list[str]] = {}
    for c in ranking.comparisons:
        for note in c.notes:
            notes.setdefault(note, []).append(shortened(c.source))
    more = [] if ranking.complete else ["The run was interrupted: not all sources are here."]
    if ranking.screening is not None:
        more.append(ranking.screening.note)
    return view(
        "ranking",
        title,
        verdict_of(ranking.answer),
        [part for part in sections if part["rows"]],  # a dataset against itself has no forecast
        tiles=_tiles(ranking, kin),
        notes=[*more, *(f"{enumerated(names, 4)}: {note}" for note, names in notes.items())],
        details={c.source: details_of(c) for c in kin},
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
    if ranking.is_tried:
        tiles.append({"label": "loss of the target alone", "value": f"{ranking.loss_alone:.4g}"})
    elif ranking.forecast is not None:
        own = error_text(ranking.forecast.error, ranking.forecast.unit == "share of rows")
        tiles.append({"label": "error of the target alone", "value": own})
    tiles.append({"label": "rows of the target", "value": str(kin[0].n_rows[ranking.target])})
    return tiles


def _trials(ranking: Ranking, kin: list[Comparison]) -> dict[str, Any]:
    rows = []
    for row, c in zip(records(ranking.frame), kin, strict=False):
        shares = [100 * row[name] for name in ("gain", "gain_low", "gain_high")]
        percents = dict(zip(("gain_percent", "low_percent", "high_percent"), shares, strict=True))
        rows.append({**row, **percents, "zone": c.decision.word})
    chart = forest("source", "gain_percent", "by how much the loss falls, in % of the target's own")
    chart |= {"low": "low_percent", "high": "high_percent", "good": "right"}
    text = (
        f"Each source was tried: a stack of target and source against the stack of the target alone "
        f"(loss {ranking.loss_alone:.4g}), judged on held-out rows of the target and read together with what "
        f"such trials bring elsewhere. Right of 0 is a gain; lines are 90% intervals. A source hurts if "
        f"pooling it, every row counting the same, raises the loss."
    )
    return section(
        "trials", "What each source brings", text, TRIED, rows, chart=chart, table="open"
    )


def _scores(ranking: Ranking, kin: list[Comparison]) -> dict[str, Any]:
    frame, rows = ranking.frame.head(len(kin)), []
    for row, c in zip(records(frame), kin, strict=True):
        row["zone"] = c.decision.word
        zones = score_zones(c)
        if zones:
            row |= {"zone_score": zones.score, "zone_low": zones.low, "zone_high": zones.high}
        rows.append(row)
    chart = forest("source", "score", "Cross-Learning Score: small means kin")
    text = "Each score with its 95% interval, in the order of the ranking."
    if not ranking.is_tried:
        text = (
            "Sources in the order of how much worse their predictors do on the target than the target's "
            "own; each score with its 95% interval."
        )
    if all("zone_high" in row for row in rows):
        chart |= {"bands": ["zone_low", "zone_high"], "mark": "zone_score"}
        text += (
            " The background shows the paper's zones: positive at or below 0, negative where the score is "
            "higher than chance explains. They apply to the paper's estimate of the score, shown as a small "
            "tick."
        )
    if kin[0].decision.is_about_gain:
        text += " Colours show the calls."
    columns = [c for c in SCORES if not (ranking.is_tried and c["key"] in ("zone", "p_first"))]
    if "standardised" in frame:
        columns.append(column("standardised", "standardised"))
    return section("scores", "Who is kin", text, columns, rows, chart=chart, table="open")


def _screened(ranking: Ranking) -> dict[str, Any]:
    rows = [
        {
            "source": each.source,
            "source_to_target": each.source_to_target,
            "standard_error": each.standard_error,
            "gain": each.row()["gain"],
            "n_rows": each.n_rows,
        }
        for each in ranking.screened
    ]
    columns = [
        column("source", "source", "text"),
        column("source_to_target", "source to target, quick"),
        column("standard_error", "standard error"),
        column("gain", "gain, of the loss alone"),
        column("n_rows", "rows", digits=0),
    ]
    text = (
        "Sources that a quick pass of a few fits found out of reach. They were not measured in full and "
        "are not called; the numbers are those of the quick pass."
    )
    return section("screened", "Screened out", text, columns, rows, table="open")


def _gains(ranking: Ranking, kin: list[Comparison]) -> dict[str, Any]:
    rows = [
        {"source": name, **gain_row(gain), "zone": zone, "summary": zone is None}
        for name, gain, zone in _all_gains(ranking, kin)
    ]
    columns = [
        column("source", "source", "name"),
        *GAIN,
        column("low90", "90% low"),
        column("high90", "90% high"),
        PROBABILITY,
    ]
    chart = gain_forest(
        "source", "expected gain: error of the target alone minus error of the pool"
    )
    text = (
        f"{_diagnostic(ranking)}By how much the target's error should fall, by the gain formula and in units "
        f"of the error, when each source is pooled with the target, without weights. Right of 0 is a gain. "
        f"Thick line: 90% interval; thin line: 95%. Diamonds: all sources together, without weights or with "
        f"the weights below."
    )
    return section("gain", "Pooling, by the gain formula", text, columns, rows, chart=chart)


def _diagnostic(ranking: Ranking) -> str:
    if not ranking.is_tried:
        return ""
    return (
        "A diagnostic, which does not decide: it is about pooling, not about a stack, and about one "
        "model. "
    )


def _all_gains(ranking: Ranking, kin: list[Comparison]) -> Iterator[tuple[str, Any, str | None]]:
    for c in kin:
        if c.gain is not None:
            yield c.source, c.gain, c.decision.word
    if ranking.forecast is not None:
        yield "All, unweighted", ranking.forecast.pooled, None
        yield "All, weighted", ranking.forecast.best, None


def _directions(kin: list[Comparison]) -> dict[str, Any]:
    rows = []
    for c in kin:
        forward, back = (c.directions[k] for k in ("source_to_target", "target_to_source"))
        rows.append(
            {
                "source": c.source,
                "source_to_target": forward.value,
                "st_low": forward.low,
                "st_high": forward.high,
                "target_to_source": back.value,
                "ts_low": back.low,
                "ts_high": back.high,
                "on_target": c.cross_errors.get(c.source),
                "own_target": c.own_errors.get(c.target),
                "on_source": c.cross_errors.get(c.target),
                "own_source": c.own_errors.get(c.source),
                "zone": c.decision.word,
            }
        )
    columns = [
        column("source", "source", "name"),
        column("source_to_target", "source to target"),
        column("target_to_source", "target to source"),
        column("on_target", "source's error on target"),
        column("own_target", "target's own error"),
        column("on_source", "target's error on source"),
        column("own_source", "source's own error"),
    ]
    chart = pairs(
        "source",
        "error on the other dataset minus that dataset's own error",
        ("source_to_target", "st_low", "st_high", "source to target"),
        ("target_to_source", "ts_low", "ts_high", "target to source"),
    )
    text = (
        "How much worse the predictors of one dataset do on the other dataset than that dataset's own. The "
        "score is the mean of both directions; for using a source, the one from source to target matters."
    )
    return section("directions", "Both directions", text, columns, rows, chart=chart)


def _weights(ranking: Ranking, kin: list[Comparison]) -> list[dict[str, Any]]:
    if ranking.forecast is None:
        return []
    joint = ranking.forecast.weights
    rows = [
        {
            "source": c.source,
            "weight": joint.get(c.source, 1.0),
            "alone": c.weight,
            "zone": c.decision.word,
        }
        for c in kin
    ]
    columns = [
        column("source", "source", "name"),
        column("weight", "weight with the others", digits=3),
        column("alone", "weight alone", digits=3),
    ]
    chart = bars("source", "weight", "weight of a row", most=1)
    text = (
        f"{_diagnostic(ranking)}How much a row of each source should count by the gain formula when all "
        f"sources are pooled, from 0 (leave out) to 1 (as much as a row of the target). The table also has "
        f"the weight of each source used alone."
    )
    return [
        section(
            "weights", "Row weights of a pool, by the formula", text, columns, rows, chart=chart
        )
    ]


def _models(kin: list[Comparison]) -> dict[str, Any]:
    rows = [row for c in kin for row in model_rows(c)]
    columns = [column("source", "source", "name"), *MODELS]
    chart = {
        "type": "dots",
        "name": "source",
        "series": "model",
        "value": "score",
        "axis": "score by each model alone",
    }
    text = (
        "The score by each model alone. Where the dots of a source lie close together, the models agree. A "
        "single dot far away comes from that model, not from the data."
    )
    return section("models", "Do the models agree?", text, columns, rows, chart=chart)


def _target_curves(ranking: Ranking, kin: list[Comparison]) -> list[LearningCurve]:
    return [c.curves[ranking.target] for c in kin if ranking.target in c.curves][:1]


def _facts(ranking: Ranking, kin: list[Comparison]) -> dict[str, Any]:
    rows = [{**role_facts(kin[0], ranking.target, "target"), "shared": None}]
    rows += [{**role_facts(c, c.source, "source"), "shared": c.n_shared_rows} for c in kin]
    text = (
        "What was read. Rows in common with the target are left out of the cross errors; columns that the "
        "other dataset does not have are left out of the comparison."
    )
    return section("facts", "The data", text, FACTS, rows, table="open")


def distance_ranking_view(ranking: DistanceRanking) -> dict[str, Any]:
    """Return the sections of a ranking by distance."""
    columns = [
        column("source", "source", "name"),
        column("score", "distance"),
        column("n_rows", "rows", digits=0),
    ]
    return view(
        "ranking",
        f"Sources for {ranking.target}",
        verdict_of(ranking.answer),
        [
            section(
                "distances",
                f"Distances by {ranking.method}",
                "Nearest first. A distance has no zones and no interval.",
                columns,
                records(ranking.frame),
                chart=bars("source", "score", "distance"),
                table="open",
            )
        ],
        tiles=[
            {"label": "sources", "value": str(len(ranking))},
            {"label": "distance", "value": ranking.method},
        ],
        details={},
        selects="source",
        provenance=origin(*(c.provenance for c in ranking)),
    )
