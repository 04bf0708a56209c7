"""JSON that is read: whether its fields hold what they must, and what earlier versions wrote.

Earlier versions called pairs that were not tried by a formula for the gain of pooling. Such a call is read as
what it is now: none.
"""

from __future__ import annotations

import types
from dataclasses import fields
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from datakin._core.exceptions import DatakinError

LONGEST = 60  # characters of a value in a message
FORMULA = "gain"  # the rule of calls by the formula
UNTRIED = {"type": "Zone", "value": "not tried"}
RENAMED = {"ErrorTable": "ErrorRecords"}
HELD_OUT = {"one": "k", "two": "jk"}  # words for folds held out
GONE = {
    "Choice": ("fewest",),
    "Comparison": ("gain", "outlook", "weight"),
    "Ranking": ("forecast",),
    "Screened": ("error", "gain"),
}
REFUSED = {
    "Forecast": "Forecasts by the gain formula are no longer made or read. datakin.choose and datakin.rank "
    "try the sources and say what they bring."
}


def check_fields(record: Any) -> None:
    """Refuse a record, just read, with a field that holds something else than its annotation says."""
    kind: Any = type(record)
    for name, hint in _hints(kind).items():
        value = getattr(record, name)
        if not _is(value, hint):
            raise DatakinError(
                f"This datakin result is damaged: {name!r} of a {kind.__name__} cannot be {short(value)}. "
                f"Compute the result again."
            )


@cache
def _hints(cls: Any) -> dict[str, Any]:
    known = get_type_hints(cls)
    return {f.name: known[f.name] for f in fields(cls)}


def short(value: Any) -> str:
    """Return a value for a message, its end cut off."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def are_numbers(values: Any) -> bool:
    """Return whether values, nested as in an array, are numbers.

    One long text among many short ones would give each of them its room in the array.
    """
    if isinstance(values, tuple):
        return all(map(are_numbers, values))
    return isinstance(values, (int, float))


def _is(value: Any, hint: Any) -> bool:
    """Return whether a value fits an annotation: those that results use."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(_is(value, part) for part in parts)
    if origin in (dict, tuple, np.ndarray) and not isinstance(value, origin):
        return False
    if origin is dict:
        return all(_is(k, parts[0]) and _is(v, parts[1]) for k, v in value.items())
    if origin is tuple:
        wanted = parts[:1] * len(value) if parts[1:] == (Ellipsis,) else parts
        return len(value) == len(wanted) and all(map(_is, value, wanted))
    if origin is np.ndarray:
        return bool(value.dtype.kind in "biuf")
    if hint in (int, float):
        kinds = (int, float) if hint is float else int
        return isinstance(value, kinds) and not isinstance(value, bool)
    # Of other annotations only classes are checked; no result has a field with any further one.
    return isinstance(value, hint) if isinstance(hint, type) and origin is None else True


def as_now(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a result's JSON, with its "type", and all that is in it, as this version writes it."""
    kind = str(part["type"])
    if kind in REFUSED:
        raise DatakinError(REFUSED[kind])
    kind = RENAMED.get(kind, kind)
    kept = {name: value for name, value in part.items() if name not in GONE.get(kind, ())}
    kept["type"] = kind
    if kind == "ErrorRecords":
        records = [
            {**each, "held_out": HELD_OUT.get(each["held_out"], each["held_out"])}
            for each in kept["records"]
        ]
        return {**kept, "records": records}
    decision = part.get("decision")
    if kind == "Comparison" and isinstance(decision, dict) and decision.get("rule") == FORMULA:
        return _without_call(kept)
    if kind == "Matrix" and part.get("rule") == FORMULA:
        return _without_calls(kept)
    return kept


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
    gains, zones = matrix.get("gains"), matrix["zones"]
    rows = gains["values"] if isinstance(gains, dict) else [[None] * len(row) for row in zones]
    zones = [
        [
            zone if i == j or isinstance(gain, float) else UNTRIED
            for j, (zone, gain) in enumerate(zip(row, of_row, strict=True))
        ]
        for i, (row, of_row) in enumerate(zip(zones, rows, strict=True))
    ]
    return {**matrix, "zones": zones, "rule": "none" if gains is None else "trial"}
