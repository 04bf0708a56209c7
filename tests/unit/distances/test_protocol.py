"""Every method answers compare, rank and matrix alike; a count, so that an empty list fails."""

import numpy as np
import pytest

from datakin import Distance, Matrix, Ranking, as_dataset, from_json, matrix, rank, score
from datakin._core.exceptions import DatakinError
from datakin.cli import main
from datakin.compare import METHODS

RIVALS = sorted(set(METHODS) - {"cls"})


def make(shift, name, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 2
    return as_dataset(rng.standard_normal((40, 2)) + y[:, None] + shift, y, name=name)


@pytest.fixture(scope="module")
def family():
    return [make(shift, f"shift {shift}", i) for i, shift in enumerate((0.0, 0.1, 2.0, 9.0))]


def test_the_list_is_whole():
    assert RIVALS == ["energy", "js", "kl", "mmd", "otdd", "proxy_a", "wasserstein"]


@pytest.mark.parametrize("method", RIVALS)
def test_one_protocol(method, family):
    target, *sources = family
    ranking = rank(target, sources, method=method)
    assert isinstance(ranking, Ranking)
    assert ranking.frame["score"].is_monotonic_increasing
    assert ranking.best.source == "shift 0.1"
    assert list(ranking.frame.columns) == ["source", "score", "n_rows"]
    pair = score(target, sources[1], method=method)
    assert isinstance(pair, Distance)
    assert pair.score == ranking["shift 2.0"].score
    for result in (pair, ranking):
        assert from_json(result.to_json()) == result
        assert len(repr(result).splitlines()) == 1


@pytest.mark.parametrize("method", RIVALS)
def test_matrix_is_symmetric_and_separates_the_far_one(method, family):
    square = matrix(family, method=method)
    assert isinstance(square, Matrix)
    assert np.array_equal(square.scores, square.scores.T)
    assert not square.scores.diagonal().any()
    groups = square.clusters(2)
    assert groups["shift 0.0"] == groups["shift 0.1"] != groups["shift 9.0"]
    assert from_json(square.to_json()) == square
    assert "Distances of 4 datasets" in str(square)
    assert set(square.map["cluster"]) == set(square.clusters().values())


def test_a_directed_distance_is_averaged_in_a_matrix(family):
    square = matrix(family[:2], method="kl")
    there, back = (score(*p, method="kl").score for p in (family[:2], family[1::-1]))
    assert there != back
    assert square.scores[0, 1] == pytest.approx((there + back) / 2, rel=1e-12)


def test_options_reach_the_distance_and_are_recorded(family):
    plain = score(*family[1:3], method="mmd")
    wide = score(*family[1:3], method="mmd", bandwidth=10.0)
    assert wide.score < plain.score
    assert wide.provenance.options["bandwidth"] == 10.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda f: score(*f[:2], method="emd"),
            "'method' parameter must be one of .*'wasserstein'",
        ),
        (lambda f: score(*f[:2], method="mmd", cv=3), "Unknown option 'cv' of method 'mmd'"),
        (lambda f: rank(f[0], [], method="kl"), "at least one source"),
        (lambda f: rank(f[0], [f[0], f[1]], method="kl"), "different names.*'shift 0.0'"),
        (lambda f: matrix(f[:1], method="kl"), "at least two datasets"),
    ],
)
def test_bad_calls(call, message, family):
    with pytest.raises(DatakinError, match=message):
        call(family)


def test_command_line_takes_a_method(family, tmp_path, capsys):
    import pandas as pd

    for i, dataset in enumerate(family[:2]):
        frame = pd.DataFrame(dataset.features.numeric, columns=["a", "b"]).assign(y=dataset.y)
        frame.to_csv(tmp_path / f"{i}.csv", index=False)
    files = [str(tmp_path / f"{i}.csv") for i in range(2)]
    with pytest.raises(SystemExit) as stop:
        main(["score", *files, "--label", "y", "--method", "energy"])
    assert stop.value.code == 0
    assert "Energy" in capsys.readouterr().out
