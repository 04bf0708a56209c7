"""`datakin choose`: the test on later rows, and what is printed."""

import json

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
    assert "On fresh rows the error is" in out.splitlines()[-1]
    assert "fresh rows" not in err


def test_with_json_the_test_is_said_beside_it(run):
    code, out, err = run("--test", "later.csv", "--json", "--model", "kin.datakin")
    assert code == 0
    assert json.loads(out)["type"] == "Choice"
    assert "On fresh rows the error is" in err
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
