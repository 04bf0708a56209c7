"""Two measured halves are as good as the whole, and what does not belong together is refused."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from datakin import CrossErrors, DatakinError, as_dataset, rank

PAIRS = list(combinations(["d0", "d1", "d2", "d3"], 2))


def ordered(frame):
    by = ["trained_on", "tested_on", "model", "held_out"]
    return frame.sort_values(by).reset_index(drop=True)


@pytest.mark.parametrize(("keep", "cut"), [("predictions", 3), ("losses", 1)])
def test_two_halves_are_the_whole(four, fast, errors, keep, cut):
    halves = [
        CrossErrors.measure(four, pairs=pairs, trials="d0", keep=keep, **fast)
        for pairs in (PAIRS[:cut], PAIRS[cut:])
    ]
    if keep == "losses":  # which tell fewer metrics
        errors = CrossErrors.measure(four, trials="d0", keep=keep, **fast)
    for one, two in (halves, halves[::-1]):
        joined = one.join(two)
        assert ordered(joined.frame).equals(ordered(errors.frame))
        assert joined.n_fits == errors.n_fits
        assert joined.complete
        assert set(joined.names) == set(errors.names)
        looks = [{}, {"size": "limit", "estimate": "weighted"}]
        looks += [{"sharpness": 2.0}] * (keep == "predictions")
        for look in looks:
            for target, source in PAIRS:
                assert joined.score(target, source, **look) == errors.score(target, source, **look)
            assert joined.rank("d0", **look) == errors.rank("d0", **look)


def test_matrices_of_halves(four, fast, plain, tmp_path):
    one = CrossErrors.measure(four, pairs="d0", **fast)
    two = CrossErrors.measure(four[1:], **fast)
    assert one.join(two).matrix() == plain.matrix()
    one.save(tmp_path / "one")
    two.save(tmp_path / "two")
    joined = CrossErrors.load(tmp_path / "one").join(CrossErrors.load(tmp_path / "two"))
    assert joined.matrix() == plain.matrix()
    joined.save(tmp_path / "both")
    loaded = CrossErrors.load(tmp_path / "both")
    assert loaded.matrix(sharpness=3.0) == plain.matrix(sharpness=3.0)
    assert loaded.complete


def test_sums_are_joined_too(four, fast, plain, assert_same):
    halves = [
        CrossErrors.measure(four, pairs=pairs, keep="sums", **fast)
        for pairs in (PAIRS[:3], PAIRS[3:])
    ]
    joined = halves[0].join(halves[1])
    assert_same(joined.matrix(), plain.matrix(), "n_fits")
    # How sources of one target vary together is not known of sources measured apart.
    with pytest.raises(DatakinError, match="A ranking by the 'matched' score needs more"):
        joined.rank("d1")


@pytest.fixture(scope="module")
def one(four):
    return CrossErrors.measure(four[:2], models=["logistic"], cv=3)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cv": 4}, "options differ in 'cv': 3 and 4"),
        ({"loss": "brier"}, "options differ in 'loss'"),
        ({"random_state": 1}, "options differ in 'random_state'"),
        ({"models": ["linear_svm"]}, "options differ in 'models'"),
        ({"keep": "losses"}, "must keep the same. Got 'predictions' and 'losses'"),
        ({"keep": "sums"}, "must keep the same. Got 'predictions' and 'sums'"),
    ],
)
def test_other_options_are_refused(four, one, change, reason):
    options = {"models": ["logistic"], "cv": 3, **change}
    other = CrossErrors.measure([four[0], four[2]], **options)
    with pytest.raises(DatakinError, match=reason):
        one.join(other)


def test_other_estimators_are_refused(four):
    from sklearn.linear_model import LogisticRegression

    weights = dict.fromkeys(range(60), 1.0)  # repr cuts it short

    def measured(last):
        model = LogisticRegression(class_weight={**weights, 59: last})
        return CrossErrors.measure(four[:2] if last == 1 else four[1:3], models={"m": model}, cv=3)

    with pytest.raises(DatakinError, match="identity differ in 'model m'"):
        measured(1.0).join(measured(2.0))


def test_other_versions_are_refused(four, one):
    other = CrossErrors.measure([four[0], four[2]], models=["logistic"], cv=3)
    versions = {**other.about["versions"], "numpy": "0.1"}
    old = replace(other, about={**other.about, "versions": versions})
    with pytest.raises(DatakinError, match=r"versions differ in 'numpy': '.*' and '0\.1'"):
        one.join(old)


def test_another_dataset_of_the_same_name_is_refused(four, draw, one):
    other = CrossErrors.measure([draw(5, 45, name="d0"), four[2]], models=["logistic"], cv=3)
    with pytest.raises(DatakinError, match="a dataset named 'd0', with other rows in each"):
        one.join(other)


def test_a_pair_in_both_is_refused(four, one):
    for other in (one, CrossErrors.measure(four[:2][::-1], models=["logistic"], cv=3)):
        with pytest.raises(DatakinError, match=r"1 pair.s. stand in both tables.*'d0', 'd1'"):
            one.join(other)


@pytest.mark.parametrize("other", [3, None, "saved", []])
def test_only_cross_errors_are_joined(one, other):
    with pytest.raises(DatakinError, match=r"CrossErrors join with CrossErrors. Got"):
        one.join(other)


def test_rows_in_common_and_identical_datasets_survive(four, fast):
    X, y = four[0].features.numeric, four[0].y
    twin = as_dataset(X, y, name="twin")
    half = as_dataset(np.vstack([X[:20], four[1].features.numeric]), np.r_[y[:20], four[1].y])
    members = {"d0": four[0], "twin": twin, "half": half}
    whole = CrossErrors.measure(members, **fast)
    joined = CrossErrors.measure(members, pairs="d0", **fast).join(
        CrossErrors.measure(members, pairs=[("twin", "half")], **fast)
    )
    assert joined.matrix() == whole.matrix()
    assert joined.score("half", "d0", sharpness=1.0) == whole.score("half", "d0", sharpness=1.0)
    assert joined.score("d0", "twin").score == 0.0


def test_a_subset_answers_as_the_whole(errors, four, fast, tmp_path, assert_same):
    part = errors.subset(["d2", "d0", "d3"])
    assert part.names == ("d0", "d2", "d3")
    for look in ({}, {"sharpness": 2.0, "size": "limit"}):
        for target, source in (("d0", "d2"), ("d2", "d0"), ("d3", "d2")):
            assert part.score(target, source, **look) == errors.score(target, source, **look)
        assert_same(part.rank("d0", **look), rank(four[0], four[2:], **fast, **look))
    assert part.n_fits == errors.n_fits * 3 // 4
    assert set(part.frame.tested_on) == {"d0", "d2", "d3"}
    assert "d0 + d1" not in set(part.frame.trained_on)
    part.save(tmp_path / "part")
    assert CrossErrors.load(tmp_path / "part").rank("d0") == part.rank("d0")
    rest = errors.subset(["d0", "d1"])
    assert rest.join(part).score("d0", "d1") == errors.score("d0", "d1")


def test_a_subset_of_sums(four, fast, plain, assert_same):
    sums = CrossErrors.measure(four, keep="sums", **fast)
    names = ["d0", "d1", "d3"]
    assert_same(sums.subset(names).matrix(), plain.subset(names).matrix(), "n_fits")
    ranked = plain.subset(names).rank("d3")
    assert_same(sums.subset(names).rank("d3"), ranked, "n_fits", "sizes.limit", "errors", "metrics")


def test_unknown_names_are_refused(errors):
    with pytest.raises(DatakinError, match=r"no dataset 'dd2' .* Did you mean 'd2'"):
        errors.subset(["d0", "dd2"])
    with pytest.raises(DatakinError, match="The pair 'd0', 'd3' was not measured"):
        CrossErrors.join(errors.subset(["d0", "d1"]), errors.subset(["d2", "d3"])).score("d0", "d3")
