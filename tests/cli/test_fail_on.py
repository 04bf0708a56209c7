"""--fail-on: the work is done and shown as usual, and then the exit code tells."""

import json
import os

import numpy as np
import pandas as pd
import pytest

import datakin

FAST = ("--label", "y", "--models", "logistic", "--cv", "3")
QUICK = ("--label", "y", "--learners", "linear", "--repeats", "1")


@pytest.fixture
def run(tmp_path, monkeypatch, call_main):
    """Run a command beside a target, a twin of it, and a table with the opposite rule."""
    monkeypatch.chdir(tmp_path)
    for seed, (name, sign) in enumerate({"mine": 1, "twin": 1, "opposite": -1}.items()):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, 120))
        label = (sign * (a + b) + 0.3 * rng.normal(size=120) > 0).astype(int)
        pd.DataFrame({"a": a, "b": b, "y": label}).to_csv(f"{name}.csv", index=False)
    return call_main


ALL = ("mine.csv", "twin.csv", "opposite.csv")


@pytest.mark.parametrize("command", [("rank", *ALL, *FAST), ("choose", *ALL, *QUICK)])
def test_a_source_that_hurts_gives_an_exit_code_of_its_own(run, command):
    code, out, err = run(*command, "--fail-on", "hurts", "--out", "r.csv", "--json")
    assert code == 3
    assert json.loads(out)
    assert os.path.exists("r.csv")
    assert err.splitlines()[-1] == ("Exit code 3, as --fail-on asks. Called hurts: 'opposite'.")
    usual, same, _ = run(*command, "--json")
    assert (usual, json.loads(same)["type"]) == (0, json.loads(out)["type"])


def test_all_that_are_called_so_are_named(run):
    _, out, _ = run("rank", *ALL, *FAST, "--json")
    call = datakin.from_json(out)["twin"].call
    code, _, err = run("rank", *ALL, *FAST, "--fail-on", f"hurts,{call}")
    assert code == 3
    assert f"Called hurts: 'opposite'; called {call}: 'twin'." in err


def test_score(run):
    assert run("score", "mine.csv", "opposite.csv", *FAST, "--fail-on", "hurts")[0] == 3
    code, _, err = run("score", "mine.csv", "twin.csv", *FAST, "--fail-on", "hurts")
    assert (code, err) == (0, "")


def test_quiet_says_why(run):
    code, out, err = run("score", "mine.csv", "opposite.csv", *FAST, "--fail-on", "hurts", "-q")
    assert (code, out) == (3, "")
    assert err.startswith("Exit code 3")


def test_matrix_with_calls(run):
    code, _, err = run("matrix", *ALL, *FAST, "--calls", "--fail-on", "hurts")
    assert code == 3
    assert "'opposite for mine'" in err
    assert "mine for mine" not in err
    code, _, err = run("matrix", *ALL, *FAST, "--fail-on", "hurts")
    assert code == 1
    assert "--fail-on has an effect only with --calls." in err


@pytest.mark.parametrize("command", ["rank", "choose", "matrix"])
@pytest.mark.parametrize(
    ("words", "got"),
    [("hurt", "'hurt'. Did you mean 'hurts'?"), ("negative", "'negative'."), (" ,", "none.")],
)
def test_unknown_words_are_refused_before_any_work(run, command, words, got):
    code, out, err = run(command, "absent.csv", "other.csv", "--label", "y", "--fail-on", words)
    assert (code, out) == (1, "")
    assert err == (
        f"Error: --fail-on takes calls, separated by commas: helps, harmless, unclear, hurts. Got {got}\n"
    )


def test_a_file_that_cannot_be_written_comes_first(run, monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    words = ("score", "mine.csv", "opposite.csv", *FAST, "--fail-on", "hurts", "--out", "r.json")
    assert run(*words)[0] == 1
