"""The report of realised gains."""

from __future__ import annotations

from typing import Any

from datakin.report.sections import column, interval, origin, pairs, records, section, view
from datakin.report.units import Unit
from datakin.report.words import notes_of, plural, verdict_of
from datakin.results import Gain
from datakin.results.gain_answer import NORMAL
from datakin.results.words import error_word

__all__ = ["gain_view"]


def gain_view(gain: Gain) -> dict[str, Any]:
    """Return the sections of realised gains."""
    rows = [_in_percent(gain, row) for row in records(gain.frame)]
    chart = pairs(
        "method",
        "gain: by how much the error falls, in % of the error alone. Right of 0 is better. Lines: 90% "
        "intervals.",
        *((f"{side}_rer", f"{side}_low", f"{side}_high", f"on the {side}") for side in gain.sides),
    )
    n_splits = plural(gain.repeats, gain.split)
    text = (
        f"Mean over {n_splits}. Methods learned from target and source; tested on rows kept back."
    )
    return view(
        "gain",
        f"{_sources(gain)} for {gain.target}",
        verdict_of(gain.answer),
        [
            section(
                "gain", "What the methods brought", text, _columns(gain), rows, chart=chart,
                table="open", short="Gains",
            )
        ],
        tiles=_tiles(gain),
        notes=notes_of(gain.answer),
        provenance=origin(gain.provenance),
    )  # fmt: skip


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
        found.append(
            interval(f"{side}_low", f"{side}_high", f"90% interval, {side}, %", 0, signed=True)
        )
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
    ]  # fmt: skip


def _sources(gain: Gain) -> str:
    """Return the source's name, or how many there are."""
    return plural(len(gain.sources), "source") if gain.sources else gain.source
