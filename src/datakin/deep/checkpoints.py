"""What finished work leaves on disk, so that an interrupted run goes on: plain arrays and numbers."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.files import written_whole
from datakin.errors import Errors

__all__ = ["Checkpoints", "FoldErrors", "digest_of"]


def digest_of(facts: Any) -> str:
    """Return a name for plain values: everything that decides the numbers of a file."""
    return hashlib.blake2b(json.dumps(facts).encode(), digest_size=12).hexdigest()


class _Folder:
    """A folder of small files; no folder, no files.

    Parameters
    ----------
    folder : path or None
    """

    kept = ""  # what to say of earlier files when one cannot be written

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

    def resumes(self, some: bool) -> str:
        """Return what to say of an interrupted run: a promise where some of it was kept."""
        kept = some and self.folder is not None
        return " The same call goes on from its checkpoints." if kept else ""

    @contextmanager
    def _writing(self, path: Path) -> Iterator[Path]:
        try:
            with written_whole(path) as partial:
                yield partial
        except OSError as error:
            raise DatakinError(
                f"A checkpoint could not be written to {self.folder} ({error.strerror}). Make room there "
                f"or choose another folder (checkpoint){self.kept}."
            ) from None


class FoldErrors(_Folder):
    """Errors of finished folds, one small JSON file each."""

    def get(self, key: Sequence[Any], compute: Callable[[], float]) -> float:
        """Return the error kept under a key, computed now if there is none."""
        if self.folder is None:
            return compute()
        path = self.folder / f"{digest_of(list(key))}.json"
        try:
            return float(json.loads(path.read_text(encoding="utf-8"))["error"])
        except (OSError, ValueError, KeyError, TypeError):
            error = compute()
        with self._writing(path) as partial:
            partial.write_text(json.dumps({"key": list(key), "error": error}), encoding="utf-8")
        return error


class Checkpoints(_Folder):
    """Errors of finished repeats, one file per pair and repeat."""

    kept = "; the repeats finished before are kept"

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
        """Keep errors under a key."""
        if self.folder is None:
            return
        arrays: dict[str, Any] = {"heads": np.array(json.dumps([_head(part) for part in parts]))}
        for i, part in enumerate(parts):
            arrays[f"{i}/weights"] = part.weights
            for size in ("fold", "inner"):
                arrays[f"{i}/rows/{size}"] = part.rows[size]
            arrays[f"{i}/means"] = part.means["fold"]
        with self._writing(self.folder / f"{key}.npz") as partial:
            np.savez_compressed(partial, **arrays)


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
