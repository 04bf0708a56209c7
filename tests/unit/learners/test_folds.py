"""The fold plan: how many fits, who saw what, and what the folds depend on."""

import numpy as np
import pytest

from datakin import DatakinError, as_dataset
from datakin.learners.folds import make_plan

KINDS = ("shared", "fresh")


@pytest.mark.parametrize(
    ("inner", "k", "n_fits"), [("shared", 5, 16), ("fresh", 5, 31), ("shared", 3, 7)]
)
def test_number_of_fits(make_lda, inner, k, n_fits):
    plan = make_plan(make_lda(60), k, inner, 0)
    assert len(plan.trains) == len(plan.names) == len(set(plan.names)) == n_fits


@pytest.mark.parametrize("inner", KINDS)
@pytest.mark.parametrize("task", ["classes", "regression"])
def test_every_row_is_held_out_once(make_lda, make_linear, inner, task):
    dataset = make_lda(63) if task == "classes" else make_linear(63)
    plan = make_plan(dataset, 5, inner, 0)
    assert np.sort(np.concatenate(plan.folds)).tolist() == list(range(63))
    assert plan.trains[0].tolist() == list(range(63))
    for k, fold in enumerate(plan.folds):
        assert sorted([*plan.trains[1 + k], *fold]) == list(range(63))
        tested = np.concatenate([rows for _, rows in plan.inner[k]])
        assert np.sort(tested).tolist() == plan.trains[1 + k].tolist()


@pytest.mark.parametrize("inner", KINDS)
def test_inner_fits_saw_neither_fold_k_nor_their_own_test_rows(make_lda, inner):
    plan = make_plan(make_lda(63), 5, inner, 0)
    for fold, entries in zip(plan.folds, plan.inner, strict=True):
        for fit, rows in entries:
            train = plan.trains[fit]
            assert not np.isin(train, fold).any()
            assert not np.isin(train, rows).any()
            assert len(train) + len(fold) + len(rows) == 63
            assert np.isin(np.concatenate([fold, rows]), plan.held_out(plan.trains[fit])).all()


def test_a_shared_inner_fit_serves_both_folds(make_lda):
    plan = make_plan(make_lda(60), 4, "shared", 0)
    uses = [fit for entries in plan.inner for fit, _ in entries]
    assert sorted(uses) == sorted(2 * list(range(5, 11)))


@pytest.mark.parametrize("inner", KINDS)
def test_classes_are_spread_evenly(inner):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [37, 24, 12])
    plan = make_plan(as_dataset(rng.standard_normal((73, 2)), y, task="multiclass"), 5, inner, 0)
    parts = [*plan.folds, *(rows for entries in plan.inner for _, rows in entries)]
    for k, part in enumerate(parts):
        n_rows = 73 if k < 5 else len(plan.trains[1 + (k - 5) // (4 if inner == "shared" else 5)])
        n_parts = 5 if k < 5 or inner == "fresh" else 4
        for c, total in enumerate([37, 24, 12]):
            assert abs((y[part] == c).sum() - total * n_rows / 73 / n_parts) < 1.5


@pytest.mark.parametrize("inner", KINDS)
@pytest.mark.parametrize("task", ["binary", "regression"])
def test_groups_are_never_split(inner, task):
    rng = np.random.default_rng(1)
    group = rng.permutation(np.repeat(np.arange(30), 4))
    y = np.arange(120) % 2 if task == "binary" else rng.standard_normal(120)
    dataset = as_dataset(rng.standard_normal((120, 2)), y, group=group, task=task)
    plan = make_plan(dataset, 4, inner, 0)
    for fold in plan.folds:
        assert not set(group[fold]) & set(group[np.setdiff1d(np.arange(120), fold)])
    for entries in plan.inner:
        for fit, rows in entries:
            assert not set(group[rows]) & set(group[plan.trains[fit]])


def test_folds_depend_on_seed_and_labels_alone(make_lda):
    def folds(dataset, seed=0, repeat=0):
        return [fold.tolist() for fold in make_plan(dataset, 5, "shared", seed, repeat).folds]

    one, two = make_lda(60, 1, p=2), make_lda(60, 2, p=7, name="another")
    assert folds(one) == folds(two)
    assert folds(one) == folds(one)
    assert folds(one) != folds(one, seed=1)
    assert folds(one) != folds(one, repeat=1)
    flipped = as_dataset(one.features.numeric, 1 - one.y)
    assert folds(one) != folds(flipped)


def test_folds_do_not_depend_on_the_unit_of_the_response(make_linear):
    """Grams or kilograms: the rows must fall into the same folds, or the score moves."""
    one, two = (make_plan(make_linear(60, unit=unit), 5, "shared", 0) for unit in (1.0, 1000.0))
    assert [f.tolist() for f in one.folds] == [f.tolist() for f in two.folds]


def test_fresh_inner_folds_differ_from_fold_to_fold(make_lda):
    plan = make_plan(make_lda(60), 5, "fresh", 0)
    first = [{tuple(rows) for _, rows in entries} for entries in plan.inner]
    assert all(not first[0] & other for other in first[1:])


def test_too_few_rows_of_a_class_are_refused():
    rng = np.random.default_rng(0)
    dataset = as_dataset(rng.standard_normal((40, 2)), np.arange(40) < 4, name="small")
    with pytest.raises(
        DatakinError, match=r"at least 5 rows, one per fold. Got '1 \(4\)' in 'small'"
    ):
        make_plan(dataset, 5, "shared", 0)


def test_too_few_groups_are_refused():
    rng = np.random.default_rng(0)
    dataset = as_dataset(rng.standard_normal((40, 2)), np.arange(40) % 2, group=np.arange(40) % 4)
    with pytest.raises(DatakinError, match=r"at least as many groups as folds \(5\). Got 4"):
        make_plan(dataset, 5, "shared", 0)


@pytest.mark.parametrize("inner", KINDS)
def test_a_class_in_two_groups_alone_is_refused(inner):
    """Without both groups a fit would not know the class."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(10), 8)
    y = np.isin(group, [0, 1]).astype(int)
    dataset = as_dataset(rng.standard_normal((80, 2)), y, group=group, name="wards")
    with pytest.raises(DatakinError, match="class '1'"):
        make_plan(dataset, 5, inner, 0)


def test_folds_without_strata_are_plain_and_refuse_a_lost_class(make_lda):
    """Class shares vary over folds, and a class that two folds swallow is an error."""
    dataset = make_lda(100, seed=3, name="d")
    shares = [
        {dataset.y[fold].sum() for fold in make_plan(dataset, 5, "shared", 0, 0, stratify).folds}
        for stratify in (True, False)
    ]
    assert len(shares[0]) == 1 < len(shares[1])
    y = np.zeros(60, dtype=int)
    y[:5] = 1
    rare = as_dataset(np.random.default_rng(0).standard_normal((60, 2)), y, name="rare")
    messages = []
    for seed in range(200):
        try:
            make_plan(rare, 5, "shared", seed, 0, False)
        except DatakinError as error:
            messages.append(str(error))
    assert 0 < len(messages) < 200
    assert "without strata of 'rare' put all rows of class '1'" in messages[0]
