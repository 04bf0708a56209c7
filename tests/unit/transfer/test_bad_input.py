"""Input that makes no sense gets a sentence that says what to do."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from datakin import DatakinError, DatakinWarning, as_dataset, transfer
from datakin.learners.estimators import Prototype, fitted_clone
from datakin.paper.estimators import weight_argument
from datakin.transfer import TrAdaBoostR2

CLASSIFIERS = [
    transfer.Concatenate,
    transfer.TrAdaBoost,
    transfer.DynamicTrAdaBoost,
    transfer.ART,
    transfer.KinWeighted,
]
EVERY = [(c, False) for c in CLASSIFIERS] + [(transfer.TrAdaBoostR2, True)]
every = pytest.mark.parametrize(("method", "regression"), EVERY)


@pytest.fixture
def data(make_classes, make_numbers):
    return lambda regression, seed=0: (make_numbers if regression else make_classes)(30, seed)


@every
def test_other_columns(method, regression, data):
    X, y = data(regression)
    with pytest.raises(DatakinError, match=r"source 1 has 2, the target 3"):
        method().fit(X, y, sources=[(X[:, :2], y)])
    names = ["age", "dose", "rate"]
    target, other = pd.DataFrame(X, columns=names), pd.DataFrame(X, columns=["age", "dose", "sex"])
    with pytest.raises(DatakinError, match="source 1 lacks 'rate' and has 'sex' besides"):
        method().fit(target, y, sources=[(other, y)])


def test_columns_go_by_name_where_there_are_names(make_numbers):
    X, y = make_numbers()
    target = pd.DataFrame(X, columns=["a", "b", "c"])
    turned = target[["c", "a", "b"]]
    model = transfer.Concatenate(LinearRegression())
    straight = model.fit(target, y, sources=[(target, y)]).predict(target)
    np.testing.assert_allclose(
        model.fit(target, y, sources=[(turned, y)]).predict(target), straight
    )


@pytest.mark.parametrize("method", CLASSIFIERS)
@pytest.mark.parametrize("other", [["no", "yes"], [1, 2], [-1, 1], [5, 6]])
def test_other_classes(method, other, make_classes):
    X, y = make_classes()
    with pytest.raises(
        DatakinError, match=r"same class labels. The target has '0', '1', source 1 has"
    ):
        method().fit(X, y, sources=[(X, np.array(other)[y])])


def test_a_source_that_lacks_a_class_is_noted(make_classes):
    X, y = make_classes()
    with pytest.warns(DatakinWarning, match="source 1 lacks '1'") as noted:
        model = transfer.Concatenate().fit(X, y, sources=[(X[y == 0], y[y == 0])])
    assert model.classes_.tolist() == [0, 1]
    assert noted[0].filename == __file__, "the warning points at the user's own line"


@pytest.mark.parametrize("method", CLASSIFIERS)
def test_a_target_of_one_class(method, make_classes):
    X, y = make_classes()
    with pytest.raises(DatakinError, match=r"at least two classes. Got 1 class"):
        method().fit(X, np.zeros_like(y), sources=[(X, y)])


@every
def test_sources_that_are_no_pairs(method, regression, data):
    X, y = data(regression)
    for sources, message in [
        ((X, y), r"Got ndarray of shape \(30, 3\) as source 1; for one source write"),
        (X, r"list of pairs \(X, y\), .* Got ndarray of shape \(30, 3\)"),
        ([(X, y, y)], r"Got tuple of shape \(3,\) as source 1"),
        ({"north": X}, "as north"),
        ([(X, y[:-1])], "source 1: .*inconsistent numbers of samples"),
        ([(X[:0], y[:0])], "source 1: .*0 sample"),
        ([(np.full_like(X, np.nan), y)], "source 1: .*NaN"),
    ]:
        with pytest.raises(DatakinError, match=message):
            method().fit(X, y, sources=sources)


def test_a_dataset_as_source(make_classes):
    X, y = make_classes()
    dataset = as_dataset(X, y, name="icu")
    with pytest.raises(DatakinError, match=r"source 1 is Dataset\('icu'.*transfer_gain"):
        transfer.ART().fit(X, y, sources=[dataset])
    with pytest.raises(DatakinError, match="Got Dataset; for one source"):
        transfer.ART().fit(X, y, sources=dataset)


@every
def test_no_sources_is_the_base_estimator(method, regression, data):
    X, y = data(regression)
    base = LinearRegression() if regression else LogisticRegression()
    expected = base.fit(X, y).predict(X)
    for none in ((), [], None, {}):
        np.testing.assert_array_equal(method(base).fit(X, y, sources=none).predict(X), expected)


@pytest.mark.parametrize(
    ("method", "base"),
    [
        (transfer.TrAdaBoost, KNeighborsClassifier()),
        (transfer.DynamicTrAdaBoost, make_pipeline(StandardScaler(), KNeighborsClassifier())),
        (transfer.TrAdaBoostR2, KNeighborsRegressor()),
    ],
)
def test_base_estimator_without_weights(method, base, data):
    regression = method is transfer.TrAdaBoostR2
    X, y = data(regression)
    with pytest.raises(
        DatakinError, match=r"must take row weights: .* does not; use one that does"
    ):
        method(base).fit(X, y, sources=[(X, y)])
    method(base).fit(X, y)  # alone it needs none


def test_concatenation_and_art_need_no_weights(make_classes):
    X, y = make_classes()
    for method in (transfer.Concatenate, transfer.ART):
        method(KNeighborsClassifier()).fit(X, y, sources=[(X, y)]).predict(X)


def test_pipelines_pass_weights_to_their_last_step():
    inner = make_pipeline(StandardScaler(), Ridge())
    outer = make_pipeline(StandardScaler(), inner)
    assert weight_argument(outer) == "pipeline__ridge__sample_weight"
    assert weight_argument(make_pipeline(StandardScaler(), "passthrough")) is None


@pytest.mark.parametrize("base", [LinearRegression(), make_pipeline(LinearRegression())])
def test_rows_without_weight_are_left_out(base):
    X, y = np.arange(4.0)[:, None], np.arange(4.0)
    far = np.array([[4.0], [5.0]]), np.array([9.0, 9.0])
    model = transfer.KinWeighted(base, cv=2, grid=[0.0]).fit(X, y, sources=[far])
    np.testing.assert_allclose(model.predict(X), y, atol=1e-12)


def test_a_class_that_is_all_there_is():
    prototype, X, y = Prototype(GaussianNB()), np.arange(4.0)[:, None], np.array([0, 0, 2, 2])
    learner = fitted_clone(prototype, X[2:], y[2:], {}, 3, 0, "GaussianNB")
    np.testing.assert_array_equal(learner.codes(X), [2, 2, 2, 2])
    np.testing.assert_array_equal(learner.probabilities(X), np.tile([0.0, 0, 1], (4, 1)))
    both = fitted_clone(prototype, X, y, {}, 3, 0, "GaussianNB")
    assert both.probabilities(X)[:, 1].tolist() == [0.0] * 4
    assert both.codes(X).tolist() == [0, 0, 2, 2]


def test_too_few_rows_to_halve(make_classes, make_numbers):
    X, y = make_classes()
    y = np.where(np.arange(len(y)) == 0, 2, y)
    with pytest.raises(DatakinError, match=r"at least 2 target rows. Got 1 of '2'"):
        transfer.ART().fit(X, y, sources=[(X, y)])
    X, y = make_numbers(3)
    with pytest.raises(DatakinError, match=r"at least 4 rows. Got 3"):
        transfer.ART(LinearRegression()).fit(X, y, sources=[(X, y)])
    with pytest.raises(DatakinError, match=r"a row for each of the 5 folds. Got 3"):
        transfer.TrAdaBoostR2(stages=3).fit(X, y, sources=[(X, y)])


def test_probabilities_where_they_are_needed(make_classes):
    X, y = make_classes()
    with pytest.raises(DatakinError, match=r"must have predict_proba. LinearSVC has none"):
        transfer.ART(LinearSVC()).fit(X, y, sources=[(X, y)])
    with pytest.raises(DatakinError, match="LinearSVC has none; use voting='hard'"):
        transfer.TrAdaBoost(LinearSVC(), voting="soft").fit(X, y, sources=[(X, y)])
    assert not hasattr(transfer.Concatenate(LinearSVC()), "predict_proba")
    assert hasattr(transfer.TrAdaBoost(LinearSVC()), "predict_proba"), "shares of the vote"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (transfer.TrAdaBoost(LinearRegression()), "of TrAdaBoost must be a classifier"),
        (transfer.TrAdaBoostR2(LogisticRegression()), "of TrAdaBoostR2 must be a regressor"),
        (transfer.ART("logistic"), "of ART must be a scikit-learn classifier or regressor"),
        (transfer.ART(LogisticRegression), "of ART must be a scikit-learn classifier or regressor"),
        (transfer.ART(StandardScaler()), "must be a classifier or regressor. Got StandardScaler"),
        (transfer.ART(repeats=0), "'repeats' parameter must be a whole number"),
        (transfer.ART(sharpness=-1), "'sharpness' parameter must be a number above 0"),
        (transfer.ART(tolerance=None), "'tolerance' parameter must be a number above 0"),
        (transfer.ART(weighting="plain"), "'weighting' parameter must be one of"),
        (transfer.TrAdaBoost(rounds=0), "'rounds' parameter must be a whole number"),
        (transfer.TrAdaBoost(voting="sofft"), "Did you mean 'soft'"),
        (
            transfer.TrAdaBoost(target_share=1.0),
            "'target_share' parameter must be a number between",
        ),
        (
            transfer.TrAdaBoostR2(stages=1),
            "'stages' parameter must be a whole number of at least 2",
        ),
        (transfer.TrAdaBoostR2(folds=1), "'folds' parameter must be a whole number of at least 2"),
        (transfer.TrAdaBoostR2(target_share="half"), "'target_share' parameter must be a number"),
        (
            transfer.Concatenate(random_state=None),
            "'random_state' parameter must be a whole number",
        ),
    ],
)
def test_options(model, message, make_classes):
    X, y = make_classes()
    with pytest.raises(DatakinError, match=message):
        model.fit(X, y, sources=[(X, y)])


@pytest.mark.parametrize("method", CLASSIFIERS)
def test_numbers_for_a_classifier(method, make_numbers):
    with pytest.raises(DatakinError, match="give it a regressor, such as LinearRegression"):
        method().fit(*make_numbers())


def test_an_estimator_that_fails_says_so(make_classes):
    X, y = make_classes()
    with pytest.raises(DatakinError, match="LogisticRegression could not be fitted on 80 rows"):
        transfer.Concatenate(LogisticRegression(C=-1)).fit(X, y, sources=[(X, y)])


def test_sparse_rows_where_the_base_takes_them(make_classes):
    X, y = make_classes()
    base = LogisticRegression()
    dense = transfer.TrAdaBoost(base, rounds=5).fit(X, y, sources=[(X, y)])
    thin = transfer.TrAdaBoost(base, rounds=5).fit(
        sparse.csr_matrix(X), y, sources=[(sparse.csr_matrix(X), y)]
    )
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_matrix(X)), dense.predict_proba(X))
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        transfer.TrAdaBoost().fit(sparse.csr_matrix(X), y)


def test_text_labels_are_not_for_regression():
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(DatakinError, match="needs numbers as labels"):
        TrAdaBoostR2().fit(X, ["yes", "no"] * 15)
    with pytest.raises(DatakinError, match="needs numbers as labels"):
        TrAdaBoostR2().fit(X, X[:, 0], sources=[(X, ["a"] * 30)])
