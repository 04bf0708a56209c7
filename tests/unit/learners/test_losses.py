"""Losses row by row against hand-made numbers, and which loss a dataset gets."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss

from datakin import DatakinError, as_dataset, score
from datakin.learners.losses import LOSSES, choose_loss, resolve_loss


def test_zero_one_counts_mistakes():
    losses = LOSSES["zero_one"].rows(np.array([0, 1, 2, 1]), np.array([0, 2, 2, 0]))
    assert losses.tolist() == [0.0, 1.0, 0.0, 1.0]


def test_brier_is_the_squared_distance_of_two_classes():
    p = np.array([0.9, 0.2, 0.5])
    y = np.array([1, 1, 0])
    losses = LOSSES["brier"].rows(y, np.column_stack([1 - p, p]))
    np.testing.assert_allclose(losses, [0.01, 0.64, 0.25], atol=1e-15)
    assert losses.mean() == pytest.approx(brier_score_loss(y, p), abs=1e-15)


def test_brier_of_three_classes_is_half_the_sum_of_squares():
    losses = LOSSES["brier"].rows(np.array([2]), np.array([[0.5, 0.3, 0.2]]))
    np.testing.assert_allclose(losses, [(0.25 + 0.09 + 0.64) / 2], atol=1e-15)


def test_log_loss_is_scikit_learn_s_until_it_is_clipped():
    p = np.array([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]])
    losses = LOSSES["log"].rows(np.array([0, 2]), p)
    assert losses.mean() == pytest.approx(log_loss([0, 2], p, labels=[0, 1, 2]), abs=1e-15)
    sure_and_wrong = LOSSES["log"].rows(np.array([1]), np.array([[1.0, 0.0]]))
    assert sure_and_wrong[0] == pytest.approx(-np.log(1e-3))


def test_regression_losses():
    y, value = np.array([1.0, -2.0]), np.array([3.0, -2.5])
    assert LOSSES["squared"].rows(y, value).tolist() == [4.0, 0.25]
    assert LOSSES["absolute"].rows(y, value).tolist() == [2.0, 0.5]


def test_best_constant_is_the_mean_or_the_median():
    y = np.array([0.0, 0.0, 0.0, 8.0])
    assert LOSSES["squared"].of_best_constant(y) == pytest.approx(np.var(y))
    assert LOSSES["absolute"].of_best_constant(y) == pytest.approx(2.0)  # around the median, 0


def binary(n_rare, n=100, name="d"):
    rng = np.random.default_rng(0)
    y = (np.arange(n) < n_rare).astype(int)
    return as_dataset(rng.standard_normal((n, 2)), y, name=name)


def test_balanced_weights_give_the_balanced_error():
    dataset = binary(10)
    predicted = np.random.default_rng(1).integers(0, 2, 100)
    losses = LOSSES["balanced"].rows(dataset.y, predicted)
    weights = LOSSES["balanced"].row_weights(dataset)
    assert weights.mean() == pytest.approx(1.0)
    expected = 1 - balanced_accuracy_score(dataset.y, predicted)
    assert np.mean(weights * losses) == pytest.approx(expected, abs=1e-15)
    assert np.all(LOSSES["zero_one"].row_weights(dataset) == 1)


@pytest.mark.parametrize(("n_rare", "name"), [(14, "balanced"), (15, "zero_one"), (50, "zero_one")])
def test_auto_balances_below_fifteen_percent(n_rare, name):
    assert choose_loss(resolve_loss("auto"), binary(n_rare)).name == name


@pytest.mark.parametrize(("n_rare", "name"), [(4, "balanced"), (5, "zero_one"), (20, "zero_one")])
def test_rare_is_relative_to_the_number_of_classes(n_rare, name):
    """Of seven classes one is rare below 0.3 / 7 of the rows, not below 15%."""
    y = np.repeat(list("abcdefg"), [n_rare] + [16] * 6)
    dataset = as_dataset(np.random.default_rng(0).standard_normal((len(y), 2)), y, name="d")
    assert choose_loss(resolve_loss("auto"), dataset).name == name


def test_auto_is_squared_for_regression(make_linear):
    assert choose_loss(None, make_linear()).name == "squared"


def test_always_guessing_the_common_class_costs_a_half():
    """The reason for balance: 92% of one class, features that know nothing."""
    rng = np.random.default_rng(3)
    y = (np.arange(200) % 25 < 2).astype(int)
    pair = [as_dataset(rng.standard_normal((200, 2)), y, name=name) for name in "ab"]
    plain = score(*pair, models=["logistic"], loss="zero_one")
    with pytest.warns(match="balanced"):
        balanced = score(*pair, models=["logistic"])
    assert plain.own_errors["a"] == pytest.approx(0.08, abs=0.01)
    assert balanced.own_errors["a"] > 0.3
    assert balanced.losses == {"a": "balanced", "b": "balanced"}


@pytest.mark.parametrize(
    ("loss", "message"),
    [("squared", "does not fit the task: 'd' poses classes. Use one of 'zero_one', 'balanced'"),
     ("brierr", "must be 'auto', a callable or one of .* Did you mean 'brier'?")],
)  # fmt: skip
def test_a_loss_that_does_not_fit_is_refused(loss, message):
    with pytest.raises(DatakinError, match=message):
        choose_loss(resolve_loss(loss), binary(40))


def test_class_loss_is_refused_for_regression(make_linear):
    with pytest.raises(DatakinError, match=r"poses regression\. Use one of 'squared', 'absolute'"):
        choose_loss(resolve_loss("zero_one"), make_linear())


def test_own_loss_receives_class_names(make_lda):
    """A loss that counts only missed "1": by definition between 0 and the plain error."""
    seen = set()

    def missed(true, predicted):
        seen.update(map(type, true))
        return ((true == "1") & (predicted != "1")).astype(float)

    pair = make_lda(50, 1), make_lda(60, 2, angle=0.5)
    own, plain = (score(*pair, models=["logistic"], loss=loss) for loss in (missed, "zero_one"))
    assert seen == {str}
    for name, error in own.own_errors.items():
        assert 0 < error < plain.own_errors[name]
    assert set(own.losses.values()) == {"missed"}


@pytest.mark.parametrize(
    ("loss", "message"),
    [(lambda y, p: 0.5, "must return one number per row, shape"),
     (lambda y, p: np.full(len(y), np.nan), "must return finite numbers. Got .* NaN")],
)  # fmt: skip
def test_own_loss_with_a_wrong_answer_is_refused(make_lda, loss, message):
    with pytest.raises(DatakinError, match=message):
        score(make_lda(50, 1), make_lda(60, 2), models=["logistic"], loss=loss)
