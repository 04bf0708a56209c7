"""What choices, rankings and comparisons show alike: gains and calls, units of losses, measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, sqrt
from typing import Any

from datakin.learners.metrics import Metrics
from datakin.learners.stack.records import Trial
from datakin.report.sections import column, forest, interval, section, shortened
from datakin.results import Choice, Comparison, SourceChoice
from datakin.results.answer import Bar, axis_of
from datakin.results.metrics_table import MEASURES as TITLES
from datakin.results.metrics_table import measure_interval, measure_text
from datakin.results.words import IN_POINTS, amount, error_word

POOLED = [
    column("pooled", "if pooled, %", digits=0, signed=True),
    interval("pooled_low", "pooled_high", "90% interval, pooled, %", 0, signed=True),
]
IF_POOLED = (
    "If pooled: the gain of one pool, every row counting the same, by the linear learner alone."
)
ENDS = ("shown", "shown_low", "shown_high")
FARTHEST = 1.0  # times the reach of the others: how much of a pool that does harm is drawn
MEASURES = {
    **TITLES,
    "auc": "AUC (0.5 is guessing, 1 is best)",
    "calibration_slope": "calibration slope (1 is right)",
    "calibration_intercept": "calibration intercept (0 is right)",
    "rmse": "RMSE",
    "r2": "R² (1 is best)",
}
FEW = ("auc", "calibration_slope", "r2")  # shown of a source in the side sheet


@dataclass(frozen=True)
class Unit:
    """How errors of one loss are shown: percent of rows, or the root of a squared error beside it."""

    loss: str  # "zero_one", "balanced", "squared", "brier", ...

    @property
    def has_root(self) -> bool:
        """Whether the root of an error has the unit of the label."""
        return self.loss == "squared"

    @property
    def digits(self) -> int:
        """Decimals of an error in a table."""
        return 1 if self.loss in IN_POINTS else 4

    def named(self, label: str) -> str:
        """Return the name of an error with its unit."""
        return f"{label}, %" if self.loss in IN_POINTS else label

    def columns(self, key: str, label: str) -> list[dict[str, Any]]:
        """Return the columns of an error: the root of a squared one, and the square beside it."""
        if not self.has_root:
            return [column(key, self.named(label), digits=self.digits)]
        root = column(f"{key}_root", f"{label}, RMSE", digits=3)
        return [root, column(key, f"{label}, squared")]

    def values(self, key: str, error: float | None) -> dict[str, float | None]:
        """Return what those columns hold."""
        if error is None or not isfinite(error):
            return {key: None}
        if not self.has_root:
            return {key: 100 * error if self.loss in IN_POINTS else error}
        return {key: error, f"{key}_root": sqrt(error) if error >= 0 else None}

    def drawn(self, key: str) -> str:
        """Return which of them is drawn."""
        return f"{key}_root" if self.has_root else key

    def text(self, error: float) -> str:
        """Return an error as every other place writes it."""
        return amount(self.loss, error)


def unit_of_gain(task: str) -> Unit:
    """Return the unit of the loss that gains are shares of."""
    return Unit("squared" if task == "regression" else "brier")


def meaning_of(gain: float, alone: float, unit: Unit) -> list[str]:
    """Return what a gain means for the loss of the target alone, as a fact of the side sheet."""
    before, after = unit.text(alone), unit.text(max(0.0, alone * (1 - gain)))
    what = f"{error_word(unit.loss)} {before} alone, {after} to expect with it"
    return ["What that means", what]


def effect_columns(loss: str, unit: Unit) -> list[dict[str, Any]]:
    """Return the columns of a gain, and of what it means for the loss."""
    name = "RMSE" if unit.has_root else unit.named(loss)
    digits = 3 if unit.has_root else unit.digits
    ends, both = (unit.drawn("loss_alone"), unit.drawn("loss_with")), "alone, and to expect with it"
    return [
        column("gain", "gain, %", digits=1, signed=True),
        interval("low", "high", "90% interval, %", 1, signed=True),
        column("p_gain", "probability of a gain, %", digits=1),
        interval(*ends, f"{name} {both}", digits, between="→"),
    ]


def effect_row(
    gain: float, ends: tuple[float, float], p_gain: float, alone: float | None, unit: Unit
) -> dict[str, Any]:
    """Return a gain, which is a share of the loss `alone`, as numbers of a table and a picture."""
    row: dict[str, Any] = {"gain": 100 * gain, "low": 100 * ends[0], "high": 100 * ends[1]}
    row |= dict(zip(ENDS, row.values(), strict=True))
    # Just below the 90% that is asked for, it must not look like them.
    row["p_gain"] = floor(1000 * p_gain) / 10 if 0.895 <= p_gain < 0.9 else 100 * p_gain
    if alone is not None and isfinite(alone) and isfinite(gain):
        row |= unit.values("loss_alone", alone)
        row |= unit.values("loss_with", max(0.0, alone * (1 - gain)))
    return row


def pooled_row(found: Trial | SourceChoice, call: str) -> dict[str, Any]:
    """Return what pooling does. It is drawn where it decides the call."""
    names = ("pooled", "pooled_low", "pooled_high")
    row: dict[str, Any] = {name: 100 * getattr(found, name) for name in names}
    if call == "hurts":
        row |= {**dict(zip(ENDS, row.values(), strict=True)), "mark": "*"}
    return row


def effect_chart(
    name: str, loss: str, target: str, rows: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """Return the forest plot of gains: colour, shape and words say the call."""
    axis = (
        f"gain: by how much the {loss} falls, in % of what it is with {shortened(target)} alone. Right of 0 "
        f"is better. Lines: 90% intervals."
    )
    found = list(rows)
    chart = forest(name, "shown", axis, tag={"digits": 1, "unit": "%"})
    chart |= {"low": "shown_low", "high": "shown_high", "explained": True, "reach": _reach(found)}
    if any("mark" in row for row in found):
        chart["mark_label"] = "* gain of one pool of all rows, which decides this call"
    return chart


def effect_section(
    target: str,
    loss: tuple[str, Unit],
    rows: list[dict[str, Any]],
    text: str,
    shares: Sequence[dict[str, Any]] = (),
    more: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return the section of what each source brings; `shares` and `more` are further columns."""
    columns = [
        column("source", "source", "name"),
        column("call", "call", "zone"),
        *effect_columns(*loss),
        *shares,
        *POOLED,
        *more,
        column("n_rows", "rows", digits=0),
    ]
    chart, title = effect_chart("source", loss[0], target, rows), "What each source brings"
    return section("gains", title, f"{text} {IF_POOLED}", columns, rows, chart, short="Gains")


def _reach(rows: list[dict[str, Any]]) -> list[float]:
    """Return the ends of the axis. A pool that does much harm does not make dots of all others."""
    axis = axis_of([Bar(*(row[end] / 100 for end in ENDS)) for row in rows if "mark" not in row])
    room = FARTHEST * max(-axis.low, axis.high)
    pools = [end for row in rows if "mark" in row for end in (row["shown_low"], row["shown_high"])]
    return [min([100 * axis.low, *(max(end, -100 * room) for end in pools)]), 100 * axis.high]


def choice_measures(choice: Choice) -> list[dict[str, Any]]:
    """Return the section of a choice; none in results of earlier versions."""
    names = {
        "alone": f"{shortened(choice.target)} alone",
        "best_single": "best single source",
        "all": "everything pooled",
        "choice": "the choice",
    }
    text = (
        f"The same predictions of held-out rows of {shortened(choice.target)}, measured otherwise."
    )
    return _section(text, choice.metrics, names)


def trial_measures(c: Comparison) -> list[dict[str, Any]]:
    """Return the section of the target alone and with the source."""
    target = shortened(c.target)
    names = {"alone": f"{target} alone", "with_source": f"with {shortened(c.source)}"}
    text = f"Predictions of held-out rows of {target}, from the trial of the source."
    return _section(text, c.metrics, names)


def both_ways(c: Comparison) -> list[dict[str, Any]]:
    """Return the section of the predictors of each dataset on itself and on the other."""
    target, source = shortened(c.target), shortened(c.source)
    names = {
        "target": f"{target} on itself",
        "source_to_target": f"{source} on {target}",
        "source": f"{source} on itself",
        "target_to_source": f"{target} on {source}",
    }
    text = (
        "The predictors that the score is made from. They are other learners than those of the trial; "
        "intervals tell of the tested rows alone."
    )
    heads = {"title": "Both directions in other measures", "short": "Both directions"}
    return [{**each, "id": "measures-both", **heads} for each in _section(text, c.metrics, names)]


def measure_facts(c: Comparison) -> list[list[str]]:
    """Return what the side sheet shows: the target alone, and with the source."""
    if not {"alone", "with_source"} <= set(c.metrics):
        return []
    alone, together = c.metrics["alone"], c.metrics["with_source"]
    return [
        [
            MEASURES[name].split(" (")[0],
            f"{measure_text(name, alone.get(name))} alone, {measure_text(name, together.get(name))} with it",
        ]
        for name in FEW
        if name in alone.values and name in together.values
    ]


def _section(
    text: str, metrics: Mapping[str, Metrics], names: dict[str, str]
) -> list[dict[str, Any]]:
    """Return one column for each of `names`; no section without any measure."""
    found = {who: metrics[who] for who in names if who in metrics}
    rows = [
        {"measure": label, **{who: _said(held, name) for who, held in found.items()}}
        for name, label in MEASURES.items()
        if any(name in held.values for held in found.values())
    ]
    if not rows:
        return []
    columns = [column(who, names[who], "text") for who in found]
    columns.insert(0, column("measure", "measure", "text"))
    positive = next((held.positive for held in found.values() if held.positive), "")
    about = f" AUC and calibration are about the class {positive!r}." if positive else ""
    told = f"{text} In brackets: 90% intervals.{about}"
    return [section("measures", "In other measures", told, columns, rows, short="Measures")]


def _said(held: Metrics, name: str) -> str | None:
    """Return a measure with its interval; None where it is not defined."""
    if name not in held.values:
        return None
    ends = held.intervals.get(name)
    reach = f" ({measure_interval(name, ends)})" if ends is not None else ""
    return f"{measure_text(name, held.get(name))}{reach}"
