"""Results as trees of plain values, and the comparison of two such trees, field by field."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fnmatch import fnmatch
from typing import Any, NamedTuple

__all__ = ["Difference", "Tolerance", "differences", "flatten", "tree_of"]

# Sentences may be reworded, versions change with the machine, and types may be renamed.
LEFT_OUT = {"format", "headline", "notes", "reason", "sentence", "type", "unit", "versions"}
LONGEST = 60  # characters; longer strings show an estimator with all its parameters

# Old path -> new path, for fields that got another name. Tried where a recorded path is not found.
RENAMED = (
    (r"(^|/)score$", r"\1distance"),
    (r"(^|/)scores/", r"\1distances/"),
    (r"(^|/)comparisons/", r"\1distances/"),
)
# Calls and paths of fields that no longer exist: they never said anything, or the formula for the gain of
# pooling, which is gone, made them.
FORMULA = r"(^|/)(forecast|gain|outlook)/|(^|/)weight$|(^|/)left_out/[^/]*/error$"
GONE = (("distances*", r"(^|/)(complete|n_fits)$"), ("*", FORMULA))
# Where that formula made the call of a pair there is none now. The first group is what the pair is part of.
CALLED = re.compile(r"(|.*/)(zone$|rule$|zones/|decision/|zone_probabilities/)")
# Other words for how many folds a predictor was trained without, as the record spells them.
HELD_OUT = {
    "full": "none",
    "fold": "one",
    "k": "one",
    "inner": "two",
    "jk": "two",
    "0": "none",
    "1": "one",
    "2": "two",
}


def tree_of(result: Any) -> Any:
    """Return a result, a number, an array, or a mapping of them, as nested mappings of plain values."""
    if isinstance(result, Mapping):
        return {str(name): tree_of(part) for name, part in result.items()}
    if hasattr(result, "to_json"):
        return _plain(json.loads(result.to_json()))
    if is_dataclass(result):
        return tree_of({part.name: getattr(result, part.name) for part in fields(result)})
    if hasattr(result, "tolist"):  # of numpy
        return tree_of(result.tolist())
    if isinstance(result, (list, tuple)):
        return {str(place): tree_of(part) for place, part in enumerate(result)}
    return result


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return _listed(value)
    if not isinstance(value, dict):
        return value
    kind = value.get("type")
    if kind == "float":
        return float(value["value"])
    if kind == "array":
        return _plain(value["values"])
    if kind == "dict":
        return {str(_plain(key)): _plain(part) for key, part in value["items"]}
    if set(value) == {"type", "value"}:  # an enum, such as a zone
        return value["value"]
    return {key: _plain(part) for key, part in value.items() if _is_kept(key, part)}


def _is_kept(key: str, value: Any) -> bool:
    return key not in LEFT_OUT and not (isinstance(value, str) and len(value) > LONGEST)


def _listed(values: list[Any]) -> dict[str, Any]:
    """Key a list by what its members are about where they say so, by position otherwise."""
    if values and all(isinstance(value, dict) and "trained_on" in value for value in values):
        return {_error_key(value): _plain(_numbers(value)) for value in values}
    if values and all(isinstance(value, dict) and "source" in value for value in values):
        order = {f"place of {value['source']}": place for place, value in enumerate(values)}
        return {**{value["source"]: _plain(value) for value in values}, **order}
    return {str(place): _plain(value) for place, value in enumerate(values)}


ERROR_KEYS = ("trained_on", "tested_on", "model", "held_out")


def _error_key(record: dict[str, Any]) -> str:
    trained_on, tested_on, model, held_out = (record[name] for name in ERROR_KEYS)
    if isinstance(trained_on, list):
        trained_on = "+".join(trained_on)
    held_out = HELD_OUT.get(str(held_out), held_out)
    return f"{trained_on} on {tested_on}, {model}, {held_out}"


def _numbers(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in ERROR_KEYS}


def flatten(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path and value of every leaf; an empty mapping is a leaf too."""
    if isinstance(tree, dict) and tree:
        for key, part in tree.items():
            yield from flatten(part, f"{path}/{key}" if path else key)
    else:
        yield path, tree


class Difference(NamedTuple):
    """A field that is not what it was; `size` is infinite where it is no number or missing."""

    call: str
    path: str
    old: Any
    new: Any
    size: float

    def __str__(self) -> str:
        return f"{self.call}: {self.path}: {self.old!r} became {self.new!r} ({self.size:.3g})"


def differences(call: str, old: Any, new: Any) -> list[Difference]:
    """Compare the fields of an older tree with a newer one's; fields that are new are not looked at.

    The size of a difference is the smaller of the absolute and the relative one. A field that was
    empty may be missing.
    """
    fresh, before = dict(flatten(new)), dict(flatten(old))
    found = []
    for path, value in before.items():
        now = _look_up(path, fresh)
        may_be_missing = value in (None, {}) or any(
            fnmatch(call, calls) and re.search(paths, path) for calls, paths in GONE
        )
        is_gone = (now is MISSING and may_be_missing) or _is_no_call(path, before, now)
        size = 0.0 if is_gone else _distance(value, now)
        found.append(Difference(call, path, value, now, size))
    return found


MISSING = "(missing)"


def _look_up(path: str, fields: dict[str, Any]) -> Any:
    if path in fields:
        return fields[path]
    renamed = path
    for old, new in RENAMED:
        renamed = re.sub(old, new, renamed)
    return fields.get(renamed, MISSING)


def _is_no_call(path: str, before: dict[str, Any], now: Any) -> bool:
    """Tell whether a field of a call that the formula made says now that there is none."""
    match = CALLED.match(path)
    if match is None:
        return False
    rule = before.get(f"{match[1]}decision/rule", before.get(f"{match[1]}rule"))
    is_none = now in (MISSING, "not tried", "none") or (isinstance(now, float) and math.isnan(now))
    return rule == "gain" and is_none


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _distance(old: Any, new: Any) -> float:
    if not (_is_number(old) and _is_number(new)):
        return 0.0 if old == new and type(old) is type(new) else math.inf
    if math.isnan(old) or math.isnan(new) or math.isinf(old) or math.isinf(new):
        return 0.0 if repr(float(old)) == repr(float(new)) else math.inf
    gap = abs(old - new)
    return float(min(gap, gap / max(abs(old), abs(new)))) if gap else 0.0


class Tolerance:
    """What a field of one call may differ by on another kind of processor.

    Everything agrees to 1e-6. Only where the loss counts rows (0-1, balanced) may a row that lies on a
    boundary fall on its other side. That moves a mean over n rows by 1/n; by up to 2/n if classes are
    balanced. What is made of means moves by more: the limit score by 2K - 3 times that, the end of an
    interval by about as much. So errors may move by one row, other numbers of the same call by ten.
    Zones, counts and names may not move.
    """

    close = 1e-6
    error = re.compile(r"(^|/)(own_errors|cross_errors)/|(^|/)error$|^errors/\d")
    fewest = 40  # rows of the smallest dataset of all calls, for results that do not tell

    def __init__(self, tree: Any) -> None:
        fields = dict(flatten(tree))
        losses = {
            value for path, value in fields.items() if re.search(r"(^|/)(losses/|loss$)", path)
        }
        errors = [value for path, value in fields.items() if self.error.search(path)]
        rows = [value for path, value in fields.items() if re.search(r"(^|/)(n_rows/|rows$)", path)]
        # A matrix tells of its loss only that it was "auto"; the recorded squared errors exceed 1.
        counts_rows = losses <= {"zero_one", "balanced", "auto"} and max(errors, default=2) <= 1
        weight = 2 if "balanced" in losses else 1
        self.row = weight / min(rows, default=self.fewest) if losses and counts_rows else 0.0

    def is_met(self, field: Difference) -> bool:
        """Tell whether the field is what it was."""
        return field.size <= self.close

    def is_error(self, field: Difference) -> bool:
        """Tell whether the field is a mean loss, rather than made of such means."""
        return self.error.search(field.path) is not None

    def allows(self, field: Difference) -> bool:
        """Tell whether one row on the other side of a boundary explains the difference."""
        if not self.row or not isinstance(field.old, float) or not _is_number(field.new):
            return False
        rows = 1 if self.is_error(field) else 10
        return abs(field.old - field.new) <= rows * self.row + self.close
