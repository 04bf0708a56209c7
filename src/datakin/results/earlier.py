"""Results of earlier versions, as they are read now: what was renamed, what is gone, what became of it.

Earlier versions called pairs that were not tried by a formula for the gain of pooling. Such a call is read as
what it is now: none.
"""

from __future__ import annotations

from typing import Any

from datakin._core.exceptions import DatakinError

FORMULA = "gain"  # the rule of calls by the formula
UNTRIED = {"type": "Zone", "value": "not tried"}
RENAMED = {"ErrorTable": "ErrorRecords"}
GONE = {
    "Comparison": ("gain", "outlook", "weight"),
    "Ranking": ("forecast",),
    "Screened": ("error", "gain"),
}
REFUSED = {
    "Forecast": "Forecasts by the gain formula are no longer made or read. datakin.choose and datakin.rank "
    "try the sources and say what they bring."
}


def as_now(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a result's JSON, and all that is in it, as this version writes it.

    Parameters
    ----------
    part : dict
        With its "type".
    """
    kind = str(part["type"])
    if kind in REFUSED:
        raise DatakinError(REFUSED[kind])
    kind = RENAMED.get(kind, kind)
    kept = {name: value for name, value in part.items() if name not in GONE.get(kind, ())}
    kept["type"] = kind
    if kind == "Comparison" and _rule_of(part.get("decision")) == FORMULA:
        return _without_call(kept)
    if kind == "Matrix" and part.get("rule") == FORMULA:
        return _without_calls(kept)
    return kept


def _rule_of(decision: Any) -> Any:
    return decision.get("rule") if isinstance(decision, dict) else None


def _without_call(comparison: dict[str, Any]) -> dict[str, Any]:
    """Take the call by the formula away; a copy of the target, which has no errors, keeps its zone."""
    decision = {**comparison["decision"], "rule": "none"}
    if not comparison.get("cross_errors"):
        return {**comparison, "decision": decision}
    unknown = {"type": "float", "value": "nan"}
    decision |= {"zone": UNTRIED, "score": unknown, "low": unknown, "high": unknown}
    decision["reason"] = "not tried; an earlier version called it by a formula, which is gone"
    return {**comparison, "zone": UNTRIED, "decision": decision, "zone_probabilities": {}}


def _without_calls(matrix: dict[str, Any]) -> dict[str, Any]:
    """Take the calls by the formula away; those by trials, which have a gain, stay."""
    gains = matrix.get("gains")
    rows = (
        gains["values"] if isinstance(gains, dict) else [[None] * len(r) for r in matrix["zones"]]
    )
    zones = [
        [
            zone if i == j or isinstance(gain, float) else UNTRIED
            for j, (zone, gain) in enumerate(zip(row, of_row, strict=True))
        ]
        for i, (row, of_row) in enumerate(zip(matrix["zones"], rows, strict=True))
    ]
    return {**matrix, "zones": zones, "rule": "none" if gains is None else "trial"}
