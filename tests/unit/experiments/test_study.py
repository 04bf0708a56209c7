"""Studies: resumable, deterministic, honest about their inputs."""

import json

import pandas as pd
import pytest

from datakin import DatakinError, Interrupted
from datakin.experiments import STUDIES, reproduce
from datakin.experiments.study import Study, Summary, markdown, run_study


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
    assert "datakin reproduce toy --replicates 3" in page
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

    monkeypatch.setattr("datakin.scoring.units.Work.run", stop)
    with pytest.raises(Interrupted, match="goes on from there"):
        reproduce("null-calibration", replicates=1, folder=tmp_path)
    with pytest.raises(Interrupted, match="goes on from there"):
        reproduce("table-qda", replicates=1, folder=tmp_path)


def test_a_file_where_the_folder_should_be(tmp_path):
    path = tmp_path / "taken"
    path.write_text("")
    with pytest.raises(DatakinError, match="must go to a folder"):
        reproduce("table-qda", replicates=1, folder=path)
