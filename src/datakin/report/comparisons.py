"""The report of a comparison, and what rankings show of each of their pairs, too.

That are facts, models, curves, units of its losses, and the side sheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from datakin.report import effects
from datakin.report.explained import ladder_of, why_pair
from datakin.report.sections import (
    bars,
    column,
    counts,
    forest,
    interval,
    numbers,
    origin,
    section,
    texts,
    view,
)
from datakin.results import Comparison, Estimate, Explanation, LearningCurve
from datakin.results.answer import said
from datakin.results.call_words import explained, reason_of
from datakin.results.words import CHANCES, error_word, gain_loss, signed

FACTS = [
    column("name", "dataset", "name"),
    column("role", "role", "text"),
    *counts(rows="rows", columns="columns used"),
    column("classes", "classes", "text"),
    column("missing", "missing, %", digits=1),
    column("shared", "rows in common", digits=0),
    column("left_out", "columns left out", "text"),
]
MODELS = [
    column("model", "model", "text"),
    column("score", "score"),
    *numbers(2, target_weight="weight on target", source_weight="weight on source"),
]
CURVE = [
    column("dataset", "dataset", "text"),
    column("n_train", "training rows", digits=0),
    *numbers(error="error", standard_error="standard error"),
    column("kind", "kind", "text"),
]
CLASSES = 12  # classes that a row of facts names


def comparison_view(c: Comparison) -> dict[str, Any]:
    """Return the sections of a comparison."""
    sections = [_estimates(c), *_errors(c)]
    if c.decision.is_about_gain:  # the paper's zones are not
        sections = [*_gains(c), *why_pair(c.explanations), *sections]
    else:
        sections += why_pair(c.explanations)
    sections += [*effects.trial_measures(c), *effects.both_ways(c), _facts(c)]
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
    found = effects.effect_row(trial.gain, (trial.low, trial.high), trial.p_gain, alone, unit)
    ends = (trial.pooled_low, trial.pooled_high)
    pool = effects.effect_row(trial.pooled, ends, float("nan"), alone, unit)
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
        *effects.effect_columns(name, unit),
    ]
    title, chart = "What the source brings", effects.effect_chart("what", name, c.target, rows)
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
    text = (
        "Each dataset's own error in this comparison, which the score subtracts, and the error of predictors "
        "trained on the other one."
    )
    title = "The four errors of this comparison"
    return [section("errors", title, text, columns, rows, chart, more=True, short="Errors")]


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
    *numbers(error="error", spread="spread"),
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


def role_facts(c: Comparison, name: str, role: str) -> dict[str, Any]:
    """Return the row of facts of one of the two datasets."""
    row: dict[str, Any] = {"name": name, "role": role, "rows": c.n_rows[name]}
    facts = c.facts.get(name)
    if facts is None:
        return row
    shares = [f"{label}: {share:.0%}" for label, share in facts.classes.items()]
    classes, more = ", ".join(shares[:CLASSES]), len(shares) - CLASSES
    if more > 0:
        classes += f" and {more} more class{'es' if more > 1 else ''}"
    left_out, more = ", ".join(facts.left_out), facts.n_left_out - len(facts.left_out)
    if more > 0:
        left_out += f" and {more} more"
    return {
        **row,
        "classes": classes or "a number is predicted",
        "columns": facts.n_columns,
        "missing": 100 * facts.missing,
        "left_out": left_out or "none",
    }


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


def curve_section(curves: list[LearningCurve]) -> list[dict[str, Any]]:
    """Return the section of learning curves; no section without curves."""
    if not curves:
        return []
    rows: list[dict[str, Any]] = []
    fits = []
    for curve in curves:
        name, full, limit = {"dataset": curve.dataset}, curve.n_rows, curve.limit
        rows += [
            {**name, "n_train": n, "error": error, "standard_error": spread, "kind": "measured"}
            for n, error, spread in zip(
                curve.n_train, curve.errors, curve.standard_errors, strict=True
            )
        ]
        whole = {"n_train": float(full), "error": curve.error_at(full)}
        rows.append({**name, **whole, "kind": "expected with all rows"})
        ends = {"error": limit.value, "standard_error": limit.standard_error}
        rows.append({**name, **ends, "kind": "limit"})
        fits.append({**name, "slope": curve.slope, "limit": limit.value, "n": full})
    text = (
        "Own error against training rows: the measured points, and a line through them extended to more "
        "rows (dashed: the limit). It shows how far more rows of the same kind would lower the error."
    )
    chart = {"type": "curve", "fits": fits, "axis": "training rows", "value_axis": "error"}
    title, short = "Would more rows help?", "learning curve"
    return [
        section("curve", title, text, CURVE, rows, chart, table="closed", more=True, short=short)
    ]


def details_of(c: Comparison, explanations: Sequence[Explanation]) -> dict[str, Any]:
    """Return the details that are shown when a source is selected, and why it fails, if that is known."""
    why = said(c.reason) if c.trial is None else reason_of(c.trial, c.call, c.target)
    low, high = c.interval
    facts = [
        *_gain_facts(c),
        *effects.measure_facts(c),
        ["Cross-Learning Score", f"{c.score:.4f}, 95% interval {low:.4f} to {high:.4f}"],
        *_direction_facts(c),
        ["p-value of no difference", f"{c.p_value:.3g}"],
    ]
    if found := chances(c):
        said_of = ", ".join(f"{what} {share:.0%}" for what, share in found.items())
        facts.append(["Probabilities", said_of])
    row = role_facts(c, c.source, "source")
    told = [f"{row['rows']:,} rows, {c.n_shared_rows} in common with the target"]
    if "classes" in row:
        told += [f"{row['columns']} columns used", f"{row['missing']:.1f}% missing"]
        told += [row["classes"], f"left out: {row['left_out'] or 'nothing'}"]
    facts.append(["Data", "; ".join(part for part in told if part)])
    facts.append(["Fingerprint", c.provenance.fingerprints.get(c.source, "")])
    return {
        "zone": c.decision.word,
        "why": explained(why, explanations, c.source),
        "facts": facts,
        "models": [[row["model"], row["score"], row.get("source_weight")] for row in model_rows(c)],
        "notes": list(c.notes),
        "ladder": ladder_of(explanations, c.source),
    }


def _percent(share: float) -> str:
    """Return a share with its sign, in percent."""
    return f"{'+' if share >= 0 else chr(8722)}{abs(share):.1%}"


def _gain_facts(c: Comparison) -> list[list[str]]:
    """Return what the source brings: in percent, and as losses."""
    if c.trial is None:
        return []
    trial, (_, unit, alone) = c.trial, loss_of(c)
    ends = f"{_percent(trial.low)} to {_percent(trial.high)}"
    facts = [["Gain", f"{_percent(trial.gain)}, 90% interval {ends}"]]
    if alone is not None:
        facts.append(effects.meaning_of(trial.gain, alone, unit))
    facts.append(["Probability of a gain", f"{trial.p_gain:.2f}"])
    ends = f"{_percent(trial.pooled_low)} to {_percent(trial.pooled_high)}"
    facts.append(["If all rows were pooled", f"{_percent(trial.pooled)}, 90% interval {ends}"])
    return facts


def _direction_facts(c: Comparison) -> Iterator[list[str]]:
    for key, estimate in c.directions.items():
        ways = (c.source, c.target) if key == "source_to_target" else (c.target, c.source)
        trained, tested = ways
        text = f"{estimate.value:.4f}, 95% interval {estimate.low:.4f} to {estimate.high:.4f}"
        if trained in c.cross_errors:
            unit = unit_on(c, tested)
            cross, own = unit.text(c.cross_errors[trained]), unit.text(c.own_errors[tested])
            text += f"; error {cross}, own error in this comparison {own}"
        yield [key.replace("_", " ").capitalize(), text]


def chances(c: Comparison) -> dict[str, float]:
    """Return in words what may be the case, and how probable it is."""
    found = c.zone_probabilities
    if c.trial is not None:
        return {CHANCES[zone]: share for zone, share in found.items()}
    return {f"{zone}, if measured again": share for zone, share in found.items()}


def unit_on(c: Comparison, name: str) -> effects.Unit:
    """Return the unit of errors on one of the two datasets."""
    return effects.Unit(c.losses.get(name, ""))


def loss_of(c: Comparison) -> tuple[str, effects.Unit, float | None]:
    """Return what gains are shares of: the name of the loss, its unit, and the target's own."""
    if c.trial is None:
        return "error", unit_on(c, c.target), None
    return gain_loss(c.task), effects.unit_of_gain(c.task), c.loss_alone
