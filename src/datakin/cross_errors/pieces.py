"""Pieces of a table: joined, read from files when asked for, read anew with other weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.cross_errors.files import StoredParts, read_parts
from datakin.cross_errors.options import Options
from datakin.cross_errors.predictions import PlanReading
from datakin.cross_errors.records import Errors, Key, Piece, PlanPredictions, Scores
from datakin.learners.losses import LOSSES, Labels, Loss, choose_loss

if TYPE_CHECKING:
    from datakin.cross_errors.table import ErrorTable


def join_pieces(ours: Mapping[Key, Piece], theirs: Mapping[Key, Piece]) -> dict[Key, Piece]:
    """Return the pieces of both; of a plan in both, everything it was tested on."""
    both = {
        key: replace(
            ours[key],
            crosses={**ours[key].crosses, **theirs[key].crosses},
            scores={**ours[key].scores, **theirs[key].scores},
        )
        for key in ours.keys() & theirs.keys()
    }
    return {**ours, **theirs, **both}


def parts_of(key: Key, piece: Piece) -> list[tuple[Any, Any]]:
    """Return a piece as titled parts for a file: (kind, key, repeat, tested dataset) and content."""
    found: list[tuple[str, str, Sequence[Any]]] = [("own", "", piece.own)]
    found += [("cross", tested, crosses) for tested, crosses in piece.crosses.items()]
    found.append(("predictions", "", piece.predictions or ()))
    found += [("scores", tested, scores) for tested, scores in piece.scores.items()]
    return [
        ((kind, key, repeat, tested), item)
        for kind, tested, items in found
        for repeat, item in enumerate(items, piece.repeat or 0)
    ]


def pieces_from(files: Sequence[StoredParts], repeat: int | None = None) -> dict[Key, Piece]:
    """Return the pieces whose parts are in some files; losses and scores are read when asked for.

    `repeat` is the only one that the files hold, where repeats are units of work of their own.
    """
    found: dict[Key, dict[str, dict[str, dict[int, tuple[StoredParts, int]]]]] = {}
    for file in files:
        for number, (kind, key, r, tested) in enumerate(file.titles):
            parts = found.setdefault(Key.of(key), {})
            parts.setdefault(kind, {}).setdefault(tested, {})[r] = (file, number)

    def piece(parts: Mapping[str, Mapping[str, Mapping[int, tuple[StoredParts, int]]]]) -> Piece:
        own, crosses, predictions, scores = (
            {
                tested: _Stored([places[r] for r in sorted(places)])
                for tested, places in parts.get(kind, {}).items()
            }
            for kind in ("own", "cross", "predictions", "scores")
        )
        return Piece(tuple(own[""]), crosses, predictions.get(""), scores, repeat)

    return {key: piece(parts) for key, parts in found.items()}


class _Lazy(Sequence[Any]):
    """A sequence whose items are made when they are asked for."""

    def __init__(self, size: int, make: Callable[[int], Any]) -> None:
        self.size, self.make = size, make

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(self.size))]
        if not 0 <= at < self.size:
            raise IndexError(at)
        return self.make(at)


class _Stored(_Lazy):
    """Parts of files, read when they are asked for."""

    def __init__(self, parts: Sequence[tuple[StoredParts, int]]) -> None:
        super().__init__(len(parts), self._read)
        self.parts = [(file.place, file.mark, number) for file, number in parts]

    def _read(self, at: int) -> Any:
        place, mark, number = self.parts[at]
        file = read_parts(place)
        if file.mark != mark:
            raise DatakinError(
                f"The file {place.name!r} of {str(place.parent)!r} has changed since it was loaded. Load "
                f"the cross errors again."
            )
        return file.part(number)


class _Reread(Mapping[Key, Piece]):
    """Pieces that are made anew when they are asked for."""

    def __init__(self, pieces: Mapping[Key, Piece], make: Callable[[Key], Piece]) -> None:
        self.pieces, self.make = pieces, cache(make)

    def __iter__(self) -> Iterator[Key]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    def __getitem__(self, key: Key) -> Piece:
        return self.make(key)


def reread_pieces(
    pieces: Mapping[Key, Piece],
    table: ErrorTable,
    options: Options,
    models: Sequence[str] | None = None,
) -> Mapping[Key, Piece]:
    """Return pieces whose predictions are combined as other options say, each when asked for.

    `models`: the models to combine; all by default.
    """

    def make(key: Key) -> Piece:
        piece = pieces[key] if models is None else _with_models(pieces[key], models)
        assert piece.predictions is not None
        labels, loss = labels_and_loss(table, key.dataset)
        readings = [PlanReading(made, loss, options, labels) for made in piece.predictions]
        crosses = {
            tested: _Lazy(len(readings), cache(_tester(table, key, tested, readings, scores)))
            for tested, scores in piece.scores.items()
            if table.has_pair(tested, key.dataset)
        }
        return replace(piece, own=tuple(r.trained() for r in readings), crosses=crosses)

    return _Reread(pieces, make)


def _tester(
    table: ErrorTable,
    key: Key,
    tested: str,
    readings: Sequence[PlanReading],
    scores: Sequence[Sequence[Scores]],
) -> Callable[[int], Errors]:
    """Return a function that gives the errors of a repeat on another dataset."""
    labels, loss = labels_and_loss(table, tested)
    facts = table.pair(tested, key.dataset)
    left_out = np.zeros(labels.n_rows, dtype=bool)
    if facts.left_out is not None:
        left_out = facts.left_out[0]
    return lambda repeat: readings[repeat].test_on(
        labels, scores[repeat], loss, facts.classes, left_out
    )


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
