"""The result of choosing: which sources to use, what error to expect, and how sure that is."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

import pandas as pd

from datakin._core.exceptions import DatakinError, counted, listed
from datakin.learners.metrics import Metrics
from datakin.results.answer import Answer
from datakin.results.choice_answer import choice_answer, choice_headline
from datakin.results.explanation import Explanation
from datakin.results.record import Provenance, Record, register
from datakin.results.words import CALLS, amount, error_word, interval_amount

FEW = 50  # rows that an error is not held against what was expected on
SHOWN = ("source", "call", "gain", "low", "high", "p_gain", "share", "worth_rows")


@register
@dataclass(frozen=True)
class SourceChoice:
    """What one source does for the target.

    Attributes
    ----------
    source : str
    call : {"helps", "harmless", "unclear", "hurts"}
        What a stack of the target and this source alone does. "hurts": pooling its rows with the
        target's would do harm, and the choice does not use it.
    gain, low, high : float
        By how much the loss (Brier loss for classes, squared error for numbers) falls with this source
        alone, as a share of the target's own; with its 90% interval.
    p_gain : float
        Probability that it falls.
    share : float
        Its share of the choice's prediction; 0 if it is not used.
    worth_rows : float or None
        How many rows of the target would bring as much, from the target's learning curve; None where
        that curve does not tell.
    n_rows : int
        Rows of the source that could be used.
    pooled, pooled_low, pooled_high : float
        The gain of one pool of target and source, with its 90% interval.
    tried : float
        The gain on the target's held-out rows, before it is read together with what trials brought
        elsewhere.
    """

    source: str
    call: str
    gain: float
    low: float
    high: float
    p_gain: float
    share: float
    worth_rows: float | None
    n_rows: int
    pooled: float
    pooled_low: float
    pooled_high: float
    tried: float = float("nan")

    def __post_init__(self) -> None:
        if self.call not in CALLS:
            raise DatakinError(f"A call must be one of {listed(CALLS)}. Got {self.call!r:.60}.")


@register
@dataclass(frozen=True)
class Stability:
    """How much the answer depends on chance.

    Attributes
    ----------
    repeats : int
        Draws of the folds.
    settled : bool
        Whether the last draws agreed on the sources to use.
    folds : float
        Share of the single draws of the folds that lead to the same sources.
    error_low, error_high : float
        Least and largest error stated by a single draw.
    sample : float
        Share of reweighted targets (Bayesian bootstrap: no row is copied) that lead to the same sources.
    used_by_folds, used_by_sample : dict of str to float
        How often each source is used.
    """

    repeats: int
    settled: bool
    folds: float
    error_low: float
    error_high: float
    sample: float
    used_by_folds: dict[str, float]
    used_by_sample: dict[str, float]


@register
@dataclass(frozen=True)
class CurvePoint:
    """The error of the target alone at some number of its rows.

    Attributes
    ----------
    n_rows : int
        Rows learned from.
    error : float
        In the loss of the choice.
    loss : float
        Brier loss or squared error.
    """

    n_rows: int
    error: float
    loss: float


@dataclass(frozen=True, repr=False, eq=False)
class Choice(Record):
    """Which sources to use for a target, and the error to expect.

    Attributes
    ----------
    target : str
    label, task : str
    n_rows : int
        Rows of the target that were learned from.
    used : tuple of str
        Sources that the model uses, by name.
    choices : tuple of SourceChoice
        One per source that could be tried, by share and then by gain.
    loss : str
        Of the errors: "zero_one", "balanced", "squared", ...
    error : float
        The error to expect of the model on new rows of the target's kind. Each row was predicted by
        fits that never saw it, with sources and weights chosen from the other folds.
    interval : tuple of float
        Its 90% interval.
    error_alone : float
        The same learners, stacked, on the target alone.
    error_all : float or None
        The same learners on the target and all sources in one pool; None where nothing was pooled.
    gain, gain_interval, p_gain : float, tuple of float, float
        By how much the Brier loss or squared error should fall against the target alone, as a share of
        it: what was tried, read together with what such choices brought elsewhere.
    tried : float
        By how much it falls on the target's held-out rows.
    loss_alone : float
        That loss of the target alone.
    stability : Stability
    curve : tuple of CurvePoint
    learners : tuple of str
    unusable : dict of str to str
        Sources that could not be used, and why.
    notes : tuple of str
    provenance : Provenance
    metrics : dict of str to Metrics
        AUC, calibration, accuracy or RMSE, R squared, of "alone", "best_single", "all" and "choice":
        what `error_alone`, `error_best`, `error_all` and `error` are computed from. Means over the draws
        of the folds; what follows from an error is exactly what it says. Without "best_single" where
        there is no source, without "all" where nothing was pooled; empty in results of earlier versions.
    error_best : float or None
        The same learners on the target and the best single source, mixed and not pooled. For every fold
        the best is picked by the loss on the other folds, so that the pick does not flatter. None
        without sources.
    best_source : str
        The source that was picked most often; "" without sources.
    explanations : tuple of Explanation
        Why sources hurt, where `datakin.explain_sources` was asked.
    """

    target: str
    label: str
    task: str
    n_rows: int
    used: tuple[str, ...]
    choices: tuple[SourceChoice, ...]
    loss: str
    error: float
    interval: tuple[float, float]
    error_alone: float
    error_all: float | None
    gain: float
    gain_interval: tuple[float, float]
    p_gain: float
    tried: float
    loss_alone: float
    stability: Stability
    curve: tuple[CurvePoint, ...]
    learners: tuple[str, ...]
    unusable: dict[str, str]
    notes: tuple[str, ...]
    provenance: Provenance
    metrics: dict[str, Metrics] = field(default_factory=dict)
    error_best: float | None = None
    best_source: str = ""
    explanations: tuple[Explanation, ...] = ()

    @property
    def sources(self) -> pd.DataFrame:
        """One row per source: its call, gain with interval and probability, share, worth in rows."""
        return self.frame[list(SHOWN)]

    @property
    def frame(self) -> pd.DataFrame:
        """One row per source, with all columns."""
        names = [each.name for each in fields(SourceChoice)]
        return pd.DataFrame([vars(each) for each in self.choices], columns=names)

    @property
    def model(self) -> Any:
        """The fitted model: it predicts from raw tables."""
        if "_model" not in self.__dict__:
            raise DatakinError(
                "This choice holds no model: it was read from JSON, or is a look at cross errors. "
                "datakin.choose(target, sources) fits the model; choice.save('kin.datakin') keeps it, and "
                "datakin.load_model('kin.datakin') reads it."
            )
        return self.__dict__["_model"]

    def with_model(self, model: Any) -> Choice:
        """Return this choice with its fitted model, which JSON does not hold."""
        made = copy(self)
        made.__dict__["_model"] = model
        return made

    def save(self, path: Any) -> None:
        """Write the model to a file, for `datakin.load_model` and ``datakin predict``."""
        self.model.save(path)

    def error_on(self, dataset: Any) -> float:
        """Return the model's error on fresh labelled rows: a Dataset, a table with the label, or (X, y)."""
        return float(self.model.error_on(dataset))

    def metrics_on(self, dataset: Any) -> Metrics:
        """Return the model's metrics on fresh labelled rows, given as to `error_on`."""
        found: Metrics = self.model.metrics_on(dataset)
        return found

    def tested_on(self, dataset: Any) -> str:
        """Say in a sentence whether the error on fresh labelled rows is the one that was expected."""
        found, n = self.error_on(dataset), self.metrics_on(dataset).rows
        said = f"On {counted(n, 'fresh row')} the {error_word(self.loss)} is {amount(self.loss, found)}"
        expected = interval_amount(self.loss, *self.interval)
        is_within = self.interval[0] <= found <= self.interval[1]
        if n < FEW and not is_within:
            return f"{said}; expected is {expected}, and so few rows do not tell."
        return f"{said}, {'within' if is_within else 'outside'} the expected {expected}."

    def __getitem__(self, source: str) -> SourceChoice:
        for each in self.choices:
            if each.source == source:
                return each
        raise KeyError(
            f"no source {source!r}; the sources are {listed((c.source for c in self.choices), 20)}"
        )

    @property
    def answer(self) -> Answer:
        """What to do, how good and how sure that is, why, and what to know."""
        return choice_answer(self)

    @property
    def headline(self) -> str:
        """What to do, in one sentence."""
        return choice_headline(self)

    @property
    def evidence(self) -> tuple[str, ...]:
        """The sentences behind the headline."""
        return self.answer.evidence

    def __repr__(self) -> str:
        return f"Choice({self.target!r}: {self.headline} error {self.error:.4f})"
