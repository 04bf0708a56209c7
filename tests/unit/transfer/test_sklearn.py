"""scikit-learn's own checks, without sources, for every method and both tasks."""

import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from datakin import transfer

ESTIMATORS = [
    transfer.Concatenate(),
    transfer.Concatenate(LinearRegression()),
    transfer.TrAdaBoost(),
    transfer.TrAdaBoost(voting="soft"),
    transfer.DynamicTrAdaBoost(),
    transfer.TrAdaBoostR2(),
    transfer.TrAdaBoostR2(stages=3),
    transfer.ART(),
    transfer.ART(LinearRegression()),
    transfer.KinWeighted(),
    transfer.KinWeighted(LinearRegression()),
    transfer.KinStack(repeats=1),
    transfer.KinStack(task="regression", repeats=1),
]
# Check name -> reason; none is expected to fail.
EXPECTED_FAILURES: dict[str, str] = {}

checks = parametrize_with_checks(
    ESTIMATORS, expected_failed_checks=lambda estimator: EXPECTED_FAILURES
)


@checks
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_suite_is_not_empty():
    per_estimator = {}
    for estimator, check in checks.args[1]:
        per_estimator.setdefault(id(estimator), []).append(check)
    assert len(per_estimator) == len(ESTIMATORS) == 13
    assert min(map(len, per_estimator.values())) >= 40
    public = {name for name in transfer.__all__ if isinstance(getattr(transfer, name), type)}
    assert {type(e).__name__ for e in ESTIMATORS} == public


@pytest.mark.parametrize(
    ("estimator", "is_class"),
    [
        (transfer.ART(), True),
        (transfer.ART(RandomForestClassifier()), True),
        (transfer.ART(LinearRegression()), False),
        (transfer.TrAdaBoost(), True),
        (transfer.TrAdaBoostR2(), False),
    ],
)
def test_the_task_follows_the_base_estimator(estimator, is_class):
    assert is_classifier(estimator) == is_class
    assert is_regressor(estimator) != is_class
    assert hasattr(estimator, "predict_proba") == is_class
