"""The cross-error table on disk: one format for checkpoints, saved tables and scratch space.

    about.json       what the numbers depend on: format, versions, options, fingerprints of the data
    table.parquet    the datasets and what the pairs agreed on; sums, if only sums are kept
    units/*.parquet  one file for each finished unit of work, readable part by part

A Parquet file holds its numbers in one column, a row group for each part, and in its metadata what they
are, as JSON. It is written under another name first, so that a run killed in the middle leaves no half
file; numbers and description carry digests, so that a damaged file is noticed. Nothing is executed
from any file: only the records named here are rebuilt, from plain values.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datakin._core.exceptions import DatakinError, FitFailure, listed
from datakin._core.files import written_whole
from datakin._core.json_text import parse_json
from datakin.cross_errors.records import Errors, Key, Member, PairFacts, PlanPredictions, Trained
from datakin.cross_errors.sums import Grams, WaySums
from datakin.data.features import Array
from datakin.learners.folds import Plan
from datakin.learners.losses import Labels
from datakin.learners.metrics import Metrics
from datakin.learners.stack.evidence import Candidate, Evidence, TargetEvidence
from datakin.learners.stack.records import Trial, Trials

FORMAT = 5
OURS = ("units", "about.json", "table.parquet")
KINDS = (
    *(Errors, FitFailure, Grams, Labels, Member, Metrics, PairFacts, Plan, PlanPredictions),
    *(Trained, Trial, Trials, WaySums, Candidate, Evidence, TargetEvidence),
)
KEPT: dict[str, Any] = {kind.__name__: kind for kind in KINDS}
# Fields that earlier versions wrote, for the gain formula; they are not read any more.
GONE = {"Grams": ("correlation",), "WaySums": ("learner", "outlook")}
DAMAGE = (
    *(OSError, pa.ArrowException, ArithmeticError, AttributeError, LookupError, MemoryError),
    *(RecursionError, TypeError, ValueError),
)


class Folder:
    """A folder of finished units that belong to one run.

    Two runs with the same data and options may share it: each file is written whole, under a name that
    changes with all that its numbers depend on.

    Parameters
    ----------
    path : path-like
        Made if it is not there.
    about : mapping
        What the numbers depend on: "versions", "options", "identity" (of losses and estimators of
        one's own) and "datasets" (fingerprints).
    """

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
        self.path, self.units = Path(path), Path(path) / "units"
        self.about = json.loads(json.dumps({"format": FORMAT, **about}, default=repr))
        open_file.cache_clear()  # files may have changed since an earlier run
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._must_fit()
            self.units.mkdir(exist_ok=True)
            self._claim()
        except OSError as error:
            raise DatakinError(
                f"The folder {os.fspath(path)!r} must be one that can be written to "
                f"({error.strerror or error})."
            ) from None
        self._must_fit()

    def _must_fit(self) -> None:
        """Refuse a folder of another run, saying what differs."""
        note = self.path / "about.json"
        if not note.exists():
            others = sorted(p.name for p in self.path.iterdir() if p.name not in OURS)
            if "run.json" in others:
                raise DatakinError(
                    f"The checkpoint folder {str(self.path)!r} was made by an earlier version of datakin, "
                    f"whose format this one does not read. Name another folder, or delete this one."
                )
            if others := [name for name in others if not name.startswith(".datakin-")]:
                raise DatakinError(
                    f"The checkpoint folder {str(self.path)!r} must be new, empty or that of an earlier run. "
                    f"It holds {listed(others)}; name another folder."
                )
            return
        try:
            found = parse_json(note.read_bytes())
            reasons = _differences(found, self.about)
        except (ValueError, TypeError, AttributeError, KeyError):
            return  # damaged: the units' own names tell whether they belong here
        if reasons:
            raise DatakinError(
                f"The checkpoint folder {str(self.path)!r} belongs to another run: "
                f"{'; '.join(reasons)}. Go back to what it was made with, name another folder, or "
                f"delete this one."
            )

    def _claim(self) -> None:
        """Write whose folder this is.

        Of two runs that start at once, the first keeps it: a link fails where a file is there already.
        """
        note = self.path / "about.json"
        if note.exists() and _is_json(note):
            return
        with written_whole(note) as draft:
            draft.write_text(json.dumps(self.about, indent=1), encoding="utf-8")
            if not note.exists():
                with suppress(OSError):  # another run was first, or there are no links here
                    os.link(draft, note)
            if note.exists() and _is_json(note):
                draft.write_bytes(note.read_bytes())

    def place(self, slug: str, facts: Any) -> Path:
        """Return where a unit's file belongs: the name changes with all that the numbers depend on."""
        known = [self.about[name] for name in ("versions", "options", "identity")]
        digest = _digest(json.dumps([*known, facts]).encode())
        safe = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in slug)
        return self.units / f"{safe[:40].strip('._') or 'dataset'}-{digest}.parquet"

    def found(self, place: Path) -> StoredParts | None:
        """Return a whole file of an earlier run, None if there is none; raise ValueError if damaged."""
        if not place.exists():
            return None
        try:
            file = open_file(place)
            for part in range(len(file)):
                file.part(part)  # every number is checked now, not in the middle of a run
        except DAMAGE as error:
            raise ValueError(f"{place.name}: {error}") from None
        return file

    def kept(
        self, slug: str, facts: Any, item: str, make: Callable[[], Any], *, is_needed: bool = False
    ) -> Any:
        """Return the only item of a file; made and written now if there is no whole file of it.

        One that `is_needed` must be written; another is only returned where the disk is full.
        """
        place = self.place(slug, facts)
        with suppress(ValueError):  # damaged: it is made again
            if (file := self.found(place)) is not None:
                return file.part(0)
        made = make()
        try:
            write_parts(place, [(item, made)])
        except OSError as error:
            if is_needed:
                raise DatakinError(
                    f"A checkpoint could not be written to {self.path} ({error.strerror}). Make "
                    f"room there or choose another folder (checkpoint)."
                ) from None
        return made


class StoredParts:
    """A Parquet file of parts, read when they are asked for."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.reader = pq.ParquetFile(place)
        metadata = self.reader.schema_arrow.metadata or {}
        if _digest(metadata[b"datakin"]) != metadata[b"digest"].decode():
            raise ValueError("its description is damaged")
        about = parse_json(metadata[b"datakin"])
        self.mark = metadata[b"digest"].decode()  # of all it holds: parts have digests in there
        self.titles: list[Any] = about["titles"]
        self._parts, self._digests = about["parts"], about["digests"]

    def __len__(self) -> int:
        return len(self._parts)

    def part(self, number: int) -> Any:
        """Return one part, rebuilt; refuse a damaged one with a sentence."""
        try:
            values = self.reader.read_row_group(number, use_threads=False).column(0).to_numpy()
            if _digest(values.tobytes()) != self._digests[number]:
                raise ValueError("its numbers are damaged")
            return _unpacked(parse_json(self._parts[number]), values)
        except DAMAGE as error:
            raise _damaged(self.place, error) from None


@lru_cache(maxsize=512)
def open_file(place: Path) -> StoredParts:
    """Return a file of parts; many are kept open, for pairs are read again and again."""
    return StoredParts(place)


def write_parts(place: Path, parts: Sequence[tuple[Any, Any]]) -> StoredParts:
    """Write titled parts as one file; raises OSError if the disk is full or read-only."""
    packed = [_packed(item) for _, item in parts]
    about = json.dumps(
        {
            "titles": [title for title, _ in parts],
            "parts": [json.dumps(what) for what, _ in packed],
            "digests": [_digest(values.tobytes()) for _, values in packed],
        }
    ).encode()
    schema = pa.schema(
        [("value", pa.float64())], metadata={"datakin": about, "digest": _digest(about)}
    )
    if place.exists():
        open_file.cache_clear()  # an older file of this name may be open
    with (
        written_whole(place) as draft,
        pq.ParquetWriter(draft, schema, compression="zstd") as writer,
    ):
        for _, values in packed:
            table = pa.table({"value": values}, schema=schema)
            writer.write_table(table, row_group_size=max(len(values), 1))
    return open_file(place)


def read_parts(place: Path) -> StoredParts:
    """Return a file of parts; refuse one that is missing or damaged with a sentence."""
    try:
        return open_file(place)
    except DAMAGE as error:
        raise _damaged(place, error) from None


def _damaged(place: Path, error: Exception) -> DatakinError:
    return DatakinError(
        f"The file {place.name!r} of {str(place.parent)!r} is missing or damaged "
        f"({str(error)[:120]}). Measure or save the cross errors again."
    )


def _is_json(path: Path) -> bool:
    try:
        parse_json(path.read_bytes())
    except ValueError:
        return False
    return True


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
    if isinstance(item, Key):
        return {"kind": "key", "values": [*item]}
    if type(item).__name__ in KEPT:
        inner = {f.name: _described(getattr(item, f.name), arrays) for f in fields(item)}
        return {"kind": type(item).__name__, "fields": inner}
    if isinstance(item, Mapping):
        return {"kind": "map", "items": {k: _described(v, arrays) for k, v in item.items()}}
    if isinstance(item, (tuple, list)):
        return [_described(v, arrays) for v in item]
    return item.item() if isinstance(item, np.generic) else item


def _unpacked(what: Any, values: Array) -> Any:
    """Return an item from what it is and its numbers."""
    start = 0

    def build(what: Any) -> Any:
        nonlocal start
        if isinstance(what, list):
            return tuple(build(v) for v in what)
        if not isinstance(what, dict):
            return what
        kind = what["kind"]
        if kind == "array":
            end = start + int(np.prod(what["shape"]))
            found, start = values[start:end], end
            return found.astype(np.dtype(what["dtype"])).reshape(what["shape"])
        if kind == "map":
            return {k: build(v) for k, v in what["items"].items()}
        if kind == "key":
            return Key.of(what["values"])
        if kind not in KEPT:
            raise ValueError(f"another version of datakin wrote it, with {kind}")
        held = {k: build(v) for k, v in what["fields"].items()}
        return KEPT[kind](**{k: v for k, v in held.items() if k not in GONE.get(kind, ())})

    return build(what)


def _differences(found: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return in words how two runs differ."""
    if found["format"] != now["format"]:
        return [f"its format is {found['format']}, now {now['format']}"]
    reasons = []
    for what in ("versions", "options", "identity"):
        for name in sorted({*found[what], *now[what]}):
            one, two = found[what].get(name), now[what].get(name)
            if one != two:
                reasons.append(f"{name} was {one!r}, now {two!r}")
    old, new = found["datasets"], now["datasets"]
    changes = {
        "gone": [n for n in old if n not in new],
        "new": [n for n in new if n not in old],
        "changed": [n for n in new if n in old and old[n] != new[n]],
    }
    reasons += [f"dataset(s) {verb}: {listed(names)}" for verb, names in changes.items() if names]
    return reasons
