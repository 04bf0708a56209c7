"""Studies: resumable, deterministic, honest about their inputs."""

import json
import os

import pandas as pd
import pytest

from datakin import CrossErrors, DatakinError, Interrupted
from reproduction.__main__ import main
from reproduction.harness import derive_seed, markdown
from reproduction.studies import ABOUT, STUDIES, reproduce
from reproduction.study import Study, Summary, run_study


def make_study(replicate):
    return Study(
        "toy",
        "A toy.",
        [{"level": 1, "list": [1, 2]}, {"level": 2, "list": []}],
        replicate,
        lambda rows: Summary(rows.groupby("level", as_index=False)["value"].sum(), "the sums"),
        3,
    )


def double(cell, seed):
    return [{"value": 10.0 * cell["level"] + seed}]


def test_writes_table_and_page(tmp_path):
    summary = run_study(make_study(double), folder=tmp_path)
    assert summary.frame["value"].tolist() == [33.0, 63.0]
    assert pd.read_csv(tmp_path / "toy.csv")["value"].tolist() == [33.0, 63.0]
    page = (tmp_path / "toy.md").read_text()
    assert "python -m reproduction toy --replicates 3" in page
    assert "scikit-learn" in page


def test_interrupted_run_goes_on_and_ends_with_the_same_numbers(tmp_path):
    calls = []

    def stops_at_the_fourth(cell, seed):
        calls.append((cell["level"], seed))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return double(cell, seed)

    with pytest.raises(Interrupted, match=r"3 replicate\(s\) kept"):
        run_study(make_study(stops_at_the_fourth), folder=tmp_path)
    cache = tmp_path / "cache" / "toy.jsonl"
    cache.write_text(cache.read_text() + '{"key": "torn')
    summary = run_study(make_study(stops_at_the_fourth), folder=tmp_path)
    assert summary.frame["value"].tolist() == [33.0, 63.0]
    assert len(calls) == 4 + 3, "what was finished is not done again"
    run_study(make_study(stops_at_the_fourth), folder=tmp_path)
    assert len(calls) == 4 + 3, "what came after the torn line is kept, too"


def test_processes_change_nothing(tmp_path):
    for jobs in (1, 2):
        reproduce("null-calibration", replicates=1, n_jobs=jobs, folder=tmp_path / str(jobs))
    tables = [(tmp_path / str(jobs) / "null-calibration.csv").read_text() for jobs in (1, 2)]
    assert tables[0] == tables[1]
    lines = (tmp_path / "1/cache/null-calibration.jsonl").read_text().splitlines()
    assert len([json.loads(line) for line in lines]) == len(STUDIES["null-calibration"].cells)


def test_markdown_table():
    frame = pd.DataFrame({"name": ["a"], "value": [0.123456]})
    assert markdown(frame).splitlines() == ["| name | value |", "|---|---|", "| a | 0.1235 |"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"name": "coverag"},
            "Unknown study 'coverag'. The studies are .* Did you mean 'coverage'",
        ),
        ({"name": "coverage", "replicates": 0}, "replicates must be at least 1"),
        ({"name": "coverage", "n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_bad_input(options, message, tmp_path):
    with pytest.raises(DatakinError, match=message):
        reproduce(folder=tmp_path, **options)


def test_every_study_is_named_and_explained():
    assert len(STUDIES) >= 3
    for name, study in STUDIES.items():
        assert name == study.name
        assert study.about
        assert study.cells


def test_interrupt_inside_a_score_is_passed_on(tmp_path, monkeypatch):
    """Ctrl-C while models are being fitted, not between replicates."""

    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(CrossErrors, "measure", stop)
    with pytest.raises(Interrupted, match="goes on from there"):
        reproduce("null-calibration", replicates=1, folder=tmp_path)
    with pytest.raises(Interrupted, match="goes on from there"):
        reproduce("table-qda", replicates=1, folder=tmp_path)


def test_a_file_where_the_folder_should_be(tmp_path):
    path = tmp_path / "taken"
    path.write_text("")
    with pytest.raises(DatakinError, match="must go to a folder"):
        reproduce("table-qda", replicates=1, folder=path)


def test_seeds_are_those_of_the_committed_results():
    assert derive_seed(0, "canines") == 3888459028
    assert derive_seed(0, "a", 1) != derive_seed(0, "a1")


def test_data_reach_the_functions_that_ask_for_them(tmp_path, monkeypatch):
    monkeypatch.delenv("DATAKIN_DATA", raising=False)
    seen = []

    def replicate(cell, seed, data=None):
        seen.append(data)
        return double(cell, seed)

    run_study(make_study(replicate), folder=tmp_path / "a", data=tmp_path)
    run_study(make_study(double), folder=tmp_path / "b", data=tmp_path)
    assert set(seen) == {tmp_path}
    assert "DATAKIN_DATA" not in os.environ


def test_command_prints_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(STUDIES, "toy", make_study(double))
    monkeypatch.setitem(ABOUT, "toy", "A toy.")
    assert main(["toy", "--replicates", "2", "--folder", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == "the sums"
    assert "--replicates 2`. Seeds 0 to 1." in (tmp_path / "toy.md").read_text()
    assert main(["toy", "--replicates", "0", "--folder", str(tmp_path)]) == 1
    assert "Error: replicates must be at least 1" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["coverag"]])
def test_command_lists_the_studies(arguments, capsys):
    assert main(arguments) == 1
    said = capsys.readouterr().err
    assert ("Did you mean 'coverage'?" in said) == bool(arguments)
    for name, about in ABOUT.items():
        assert any(line.split(maxsplit=1) == [name, about] for line in said.splitlines()), name


def test_command_that_is_interrupted(tmp_path, monkeypatch, capsys):
    def stop(cell, seed):
        raise KeyboardInterrupt

    monkeypatch.setitem(STUDIES, "toy", make_study(stop))
    monkeypatch.setitem(ABOUT, "toy", "A toy.")
    assert main(["toy", "--folder", str(tmp_path)]) == 130
    assert "goes on from there" in capsys.readouterr().err
