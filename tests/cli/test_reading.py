"""The command line on files with many rows, and on folders of Parquet part files."""

import inspect
import json

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin.cli.reading import Reading
from datakin.data.files import addresses

FAST = ["--label", "died", "--models", "logistic", "--cv", "3", "--json"]
OPTIONS = {"models": ["logistic"], "cv": 3}


def ward(seed, n=90):
    rng = np.random.default_rng(seed)
    age, dose = rng.normal(size=(2, n))
    died = (age + seed / 3 * dose + 0.5 * rng.normal(size=n) > 0).astype(int)
    return pd.DataFrame({"age": age, "dose": dose, "died": died, "site": np.arange(n) % 2})


@pytest.fixture
def run(tmp_path, monkeypatch, call_main):
    """Run a command beside two tables in parts, `one` and `two`, and a table `three.csv`."""
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(["one", "two"]):
        (tmp_path / name).mkdir()
        for part in range(3):
            frame = ward(seed).iloc[part * 30 : part * 30 + 30]
            frame.to_parquet(tmp_path / name / f"part-{part}.parquet", index=False)
    ward(2).to_csv("three.csv", index=False)
    return call_main


def read():
    names = ["one", "two", "three"]
    return [datakin.read_table(ward(i), label="died", name=n) for i, n in enumerate(names)]


def test_the_default_is_that_of_the_function():
    in_python = inspect.signature(datakin.read_table).parameters["read_rows"].default
    assert Reading("died").read_rows == in_python


def test_read_rows_draws_rows_and_says_so(run):
    code, out, err = run("score", "three.csv", "one/part-0.parquet", "--read-rows", 60, *FAST)
    assert code == 0
    assert err.count("Note: ") == 1
    assert "Note: three: 90 rows in the file; 60 drawn at random (--read-rows)" in err
    rows = json.loads(out)["n_rows"]
    assert rows == {"three": 60, "part-0": 30}
    code, out, err = run("score", "three.csv", "one/part-0.parquet", "--read-rows", 0, *FAST)
    assert (code, err) == (0, "")
    assert json.loads(out)["n_rows"] == {"three": 90, "part-0": 30}


def test_a_folder_of_parts_is_one_table_of_a_score(run):
    code, out, err = run("score", "one", "two", *FAST)
    assert code == 0
    assert "3 Parquet files of the folder read as one table" in err
    one, two, _ = read()
    assert datakin.from_json(out) == datakin.score(one, two, **OPTIONS)


def test_a_folder_of_parts_is_one_table_of_a_ranking(run):
    code, out, _ = run("rank", "one", "two/", "three.csv", *FAST)
    assert code == 0
    one, two, three = read()
    assert datakin.from_json(out) == datakin.rank(one, [two, three], **OPTIONS)


def test_a_folder_of_parts_is_split_by_a_domain(run):
    code, out, _ = run("rank", "one", "--domain", "site", "--target", "0", *FAST)
    assert code == 0
    sites = datakin.read_tables(ward(0), label="died", domain="site")
    assert datakin.from_json(out) == datakin.rank(sites["0"], {"1": sites["1"]}, **OPTIONS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "one", "three.csv", "--read-rows", "-1"], "--read-rows"),
        (["score", "one/*.parquet", "three.csv"], "or a folder of Parquet part files. 'one/*.par"),
        (["rank", "one"], "at least one source"),
        (["score", "one", "three.csv", "--read-rows", "5"], "at least 20 labelled rows"),
    ],
)
def test_bad_input_ends_with_a_sentence(run, arguments, message):
    code, out, err = run(*arguments, *FAST)
    assert (code, out) == (1, "")
    assert message in err


def test_every_path_is_looked_up_once_and_every_dataset_made_once(run, monkeypatch):
    looked_up, made = [], []
    find, initialise = addresses.find_files, datakin.Dataset.__init__

    def spy_path(pattern):
        looked_up.append(pattern)
        return find(pattern)

    def spy_dataset(self, name, *args, **options):
        made.append(name)
        initialise(self, name, *args, **options)

    monkeypatch.setattr(addresses, "find_files", spy_path)
    monkeypatch.setattr(datakin.Dataset, "__init__", spy_dataset)
    tables = ["three.csv", "one", "two/part-[01].parquet"]
    code, _, err = run("rank", *tables, *FAST)
    assert code == 0, err
    assert looked_up == tables
    assert made == ["three", "one", "part-0", "part-1"]


def test_one_small_table_is_skipped(run, tmp_path):
    (tmp_path / "tiny.csv").write_text("x,y,died\n" + "1,2,0\n2,3,1\n" * 7)
    for name, seed in (("mine", 1), ("theirs", 2)):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"])
        frame.assign(died=rng.integers(0, 2, 60)).to_csv(tmp_path / f"{name}.csv", index=False)
    tables = [str(tmp_path / f"{name}.csv") for name in ("mine", "theirs", "tiny")]
    options = ["--label", "died", "--models", "logistic", "--cv", "3"]
    code, _, err = run("rank", *tables, *options)
    assert code == 1
    assert "at least 20 labelled rows. Got 14" in err
    code, out, err = run("rank", *tables, *options, "--skip-unusable")
    assert code == 0, err
    said = "1 table left out (--skip-unusable): 'tiny'"
    assert (" ".join(out.split()).count(said), err) == (1, "")
    assert "\ntheirs " in out


def test_tables_that_are_empty_or_coded_differently_are_skipped_with_the_reason(run, tmp_path):
    (tmp_path / "empty.csv").write_text("")
    for seed, (name, low) in enumerate({"mine": 0, "theirs": 0, "minus": -1}.items()):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"])
        died = np.where(rng.integers(0, 2, 60), 1, low)
        frame.assign(died=died).to_csv(tmp_path / f"{name}.csv", index=False)
    tables = [str(tmp_path / f"{name}.csv") for name in ("mine", "theirs", "empty", "minus")]
    options = ["--label", "died", "--models", "logistic", "--cv", "3", "--skip-unusable"]
    for command in ("rank", "matrix"):
        code, out, err = run(command, *tables, *options)
        assert (code, err) == (0, "")
        said = " ".join(out.split())
        assert "1 table left out (--skip-unusable): 'empty'. The file" in said
        assert "1 dataset(s) left out: 'minus'. Both labels must use the same codes." in said
        assert "TableFiles" not in said
        assert "\ntheirs " in out
        assert "\nminus " not in out
    code, _, err = run("rank", *tables[:2], tables[3], *options[:-1])
    assert code == 1
    assert "Both labels must use the same codes" in err
