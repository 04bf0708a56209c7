"""The reports of forecasts and realised gains."""

from __future__ import annotations

from typing import Any

from datakin.report.sections import (
    GAIN,
    PROBABILITY,
    bars,
    column,
    gain_forest,
    gain_row,
    origin,
    pairs,
    records,
    section,
    share_section,
    view,
)
from datakin.report.words import (
    amount,
    error_text,
    plural,
    verdict_of,
)
from datakin.results import Forecast, Gain

__all__ = ["forecast_view", "gain_view"]


def forecast_view(forecast: Forecast) -> dict[str, Any]:
    """Return the sections of a forecast."""
    in_points = forecast.unit == "share of rows"
    rows = [
        {"how": how, **gain_row(gain)}
        for how, gain in (("without weights", forecast.pooled), ("best weights", forecast.best))
    ]
    columns = [column("how", "how", "text"), *GAIN, PROBABILITY]
    chart = gain_forest("how", "expected gain")
    text = "Error of the target alone minus error of the pool. Thick line: 90% interval; thin: 95%."
    sections = [section("gain", "Pooling, by the gain formula", text, columns, rows, chart=chart)]
    if forecast.shares:
        sections.append({**share_section(forecast), "id": "share", "title": "At which share"})
    weights = [{"source": name, "weight": weight} for name, weight in forecast.weights.items()]
    parts = [column("source", "source", "text"), column("weight", "weight", digits=3)]
    chart = bars("source", "weight", "weight of a row", most=1)
    told = "How much a row of each source should count. A row of the target counts 1."
    sections.append(section("weights", "Weights", told, parts, weights, chart=chart, table="open"))
    return view(
        "forecast",
        f"Forecast for {forecast.target}",
        verdict_of(forecast.answer),
        sections,
        tiles=[
            {"label": "call", "value": forecast.decision.word, "zone": forecast.decision.word},
            {"label": "error alone", "value": error_text(forecast.error, in_points)},
            {"label": "gain, without weights", "value": amount(forecast.gain, in_points)},
            {"label": "gain, best weights", "value": amount(forecast.best.value, in_points)},
            {"label": "kinship", "value": f"{forecast.kinship:.2f}"},
        ],
        provenance=origin(forecast.provenance),
    )


def gain_view(gain: Gain) -> dict[str, Any]:
    """Return the sections of realised gains."""
    rows = records(gain.frame.drop(columns=["target", "source"]))
    for row in rows:
        for side in gain.sides:
            value, error = row[f"{side}_rer"], row[f"{side}_se"]
            row[f"{side}_low"], row[f"{side}_high"] = value - 2 * error, value + 2 * error
    chart = pairs(
        "method",
        "relative error reduction: right of 0 is a gain",
        *((f"{side}_rer", f"{side}_low", f"{side}_high", f"on the {side}") for side in gain.sides),
    )
    n_splits = plural(gain.repeats, gain.split)
    text = f"Mean over {n_splits}; lines show two standard errors on each side."
    return view(
        "gain",
        f"{_sources(gain)} for {gain.target}",
        verdict_of(gain.answer),
        [
            section(
                "gain", "What the methods brought", text, _columns(gain), rows, chart=chart,
                table="open",
            )
        ],
        tiles=_tiles(gain),
        notes=gain.notes,
        provenance=origin(gain.provenance),
    )  # fmt: skip


def _columns(gain: Gain) -> list[dict[str, Any]]:
    """Return the columns of the table, for the datasets that were tested on."""
    rers = [(column(f"{s}_rer", f"on the {s}"), column(f"{s}_se", "± ")) for s in gain.sides]
    average = [column("average_rer", "average")] if len(gain.sides) > 1 else []
    errors = [column(f"{side}_error", f"error on {side}") for side in gain.sides]
    return [
        column("method", "method", "text"),
        *(each for pair in rers for each in pair),
        *average,
        *errors,
    ]


def _tiles(gain: Gain) -> list[dict[str, str]]:
    if gain.sources:
        second = {"label": "sources, used together", "value": str(len(gain.sources))}
    else:
        second = {"label": "error of the source alone", "value": f"{gain.source_error:.4f}"}
    losses = dict.fromkeys((gain.loss, gain.source_loss or gain.loss))
    return [
        {"label": "error of the target alone", "value": f"{gain.target_error:.4f}"},
        second,
        {"label": f"{gain.split}s", "value": str(gain.repeats)},
        {"label": "loss" if len(losses) == 1 else "loss on target / source", "value": " / ".join(losses)},
    ]  # fmt: skip


def _sources(gain: Gain) -> str:
    """Return the source's name, or how many there are."""
    return plural(len(gain.sources), "source") if gain.sources else gain.source


def _finite(value: float) -> float:
    return value if value == value else float("-inf")
