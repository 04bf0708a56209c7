"""What is known of one pair: facts, models, units of its losses, and what the side sheet shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datakin.report.measures import measure_facts
from datakin.report.sections import fact_row
from datakin.report.units import Unit
from datakin.report.words import percent
from datakin.results import Comparison
from datakin.results.answer import said
from datakin.results.call_words import called, reason_of
from datakin.results.words import gain_loss

__all__ = ["NAMES", "chances", "details_of", "loss_of", "model_rows", "role_facts", "unit_on"]

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
    models = [[row["model"], row["score"], row.get("source_weight")] for row in model_rows(c)]
    return {
        "zone": c.decision.word,
        "why": _why(c),
        "facts": facts,
        "models": models,
        "notes": list(c.notes),
    }


def _why(c: Comparison) -> str:
    if c.trial is None:
        return said(c.reason)
    return reason_of(called(c.trial, c.call), c.target)


def _gain_facts(c: Comparison) -> list[list[str]]:
    """Return what the source brings: in percent, and as losses."""
    facts: list[list[str]] = []
    if c.trial is not None:
        trial, (name, unit, alone) = c.trial, loss_of(c)
        ends = f"{percent(trial.low)} to {percent(trial.high)}"
        facts.append(["Gain", f"{percent(trial.gain)}, 90% interval {ends}"])
        if alone is not None:
            before, after = unit.text(alone), unit.text(max(0.0, alone * (1 - trial.gain)))
            what = "root mean squared error" if unit.has_root else name
            facts.append(["What that means", f"{what} {before} alone, {after} to expect with it"])
        facts.append(["Probability of a gain", f"{trial.p_gain:.2f}"])
        ends = f"{percent(trial.pooled_low)} to {percent(trial.pooled_high)}"
        facts.append(["If all rows were pooled", f"{percent(trial.pooled)}, 90% interval {ends}"])
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
        yield [NAMES[key].capitalize(), text]


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
