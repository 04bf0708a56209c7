"""`datakin check`: the first command that a new user types."""

import json

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin.report import read_report
from datakin.report.page import page


def ward(seed, n=60):
    rng = np.random.default_rng(seed)
    age = rng.normal(60, 9, n).round(1)
    died = (age + rng.normal(0, 5, n) > 60).astype(int)
    return pd.DataFrame({"age": age, "unit": rng.choice(["x", "y"], n), "died": died})


@pytest.fixture
def run(tmp_path, monkeypatch, call_main):
    monkeypatch.chdir(tmp_path)
    ward(0).to_csv("mine.csv", index=False)
    ward(1).to_csv("theirs.csv", index=False)
    ward(2).head(15).to_csv("small.csv", index=False)
    return call_main


def test_a_first_look_needs_no_option(run):
    code, out, err = run("check", "mine.csv")
    assert (code, err) == (0, "")
    assert "say which column to predict (label=, --label)" in out
    assert "died" in out.split("May be what you want to predict:")[1].splitlines()[0]


def test_two_tables(run):
    code, out, _ = run("check", "mine.csv", "theirs.csv", "--label", "died")
    assert code == 0
    assert out.startswith("Can be used: yes")
    assert out == f"{datakin.describe(['mine.csv', 'theirs.csv'], label='died')}\n"


def test_a_table_that_cannot_be_used_ends_with_1_and_is_shown(run):
    code, out, _ = run("check", "mine.csv", "small.csv", "--label", "died")
    assert code == 1
    assert "Can be used: 1 of 2" in out
    assert "at least 20 labelled rows" in out
    assert "age" in out


def test_json_is_the_description_and_nothing_else(run):
    code, out, _ = run("check", "mine.csv", "--label", "died", "--json")
    assert code == 0
    assert datakin.from_json(out) == datakin.describe("mine.csv", label="died")


def test_files(run, tmp_path):
    code, _, err = run(
        *("check", "mine.csv", "theirs.csv", "--label", "died", "--quiet"),
        *("--out", "c.csv", "--report", "c.html"),
    )
    assert (code, err) == (0, "")
    found = datakin.describe(["mine.csv", "theirs.csv"], label="died")
    assert len(pd.read_csv("c.csv")) == len(found.frame) == 6
    assert read_report("c.html") == found
    assert run("check", "mine.csv", "--out", "c.json")[0] == 0
    assert json.loads((tmp_path / "c.json").read_text())["type"] == "Description"


def test_corrections_reach_the_check(run):
    code, out, _ = run("check", "mine.csv", "--label", "died", "--convert", "age=12,0")
    assert code == 0
    assert "'age' converted: 12 x" in out


def test_the_page_shows_everything_escaped():
    name = "<script>alert(1)</script>"
    frame = ward(0).rename(columns={"age": name})
    found = datakin.describe({name: frame, "b": frame.head(10)}, label="died")
    text = page(found)
    assert text.count("<script") == 3
    assert name not in text
    assert "at least 20 labelled rows" in text
    assert "https://" not in text
