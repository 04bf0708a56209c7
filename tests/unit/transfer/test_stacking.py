"""KinStack: what choose fits, for arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestRegressor

from datakin import DatakinError, DatakinWarning, as_dataset, transfer_gain
from datakin.transfer import KinStack


def make(n, seed, turn=1.0, kind="binary"):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    eta = X @ np.array([1.5, turn, 0.0, 0.5]) + 0.5 * rng.standard_normal(n)
    y = {"binary": (eta > 0).astype(int), "numbers": eta, "three": np.digitize(eta, [-1, 1])}[kind]
    return X, y


@pytest.mark.parametrize("kind", ["binary", "numbers", "three"])
def test_a_twin_is_used_and_a_stranger_is_not(kind):
    X, y = make(50, 0, kind=kind)
    Xs, ys = make(300, 1, kind=kind)
    stranger = Xs, ys[np.random.default_rng(2).permutation(300)]
    model = KinStack(task="regression" if kind == "numbers" else "classification", repeats=1)
    model.fit(X, y, sources={"twin": (Xs, ys), "stranger": stranger})
    assert model.used_ == ("twin",)
    assert model.shares_["stranger"] == 0
    assert 0.3 < model.shares_["twin"] < 1
    fresh, truth = make(2000, 3, kind=kind)
    alone = KinStack(task=model.task, repeats=1).fit(X, y)
    assert model.score(fresh, truth) > alone.score(fresh, truth)


def test_without_sources_it_is_the_stack_of_the_learners():
    X, y = make(60, 0)
    model = KinStack(repeats=2).fit(X, y)
    assert model.error_ == model.error_alone_
    assert model.used_ == ()
    assert model.n_sources_ == 0


def test_the_order_of_sources_changes_nothing():
    X, y = make(50, 0)
    one, two = {"a": make(100, 1), "b": make(100, 2, turn=-1)}, {}
    for name in reversed(one):
        two[name] = one[name]
    fits = [KinStack(repeats=1).fit(X, y, sources=s) for s in (one, two)]
    fresh = make(100, 5)[0]
    assert_allclose(*(fit.predict_proba(fresh) for fit in fits), atol=1e-9)


def test_rare_classes_are_judged_and_predicted_alike():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 2))
    y = (X[:, 0] + 0.7 * rng.standard_normal(120) > 1.6).astype(int)
    assert 0 < y.mean() < 0.15
    model, plain = KinStack(repeats=1).fit(X, y), KinStack(repeats=1, loss="zero_one").fit(X, y)
    # Every class counts the same, so the rare one is predicted more often.
    assert model.predict(X).mean() > plain.predict(X).mean()
    assert_allclose(model.predict_proba(X), plain.predict_proba(X))


def test_a_source_without_a_class_and_one_without_any():
    X, y = make(60, 0, kind="three")
    Xs, ys = make(200, 1, kind="three")
    some = ys != 2
    model = KinStack(repeats=1).fit(X, y, sources={"two": (Xs[some], ys[some])})
    assert list(model.classes_) == [0, 1, 2]
    with pytest.warns(DatakinWarning, match="rows are left out"):
        KinStack(repeats=1).fit(X, y, sources={"more": (Xs, np.where(ys == 0, 3, ys))})
    with pytest.raises(DatakinError, match="same class labels"):
        KinStack(repeats=1).fit(X, y, sources={"other": (Xs, ys + 10)})


def test_groups_and_weights():
    X, y = make(60, 0)
    who = np.repeat(np.arange(12), 5)
    assert KinStack(repeats=1).fit(X, y, groups=who).error_ <= 1
    with pytest.raises(DatakinError, match="one group"):
        KinStack(repeats=1).fit(X, y, groups=np.zeros(60))
    weighted = KinStack(repeats=1).fit(X, y, weights=np.full(60, 3.0))
    assert weighted.error_ == KinStack(repeats=1).fit(X, y).error_
    for wrong in (np.ones(3), -np.ones(60), np.zeros(60)):
        with pytest.raises(DatakinError, match="weights"):
            KinStack(repeats=1).fit(X, y, weights=wrong)


def test_learners_of_the_user_and_wrong_options():
    X, y = make(60, 0, kind="numbers")
    mine = {"forest": RandomForestRegressor(10)}
    model = KinStack(mine, task="regression", repeats=1).fit(
        X, y, sources=[make(90, 1, kind="numbers")]
    )
    assert model.predict(X).shape == (60,)
    with pytest.raises(DatakinError, match="task='regression'"):
        KinStack().fit(X, y)
    for wrong in ({"repeats": 0}, {"task": "both"}, {"learners": "bush"}, {"random_state": 0.5}):
        with pytest.raises(DatakinError):
            KinStack(**wrong).fit(*make(60, 0))


def test_without_pools_tables_are_learned_from_apart():
    X, y = make(50, 0)
    model = KinStack(repeats=1, pools=False).fit(X, y, sources={"twin": make(200, 1)})
    assert {rows for _, rows, _, _ in model._stack.parts} == {"target", "source: twin"}


def test_rows_of_a_source_that_stand_in_the_target_are_left_out():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), rng.integers(0, 2, 60)
    with pytest.warns(
        DatakinWarning, match="copy: 60 rows are left out, which stand in the target too"
    ):
        model = KinStack(repeats=1).fit(X, y, sources={"copy": (X, y)})
    assert model.error_ == model.error_alone_
    assert model.used_ == ()


def test_numbers_taken_for_classes_are_said():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((120, 2)), np.arange(120) % 30
    with pytest.warns(DatakinWarning, match="30 different numbers, which are taken for classes"):
        KinStack(learners=["linear"], repeats=1).fit(X, y)


def test_gain_predicts_numbers_as_numbers():
    rng = np.random.default_rng(0)

    def rows(n):
        X = rng.standard_normal((n, 2))
        return X, np.round(5 * X[:, 0] + rng.standard_normal(n))

    target, source = (as_dataset(*rows(80), name=n, task="regression") for n in ("mine", "twin"))
    found = transfer_gain(target, source, methods=["kin_stack"], repeats=2)
    assert found.methods["kin_stack"].target_error < 3, (
        "squared error; classes would have ten times as much"
    )
