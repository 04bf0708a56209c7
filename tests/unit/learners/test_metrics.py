"""Metrics against oracles, and what they must not depend on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
)

from datakin.learners.calibration import auc, calibration
from datakin.learners.metrics import (
    Metrics,
    agreeing,
    class_metrics,
    error_interval,
    number_metrics,
)


def two_classes(n=200, seed=0, *, slope=1.0, shift=0.0):
    """Labels from probabilities p, and what is claimed: logit = slope * logit(p) + shift."""
    rng = np.random.default_rng(seed)
    p = expit(1.5 * rng.standard_normal(n))
    y = (rng.random(n) < p).astype(int)
    return expit(slope * logit(p) + shift), y, rng.uniform(0.2, 3, n)


def both(p):
    return np.column_stack([1 - p, p])


def of_two(p, y, w, **options):
    draws = [both(p)]
    return class_metrics("it", draws, [(p > 0.5).astype(int)], y, w, classes="ab", **options)


def test_auc_is_the_share_of_pairs_in_order():
    p, y, w = two_classes(60)
    p = p.round(1)  # with ties
    up, down = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    gaps = p[up][:, None] - p[down][None]
    wins = (gaps > 0) + 0.5 * (gaps == 0)
    pairs = w[up][:, None] * w[down][None]
    found, influence = auc(p, y == 1, w)
    assert_allclose(found, np.sum(wins * pairs) / pairs.sum(), rtol=1e-12)
    assert_allclose(found, roc_auc_score(y, p, sample_weight=w), rtol=1e-12)
    # DeLong: the variance of the placements of each class.
    plain, influence = auc(p, y == 1, np.ones(60))
    delong = wins.mean(axis=1).var() / len(up) + wins.mean(axis=0).var() / len(down)
    assert_allclose(np.sum(influence**2), delong, rtol=1e-12)
    assert abs(influence.sum()) < 1e-12
    assert plain == pytest.approx(roc_auc_score(y, p), rel=1e-12)


def test_auc_does_not_change_with_the_scale():
    p, y, w = two_classes()
    one = auc(p, y == 1, w)
    for scores in (logit(p), p**3, 5 * p - 2):
        assert_allclose(auc(scores, y == 1, w)[0], one[0], rtol=1e-12)
        assert_allclose(auc(scores, y == 1, w)[1], one[1], atol=1e-14)
    assert_allclose(auc(-p, y == 1, w)[0], 1 - one[0], rtol=1e-12)


def fitted(p, y, w, *, slope):
    """The oracle: maximise the likelihood with a general optimiser."""
    eta = logit(np.clip(p, 1e-6, 1 - 1e-6))

    def loss(beta):
        z = beta[0] + (beta[1] if slope else 1.0) * eta
        return np.sum(w * (np.logaddexp(0, z) - y * z))

    return minimize(loss, [0.0, 1.0][: 1 + slope], tol=1e-12).x


@pytest.mark.parametrize(("slope", "shift"), [(1.0, 0.0), (2.0, 0.5), (0.3, -1.0), (40.0, 0.0)])
def test_calibration_against_an_optimiser(slope, shift):
    p, y, w = two_classes(slope=slope, shift=shift)
    found = calibration(p, y == 1, w)
    assert_allclose(found["calibration_intercept"][0], fitted(p, y, w, slope=False)[0], atol=1e-4)
    assert_allclose(found["calibration_slope"][0], fitted(p, y, w, slope=True)[1], rtol=1e-3)


def test_right_probabilities_have_slope_one_and_intercept_zero():
    """Over many samples: no bias, and 90% intervals hold what is right about that often."""
    held, values = {"calibration_slope": [], "calibration_intercept": []}, []
    for seed in range(300):
        p, y, _ = two_classes(300, seed)
        found = of_two(p, y, np.ones(300))
        for name, right in (("calibration_slope", 1.0), ("calibration_intercept", 0.0)):
            low, high = found.intervals[name]
            held[name].append(low <= right <= high)
        values.append((found.values["calibration_slope"], found.values["calibration_intercept"]))
    mean, error = np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(300)
    assert (np.abs(mean - [1, 0]) < 4 * error + [0.03, 0]).all()
    for each in held.values():
        assert 0.84 <= np.mean(each) <= 0.95  # 90% and four standard errors of 300 samples


def test_what_slope_and_intercept_say():
    extreme = of_two(*two_classes(2000, slope=2.0)).values
    timid = of_two(*two_classes(2000, slope=0.5)).values
    low = of_two(*two_classes(2000, shift=-1.0)).values
    assert extreme["calibration_slope"] == pytest.approx(0.5, abs=0.1)
    assert timid["calibration_slope"] == pytest.approx(2.0, abs=0.3)
    assert low["calibration_intercept"] == pytest.approx(1.0, abs=0.2)


def test_two_classes_against_scikit_learn():
    p, y, w = two_classes()
    found = of_two(p, y, w)
    assert found.of == "it"
    assert found.rows == 200
    assert found.positive == "b"
    right = (p > 0.5) == y
    expected = {
        "accuracy": np.average(right, weights=w),
        "balanced_accuracy": balanced_accuracy_score(y, p > 0.5, sample_weight=w),
        "brier": brier_score_loss(y, p, sample_weight=w),
        "auc": roc_auc_score(y, p, sample_weight=w),
    }
    for name, value in expected.items():
        assert_allclose(found.values[name], value, rtol=1e-10)
    assert set(found.intervals) == set(found.values)
    for name, (low, high) in found.intervals.items():
        assert low < found.values[name] < high


def test_several_classes_against_scikit_learn():
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(4), 150)
    y = np.array([rng.choice(4, p=each) for each in p])
    w = rng.uniform(0.5, 2, 150)
    found = class_metrics("it", [p], [p.argmax(axis=1)], y, w, classes="abcd")
    each = [roc_auc_score(y == c, p[:, c], sample_weight=w) for c in range(4)]
    assert_allclose(found.values["auc"], np.mean(each), rtol=1e-10)
    brier = 0.5 * np.average(np.sum((np.eye(4)[y] - p) ** 2, axis=1), weights=w)
    assert_allclose(found.values["brier"], brier, rtol=1e-10)
    assert set(found.values) == {"accuracy", "balanced_accuracy", "brier", "auc"}
    assert found.positive == ""
    # A class that is not among the rows takes no part.
    some = y != 3
    fewer = class_metrics("it", [p[some]], [p[some].argmax(axis=1)], y[some], w[some])
    each = [roc_auc_score(y[some] == c, p[some, c], sample_weight=w[some]) for c in range(3)]
    assert_allclose(fewer.values["auc"], np.mean(each), rtol=1e-10)


@pytest.mark.parametrize("name", ["calibration_slope", "calibration_intercept"])
def test_intervals_are_as_much_wider_as_they_are_asked_to_be(name):
    made = of_two(*two_classes()), of_two(*two_classes(), spread=2.0)
    (low, high), (lower, higher) = (each.intervals[name] for each in made)
    assert_allclose(higher - lower, 2 * (high - low))


def test_numbers_against_scikit_learn():
    rng = np.random.default_rng(4)
    y = rng.normal(50, 9, 120)
    found = rng.normal(y, 4)
    w = rng.uniform(0.5, 2, 120)
    made = number_metrics("it", [found], y, w)
    assert_allclose(made.values["rmse"], np.sqrt(np.average((y - found) ** 2, weights=w)))
    assert_allclose(made.values["r2"], r2_score(y, found, sample_weight=w))
    assert_allclose(made.values["mae"], mean_absolute_error(y, found, sample_weight=w))
    assert set(made.values) == {"rmse", "r2", "mae"}
    for name, (low, high) in made.intervals.items():
        assert low < made.values[name] < high


def test_weights_stand_for_copies_and_rows_of_weight_zero_for_nothing():
    p, y, _ = two_classes(80)
    w = np.arange(80) % 3
    copies = np.repeat(np.arange(80), w)
    once, again = of_two(p, y, w.astype(float)), of_two(p[copies], y[copies], np.ones(len(copies)))
    assert once.rows == np.count_nonzero(w)
    for name, value in once.values.items():
        assert_allclose(value, again.values[name], rtol=1e-8, atol=1e-9)
    values = p * 10 + y
    one = number_metrics("it", [values], p * 11, w.astype(float)).values
    two = number_metrics("it", [values[copies]], p[copies] * 11, np.ones(len(copies))).values
    assert one == pytest.approx(two, rel=1e-12)


def test_rows_that_belong_together_count_as_one():
    p, y, _ = two_classes(60)
    twice = np.repeat(np.arange(60), 2)
    one = of_two(p, y, np.ones(60))
    grouped = of_two(p[twice], y[twice], np.ones(120), groups=twice)
    apart = of_two(p[twice], y[twice], np.ones(120))
    for name in ("brier", "auc", "calibration_slope"):
        assert_allclose(grouped.intervals[name], one.intervals[name], rtol=1e-6)
        assert np.ptp(apart.intervals[name]) < 0.8 * np.ptp(one.intervals[name])


def test_draws_are_averaged():
    p, y, w = two_classes()
    q = two_classes(seed=9)[0] * 0.3 + p * 0.7
    each = [of_two(one, y, w) for one in (p, q)]
    decided = [(one > 0.5).astype(int) for one in (p, q)]
    mean = class_metrics("it", [both(p), both(q)], decided, y, w)
    for name, value in mean.values.items():
        assert_allclose(value, np.mean([one.values[name] for one in each]), rtol=1e-12)
    same = class_metrics("it", [both(p)] * 3, decided[:1] * 3, y, w, classes="ab")
    assert same.values == pytest.approx(each[0].values, rel=1e-12)
    assert_allclose(same.intervals["auc"], each[0].intervals["auc"], rtol=1e-12)


def test_one_class_has_accuracy_alone():
    p, _, w = two_classes(30)
    found = of_two(p, np.ones(30, dtype=int), w)
    assert set(found.values) == {"accuracy", "balanced_accuracy", "brier"}
    assert found.get("auc") is None


def test_constant_predictions():
    _, y, _ = two_classes(50)
    found = of_two(np.full(50, 0.3), y, np.ones(50))
    assert found.values["auc"] == 0.5
    assert found.get("calibration_slope") is None
    right = logit(y.mean()) - logit(0.3)
    assert found.values["calibration_intercept"] == pytest.approx(right, abs=1e-8)
    # Rounding must not put rows in order.
    noisy = 0.3 + 1e-16 * np.arange(50)
    assert of_two(noisy, y, np.ones(50)).values["auc"] == 0.5
    made = number_metrics("it", [np.full(9, 2.0)], np.full(9, 2.0), np.ones(9))
    assert made.values == {"rmse": 0.0, "mae": 0.0}


@pytest.mark.parametrize("turned", [False, True])
def test_separated_classes_have_no_slope(turned):
    p = np.linspace(0.05, 0.95, 20)
    y = (p > 0.4).astype(int)
    found = of_two(1 - p if turned else p, y, np.ones(20))
    assert found.values["auc"] == (0.0 if turned else 1.0)
    assert found.get("calibration_slope") is None
    low, high = found.intervals["auc"]
    assert (0.0 == low < high < 0.6) if turned else (0.4 < low < high == 1.0)


def test_probabilities_of_zero_and_one_are_taken_a_little_inside():
    p, y, w = two_classes(100)
    p[:5], p[5:10] = 0.0, 1.0
    found = of_two(p, y, w)
    assert np.isfinite(list(found.values.values())).all()
    assert np.isfinite(list(found.intervals.values())).all()
    certain = of_two(y.astype(float), y, w)  # all right
    assert certain.values["accuracy"] == certain.values["auc"] == 1
    assert certain.values["brier"] == 0


def test_without_probabilities_or_rows():
    _, y, w = two_classes(30)
    found = class_metrics("votes", [], [y], y, w, classes="ab")
    assert found.values == {"accuracy": 1.0, "balanced_accuracy": 1.0}
    assert class_metrics("none", [], [y], y, 0 * w).values == {}
    assert number_metrics("none", [w], w, 0 * w) == Metrics("none", 0, {})


def test_what_follows_from_an_error_says_the_same():
    found = Metrics("it", 10, {"auc": 0.7}, {"auc": (0.6, 0.8)})
    made = agreeing(found, "zero_one", 0.3, (0.2, 0.4))
    assert made.values == {"auc": 0.7, "accuracy": 1 - 0.3}
    assert made.intervals["accuracy"] == (1 - 0.4, 1 - 0.2)
    assert agreeing(found, "balanced", 0.3).values["balanced_accuracy"] == 1 - 0.3
    assert agreeing(found, "brier", 0.2).values["brier"] == 0.2
    assert agreeing(found, "log", 0.2) == found
    made = agreeing(Metrics("it", 10, {}), "squared", 4.0, (1.0, 9.0), 16.0)
    assert made.values == {"rmse": 2.0, "r2": 0.75}
    assert made.intervals == {"rmse": (1.0, 3.0), "r2": (1 - 9 / 16, 1 - 1 / 16)}
    assert agreeing(made, "absolute", 1.5).values["mae"] == 1.5


def test_intervals_of_auc_hold_the_truth():
    """Two normals one apart: AUC = Phi(1 / sqrt 2)."""
    truth, held = 0.7602499, []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        y = np.arange(80) % 2
        found = of_two(expit(rng.standard_normal(80) + y), y, np.ones(80))
        low, high = found.intervals["auc"]
        held.append(low <= truth <= high)
    assert 0.84 <= np.mean(held) <= 0.97


def test_an_error_s_interval_is_that_of_its_share():
    assert error_interval(0.0, 0.01, 50, is_share=True, spread=1.0)[0] == 0
    assert error_interval(-1.0, 0.1, 50, is_share=False, spread=1.0) == pytest.approx(
        (-1.168, -0.832), abs=1e-3
    )
