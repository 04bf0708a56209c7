"""How a dataset that came from a file can be read again, on another machine or in another process."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from datakin._core.exceptions import DatakinError, DatakinWarning
from datakin.data.dataset import Dataset

__all__ = ["Origin"]

_last: dict[str, dict[str, Dataset]] = {}  # the table split last, for its other values


@dataclass(frozen=True)
class Origin:
    """Where a dataset was read from.

    Parameters
    ----------
    path : str
        Absolute path of the file or folder.
    options : dict
        Arguments of `read_table`, or of `read_tables` where `value` is given.
    value : str or None
        The value of the domain column that names the dataset.
    """

    path: str
    options: dict[str, Any]
    value: str | None = None

    def read(self, name: str, fingerprint: str) -> Dataset:
        """Read the dataset again; raise if it is not there or has changed.

        Parameters
        ----------
        name : str
            How to call it.
        fingerprint : str
            Of the dataset as it was read before.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DatakinWarning)  # told when it was read first
                dataset = self._read().renamed(name)
            if dataset.fingerprint == fingerprint:
                return dataset
            reason = "the content differs"
        except (DatakinError, KeyError) as error:
            reason = str(error)
        raise DatakinError(
            f"The file {self.path!r} of {name!r} must be on every worker, as it was read here "
            f"({reason}). Put it where all see it under this path, or pass a table in memory."
        )

    def _read(self) -> Dataset:
        from datakin.data.intake import read_table, read_tables

        if self.value is None:
            return read_table(self.path, **self.options)
        key = repr((self.path, self.options))
        if key not in _last:
            _last.clear()
            _last[key] = read_tables(self.path, **self.options)
        return _last[key][self.value]
