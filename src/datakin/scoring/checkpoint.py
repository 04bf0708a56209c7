"""Finished units on disk: one Parquet file each, readable part by part.

A file holds the numbers of a unit in one column, a row group for the learner and one for each
tested dataset, and in its metadata what they are, as JSON. It is written under another name first,
so that a run killed in the middle leaves no half file; numbers and description carry digests, so
that a torn one is noticed and the unit is run again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datakin._core.exceptions import DatakinError, listed
from datakin.data.features import Array
from datakin.errors import Errors, Learner
from datakin.learning.engine import FitFailure
from datakin.scoring.units import Unit, UnitResult

__all__ = ["Folder"]

FORMAT = 2
OURS = ("units", "run.json", "run.draft")
KEPT = {kind.__name__: kind for kind in (Errors, Learner, FitFailure)}


class Folder:
    """A folder of finished units that belong to one run.

    Parameters
    ----------
    path : path-like
        Made if it is not there.
    run : mapping
        What the numbers depend on: "versions", "options" and "datasets" (fingerprints).
    """

    def __init__(self, path: str | os.PathLike[str], run: Mapping[str, Any]) -> None:
        self.path, self.units = Path(path), Path(path) / "units"
        self.run = json.loads(json.dumps({"format": FORMAT, **run}, default=repr))
        note = self.path / "run.json"
        _open.cache_clear()  # files may have changed since an earlier run
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._must_fit(note)
            self.units.mkdir(exist_ok=True)
            _replace(note, json.dumps(self.run, indent=1).encode())
        except OSError as error:
            raise DatakinError(
                f"The checkpoint folder {os.fspath(path)!r} must be one that can be written to "
                f"({error.strerror or error})."
            ) from None

    def _must_fit(self, note: Path) -> None:
        """Refuse a folder of another run, saying what differs."""
        if not note.exists():
            others = sorted(p.name for p in self.path.iterdir() if p.name not in OURS)
            if others:
                raise DatakinError(
                    f"The checkpoint folder {str(self.path)!r} must be new, empty or that of an earlier run. "
                    f"It holds {listed(others)}; name another folder."
                )
            return
        try:
            found = json.loads(note.read_text(encoding="utf-8"))
            reasons = _differences(found, self.run)
        except (ValueError, TypeError, AttributeError):
            return  # torn: the units' own names tell whether they belong here
        if reasons:
            raise DatakinError(
                f"The checkpoint folder {str(self.path)!r} belongs to another run: "
                f"{'; '.join(reasons)}. Go back to what it was made with, name another folder, or "
                f"delete this one."
            )

    def place(self, unit: Unit) -> Path:
        """Return where a unit's file belongs: the name changes with all that the numbers depend on."""
        facts = [
            self.run["versions"],
            self.run["options"],
            [unit.dataset.name, unit.dataset.fingerprint, *unit.columns],
            unit.held_out.fingerprint if unit.held_out is not None else None,
            [
                [t.other.name, t.other.fingerprint, *t.classes, int(t.left_out.sum()), t.with_pool]
                for t in unit.tests
            ],
            unit.with_inner,
        ]
        digest = hashlib.blake2b(json.dumps(facts).encode(), digest_size=8).hexdigest()
        slug = re.sub(r"[^A-Za-z0-9._-]+", "_", unit.dataset.name)[:40].strip("._")
        return self.units / f"{slug or 'dataset'}-{digest}.parquet"

    def write(self, place: Path, result: UnitResult) -> None:
        """Write a unit's file; raises OSError where the disk does not play along."""
        parts: list[tuple[Any, Array]] = []
        for learner, crosses in zip(result.learners, result.crosses, strict=True):
            parts += [_packed(item) for item in (learner, *crosses)]
        about = json.dumps(
            {
                "repeats": len(result.learners),
                "parts": [json.dumps(what) for what, _ in parts],
                "digests": [_digest(values.tobytes()) for _, values in parts],
            }
        ).encode()
        schema = pa.schema(
            [("value", pa.float64())], metadata={"datakin": about, "digest": _digest(about)}
        )
        draft = place.with_suffix(".draft")
        try:
            with pq.ParquetWriter(draft, schema, compression="zstd") as writer:
                for _, values in parts:
                    table = pa.table({"value": values}, schema=schema)
                    writer.write_table(table, row_group_size=max(len(values), 1))
            if place.exists():
                _open.cache_clear()  # a torn file may be open
            os.replace(draft, place)
        finally:
            draft.unlink(missing_ok=True)

    def read(self, place: Path) -> UnitResult:
        """Return a unit's result; its errors are read when they are asked for."""
        return _stored(place)

    def found(self, place: Path) -> UnitResult | None:
        """Return the result of an earlier run, None if there is none; raise ValueError if torn."""
        try:
            result = _stored(place)
            for crosses in result.crosses:
                for _ in crosses:
                    pass  # every number is checked now, not in the middle of a run
        except FileNotFoundError:
            return None
        except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{place.name}: {error}") from None
        return result


class _File:
    """An open unit file."""

    def __init__(self, place: Path) -> None:
        self.reader = pq.ParquetFile(place)
        metadata = self.reader.schema_arrow.metadata
        if _digest(metadata[b"datakin"]) != metadata[b"digest"].decode():
            raise ValueError("its description is damaged")
        about = json.loads(metadata[b"datakin"])
        self.repeats, self.parts = about["repeats"], about["parts"]
        self.digests = about["digests"]

    def part(self, group: int) -> Any:
        values = self.reader.read_row_group(group, use_threads=False).column(0).to_numpy()
        if _digest(values.tobytes()) != self.digests[group]:
            raise ValueError("its numbers are damaged")
        return _unpacked(json.loads(self.parts[group]), values)


class _Crosses(Sequence[Errors]):
    """Errors on the tested datasets, read from the file when asked for."""

    def __init__(self, place: Path, first: int, size: int) -> None:
        self.place, self.first, self.size = place, first, size

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, at: int) -> Errors: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Errors]: ...
    def __getitem__(self, at: int | slice) -> Errors | Sequence[Errors]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(self.size))]
        if not 0 <= at < self.size:
            raise IndexError(at)
        errors: Errors = _open(self.place).part(self.first + at)
        return errors


@lru_cache(maxsize=512)
def _open(place: Path) -> _File:
    return _File(place)


def _stored(place: Path) -> UnitResult:
    file = _open(place)
    each = len(file.parts) // file.repeats
    starts = range(0, len(file.parts), each)
    return UnitResult(
        tuple(file.part(first) for first in starts),
        tuple(_Crosses(place, first + 1, each - 1) for first in starts),
    )


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _packed(item: Any) -> tuple[Any, Array]:
    """Return what an item is, as JSON, and its numbers one after the other."""
    arrays: list[Array] = []
    what = _described(item, arrays)
    flat = [array.astype(float).ravel() for array in arrays]
    return what, np.concatenate(flat) if flat else np.empty(0)


def _described(item: Any, arrays: list[Array]) -> Any:
    if isinstance(item, np.ndarray):
        arrays.append(item)
        return {"kind": "array", "shape": item.shape, "dtype": item.dtype.str}
    if type(item).__name__ in KEPT:
        inner = {f.name: _described(getattr(item, f.name), arrays) for f in fields(item)}
        return {"kind": type(item).__name__, "fields": inner}
    if isinstance(item, Mapping):
        return {"kind": "map", "items": {k: _described(v, arrays) for k, v in item.items()}}
    if isinstance(item, (tuple, list)):
        return [_described(v, arrays) for v in item]
    return item


def _unpacked(what: Any, values: Array) -> Any:
    """Return an item from what it is and its numbers."""
    start = 0

    def build(what: Any) -> Any:
        nonlocal start
        if isinstance(what, list):
            return tuple(build(v) for v in what)
        if not isinstance(what, dict):
            return what
        if what["kind"] == "array":
            end = start + int(np.prod(what["shape"]))
            found, start = values[start:end], end
            return found.astype(what["dtype"]).reshape(what["shape"])
        if what["kind"] == "map":
            return {k: build(v) for k, v in what["items"].items()}
        return KEPT[what["kind"]](**{k: build(v) for k, v in what["fields"].items()})

    return build(what)


def _differences(found: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return in words how two runs differ."""
    if found["format"] != now["format"]:
        return [f"its format is {found['format']}, now {now['format']}"]
    reasons = []
    for what in ("versions", "options"):
        for name in sorted({*found[what], *now[what]}):
            one, two = found[what].get(name), now[what].get(name)
            if one != two:
                reasons.append(f"{name} was {one!r}, now {two!r}")
    old, new = found["datasets"], now["datasets"]
    for names, verb in (
        ([n for n in old if n not in new], "gone"),
        ([n for n in new if n not in old], "new"),
        ([n for n in new if n in old and old[n] != new[n]], "changed"),
    ):
        if names:
            reasons.append(f"dataset(s) {verb}: {listed(names)}")
    return reasons


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_suffix(".draft")
    draft.write_bytes(content)
    os.replace(draft, path)
