"""Where finished pieces are kept: in memory, or on disk when they are many or must outlive the run."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from datakin._core.exceptions import warn
from datakin.cross_errors.files import Folder, write_parts
from datakin.cross_errors.pieces import parts_of, pieces_from
from datakin.cross_errors.records import Key, Piece, of_repeats
from datakin.cross_errors.table import ErrorTable, write_table

MEMORY = 2**28  # bytes of losses kept in memory; more go to a temporary folder

Runner = Callable[[list[Any]], Iterator[tuple[int, Any]]]


class Store:
    """Runs units that are not finished yet, and keeps what they bring.

    Memory holds what is at hand: the own errors of all datasets, and errors on others only up to a
    bound. Beyond it errors are on disk and read pair by pair. `checkpoint` is the path of a folder that
    keeps them, or None; `about` is what the numbers depend on.
    """

    def __init__(self, checkpoint: Any, about: Mapping[str, Any]) -> None:
        self.folder = None if checkpoint is None else Folder(checkpoint, about)
        self.is_checkpoint = checkpoint is not None
        self.pieces: dict[Key, Piece] = {}
        self._repeats: dict[Key, dict[int, Piece]] = {}  # of pieces that come repeat by repeat
        self.is_large = False
        self.files: dict[str, None] = {}

    def expect(self, places: Iterable[tuple[str, Any]]) -> None:
        """Remember the files of units to be run: those of other runs may lie beside them."""
        if self.folder is not None:
            self.files |= dict.fromkeys(self.folder.place(*place).name for place in places)

    def note(self, table: ErrorTable) -> None:
        """Tell the checkpoint what its units belong to, so that it can be loaded as a table."""
        if not self.is_checkpoint or self.folder is None:
            return
        try:
            write_table(self.folder, replace(table, files=tuple(self.files)))
        except OSError as error:
            self._give_up(error)

    def make_room(self, n_bytes: int, about: Mapping[str, Any]) -> None:
        """Use a temporary folder for what would not fit in memory."""
        self.is_large = n_bytes > MEMORY
        if self.is_large and self.folder is None:
            scratch = tempfile.mkdtemp(prefix="datakin-")
            weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)
            self.folder = Folder(scratch, {**about, "datasets": {}})

    def run(
        self, units: Mapping[Any, Any], places: Mapping[Any, tuple[str, Any]], runner: Runner
    ) -> Iterator[dict[Key, Piece]]:
        """Yield the pieces of every unit, found on disk or run now.

        `places` are, by unit, what its file is called and what its numbers depend on. The runner yields
        (position, pieces) as units are finished.
        """
        files = dict[Any, Path]()
        if self.folder is not None:
            files = {key: self.folder.place(*places[key]) for key in units}
        left = dict(units)
        if self.is_checkpoint:
            for key, found in self._found(files, units).items():
                del left[key]
                yield self._kept(found)
        if left:
            keys = list(left)
            for position, made in runner(list(left.values())):
                yield self._kept(self._written(files.get(keys[position]), made))

    def drop(self, keys: Sequence[Key], names: Sequence[str]) -> None:
        """Forget the losses of a pair of which sums are kept."""
        for key, tested in zip(keys, reversed(names), strict=True):
            crosses: Any = self.pieces[key].crosses  # of our own making, a dict
            del crosses[tested]

    def _kept(self, pieces: dict[Key, Piece]) -> dict[Key, Piece]:
        for key, piece in pieces.items():
            if piece.repeat is None:
                self.pieces[key] = piece
                continue
            repeats = self._repeats.setdefault(key, {})
            repeats[piece.repeat] = piece
            self.pieces[key] = of_repeats([repeats[r] for r in sorted(repeats)])
        return pieces

    def _found(
        self, files: Mapping[Any, Path], units: Mapping[Any, Any]
    ) -> dict[Any, dict[Key, Piece]]:
        """Return what an earlier run has left in the checkpoint folder."""
        assert self.folder is not None
        results, torn = {}, []
        for key, place in files.items():
            try:
                file = self.folder.found(place)
            except ValueError as error:
                torn.append(str(error))
                continue
            if file is not None:
                pieces = pieces_from([file], getattr(units[key], "repeat", None))
                results[key] = pieces if self.is_large else {k: _read(p) for k, p in pieces.items()}
        if torn:
            warn(
                f"{len(torn)} file(s) of the checkpoint are torn and will be made again "
                f"({torn[0][:160]})."
            )
        return results

    def _written(self, place: Path | None, pieces: dict[Key, Piece]) -> dict[Key, Piece]:
        if self.folder is None or place is None:
            return pieces
        try:
            parts = [part for key, piece in pieces.items() for part in parts_of(key, piece)]
            file = write_parts(place, parts)
            repeat = next(iter(pieces.values())).repeat
            return pieces_from([file], repeat) if self.is_large else pieces
        except OSError as error:
            self._give_up(error)
            return pieces

    def _give_up(self, error: OSError) -> None:
        """Go on without a folder that cannot be written to."""
        assert self.folder is not None
        warn(
            f"{self.folder.path} could not be written to ({error.strerror or error}); the run goes on "
            f"without it, and what it finds from here on stays in memory."
        )
        self.folder = None


def _read(piece: Piece) -> Piece:
    """Return a piece with its losses in memory."""
    return replace(piece, crosses={name: tuple(found) for name, found in piece.crosses.items()})
