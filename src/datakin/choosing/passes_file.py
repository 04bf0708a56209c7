"""Finished draws of the folds on disk, so that a stopped choice goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import versions
from datakin.data.features import Array
from datakin.learners.stack.preparation import Prepared

__all__ = ["PassesFolder"]


class PassesFolder:
    """A folder that keeps the held-out predictions of each draw.

    Parameters
    ----------
    folder : path or None
        None keeps nothing.
    options : dict
        Of the choice; with the data, the seed and the versions they make the name of a file.
    prepared : Prepared
    seed : int
    """

    def __init__(self, folder: Any, options: dict[str, Any], prepared: Prepared, seed: int) -> None:
        self.folder = None if folder is None else Path(folder)
        known = {
            "options": options,
            "data": sorted(prepared.fingerprints.items()),
            "target": prepared.target.name,
            "seed": seed,
            "versions": versions(),
        }
        text = json.dumps(known, sort_keys=True, default=str)
        self.key = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
        self.shape = prepared.rows.Y.shape
        if self.folder is not None:
            _make(self.folder)

    def _path(self, repeat: int) -> Path:
        assert self.folder is not None
        return self.folder / f"choose-{self.key}-{repeat}.npy"

    def read(self) -> dict[int, Array]:
        """Return the draws that are there; a damaged file counts as none."""
        found: dict[int, Array] = {}
        while self.folder is not None and self._path(len(found)).is_file():
            try:
                P = np.load(self._path(len(found)), allow_pickle=False)
            except (OSError, ValueError):
                break
            if P.ndim != 3 or P.shape[1:] != self.shape or not np.isfinite(P).all():
                break
            found[len(found)] = P
        return found

    def keep(self, repeat: int, P: Array) -> None:
        """Write a draw, all of it or nothing."""
        if self.folder is None or self._path(repeat).is_file():
            return
        part = self._path(repeat).with_suffix(f".{os.getpid()}.part")
        try:
            with part.open("wb") as file:
                np.save(file, P, allow_pickle=False)
            part.replace(self._path(repeat))
        except OSError as error:
            raise DatakinError(
                f"The checkpoint {str(self.folder)!r} must be a folder that can be written to. "
                f"{error.strerror or error}."
            ) from None


def _make(folder: Path) -> None:
    """Make the folder, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise DatakinError(
            f"The checkpoint must be a folder. Got {str(folder)!r}, which is a file or lies below one; give "
            f"another name."
        ) from None
    except OSError as error:
        raise DatakinError(
            f"The checkpoint {str(folder)!r} must be a folder that can be made: {error.strerror or error}."
        ) from None
