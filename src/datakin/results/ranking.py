"""The result of ranking sources for one target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from datakin._core.exceptions import listed
from datakin.results.comparison import Comparison
from datakin.results.distance import Distance
from datakin.results.forecast import Forecast
from datakin.results.record import Record
from datakin.results.text import table

__all__ = ["Ranking"]

SURE = 0.95  # from this probability on a first place is not called luck


@dataclass(frozen=True, repr=False, eq=False)
class Ranking(Record):
    """Sources of one target, best first.

    Best is the source whose predictor loses least on the target (`source_to_target`): on real data
    that orders sources by what they bring better than the symmetric score does, half of which is how
    the target's predictor fares on the source (see results/decisions.md).

    Attributes
    ----------
    target : str
    comparisons : tuple of Comparison, or of Distance
        Sorted by source_to_target; distances by score.
    first : dict of str to float
        Probability of each source to be the best, given the uncertainty of what they lose on the
        target; empty for distances, which have none.
    forecast : Forecast or None
        The gain of pooling all sources at once, plainly and with the best joint weights; None for
        distances.
    n_fits : int
        Fits the ranking cost.
    complete : bool
        False when the run was interrupted and sources are missing.
    """

    target: str
    comparisons: tuple[Comparison | Distance, ...]
    first: dict[str, float]
    n_fits: int
    complete: bool = True
    forecast: Forecast | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """One row per source, best first."""
        frame = pd.DataFrame([c.row() for c in self.comparisons]).drop(columns="target")
        if self.forecast is not None:
            frame["weight"] = [self.forecast.weights.get(c.source, 1.0) for c in self.comparisons]
        if self.first:
            frame["p_first"] = [self.first[c.source] for c in self.comparisons]
        return frame

    @property
    def learning_curve(self) -> pd.DataFrame:
        """The target's own error against training rows, with the limit."""
        curves = [
            c.curves[self.target]
            for c in self.comparisons
            if isinstance(c, Comparison) and self.target in c.curves
        ]
        return curves[0].frame if curves else pd.DataFrame()

    @property
    def caution(self) -> str:
        """What several comparisons mean for the first place, in words."""
        if not self.first:
            what = "features and labels" if self.best.method == "OTDD" else "features"
            return f"A distance tells how far {what} lie apart; it has no zones and no interval."
        if len(self) == 1:
            return "One source was compared; its interval stands for itself."
        leader = max(self.first, key=lambda name: self.first[name])
        sure = "more than 0.99" if self.first[leader] > 0.99 else f"{self.first[leader]:.2f}"
        luck = ", so the first place is partly luck" if self.first[leader] < SURE else ""
        return (
            f"{len(self)} sources were compared{luck}: {leader!r} is the best with probability {sure}. "
            f"Intervals are for one source each."
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
            if isinstance(c, Comparison) and c.gain and c.outlook and c.outlook.trial
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
        """The headline of the table."""
        mark = "" if self.complete else " (interrupted: not all sources)"
        order = "least loss on it first" if self.first else f"nearest by {self.best.method} first"
        return f"Sources for {self.target!r}, {order}{mark}"

    @property
    def best(self) -> Any:
        """The first comparison."""
        return self.comparisons[0]

    def __getitem__(self, source: str) -> Any:
        for comparison in self.comparisons:
            if comparison.source == source:
                return comparison
        raise KeyError(
            f"no source {source!r}; the sources are {listed((c.source for c in self), 20)}"
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __repr__(self) -> str:
        return (
            f"Ranking(target {self.target!r}, {len(self)} source(s); best {self.best.source!r}: "
            f"{self.best.headline})"
        )

    def __str__(self) -> str:
        # The interval of the gain is in .frame: on a page it would push the rest out of sight.
        frame = self.frame.drop(columns=["gain_low", "gain_high"], errors="ignore")
        return f"{self.title}\n{table(frame)}\n{self.closing}"
