"""The result of ranking sources for one target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.learners.stack.records import Trial
from datakin.results.answer import Answer
from datakin.results.comparison import Comparison, gain_columns
from datakin.results.explanation import Explanation
from datakin.results.ranking_answer import ranking_answer
from datakin.results.record import Record, register

SCREENED = "screened out"  # stands where a zone would


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


@register
@dataclass(frozen=True)
class Screened:
    """A source that a quick pass left out of the full work.

    Attributes
    ----------
    source : str
    n_rows : int
    source_to_target : float
        What its predictors lose on the target, by the quick pass.
    standard_error : float
        From the target's rows alone.
    trial : Trial or None
        What the source brought when it was tried with the target.
    """

    source: str
    n_rows: int
    source_to_target: float
    standard_error: float
    trial: Trial | None = None

    def row(self) -> dict[str, Any]:
        """Return what is known, for the row of a ranking."""
        return {
            "source": self.source,
            "zone": SCREENED,
            "call": SCREENED,
            "source_to_target": self.source_to_target,
            "n_rows": self.n_rows,
            **gain_columns(self.trial),
            "p_first": np.nan,
        }


@register
@dataclass(frozen=True)
class Screening:
    """What a quick pass over the sources of a ranking brought.

    Attributes
    ----------
    note : str
        What was done, in a sentence or two.
    left_out : tuple of Screened
        Best first.
    """

    note: str
    left_out: tuple[Screened, ...] = ()


@dataclass(frozen=True, repr=False, eq=False)
class Ranking(Ordered[Comparison]):
    """Sources of one target, best first.

    Where sources were tried, the order is that of the gain to expect; those that hurt stand last, copies of
    the target first. Where none was tried, and with the paper's zones, it is that of `source_to_target`.

    Attributes
    ----------
    target : str
    comparisons : tuple of Comparison
        Best first.
    first : dict of str to float
        Probability of each source to lose least on the target, given the uncertainty of
        `source_to_target`.
    n_fits : int
        Fits the ranking cost.
    complete : bool
        False when the run was interrupted and sources are missing.
    screening : Screening or None
        With ``screen=True``: which sources a quick pass left out of the full work, and a note that
        says how. They have rows in `frame`, below the others, and no Comparison.
    groups : dict of str to int
        The group of each source: 1, 1, 2, ... The data do not support the order within a group.
        Approximate and cautious; empty in results of earlier versions.
    explanations : tuple of Explanation
        Why sources hurt, where `datakin.explain_sources` was asked.
    """

    target: str
    comparisons: tuple[Comparison, ...]
    first: dict[str, float]
    n_fits: int
    complete: bool = True
    screening: Screening | None = None
    groups: dict[str, int] = field(default_factory=dict)
    explanations: tuple[Explanation, ...] = ()

    def __post_init__(self) -> None:
        if not self.first:  # how earlier versions wrote rankings by distance
            raise DatakinError(
                "A Ranking holds the probability of each source to be the best. This one has none: "
                "rankings by distance that earlier versions wrote must be computed again, with "
                "datakin.distances.rank."
            )

    @property
    def frame(self) -> pd.DataFrame:
        """One row per source, best first; below them those that were screened out."""
        frame = super().frame
        if self.groups:
            frame["group"] = [self.groups[c.source] for c in self]
        frame["p_first"] = [self.first[c.source] for c in self]
        if self.screening is None:
            return frame
        # From rows: pandas frowns on joined frames of which one has empty columns.
        rows = frame.assign(screened=False).to_dict("records")
        return pd.DataFrame([*rows, *({**s.row(), "screened": True} for s in self.screened)])

    @property
    def screened(self) -> tuple[Screened, ...]:
        """The sources that a quick pass left out of the full work, best first."""
        return () if self.screening is None else self.screening.left_out

    def __getitem__(self, source: str) -> Comparison:
        if any(each.source == source for each in self.screened):
            raise KeyError(
                f"{source!r} was screened out: it has a row in .frame and no comparison. "
                f"datakin.score, or rank without screen, compares it in full"
            )
        return super().__getitem__(source)

    @property
    def learning_curve(self) -> pd.DataFrame:
        """The target's own error against training rows, with the limit."""
        curves = [c.curves[self.target] for c in self if self.target in c.curves]
        return curves[0].frame if curves else pd.DataFrame()

    @property
    def is_tried(self) -> bool:
        """Whether sources were tried: trials then decide calls and order."""
        return any(c.trial is not None for c in self)

    @property
    def loss_alone(self) -> float | None:
        """What the target loses alone in a stack: the baseline of all gains. None without trials."""
        return next((c.loss_alone for c in self if c.loss_alone is not None), None)

    @property
    def error_alone(self) -> float | None:
        """The error of the target alone, as `datakin.choose` states it. None without trials."""
        return next((c.error_alone for c in self if c.error_alone is not None), None)

    @property
    def task(self) -> str:
        """What the label asks for: "regression" or "classes"."""
        return self.comparisons[0].task

    @property
    def answer(self) -> Answer:
        """Which sources to use, which to leave out, and how sure their order is."""
        return ranking_answer(self)
