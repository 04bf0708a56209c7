"""Realised gain in every loss: by hand, and predictions that follow the loss."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, brier_score_loss
from sklearn.svm import LinearSVC

from datakin import DatakinError, Gain, as_dataset, transfer, transfer_gain
from datakin._core.repeatability import derive_seed
from datakin.learners.losses import LOSSES, Loss
from datakin.paper.inputs import find_common
from datakin.paper.splits import ErrorOn, Splits

QUICK = {"methods": ["concatenate"], "repeats": 3}


def rare(n, seed, share=0.12, name=""):
    """Two classes, of which one has a small share of the rows."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < round(share * n)).astype(int)
    X = rng.standard_normal((n, 3)) + 1.2 * y[:, None]
    return as_dataset(X, y, name=name or f"rare{seed}")


class Fixed(ClassifierMixin, BaseEstimator):
    """Gives the probabilities that stand in the rows."""

    classes_ = np.array(["a", "b", "c"])

    def predict_proba(self, X):
        return X

    def predict(self, X):
        return self.classes_[np.argmax(X, axis=1)]


class Labels(Fixed):
    """The same without probabilities."""

    predict_proba = property()


# Predictions.


def test_under_the_balanced_loss_probabilities_are_divided_by_the_shares():
    P = np.array([[0.7, 0.2, 0.1], [0.85, 0.1, 0.05], [0.1, 0.3, 0.6]])
    y, trained = np.array(["b", "a", "b"]), np.array(["a"] * 8 + ["b"] * 2)
    error = ErrorOn("d", LOSSES["balanced"], ("a", "b", "c"))
    # a has 80% of the training rows and b 20%: 0.2 / 0.2 beats 0.7 / 0.8. No row of c: never c.
    assert error("it", Fixed(), P, y, trained) == 0
    # The largest probability is a, a and c: wrong on both rows of b, right on the one of a.
    assert error("it", Labels(), P, y, trained) == 0.5
    plain = ErrorOn("d", LOSSES["zero_one"], ("a", "b", "c"))
    assert plain("it", Fixed(), P, y, trained) == pytest.approx(2 / 3)


def test_classes_that_a_method_does_not_know_have_probability_0():
    P = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1]])
    error = ErrorOn("d", LOSSES["log"], ("z", "c", "b", "a"))
    y = np.array(["a", "z"])
    assert error("it", Fixed(), P, y, y) == pytest.approx(-(np.log(0.7) + np.log(1e-3)) / 2)


@pytest.mark.parametrize("loss", ["balanced", "brier", "log"])
def test_errors_by_hand_on_one_split(loss):
    home, away = rare(100, 1, name="home"), rare(120, 2, name="away")
    splits = Splits([home, away], find_common([home, away]), LogisticRegression(), {}, 0.3, 0)
    (train, test), (theirs, _) = (splits.split(i, derive_seed(0, "split", 0)) for i in (0, 1))
    gain = transfer_gain(home, away, methods=["concatenate"], estimator=LogisticRegression(),
                         loss=loss, repeats=1)  # fmt: skip
    X, Xs = home.features.numeric, away.features.numeric
    center, scale = X[train].mean(axis=0), X[train].std(axis=0)
    X, Xs = (X - center) / scale, (Xs - center) / scale
    pooled = LogisticRegression().fit(
        np.vstack([X[train], Xs[theirs]]), np.concatenate([home.y[train], away.y[theirs]])
    )
    p, y = pooled.predict_proba(X[test]), home.y[test]
    shares = np.bincount(home.y[train]) / len(train)
    expected = {
        "balanced": lambda: 1 - balanced_accuracy_score(y, np.argmax(p / shares, axis=1)),
        "brier": lambda: brier_score_loss(y, p[:, 1]),
        "log": lambda: -np.log(np.clip(p[np.arange(len(y)), y], 1e-3, 1)).mean(),
    }[loss]()
    assert gain.methods["concatenate"].target_error == pytest.approx(expected, rel=1e-3)
    assert (gain.loss, gain.source_loss) == (loss, loss)


# Which loss.


def test_auto_is_the_loss_of_the_dataset_tested_on(duo, make_linear):
    assert transfer_gain(*duo, **QUICK).loss == "zero_one"
    gain = transfer_gain(rare(100, 1, name="few"), rare(120, 2, 0.4, name="many"), **QUICK)
    assert (gain.loss, gain.source_loss) == ("balanced", "zero_one")
    assert (
        f"balanced error {gain.methods[gain.best].target_error:.1%}, against"
        in gain.answer.evidence[0]
    )
    (back,) = [said for said in gain.answer.caveats if said.startswith("Back: ")]
    assert back.endswith(f"many alone has error {gain.source_error:.1%}.")
    assert gain.provenance.options["loss"] == "auto"
    assert Gain.from_json(gain.to_json()) == gain
    numbers = make_linear(40, 1, name="home"), make_linear(60, 2, name="away")
    assert transfer_gain(*numbers, **QUICK).loss == "squared"
    assert transfer_gain(*numbers, **QUICK, loss="absolute").loss == "absolute"


def test_the_loss_that_was_asked_for_is_said(duo):
    gain = transfer_gain(*duo, **QUICK, loss="brier")
    assert gain.answer.evidence[0].startswith("Best method, concatenate: Brier loss 0.")
    assert "error" not in gain.answer.evidence[0]


def test_a_loss_of_ones_own_gets_names(duo, make_linear):
    seen = []

    def missed(true, predicted):
        seen.append((true, predicted))
        return 3.0 * (true != predicted)

    gain = transfer_gain(*duo, **QUICK, loss=missed)
    assert gain.loss == "missed"
    assert {label for true, _ in seen for label in true} == {"0", "1"}
    plain = transfer_gain(*duo, **QUICK, loss="zero_one")
    assert gain.target_error == pytest.approx(3 * plain.target_error)
    numbers = make_linear(40, 1, name="home"), make_linear(60, 2, name="away")

    def cut(true, predicted):
        return np.minimum(np.abs(true - predicted), 1.0)

    assert 0 < transfer_gain(*numbers, **QUICK, loss=cut).target_error < 1


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("brierr", "Did you mean 'brier'"),
        ("squared", r"'squared' does not fit the task: 'home' poses classes"),
        (lambda true, predicted: 1.0, "must return one number per row"),
        (lambda true, predicted: true - predicted, "It raised TypeError"),
    ],
)
def test_losses_that_make_no_sense(duo, loss, message):
    with pytest.raises(DatakinError, match=message):
        transfer_gain(*duo, **QUICK, loss=loss)


@pytest.mark.parametrize("loss", ["brier", "log"])
def test_a_learner_without_probabilities(duo, loss):
    with pytest.raises(
        DatakinError,
        match=r"needs probabilities, and the base learner LinearSVC has no predict_proba",
    ):
        transfer_gain(*duo, **QUICK, estimator=LinearSVC(), loss=loss)
    own = {"mine": transfer.Concatenate(LinearSVC())}
    with pytest.raises(DatakinError, match="the method 'mine' has no predict_proba"):
        transfer_gain(*duo, methods=own, repeats=1, loss=loss)
    assert transfer_gain(*duo, **QUICK, estimator=LinearSVC(), loss="balanced").repeats == 3


def test_a_loss_object_is_taken_as_it_is(duo):
    twice = Loss("twice", "label", lambda y, label: 2.0 * (y != label))
    gain = transfer_gain(*duo, **QUICK, loss=twice)
    assert gain.target_error == pytest.approx(2 * transfer_gain(*duo, **QUICK).target_error)
