"""The reports of a comparison and of a distance, and the details of one source in a ranking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin.distances import Distance
from datakin.report.sections import (
    FACTS,
    MODELS,
    bars,
    column,
    curve_section,
    fact_row,
    forest,
    origin,
    section,
    share_section,
    view,
)
from datakin.report.words import percent, score_zones, verdict_of
from datakin.results import Comparison
from datakin.results.zones import Zone
from datakin.scoring.forecast import forecast_gain

__all__ = ["comparison_view", "details_of", "distance_view", "model_rows", "role_facts"]

NAMES = {
    "source_to_target": "source to target",
    "target_to_source": "target to source",
    "paper": "paper",
    "matched": "matched",
    "limit": "limit",
}


def role_facts(c: Comparison, name: str, role: str) -> dict[str, Any]:
    """Return the row of facts of one of the two datasets."""
    return fact_row(name, role, c.facts.get(name), c.n_rows[name])


def model_rows(c: Comparison) -> Iterator[dict[str, Any]]:
    """Yield the score of each model alone, and of all together."""
    for model, score in c.model_scores.items():
        yield {
            "source": c.source,
            "model": model,
            "score": score,
            "target_weight": c.model_weights[c.target].get(model),
            "source_weight": c.model_weights[c.source].get(model),
        }
    yield {"source": c.source, "model": c.estimate, "score": c.score}


def details_of(c: Comparison) -> dict[str, Any]:
    """Return the details that are shown when a source is selected."""
    low, high = c.interval
    facts = [
        ["Score", f"{c.score:.4f}, 95% interval {low:.4f} to {high:.4f}"],
        ["p-value of no difference", f"{c.p_value:.3g}"],
    ]
    if c.trial is not None:
        trial = c.trial
        facts.append(
            ["Gain, of the loss alone", f"{percent(trial.gain)}, 90% interval {percent(trial.low)} to "
             f"{percent(trial.high)}, P(gain) {trial.p_gain:.2f}"]
        )  # fmt: skip
        facts.append(
            ["Pooled, every row the same", f"{percent(trial.pooled)}, 90% interval "
             f"{percent(trial.pooled_low)} to {percent(trial.pooled_high)}"]
        )  # fmt: skip
    if c.gain is not None:
        gain = c.gain
        facts.append(
            ["Pooling, by the formula", f"{gain.value:.4f}, 95% interval {gain.low:.4f} to {gain.high:.4f}, "
             f"P(gain) {gain.probability:.2f}"]
        )  # fmt: skip
    for key, estimate in c.directions.items():
        trained, tested = (
            (c.source, c.target) if key == "source_to_target" else (c.target, c.source)
        )
        text = f"{estimate.value:.4f} [{estimate.low:.4f}, {estimate.high:.4f}]"
        if trained in c.cross_errors:
            text += f": error {c.cross_errors[trained]:.4f}, own {c.own_errors[tested]:.4f}"
        facts.append([NAMES[key].capitalize(), text])
    chances = _chances(c)
    facts.append(
        ["Probabilities", ", ".join(f"{what} {share:.0%}" for what, share in chances.items())]
    )
    row = role_facts(c, c.source, "source")
    told = [f"{row['rows']} rows, {c.n_shared_rows} in common with the target"]
    if "classes" in row:
        told += [f"{row['columns']} columns used", f"{row['missing']:.1f}% missing"]
        told += [row["classes"], f"left out: {row['left_out']}"]
    facts.append(["Data", "; ".join(told)])
    facts.append(["Fingerprint", c.provenance.fingerprints.get(c.source, "")])
    models = [[row["model"], row["score"], row.get("source_weight")] for row in model_rows(c)]
    return {
        "zone": c.decision.word,
        "why": c.reason,
        "facts": facts,
        "models": models,
        "notes": list(c.notes),
    }


def _chances(c: Comparison) -> dict[str, float]:
    """Return in words what may be the case, and how probable it is."""
    found = c.zone_probabilities
    if c.trial is not None:
        words = {"positive": "a gain", "harmless": "a cost up to 2%", "negative": "a larger cost"}
        return {words[zone]: share for zone, share in found.items()}
    of_gain = c.decision.is_about_gain
    words = {zone.value: zone.call if of_gain else zone.value for zone in Zone}
    return {f"{words[zone]}, if measured again": share for zone, share in found.items()}


def comparison_view(c: Comparison) -> dict[str, Any]:
    """Return the sections of a comparison."""
    sections = [_estimates(c), *_errors(c)]
    extra: list[str] = []
    try:
        forecast = forecast_gain(c)
    except DatakinError as error:
        extra.append(str(error))
    else:
        if c.trial is None:
            extra.append(forecast.sentence)
        sections.append(share_section(forecast))
    sections += [_models(c), *curve_section(list(c.curves.values())), _facts(c), *_table(c)]
    answer = verdict_of(c.answer)
    answer["lines"] += extra
    what = "call" if c.decision.is_about_gain else "zone"
    gain = [] if c.trial is None else [{"label": "gain", "value": percent(c.trial.gain)}]
    return view(
        "comparison",
        f"{c.source} for {c.target}",
        answer,
        [s for s in sections if s["rows"]],
        tiles=[
            {"label": what, "value": c.decision.word, "zone": c.decision.word},
            *gain,
            {"label": "score", "value": f"{c.score:.4f}"},
            {"label": "p-value of no difference", "value": f"{c.p_value:.2g}"},
            *({"label": name, "value": f"{share:.0%}"} for name, share in _chances(c).items()),
        ],
        notes=c.notes,
        provenance=origin(
            c.provenance, Loss=", ".join(f"{name}: {loss}" for name, loss in c.losses.items())
        ),
    )


ESTIMATE = [
    column("what", "estimate", "text"),
    column("value", "value"),
    column("low", "95% low"),
    column("high", "95% high"),
    column("p_value", "p-value", digits=3),
]


def _estimates(c: Comparison) -> dict[str, Any]:
    rows, zones = [], score_zones(c)
    for kind, found in (("score", c.sizes), ("way", c.directions)):
        for key, estimate in found.items():
            name = NAMES[key]
            row = {"what": name + (", reported" if key == c.size else ""), "value": estimate.value}
            row |= {"low": estimate.low, "high": estimate.high, "p_value": estimate.p_value}
            if kind == "score" and zones:
                row |= {"zone_low": zones.low, "zone_high": zones.high}
                row |= {"zone": zones.zone.value if key == "paper" else None}
            rows.append(row)
    chart = forest("what", "value", "0 means kin")
    if zones:
        chart["bands"] = ["zone_low", "zone_high"]
    text = (
        "The score with its 95% interval, and the two directions that it averages. Matched: both predictors "
        "are trained on equally many rows, so that kin datasets score 0 on average. Limit: extrapolated to "
        "infinitely many rows. The paper's zones are decided by the paper's estimate."
    )
    return section("score", "The score", text, ESTIMATE, rows, chart=chart, table="closed")


def _errors(c: Comparison) -> list[dict[str, Any]]:
    if not c.own_errors:
        return []
    rows = []
    for tested, other in ((c.target, c.source), (c.source, c.target)):
        rows.append({"what": f"{tested}: own", "error": c.own_errors[tested], "of": "own"})
        rows.append(
            {"what": f"{tested}: from {other}", "error": c.cross_errors[other], "of": "other"}
        )  # fmt: skip
    columns = [column("what", "error", "text"), column("error", "error")]
    chart = bars("what", "error", "error", tint="of")
    text = "Each dataset's own cross-validated error, and the error of predictors trained on the other one."
    return [section("errors", "The four errors", text, columns, rows, chart=chart)]


def _models(c: Comparison) -> dict[str, Any]:
    chart = bars("model", "score", "score by each model alone")
    text = (
        "If all models give a similar score, it reflects the data. If one model differs from the others, the "
        "difference comes from that model."
    )
    rows = model_rows(c) if c.model_scores else []
    return section("models", "Do the models agree?", text, MODELS, rows, chart=chart)


def _facts(c: Comparison) -> dict[str, Any]:
    rows = [
        {**role_facts(c, name, role), "shared": c.n_shared_rows}
        for name, role in ((c.target, "target"), (c.source, "source"))
    ]
    columns = [{**part, "kind": "text"} if part["kind"] == "name" else part for part in FACTS]
    text = "What was read, and what was used of it."
    return section("facts", "The data", text, columns, rows, table="open")


def _table(c: Comparison) -> list[dict[str, Any]]:
    columns = [
        column("trained_on", "trained on", "text"),
        column("tested_on", "tested on", "text"),
        column("model", "model", "text"),
        column("held_out", "folds left out", "text"),
        column("n_train", "training rows", digits=0),
        column("rows", "tested rows", digits=0),
        column("error", "error"),
        column("spread", "spread"),
    ]
    text = (
        "The errors that this result is computed from: the error of each model, by the dataset it was "
        "trained on and the dataset it was tested on."
    )
    return [section("errors-table", "The cross-error table", text, columns, c.errors.records)]


def distance_view(distance: Distance) -> dict[str, Any]:
    """Return the sections of a distance."""
    rows = [
        {"name": name, "role": role, "rows": distance.n_rows[name]}
        for name, role in ((distance.target, "target"), (distance.source, "source"))
    ]
    columns = [
        column("name", "dataset", "text"),
        column("role", "role", "text"),
        column("rows", "rows", digits=0),
    ]
    return view(
        "distance",
        f"{distance.source} and {distance.target}",
        verdict_of(distance.answer),
        [section("facts", "The data", "What was compared.", columns, rows, table="open")],
        tiles=[{"label": distance.method, "value": f"{distance.score:.4f}"}],
        notes=distance.notes,
        provenance=origin(distance.provenance),
    )
