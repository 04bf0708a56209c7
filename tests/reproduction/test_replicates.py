"""Replicates of the studies behind the claims: the cheapest come out again here, all by the command."""

import json

import pytest

from reproduction import replicates
from reproduction.__main__ import main
from reproduction.replicates import (
    EQUAL,
    FURTHER,
    claimed_studies,
    differences,
    read_replicates,
    replicates_of,
    run_all,
)
from reproduction.studies import STUDIES
from reproduction.study import RESULTS, Study

# Squared errors and distances: no row can fall on the other side of a boundary on another processor.
QUICK = ("distances-fourclass", "distances-linear", "distances-logistic", "gains-linear")
ALL = {
    replicate.label: replicate
    for name in (*claimed_studies(), *FURTHER)
    for replicate in replicates_of(STUDIES[name])
}


def test_two_replicates_of_every_study_are_kept():
    assert len(claimed_studies()) == 20
    assert {len(replicates_of(STUDIES[name])) for name in (*claimed_studies(), *FURTHER)} <= {2, 7}
    kept = read_replicates(RESULTS)
    assert set(kept) == set(ALL)
    assert all(len(column) for rows in kept.values() for column in rows.values())
    assert all(rows for rows in kept.values())


@pytest.mark.parametrize("name", QUICK)
def test_the_cheapest_come_out_again(name):
    (replicate,) = (one for label, one in ALL.items() if label.startswith(f"{name}:"))
    found = differences(read_replicates(RESULTS)[replicate.label], replicate.run())
    assert max(found.values(), default=0.0) <= EQUAL, found


@pytest.mark.parametrize(
    ("now", "found"),
    [
        ({"x": [1.0, 2.0], "z": ["a", None]}, {}),
        ({"x": [1.0, 2.0], "z": ["a", None], "new": [1, 2]}, {}),
        ({"x": [1.0, 2.5], "z": ["a", None]}, {"x": 0.2}),
        ({"x": [1.0, float("nan")], "z": ["a", None]}, {"x": float("inf")}),
        ({"x": [1.0], "z": ["a", "b"]}, {"x": float("inf"), "z": float("inf")}),
        ({"x": [1.0, 2.0]}, {"z": float("inf")}),
    ],
)
def test_differences(now, found):
    kept = {"x": [1.0, 2.0], "z": ["a", None], "gain_zone": ["positive", "positive"]}
    assert differences(kept, now) == found
    assert differences({**kept, "x": [float("nan")]}, {**now, "x": [float("nan")]}).get("x") is None


def test_the_formula_may_go_and_not_change():
    kept = {"forecast": [1.0], "gain_zone": ["positive"]}
    assert differences(kept, {}) == {}
    assert differences(kept, {"gain_zone": ["negative"]}) == {"gain_zone": float("inf")}


@pytest.fixture
def toy(monkeypatch):
    """One study of one cell, whose rows can be changed."""
    rows = [{"value": 0.1, "name": "a", "seconds": 1.0}, {"value": 0.2}]
    study = Study("toy", "A toy.", [{"level": 1}], lambda cell, seed: rows, print, 3)
    monkeypatch.setitem(STUDIES, "toy", study)
    monkeypatch.setattr(replicates, "claimed_studies", lambda: ["toy"])
    monkeypatch.setattr(replicates, "FURTHER", ("gusto",))
    return rows


def test_the_command_keeps_and_checks(toy, tmp_path, capsys):
    place = ["--folder", str(tmp_path), "--data", str(tmp_path)]
    assert main(["replicates", *place]) == 0
    kept = json.loads((tmp_path / "replicates.json").read_text())
    rows = {"value": [0.1, 0.2], "name": ["a", None]}
    assert kept == {"toy: 1; seed 0": rows, "toy: 1; seed 1": rows}
    page = (tmp_path / "replicates.md").read_text()
    assert "| toy | toy: 1; seed 0<br>toy: 1; seed 1 | 4 |" in page
    assert "| gusto | skipped: gusto.csv.gz was expected in" in page
    capsys.readouterr()
    toy[1]["value"] += 1e-12
    assert main(["replicates", "--check", *place]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("toy: 2 replicates, 4 rows, largest difference 1e-12, ")
    assert said[1].startswith("gusto: skipped. gusto.csv.gz was expected in")
    toy[1]["value"] += 1e-8
    assert main(["replicates", "--check", "t*", *place]) == 1
    assert "  differs by 1e-08: toy: 1; seed 0: value" in capsys.readouterr().out
    (tmp_path / "replicates.json").unlink()
    assert main(["replicates", "--check", "toy", *place]) == 1
    assert "toy: 1; seed 1: it is not kept" in capsys.readouterr().out


def test_what_is_shared_runs_once(monkeypatch):
    ran = []

    def replicate(cell, seed):
        ran.append(seed)
        return [{"value": 1.0}]

    cells = [{"run": "shared", "setting": "a"}]
    studies = {n: Study(n, "", cells, replicate, print, 3) for n in ("one", "two")}
    monkeypatch.setattr(replicates, "claimed_studies", lambda: ["one", "two"])
    monkeypatch.setattr(replicates, "FURTHER", ())
    one, two = run_all(studies, "*", None)
    assert one.rows == two.rows
    assert ran == [0, 1]


def test_bad_input(capsys):
    assert main(["replicates", "--check", "table-x"]) == 1
    assert "No study is called 'table-x'. Those kept are 'table-" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["coverage", "--check"])
    assert "--check goes with replicates" in capsys.readouterr().err
