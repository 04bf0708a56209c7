"""How the decision benchmark judges scores: correlation, regret, zones and intervals, by hand."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.decisions import measures, tables


def judged(cls, gain, repeat=0, collection="c", target="t", **more):
    return pd.DataFrame(
        {
            "collection": collection,
            "target": target,
            "n_target": 40,
            "repeat": repeat,
            "cls": cls,
            "gain:concatenate": gain,
            **more,
        }
    )


def test_tau_and_regret_by_hand():
    # Low is good: order 2, 1, 3, 4 against gains falling from the first: 5 of 6 pairs agree.
    frame = judged([0.2, 0.1, 0.3, 0.4], [0.5, 0.4, 0.1, -0.2])
    table = measures.draw_table(frame, scores=("cls",)).set_index("score")
    assert table.loc["cls", "tau"] == pytest.approx((5 - 1) / 6)
    assert table.loc["cls", "regret"] == pytest.approx(0.1)
    assert table.loc["cls", "picked"] == pytest.approx(0.4)
    assert table.loc["chance", "regret"] == pytest.approx(0.5 - 0.2)


def test_a_constant_score_knows_nothing():
    table = measures.draw_table(judged([1.0, 1.0, 1.0], [0.3, 0.2, -0.2]), scores=("cls",))
    row = table[table["score"] == "cls"].iloc[0]
    assert row["tau"] == 0
    assert row["picked"] == pytest.approx(0.1), "any of them, so their mean"


def test_trials_are_high_where_distances_are_low():
    frame = judged([3.0, 2.0, 1.0], [-0.1, 0.0, 0.1], trial=[-1.0, 0.0, 1.0])
    table = measures.draw_table(frame, scores=("cls", "trial")).set_index("score")
    assert table.loc[["cls", "trial"], "tau"].tolist() == pytest.approx([1.0, 1.0])


def test_means_go_over_targets_then_collections():
    targets = pd.DataFrame(
        {
            "collection": ["a", "a", "b"],
            "target": ["t1", "t2", "t3"],
            "score": "cls",
            "tau": [0.0, 1.0, 0.2],
        }
    )
    found = measures.mean_over_collections(targets, "tau", n_boot=200)
    assert found.loc["cls", "value"] == pytest.approx((0.5 + 0.2) / 2)
    # Both targets of a drawn alike are .5 away from their mean, widened by sqrt(2 / 1).
    reach = 0.5 * np.sqrt(2) / 2
    assert found.loc["cls", "low"] == pytest.approx(0.35 - reach)
    assert found.loc["cls", "high"] == pytest.approx(0.35 + reach)


def test_resampled_means_spread_like_the_mean_of_few():
    part = np.random.default_rng(1).normal(size=(4, 3))
    draws = measures._resampled(part, 20_000, np.random.default_rng(0))
    np.testing.assert_allclose(draws.mean(axis=0), part.mean(axis=0), atol=0.01)
    np.testing.assert_allclose(draws.std(axis=0), part.std(axis=0, ddof=1) / 2, rtol=0.02)


def test_differences_where_both_are_defined():
    rows = [("a", "t1", 0.5, 0.3), ("a", "t2", 0.7, 0.3), ("b", "t3", 0.9, np.nan)]
    targets = pd.DataFrame(
        [
            {"collection": c, "target": t, "score": score, "tau": tau}
            for c, t, ours, rival in rows
            for score, tau in (("cls", ours), ("otdd", rival))
        ]
    )
    found = measures.difference(targets, "cls", "otdd", "tau")
    assert found["collections"] == 1
    assert found["value"] == pytest.approx(0.3)
    reach = 0.1 * np.sqrt(2)
    assert (found["low"], found["high"]) == pytest.approx((0.3 - reach, 0.3 + reach))
    assert (found["above"], found["below"]) == (1, 0)
    assert measures.difference(targets, "cls", "kl", "tau")["collections"] == 0


def test_gains_in_units_of_the_mean_error_alone():
    frame = pd.DataFrame(
        {
            "collection": "c",
            "target": "t",
            "n_target": 40,
            "repeat": [0, 1],
            "alone:glm": [0.0, 0.2],
            "alone:trees": [0.2, 0.2],
            "glm:concatenate": [0.05, 0.1],
            "trees:concatenate": [0.1, 0.9],
        }
    )
    found = measures.add_gains(frame)
    assert found["gain:glm:concatenate"].tolist() == pytest.approx([-0.5, 1.0])
    assert found["gain:trees:concatenate"].tolist() == pytest.approx([0.5, -1.0]), "cut at -100%"
    assert found["gain:concatenate"].tolist() == pytest.approx([0.0, 0.0])


def test_zones_by_hand():
    zone = ["positive", "positive", "positive", "negative", "negative", "ambiguous"]
    gain, kin = [0.1, -0.1, -0.1, -0.2, 0.2, 0.3], [0.0, 0.1, 0.0, 0.0, 0.0, 0.0]
    frame = judged(0.0, gain, zone_paper=zone)
    frame["gain:kin_weighted"] = kin
    row = measures.zone_table(frame, "zone_paper", n_boot=10).set_index("collection").loc["all"]
    assert row["positive"] == 3
    assert row["positive_right"] == pytest.approx(1 / 3)
    assert row["positive_useful"] == pytest.approx(2 / 3)
    assert row["negative_right"] == pytest.approx(1 / 2)
    assert row["ambiguous"] == pytest.approx(1 / 6)


def taus(**by_score):
    return pd.DataFrame(
        [
            {"collection": "c", "target": f"t{i}", "score": score, "tau": tau}
            for score, values in by_score.items()
            for i, tau in enumerate(values)
        ]
    )


def test_first_or_within_noise_by_student_s_t():
    # Behind by .1 on average; three differences with a standard error of .0577: t(2) reaches .248.
    noisy = taus(best=[0.5, 0.5, 0.5], other=[0.3, 0.4, 0.5])
    assert tables._times_first(noisy, "best") == 1
    assert tables._times_first(noisy, "other") == 1
    # Behind by .1 each time but for .01: a standard error of .0058 reaches .025.
    clear = taus(best=[0.5, 0.5, 0.5], other=[0.39, 0.4, 0.41])
    assert tables._times_first(clear, "other") == 0
    assert tables._times_first(clear, "absent") == 0


def test_the_reach_of_a_mean():
    assert tables._reach(pd.Series([0.0, 1.0])) == pytest.approx(12.7062 * 0.5, rel=1e-4)
    assert tables._reach(pd.Series([0.3])) == np.inf
