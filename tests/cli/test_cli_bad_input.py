"""Bad input on the command line: one sentence, exit code 1; Ctrl-C: 130 and what is finished."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import datakin

FAST = ["--label", "died", "--models", "logistic", "--cv", "3"]


def ward(seed, n=60, **columns):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["age", "dose"])
    return frame.assign(died=(frame.age + 0.5 * rng.normal(size=n) > 0).astype(int), **columns)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Good tables, and one file for each mistake."""
    here = tmp_path_factory.mktemp("wards")
    words = {"died": ["yes", "no"] * 30}
    tables = {
        "good": ward(0),
        "other": ward(1),
        "copy": ward(0),
        "part": ward(0).iloc[:30],
        "tiny": ward(2, n=10),
        "unlabelled": ward(2).assign(died=np.nan),
        "single": ward(2).assign(died=1),
        "rare": ward(2).assign(died=[2, 2, *ward(2).died[2:]]),
        "strange": ward(2).rename(columns={"age": "a", "dose": "b"}),
        "text": ward(2).assign(age=["old", "young"] * 30),
        "flat": ward(2).assign(age=1, dose=None),
        "infinite": ward(2).assign(age=[np.inf, *ward(2).age[1:]]),
        "words": ward(2).assign(**words),
        "sites": ward(3).assign(site=["north", "south"] * 30, all=1),
    }
    for name, table in tables.items():
        table.to_csv(here / f"{name}.csv", index=False)
    ward(1).to_csv(here / "semicolons.csv", index=False, sep=";")
    ward(1).to_parquet(here / "good.parquet")
    (here / "empty.csv").write_text("")
    (here / "junk.csv").write_bytes(bytes(range(256)) * 8)
    (here / "junk.parquet").write_bytes(bytes(range(256)) * 8)
    (here / "none").mkdir()
    (here / "none.json").mkdir()
    return here


@pytest.fixture
def run(folder, monkeypatch, call_main):
    monkeypatch.chdir(folder)
    return call_main


def pair(source, *options, target="good.csv"):
    return ["score", target, source, *FAST, *options]


def sites(*options):
    return ["rank", "sites.csv", "--domain", "site", "--ignore", "all", *FAST, *options]


MISTAKES = {
    "label missing": (
        ["score", "good.csv", "other.csv", "--label", "diet"],
        "Did you mean 'died'?",
    ),
    "two labels": (
        pair("other.csv", "--label", "age"),
        "one label at a time. Got the labels 'died', 'age'",
    ),
    "no labelled row": (pair("unlabelled.csv"), "must have a value in some rows. Got none in 60"),
    "one class": (pair("single.csv"), "at least two classes. Got only '1' in dataset 'single'"),
    "rare class": (pair("rare.csv", "--task", "multiclass"), "Got '2 (2)' in 'rare'"),
    "ten rows": (pair("tiny.csv"), "at least 20 labelled rows. Got 10 in dataset 'tiny'"),
    "no shared columns": (pair("strange.csv"), "must share at least one column"),
    "text there": (pair("text.csv"), "It holds numbers or dates in 'good' and text in 'text'"),
    "nothing varies": (pair("flat.csv"), "a column that varies beside the label"),
    "infinite": (pair("infinite.csv"), "'age' must hold finite numbers"),
    "other codes": (
        pair("words.csv"),
        "if they mean the same, say --recode "
        "words::died:no=0 --recode words::died:yes=1; otherwise map the codes",
    ),
    "same name": (pair("good.parquet"), "different names. Got more than one named 'good'"),
    "contained": (pair("part.csv"), "30 also stand in 'good'"),
    "empty file": (pair("empty.csv"), "'empty.csv' is empty"),
    "wrong delimiter": (pair("semicolons.csv", "--delimiter", ","), "looks separated by ';'"),
    "no table": (pair("junk.csv"), "'junk.csv'"),
    "no parquet": (pair("junk.parquet"), "could not be read as a parquet table"),
    "missing file": (pair("othr.csv"), "No file matches 'othr.csv'. Did you mean 'other.csv'"),
    "many files": (pair("*.csv"), "Expected one file"),
    "empty folder": (pair("none"), "holds no .csv"),
    "unknown model": (pair("other.csv", "--models", "logit"), "Did you mean 'logistic'?"),
    "no model": (pair("other.csv", "--models", ","), "at least one model"),
    "unknown loss": (pair("other.csv", "--loss", "zero"), "Did you mean 'zero_one'?"),
    "unknown estimate": (pair("other.csv", "--estimate", "mean"), "--estimate must be"),
    "unknown size": (pair("other.csv", "--size", "big"), "--size must be one of"),
    "unknown task": (pair("other.csv", "--task", "cls"), "task must be 'auto', 'binary'"),
    "two folds": (pair("other.csv", "--cv", "2"), "at least 3"),
    "no jobs": (pair("other.csv", "--n-jobs", "0"), "--n-jobs"),
    "unknown group": (pair("other.csv", "--group", "pid"), "The group column 'pid'"),
    "unknown weight": (pair("other.csv", "--weight", "doze"), "The weight column 'doze'"),
    "unknown ignored": (pair("other.csv", "--ignore", "doze"), "Did you mean 'dose'?"),
    "positive": (pair("other.csv", "--positive", "yes"), "the labels are '0', '1'"),
    "label map": (pair("other.csv", "--label-map", "yes:1"), "must look like old=new. Got 'yes:1'"),
    "out suffix": (pair("other.csv", "--out", "r.txt"), "must end in .json, .csv, .md or .xlsx"),
    "out folder": (pair("other.csv", "--out", "no/r.csv"), "The folder of --out must exist"),
    "out is a folder": (pair("other.csv", "--out", "none.json"), "'none.json'"),
    "absent target": (sites("--target", "nort"), "Did you mean 'north'?"),
    "no target": (sites(), "--domain needs --target"),
    "absent domain": (sites("--target", "x", "--domain", "sit"), "Did you mean 'site'?"),
    "single domain": (["matrix", "sites.csv", "--domain", "all", *FAST], "at least two values"),
    "target without domain": (
        ["rank", "good.csv", "other.csv", "--target", "good", *FAST],
        "--target names a value of --domain",
    ),
    "group over all folds": (
        [*sites("--target", "north"), "--group", "age", "--cv", "40"],
        "at least 40 rows, one per fold",
    ),
    "lonely ranking": (["rank", "good.csv", *FAST], "at least one source"),
    "lonely matrix": (["matrix", "good.csv", *FAST], "at least two datasets. Got 1"),
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(run, arguments, message):
    code, out, err = run(*arguments)
    last = err.strip().splitlines()[-1]
    assert (code, out) == (1, "")
    assert last.startswith("Error: ")
    assert message in last
    assert "Traceback" not in err
    assert err.count("Error: ") == 1


USAGE = {
    "no label": (["score", "good.csv", "other.csv"], "--label"),
    "no source": (["score", "good.csv", *FAST], "source"),
    "unknown command": (["scor", "good.csv"], "score"),
    "unknown option": ([*pair("other.csv"), "--folds", "3"], "--folds"),
    "words for a number": (pair("other.csv", "--cv", "five"), "--cv"),
}


@pytest.mark.parametrize(("arguments", "message"), USAGE.values(), ids=USAGE)
def test_usage(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert message in err.lower()
    assert "Traceback" not in err


def test_json_prints_nothing_but_json_on_failure(run):
    code, out, err = run(*pair("tiny.csv", "--json"))
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")


def test_six_whole_numbers_are_noted(run, folder):
    for seed, name in enumerate(("six.csv", "more.csv")):
        ward(seed).assign(died=np.arange(60) % 6).to_csv(folder / name, index=False)
    said = "6 distinct whole numbers"
    code, out, err = run("score", "six.csv", "more.csv", *FAST)
    assert (code, err) == (0, "")
    assert said in " ".join(out.split())
    code, _, err = run("score", "six.csv", "more.csv", *FAST, "--json")
    assert code == 0
    assert said in err
    code, out, err = run("score", "six.csv", "more.csv", *FAST, "--task", "multiclass")
    assert (code, err) == (0, "")
    assert said not in " ".join(out.split())


PRESS = """
import os, signal, sys, time
from datakin.learners.fitters import NewtonFitter
fit, left = NewtonFitter.fit, int(sys.argv.pop(1))
def press(self, X, y, seed, rows=None):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGINT)
    if left <= 0:
        time.sleep(0.1)  # the main thread looks for signals five times a second
    return fit(self, X, y, seed, rows)
NewtonFitter.fit = press
from datakin.cli import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are different there")
@pytest.mark.parametrize(("jobs", "fits"), [("1", 24), ("2", 31)])
def test_ctrl_c_keeps_the_finished_datasets(tmp_path, jobs, fits):
    for seed in range(5):
        ward(seed).to_csv(tmp_path / f"w{seed}.csv", index=False)
    options = [*FAST, "--n-jobs", jobs, "--json", "--out", "m.csv"]
    done = subprocess.run(
        [sys.executable, "-c", PRESS, str(fits), "matrix", "w*.csv", *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert "of 5 datasets finished" in done.stderr
    partial = datakin.from_json(done.stdout)
    assert 2 <= len(partial) < 5
    assert len(pd.read_csv(tmp_path / "m.csv")) == len(partial) * (len(partial) - 1) // 2
