"""The study of gain intervals: what it counts, and that it runs the product's own path."""

import pandas as pd
import pytest

from reproduction.interval_study import GAIN_INTERVALS, _measures


def verdicts():
    """Four samples of one cell with mean gain .05; the third has an interval that misses it."""
    columns = ["realised", "forecast", "low", "high", "zone"]
    rows = [
        (0.10, 0.06, 0.01, 0.11, "positive"),
        (0.06, 0.02, -0.04, 0.08, "ambiguous"),
        (0.08, -0.10, -0.16, -0.04, "negative"),
        (-0.04, 0.08, 0.02, 0.14, "positive"),
    ]
    cell = {"setting": "lda", "level": 1.0, "n_target": 40, "n_source": 200}
    return pd.DataFrame([{**cell, **dict(zip(columns, row, strict=True))} for row in rows])


def test_what_is_counted():
    found = _measures(verdicts().assign(mean=0.05))
    assert found["holds_mean"] == 0.75
    assert found["holds_realised"] == 0.5, "the third and the fourth miss their own"
    assert (found["positive_share"], found["negative_share"]) == (0.5, 0.25)
    assert (found["positive_mean_wrong"], found["positive_realised_wrong"]) == (0, 0.5)
    assert (found["negative_mean_wrong"], found["negative_realised_wrong"]) == (1, 1)


def test_the_page_says_how_often_a_zone_is_wrong():
    near = verdicts().assign(setting="linear")
    between = verdicts().assign(level=0.7, zone="ambiguous")
    summary = GAIN_INTERVALS.summarise(pd.concat([verdicts(), near, between], ignore_index=True))
    assert summary.frame["realised"].tolist() == pytest.approx([0.05] * 3)
    assert "75.0% of all hold the mean gain" in summary.text
    assert "forecast for realised: 0.015 for 0.050 (40 rows)" in summary.text
    assert "Positive is wrong in 0% of its verdicts by the cell's mean gain and in 50% by" in (
        summary.text
    )
    assert "and 100% are ambiguous" in summary.text


@pytest.mark.parametrize("setting", ["logistic", "nonlinear"])
def test_a_replicate_of_each_task(setting):
    cell = next(c for c in GAIN_INTERVALS.cells if c["setting"] == setting)
    (row,) = GAIN_INTERVALS.replicate(cell, 0)
    assert row["low"] < row["forecast"] < row["high"]
    sure = (row["low"] > 0) - (row["high"] < 0)
    assert row["zone"] == {1: "positive", 0: "ambiguous", -1: "negative"}[sure]
    assert GAIN_INTERVALS.replicate(cell, 0) == [row], "a seed gives one answer"
