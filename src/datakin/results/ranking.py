"""The result of ranking sources for one target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.results.comparison import Comparison
from datakin.results.forecast import Forecast
from datakin.results.record import Record, table

__all__ = ["Ordered", "Ranking"]

SURE = 0.95  # from this probability on a first place is not called luck


class Pair(Protocol):
    """What one source of a ranking needs to have."""

    @property
    def source(self) -> str:
        """The source's name."""

    @property
    def headline(self) -> str:
        """The result in a few words."""

    def row(self) -> dict[str, Any]:
        """Return the main numbers."""


Found = TypeVar("Found", bound=Pair)


class Ordered(Record, Generic[Found]):
    """What rankings by score and rankings by distance share: an ordered collection of sources.

    Attributes
    ----------
    target : str
    comparisons : tuple
        One per source, best first.
    """

    target: str
    comparisons: tuple[Found, ...]

    @property
    def frame(self) -> pd.DataFrame:
        """One row per source, best first."""
        return pd.DataFrame([c.row() for c in self.comparisons]).drop(columns="target")

    @property
    def title(self) -> str:
        """The line above the table."""
        raise NotImplementedError

    @property
    def closing(self) -> str:
        """What stands below the table."""
        raise NotImplementedError

    @property
    def best(self) -> Found:
        """The first comparison."""
        return self.comparisons[0]

    def __getitem__(self, source: str) -> Found:
        for comparison in self.comparisons:
            if comparison.source == source:
                return comparison
        raise KeyError(
            f"no source {source!r}; the sources are {listed((c.source for c in self), 20)}"
        )

    def __iter__(self) -> Iterator[Found]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(target {self.target!r}, {len(self)} source(s); "
            f"best {self.best.source!r}: {self.best.headline})"
        )

    def __str__(self) -> str:
        return f"{self.title}\n{table(self._shown)}\n{self.closing}"

    @property
    def _shown(self) -> pd.DataFrame:
        """The frame as it is printed."""
        return self.frame


@dataclass(frozen=True, repr=False, eq=False)
class Ranking(Ordered[Comparison]):
    """Sources of one target, best first.

    Best is the source whose predictor loses least on the target (`source_to_target`): on real data
    that orders sources by what they bring better than the symmetric score does, half of which is how
    the target's predictor fares on the source (see results/decisions.md).

    Attributes
    ----------
    target : str
    comparisons : tuple of Comparison
        Sorted by source_to_target.
    first : dict of str to float
        Probability of each source to be the best, given the uncertainty of what they lose on the
        target.
    forecast : Forecast or None
        The gain of pooling all sources at once, plainly and with the best joint weights; None where
        no source has a forecast.
    n_fits : int
        Fits the ranking cost.
    complete : bool
        False when the run was interrupted and sources are missing.
    """

    target: str
    comparisons: tuple[Comparison, ...]
    first: dict[str, float]
    n_fits: int
    complete: bool = True
    forecast: Forecast | None = None

    def __post_init__(self) -> None:
        if not self.first:  # how earlier versions wrote rankings by distance
            raise DatakinError(
                "A Ranking holds the probability of each source to be the best. This one has none: "
                "rankings by distance that earlier versions wrote must be computed again, with "
                "datakin.distances.rank."
            )

    @property
    def frame(self) -> pd.DataFrame:
        """One row per source, best first."""
        frame = super().frame
        if self.forecast is not None:
            frame["weight"] = [self.forecast.weights.get(c.source, 1.0) for c in self]
        frame["p_first"] = [self.first[c.source] for c in self]
        return frame

    @property
    def learning_curve(self) -> pd.DataFrame:
        """The target's own error against training rows, with the limit."""
        curves = [c.curves[self.target] for c in self if self.target in c.curves]
        return curves[0].frame if curves else pd.DataFrame()

    @property
    def caution(self) -> str:
        """What several comparisons mean for the first place, in words."""
        if len(self) == 1:
            return "One source was compared; its interval stands for itself."
        first = self.comparisons[0].source
        likely = max(self.first, key=lambda name: self.first[name])
        sure = "more than 0.99" if self.first[first] > 0.99 else f"{self.first[first]:.2f}"
        luck = ", so the first place is partly luck" if self.first[first] < SURE else ""
        # Sources stand by their loss; one whose loss is less certain may be the best more often.
        other = ""
        if self.first[likely] > self.first[first]:
            other = f", {likely!r} with {self.first[likely]:.2f}"
        return (
            f"{len(self)} sources were compared{luck}: {first!r} is the best with probability "
            f"{sure}{other}. Intervals are for one source each."
        )

    @property
    def closing(self) -> str:
        """What stands below the table: the caution, and what pooling should bring."""
        if self.forecast is None:
            return self.caution
        return "\n".join([self.caution, self.forecast.sentence + self._tried_alone])

    @property
    def _tried_alone(self) -> str:
        """What the best single source brought in its trial, where that is more than all together."""
        assert self.forecast is not None
        if len(self) == 1:
            return ""
        tried = {
            c.source: c.gain
            for c in self
            if c.gain is not None and c.outlook is not None and c.outlook.trial
        }
        most = max(self.forecast.pooled.value, self.forecast.best.value, 0.0)
        name = max(tried, key=lambda source: tried[source].value, default="")
        if len(tried) < 2 or tried[name].value <= most:
            return ""
        return (
            f" When they were tried one by one, {name!r} cut the error most, by "
            f"{self.forecast.in_words(tried[name])} (the best of {len(tried)}, so this flatters); what "
            f"several bring together is inferred."
        )

    @property
    def title(self) -> str:
        """The line above the table."""
        mark = "" if self.complete else " (interrupted: not all sources)"
        return f"Sources for {self.target!r}, least loss on it first{mark}"

    @property
    def _shown(self) -> pd.DataFrame:
        """The frame without the interval of the gain, which would push the rest out of sight."""
        return self.frame.drop(columns=["gain_low", "gain_high"], errors="ignore")
