"""Every wrong argument meets a sentence that says what to do."""

import pytest

import datakin
from datakin import CrossErrors, CrossLearningScore, DatakinError


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"sizes": "paper"}, "Unknown option 'sizes'.*Did you mean 'size'"),
        ({"estimat": "weighted"}, "Unknown option 'estimat'.*Did you mean 'estimate'"),
        ({"label": "y"}, r"'label' belongs to reading: datakin\.read_table"),
        ({"method": "mmd"}, r"datakin\.distances\.rank\(target, sources, method='mmd'\)"),
        ({"cv": 2}, "'cv' parameter must be a whole number of at least 3"),
        ({"direction": 2}, "'direction' parameter must be between 0 and 1"),
        ({"estimate": "logistics"}, "'estimate' parameter.*Did you mean 'logistic'"),
        ({"keep": "all"}, "'keep' parameter must be one of 'auto', 'predictions'"),
        ({"keep": 3}, "'keep' parameter must be one of"),
        ({"pairs": 3}, "'pairs' parameter must be 'all', the name of a target, or a list"),
        ({"pairs": None}, "'pairs' parameter must be 'all', the name of a target, or a list"),
        ({"pairs": ["d0d1"]}, "a list of pairs of two names. Got 'd0d1'"),
        ({"pairs": [("d0",)]}, "a list of pairs of two names. Got .'d0',."),
        ({"pairs": [("d0", "d0")]}, "a list of pairs of two names. Got .'d0', 'd0'."),
        ({"pairs": [("d0", ["d1"])]}, "'pairs' parameter names datasets"),
        ({"pairs": []}, "must name at least one pair. Got none"),
        ({"pairs": [("d0", "d1"), ("d1", "d0")]}, "must name every pair once, in one order"),
        ({"pairs": [("d0", "dd1")]}, "There is no 'dd1'.*Did you mean 'd1'"),
        ({"pairs": "D1"}, "There is no 'D1'.*Did you mean 'd1'"),
        ({"trials": "dd1"}, "'trials' parameter names datasets. There is no 'dd1'.*mean 'd1'"),
        ({"trials": ["d0", "x"]}, "'trials' parameter names datasets. There is no 'x'"),
    ],
)
def test_measuring(four, options, reason):
    with pytest.raises(DatakinError, match=reason):
        CrossErrors.measure(four, **{"models": ["logistic"], **options})


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_datasets(four, count):
    with pytest.raises(DatakinError, match=f"at least two datasets. Got {count}"):
        CrossErrors.measure(four[:count])


def test_names_twice(four):
    with pytest.raises(DatakinError, match=r"must have different names.*'d0'"):
        CrossErrors.measure([four[0], four[0]])


@pytest.mark.parametrize(
    ("look", "reason"),
    [
        ({"cv": 4}, "'cv' cannot be changed after the measurement; 'estimate', 'sharpness'"),
        ({"loss": "brier"}, "'loss' cannot be changed after the measurement"),
        ({"n_jobs": 2}, "'n_jobs' cannot be changed after the measurement"),
        ({"random_state": 1}, "'random_state' cannot be changed after the measurement"),
        ({"sharpnes": 4}, "'sharpnes' cannot be changed.*Did you mean 'sharpness'"),
        ({"method": "mmd"}, "'method' cannot be changed after the measurement"),
        ({"size": "x"}, "'size' parameter must be one of 'paper', 'matched', 'limit'. Got 'x'"),
        ({"zones": "x"}, "'zones' parameter must be one of 'gain', 'paper'. Got 'x'"),
        ({"voting": 1}, "'voting' parameter must be one of"),
        ({"sharpness": -1}, "'sharpness' parameter must be a number, at least 0. Got -1"),
        ({"direction": "x"}, "'direction' parameter must be between 0 and 1. Got 'x'"),
        ({"estimate": "linear_svn"}, "'estimate' parameter.*Did you mean 'linear_svm'"),
        ({"estimate": "xgboost"}, "'estimate' parameter must be one of 'ensemble'"),
    ],
)
def test_looking(errors, look, reason):
    for ask in (
        lambda: errors.score("d0", "d1", **look),
        lambda: errors.rank("d0", **look),
        lambda: errors.matrix(**{"direction": 0.5, **look}),
    ):
        with pytest.raises(DatakinError, match=reason):
            ask()


def test_unknown_datasets(errors):
    for ask in (
        lambda: errors.score("d0", "dd1"),
        lambda: errors.score("dd1", "d0"),
        lambda: errors.estimates("d0", "dd1"),
        lambda: errors.rank("dd1"),
    ):
        with pytest.raises(DatakinError, match=r"no dataset 'dd1' .*They hold .*mean 'd1'"):
            ask()


def test_pairs_that_were_not_measured(errors):
    part = errors.subset(["d0", "d1"])
    with pytest.raises(DatakinError, match="no dataset 'd2'"):
        part.score("d0", "d2")
    with pytest.raises(DatakinError, match="The pair 'd0', 'd0' was not measured"):
        errors.score("d0", "d0")
    with pytest.raises(DatakinError, match="No source of 'd3' was measured"):
        errors.subset(["d3"]).rank("d3")
    with pytest.raises(DatakinError, match="A matrix needs at least two datasets"):
        errors.subset(["d3"]).matrix()


def test_a_matrix_has_no_direction(errors, four):
    for ask in (
        lambda: errors.matrix(direction=1.0),
        lambda: datakin.matrix(four, direction=1.0),
    ):
        with pytest.raises(DatakinError, match=r"'direction' parameter must be 0.5. Got 1.0"):
            ask()


def test_where_distances_went(four):
    for ask in (
        lambda: datakin.score(four[0], four[1], method="mmd"),
        lambda: datakin.rank(four[0], four[1:], method="mmd"),
        lambda: datakin.matrix(four, method="mmd"),
        lambda: CrossErrors.measure(four, method="mmd"),
        lambda: CrossLearningScore.as_in_paper(method="mmd"),
    ):
        with pytest.raises(DatakinError, match=r"datakin\.distances\.rank.*method='mmd'"):
            ask()
