"""--name FILE=NAME: tables have names of one's own, in every answer."""

import json

import pandas as pd
import pytest

import datakin
from tests.unit.choose.models import ward

FAST = ("--label", "died", "--models", "logistic", "--cv", "3", "--json")
NAMES = ("--name", "our clinic 2026.csv=ours", "--name", "b=their=s".replace("r=s", r"r\=s"))


@pytest.fixture
def run(tmp_path, monkeypatch, call_main):
    """Run a command beside three tables, and one that holds them all."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "others").mkdir()
    tables = [ward(seed, n=60) for seed in range(3)]
    for name, table in zip(("our clinic 2026", "others/a", "others/b"), tables, strict=True):
        table.to_csv(f"{name}.csv", index=False)
    sites = [table.assign(site=site) for table, site in zip(tables, (73, 80, 91), strict=True)]
    pd.concat(sites).to_csv("all.csv", index=False)
    return call_main


TABLES = ("our clinic 2026.csv", "others/*.csv")


def test_rank_and_matrix(run):
    code, out, _ = run("rank", *TABLES, *FAST, *NAMES)
    assert code == 0
    result = datakin.from_json(out)
    assert (result.target, {each.source for each in result}) == ("ours", {"a", "their=s"})
    _, out, _ = run("matrix", *TABLES, *FAST, *NAMES)
    assert datakin.from_json(out).names == ("ours", "a", "their=s")


def test_names_change_no_number_of_a_score(run):
    words = ("score", TABLES[0], "others/a.csv", *FAST)
    named = datakin.from_json(run(*words, "--name", "others/a.csv=them")[1])
    assert named.source == "them"
    assert named.score == datakin.from_json(run(*words)[1]).score


def test_check_choose_gain_and_distance(run):
    code, out, _ = run("check", *TABLES, "--label", "died", *NAMES)
    assert code == 0
    assert "ours" in out
    assert "our clinic" not in out
    quick = ("--label", "died", "--json", *NAMES)
    _, out, _ = run("choose", *TABLES, *quick, "--learners", "linear", "--repeats", "1")
    found = datakin.from_json(out)
    assert (found.target, {each.source for each in found.choices}) == ("ours", {"a", "their=s"})
    _, out, _ = run("distance", "energy", *TABLES, *quick)
    assert datakin.from_json(out).target == "ours"
    _, out, _ = run("gain", *TABLES, *quick, "--methods", "concatenate", "--repeats", "2")
    assert json.loads(out)["target"] == "ours"


def test_corrections_for_one_table_go_by_its_name(run):
    words = ("score", TABLES[0], "others/a.csv", *FAST, "--name", "a=them")
    code, _, err = run(*words, "--rename", "them::age=years")
    assert code == 0
    assert "years" in err


def test_a_table_that_cannot_be_used_has_its_name(run, tmp_path):
    (tmp_path / "others" / "c.csv").write_text("x\n1\n")
    words = ("--label", "died", "--learners", "linear", "--repeats", "1", "--json")
    code, out, _ = run("choose", *TABLES, *words, "--name", "c.csv=broken")
    assert code == 0
    assert list(datakin.from_json(out).unusable) == ["broken"]


def test_values_of_a_domain(run):
    split = ("all.csv", "--domain", "site", "--name", "73=ours", "--name", "91=far")
    for target in ("73", "ours"):
        code, out, _ = run("rank", *split, "--target", target, *FAST)
        assert code == 0
        result = datakin.from_json(out)
        assert (result.target, {each.source for each in result}) == ("ours", {"80", "far"})
    _, out, _ = run("matrix", *split, *FAST)
    assert set(datakin.from_json(out).names) == {"ours", "80", "far"}
    code, out, _ = run("check", *split, "--label", "died")
    assert code == 0
    assert "ours" in out
    assert "far" in out


@pytest.mark.parametrize("command", ["rank", "matrix", "check", "choose", "gain"])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ours", "--name must look like FILE=NAME, such as clinic_2026.csv=ours. Got 'ours'."),
        ("a.csv=", "--name must look like FILE=NAME"),
        ("aa.csv=x", "--name: no table is called 'aa.csv'. The tables are 'our clinic 2026.csv', "
         "'a.csv', 'b.csv'. Did you mean 'a.csv'"),
        ("a=b", "--name must give every table a name of its own. Got 'b' twice."),
    ],
)  # fmt: skip
def test_wrong_names_are_refused(run, command, name, message):
    code, out, err = run(command, *TABLES, "--label", "died", "--name", name)
    assert (code, out) == (1, "")
    assert err.startswith(f"Error: {message}")


@pytest.mark.parametrize("command", [("rank", "--target", "73"), ("check",), ("matrix",)])
def test_wrong_values_are_refused(run, command):
    words = (*command, "all.csv", "--domain", "site", "--label", "died")
    code, _, err = run(*words, "--name", "74=ours")
    assert code == 1
    assert (
        "--name: no table is called '74'. The tables are the values of the domain column: " in err
    )
    assert "'73', '80', '91'" in err
    code, _, err = run(*words, "--name", "73=80")
    assert code == 1
    assert "--name must give every table a name of its own. Got '80' twice." in err


def test_two_names_for_one_table(run):
    code, _, err = run("check", *TABLES, "--name", "a=x", "--name", "a=y")
    assert code == 1
    assert "--name gives one name to a table. Got 'x' and 'y' for 'a'." in err
