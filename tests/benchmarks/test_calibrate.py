"""Where the numbers of calls and intervals come from: found again on trials of known make."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.decisions import calibrate
from benchmarks.decisions.calibrate import fit_gains, read_trials, write_calibration
from benchmarks.decisions.collections import CALIBRATION, DEVELOPMENT, FINAL
from datakin.learners.stack import gains as calls


def make_trials(n=300, seed=0, expected=0.05, width=0.04, spread=2.0):
    """Return trials whose gains and noise follow the model."""
    rng = np.random.default_rng(seed)
    rows = rng.choice([40, 160], n)
    scale = (40 / rows) ** 0.7
    gain = scale * (expected + width * rng.standard_t(calls.FREEDOM, n))
    error = 0.02 * scale
    tried = gain + np.hypot(spread * error, calls.FLOOR * scale**0.5) * rng.standard_normal(n)
    return pd.DataFrame(
        {
            "collection": rng.choice(["a", "b"], n),
            "source": "s",
            "n": rows,
            "tried": tried,
            "standard_error": error,
            "true_gain": gain,
            "pooled": 0.0,
            "pooled_low": -0.1,
            "pooled_high": 0.1,
            "true_pooled": 0.0,
        }
    )


def test_the_values_of_made_up_trials_are_found_again():
    expected, width, _, spread = fit_gains(make_trials())
    assert expected == pytest.approx(0.05, abs=0.01)
    assert width == pytest.approx(0.04, abs=0.012)
    assert spread == pytest.approx(2.0, abs=0.6)


def test_intervals_of_made_up_trials_hold_as_often_as_they_say():
    frame = make_trials(1000)
    read = read_trials(frame, (0.05, 0.04, 0.7, 2.0))
    held = (read["low"] <= read["true_gain"]) & (read["true_gain"] <= read["high"])
    assert held.mean() == pytest.approx(0.9, abs=0.025)
    assert read["p_gain"].mean() == pytest.approx((read["true_gain"] > 0).mean(), abs=0.03)


def test_the_final_half_has_no_part_in_it():
    assert not {*DEVELOPMENT, *CALIBRATION} & {*FINAL}


def test_page():
    trials = make_trials(40)
    stated = {"error": 0.2, "standard_error": 0.05, "n_units": 40, "is_share": True}
    stated |= {
        "realised": 0.21,
        "gain": 0.1,
        "gain_error": 0.03,
        "true_gain": 0.08,
        "is_used": True,
    }
    styles = {name: {"ratio": 0.9, "loss_ratio": 0.95} for name in calibrate.STYLES}
    records = [
        {"collection": name, "target": "t", "n": 40, "repeat": 0, "stated": stated,
         "styles": styles, "sources": part.drop(columns=["collection", "n"]).to_dict("records"),
         "seconds_all": 1.0}
        for name, part in zip(("synthetic", "gusto"), (trials[:20], trials[20:]), strict=True)
    ]  # fmt: skip
    page = write_calibration(records, 1)
    assert "python -m benchmarks.decisions.calibrate --repeats 1" in page
    assert "| 1.35 | 1.000 | 0.000 | 0.000 |" in page
    assert "Stated over realised error: 0.952" in page
    assert "| 20% of the target alone kept | 0.900 | 0.950 | 0.0% | 0.0% | 0.900 |" in page
