"""A killed run goes on where it was, with the same numbers."""

import json
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import datakin
from datakin import DatakinError, DatakinWarning
from datakin.execution import measurement, store

OPTIONS = {"models": ["logistic", "linear_svm"], "cv": 3}


@pytest.fixture
def counted(monkeypatch):
    """Count the units that are run, not found."""
    runs = []
    original = measurement.run_in_threads

    def run(units, *rest):
        runs.extend(unit.dataset.name for unit in units)
        return original(units, *rest)

    monkeypatch.setattr(measurement, "run_in_threads", run)
    return runs


def test_a_finished_run_is_read_back(tmp_path, counted, family):
    plain = datakin.matrix(family(), **OPTIONS)
    first = datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS)
    counted.clear()
    second = datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS)
    assert counted == []
    assert plain == first == second


@pytest.mark.parametrize("task", ["rank", "score"])
@pytest.mark.parametrize("more", [{}, {"repeats": 2}, {"size": "limit"}, {"inner": "fresh"}])
def test_rankings_and_scores_too(tmp_path, task, more, family):
    datasets = family()
    target = datasets.pop("d0")
    given = (datasets,) if task == "rank" else (datasets["d1"],)
    calls = [
        getattr(datakin, task)(target, *given, checkpoint=folder, **OPTIONS, **more)
        for folder in (None, tmp_path, tmp_path)
    ]
    assert calls[0] == calls[1] == calls[2]


def test_only_what_is_missing_is_run(tmp_path, counted, family):
    whole = datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS)
    next((tmp_path / "units").glob("d2-*.parquet")).unlink()
    counted.clear()
    assert datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS) == whole
    assert counted == ["d2"]


DAMAGE = {
    "cut": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "text": lambda content: b"not parquet",
    "number": lambda content: with_a_wrong_byte(content, 0.02),
}


def with_a_wrong_byte(content, place):
    at = int(place * len(content))
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_torn_file_is_made_again(tmp_path, counted, damage, family):
    whole = datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS)
    file = next((tmp_path / "units").glob("d1-*.parquet"))
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    counted.clear()
    with pytest.warns(DatakinWarning, match="1 file.s. of the checkpoint are torn"):
        assert datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS) == whole
    assert counted == ["d1"]


def test_no_wrong_byte_makes_a_wrong_number(tmp_path, family):
    whole = datakin.matrix(family(2), checkpoint=tmp_path, **OPTIONS)
    file = next((tmp_path / "units").glob("d1-*.parquet"))
    content = file.read_bytes()
    for place in np.linspace(0, 0.999, 60):
        file.write_bytes(with_a_wrong_byte(content, place))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DatakinWarning)
            assert datakin.matrix(family(2), checkpoint=tmp_path, **OPTIONS) == whole


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cv": 4}, "cv was 3, now 4"),
        ({"random_state": 7}, "random_state was 0, now 7"),
        ({"models": ["logistic"]}, "models was"),
        ({"size": "paper"}, "size was 'matched', now 'paper'"),
    ],
)
def test_other_options_are_refused(tmp_path, change, reason, family):
    datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS)
    with pytest.raises(DatakinError, match=f"belongs to another run: {reason}"):
        datakin.matrix(family(), checkpoint=tmp_path, **{**OPTIONS, **change})


def test_other_data_are_refused(tmp_path, family):
    datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS)
    changed = family()
    changed["d1"][0][0, 0] += 1
    for datasets, reason in (
        (changed, "dataset.s. changed: 'd1'"),
        (family(3), "dataset.s. gone: 'd3'"),
        (family(5), "dataset.s. new: 'd4'"),
    ):
        with pytest.raises(DatakinError, match=reason):
            datakin.matrix(datasets, checkpoint=tmp_path, **OPTIONS)


def test_another_version_is_refused(tmp_path, family):
    datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS)
    note = tmp_path / "about.json"
    run = json.loads(note.read_text())
    run["versions"]["datakin"] = "0.0.1"
    note.write_text(json.dumps(run))
    with pytest.raises(DatakinError, match=r"datakin was '0\.0\.1', now"):
        datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS)


def test_threads_and_places_change_nothing(tmp_path, family):
    datakin.matrix(family(), checkpoint=tmp_path, n_jobs=1, **OPTIONS)
    again = datakin.matrix(family(), checkpoint=tmp_path, n_jobs=2, **OPTIONS)
    assert again == datakin.matrix(family(), **OPTIONS)


@pytest.mark.parametrize("path", ["/proc/datakin", "file"])
def test_a_folder_that_cannot_be_written_to(tmp_path, path, family):
    (tmp_path / "file").write_text("")
    with pytest.raises(DatakinError, match=r"folder .* can be written to"):
        datakin.matrix(family(), checkpoint=os.path.join(tmp_path, path), **OPTIONS)


def test_a_full_disk_costs_the_checkpoint_not_the_run(tmp_path, monkeypatch, family):
    def full(place, parts):
        raise OSError(28, "No space left on device")

    plain = datakin.matrix(family(), **OPTIONS)
    monkeypatch.setattr(store, "write_parts", full)
    with pytest.warns(DatakinWarning, match="No space left on device.*goes on without it"):
        assert datakin.matrix(family(), checkpoint=tmp_path, **OPTIONS) == plain


def test_a_folder_of_something_else_is_left_alone(tmp_path, family):
    (tmp_path / "mine.csv").write_text("a,b\n")
    with pytest.raises(DatakinError, match=r"must be new, empty or .*It holds 'mine\.csv'"):
        datakin.matrix(family(2), checkpoint=tmp_path, models=["logistic"], cv=3)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.csv"]


def test_many_errors_go_to_a_temporary_folder(tmp_path, monkeypatch, family):
    plain = datakin.matrix(family(), **OPTIONS)
    monkeypatch.setattr(store, "MEMORY", 100)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(store.tempfile, "tempdir", None)
    seen = []
    original = store.write_parts
    monkeypatch.setattr(
        store, "write_parts", lambda *a: (seen.append(a[0].parent), original(*a))[1]
    )
    assert datakin.matrix(family(), **OPTIONS) == plain
    assert len(seen) == 4
    assert not list(tmp_path.glob("datakin-*"))  # gone with the run


@pytest.mark.parametrize("value", [3, ["a"], True])
def test_checkpoint_must_be_a_path(value):
    with pytest.raises(DatakinError, match="'checkpoint' parameter must be the path of a folder"):
        datakin.CrossLearningScore(checkpoint=value)


SCRIPT = """
import sys, warnings
import numpy as np
import datakin
rng = np.random.default_rng(0)
datasets = {}
for i in range(5):
    X = rng.standard_normal((400, 6))
    datasets[f"d{i}"] = X, (X[:, 0] + 0.3 * i * X[:, 1] + rng.standard_normal(400) > 0).astype(int)
kept = sys.argv[1] if len(sys.argv) > 1 else None
print(datakin.matrix(datasets, models="paper", checkpoint=kept).to_json())  # not too quick to be killed
"""


def test_kill_9_and_resume(tmp_path):
    """A run killed without warning after two datasets ends with identical numbers."""
    units = tmp_path / "kept" / "units"
    call = [sys.executable, "-c", SCRIPT]
    victim = subprocess.Popen([*call, str(tmp_path / "kept")], stdout=subprocess.PIPE)
    give_up = time.monotonic() + 120
    while len(list(units.glob("[!.]*.parquet"))) < 2:
        assert victim.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < give_up
        time.sleep(0.02)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    victim.stdout.close()
    kept = {file: file.stat().st_mtime_ns for file in units.glob("[!.]*.parquet")}
    assert 2 <= len(kept) < 5
    resumed = subprocess.run([*call, str(tmp_path / "kept")], capture_output=True, check=True)
    whole = subprocess.run(call, capture_output=True, check=True)
    assert resumed.stdout == whole.stdout
    assert len(list(units.glob("[!.]*.parquet"))) == 5
    assert all(file.stat().st_mtime_ns == when for file, when in kept.items())
