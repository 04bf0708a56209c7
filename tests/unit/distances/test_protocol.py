"""Every distance answers compare, rank and matrix alike; a count, so that an empty list fails."""

import json
import subprocess
import sys

import numpy as np
import pytest

import datakin
from datakin import DatakinError, as_dataset, distances, from_json
from datakin.distances import (
    METHODS,
    MMD,
    Distance,
    DistanceMatrix,
    DistanceRanking,
    Wasserstein,
    compare,
    matrix,
    rank,
)

RIVALS = sorted(METHODS)


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
    assert isinstance(ranking, DistanceRanking)
    assert ranking.frame["score"].is_monotonic_increasing
    assert ranking.best.source == "shift 0.1"
    assert list(ranking.frame.columns) == ["source", "score", "n_rows"]
    pair = compare(target, sources[1], method=method)
    assert isinstance(pair, Distance)
    assert pair.score == ranking["shift 2.0"].score
    for result in (pair, ranking):
        assert from_json(result.to_json()) == result
        assert len(repr(result).splitlines()) == 1


@pytest.mark.parametrize("method", RIVALS)
def test_matrix_is_symmetric_and_separates_the_far_one(method, family):
    square = matrix(family, method=method)
    assert isinstance(square, DistanceMatrix)
    assert np.array_equal(square.scores, square.scores.T)
    assert not square.scores.diagonal().any()
    groups = square.clusters(2)
    assert groups["shift 0.0"] == groups["shift 0.1"] != groups["shift 9.0"]
    assert from_json(square.to_json()) == square
    assert "Distances of 4 datasets" in str(square)
    assert set(square.map["cluster"]) == set(square.clusters().values())


def test_a_directed_distance_is_averaged_in_a_matrix(family):
    square = matrix(family[:2], method="kl")
    there, back = (compare(*p, method="kl").score for p in (family[:2], family[1::-1]))
    assert there != back
    assert square.scores[0, 1] == pytest.approx((there + back) / 2, rel=1e-12)


def test_options_reach_the_distance_and_are_recorded(family):
    plain = compare(*family[1:3], method="mmd")
    wide = compare(*family[1:3], method="mmd", bandwidth=10.0)
    assert wide.score < plain.score
    assert wide.provenance.options["bandwidth"] == 10.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda f: compare(*f[:2], method="emd"),
            "'method' parameter must be one of .*'wasserstein'",
        ),
        (lambda f: rank(f[0], f[1:], method="enrgy"), "'enrgy' instead. Did you mean 'energy'"),
        (lambda f: matrix(f, method=None), "'method' parameter must be one of .*Got None"),
        (lambda f: compare(*f[:2], method="js", scaling="pooled"), "'scaling' .*It has no options"),
        (lambda f: compare(*f[:2], label="y"), "'label' belongs to reading"),
        (lambda f: compare(*f[:2], method="mmd", cv=3), "Unknown option 'cv' of method 'mmd'"),
        (lambda f: rank(f[0], [], method="kl"), "at least one source"),
        (lambda f: rank(f[0], [f[0], f[1]], method="kl"), "different names.*'shift 0.0'"),
        (lambda f: matrix(f[:1], method="kl"), "at least two datasets"),
    ],
)
def test_bad_calls(call, message, family):
    with pytest.raises(DatakinError, match=message):
        call(family)


def test_the_name_and_the_class_say_the_same(family):
    target, *sources = family
    assert compare(target, sources[0]) == distances.OTDD().compare(target, sources[0])
    assert rank(target, sources, "mmd") == MMD().rank(target, sources)
    assert matrix(family, "mmd", scaling="pooled") == MMD(scaling="pooled").matrix(family)
    sliced = Wasserstein(method="sliced").rank(target, sources)
    assert sliced.method == "Wasserstein"
    assert sliced != rank(target, sources, "wasserstein")


def test_results_are_told_as_they_come(family):
    found = []
    ranking = rank(family[0], family[1:], "energy", on_result=found.append)
    assert sorted(found, key=lambda d: d.score) == list(ranking)
    with pytest.raises(DatakinError, match="'on_result' parameter must be a function"):
        rank(family[0], family[1:], "energy", on_result=3)


OLD = {
    "compare": lambda f, **o: datakin.score(*f[:2], **o),
    "rank": lambda f, **o: datakin.rank(f[0], f[1:], **o),
    "matrix": lambda f, **o: datakin.matrix(f, **o),
}
GONE = "The 'method' option is gone: "


@pytest.mark.parametrize("call", OLD)
def test_the_old_way_names_the_new_one(call, family):
    with pytest.raises(DatakinError, match=rf"{GONE}.*datakin\.distances\..*method='mmd'"):
        OLD[call](family, method="mmd")


def test_a_new_process_reads_every_result(family):
    results = [compare(*family[:2]), rank(family[0], family[1:]), matrix(family)]
    code = (
        "import sys, datakin\nfor line in sys.stdin: print(type(datakin.from_json(line)).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="\n".join(r.to_json() for r in results),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["Distance", "DistanceRanking", "DistanceMatrix"]


def test_results_of_earlier_versions(family):
    """A pair is read; rankings and matrices were of types that now hold scores alone."""
    pair = json.loads(compare(*family[:2], method="energy").to_json())
    assert from_json(json.dumps(pair)).method == "Energy"
    inner = {k: v for k, v in pair.items() if k != "format"}
    ranking = {"format": 1, "type": "Ranking", "target": "a", "comparisons": [inner], "first": {}}
    ranking |= {"n_fits": 0, "complete": True, "forecast": None}
    with pytest.raises(DatakinError, match=r"computed again, with datakin\.distances\.rank"):
        from_json(json.dumps(ranking))
    square = {"format": 1, "type": "Matrix", "names": ["a", "b"], "n_fits": 0, "zones": []}
    square |= {
        "scores": {"type": "array", "values": [[0, 1], [1, 0]]},
        "notes": [],
        "complete": True,
    }
    square |= {"provenance": pair["provenance"], "standard_errors": None, "lows": None}
    square |= dict.fromkeys(("highs", "discrepancies", "errors", "thresholds"))
    with pytest.raises(DatakinError, match=r"computed again, with datakin\.distances\.matrix"):
        from_json(json.dumps(square))


def test_text_of_the_results(family):
    ranking, square = rank(family[0], family[1:], "energy"), matrix(family, "energy")
    assert str(ranking).startswith("Nearest to shift 0.0 by Energy: shift 0.1.\n")
    (said,) = ranking.answer.evidence
    assert "how far features lie apart, not whether learning from a table helps" in said
    (said,) = rank(family[0], family[1:], "otdd").answer.evidence
    assert "features and labels" in said
    assert repr(ranking).startswith(
        "DistanceRanking(target 'shift 0.0', 3 source(s); best 'shift 0.1'"
    )
    assert repr(square).startswith("DistanceMatrix(4 datasets by Energy, ")
    assert "<table" in ranking._repr_html_()
    assert list(square.frame.columns) == ["target", "source", "score"]
    with pytest.raises(KeyError, match="no source 'x'"):
        ranking["x"]
