"""The reports of results that call no sources: descriptions, distances, gains of transfer methods."""

from __future__ import annotations

from typing import Any

from datakin._core.exceptions import counted
from datakin.distances import Distance, DistanceRanking
from datakin.report.effects import Unit
from datakin.report.sections import (
    bars,
    column,
    counts,
    interval,
    origin,
    pairs,
    records,
    section,
    shortened,
    texts,
    view,
)
from datakin.results import Description, Gain
from datakin.results.description_text import label_of
from datakin.results.gain import NORMAL
from datakin.results.words import enumerated, error_word

THINGS = [
    column("number", "no.", digits=0),
    *texts(about="about", text="what", option_cli="on the command line", option_python="in Python"),
]
DATASETS = [
    column("name", "dataset", "text"),
    *counts(n_rows="rows", n_dropped="rows dropped", n_columns="columns used"),
    *texts(label="label", problem="why it cannot be used"),
]
COLUMNS = [
    *texts("table", "column", "role", "kind", "values", why="left out because", doubt="looks odd"),
    *texts("converted"),
    *counts(missing="missing", distinct="different"),
    column("examples", "in the file", "text"),
]
NOTES = [column("note", "note", "text")]


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


def distance_view(distance: Distance) -> dict[str, Any]:
    """Return the sections of a distance."""
    rows = [
        {"name": name, "role": role, "rows": distance.n_rows[name]}
        for name, role in ((distance.target, "target"), (distance.source, "source"))
    ]
    columns = [*texts(name="dataset", role="role"), *counts(rows="rows")]
    return view(
        "distance",
        f"{distance.source} and {distance.target}",
        distance,
        [section("facts", "The data", "What was compared.", columns, rows)],
        tiles=[{"label": distance.method, "value": f"{distance.score:.4f}"}],
        provenance=origin(distance.provenance),
    )


def distance_ranking_view(ranking: DistanceRanking) -> dict[str, Any]:
    """Return the sections of a ranking by distance."""
    columns = [column("source", "source", "name"), column("score", "distance")]
    columns += counts(n_rows="rows")
    title = f"Distances by {ranking.method}"
    text = "Nearest first. A distance has no zones and no interval."
    rows, chart = records(ranking.frame), bars("source", "score", "distance")
    return view(
        "ranking",
        f"Sources for {ranking.target}",
        ranking,
        [section("distances", title, text, columns, rows, chart)],
        tiles=[
            {"label": "sources", "value": str(len(ranking))},
            {"label": "distance", "value": ranking.method},
        ],
        provenance=origin(*(c.provenance for c in ranking)),
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


def description_view(found: Description) -> dict[str, Any]:
    """Return the sections of a description."""
    sections = []
    if found.things:
        keys = ("text", "option_cli", "option_python")
        rows: list[dict[str, Any]] = [
            {"number": k, "about": ", ".join(t.about), **{key: getattr(t, key) for key in keys}}
            for k, t in enumerate(found.things, start=1)
        ]
        told = "Worst first. Options are what to type if the guess is right; nothing was changed."
        if found.options_cli:
            told += f" To mend all of it, add: {found.options_cli}"
        sections.append(section("things", "To look at", told, THINGS, rows))
    if found.datasets:
        told = "What would be compared. The first is the target."
        rows = [{**vars(d), "label": label_of(d)} for d in found.datasets]
        sections.append(section("datasets", "Datasets", told, DATASETS, rows))
    told = "Every column of every table, as it is read. Headings sort, words filter."
    sections.append(section("columns", "Columns", told, COLUMNS, records(found.frame)))
    if found.notes:  # below what is worse
        rows = [{"note": note} for note in found.notes]
        told = "What else was done while reading."
        sections.append(section("reading", "Notes", told, NOTES, rows))
    names = enumerated([shortened(t.name) or "table" for t in found.tables], 4)
    return view(
        "description",
        f"How {names} {'is' if len(found.tables) == 1 else 'are'} read",
        found,
        sections,
        tiles=[
            {"label": "tables", "value": str(len(found.tables))},
            {"label": "rows", "value": f"{sum(t.n_rows for t in found.tables):,}"},
            {"label": "columns", "value": str(found.frame["column"].nunique())},
            {"label": "to look at", "value": counted(len(found.things), "thing")},
        ],
    )
