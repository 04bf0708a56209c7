"""The result of trying transfer methods: how much they reduce the error, in one or both directions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isfinite, nan

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, counted
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.data.pairing import Pairing
from datakin.results.answer import Answer, AnswerTable, Bar, Row
from datakin.results.record import Provenance, Record, register
from datakin.results.words import (
    amount,
    error_word,
    named,
    percent,
    percent_interval,
    short,
    signed,
)

NORMAL = 1.645  # half of a 90% interval, in standard errors


@register
@dataclass(frozen=True)
class MethodGain:
    """Realised gain of one transfer method.

    Attributes
    ----------
    target_rer, source_rer, average_rer : float
        Relative error reduction on the target's test rows, on the source's, and their mean. NaN
        if the error without transfer is 0. With several sources, which are not tested on, those of
        the source and the average are NaN, as are their errors and standard errors.
    target_se, source_se, average_se : float
        Standard errors over the splits, corrected for their overlap.
    target_error, source_error : float
        Mean test error with the method.
    """

    target_rer: float
    target_se: float
    source_rer: float
    source_se: float
    average_rer: float
    average_se: float
    target_error: float
    source_error: float


@dataclass(frozen=True, repr=False, eq=False)
class Gain(Record):
    """Realised gain of transfer methods between a target and one or several sources.

    Attributes
    ----------
    target : str
    source : str
        The source's name; of several, all names with commas.
    methods : dict of str to MethodGain
    target_error, source_error : float
        Mean test error of each dataset without transfer. NaN for several sources.
    loss : str
        The loss of the errors on the target.
    repeats : int
        Number of random splits, or of folds.
    notes : tuple of str
    provenance : Provenance
    split : str
        The errors are means over these: "random split" or "fold".
    sources : tuple of str
        Names of the sources if several were learned from at once, and only the target was tested on.
        Empty for one source, which has been the target, too.
    source_loss : str
        The loss of the errors on the source, which differs from `loss` if a class is rare in one dataset
        only. Empty in results of earlier versions, where it was the same.
    """

    target: str
    source: str
    methods: dict[str, MethodGain]
    target_error: float
    source_error: float
    loss: str
    repeats: int
    notes: tuple[str, ...]
    provenance: Provenance
    split: str = "random split"
    sources: tuple[str, ...] = ()
    source_loss: str = ""

    @property
    def sides(self) -> tuple[str, ...]:
        """Which datasets were tested on: "target", and "source" if there is one."""
        return ("target",) if self.sources else ("target", "source")

    @property
    def frame(self) -> pd.DataFrame:
        """One row per method."""
        rows = [
            {"target": self.target, "source": self.source, "method": name, **asdict(found)}
            for name, found in self.methods.items()
        ]
        return pd.DataFrame(rows)

    @property
    def best(self) -> str:
        """The method with the largest average RER; with several sources, the largest on the target."""
        order = self.frame.set_index("method")["target_rer" if self.sources else "average_rer"]
        return str(order.idxmax()) if order.notna().any() else str(order.index[0])

    def __repr__(self) -> str:
        found = self.methods[self.best]
        if self.sources:
            return (
                f"Gain({counted(len(self.sources), 'source')} -> {self.target!r}: best {self.best!r}, "
                f"target RER {found.target_rer:.4f})"
            )
        return (
            f"Gain({self.source!r} -> {self.target!r}: best {self.best!r}, "
            f"target RER {found.target_rer:.4f}, average {found.average_rer:.4f})"
        )

    @property
    def answer(self) -> Answer:
        """Which method lowers the error, and by how much."""
        return _answer(self)


def _answer(gain: Gain) -> Answer:
    known = {name: m.target_rer for name, m in gain.methods.items() if isfinite(m.target_rer)}
    name = max(known, key=known.__getitem__) if known else gain.best  # for the target
    best, target = gain.methods[name], short(gain.target)
    source = f"the {counted(len(gain.sources), 'source')}" if gain.sources else short(gain.source)
    low, high = _ends(best.target_rer, best.target_se)
    tone = "good" if low > 0 else "bad" if high < 0 else "open"
    way = {
        "good": f"{name} lowers",
        "bad": "No method lowers",
        "open": "No method clearly lowers",
    }
    squared = "squared " if gain.loss == "squared" else ""
    return Answer(
        tone=tone,
        headline=f"{way[tone]} the error of {target} with {source}.",
        evidence=tuple(_evidence(gain, name)),
        table=_table(gain),
        legend=(
            f"Change: by how much the {squared}error falls against learning alone (relative error "
            f"reduction); line: 90% interval.",
        ),
        caveats=tuple(_caveats(gain)),
        notes=gain.notes,
    )


def _ends(value: float, error: float) -> tuple[float, float]:
    spread = NORMAL * error if isfinite(error) else nan
    return value - spread, value + spread


def _evidence(gain: Gain, name: str) -> Iterator[str]:
    best, target = gain.methods[name], short(gain.target)
    alone, now = (amount(gain.loss, error) for error in (gain.target_error, best.target_error))
    # The baseline is that of one estimator, not that of `choose`, which has several learners.
    names = re.findall(r"[A-Z]\w+(?=\()", str(gain.provenance.options.get("estimator")))
    by = names[-1 if "Pipeline" in names else 0] if names else "the estimator"
    error = f"{error_word(gain.loss)} {now}, against {alone} with {by} on {target} alone"
    yield f"Best method, {name}: {error}."
    if isfinite(best.target_rer) and isfinite(best.target_se):
        reach = percent_interval(*_ends(best.target_rer, best.target_se))
        way = "fall" if best.target_rer >= 0 else "rise"
        scale = " in squared error" if gain.loss == "squared" else ""
        size = percent(abs(best.target_rer))
        yield f"That is a {way} of {size}%{scale} (90% interval of the fall {reach})."


def _table(gain: Gain) -> AnswerTable:
    columns, rows = ["method", "error", "change", "interval"], []
    if not gain.sources:
        columns += ["back: error", "back: change"]
    for name, found in gain.methods.items():
        changes = [
            signed(rer) if isfinite(rer) else "-" for rer in (found.target_rer, found.source_rer)
        ]
        cells = [name, amount(gain.loss, found.target_error), changes[0], ""]
        back = amount(gain.source_loss or gain.loss, found.source_error), changes[1]
        bar = Bar(found.target_rer, *_ends(found.target_rer, found.target_se))
        rows.append(Row((*cells, *back)[: len(columns)], bar=bar))
    right = tuple(title for title in columns if title not in ("method", "interval"))
    return AnswerTable(tuple(columns), tuple(rows), right, bar_of="90% interval of the change")


def _caveats(gain: Gain) -> Iterator[str]:
    yield f"Means over {counted(gain.repeats, gain.split)}."
    if len(gain.methods) > 1:
        yield f"The best of {len(gain.methods)} methods was picked afterwards, so its gain flatters."
    if gain.sources:
        yield f"Learned from {named(gain.sources, 6)} at once."
    else:
        loss = gain.source_loss or gain.loss
        alone = f"{error_word(loss)} {amount(loss, gain.source_error)}"
        yield f"Back: the roles swapped; {short(gain.source)} alone has {alone}."


def relative_reduction(base: Array, errors: Array, overlap: float = 0.0) -> tuple[float, float]:
    """Return 1 - mean(errors) / mean(base) over splits, and its standard error.

    Parameters
    ----------
    base, errors : ndarray of shape (repeats,)
        Errors without and with transfer on the same splits.
    overlap : float
        Test rows for each training row. Splits of the same rows are not independent; the
        variance is raised accordingly (Nadeau and Bengio, 2003). 0 for independent draws.

    Examples
    --------
    >>> relative_reduction(np.array([0.2, 0.2]), np.array([0.1, 0.1]), 0.0)
    (0.5, 0.0)
    """
    if base.mean() == 0:
        return float("nan"), float("nan")
    ratio = errors.mean() / base.mean()
    if len(base) < 2:
        return float(1 - ratio), float("nan")
    spread = np.var(errors - ratio * base, ddof=1)
    error = np.sqrt(spread * (1 / len(base) + overlap)) / base.mean()
    return float(1 - ratio), float(error)


def method_gain(alone: Array, helped: Array, overlap: float) -> MethodGain:
    """Return the gain for errors of shape (2, repeats), of target and source; or of the target alone."""
    to, to_se = relative_reduction(alone[0], helped[0], overlap)
    back, back_se = nan, nan
    if len(alone) > 1:
        back, back_se = relative_reduction(alone[1], helped[1], overlap)
    return MethodGain(
        target_rer=to,
        target_se=to_se,
        source_rer=back,
        source_se=back_se,
        average_rer=(to + back) / 2,
        average_se=float(np.hypot(to_se, back_se) / 2),
        target_error=float(helped[0].mean()),
        source_error=float(helped[1].mean()) if len(helped) > 1 else nan,
    )


def without_error(alone: Array, datasets: Sequence[Dataset]) -> list[str]:
    """Return a note on each dataset tested on whose errors alone are all 0."""
    return [
        f"{dataset.name!r} learned alone makes no error: RER is not defined there (NaN)"
        for dataset, errors in zip(datasets, alone, strict=False)
        if not errors.any()
    ]


def refuse_identical(common: Pairing, datasets: Sequence[Dataset]) -> None:
    """Refuse two datasets with the same rows."""
    if common.identical:
        raise DatakinError(
            f"{datasets[0].name!r} and {datasets[1].name!r} hold the same rows: "
            f"there is nothing to transfer."
        )
