"""A checkpoint is cross errors on disk: what it holds so far can be looked at."""

import importlib.util
import signal
import subprocess
import sys

import pandas as pd
import pytest

import datakin
from datakin import CrossErrors, DatakinError


def test_a_score_a_ranking_and_a_matrix(four, fast, tmp_path, assert_same):
    score = datakin.score(four[0], four[1], checkpoint=tmp_path / "score", **fast)
    ranking = datakin.rank(four[0], four[1:], checkpoint=tmp_path / "rank", **fast)
    matrix = datakin.matrix(four, checkpoint=tmp_path / "matrix", **fast)
    assert CrossErrors.load(tmp_path / "score").score("d0", "d1") == score
    assert CrossErrors.load(tmp_path / "rank").rank("d0") == ranking
    loaded = CrossErrors.load(tmp_path / "matrix")
    assert loaded.matrix() == matrix
    assert loaded.complete
    assert loaded.n_fits == matrix.n_fits
    # Losses are there row by row, so that other estimates and rankings can be had too.
    look = {"estimate": "weighted"}
    fresh = datakin.matrix(four, **fast, **look)
    assert_same(loaded.matrix(**look), fresh)
    with pytest.raises(DatakinError, match=r"Another sharpness .* keep .losses."):
        loaded.matrix(sharpness=2.0)
    # A ranking keeps its predictions, which can be combined in other ways.
    fresh = datakin.rank(four[0], four[1:], sharpness=2.0, **fast)
    assert_same(CrossErrors.load(tmp_path / "rank").rank("d0", sharpness=2.0), fresh)


@pytest.mark.parametrize("keep", ["predictions", "losses", "sums"])
def test_measured_cross_errors(four, fast, tmp_path, keep):
    options = {"pairs": "d0", "trials": "d0", "keep": keep}
    errors = CrossErrors.measure(four, checkpoint=tmp_path, **options, **fast)
    loaded = CrossErrors.load(tmp_path)
    found, expected = loaded.score("d0", "d2"), errors.score("d0", "d2")
    assert (found.score, found.interval) == (expected.score, expected.interval)
    again = CrossErrors.measure(four, checkpoint=tmp_path, **options, **fast)
    assert again.score("d0", "d2") == expected


def test_repeats_and_samples(draw, tmp_path):
    members = [draw(0, 700), draw(1, 60), draw(2, 700)]
    options = {"models": ["logistic"], "cv": 3, "max_rows": 200, "repeats": 2}
    with pytest.warns(datakin.DatakinWarning):
        matrix = datakin.matrix(members, checkpoint=tmp_path, **options)
    assert CrossErrors.load(tmp_path).matrix() == matrix


def test_units_that_are_missing_cost_their_pairs(four, fast, tmp_path):
    matrix = datakin.matrix(four, checkpoint=tmp_path, **fast)
    next((tmp_path / "units").glob("d2-*.parquet")).unlink()
    part = CrossErrors.load(tmp_path)
    assert not part.complete
    assert sorted(part.pairs) == [("d0", "d1"), ("d0", "d3"), ("d1", "d3")]
    square = part.matrix()
    assert square.names == ("d0", "d1", "d3")
    assert square.scores[0, 2] == matrix.scores[0, 3]
    with pytest.raises(DatakinError, match="The pair 'd0', 'd2' was not measured"):
        part.score("d0", "d2")
    for file in (tmp_path / "units").iterdir():
        file.unlink()
    assert not CrossErrors.load(tmp_path).pairs


SCRIPT = """
import os, signal, sys
import datakin
from datakin.execution import store
write, left = store.write_parts, [2]
def write_two(*args):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    return write(*args)
store.write_parts = write_two
files = sorted(sys.argv[2:])
datakin.matrix(datakin.read_tables(files, label="y"), checkpoint=sys.argv[1], models=["logistic"], cv=3)
"""


def test_a_run_that_was_killed(four, tmp_path):
    """Pairs of the datasets that were finished have the scores they will have in the end."""
    files = []
    for d in four:
        frame = pd.DataFrame(d.features.numeric, columns=list("abc")).assign(y=d.y)
        frame.to_csv(tmp_path / f"{d.name}.csv", index=False)
        files.append(str(tmp_path / f"{d.name}.csv"))
    call = [sys.executable, "-c", SCRIPT, str(tmp_path / "kept"), *files]
    assert subprocess.run(call, capture_output=True).returncode == -signal.SIGKILL
    part = CrossErrors.load(tmp_path / "kept")
    assert not part.complete
    assert len(part.pairs) == 1
    members = datakin.read_tables(files, label="y")
    whole = datakin.matrix(members, checkpoint=tmp_path / "kept", models=["logistic"], cv=3)
    ((target, source),) = part.pairs
    place = whole.names.index(target), whole.names.index(source)
    assert part.score(target, source).score == whole.scores[place]
    assert CrossErrors.load(tmp_path / "kept").matrix() == whole


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")
def test_an_encoder_head_score(four, tmp_path, assert_same):
    from datakin.deep import EncoderHeadScore

    deep = EncoderHeadScore("identity", repeats=2, checkpoint=tmp_path)
    matrix, ranking = deep.matrix(four[:3]), deep.rank(four[0], four[1:3])
    loaded = CrossErrors.load(tmp_path)
    look = {"estimate": "linear head", "zones": "paper"}
    # Further repeats may be added to the folder: their number is not among its options.
    assert_same(loaded.rank("d0", **look), ranking, "options")
    deep.matrix(four[:3])
    assert_same(CrossErrors.load(tmp_path).matrix(**look), matrix, "options")
