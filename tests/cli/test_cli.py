"""The command line: what it prints and writes, and how it ends."""

import json
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin.cli.options import Scoring
from datakin.cross_errors.options import Options

FAST = ["--label", "died", "--models", "logistic", "--cv", "3"]
OPTIONS = {"models": ["logistic"], "cv": 3}


def ward(seed, n=60):
    rng = np.random.default_rng(seed)
    age, dose = rng.normal(size=(2, n))
    died = (age + seed / 3 * dose + 0.5 * rng.normal(size=n) > 0).astype(int)
    return pd.DataFrame({"age": age, "dose": dose, "died": died})


@pytest.fixture
def wards(tmp_path, monkeypatch):
    """A folder with four tables, one of all of them, and the tests inside it."""
    monkeypatch.chdir(tmp_path)
    names = ["north", "south", "west"]
    for seed, name in enumerate(names):
        ward(seed).to_csv(f"{name}.csv", index=False)
    ward(3).to_parquet("east.parquet")
    everything = [ward(i).assign(site=name, note=f"n{i}") for i, name in enumerate(names)]
    pd.concat(everything).to_csv("all.csv", index=False)
    return tmp_path


@pytest.fixture
def run(wards, call_main):
    """Run a command in this process; return exit code, standard output and standard error."""
    return call_main


def read(*paths):
    return datakin.read_tables([str(p) for p in paths], label="died")


def test_score(run):
    code, out, err = run("score", "north.csv", "south.csv", *FAST)
    assert (code, err) == (0, "")
    assert "north" in out
    assert "south" in out


def test_score_as_json_is_the_python_result(run):
    code, out, err = run("score", "north.csv", "south.csv", *FAST, "--json")
    assert (code, err) == (0, "")
    expected = datakin.score(*read("north.csv", "south.csv").values(), **OPTIONS)
    assert json.loads(out) == json.loads(expected.to_json())
    assert datakin.from_json(out) == expected


def test_options_reach_the_score(run):
    options = ["--estimate", "unweighted", "--loss", "brier", "--size", "paper", "--seed", "7"]
    models = ["--models", "logistic, linear_svm", "--n-jobs", "2", "--repeats", "2"]
    _, out, _ = run("score", "north.csv", "south.csv", *FAST, *options, *models, "--json")
    expected = datakin.score(
        *read("north.csv", "south.csv").values(), models=["logistic", "linear_svm"], cv=3, loss="brier",
        estimate="unweighted", size="paper", random_state=7, repeats=2,
    )  # fmt: skip
    assert datakin.from_json(out) == expected


def test_options_that_few_need_reach_the_score(run):
    options = ["--sharpness", "3", "--direction", "0.7", "--inner", "fresh", "--voting", "hard"]
    more = ["--zones", "paper", "--zone-error", "folds", "--weighting", "paper", "--max-rows", "0"]
    command = ["score", "north.csv", "south.csv", "--label", "died", "--cv", "3"]
    code, out, err = run(
        *command, "--models", "logistic,rbf_svm", *options, *more, "--no-stratify", "--json"
    )
    assert (code, err) == (0, "")
    expected = datakin.score(
        *read("north.csv", "south.csv").values(), models=["logistic", "rbf_svm"], cv=3, sharpness=3.0,
        direction=0.7, inner="fresh", voting="hard", zones="paper", zone_error="folds", weighting="paper",
        max_rows=None, stratify=False,
    )  # fmt: skip
    assert datakin.from_json(out) == expected


@pytest.mark.parametrize("command", ["score", "rank", "matrix"])
def test_help_has_every_option_of_a_score(run, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    _, out, _ = run(command, "--help-all")
    told = " ".join(out.split())
    for each in fields(Options):
        flag = each.metadata.get("flag", f"--{each.name.replace('_', '-')}")
        assert f"{flag} " in told
        assert each.metadata["help"] in told
    assert "--no-stratify" in told
    assert "--no-skip-unusable" not in told
    assert "--method" not in told


def test_defaults_are_those_of_the_score():
    given = {p.name: p.default for p in Scoring.parameters()}
    made = Options(**Scoring(**given).options())
    assert made.get_params() == Options().get_params()
    assert Scoring(**{**given, "models": "extended"}).options()["models"] == "extended"
    assert Scoring(**{**given, "max_rows": 0}).options()["max_rows"] is None


def test_reproduce_says_where_the_studies_went(run):
    for arguments in ([], ["claims"], ["eicu", "--data", "x", "--n-jobs", "2"]):
        code, out, err = run("reproduce", *arguments)
        assert (code, out) == (1, "")
        assert err == (
            "The studies are beside the package: in a clone of the repository run "
            "`make reproduce NAME=...` (python -m reproduction NAME).\n"
        )


def test_a_table_called_like_a_command_that_is_gone_is_a_table(run):
    code, out, err = run("choos", "reproduce", "--method", "mmd")
    assert (code, out) == (1, "")
    assert "No such command 'choos'." in err


def test_rank_of_files_and_globs(run):
    code, out, _ = run("rank", "north.csv", "*th.csv", "west.csv", "east.parquet", *FAST, "--json")
    sources = read("south.csv", "west.csv", "east.parquet")
    expected = datakin.rank(read("north.csv")["north"], sources, **OPTIONS)
    assert code == 0
    assert datakin.from_json(out) == expected


def test_rank_by_domain(run):
    command = ["rank", "all.csv", "--domain", "site", "--target", "south", *FAST, "--json"]
    code, out, err = run(*command, "--ignore", "note")
    tables = datakin.read_tables("all.csv", label="died", domain="site", ignore=["note"])
    expected = datakin.rank(tables.pop("south"), tables, **OPTIONS)
    assert (code, err) == (0, "")
    assert datakin.from_json(out) == expected


def test_rank_shows_a_table(run):
    _, out, _ = run("rank", "north.csv", "south.csv", "west.csv", *FAST)
    assert "\nBest first: south. With it" in out
    assert out.index("\nsouth ") < out.index("\nwest ")


def test_matrix_of_files_equals_matrix_by_domain(run):
    code, files, _ = run("matrix", "north.csv", "south.csv", "west.csv", *FAST, "--json")
    _, split, _ = run("matrix", "all.csv", "--domain", "site", "--ignore", "note", *FAST, "--json")
    assert code == 0
    assert datakin.from_json(files) == datakin.from_json(split)


def test_matrix_shows_what_goes_together_and_the_square(run):
    _, out, _ = run("matrix", "north.csv", "south.csv", "west.csv", *FAST)
    assert out.startswith("No pair of the 3 datasets is clearly apart by its score.\n")
    rows = [line.split() for line in out.split("\n\n")[1].splitlines()]
    assert rows[0] == [row[0] for row in rows[1:]] == ["north", "south", "west"]


def test_out_writes_json_and_csv(run, wards):
    for name in ("r.json", "r.csv"):
        code, out, _ = run("rank", "north.csv", "south.csv", "west.csv", *FAST, "--out", name)
        assert code == 0
        assert "\nBest first: south" in out
    ranking = datakin.Ranking.from_json((wards / "r.json").read_text())
    pd.testing.assert_frame_equal(pd.read_csv("r.csv"), ranking.frame)


@pytest.mark.parametrize("ignore", ["--ignore unit,row", "--ignore unit --ignore row"])
def test_ignore_repeats_or_takes_commas(run, ignore):
    for seed, name in enumerate(("a.csv", "b.csv")):
        ward(seed).assign(unit="mg", row=range(60)).to_csv(name, index=False)
    code, out, err = run("score", "a.csv", "b.csv", *FAST, *ignore.split(), "--json")
    expected = datakin.score(*read("north.csv", "south.csv").values(), **OPTIONS)
    assert (code, err) == (0, "")
    assert datakin.from_json(out).score == expected.score


def test_labels_are_mapped_and_the_positive_class_named(run):
    words = ward(1).assign(died=lambda f: np.where(f.died, "yes", "no"))
    words.to_csv("words.csv", index=False)
    maps = [part for pair in ("yes=1", "no=0", "1=1", "0=0") for part in ("--label-map", pair)]
    _, out, _ = run("score", "north.csv", "words.csv", *FAST, "--json", *maps)
    expected = datakin.score(*read("north.csv", "south.csv").values(), **OPTIONS)
    assert datakin.from_json(out).score == expected.score


def test_delimiter_and_group(run):
    ward(1).assign(patient=np.arange(60) // 2).to_csv("tabs.csv", index=False, sep="\t")
    ward(2).assign(patient=np.arange(60) // 2 + 30).to_csv("more.csv", index=False, sep="\t")
    options = ["--delimiter", "\\t", "--group", "patient"]
    code, _, err = run("score", "tabs.csv", "more.csv", *FAST, *options)
    assert (code, err) == (0, "")


def test_weights_are_no_feature_and_a_score_says_that_it_takes_none(run):
    ward(1).assign(counts=np.arange(60) % 4).to_csv("one.csv", index=False)
    ward(2).assign(counts=np.arange(60) % 3).to_csv("two.csv", index=False)
    options = [*FAST, "--json"]
    code, out, err = run("score", "one.csv", "two.csv", *options, "--weight", "counts")
    assert code == 0
    assert err == (
        "Note: row weights are used by choose and explain only: those of 'one', 'two' have no effect here\n"
    )
    _, without, _ = run("score", "one.csv", "two.csv", *options, "--ignore", "counts")
    assert datakin.from_json(out) == datakin.from_json(without)


def test_notes_go_to_standard_error(run):
    ward(1).assign(unit="mg").to_csv("unit.csv", index=False)
    code, out, err = run("score", "north.csv", "unit.csv", *FAST, "--json")
    assert code == 0
    assert err == "Note: unit: constant column(s) dropped: 'unit'\n"
    json.loads(out)


def test_the_module_runs_and_says_its_version():
    done = subprocess.run(
        [sys.executable, "-m", "datakin", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"datakin {datakin.__version__}\n"


def test_the_demo_finds_the_truth(run):
    code, out, _ = run("demo", "--n-jobs", "2")
    assert code == 0
    assert out.count(": yes") == 3
    assert ": NO" not in out
