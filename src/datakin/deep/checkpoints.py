"""What a finished repeat leaves on disk, so that an interrupted run goes on: plain arrays."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.errors import Errors

__all__ = ["Checkpoints"]


class Checkpoints:
    """A folder with one file per pair and repeat; no folder, no files.

    Parameters
    ----------
    folder : path or None
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise DatakinError(
                    f"Checkpoints must go to a folder that can be written. {self.folder} cannot "
                    f"({error.strerror})."
                ) from None

    def read(self, key: str) -> list[Errors] | None:
        """Return the errors kept under a key; None when there are none, or the file is torn."""
        if self.folder is None:
            return None
        try:
            # Opened here: numpy leaves the file open when it is torn.
            with (
                (self.folder / f"{key}.npz").open("rb") as opened,
                np.load(opened, allow_pickle=False) as file,
            ):
                heads = json.loads(str(file["heads"]))
                return [_unpack(head, i, file) for i, head in enumerate(heads)]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def write(self, key: str, parts: Sequence[Errors]) -> None:
        """Keep errors under a key; a file is either whole or not there."""
        if self.folder is None:
            return
        arrays: dict[str, Any] = {"heads": np.array(json.dumps([_head(part) for part in parts]))}
        for i, part in enumerate(parts):
            arrays[f"{i}/weights"] = part.weights
            for size in ("fold", "inner"):
                arrays[f"{i}/rows/{size}"] = part.rows[size]
            arrays[f"{i}/means"] = part.means["fold"]
        draft = self.folder / f"{key}.{os.getpid()}.tmp"
        try:
            with draft.open("wb") as file:
                np.savez_compressed(file, **arrays)
            draft.replace(self.folder / f"{key}.npz")
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise DatakinError(
                f"A checkpoint could not be written to {self.folder} ({error.strerror}). Make room there "
                f"or choose another folder (checkpoint); the repeats finished before are kept."
            ) from None


def _head(part: Errors) -> dict[str, object]:
    return {
        "trained_on": part.trained_on,
        "tested_on": part.tested_on,
        "models": list(part.models),
        "n_train": dict(part.n_train),
        "least": part.least,
    }


def _unpack(head: dict[str, object], i: int, file: np.lib.npyio.NpzFile) -> Errors:
    rows = {size: file[f"{i}/rows/{size}"] for size in ("fold", "inner")}
    rows["full"] = rows["fold"]
    means = file[f"{i}/means"]
    return Errors(
        str(head["trained_on"]),
        str(head["tested_on"]),
        tuple(head["models"]),  # type: ignore[arg-type]
        rows,
        {"fold": means, "inner": means},
        file[f"{i}/weights"],
        head["n_train"],  # type: ignore[arg-type]
        float(head["least"]),  # type: ignore[arg-type]
    )
