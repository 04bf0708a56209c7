"""Errors of finished folds on disk, so that an interrupted run goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import versions
from datakin.cross_errors.files import Folder, write_parts

__all__ = ["FoldErrors"]


class FoldErrors:
    """Errors of finished folds, one small file each, in the format of all checkpoints.

    Parameters
    ----------
    folder : path or None
        None keeps nothing.
    """

    def __init__(self, folder: Any) -> None:
        self.folder = None
        if folder is not None:
            about = {"options": {"method": "fine_tune_gain"}, "versions": versions()}
            self.folder = Folder(folder, {**about, "identity": {}, "datasets": {}})

    def resumes(self, some: bool) -> str:
        """Return what to say of an interrupted run: a promise where some of it was kept."""
        kept = some and self.folder is not None
        return " The same call goes on from its checkpoints." if kept else ""

    def get(self, key: Sequence[Any], compute: Callable[[], float]) -> float:
        """Return the error kept under a key, computed now if there is none."""
        if self.folder is None:
            return compute()
        place = self.folder.place("fold", list(key))
        try:
            file = self.folder.found(place)
            if file is not None:
                return float(file.part(0))
        except (ValueError, TypeError):
            pass  # damaged: computed again
        error = compute()
        try:
            write_parts(place, [("error", error)])
        except OSError as failure:
            raise DatakinError(
                f"A checkpoint could not be written to {self.folder.path} ({failure.strerror}). Make "
                f"room there or choose another folder (checkpoint)."
            ) from None
        return error
