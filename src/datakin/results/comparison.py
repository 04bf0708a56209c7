"""The result of comparing one target with one source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from datakin.learners.metrics import Metrics
from datakin.learners.stack.records import Trial
from datakin.results.answer import Answer
from datakin.results.comparison_answer import comparison_answer
from datakin.results.explanation import Explanation
from datakin.results.record import Provenance, Record, register
from datakin.results.zones import Zone, ZoneDecision

COLUMNS = (
    *("trained_on", "tested_on", "model", "held_out", "weights_from"),
    *("n_train", "rows", "error", "spread"),
)


@register
@dataclass(frozen=True, eq=False)
class ErrorRecords:
    """The rows of the cross-error table that a comparison was computed from.

    Attributes
    ----------
    records : tuple of dict
        trained_on, tested_on, model, held_out ("none", "k": each fold in turn, "jk": each two folds),
        weights_from, n_train, rows, error, spread (standard deviation of the row losses).
    """

    records: tuple[dict[str, Any], ...]

    @property
    def frame(self) -> pd.DataFrame:
        """The records as a data frame."""
        return pd.DataFrame(list(self.records), columns=None if self.records else COLUMNS)


@register
@dataclass(frozen=True)
class Estimate:
    """A number with its standard error and 95% interval.

    Attributes
    ----------
    value, standard_error, low, high : float
    p_value : float
        Probability of a value at least this large if the truth were 0 (one-sided: a population
        score is never negative).
    """

    value: float
    standard_error: float
    low: float
    high: float
    p_value: float

    def __str__(self) -> str:
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


@register
@dataclass(frozen=True)
class LearningCurve:
    """A dataset's own error against its number of training rows.

    Attributes
    ----------
    dataset : str
    n_rows : int
        All rows of the dataset.
    n_train : tuple of float
        Training rows at the sizes measured.
    errors, standard_errors : tuple of float
        Cross-validated error there; standard errors from the tested rows alone.
    slope : float
        Error = limit + slope / rows. Negative slopes are noise: errors do not grow with rows.
    limit : Estimate
        The error with infinitely many rows, extrapolated.
    """

    dataset: str
    n_rows: int
    n_train: tuple[float, ...]
    errors: tuple[float, ...]
    standard_errors: tuple[float, ...]
    slope: float
    limit: Estimate

    def error_at(self, n_train: float) -> float:
        """Return the error that the line gives for a number of training rows."""
        return self.limit.value + self.slope / n_train

    @property
    def frame(self) -> pd.DataFrame:
        """The measured points, the error with all rows, and the limit."""
        limit, full = self.limit, self.error_at(self.n_rows)
        table = {
            "dataset": self.dataset,
            "n_train": [*self.n_train, float(self.n_rows), np.inf],
            "error": [*self.errors, full, limit.value],
            "standard_error": [*self.standard_errors, np.nan, limit.standard_error],
            "kind": ["measured"] * len(self.n_train) + ["extrapolated"] * 2,
        }
        return pd.DataFrame(table)


def gain_columns(trial: Trial | None) -> dict[str, float]:
    """Return a gain as a share of the target's own loss, its 90% interval and its probability."""
    names = {"gain": "gain", "gain_low": "low", "gain_high": "high", "p_gain": "p_gain"}
    return {column: getattr(trial, name, np.nan) for column, name in names.items()}


@register
@dataclass(frozen=True)
class DataFacts:
    """Plain facts about one dataset of a comparison, for reports.

    Attributes
    ----------
    n_rows : int
        Labelled rows.
    n_columns : int
        Feature columns that were used: those that both datasets have.
    classes : dict of str to float
        Share of the rows in each class; empty for regression.
    missing : float
        Share of the dataset's feature values that are missing.
    left_out : tuple of str
        Columns that the other dataset does not have; at most fifty.
    n_left_out : int
        Number of all such columns.
    """

    n_rows: int
    n_columns: int
    classes: dict[str, float]
    missing: float
    left_out: tuple[str, ...]
    n_left_out: int


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Record):
    """How far a target and a source are kin, and why we think so.

    Attributes
    ----------
    target, source : str
        Names of the datasets.
    score : float
        The Cross-Learning Score: small means kin.
    standard_error : float
    interval : tuple of float
        95% interval of the score.
    source_to_target : float
        Error of the source's predictors on the target minus the target's own error.
    target_to_source : float
        The same with the roles swapped.
    own_errors : dict of str to float
        Cross-validated error of each dataset on itself.
    cross_errors : dict of str to float
        Error of each dataset's predictors on the other dataset.
    directions : dict of str to Estimate
        Both directional discrepancies with intervals.
    sizes : dict of str to Estimate
        The "paper", "matched" and "limit" score, whichever was asked for; no limit if that was
        "paper", which saves most predictions.
    size, estimate : str
        Which of them `score` is, and how models were combined.
    losses : dict of str to str
        The loss that errors on each dataset are measured in.
    standardised : float or None
        Regression: the score with each direction divided by the loss of the best constant.
    model_scores : dict of str to float
        Algorithm 1 for each model.
    model_weights : dict of str to dict of str to float
        Ensemble weights of each dataset.
    zone : Zone
    decision : ZoneDecision
        The zone with its thresholds and a sentence that says why.
    zone_probabilities : dict of str to float
        Probability of each zone if the score were measured again. By a trial: that the source brings
        a gain (positive), costs at most 2% of the loss (harmless), costs more (negative).
    curves : dict of str to LearningCurve
        Each dataset's own error against its number of rows.
    n_rows : dict of str to int
    n_shared_rows : int
        Rows of the target that also stand in the source.
    errors : ErrorRecords
        The cross-error table of the pair.
    notes : tuple of str
        What was dropped, left out or looked odd.
    provenance : Provenance
    facts : dict of str to DataFacts
        Classes, missing values and columns of each dataset; empty in results of earlier versions.
    by_paper : ZoneDecision or None
        The zone by the paper's rule, whatever rule `decision` follows; None for a dataset against
        itself.
    trial : Trial or None
        What the source brought when it was tried with the target, in shares of the target's own
        loss; None where it was not tried.
    loss_alone : float or None
        That loss: Brier for classes, squared error for numbers, of the stack of the target alone.
    error_alone : float or None
        The error of the target alone, as `datakin.choose` states it: the baseline of all results.
    metrics : dict of str to Metrics
        AUC, calibration, accuracy or RMSE, R squared, each a mean over the predictors whose error
        is stated; intervals tell of the tested rows alone. "target" and "source": each dataset's own
        predictors on its held-out rows, as in `own_errors`. "source_to_target" and "target_to_source": the
        predictors of one on the rows of the other, as in `cross_errors`. What follows from these errors is
        exactly what they say. Where predictions were not kept (beyond 512 MB), or averages over models or
        votes were asked for, only what follows from errors or predicted classes is there. Nothing for the
        limit score, whose errors are extrapolated, for a loss of one's own, or where only sums were
        kept. "alone" and "with_source": the stacks of the trial, on the target's held-out rows, with
        learners of their own. Empty in results of earlier versions.
    explanations : tuple of Explanation
        Why the source's predictor fails on the target, where `datakin.explain_sources` was asked.
    """

    target: str
    source: str
    score: float
    standard_error: float
    interval: tuple[float, float]
    source_to_target: float
    target_to_source: float
    own_errors: dict[str, float]
    cross_errors: dict[str, float]
    directions: dict[str, Estimate]
    sizes: dict[str, Estimate]
    size: str
    estimate: str
    losses: dict[str, str]
    standardised: float | None
    model_scores: dict[str, float]
    model_weights: dict[str, dict[str, float]]
    zone: Zone
    decision: ZoneDecision
    zone_probabilities: dict[str, float]
    curves: dict[str, LearningCurve]
    n_rows: dict[str, int]
    n_shared_rows: int
    errors: ErrorRecords
    notes: tuple[str, ...]
    provenance: Provenance
    facts: dict[str, DataFacts] = field(default_factory=dict)
    by_paper: ZoneDecision | None = None
    trial: Trial | None = None
    loss_alone: float | None = None
    error_alone: float | None = None
    metrics: dict[str, Metrics] = field(default_factory=dict)
    explanations: tuple[Explanation, ...] = ()

    @property
    def call(self) -> str:
        """What to make of the source: helps, harmless, unclear or hurts; "not tried" without a trial."""
        return self.zone.call

    @property
    def p_value(self) -> float:
        """p-value for "no difference", from the matched score (the one that is 0 for kin)."""
        return self.sizes["matched"].p_value

    @property
    def learning_curve(self) -> pd.DataFrame:
        """Own error of both datasets against training rows, with the limit."""
        return pd.concat([curve.frame for curve in self.curves.values()], ignore_index=True)

    @property
    def headline(self) -> str:
        """The result in a few words."""
        return f"score {self.score:.4f}, {self.decision.word}"

    @property
    def reason(self) -> str:
        """The sentence that says why the zone is what it is."""
        return self.decision.reason

    @property
    def frame(self) -> pd.DataFrame:
        """One row with the main numbers."""
        return pd.DataFrame([self.row()])

    def row(self) -> dict[str, Any]:
        """Return the main numbers as a mapping: the row of a ranking."""
        row: dict[str, Any] = {
            "target": self.target,
            "source": self.source,
            "score": self.score,
            "low": self.interval[0],
            "high": self.interval[1],
            "zone": self.zone.value,
            "call": self.call,
            "source_to_target": self.source_to_target,
            "target_to_source": self.target_to_source,
            "n_rows": self.n_rows[self.source],
            **gain_columns(self.trial),
        }
        if self.standardised is not None:
            row["standardised"] = self.standardised
        return row

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Comparison({self.target!r} ~ {self.source!r}: score {self.score:.4f} "
            f"[{low:.4f}, {high:.4f}], {self.decision.word})"
        )

    @property
    def task(self) -> str:
        """What the label asks for: "regression" or "classes"."""
        if self.facts:
            return "classes" if any(fact.classes for fact in self.facts.values()) else "regression"
        return "classes" if self.standardised is None else "regression"

    @property
    def answer(self) -> Answer:
        """Whether the source helps, and what is lost in each direction."""
        return comparison_answer(self)
