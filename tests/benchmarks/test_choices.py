"""The study of choices: how policies are judged, what the page says, how a run goes on."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.decisions import choice_tables, gains, policies
from benchmarks.decisions.__main__ import main
from benchmarks.decisions.choice_report import write_choices
from benchmarks.decisions.choice_tables import find_choices, is_right, rate
from benchmarks.decisions.collections import DEVELOPMENT, FINAL, HELD_OUT, OPEN
from benchmarks.decisions.draws import Draw
from benchmarks.decisions.inside import Inside
from benchmarks.decisions.judging import Judge, aligned, like_target, loss_of, pooled
from benchmarks.decisions.policies import POLICIES, combined, simplex
from benchmarks.decisions.runs import Settings
from datakin import as_dataset, choose, rank


def make_rows(y, name="rows", seed=0, **options):
    X = np.random.default_rng(seed).standard_normal((len(y), 2))
    return as_dataset(X, y, name=name, **options)


def test_two_halves():
    assert sorted([*DEVELOPMENT, *FINAL]) == sorted([*OPEN, *HELD_OUT])


# Judging.


def test_the_judge_counts_classes_as_the_target_does():
    target = make_rows(["a"] * 15 + ["b"] * 5)
    test = make_rows(["a", "b"] * 10)
    judge = Judge(target, test)
    always_a = np.tile([0.6, 0.4], (20, 1))
    assert loss_of(target) == "zero_one"
    assert judge.error(always_a) == pytest.approx(0.25)
    assert judge.loss(always_a) == pytest.approx(0.75 * 0.4**2 + 0.25 * 0.6**2)


def test_where_a_class_is_rare_classes_count_alike():
    target = make_rows(["a"] * 18 + ["b"] * 2)
    judge = Judge(target, make_rows(["a", "b"] * 10))
    assert loss_of(target) == "balanced"
    # .2 / .1 is more than .8 / .9: all are called b.
    assert judge.error(np.tile([0.8, 0.2], (20, 1))) == pytest.approx(0.5)
    mixed = np.tile([[0.95, 0.05], [0.8, 0.2]], (10, 1))
    assert judge.error(mixed) == 0
    three = make_rows(["a"] * 10 + ["b"] * 10 + ["c"] * 3)
    assert loss_of(three) == "zero_one", "13% of three classes is not rare"


def test_numbers_are_judged_by_their_squares():
    target = make_rows(np.linspace(0, 1, 20), task="regression")
    judge = Judge(target, target)
    assert judge.error(target.y[:, None] + 0.5) == judge.loss(target.y[:, None] + 0.5)
    assert judge.error(target.y[:, None] + 0.5) == pytest.approx(0.25)


def test_the_noise_of_a_difference_is_that_of_the_test_rows():
    target = make_rows(["a", "b"] * 10)
    judge = Judge(target, make_rows(["a"] * 50 + ["b"] * 50))
    right = np.repeat([[0.9, 0.1], [0.1, 0.9]], 50, axis=0)
    wrong_a = right.copy()
    wrong_a[:10] = right[-1]
    assert judge.noise(right, right) == 0
    assert judge.noise(wrong_a, right) == pytest.approx(0.5 * np.sqrt(0.2 * 0.8 / 49))
    numbers = make_rows(np.linspace(0, 1, 20), task="regression")
    one, other = numbers.y[:, None] + 0.5, numbers.y[:, None]
    assert Judge(numbers, numbers).noise(one, other) == pytest.approx(0.0)


def test_pools_keep_classes_and_groups_apart():
    target = make_rows(["a", "b"] * 10, group=np.arange(20) // 2)
    wider = make_rows(["b", "c", "a"] * 10, name="wider", seed=1, group=np.arange(30) // 3)
    source = like_target(wider, target)
    assert source.n_rows == 20
    pool = pooled(target, [source])
    names = np.array(pool.classes)[pool.y]
    assert names.tolist() == ["a", "b"] * 10 + ["b", "a"] * 10
    assert len(np.unique(pool.groups)) == 20
    np.testing.assert_array_equal(pool.features.numeric[20:], source.features.numeric)
    assert aligned(np.array([[0.3, 0.7]]), ["b", "c"], target).tolist() == [[0.0, 0.3]]


def test_weights_and_order_by_hand():
    columns = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert simplex(columns, [3.0, 1.0]).tolist() == [0.75, 0.25]
    assert simplex(columns, [-1.0, -1.0]).tolist() == [0.5, 0.5]
    assert combined(0.1, 0.05, 0.2) == pytest.approx(0.1 - 0.25)
    assert combined(0.1, 0.9, 0.2) == pytest.approx(0.1 - 1.0)


# The page.


def make_records(collections, ratio=0.8, n_sources=4):
    """Made-up draws in which choose has some ratio to the target alone, and states it exactly."""
    records = []
    for collection in collections:
        for number in range(2):
            for n_target in (40, 80):
                errors = dict.fromkeys(POLICIES, 0.2)
                errors |= {"choose": 0.2 * ratio, "afterwards_best": 0.1, "kin_weighted": 0.25}
                calls = ("helps", "harmless", "unclear", "hurts")
                sources = [
                    {
                        "source": f"s{i}",
                        "call": calls[i],
                        "gain": 0.1 - 0.05 * i,
                        "low": 0.0 - 0.05 * i,
                        "high": 0.2 - 0.05 * i,
                        "p_gain": 0.9 - 0.2 * i,
                        "true_gain": 0.1 - 0.05 * i,
                        "true_pooled": 0.1 - 0.1 * i,
                        "pooled_low": -0.5,
                        "pooled_high": 0.5,
                        "directional": 0.1 * i,
                        "source_error": -0.1 * i,
                        "combined": 0.1 - 0.55 * i,
                    }
                    for i in range(n_sources)
                ]
                stated = {
                    "error": 0.2 * ratio,
                    "low": 0.1,
                    "high": 0.2,
                    "gain": 1 - ratio,
                    "gain_low": 0.0,
                    "gain_high": 0.5,
                    "used": ["s0"],
                    "repeats": 3,
                    "settled": True,
                    "folds": 1.0,
                    "sample": 0.5,
                    "error_low": 0.15,
                    "error_high": 0.17,
                }
                records.append(
                    {
                        "collection": collection,
                        "task": "binary",
                        "target": f"t{number}",
                        "n_target": n_target,
                        "repeat": 0,
                        "n_test": 100,
                        "loss": "zero_one",
                        "errors": errors,
                        "losses": {name: error / 2 for name, error in errors.items()},
                        "noise": 0.01,
                        "stated": stated,
                        "seconds_choose": 1.0,
                        "seconds_all": 5.0,
                        "sources": sources,
                    }
                )
    return records


def test_ratios_are_geometric_means():
    records = make_records(["a"], 0.5) + make_records(["b"], 2.0)
    found = find_choices(records).policies.set_index("policy")
    assert found.loc["choose", "ratio_value"] == pytest.approx(1.0)
    assert found.loc["choose", "harmed"] == 0.5
    assert found.loc["choose", "harmed_surely"] == 0.5
    assert found.loc["choose", ["below", "collections"]].tolist() == [1, 2]
    assert found.loc["choose", "worst"] == pytest.approx(2.0)
    assert found.loc["choose", "worst_target"] == "b: t0"
    against = find_choices(make_records(["a"])).against["kin_weighted"]
    assert against["value"] == pytest.approx(0.16 / 0.25)


def test_errors_below_one_percent_count_as_one():
    values = {"alone": 0.0, "choose": 0.005}
    assert choice_tables._ratio(values, "choose", "zero_one") == 1.0
    assert choice_tables._ratio({"alone": 0.002, "choose": 0.001}, "choose", "squared") == 0.5


def test_calls_by_hand():
    calls = ["helps", "helps", "harmless", "harmless", "hurts", "hurts", "unclear"]
    sources = pd.DataFrame(
        {
            "call": calls,
            "true_gain": [0.1, 0.0, -0.01, -0.03, 0.1, 0.1, 0.1],
            "true_pooled": [0.0, 0.0, 0.0, 0.0, -0.1, 0.1, 0.0],
        }
    )
    assert is_right(sources).tolist() == [True, False, True, False, True, False, False]


def test_rates_of_all_and_of_collections():
    frame = pd.DataFrame({"collection": list("aaab"), "target": list("tuvt")})
    found = rate(frame, [True, True, True, False], n_boot=50)
    assert (found["n"], found["all"], found["mean"]) == (4, 0.75, 0.5)
    assert np.isnan(rate(frame[:0], [])["all"])


def test_page(tmp_path):
    settings = Settings()
    path = write_choices(make_records(DEVELOPMENT), settings, DEVELOPMENT, tmp_path, "command")
    assert path == tmp_path / "choices.md"
    page = path.read_text()
    assert "Not run yet: eicu_demo" in page
    both = [*DEVELOPMENT, *FINAL]
    page = write_choices(make_records(both), settings, both, tmp_path, "command").read_text()
    for title in ("All collections", "Development half", "Final half"):
        assert page.count(f"## {title}\n") == 1
    assert "prototypes that have seen all eleven" in page
    assert "at most 0.89: 0.800 [0.800, 0.800], met" in page
    assert "below 1 in all collections but one: 11 of 11, met" in page
    assert "against KinWeighted at most 0.93: 0.640 [0.640, 0.640], met" in page
    assert "stated / realised error from 0.96 to 1.04: 1.000, met" in page
    assert "90% intervals of the gain of a source hold 87% to 94%: 100.0%, **not met**" in page
    assert "at most 50% of the calls unclear: 25.0%, met (aim: 40%, met)" in page
    assert "hurts right at least 90%: 100.0% of 44 calls, met" in page
    assert "tau of the order above that of source_error: 1.000 against -1.000" in page
    assert "above that of directional: 1.000 against 1.000, difference 0.000" in page
    table = pd.read_csv(tmp_path / "choices.csv")
    assert len(table) == 11 * 4 * len(POLICIES)
    assert len(pd.read_csv(tmp_path / "choices-sources.csv")) == 11 * 4 * 4
    assert set(table["half"]) == {"development", "final"}


# The whole of it.

FAST = {"learners": ["linear"], "repeats": 1}

LOADER = """
import numpy as np
import datakin

def load():
    found = {}
    for i in range(5):
        rng = np.random.default_rng(i)
        X = rng.standard_normal((150, 3))
        y = (X[:, 0] + 0.4 * i * X[:, 1] + 0.3 * rng.standard_normal(150) > 0).astype(int)
        found[f"d{i}"] = datakin.as_dataset(X, y, name=f"d{i}")
    return found
"""


def test_command(tmp_path, monkeypatch, capsys):
    quick = Settings(repeats=1, sizes=(40,), n_targets=1, n_sources=3)
    monkeypatch.setattr("benchmarks.decisions.__main__.QUICK", quick)
    # The harness, not the numbers: one learner, small trees.
    monkeypatch.setattr(
        policies, "choose", lambda *data, **options: choose(*data, **options | FAST)
    )
    monkeypatch.setitem(gains.TREES, "n_estimators", 2)
    monkeypatch.setattr(
        policies, "rank", lambda *data, **options: rank(*data, models=["logistic"], cv=3, **options)
    )
    (tmp_path / "mine.py").write_text(LOADER)
    options = ["--choices", "--collection", str(tmp_path / "mine.py"), "--quick"]
    options += ["--folder", str(tmp_path / "out")]
    assert main(options) == 0
    assert "choices-mine.csv and choices-mine-sources.csv" in capsys.readouterr().err
    table = pd.read_csv(tmp_path / "out" / "choices-mine.csv").set_index("policy")
    assert list(table.index) == list(POLICIES)
    assert table[["error", "loss"]].notna().all(axis=None)
    assert table.loc["afterwards_best", "error"] <= table.loc["best_single_by_trial", "error"]
    sources = pd.read_csv(tmp_path / "out" / "choices-mine-sources.csv")
    assert len(sources) == 3
    assert sources[["gain", "true_gain", "true_pooled", "combined"]].notna().all(axis=None)
    monkeypatch.setattr(policies, "act", None)  # nothing is run again
    assert main([*options, "--report"]) == 0
    assert main(options) == 0
    assert main(["--final"]) == 1
    assert "say --choices too" in capsys.readouterr().err


def test_what_was_tried_is_what_is_tested():
    rng = np.random.default_rng(0)

    def rows(n, name, flip=False):
        X = rng.standard_normal((n, 3))
        y = (X[:, 0] + 0.5 * rng.standard_normal(n) > 0) != flip
        return as_dataset(X, y.astype(int), name=name)

    sources = {"twin": rows(200, "twin"), "against": rows(200, "against", flip=True)}
    inside = Inside(Draw(rows(40, "mine"), sources, rows(400, "test")))
    found = inside.gains()
    assert found["twin"]["true_gain"] > 0.02
    assert found["twin"]["true_pooled"] > 0
    assert abs(found["against"]["true_gain"]) < 0.02
    assert found["against"]["true_pooled"] < -0.5
    assert {each.source for each in inside.trials} == {"twin", "against"}
    assert np.allclose(inside.alone.sum(axis=1), 1)
