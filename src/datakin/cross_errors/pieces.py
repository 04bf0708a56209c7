"""Pieces of a table: joined, read from files when asked for, read anew with other weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.cross_errors.files import StoredParts, read_parts
from datakin.cross_errors.options import Options
from datakin.cross_errors.predictions import PlanReading
from datakin.cross_errors.records import Errors, Key, Labels, Piece, PlanPredictions, Scores
from datakin.learners.losses import LOSSES, Loss, choose_loss

if TYPE_CHECKING:
    from datakin.cross_errors.table import ErrorTable

__all__ = ["join_pieces", "labels_and_loss", "parts_of", "pieces_from", "reread_pieces"]

T = TypeVar("T")


def join_pieces(ours: Mapping[Key, Piece], theirs: Mapping[Key, Piece]) -> dict[Key, Piece]:
    """Return the pieces of both; of a plan in both, everything it was tested on."""
    joined = dict(ours)
    for key, piece in theirs.items():
        if key not in joined:
            joined[key] = piece
            continue
        joined[key] = replace(
            joined[key],
            crosses={**joined[key].crosses, **piece.crosses},
            scores={**joined[key].scores, **piece.scores},
        )
    return joined


def parts_of(key: Key, piece: Piece) -> list[tuple[Any, Any]]:
    """Return a piece as titled parts for a file: (kind, key, repeat, tested dataset) and content."""
    titled: list[tuple[Any, Any]] = []
    first = piece.repeat or 0

    def add(kind: str, tested: str, found: Sequence[Any]) -> None:
        titled.extend(((kind, key, first + r, tested), item) for r, item in enumerate(found))

    add("own", "", piece.own)
    for tested, crosses in piece.crosses.items():
        add("cross", tested, crosses)
    add("predictions", "", piece.predictions or ())
    for tested, scores in piece.scores.items():
        add("scores", tested, scores)
    return titled


def pieces_from(files: Sequence[StoredParts], repeat: int | None = None) -> dict[Key, Piece]:
    """Return the pieces whose parts stand in some files; losses and scores are read when asked for.

    `repeat` is the only one that the files hold, where repeats are units of work of their own.
    """
    found: dict[Key, dict[tuple[str, str], dict[int, tuple[StoredParts, int]]]] = {}
    for file in files:
        for number, (kind, key, r, tested) in enumerate(file.titles):
            name, columns, stage, partner = key
            parts = found.setdefault(Key(name, tuple(columns), stage, partner), {})
            parts.setdefault((kind, tested), {})[r] = (file, number)
    pieces = {}
    for key, parts in found.items():
        stored: dict[tuple[str, str], _Stored[Any]] = {
            what: _Stored([places[r] for r in sorted(places)]) for what, places in parts.items()
        }
        pieces[key] = Piece(
            tuple(stored["own", ""]),
            {tested: part for (kind, tested), part in stored.items() if kind == "cross"},
            stored.get(("predictions", "")),
            {tested: part for (kind, tested), part in stored.items() if kind == "scores"},
            repeat,
        )
    return pieces


class _Lazy(Sequence[T]):
    """A sequence whose items are made when they are asked for."""

    def __init__(self, size: int, make: Callable[[int], T]) -> None:
        self.size, self.make = size, make

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(self.size))]
        if not 0 <= at < self.size:
            raise IndexError(at)
        return self.make(at)


class _Stored(_Lazy[T]):
    """Parts of files, read when they are asked for."""

    def __init__(self, parts: Sequence[tuple[StoredParts, int]]) -> None:
        super().__init__(len(parts), self._read)
        self.parts = [(file.place, file.mark, number) for file, number in parts]

    def _read(self, at: int) -> T:
        place, mark, number = self.parts[at]
        file = read_parts(place)
        if file.mark != mark:
            raise DatakinError(
                f"The file {place.name!r} of {str(place.parent)!r} has changed since it was loaded. Load "
                f"the cross errors again."
            )
        found: T = file.part(number)
        return found


def reread_pieces(
    pieces: Mapping[Key, Piece],
    table: ErrorTable,
    options: Options,
    models: Sequence[str] | None = None,
) -> Mapping[Key, Piece]:
    """Return pieces whose predictions are combined as other options say, each when asked for.

    `models`: the models to combine; all by default.
    """
    return _Reread(pieces, table, options, models)


class _Reread(Mapping[Key, Piece]):
    def __init__(
        self,
        pieces: Mapping[Key, Piece],
        table: ErrorTable,
        options: Options,
        models: Sequence[str] | None,
    ) -> None:
        self.pieces, self.table, self.options, self.models = pieces, table, options, models
        self.made: dict[Key, Piece] = {}

    def __iter__(self) -> Iterator[Key]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    def __getitem__(self, key: Key) -> Piece:
        if key not in self.made:
            self.made[key] = self._make(key, self.pieces[key])
        return self.made[key]

    def _make(self, key: Key, piece: Piece) -> Piece:
        assert piece.predictions is not None
        if self.models is not None:
            piece = _with_models(piece, self.models)
        assert piece.predictions is not None
        labels, loss = self._labels(key.dataset)
        readings = [PlanReading(made, loss, self.options, labels) for made in piece.predictions]
        crosses = {
            tested: _Lazy(len(readings), _remembered(self._tester(key, piece, readings, tested)))
            for tested in piece.crosses
            if self.table.has_pair(tested, key.dataset)
        }
        return replace(piece, own=tuple(r.trained() for r in readings), crosses=crosses)

    def _tester(
        self, key: Key, piece: Piece, readings: Sequence[PlanReading], tested: str
    ) -> Callable[[int], Errors]:
        labels, loss = self._labels(tested)
        facts = self.table.pair(tested, key.dataset)

        def test(repeat: int) -> Errors:
            left_out = np.zeros(labels.n_rows, dtype=bool)
            if facts.left_out is not None:
                left_out = facts.left_out[0]
            scores = piece.scores[tested][repeat]
            return readings[repeat].test_on(labels, scores, loss, facts.classes, left_out)

        return test

    def _labels(self, name: str) -> tuple[Labels, Loss]:
        return labels_and_loss(self.table, name)


def labels_and_loss(table: ErrorTable, name: str) -> tuple[Labels, Loss]:
    """Return the rows that a dataset is tested on, and its loss; refuse a loss that was not saved."""
    member = table.members[name]
    assert member.labels is not None
    if not member.has_own_loss:
        return member.labels, LOSSES[member.loss]
    loss = table.options.resolved_loss
    if loss is None or loss.name != member.loss:
        raise DatakinError(
            f"The loss {member.loss!r} is a function of your own, which is not saved: other weights "
            f"need the cross errors measured again."
        )
    return member.labels, choose_loss(loss, member.labels)


def _with_models(piece: Piece, names: Sequence[str]) -> Piece:
    """Return a piece with the predictions of some of its models, in the order given."""
    assert piece.predictions is not None
    at = [piece.predictions[0].models.index(name) for name in names]

    def of_fits(fits: Sequence[Scores]) -> list[Scores]:
        return [[scores[i] for i in at] for scores in fits]

    def of_plan(made: PlanPredictions) -> PlanPredictions:
        return replace(
            made,
            models=tuple(names),
            decisions=tuple(made.decisions[i] for i in at),
            scores=of_fits(made.scores),
            held_out=None if made.held_out is None else of_fits(made.held_out),
            failures=tuple(failure for failure in made.failures if failure.model in names),
            backends={name: made.backends[name] for name in names},
        )

    def of_tests(repeats: Sequence[Sequence[Scores]]) -> Sequence[list[Scores]]:
        return _Lazy(len(repeats), lambda repeat: of_fits(repeats[repeat]))

    return replace(
        piece,
        predictions=tuple(of_plan(made) for made in piece.predictions),
        scores={tested: of_tests(repeats) for tested, repeats in piece.scores.items()},
    )


def _remembered(make: Callable[[int], Errors]) -> Callable[[int], Errors]:
    made: dict[int, Errors] = {}

    def remember(at: int) -> Errors:
        if at not in made:
            made[at] = make(at)
        return made[at]

    return remember
