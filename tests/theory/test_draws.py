"""What the ten settings draw has the law they say; levels and options that make no sense."""

import numpy as np
import pytest

from datakin import DatakinError
from datakin.paper.sampling import MIXTURE_SOURCE, MIXTURE_TARGET, autoregressive
from datakin.synthetic import (
    QDA,
    FourClass,
    LinearRegression,
    Logistic,
    Mixture,
    NonlinearRegression,
    PolynomialLogistic,
    Radial,
    probit_small_noise,
    settings,
)


@pytest.mark.parametrize("make", [Logistic, LinearRegression, NonlinearRegression])
def test_features_are_autoregressive(make):
    sample = make(0.3).sample(50, 50, n_test=20_000)
    for dataset in (sample.target_test, sample.source_test):
        X = dataset.features.numeric
        assert X.shape == (20_000, 10)
        assert np.abs(X.mean(axis=0)).max() < 4.5 / np.sqrt(20_000)
        gap = np.cov(X.T) - autoregressive(0.5)
        assert np.abs(gap).max() < 4.5 * np.sqrt(2 / 20_000)


@pytest.mark.parametrize("make", [Radial, PolynomialLogistic, lambda: FourClass(0.2)])
def test_features_are_independent(make):
    X = make().sample(100, 100, n_test=20_000).source_test.features.numeric
    assert np.abs(np.cov(X.T) - np.eye(10)).max() < 4.5 * np.sqrt(2 / 20_000)


def test_classes_of_qda():
    setting = QDA()
    sample = setting.sample(50, 50, n_test=40_000)
    for dataset, mean in (
        (sample.target_test, setting.target_vector),
        (sample.source_test, setting.source_vector),
    ):
        X, y = dataset.features.numeric, dataset.y
        assert np.bincount(y).tolist() == [20_000, 20_000]
        for label, sign, r in ((1, 1, 0.2), (0, -1, 0.8)):
            part = X[y == label]
            assert part.mean(axis=0) == pytest.approx(sign * mean, abs=4.5 / np.sqrt(20_000))
            assert np.abs(np.cov(part.T) - autoregressive(r)).max() < 4.5 * np.sqrt(2 / 20_000)


def test_classes_of_the_mixture():
    sample = Mixture(0.3).sample(50, 50, n_test=40_000)
    for dataset, mean in (
        (sample.target_test, MIXTURE_TARGET),
        (sample.source_test, 0.7 * MIXTURE_TARGET + 0.3 * MIXTURE_SOURCE),
    ):
        X, y = dataset.features.numeric, dataset.y
        assert np.bincount(y).tolist() == [20_000, 20_000]
        error = np.sqrt(1.2 / 20_000)  # the mixture spreads a little wider than 1
        assert X[y == 1].mean(axis=0) == pytest.approx(mean, abs=4.5 * error)
        assert X[y == 0].mean(axis=0) == pytest.approx(-mean, abs=4.5 * error)


def test_labels_and_responses():
    n = 40_000
    four = FourClass(0.5).sample(100, 100, n_test=n).source_test
    assert four.task == "multiclass"
    assert [str(c) for c in four.classes] == ["1", "2", "3", "4"]
    assert four.class_shares == pytest.approx(np.full(4, 0.25), abs=4 * np.sqrt(0.1875 / n))
    logistic = Logistic(0.5).sample(50, 50, n_test=n).target_test
    assert logistic.class_shares[1] == pytest.approx(0.5, abs=4 * np.sqrt(0.25 / n))
    radial = Radial().sample(50, 50, n_test=n)
    radius = np.linalg.norm(radial.source_test.features.numeric, axis=1)
    assert np.array_equal(radial.source_test.y == 1, radius < 3.3)
    linear = LinearRegression(0.5).sample(50, 50, n_test=n).source_test
    assert linear.task == "regression"
    noise = linear.y - linear.features.numeric @ LinearRegression(0.5).source_vector
    assert noise.mean() == pytest.approx(0, abs=4 / np.sqrt(n))
    assert noise.var() == pytest.approx(1, abs=4 * np.sqrt(2 / n))


@pytest.mark.parametrize("name", sorted(n for n, make in settings().items() if make.levels))
def test_target_does_not_depend_on_the_level(name):
    make = settings()[name]
    low, high = (make(level).sample(60, 70, random_state=3, n_test=40) for level in (0.1, 0.8))
    assert low.target.fingerprint == high.target.fingerprint
    assert low.target_test.fingerprint == high.target_test.fingerprint
    assert low.source.fingerprint != high.source.fingerprint
    assert low.target.fingerprint != make(0.1).sample(60, 70, random_state=4).target.fingerprint


@pytest.mark.parametrize("name", sorted(settings()))
def test_what_the_experiments_need(name):
    make = settings()[name]
    setting = make(make.levels[3]) if make.levels else make()
    assert setting.name == name
    assert make.n_rows == (1000 if name in ("plr", "radial") else 200)
    assert len(make.levels) == {"mixture": 11, "nonlinear": 11, "fourclass": 11}.get(
        name, 0 if name in ("qda", "plr", "radial") else 21
    )
    sample = setting.sample(make.n_rows, 100, n_test=150)
    assert [d.n_rows for d in sample] == [make.n_rows, 100, 150, 150]
    assert {d.task for d in sample} == {make.task}


@pytest.mark.parametrize("name", ["logistic", "linear", "nonlinear", "fourclass"])
@pytest.mark.parametrize("cosine", [1.0001, -2, float("nan")])
def test_cosine_out_of_range(name, cosine):
    with pytest.raises(DatakinError, match="cosine must lie between -1 and 1"):
        settings()[name](cosine).oracle()
    with pytest.raises(DatakinError, match="cosine must lie between -1 and 1"):
        settings()[name](cosine).sample(50, 50)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mixture(-0.1).oracle(), r"alpha must lie between 0 and 1. Got -0.1"),
        (lambda: Mixture(1.1).sample(50, 50), "alpha must lie between 0 and 1"),
        (lambda: Mixture(float("nan")).oracle(), "alpha must lie between 0 and 1"),
        (lambda: LinearRegression(0.5, variant="book").oracle(), "'tables' or 'text'"),
        (lambda: NonlinearRegression(0.5, variant="").oracle(), "'tables' or 'text'"),
        (lambda: NonlinearRegression(0.5, variant="book").sample(50, 50), "Got 'book'"),
        (lambda: QDA().sample(50, 1), "n_source must be at least 2"),
        (lambda: Radial().sample(50, 50, n_test=-1), "n_test must not be negative"),
        (
            lambda: probit_small_noise(np.zeros(3), np.ones(3), noise_target=0.1, noise_source=0.1),
            "not all 0",
        ),
    ],
)
def test_bad_settings(make, message):
    with pytest.raises(DatakinError, match=message):
        make()


@pytest.mark.parametrize("level", [1.5, -2, "a", None, float("nan")])
@pytest.mark.parametrize("name", ["lda", "mixture", "linear", "fourclass"])
def test_a_level_that_is_none_is_refused_at_once(name, level):
    with pytest.raises(DatakinError, match=r"must lie between (-1|0) and 1"):
        settings()[name](level)
