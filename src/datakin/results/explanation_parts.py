"""What an explanation is made of: steps and parts of the ladder, columns, regions, mends, rows to keep."""

from __future__ import annotations

from dataclasses import dataclass

from datakin.results.record import register

APART = 0.95  # AUC from which two tables hardly overlap
LACKING = 0.8  # share of missing values from which a table hardly has a column
MOVED = 0.55  # AUC from which features are said to lie elsewhere
SEEN = 0.4  # of what predictions are off that must be seen in the labels themselves


def seen_in_labels(observed: float, expected: float, in_source: float) -> bool:
    """Return whether the labels of two tables differ as much as the source's predictor is off.

    By the mean of the label, or the share of a class: in the target, as expected there, in the source.
    """
    off = observed - expected
    return not off or not (observed - in_source) / off < SEEN


@register
@dataclass(frozen=True)
class LadderStep:
    """One step from the source's predictor to the target's own.

    Attributes
    ----------
    name : str
        "source", "mended" (only where something in the tables is mended first), "base rate" ("level" for
        numbers), "confidence" ("scale"), "rule" or "own": what the predictor has got new up to here.
    loss : float
        Mean loss on held-out rows of the target.
    error : float
        The same in the user's unit: the share of wrong classes, or the root mean squared error.
    """

    name: str
    loss: float
    error: float


@register
@dataclass(frozen=True)
class LossPart:
    """By how much the loss falls from one step to the next.

    Attributes
    ----------
    name : str
        "coding" (how values are written, where that is mended first), "base rate" ("level" for numbers),
        "confidence" ("scale"), "rule", or "rest": what only the target's own predictor mends.
    value, low, high : float
        In units of the loss, with a 90% interval.
    chance : float
        Probability of so clear a difference if the two tables had the same rule; corrected for the
        number of parts. NaN for the rest.
    flagged : bool
        Whether it is named as a reason.
    """

    name: str
    value: float
    low: float
    high: float
    chance: float
    flagged: bool


@register
@dataclass(frozen=True)
class ColumnShift:
    """How one column differs between the two tables, whatever the label.

    Attributes
    ----------
    column : str
    kind : {"number", "category"}
    difference : float
        Numbers: difference of the means, here minus there, in standard deviations. Categories: half the
        sum of the differences of the shares of the levels, 0 to 1.
    low, high : float
        90% interval; NaN for categories.
    level : str
        Categories: the level whose share differs most.
    here, there : float
        Numbers: the means. Categories: the shares of that level.
    missing_here, missing_there : float
        Shares of the rows without a value.
    """

    column: str
    kind: str
    difference: float
    low: float
    high: float
    level: str
    here: float
    there: float
    missing_here: float = 0.0
    missing_there: float = 0.0


@register
@dataclass(frozen=True)
class FeatureShift:
    """Where the features of the two tables lie.

    Attributes
    ----------
    auc, low, high : float
        How well a classifier tells rows of the two tables apart, with a 90% interval; 0.5 is not at all.
    outside : float
        Share of the target's rows that lie farther from the source's rows than 99% of these do from each
        other. About 0.01 where nothing moved.
    columns : tuple of ColumnShift
        What surely moved most comes first.
    mended, mended_low, mended_high : float
        By how much the parts that are named shrink when the rows of the source are weighted to lie where the
        target's do; with a 90% interval. NaN where it was not tried.
    rows_left : float
        Rows of equal weight that the weighted source counts like. NaN where it was not tried.
    explains : {"", "outside", "weighting"}
        Whether features explain the excess: next to nothing of it is left on the rows inside the source, or
        with the weighted source. No part is named then.
    """

    auc: float
    low: float
    high: float
    outside: float
    columns: tuple[ColumnShift, ...]
    mended: float
    mended_low: float
    mended_high: float
    rows_left: float
    explains: str = ""

    @property
    def has_moved(self) -> bool:
        """Whether the tables can be told apart by their features, and not just barely."""
        return self.low > 0.5 and self.auc >= MOVED


@register
@dataclass(frozen=True)
class EffectPair:
    """The effect of a column, or of a level, in both tables.

    Attributes
    ----------
    name : str
    here, here_low, here_high : float
        Of one standard deviation in the target, on the logit or on the number, with a 90% interval; from
        the penalised linear learner on the target, or from trees where these explain (partial dependence).
    there, there_low, there_high : float
        The same from the source.
    """

    name: str
    here: float
    here_low: float
    here_high: float
    there: float
    there_low: float
    there_high: float


@register
@dataclass(frozen=True)
class ColumnEffect:
    """What a new effect for one column brings.

    Attributes
    ----------
    column : str
    gain, low, high : float
        By how much the loss falls on held-out rows beyond a new base rate, with a 90% interval.
    chance : float
        Probability of so clear a difference, beside all other columns, if the effect were the same;
        corrected for the number of columns.
    flagged : bool
        Whether the column is named.
    effects : tuple of EffectPair
        Of the column, or of its levels; empty for several classes.
    """

    column: str
    gain: float
    low: float
    high: float
    chance: float
    flagged: bool
    effects: tuple[EffectPair, ...]


@register
@dataclass(frozen=True)
class Region:
    """Rows of the target, and how much of the excess loss lies there.

    Attributes
    ----------
    conditions : tuple of str
        Such as "age > 70"; all of them hold.
    rows : float
        Share of the target's rows.
    share : float
        Share of the excess of the loss of the source's predictor over that of the target's own.
    excess, low, high : float
        Mean excess of these rows, with a 90% interval.
    flagged : bool
        Whether the excess is larger there than elsewhere.
    """

    conditions: tuple[str, ...]
    rows: float
    share: float
    excess: float
    low: float
    high: float
    flagged: bool


@register
@dataclass(frozen=True)
class Mend:
    """Something in the tables that may be the cause, what would mend it, and what that brings.

    Attributes
    ----------
    cause : str
        How values are written: "units", "codes" (levels recoded or swapped), "blanks" (missing values coded
        as a value), "leak" (a column that gives the label away in one table), "lacking" (a column that one
        table hardly has), "classes" (swapped), "names" (a column under another name). Of the ladder:
        "base rate", "level", "scale", "column" (the effect of one column). Only reported: "range" (a column
        covers a part of its range), "copies" (rows that stand there several times).
    table : str
        The table that is to be mended; empty for both. Of a column that is lacking, the one that lacks it;
        the column is left out of both.
    columns : tuple of str
        What it is about; the label's name for classes; empty for rows.
    seen : str
        What was seen, in one sentence.
    python, typed : str
        The option that mends it, in Python and on the command line; empty if there is none.
    before, after : float
        Loss of the source's predictor minus that of the target's own, as it is and once mended. NaN where it
        was not tried.
    low, high : float
        90% interval of the fall from before to after.
    part : str
        The part of the ladder that it belongs to: "coding", "base rate", "level", "scale", "rule"; empty
        if it is only reported.
    flagged : bool
        Whether it is named as a cause.
    alone : float
        Loss of the target's own predictor once mended. NaN where it was not tried.
    """

    cause: str
    table: str
    columns: tuple[str, ...]
    seen: str
    python: str
    typed: str
    before: float
    after: float
    low: float
    high: float
    part: str
    flagged: bool
    alone: float = float("nan")

    @property
    def is_of_both(self) -> bool:
        """Whether both tables are mended: a column is left out."""
        return not self.table or self.cause == "lacking"

    @property
    def fall(self) -> float:
        """By how much the excess falls once it is mended."""
        return self.before - self.after


@register
@dataclass(frozen=True)
class KeptRows:
    """The rows of the source that are worth keeping, tried by pooling only them with the target.

    Attributes
    ----------
    dropped : tuple of tuple of str
        Regions of the source that are left out, each by conditions that all hold, such as "age > 70".
    share : float
        Share of the source's rows that is kept.
    alone, everything, kept : float
        Loss on held-out rows of the target: of the target alone, pooled with all rows of the source, pooled
        with those kept.
    low, high : float
        90% interval of alone minus kept.
    low_all, high_all : float
        90% interval of everything minus kept.
    """

    dropped: tuple[tuple[str, ...], ...]
    share: float
    alone: float
    everything: float
    kept: float
    low: float
    high: float
    low_all: float
    high_all: float

    @property
    def helps(self) -> bool:
        """Whether pooling what is kept surely beats the target alone."""
        return self.low > 0
