"""scikit-learn's own checks, without sources: in full for every way to fit and predict.

Without sources a method is its base estimator, fitted by the code that all methods share. So the full
list runs once for that code and each task, for every method that predicts in its own way, and for
KinStack, which fits in its own way. The others are checked in what is their own: how they are made,
copied and given options.
"""

import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from datakin import transfer

IN_FULL = [
    transfer.Concatenate(),
    transfer.Concatenate(LinearRegression()),
    transfer.TrAdaBoost(),
    transfer.TrAdaBoostR2(),
    # Lines are enough for one of its tasks: the other has all learners.
    transfer.KinStack(learners=["linear"], repeats=1),
    transfer.KinStack(task="regression", repeats=1),
]
AS_MADE = [transfer.DynamicTrAdaBoost(), transfer.ART(), transfer.KinWeighted()]
SHARED = ("fit", "predict", "score", "__sklearn_tags__", "_new_rows", "_make_pool", "_check_task")
OWN = {
    "check_dict_unchanged",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_dont_overwrite_parameters",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_estimators_unfitted",
    "check_fit_score_takes_y",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_non_transformer_estimators_n_iter",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
}


def checks_of(estimators):
    """Return pairs of estimator and check; none is expected to fail."""
    return parametrize_with_checks(estimators, expected_failed_checks=lambda _: {}).args[1]


def name_of(check):
    return check.func.__name__


CHECKS = [
    *checks_of(IN_FULL),
    *((e, check) for e, check in checks_of(AS_MADE) if name_of(check) in OWN),
]


@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=[f"{e}-{name_of(check)}" for e, check in CHECKS]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_suite_is_not_empty():
    per_estimator = {}
    for estimator, check in CHECKS:
        per_estimator.setdefault(id(estimator), set()).add(name_of(check))
    found = list(per_estimator.values())
    assert len(found) == len(IN_FULL) + len(AS_MADE) == 9
    assert min(map(len, found[: len(IN_FULL)])) >= 40
    assert all(names == OWN for names in found[len(IN_FULL) :])
    public = {name for name in transfer.__all__ if isinstance(getattr(transfer, name), type)}
    assert {type(e).__name__ for e in IN_FULL + AS_MADE} == public


@pytest.mark.parametrize("method", AS_MADE, ids=lambda method: type(method).__name__)
def test_what_is_not_checked_again_is_shared(method):
    checked = (
        transfer.TrAdaBoost if isinstance(method, transfer.TrAdaBoost) else transfer.Concatenate
    )
    for name in (*SHARED, "_combine"):
        assert getattr(type(method), name) is getattr(checked, name)


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
