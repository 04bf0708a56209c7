"""The report of a description: can it be used, what to look at, and every column."""

from __future__ import annotations

from typing import Any

from datakin._core.exceptions import counted
from datakin.report.sections import column, counts, records, section, shortened, texts, view
from datakin.results import Description
from datakin.results.description_text import label_of
from datakin.results.words import enumerated

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
