"""The picture that choices, rankings and comparisons begin with: gains, their intervals and calls."""

from __future__ import annotations

from math import isfinite
from typing import Any

from datakin.report.sections import column, forest, interval
from datakin.report.units import Unit

__all__ = ["POOLED", "effect_chart", "effect_columns", "effect_row", "pooled_row"]

POOLED = [
    column("pooled", "if pooled, %", digits=0, signed=True),
    interval("pooled_low", "pooled_high", "90% interval, pooled", 0, signed=True),
]


def effect_columns(loss: str, unit: Unit) -> list[dict[str, Any]]:
    """Return the columns of a gain, and of what it means for the loss.

    Parameters
    ----------
    loss : str
        What the loss is called.
    unit : Unit
        Of that loss.
    """
    means = [
        interval(
            "loss_alone",
            "loss_with",
            unit.named(f"{loss}, alone to with it"),
            unit.digits,
            between="→",
        )
    ]
    if unit.has_root:
        means.append(
            interval("loss_alone_root", "loss_with_root", "RMSE, alone to with it", 3, between="→")
        )
    return [
        column("gain", "gain, %", digits=1, signed=True),
        interval("low", "high", "90% interval, %", 1, signed=True),
        column("p_gain", "probability of a gain", digits=2),
        *means,
    ]


def effect_row(
    gain: float, ends: tuple[float, float], p_gain: float, alone: float | None, unit: Unit
) -> dict[str, Any]:
    """Return a gain, which is a share of the loss `alone`, as numbers of a table."""
    low, high = ends
    row: dict[str, Any] = {"gain": 100 * gain, "low": 100 * low, "high": 100 * high}
    row["p_gain"] = p_gain
    if alone is not None and isfinite(alone) and isfinite(gain):
        row |= unit.values("loss_alone", alone)
        row |= unit.values("loss_with", max(0.0, alone * (1 - gain)))
    return row


def pooled_row(found: Any) -> dict[str, Any]:
    """Return what pooling does, of a trial or of a source of a choice."""
    names = ("pooled", "pooled_low", "pooled_high")
    return {name: 100 * getattr(found, name) for name in names}


def effect_chart(name: str, axis: str) -> dict[str, Any]:
    """Return the forest plot of gains: colour, shape and words say the call."""
    return forest(
        name,
        "gain",
        axis,
        tag={"digits": 1, "unit": "%"},
        beside=["pooled", "pooled_low", "pooled_high"],
        beside_label="if all rows were pooled: why it hurts",
    )
