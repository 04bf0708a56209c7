"""How a table is read: the options of its readers, and the file it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral
from threading import Lock
from typing import Any

from datakin._core.checks import check_number
from datakin._core.exceptions import DatakinError, DatakinWarning
from datakin._core.warned import unheard
from datakin.data.columns.roles import check_label
from datakin.data.columns.texts import clean
from datakin.data.dataset import TASKS, Dataset

READ_ROWS = 200_000  # a file with more rows is sampled

_last_split: dict[str, dict[str, Dataset]] = {}  # the table split last: its other values may follow
_splitting = Lock()  # held while a table is split, so that no other thread reads it, too


@dataclass(frozen=True)
class Origin:
    """How a table is read, and from which file.

    A dataset that comes from a file keeps it, to be read again in another process or on another
    machine.

    Parameters
    ----------
    label, ignore, group, domain, positive, task, label_map, delimiter, read_rows, keep, rename, \
    recode, convert, encoding, header, table, query, weight
        The options of `read_table` and `read_tables`.
    path : str or None
        Absolute path of the file, folder or glob; None for what is no file, such as a database on a
        server, whose address may hold a password.
    value : str or None
        The value of the domain column that names the dataset.
    """

    label: str = "label"
    ignore: Sequence[str] = ()
    group: str | None = None
    domain: str | None = None
    positive: Any = None
    task: str = "auto"
    label_map: Mapping[Any, Any] | None = None
    delimiter: str | None = None
    read_rows: int | None = None
    keep: Sequence[str] = ()
    rename: Mapping[str, Any] | None = None
    recode: Mapping[str, Any] | None = None
    convert: Mapping[str, Any] | None = None
    encoding: str | None = None
    header: bool = True
    table: str | None = None
    query: str | None = None
    weight: str | None = None
    path: str | None = None
    value: str | None = None

    def __post_init__(self) -> None:
        self._clean_names()
        if self.task not in ("auto", *TASKS):
            raise DatakinError(
                f"task must be 'auto', 'binary', 'multiclass' or 'regression'. Got {self.task!r}."
            )
        if self.label_map is not None and not isinstance(self.label_map, Mapping):
            raise DatakinError(
                f"label_map must be a mapping of old label to new label. Got {self.label_map!r}."
            )
        if self.task == "regression" and self._names_classes:
            raise DatakinError("label_map and positive are for classes. Got task='regression'.")
        rows: Any = self.read_rows
        if rows is not None:
            what = "a whole number above 0, or None for all rows"
            check_number("read_rows", rows, what, lambda n: isinstance(rows, Integral) and n >= 1)

    def _clean_names(self) -> None:
        """Spell columns as tables do, in composed letters and without outer spaces."""
        check_label(self.label)
        object.__setattr__(self, "label", str(self.label))
        for role in ("label", "group", "domain", "weight"):
            name = getattr(self, role)
            object.__setattr__(self, role, clean(name) if isinstance(name, str) else name)
        for role in ("ignore", "keep"):
            names: Any = getattr(self, role)
            names = [names] if isinstance(names, str) else names or ()
            object.__setattr__(self, role, tuple(clean(str(name)) for name in names))

    @classmethod
    def options(cls) -> list[str]:
        """Return the names of the options of `read_tables` that it holds."""
        return [each.name for each in fields(cls) if each.name not in ("path", "value")]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Origin:
        """Return the options among the arguments of a reader."""
        return cls(**{name: given[name] for name in cls.options() if name in given})

    @property
    def _names_classes(self) -> bool:
        return self.label_map is not None or self.positive is not None

    @property
    def kind(self) -> str | None:
        """One of "classification" and "regression", None when the labels have to tell."""
        if self.task == "regression":
            return "regression"
        return "classification" if self.task != "auto" or self._names_classes else None

    @property
    def unread(self) -> frozenset[str]:
        """Columns that need not even be read."""
        # Ignored columns go by their new names: one that is renamed has to be read.
        renamed = {
            str(name)
            for key, new in (self.rename or {}).items()
            for name in (new if isinstance(new, Mapping) else [key])
        }
        return frozenset(self.ignore) - {self.label, *self.beside} - renamed

    @property
    def roles(self) -> dict[str, str]:
        """The columns with a part to play, by their parts."""
        parts = ("label", "group", "domain", "weight")
        return {part: getattr(self, part) for part in parts if getattr(self, part) is not None}

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns with a part to play, beside features and the label."""
        return tuple(name for part, name in self.roles.items() if part != "label")

    def read(self, name: str, fingerprint: str) -> Dataset:
        """Read the dataset again under a name; raise if it is not there or its fingerprint has changed."""
        try:
            with unheard(DatakinWarning):  # shown at the first reading
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
        from datakin.data.door import read_table, read_tables  # which need options first

        options = {name: getattr(self, name) for name in self.options()}
        if self.value is None:
            del options["domain"]
            return read_table(self.path, **options)
        key = repr(replace(self, value=None))
        with _splitting:
            if key not in _last_split:
                _last_split.clear()
                _last_split[key] = read_tables(self.path, **options)
            return _last_split[key][self.value]
