"""The reports of a comparison and of a distance, and the details of one source in a ranking."""

from __future__ import annotations

from typing import Any

from datakin.distances import Distance
from datakin.report.details import (
    FACTS,
    MODELS,
    chances,
    curve_section,
    loss_of,
    model_rows,
    role_facts,
    unit_on,
)
from datakin.report.effects import effect_chart, effect_columns, effect_row
from datakin.report.explained import why_pair
from datakin.report.measures import both_ways, trial_measures
from datakin.report.sections import (
    bars,
    column,
    counts,
    forest,
    interval,
    origin,
    section,
    texts,
    view,
)
from datakin.results import Comparison, Estimate
from datakin.results.words import error_word, signed


def comparison_view(c: Comparison) -> dict[str, Any]:
    """Return the sections of a comparison."""
    sections = [_estimates(c), *_errors(c)]
    if c.decision.is_about_gain:  # the paper's zones are not
        sections = [*_gains(c), *why_pair(c.explanations), *sections]
    else:
        sections += why_pair(c.explanations)
    sections += [*trial_measures(c), *both_ways(c), _facts(c)]
    sections += [_models(c), *curve_section(list(c.curves.values())), _table(c)]
    what = "call" if c.decision.is_about_gain else "zone"
    gain = [] if c.trial is None else [{"label": "gain", "value": signed(c.trial.gain)}]
    return view(
        "comparison",
        f"{c.source} for {c.target}",
        c,
        [s for s in sections if s["rows"]],
        tiles=[
            {"label": what, "value": c.decision.word, "zone": c.decision.word},
            *gain,
            {"label": "score", "value": f"{c.score:.4f}"},
            *({"label": name, "value": f"{share:.0%}"} for name, share in chances(c).items()),
        ],
        provenance=origin(
            c.provenance, Loss=", ".join(f"{name}: {loss}" for name, loss in c.losses.items())
        ),
    )


def _gains(c: Comparison) -> list[dict[str, Any]]:
    """Return the section of what the source brings; none if it was not tried."""
    trial, (name, unit, alone) = c.trial, loss_of(c)
    if trial is None:
        return []
    found = effect_row(trial.gain, (trial.low, trial.high), trial.p_gain, alone, unit)
    ends = (trial.pooled_low, trial.pooled_high)
    pool = effect_row(trial.pooled, ends, float("nan"), alone, unit)
    rows = [
        {"what": f"With {c.source}", "call": c.decision.word, **found},
        {"what": "All rows in one pool", **pool},
    ]
    how = (
        "The source was tried beside the target, with a weight of its own; and with every row of both in "
        "one pool. A source hurts if that pool does harm."
    )
    columns = [
        column("what", "how", "text"),
        column("call", "call", "zone"),
        *effect_columns(name, unit),
    ]
    title, chart = "What the source brings", effect_chart("what", name, c.target, rows)
    return [section("gains", title, how, columns, rows, chart, short="Gain")]


ESTIMATE = [
    column("what", "estimate", "text"),
    column("value", "value"),
    interval("low", "high", "95% interval"),
    column("p_value", "p-value", digits=3),
]


def _estimates(c: Comparison) -> dict[str, Any]:
    zones = None if c.decision.is_about_gain else c.decision
    rows = [_estimate(f"Score ({c.size})", c.sizes[c.size])]
    rows += [
        _estimate(key.replace("_", " ").capitalize(), found) for key, found in c.directions.items()
    ]
    for key, found in c.sizes.items():
        if key != c.size:
            rows.append(_estimate(f"Score ({key})", found))
    chart = forest("what", "value", "Cross-Learning Score. 0 means kin. Lines: 95% intervals.")
    text = (
        "The Cross-Learning Score is the mean of its two directions: how much worse the predictors of one "
        "dataset do on the other than that dataset's own. Matched: both learn from equally many rows, so "
        "that kin datasets score 0 on average. Limit: extrapolated to infinitely many rows."
    )
    if zones:
        chart["bands"] = ["zone_low", "zone_high"]
        rows = [{**row, "zone_low": zones.low, "zone_high": zones.high} for row in rows]
        text += " The background shows the paper's zones, which apply to the paper's score."
    title = "The score, both directions"
    return section("score", title, text, ESTIMATE, rows, chart, table="closed", short="Score")


def _estimate(what: str, found: Estimate) -> dict[str, Any]:
    names = ("value", "low", "high", "p_value")
    return {"what": what, **{name: getattr(found, name) for name in names}}


def _errors(c: Comparison) -> list[dict[str, Any]]:
    if not c.own_errors:
        return []
    rows = []
    for tested, other in ((c.target, c.source), (c.source, c.target)):
        unit = unit_on(c, tested)
        own, cross = c.own_errors[tested], c.cross_errors[other]
        rows.append({"what": f"On {tested}", "of": "its own", **unit.values("error", own)})
        what = {"what": f"On {tested}, from {other}", "of": "the other's"}
        rows.append({**what, **unit.values("error", cross)})
    unit = unit_on(c, c.target)
    columns = texts(what="tested and trained on", of="predictors") + unit.columns("error", "error")
    axis = f"{unit.named(error_word(unit.loss))}. Small is good."
    chart = bars("what", unit.drawn("error"), axis, tint="of", digits=unit.digits)
    text = "Each dataset's own cross-validated error, and the error of predictors trained on the other one."
    return [section("errors", "The four errors", text, columns, rows, chart, short="Errors")]


def _models(c: Comparison) -> dict[str, Any]:
    chart = bars("model", "score", "score by each model alone")
    text = (
        "If all models give a similar score, it reflects the data. If one model differs from the others, the "
        "difference comes from that model."
    )
    rows, title = model_rows(c) if c.model_scores else [], "Do the models agree?"
    return section(
        "models", title, text, MODELS, rows, chart, table="closed", more=True, short="models"
    )


def _facts(c: Comparison) -> dict[str, Any]:
    rows = [
        {**role_facts(c, name, role), "shared": c.n_shared_rows}
        for name, role in ((c.target, "target"), (c.source, "source"))
    ]
    columns = [{**part, "kind": "text"} if part["kind"] == "name" else part for part in FACTS]
    text = "What was read, and what was used of it."
    return section("facts", "The data", text, columns, rows, short="Data")


ERRORS = [
    *texts(trained_on="trained on", tested_on="tested on"),
    *texts("model", held_out="folds left out"),
    *counts(n_train="training rows", rows="tested rows"),
    column("error", "error"),
    column("spread", "spread"),
]


def _table(c: Comparison) -> dict[str, Any]:
    text = (
        "The errors that this result is computed from: the error of each model, by the dataset it was "
        "trained on and the dataset it was tested on."
    )
    title, short, rows = "The cross-error table", "cross-error table", c.errors.records
    return section(
        "errors-table", title, text, ERRORS, rows, table="closed", more=True, short=short
    )


def distance_view(distance: Distance) -> dict[str, Any]:
    """Return the sections of a distance."""
    rows = [
        {"name": name, "role": role, "rows": distance.n_rows[name]}
        for name, role in ((distance.target, "target"), (distance.source, "source"))
    ]
    columns = [*texts(name="dataset", role="role"), *counts(rows="rows")]
    return view(
        "distance",
        f"{distance.source} and {distance.target}",
        distance,
        [section("facts", "The data", "What was compared.", columns, rows)],
        tiles=[{"label": distance.method, "value": f"{distance.score:.4f}"}],
        provenance=origin(distance.provenance),
    )
