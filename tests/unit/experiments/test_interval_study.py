"""The study of gain intervals: what it counts, and that it runs the product's own path."""

import pandas as pd
import pytest

from datakin.experiments.interval_study import GAIN_INTERVALS, _measures


def verdicts():
    """Four samples of one cell with mean gain .05; the third has an interval that misses it."""
    columns = ["realised", "forecast", "low", "high", "zone"]
    rows = [
        (0.10, 0.06, 0.01, 0.11, "positive"),
        (0.06, 0.02, -0.04, 0.08, "ambiguous"),
        (0.08, -0.10, -0.16, -0.04, "negative"),
        (-0.04, 0.08, 0.02, 0.14, "positive"),
    ]
    cell = {"setting": "lda", "level": 1.0, "n_target": 40, "n_source": 200, "is_tried": True}
    return pd.DataFrame([{**cell, **dict(zip(columns, row, strict=True))} for row in rows])


def test_what_is_counted():
    found = _measures(verdicts().assign(mean=0.05))
    assert found["holds_mean"] == 0.75
    assert found["holds_realised"] == 0.5, "the third and the fourth miss their own"
    assert (found["positive_share"], found["negative_share"]) == (0.5, 0.25)
    assert (found["positive_mean_wrong"], found["positive_realised_wrong"]) == (0, 0.5)
    assert (found["negative_mean_wrong"], found["negative_realised_wrong"]) == (1, 1)


def test_the_page_says_how_often_a_zone_is_wrong():
    summary = GAIN_INTERVALS.summarise(verdicts())
    assert summary.frame["realised"].item() == pytest.approx(0.05)
    assert "75.0% hold the mean gain" in summary.text
    assert "25.0% by the cell's mean gain, 50.0% by the gain of that sample" in summary.text


@pytest.mark.parametrize("setting", ["logistic", "nonlinear"])
def test_a_replicate_of_each_task(setting):
    cell = next(c for c in GAIN_INTERVALS.cells if c["setting"] == setting)
    (row,) = GAIN_INTERVALS.replicate(cell, 0)
    assert row["is_tried"]
    assert row["low"] < row["forecast"] < row["high"]
    sure = (row["low"] > 0) - (row["high"] < 0)
    assert row["zone"] == {1: "positive", 0: "ambiguous", -1: "negative"}[sure]
    assert GAIN_INTERVALS.replicate(cell, 0) == [row], "a seed gives one answer"
