"""The result of explaining: why what is learned on one dataset does not hold on another."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

import pandas as pd

from datakin.results import explanation_parts
from datakin.results.answer import Answer
from datakin.results.explanation_answer import explanation_answer
from datakin.results.record import Provenance, Record

COLUMNS = ["target", "source", "part", "value", "low", "high", "percent", "chance", "flagged"]
SMALL = 0.5  # of the largest part: a mend that brings less is not the first cause


@dataclass(frozen=True, repr=False, eq=False)
class Explanation(Record):
    """Why what is learned on a source does not hold on a target.

    Attributes
    ----------
    target, source : str
    task : {"binary", "multiclass", "regression"}
    loss : {"log", "brier", "squared"}
        What is measured, on held-out rows of the target.
    learner : str
    n_target, n_source : int
        Rows that were used.
    steps : tuple of LadderStep
        From the source's predictor to the target's own. Empty for two copies of the same rows.
    parts : tuple of LossPart
        Differences of neighbouring steps; they add up to the excess.
    excess, low, high : float
        Loss of the source's predictor minus that of the target's own, with a 90% interval.
    observed, expected : float
        Share of the class `positive` in the target, and what the source's predictor expects. Numbers: the
        mean of the label, and what is expected.
    in_source : float
        The same share, or mean, among the rows of the source.
    slope : float
        What logits (or numbers) of the source's predictor should be multiplied by. NaN for several
        classes.
    positive : str
        Two classes: the second one. Several: the one whose share is most off.
    shift : FeatureShift or None
    columns : tuple of ColumnEffect
        The largest gain first; empty where there is nothing to explain.
    regions : tuple of Region
        The largest share of the excess first; empty where there is nothing to explain.
    mends : tuple of Mend
        What in the tables may be the cause and what would mend it, the largest fall first; then what is
        only reported.
    kept : KeptRows or None
        The rows of the source that are worth keeping; None where there is no such part.
    notes : tuple of str
    provenance : Provenance
    error_alone : float
        The error of the target alone, as `datakin.choose` states it: the baseline of all results. NaN for
        copies, and in results of earlier versions.
    error_loss : str
        What that is stated in.
    """

    target: str
    source: str
    task: str
    loss: str
    learner: str
    n_target: int
    n_source: int
    steps: tuple[explanation_parts.LadderStep, ...]
    parts: tuple[explanation_parts.LossPart, ...]
    excess: float
    low: float
    high: float
    observed: float
    expected: float
    in_source: float
    slope: float
    positive: str
    shift: explanation_parts.FeatureShift | None
    columns: tuple[explanation_parts.ColumnEffect, ...]
    regions: tuple[explanation_parts.Region, ...]
    mends: tuple[explanation_parts.Mend, ...]
    kept: explanation_parts.KeptRows | None
    notes: tuple[str, ...]
    provenance: Provenance
    error_alone: float = nan
    error_loss: str = ""

    @property
    def is_copy(self) -> bool:
        """Whether both datasets hold the same rows."""
        return not self.steps

    @property
    def is_of_labels(self) -> bool:
        """Whether the labels of the two tables differ as predictions do: their shares, or their means.

        Else features, or effects of columns, make the source expect too few or too many.
        """
        return explanation_parts.seen_in_labels(self.observed, self.expected, self.in_source)

    @property
    def loss_alone(self) -> float:
        """Loss of the target's own predictor in this explanation, on held-out rows; NaN for copies."""
        return self.steps[-1].loss if self.steps else nan

    @property
    def causes(self) -> tuple[str, ...]:
        """Names of the causes, the first one first.

        What was mended in the tables comes first (last if it hardly matters), then "features" if these
        explain the rest, or the parts that are reasons, the largest first. Confidence (or scale) comes after
        the rule and the rest where they are named, too: a predictor with
        other effects is too extreme for that reason alone.
        """
        parts = [part for part in self.parts if part.flagged and part.name != "coding"]
        named = {part.name: part.value for part in parts}
        deeper = [named[name] for name in ("rule", "rest") if name in named]

        def order(name: str) -> tuple[float, bool]:
            shadow = name in ("confidence", "scale")
            return -min([named[name], *deeper] if shadow else [named[name]]), shadow

        largest = max(named.values(), default=0.0)
        coding = [mend for mend in self.mends if mend.flagged]
        # What is plain to see in a column is named even if it hardly matters; it does not come first then.
        first, last = (
            [mend.cause for mend in coding if (mend.fall < SMALL * largest) == is_small]
            for is_small in (False, True)
        )
        features = ["features"] if self.shift is not None and self.shift.explains else []
        return tuple(dict.fromkeys([*first, *features, *sorted(named, key=order), *last]))

    @property
    def frame(self) -> pd.DataFrame:
        """One row per part of the excess."""
        base = self.loss_alone if 0 < self.loss_alone < inf else nan
        pair = (self.target, self.source)
        rows = [
            (*pair, p.name, p.value, p.low, p.high, 100 * p.value / base, p.chance, p.flagged)
            for p in self.parts
        ]
        return pd.DataFrame(rows, columns=COLUMNS)

    def __repr__(self) -> str:
        pair = f"{self.source!r} -> {self.target!r}"
        if self.is_copy:
            return f"Explanation({pair}: the same rows)"
        why = ", ".join(self.causes) or "nothing named"
        return f"Explanation({pair}: {self.loss} loss {self.excess:+.4f}; {why})"

    @property
    def headline(self) -> str:
        """Why the source's predictor fails, in one sentence."""
        return self.answer.headline

    @property
    def answer(self) -> Answer:
        """Why the source's predictor fails, in words."""
        return explanation_answer(self)
