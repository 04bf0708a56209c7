"""`datakin gain`, and zones by the gain: what is printed and written, and how it ends."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import datakin

GAIN = ["gain", "north.csv", "south.csv", "--label", "died"]
QUICK = [*GAIN, "--methods", "concatenate", "--repeats", "2"]
FAST = ["--label", "died", "--models", "logistic", "--cv", "3"]


def ward(seed, n=60, **columns):
    rng = np.random.default_rng(seed)
    age, dose = rng.normal(size=(2, n))
    died = (age + seed / 3 * dose + 0.5 * rng.normal(size=n) > 0).astype(int)
    return pd.DataFrame({"age": age, "dose": dose, "died": died}).assign(**columns)


@pytest.fixture
def run(tmp_path, monkeypatch, call_main):
    """Run a command among four tables; return exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    ward(0).to_csv("north.csv", index=False)
    ward(1).to_csv("south.csv", index=False)
    ward(0).to_csv("copy.csv", index=False)
    ward(2).assign(died=[2, 2, *ward(2).died[2:]]).to_csv("rare.csv", index=False)
    ward(2).assign(died=["yes", "no"] * 30).to_csv("words.csv", index=False)
    return call_main


def read(*paths, **options):
    return list(datakin.read_tables(list(paths), label="died", **options).values())


def test_gain_shows_a_table(run):
    code, out, err = run(*QUICK)
    assert (code, err) == (0, "")
    assert "relative error reduction" in " ".join(out.split())
    assert "Means over 2 random splits." in out
    (row,) = [line for line in out.splitlines() if line.startswith("concatenate ")]
    (head,) = [line for line in out.splitlines() if line.startswith("method ")]
    assert all(title in head for title in ("error", "change", "back: error", "back: change"))
    found = datakin.transfer_gain(
        *read("north.csv", "south.csv"), methods=["concatenate"], repeats=2
    ).methods["concatenate"]
    assert row.split()[1] == f"{found.target_error:.1%}"


def test_gain_as_json_is_the_python_result(run):
    options = ["--methods", "concatenate, kin_weighted", "--repeats", "3", "--seed", "5"]
    code, out, err = run(*GAIN, *options, "--test-size", "0.4", "--n-jobs", "1", "--json")
    expected = datakin.transfer_gain(
        *read("north.csv", "south.csv"), methods=["concatenate", "kin_weighted"], repeats=3,
        random_state=5, test_size=0.4,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert datakin.from_json(out) == expected


def test_gain_with_another_learner(run):
    _, out, _ = run(*QUICK, "--estimator", "forest", "--json")
    expected = datakin.transfer_gain(
        *read("north.csv", "south.csv"), methods=["concatenate"], repeats=2, estimator="forest"
    )
    assert datakin.from_json(out) == expected


def test_gain_of_numbers_and_groups(run):
    for seed, name in enumerate(("a.csv", "b.csv")):
        frame = ward(seed, patient=np.arange(60) // 2 + 30 * seed)
        frame.assign(died=frame.age + 0.1 * frame.dose).to_csv(name, index=False)
    options = [
        "--label",
        "died",
        "--group",
        "patient",
        "--methods",
        "concatenate",
        "--repeats",
        "2",
    ]
    code, out, err = run("gain", "a.csv", "b.csv", *options, "--json")
    assert (code, err) == (0, "")
    assert datakin.from_json(out).loss == "squared"
    expected = datakin.transfer_gain(
        *read("a.csv", "b.csv", group="patient"), methods=["concatenate"], repeats=2
    )
    assert datakin.from_json(out) == expected


def test_gain_of_several_sources(run):
    ward(3).to_csv("east.csv", index=False)
    options = ["--label", "died", "--methods", "concatenate", "--repeats", "2"]
    code, out, err = run("gain", "north.csv", "south.csv", "east.csv", *options, "--json")
    assert (code, err) == (0, "")
    first, *others = read("north.csv", "south.csv", "east.csv")
    expected = datakin.transfer_gain(first, others, methods=["concatenate"], repeats=2)
    assert datakin.from_json(out) == expected
    code, out, err = run("gain", "north.csv", "south.csv", "east.csv", *options)
    assert (code, err) == (0, "")
    assert "Learned from south and east at once." in out
    assert "back: " not in out


def test_gain_of_the_parts_of_one_table(run):
    parts = [ward(seed, ward=name) for seed, name in enumerate(("north", "south", "east"))]
    pd.concat(parts).to_csv("all.csv", index=False)
    options = ["--label", "died", "--methods", "concatenate", "--repeats", "2", "--json"]
    code, out, _ = run("gain", "all.csv", "--domain", "ward", "--target", "south", *options)
    assert code == 0
    assert datakin.from_json(out).target == "south"
    assert sorted(datakin.from_json(out).sources) == ["east", "north"]


def test_gain_in_another_loss(run):
    code, out, err = run(*QUICK, "--loss", "brier", "--json")
    assert (code, err) == (0, "")
    assert datakin.from_json(out).loss == "brier"
    code, out, err = run(*QUICK, "--loss", "briar")
    assert (code, out) == (1, "")
    assert "Did you mean 'brier'?" in err


def test_gain_is_written(run, tmp_path):
    for name in ("g.json", "g.csv"):
        code, _, err = run(*QUICK, "--out", name)
        assert (code, err) == (0, f"Written to {name}\n")
    gain = datakin.Gain.from_json((tmp_path / "g.json").read_text())
    pd.testing.assert_frame_equal(pd.read_csv("g.csv"), gain.frame)


def test_notes_go_to_standard_error(run):
    ward(1, height=ward(5).age).to_csv("south.csv", index=False)
    code, _, err = run(*QUICK, "--json")
    assert code == 0
    assert err == "Note: not used, absent from the target: 'height'\n"


MISTAKES = {
    "unknown method": ([*GAIN, "--methods", "boost"], "must name some of 'concatenate'"),
    "no method": ([*GAIN, "--methods", ","], "at least one method. Got none"),
    "method of another task": ([*GAIN, "--methods", "tradaboost_r2"], "is not for binary tasks"),
    "unknown learner": ([*QUICK, "--estimator", "forrest"], "Did you mean 'forest'?"),
    "learner of another task": ([*QUICK, "--estimator", "linear"], "one of 'logistic', 'forest'"),
    "no repeats": ([*GAIN, "--repeats", "0"], "--repeats"),
    "test size": ([*GAIN, "--test-size", "3"], "share between 0 and 1. Got 3.0"),
    "no jobs": ([*GAIN, "--n-jobs", "0"], "--n-jobs"),
    "the same rows": (["gain", "north.csv", "copy.csv", *GAIN[3:]], "hold the same rows"),
    "other codes": (["gain", "north.csv", "words.csv", *GAIN[3:]], "must use the same codes"),
    "rare class": (
        ["gain", "north.csv", "rare.csv", *GAIN[3:], "--task", "multiclass"],
        "'rare' has 2 of '2'",
    ),
    "one table": (["gain", "north.csv", *GAIN[3:]], "at least one source. Got one table"),
    "missing file": (["gain", "north.csv", "suoth.csv", *GAIN[3:]], "Did you mean 'south.csv'"),
    "out suffix": ([*QUICK, "--out", "g.txt"], "must end in .json, .csv, .md or .xlsx"),
    "unknown zones": (
        ["score", "north.csv", "south.csv", *FAST, "--zones", "gains"],
        "--zones must be one of 'gain', 'paper'",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    last = err.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    assert message in last


@pytest.mark.parametrize("command", ["score", "rank", "matrix"])
def test_zones_by_the_papers_rule(run, command):
    code, out, err = run(command, "north.csv", "south.csv", *FAST, "--zones", "paper", "--json")
    assert (code, err) == (0, "")
    call = {"score": datakin.score, "rank": lambda t, s, **o: datakin.rank(t, [s], **o),
            "matrix": lambda t, s, **o: datakin.matrix([t, s], **o)}[command]  # fmt: skip
    pair = read("north.csv", "south.csv")
    assert datakin.from_json(out) == call(*pair, models=["logistic"], cv=3, zones="paper")
    assert datakin.from_json(out) != call(*pair, models=["logistic"], cv=3)


PRESS = """
import os, signal, sys
from sklearn.linear_model import LogisticRegression
fit, left = LogisticRegression.fit, int(sys.argv.pop(1))
def press(self, X, y, sample_weight=None):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGINT)
    return fit(self, X, y, sample_weight)
LogisticRegression.fit = press
from datakin.cli import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are different there")
def test_ctrl_c_keeps_the_finished_splits(run, tmp_path):
    # Four fits a split: alone and pooled, both ways.
    options = [*GAIN, "--methods", "concatenate", "--repeats", "9", "--json", "--out", "g.csv"]
    done = subprocess.run(
        [sys.executable, "-c", PRESS, "18", *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert "Interrupted with 4 of 9 splits finished." in done.stderr
    partial = datakin.from_json(done.stdout)
    assert partial.repeats == 4
    assert len(pd.read_csv(tmp_path / "g.csv")) == 1
