"""What is known of one pair: facts, models, curves, units of its losses, and what the side sheet shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datakin.report.effects import Unit
from datakin.report.measures import measure_facts
from datakin.report.sections import column, counts, section
from datakin.results import Comparison, LearningCurve
from datakin.results.answer import said
from datakin.results.call_words import reason_of
from datakin.results.words import gain_loss

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
    column("target_weight", "weight on target", digits=2),
    column("source_weight", "weight on source", digits=2),
]
CURVE = [
    column("dataset", "dataset", "text"),
    column("n_train", "training rows", digits=0),
    column("error", "error"),
    column("standard_error", "standard error"),
    column("kind", "kind", "text"),
]
CLASSES = 12  # classes that a row of facts names


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


def details_of(c: Comparison) -> dict[str, Any]:
    """Return the details that are shown when a source is selected."""
    low, high = c.interval
    facts = [
        *_gain_facts(c),
        *measure_facts(c),
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
        "why": said(c.reason) if c.trial is None else reason_of(c.trial, c.call, c.target),
        "facts": facts,
        "models": [[row["model"], row["score"], row.get("source_weight")] for row in model_rows(c)],
        "notes": list(c.notes),
    }


def _percent(share: float) -> str:
    """Return a share with its sign, in percent."""
    return f"{'+' if share >= 0 else chr(8722)}{abs(share):.1%}"


def _gain_facts(c: Comparison) -> list[list[str]]:
    """Return what the source brings: in percent, and as losses."""
    if c.trial is None:
        return []
    trial, (name, unit, alone) = c.trial, loss_of(c)
    ends = f"{_percent(trial.low)} to {_percent(trial.high)}"
    facts = [["Gain", f"{_percent(trial.gain)}, 90% interval {ends}"]]
    if alone is not None:
        before, after = unit.text(alone), unit.text(max(0.0, alone * (1 - trial.gain)))
        what = "root mean squared error" if unit.has_root else name
        facts.append(["What that means", f"{what} {before} alone, {after} to expect with it"])
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
            text += f"; error {cross}, own {own}"
        yield [key.replace("_", " ").capitalize(), text]


def chances(c: Comparison) -> dict[str, float]:
    """Return in words what may be the case, and how probable it is."""
    found = c.zone_probabilities
    if c.trial is not None:
        words = {"positive": "a gain", "harmless": "a cost up to 2%", "negative": "a larger cost"}
        return {words[zone]: share for zone, share in found.items()}
    return {f"{zone}, if measured again": share for zone, share in found.items()}


def unit_on(c: Comparison, name: str) -> Unit:
    """Return the unit of errors on one of the two datasets."""
    return Unit(c.losses.get(name, ""))


def loss_of(c: Comparison) -> tuple[str, Unit, float | None]:
    """Return what gains are shares of: the name of the loss, its unit, and the target's own."""
    if c.trial is None:
        return "error", unit_on(c, c.target), None
    loss = Unit("squared" if c.task == "regression" else "brier")
    return gain_loss(c.task), loss, c.loss_alone
