"""The kinds of difference between two datasets: what to say, and the option that would mend it.

A difference is found once for a pair; `flipped` says the same with the roles swapped. Those between the
values of a column are in `value_kinds`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from datakin._core.exceptions import listed
from datakin._core.typed_options import typed
from datakin.data.checks.suspicions import keep_option

__all__ = [
    "KINDS",
    "Difference",
    "NoValueInCommon",
    "OneSided",
    "OtherName",
    "OtherRange",
    "OtherValues",
]

KINDS = (  # worst first
    *("classes", "dates", "units", "kinds", "name", "levels", "codes", "relation", "values"),
    *("range", "columns"),
)


@dataclass(frozen=True)
class Difference:
    """One thing that differs between a target and a source.

    Parameters
    ----------
    column : str
        The column that it is about, as the target calls it.
    target, source : str
        The names of the two.
    """

    column: str
    target: str
    source: str

    kind: ClassVar[str]  # one of `KINDS`

    @property
    def sentence(self) -> str:
        """What differs, in words."""
        raise NotImplementedError

    @property
    def options(self) -> tuple[str, str]:
        """What to type to mend it, in Python and on the command line; empty if there is nothing."""
        return "", ""

    @property
    def advice(self) -> str:
        """The sentence, with the options."""
        python, cli = self.options
        return f"{self.sentence}: {python} / {cli}" if python else self.sentence

    @property
    def leaves_out(self) -> bool:
        """Whether the column is not used because of it."""
        return False

    @property
    def order(self) -> tuple[int, str, str]:
        """Where it comes in a list, worst first."""
        return KINDS.index(self.kind), "", self.column

    def flipped(self) -> Difference:
        """Return the same with the roles of target and source swapped."""
        return replace(self, target=self.source, source=self.target, **self._turned())

    def _turned(self) -> dict[str, Any]:
        """Return what else changes with the roles."""
        return {}


@dataclass(frozen=True)
class OtherName(Difference):
    """One column under two names, perhaps; `theirs` is the source's."""

    theirs: str

    kind: ClassVar[str] = "name"

    @property
    def sentence(self) -> str:
        """Both names."""
        return f"{self.theirs!r} of {self.source!r} may be {self.column!r} of {self.target!r}"

    @property
    def options(self) -> tuple[str, str]:
        """Rename the source's column."""
        return (
            f"rename={{{self.source!r}: {{{self.theirs!r}: {self.column!r}}}}}",
            typed("rename", self.theirs, "=", self.column, table=self.source),
        )

    def _turned(self) -> dict[str, Any]:
        return {"column": self.theirs, "theirs": self.column}


@dataclass(frozen=True)
class NoValueInCommon(Difference):
    """A code of the dataset, such as a site's wards."""

    kind: ClassVar[str] = "codes"

    @property
    def sentence(self) -> str:
        """That it is left out."""
        return (
            f"{self.column!r} has no value in common, like a code of the dataset, and is left out"
        )

    @property
    def options(self) -> tuple[str, str]:
        """Keep it."""
        python, cli = keep_option([self.column]).split(" / ")
        return python, cli

    @property
    def leaves_out(self) -> bool:
        """True."""
        return True


@dataclass(frozen=True)
class OtherRange(Difference):
    """Ranges without a part in common: that of the target and that of the source."""

    ranges: tuple[str, str]

    kind: ClassVar[str] = "range"

    @property
    def sentence(self) -> str:
        """Both ranges."""
        return (
            f"{self.column!r} is {self.ranges[0]} in {self.target!r} and {self.ranges[1]} in "
            f"{self.source!r}: models can only extrapolate"
        )

    def _turned(self) -> dict[str, Any]:
        return {"ranges": self.ranges[::-1]}


@dataclass(frozen=True)
class OtherValues(Difference):
    """Few numbers of which none is in both: those of the target and those of the source."""

    values: tuple[str, str]

    kind: ClassVar[str] = "values"

    @property
    def sentence(self) -> str:
        """Both lists."""
        return (
            f"{self.column!r} has no value in common: {self.values[0]} in {self.target!r}, "
            f"{self.values[1]} in {self.source!r}; if these are codes, leave it out"
        )

    @property
    def options(self) -> tuple[str, str]:
        """Leave it out."""
        return f"ignore=[{self.column!r}]", typed("ignore", self.column)

    def _turned(self) -> dict[str, Any]:
        return {"values": self.values[::-1]}


@dataclass(frozen=True)
class OneSided(Difference):
    """Columns that one of the datasets does not use.

    Parameters
    ----------
    columns : tuple of str
    lacking : str
        "target" or "source".
    why : str
        Why they are left out there; empty if they are absent.
    """

    columns: tuple[str, ...]
    lacking: str
    why: str = ""

    kind: ClassVar[str] = "columns"

    def reason(self, where: str) -> str:
        """Return why they are not used, in a dataset that is called so."""
        return f"left out of {where} ({self.why})" if self.why else f"absent from {where}"

    @property
    def sentence(self) -> str:
        """The columns and the reason."""
        has, lacks = self.target, self.source
        if self.lacking == "target":
            has, lacks = lacks, has
        return f"not used: {listed(self.columns)} of {has!r}, {self.reason(repr(lacks))}"

    @property
    def order(self) -> tuple[int, str, str]:
        """Those that the source lacks come first."""
        return KINDS.index(self.kind), self.lacking.replace("source", ""), self.column

    def _turned(self) -> dict[str, Any]:
        return {"lacking": "source" if self.lacking == "target" else "target"}
