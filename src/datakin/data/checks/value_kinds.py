"""The kinds of difference between the values of a column: units, kinds, levels and classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from datakin._core.exceptions import listed
from datakin._core.typed_options import typed
from datakin.data.checks.conversions import Units
from datakin.data.checks.difference_kinds import Difference
from datakin.data.checks.spelling import recode_options

__all__ = ["OtherClasses", "OtherKind", "OtherLevels", "OtherUnits", "Relation", "WithDates"]

MOST = 60  # levels that one option recodes
FEW = 3  # levels of a recoding that is an example only


@dataclass(frozen=True)
class OtherUnits(Difference):
    """A quantity that looks like the same in other units.

    Parameters
    ----------
    way : Units
        How the source's numbers become the target's.
    """

    way: Units

    kind: ClassVar[str] = "units"

    @property
    def relation(self) -> str:
        """How the source's numbers come from the target's."""
        back = self.way.back
        plus = f" {'+' if back.intercept > 0 else '-'} {abs(back.intercept):.4g}"
        return (
            f"{self.column!r} in {self.source!r} is about {back.slope:.4g} x that in "
            f"{self.target!r}{plus if abs(back.intercept) > 1e-12 else ''}"
        )

    @property
    def sentence(self) -> str:
        """A question."""
        return f"other units? {self.relation} ({self.way.words})"

    @property
    def options(self) -> tuple[str, str]:
        """Convert the source's column."""
        python, cli = self.way.written
        return _convert(self.source, self.column, f"({', '.join(python)})", ",".join(cli))

    def _turned(self) -> dict[str, Any]:
        return {"way": self.way.back}


@dataclass(frozen=True)
class Relation(OtherUnits):
    """A linear relation that is no known conversion: it may well be another population."""

    kind: ClassVar[str] = "relation"

    @property
    def sentence(self) -> str:
        """A question that leaves it open."""
        return f"other units, or another population? {self.relation}; only if units differ"


@dataclass(frozen=True)
class OtherKind(Difference):
    """Durations or truth values in one dataset, other numbers in the other.

    Parameters
    ----------
    kinds : tuple of str
        Of the target's column and of the source's.
    ranges : tuple of str
        The same for their values.
    """

    kinds: tuple[str, str]
    ranges: tuple[str, str]

    kind: ClassVar[str] = "kinds"

    @property
    def sentence(self) -> str:
        """A question."""
        return f"{self._both}: do both mean the same?"

    @property
    def _both(self) -> str:
        names = self.target, self.source
        ours, theirs = (
            f"{kind}s in {name!r} ({values}{' days' * (kind == 'duration')})"
            for kind, name, values in zip(self.kinds, names, self.ranges, strict=True)
        )
        return f"{self.column!r} holds {ours} and {theirs}"

    def _turned(self) -> dict[str, Any]:
        return {"kinds": self.kinds[::-1], "ranges": self.ranges[::-1]}


@dataclass(frozen=True)
class WithDates(OtherKind):
    """Dates in one dataset, other numbers in the other: they cannot be compared.

    Parameters
    ----------
    are_dates : bool
        Whether the numbers look like dates, such as 20240131.
    """

    are_dates: bool = False

    kind: ClassVar[str] = "dates"

    @property
    def sentence(self) -> str:
        """What each dataset has."""
        return self._both

    @property
    def options(self) -> tuple[str, str]:
        """Read the numbers as dates."""
        if not self.are_dates:
            return "", ""
        table = self.target if self.kinds[0] == "number" else self.source
        return _convert(table, self.column, "'%Y%m%d'", "%Y%m%d")


@dataclass(frozen=True)
class OtherLevels(Difference):
    """Values of a column that mean the same and are written differently.

    Parameters
    ----------
    there, here : mapping of str to str
        What recodes the source's values into the target's, and the target's into the source's; one of
        them may be empty.
    alone : tuple of tuple of str
        The values of the target, and those of the source, for which the other has none.
    has_none : bool
        Whether no value is in common, so that the column is not used as it is.
    """

    there: Mapping[str, str]
    here: Mapping[str, str]
    alone: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    has_none: bool = False

    kind: ClassVar[str] = "levels"

    @property
    def sentence(self) -> str:
        """The values, with nothing done."""
        out = "; as they are, the column is left out" if self.has_none else ""
        return f"levels of {self.column!r} look coded differently: {self._both}{out}{self._asked}"

    @property
    def _both(self) -> str:
        ours = dict.fromkeys(self.here or self.there.values())
        theirs = dict.fromkeys(self.there or self.here.values())
        return f"{listed(ours)} in {self.target!r}, {listed(theirs)} in {self.source!r}"

    @property
    def options(self) -> tuple[str, str]:
        """Recode the source, or the target where only that is possible; empty if it is not sure how."""
        return ("", "") if self.unsure else self._recoding(self._values)

    @property
    def _values(self) -> Mapping[str, str]:
        return self.there or self.here

    @property
    def unsure(self) -> str:
        """What must be known before values can be recoded, with all that may be typed."""
        values = self._values
        either = values.keys() & set(values.values())
        if len(values) == 2 and len(either) == 1:  # 1 and 2 become 0 and 1: is a 1 a 1?
            (one,) = either
            new = values[one]
            other = {old: new for old in values if old != one}
            ways = [" / ".join(self._recoding(way)) for way in (values, other)]
            where = self.target if self.there else self.source
            return (
                f"{one!r} may mean either: if it is {new!r} of {where!r}, say {ways[0]}; if it is "
                f"{one!r} of {where!r}, say {ways[1]}"
            )
        alone = self.alone[1 if self.there else 0]
        some = " / ".join(self._recoding(dict(list(values.items())[:FEW])))
        if len(values) > MOST:
            return f"{len(values)} need another spelling, for example {some}"
        if not alone:
            return ""
        return f"none is like {listed(alone, limit=3)}, so that all need a look: for example {some}"

    @property
    def _asked(self) -> str:
        return f"; {self.unsure}" if self.unsure else ""

    def _recoding(self, values: Mapping[str, str]) -> tuple[str, str]:
        table = self.source if self.there else self.target
        return recode_options(table, self.column, values)

    @property
    def leaves_out(self) -> bool:
        """Whether no value is in common."""
        return self.has_none

    def _turned(self) -> dict[str, Any]:
        return {"there": self.here, "here": self.there, "alone": self.alone[::-1]}


@dataclass(frozen=True)
class OtherClasses(OtherLevels):
    """Classes that mean the same and are written differently: they cannot be compared."""

    kind: ClassVar[str] = "classes"

    @property
    def sentence(self) -> str:
        """The classes."""
        return f"the classes look coded differently: {self._both}{self._asked}"


def _convert(table: str, column: str, python: str, cli: str) -> tuple[str, str]:
    return (
        f"convert={{{table!r}: {{{column!r}: {python}}}}}",
        typed("convert", column, f"={cli}", table=table),
    )
