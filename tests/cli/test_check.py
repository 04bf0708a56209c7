"""`datakin check`: the first command that a new user types."""

import json
import re
import shlex
import shutil

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
    assert "say which column to predict (--label)" in out
    assert "died" in out.split("May be what you want to predict:")[1].splitlines()[0]


def test_two_tables(run):
    code, out, _ = run("check", "mine.csv", "theirs.csv", "--label", "died")
    assert code == 0
    assert out.startswith("Can be used: yes")
    found = datakin.describe(["mine.csv", "theirs.csv"], label="died")
    assert out == f"{found.text(shutil.get_terminal_size().columns)}\n"


def test_a_table_that_cannot_be_used_ends_with_1_and_is_shown(run):
    code, out, _ = run("check", "mine.csv", "small.csv", "--label", "died")
    assert code == 1
    assert "Can be used: 1 of 2" in out
    assert "at least 20 labelled rows" in out
    assert "age" in out


def test_the_weight_column_has_its_part(run):
    ward(3).assign(counts=np.arange(60) / 4).to_csv("weighted.csv", index=False)
    code, out, _ = run("check", "weighted.csv", "--label", "died", "--weight", "counts")
    assert code == 0
    assert re.search(r"counts +weight +number +0 to 14\.75", out)
    ward(3).assign(counts=["few", *["1"] * 59]).to_csv("weighted.csv", index=False)
    code, out, _ = run("check", "weighted.csv", "--label", "died", "--weight", "counts")
    assert code == 1
    assert "Got 'few' in row 0" in " ".join(out.split())


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
    assert "converted: 12 x" in out


def test_the_page_shows_everything_escaped():
    name = "<script>alert(1)</script>"
    frame = ward(0).rename(columns={"age": name})
    found = datakin.describe({name: frame, "b": frame.head(10)}, label="died")
    text = page(found)
    assert text.count("<script") == 3
    assert name not in text
    assert "at least 20 labelled rows" in text
    assert "https://" not in text


def test_there_is_no_picture_to_ask_for(run):
    code, _, err = run("check", "mine.csv", "--plot", "x.png")
    assert code == 1
    assert "No such option: --plot" in err
    assert "--plot" not in run("check", "--help")[1]


def other_coding(frame):
    return frame.assign(died=frame["died"] + 1)


def other_levels(frame):
    return frame.assign(unit=frame["unit"].str.upper())


def other_units(frame):
    return frame.assign(age=frame["age"] * 12)


def other_names(frame):
    return frame.rename(columns={"age": "AGE"})


def a_code(frame):
    return frame.assign(unit="ward " + frame["unit"])


def grades(frame):
    return frame.assign(died=np.arange(len(frame)) % 4)


def a_total_line(frame):
    return pd.concat([frame, frame.sum(numeric_only=True).to_frame().T])


def ids(frame):
    keys = [f"k{i}" for i in np.arange(len(frame)) * 9 // 10]
    return frame.assign(stay_id=np.arange(len(frame)) + 1000, key_id=keys)


def a_few_words(frame):
    return frame.assign(age=["old", *frame["age"].astype(str)[1:]])


def spellings(frame):
    died = np.where(frame["died"], "yes", "no").astype(object)
    died[:9] = "No"
    return frame.assign(died=died)


ODD = [
    *(other_coding, other_levels, other_units, other_names, a_code, grades, a_total_line, ids),
    *(a_few_words, spellings),
]
OPTION = re.compile(
    r"--(?:recode|rename|convert|keep|positive|group|task|label-map) (?:'[^']*'|[^\s;()]+)"
)


@pytest.mark.parametrize("change", ODD, ids=lambda change: change.__name__)
def test_every_option_that_is_printed_can_be_typed(run, change):
    ward(0, 200).to_csv("mine.csv", index=False)
    change(ward(1, 200)).to_csv("theirs.csv", index=False)
    command = ["check", "mine.csv", "theirs.csv", "--label", "died"]
    found = datakin.describe(["mine.csv", "theirs.csv"], label="died")
    said = (text for thing in found.things for text in OPTION.findall(thing.text))
    printed = {text.rstrip(".,") for text in said}
    printed |= {thing.option_cli for thing in found.things if thing.option_cli}
    assert printed
    for option in sorted(printed):
        if "..." not in option:  # for users to fill in
            assert run(*command, *shlex.split(option))[2] == "", option
    if found.options_cli:
        code, out, err = run(*command, *shlex.split(found.options_cli))
        assert (code, err) == (0, ""), out


def test_a_total_line_is_dropped_by_the_option_that_is_printed(run):
    a_total_line(ward(1)).to_csv("theirs.csv", index=False)
    command = ["check", "theirs.csv", "--label", "died"]
    code, out, _ = run(*command)
    assert code == 0  # choose can use the table
    assert "may be a total line" in " ".join(out.split())
    (option,) = re.findall(r"--recode (theirs::died:\d+=)\)", " ".join(out.split()))
    code, out, _ = run(*command, "--recode", option)
    assert code == 0, out
    assert "total line" not in out
