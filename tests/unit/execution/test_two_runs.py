"""Two runs on one checkpoint folder: both right if they are alike, one refused if they are not."""

import subprocess
import sys

import pytest

import datakin
from datakin import CrossErrors, DatakinError, Matrix

SCRIPT = """
import sys
import numpy as np
import datakin
folder, cv = sys.argv[1], int(sys.argv[2])
datasets = {}
for i in range(4):
    rng = np.random.default_rng(i)
    X = rng.standard_normal((60, 3))
    datasets[f"d{i}"] = X, (X[:, 0] + 0.3 * i * X[:, 1] + 0.5 * rng.standard_normal(60) > 0).astype(int)
models = ["logistic", "linear_svm"]
print("ready", flush=True)
sys.stdin.readline()
try:
    made = datakin.matrix(datasets, checkpoint=folder, models=models, cv=cv, n_jobs=1)
    print(made.to_json())
except datakin.DatakinError as error:
    print("refused:", error)
"""


def start_together(folder, *folds):
    """Run the same script side by side; return what each said."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(folder), str(cv)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for cv in folds
    ]
    for run in runs:
        assert run.stdout.readline() == "ready\n"
    for run in runs:
        run.stdin.write("go\n")
        run.stdin.flush()
    said = [run.communicate(timeout=240) for run in runs]
    assert [run.returncode for run in runs] == [0] * len(runs)
    assert [error for _, error in said] == [""] * len(runs)
    return [text for text, _ in said]


@pytest.mark.long
def test_two_equal_runs_are_both_right(tmp_path, family):
    one, two = start_together(tmp_path / "kept", 3, 3)
    assert one == two
    options = {"models": ["logistic", "linear_svm"], "cv": 3}
    alone = datakin.matrix(family(), **options)
    assert Matrix.from_json(one) == alone
    assert len(list((tmp_path / "kept" / "units").iterdir())) == 4  # and no draft is left
    assert CrossErrors.load(tmp_path / "kept").matrix() == alone
    assert datakin.matrix(family(), checkpoint=tmp_path / "kept", **options) == alone


@pytest.mark.long
def test_of_two_different_runs_one_is_refused(tmp_path):
    said = start_together(tmp_path / "kept", 3, 4)
    refused = [text for text in said if text.startswith("refused:")]
    assert len(refused) == 1
    assert "belongs to another run: cv was" in refused[0]
    (kept,) = [Matrix.from_json(text) for text in said if text not in refused]
    assert CrossErrors.load(tmp_path / "kept").matrix() == kept


def test_a_folder_between_two_runs(tmp_path, family):
    """A run begun later finds what an earlier one has left, and a look in between is partial."""
    options = {"models": ["logistic"], "cv": 3}
    whole = datakin.matrix(family(), **options)
    seen = []

    def stop(comparison):
        seen.append(comparison.source)
        raise KeyboardInterrupt

    datasets = family()
    target = datasets.pop("d0")
    with pytest.raises(datakin.Interrupted):
        datakin.rank(target, datasets, checkpoint=tmp_path, on_result=stop, n_jobs=1, **options)
    part = CrossErrors.load(tmp_path)
    assert not part.complete
    assert ("target", seen[0]) in part.pairs
    with pytest.raises(DatakinError, match="belongs to another run"):
        datakin.matrix(family(), checkpoint=tmp_path, **options)
    finished = datakin.rank(target, datasets, checkpoint=tmp_path, **options)
    assert CrossErrors.load(tmp_path).rank("target") == finished
    assert finished["d1"].score == whole.scores[0, 1]
