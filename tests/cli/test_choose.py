"""`datakin choose`: the test on later rows, and what is printed."""

import json

import numpy as np
import pandas as pd
import pytest

import datakin
from tests.unit.choose.models import ward

QUICK = ("--label", "died", "--learners", "linear", "--repeats", "1")


@pytest.fixture
def run(tmp_path, monkeypatch, call_main):
    """Run choose beside three tables; return exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    for name, seed in (("mine", 0), ("theirs", 1), ("later", 2)):
        ward(seed, n=60).to_csv(f"{name}.csv", index=False)
    return lambda *words: call_main("choose", "mine.csv", "theirs.csv", *QUICK, *words)


def never(*args, **options):
    raise AssertionError("the choice was begun")


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("nothere.csv", "nothere.csv"),
        ("bare.csv", "must have the label 'died'. It has no such column."),
        ("empty.csv", "must have a label in some rows"),
        ("few.csv", "Missing column: 'age'"),
    ],
)
def test_a_table_that_cannot_test_is_refused_first(run, monkeypatch, name, match):
    later = ward(2, n=60)
    later.drop(columns="died").to_csv("bare.csv", index=False)
    later.assign(died=None).to_csv("empty.csv", index=False)
    later.drop(columns="age").to_csv("few.csv", index=False)
    monkeypatch.setattr("datakin.choosing.act.choose_from", never)
    code, out, err = run("--test", name)
    assert (code, out) == (1, "")
    assert match in err


def test_the_test_is_said(run):
    code, out, err = run("--test", "later.csv")
    assert code == 0
    assert "fresh rows the error is" in out.splitlines()[-1]
    assert "fresh rows" not in err


def test_with_json_the_test_is_said_beside_it(run):
    code, out, err = run("--test", "later.csv", "--json", "--model", "kin.datakin")
    assert code == 0
    assert json.loads(out)["type"] == "Choice"
    assert "fresh rows the error is" in err
    assert "The model is in kin.datakin" in err
    assert "fresh" not in run("--test", "later.csv", "--json", "--quiet")[2]


@pytest.mark.parametrize("fault", [datakin.DatakinError("no luck."), MemoryError()])
def test_a_test_that_fails_keeps_no_answer_back(run, monkeypatch, fault):
    def fail(self, dataset):
        raise fault

    monkeypatch.setattr(datakin.Choice, "tested_on", fail)
    code, out, err = run("--test", "later.csv")
    assert code == 1
    assert out.startswith(("Use ", "Do not use "))
    assert "Error: " in err


def test_rows_that_were_learned_from_are_left_out_of_the_test(run):
    later = ward(2, n=60)
    mixed = pd.concat([later, ward(0, n=60).head(5)])
    mixed.to_csv("mixed.csv", index=False)
    code, out, _ = run("--test", "mixed.csv")
    assert code == 0
    said, verdict = out.splitlines()[-2:]
    assert said == "5 of 65 rows of mixed.csv were also learned from; they are left out."
    assert verdict == run("--test", "later.csv")[1].splitlines()[-1]


def test_rows_of_a_source_are_learned_from_if_it_is_used(run):
    later = pd.concat([ward(2, n=60), ward(1, n=60).head(1)])
    later.to_csv("mixed.csv", index=False)
    _, out, _ = run("--test", "mixed.csv")
    is_used = out.startswith("Use ")
    assert ("1 of 61 rows of mixed.csv was also learned from; it is left out." in out) == is_used


def test_a_table_of_nothing_but_learned_rows_is_refused_first(run, monkeypatch):
    ward(0, n=60).iloc[::2].to_csv("half.csv", index=False)
    monkeypatch.setattr("datakin.choosing.act.choose_from", never)
    code, out, err = run("--test", "half.csv")
    assert (code, out) == (1, "")
    assert "rows that were not learned from. All 30 rows of half.csv were; give later ones." in err


def test_coarse_rows_that_coincide_are_no_copies(tmp_path, monkeypatch, call_main):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("mine", 0), ("theirs", 1), ("later", 2)):
        rng = np.random.default_rng(seed)
        a, b = rng.integers(0, 3, size=(2, 80))
        label = np.where(rng.random(80) < 0.2, a < 1, a >= 1)
        pd.DataFrame({"a": a, "b": b, "died": label}).to_csv(f"{name}.csv", index=False)
    words = ("choose", "mine.csv", "theirs.csv", *QUICK, "--test", "later.csv")
    code, out, _ = call_main(*words)
    assert code == 0
    assert "learned from" not in out
    assert "fresh rows" in out


def test_classes_that_are_new_count_as_wrong(run):
    later = ward(2, n=60)
    later.loc[later.index < 6, "died"] = "perhaps"
    later.to_csv("new.csv", index=False)
    code, out, _ = run("--test", "new.csv")
    assert code == 0
    assert "fresh rows the error is" in out
