"""Sections with two axes: errors against rows, gains against shares."""

from __future__ import annotations

from typing import Any

from datakin.report.sections import column, records, section
from datakin.results import Forecast, LearningCurve

__all__ = ["curve_section", "share_section"]


def curve_section(curves: list[LearningCurve]) -> list[dict[str, Any]]:
    """Return the section of learning curves, or none."""
    if not curves:
        return []
    rows, fits = [], []
    for curve in curves:
        spread = zip(curve.n_train, curve.errors, curve.standard_errors, strict=True)
        rows += [
            {"dataset": curve.dataset, "n_train": n, "error": e, "standard_error": s, "kind": "measured"}
            for n, e, s in spread
        ]  # fmt: skip
        full, limit = curve.n_rows, curve.limit
        rows.append(
            {"dataset": curve.dataset, "n_train": float(full), "error": curve.error_at(full),
             "kind": "expected with all rows"}
        )  # fmt: skip
        rows.append(
            {"dataset": curve.dataset, "error": limit.value, "standard_error": limit.standard_error,
             "kind": "limit"}
        )  # fmt: skip
        fits.append(
            {"dataset": curve.dataset, "slope": curve.slope, "limit": limit.value, "n": full}
        )
    columns = [
        column("dataset", "dataset", "text"),
        column("n_train", "training rows", digits=0),
        column("error", "error"),
        column("standard_error", "standard error"),
        column("kind", "kind", "text"),
    ]
    text = (
        "Own error against training rows: measured points, and the line through them that is carried on to "
        "more rows (dashed: the limit). It says what more rows of the same kind would bring."
    )
    chart = {"type": "curve", "fits": fits, "axis": "training rows", "value_axis": "error"}
    return [section("curve", "Would more rows help?", text, columns, rows, chart=chart)]


def share_section(forecast: Forecast) -> dict[str, Any]:
    """Return the section of the gain against the share of the only source."""
    columns = [
        column("share", "share of the source", digits=2),
        column("gain", "gain"),
        column("low", "95% low"),
        column("high", "95% high"),
    ]
    text = (
        "Expected gain against the share that the source has in the pooled predictor, with its 95% "
        "interval. Where the line is highest is the best share."
    )
    chart = {
        "type": "line",
        "x": "share",
        "y": "gain",
        "low": "low",
        "high": "high",
        "axis": "share of the source",
        "value_axis": "expected gain",
    }
    rows = records(forecast.curve)
    return section("gain", "What pooling should bring", text, columns, rows, chart=chart)
