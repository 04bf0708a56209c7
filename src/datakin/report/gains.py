"""The report of realised gains."""

from __future__ import annotations

from typing import Any

from datakin._core.exceptions import counted
from datakin.report.effects import Unit
from datakin.report.sections import column, interval, origin, pairs, records, section, view
from datakin.results import Gain
from datakin.results.gain import NORMAL
from datakin.results.words import error_word


def gain_view(gain: Gain) -> dict[str, Any]:
    """Return the sections of realised gains."""
    rows = [_in_percent(gain, row) for row in records(gain.frame)]
    chart = pairs(
        "method",
        "gain: by how much the error falls, in % of the error alone. Right of 0 is better. Lines: 90% "
        "intervals.",
        *((f"{side}_rer", f"{side}_low", f"{side}_high", f"on the {side}") for side in gain.sides),
    )
    splits = counted(gain.repeats, gain.split)
    text = f"Mean over {splits}. Methods learned from target and source; tested on rows kept back."
    title, columns = "What the methods brought", _columns(gain)
    source = counted(len(gain.sources), "source") if gain.sources else gain.source
    return view(
        "gain",
        f"{source} for {gain.target}",
        gain,
        [section("gain", title, text, columns, rows, chart, short="Gains")],
        tiles=_tiles(gain),
        provenance=origin(gain.provenance),
    )


def _units(gain: Gain) -> dict[str, Unit]:
    return {"target": Unit(gain.loss), "source": Unit(gain.source_loss or gain.loss)}


def _in_percent(gain: Gain, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a method: gains in percent, errors in the unit that people read."""
    found = {"method": row["method"]}
    for side in gain.sides:
        value, error = 100 * row[f"{side}_rer"], 100 * row[f"{side}_se"]
        found |= {f"{side}_rer": value, f"{side}_se": error}
        found |= {f"{side}_low": value - NORMAL * error, f"{side}_high": value + NORMAL * error}
        found |= _units(gain)[side].values(f"{side}_error", row[f"{side}_error"])
    if len(gain.sides) > 1:
        found["average_rer"] = 100 * row["average_rer"]
    return found


def _columns(gain: Gain) -> list[dict[str, Any]]:
    """Return the columns of the table, for the datasets that were tested on."""
    found = [column("method", "method", "text")]
    for side in gain.sides:
        found.append(column(f"{side}_rer", f"gain on the {side}, %", digits=1, signed=True))
        ends = f"{side}_low", f"{side}_high"
        found.append(interval(*ends, f"90% interval, {side}, %", 0, signed=True))
    if len(gain.sides) > 1:
        found.append(column("average_rer", "average gain, %", digits=1, signed=True))
    for side in gain.sides:
        found += _units(gain)[side].columns(f"{side}_error", f"error on the {side}")
    return found


def _tiles(gain: Gain) -> list[dict[str, str]]:
    units = _units(gain)
    if gain.sources:
        second = {"label": "sources, used together", "value": str(len(gain.sources))}
    else:
        own = units["source"].text(gain.source_error)
        second = {"label": "error of the source alone", "value": own}
    losses = dict.fromkeys((gain.loss, gain.source_loss or gain.loss))
    return [
        {"label": "error of the target alone", "value": units["target"].text(gain.target_error)},
        second,
        {"label": f"{gain.split}s", "value": str(gain.repeats)},
        {"label": "error measured as", "value": " / ".join(map(error_word, losses))},
    ]
