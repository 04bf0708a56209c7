"""What pooling a source (or several) is expected to bring, in the user's units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from datakin.results.answer import Answer
from datakin.results.gain_answer import forecast_answer
from datakin.results.record import Provenance, Record, register
from datakin.results.zones import Zone, ZoneDecision

__all__ = ["ExpectedGain", "Forecast", "Outlook"]


@register
@dataclass(frozen=True)
class Outlook:
    """The three measured numbers a forecast is made from, with their uncertainty.

    Attributes
    ----------
    error : float
        The target's own error at its size, e_t(n_t).
    lack : float
        What it still lacks: e_t(n_t) - e_t(infinity), from its learning curve. May come out
        negative, which is noise.
    behind : float
        How far the source's predictor is behind the target's own: e_st(n_s) - e_t(n_t).
    covariance : tuple
        Of (lack, behind): two variances and the covariance.
    n_target, n_source : int
        Training rows of both.
    freedom : int
        Degrees of freedom of the variances.
    learner : str
        The model whose errors these are.
    """

    error: float
    lack: float
    behind: float
    covariance: tuple[float, float, float]
    n_target: int
    n_source: int
    freedom: int
    learner: str = ""


@register
@dataclass(frozen=True)
class ExpectedGain:
    """An expected gain with standard error, 90% and 95% intervals, and P(gain > 0).

    Attributes
    ----------
    value, standard_error : float
        Error of the target alone minus error of the pool: positive is good.
    low, high : float
        95% interval.
    low90, high90 : float
        90% interval, the one zones are decided by.
    probability : float
        Of a gain above 0.
    """

    value: float
    standard_error: float
    low: float
    high: float
    low90: float
    high90: float
    probability: float


@dataclass(frozen=True, repr=False, eq=False)
class Forecast(Record):
    """What training on target and source together is expected to bring for the target.

    Attributes
    ----------
    target : str
    sources : tuple of str
    error : float
        Expected error of the target alone, at its full size.
    pooled : ExpectedGain
        Gain of plain pooling: every row counts the same (w = 1).
    best : ExpectedGain
        Gain with the rows of the sources weighted by `weights`, corrected for the optimism of
        having chosen the weights on the same data.
    relative : float
        Gain of plain pooling in units of `error`: the expected relative error reduction (RER).
    best_relative : float
        The same for `best`.
    kinship : float
        The share the sources should have in the pooled predictor, from 0 to 1.
    weights : dict of str to float
        What a row of each source should count beside a row of the target, from 0 to 1.
    zone : Zone
    decision : ZoneDecision
        The zone from the 90% interval of plain pooling, and why.
    curve : pandas.DataFrame
        Expected gain against the share of the source, with its 95% interval (one source only).
    provenance : Provenance
    learner : str
        The model that the forecast is about.
    """

    target: str
    sources: tuple[str, ...]
    error: float
    pooled: ExpectedGain
    best: ExpectedGain
    kinship: float
    weights: dict[str, float]
    decision: ZoneDecision
    shares: tuple[float, ...]
    gains: tuple[tuple[float, float, float], ...]
    unit: str
    provenance: Provenance
    learner: str = ""

    @property
    def gain(self) -> float:
        """Expected gain of plain pooling."""
        return self.pooled.value

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of the gain of plain pooling."""
        return (self.pooled.low, self.pooled.high)

    @property
    def probability(self) -> float:
        """Probability that plain pooling brings a gain."""
        return self.pooled.probability

    @property
    def relative(self) -> float:
        """Gain of plain pooling relative to the target's own error; NaN if that is 0."""
        return self.pooled.value / self.error if self.error > 0 else float("nan")

    @property
    def best_relative(self) -> float:
        """Gain with the best weights relative to the target's own error; NaN if that is 0."""
        return self.best.value / self.error if self.error > 0 else float("nan")

    @property
    def zone(self) -> Zone:
        """The zone of plain pooling."""
        return self.decision.zone

    @property
    def weight(self) -> float:
        """The row weight of the only source."""
        if len(self.weights) != 1:
            raise AttributeError("there are several sources: see .weights")
        return next(iter(self.weights.values()))

    @property
    def curve(self) -> pd.DataFrame:
        """Expected gain against the share of the source."""
        frame = pd.DataFrame(self.gains, columns=["gain", "low", "high"])
        frame.insert(0, "share", np.array(self.shares))
        return frame

    @property
    def frame(self) -> pd.DataFrame:
        """Two rows: plain pooling, and the best weights."""
        rows = []
        for how, gain in (("pooled", self.pooled), ("weighted", self.best)):
            rows.append(
                {
                    "target": self.target,
                    "sources": ", ".join(self.sources),
                    "how": how,
                    "error": self.error,
                    "gain": gain.value,
                    "low": gain.low,
                    "high": gain.high,
                    "relative": gain.value / self.error if self.error > 0 else np.nan,
                    "probability": gain.probability,
                }
            )
        return pd.DataFrame(rows)

    @property
    def sentence(self) -> str:
        """The forecast in words."""
        names = [repr(name) for name in self.sources]
        what = f"all {len(names)} sources" if len(names) > 3 else _in_a_row(names)
        if len(names) == 1:
            weights = f"with its rows weighted {self.weight:.2f}"
        else:
            weights = "with the best weights"
        error = f"{100 * self.error:.1f}%" if self._in_points else f"{self.error:.4g}"
        error += (
            f" with {self.learner} regression" if self.learner in ("logistic", "linear") else ""
        )
        plain = (
            f"By the gain formula, pooling {what} should {self._change(self.pooled)} the error of "
            f"{self.target!r} ({error}) "
            f"by {self.in_words(self.pooled)} (probability of a gain {self.probability:.2f})"
        )
        if self.best.value <= self.pooled.value:
            return f"{plain}."
        if self.best.value < 1e-3 * self.error:
            if self.pooled.value >= 0:
                return f"{plain}."
            return f"{plain}; weighting the rows does not promise a gain either."
        return f"{plain}; {weights} it should cut it by {self.in_words(self.best)}."

    @property
    def _in_points(self) -> bool:
        return self.unit == "share of rows"

    def _change(self, gain: ExpectedGain) -> str:
        return "cut" if gain.value >= 0 else "raise"

    def in_words(self, gain: ExpectedGain) -> str:
        """Return the size of a gain in the unit of the errors."""
        size = abs(gain.value)
        if not self._in_points:
            return f"{size:.4g}"
        return f"{100 * size:.{1 if size >= 0.001 else 2}f} points"

    def __repr__(self) -> str:
        return (
            f"Forecast({self.target!r} with {', '.join(map(repr, self.sources))}: gain {self.gain:.4f} "
            f"[{self.pooled.low:.4f}, {self.pooled.high:.4f}], {self.zone.value})"
        )

    @property
    def answer(self) -> Answer:
        """What pooling is expected to bring, by the formula."""
        return forecast_answer(self)


def _in_a_row(names: Sequence[str]) -> str:
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), names[-1]])
