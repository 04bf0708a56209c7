"""Results as users keep them: JSON both ways, frames, text, notebooks; clusters and the map."""

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from datakin import Comparison, DatakinError, Matrix, Ranking, Zone, from_json, matrix, rank, score

SCRIPT = "<script>alert(1)</script>"
FAST = {"models": ["logistic"], "cv": 3}
COLUMNS = [
    "source", "score", "low", "high", "zone", "call", "source_to_target", "target_to_source",
    "n_rows", "gain", "gain_low", "gain_high", "p_gain",
]  # fmt: skip


@pytest.fixture(scope="module")
def results(make_lda):
    """One result of each type; a source has a hostile name."""
    target, kin = make_lda(50, 1, name="target"), make_lda(60, 2, name=SCRIPT)
    stranger = make_lda(60, 3, angle=3.0, name="stranger")
    return {
        Comparison: score(target, kin, **FAST),
        Ranking: rank(target, [stranger, kin], **FAST),
        Matrix: matrix([target, kin, stranger], **FAST),
    }


TYPES = pytest.mark.parametrize("kind", [Comparison, Ranking, Matrix])


@TYPES
def test_json_round_trip(results, kind):
    result = results[kind]
    again = kind.from_json(result.to_json())
    assert type(again) is kind
    assert again == result
    assert hash(again) == hash(result)
    assert again.to_json() == result.to_json()
    assert from_json(result.to_json(indent=2)) == result
    assert repr(again) == repr(result)
    assert str(again) == str(result)
    assert again.frame.equals(result.frame)


def test_json_is_strict_and_keeps_nan(results):
    square = results[Matrix]
    errors = square.errors.copy()
    errors[0, 1], errors[1, 0] = np.nan, np.inf
    square = replace(square, errors=errors)
    text = square.to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    again = from_json(text)
    np.testing.assert_array_equal(again.errors, errors)
    assert again == square
    assert again != results[Matrix]


def test_parts_come_back_as_what_they_were(results):
    before = results[Comparison]
    after = from_json(before.to_json())
    for name in before.__dataclass_fields__:
        assert type(getattr(after, name)) is type(getattr(before, name)), name
    assert after.score == before.score  # to the last bit
    assert after.zone is before.zone
    assert after.errors.frame.equals(before.errors.frame)
    assert after.provenance.seed == 0
    assert set(after.provenance.fingerprints) == {"target", SCRIPT}
    assert {"datakin", "numpy", "python", "scikit-learn"} <= set(after.provenance.versions)


@TYPES
def test_results_are_frozen(results, kind):
    with pytest.raises(FrozenInstanceError):
        results[kind].n_fits = 3


@TYPES
def test_text(results, kind):
    result = results[kind]
    assert "\n" not in repr(result)
    assert repr(result).startswith(kind.__name__ + "(")
    assert len(str(result).splitlines()) > 1
    assert "target" in str(result)


@TYPES
def test_notebooks_show_names_as_text(results, kind):
    html = results[kind]._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_frames(results):
    ranking = results[Ranking].frame
    assert list(ranking.columns[: len(COLUMNS)]) == COLUMNS
    assert ranking.source_to_target.is_monotonic_increasing
    assert ranking.source.tolist() == [SCRIPT, "stranger"]
    assert (ranking.gain_low < ranking.gain).all()
    assert (ranking.gain < ranking.gain_high).all()
    assert ranking.gain.is_monotonic_decreasing  # the stranger is further behind
    assert set(ranking.zone) <= {zone.value for zone in Zone}
    assert ranking.call.tolist() == [Zone(zone).call for zone in ranking.zone]
    assert ranking.group.tolist() == [1, 2]
    assert set(COLUMNS) <= set(results[Comparison].frame.columns)
    assert len(results[Comparison].frame) == 1
    square = results[Matrix].frame
    assert len(square) == 3
    assert set(COLUMNS[:8]) | {"target", "call_back"} <= set(square.columns)
    assert (square.low <= square.score).all()


def test_ranking_is_a_collection(results):
    ranking = results[Ranking]
    assert [c.source for c in ranking] == [SCRIPT, "stranger"]
    assert ranking.best is ranking[SCRIPT]
    assert len(ranking) == 2
    with pytest.raises(KeyError, match="nobody"):
        ranking["nobody"]


def test_regression_has_a_standardised_score(make_linear):
    result = score(make_linear(50, 1), make_linear(60, 2), models=["linear"], cv=3)
    assert "standardised" in result.frame
    said = "In units of the loss of the best constant, the score is "
    assert f"{said}{result.standardised:.3g}." in result.answer.caveats
    assert from_json(result.to_json()) == result


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "This is not JSON"),
        ("", "This is not JSON"),
        ("[]", "the field 'format' is missing"),
        ("3", "the field 'format' is missing"),
        ('{"type": "Comparison"}', "the field 'format' is missing"),
        ('{"format": 99, "type": "Comparison"}', "has format 99; this version reads format 1"),
        ('{"format": 1}', "not a datakin result"),
        ('{"format": 1, "type": "os.system"}', "unknown part 'os.system'"),
        (
            '{"format": 1, "type": "Comparison", "score": 1}',
            "damaged: 'target', .* of a Comparison",
        ),
        ('{"format": 1, "type": "Ranking", "target": "a", "extra": 1}', "a Ranking has no 'extra'"),
        ('{"format": 1, "type": "dict", "items": []}', "not a datakin result"),
        ('{"format": 1, "type": "Zone", "value": "positive"}', "not a datakin result"),
        ('{"format": 1, "type": ["Comparison"]}', "unknown part"),
    ],
)
def test_what_is_no_result_is_refused(text, message):
    with pytest.raises(DatakinError, match=message):
        from_json(text)


def test_the_other_type_is_refused(results):
    with pytest.raises(DatakinError, match=r"Expected a Matrix. Got a Ranking\."):
        Matrix.from_json(results[Ranking].to_json())


def placed(template, points, threshold):
    """A Matrix whose scores are the distances of points; those beyond a threshold are negative."""
    scores = squareform(pdist(points))
    n = len(scores)
    blank = np.zeros((n, n))
    words = np.where(scores > threshold, Zone.NEGATIVE.value, Zone.POSITIVE.value)
    zones = tuple(tuple(Zone(word) for word in row) for row in words)
    return replace(
        template, names=tuple("abcdefgh"[:n]), scores=scores, standard_errors=blank, lows=blank,
        highs=blank, errors=blank, zones=zones, thresholds=np.full((n, n), threshold),
    )  # fmt: skip


POINTS = np.array([[0, 0], [0.1, 0], [0, 0.1], [3, 1], [3.1, 1.1], [-2, 4]], dtype=float)


def test_map_reproduces_distances_in_the_plane(results):
    points = placed(results[Matrix], POINTS, 0.5).map
    assert points.name.tolist() == list("abcdef")
    np.testing.assert_allclose(pdist(points[["x", "y"]]), pdist(POINTS), atol=1e-7)
    np.testing.assert_allclose(points[["x", "y"]].mean(), 0, atol=1e-12)
    assert points.x.var() >= points.y.var()


def test_clusters_are_those_of_the_points(results):
    square = placed(results[Matrix], POINTS, 0.5)
    assert square.clusters() == {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 3}
    assert square.clusters(2) == {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 2}
    assert set(square.clusters(1).values()) == {1}
    assert list(square.clusters(6).values()) == [1, 2, 3, 4, 5, 6]
    assert set(placed(results[Matrix], POINTS, 100.0).clusters().values()) == {1}
    with pytest.raises(DatakinError, match=r"between 1 and 6\. Got 7\."):
        square.clusters(7)


def test_negative_scores_are_distance_zero(results):
    scores = np.array([[0.0, -0.02, 0.3], [-0.02, 0.0, 0.3], [0.3, 0.3, 0.0]])
    square = replace(results[Matrix], scores=scores)
    np.testing.assert_array_equal(square.distances, np.maximum(scores, 0))
    assert np.isfinite(square.map[["x", "y"]].to_numpy()).all()


def test_error_table_averages_repeats(make_lda):
    """The table's errors give the score also when several fold seeds are averaged."""
    a, b = make_lda(60, seed=1, name="a"), make_lda(60, seed=2, name="b")
    found = score(a, b, models=["logistic"], repeats=3, cv=3)
    table = found.errors.frame
    assert not table.duplicated(["trained_on", "tested_on", "model", "held_out"]).any()
    one = table[(table.model == "ensemble") & (table.held_out == "k")]
    error = one.set_index(["trained_on", "tested_on"])["error"]
    gaps = error["b", "a"] - error["a", "a"], error["a", "b"] - error["b", "b"]
    assert np.mean(gaps) == pytest.approx(found.score, abs=1e-12)


def test_results_of_earlier_versions_are_read(results):
    """Their error tables had another name, and other words for the folds held out."""
    ranking = results[Ranking]
    text = ranking.to_json().replace('"ErrorRecords"', '"ErrorTable"')
    text = text.replace('"held_out": "k"', '"held_out": "one"').replace(
        '"held_out": "jk"', '"held_out": "two"'
    )
    assert '"two"' in text
    assert from_json(text) == ranking
