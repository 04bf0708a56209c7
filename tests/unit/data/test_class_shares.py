"""A source with the target's shares of the classes."""

import numpy as np
import pytest
from scipy import sparse

import datakin
from datakin import DatakinError, match_classes


def made(*counts, name="theirs", classes="abc", **options):
    rng = np.random.default_rng(sum(counts))
    y = rng.permutation(np.repeat(list(classes[: len(counts)]), counts))
    return datakin.as_dataset(rng.normal(size=(len(y), 2)), y, name=name, **options)


@pytest.mark.parametrize(
    ("target", "source", "left"),
    [
        ((80, 20), (50, 50), (50, 12)),
        ((20, 80), (50, 50), (12, 50)),
        ((50, 50), (50, 50), (50, 50)),
        ((50, 30, 20), (100, 100, 100), (100, 60, 40)),
    ],
)
def test_shares_are_the_targets(target, source, left):
    source = made(*source)
    found = match_classes(source, made(*target, name="mine"))
    assert tuple(np.bincount(found.y)) == left
    assert found.name == source.name
    assert found.classes == source.classes
    assert found.notes[-1].startswith(f"{sum(left)} of its {source.n_rows} rows are used")
    assert "shares that they have in mine" in found.notes[-1]


def test_rows_stay_in_order_and_repeat():
    source, target = made(60, 60), made(80, 20, name="mine")
    found = match_classes(source, target)
    places = [
        np.flatnonzero((source.features.numeric == row).all(axis=1))[0]
        for row in found.features.numeric
    ]
    assert places == sorted(places)
    assert match_classes(source, target).fingerprint == found.fingerprint
    assert match_classes(source, target, random_state=1).fingerprint != found.fingerprint


def test_a_class_that_the_target_lacks_is_left_out():
    found = match_classes(made(50, 50, 50), made(30, 30, name="mine"))
    assert tuple(np.bincount(found.y, minlength=3)) == (50, 50, 0)


def test_weights_are_shares():
    rng = np.random.default_rng(0)
    target = made(50, 50, name="mine", weights=np.ones(100))
    target = datakin.as_dataset(
        target.features.numeric,
        np.array(target.classes)[target.y],
        weights=np.where(target.y == 1, 4.0, 1.0),
        name="mine",
    )
    assert tuple(np.bincount(match_classes(made(50, 50), target).y)) == (12, 50)
    y = np.repeat(["a", "b"], 100)
    source = datakin.as_dataset(
        rng.normal(size=(200, 2)), y, weights=np.repeat([1.0, 3.0], 100), name="theirs"
    )
    found = match_classes(source, made(50, 50, name="mine"))
    assert tuple(np.bincount(found.y)) == (100, 33)
    assert len(found.weights) == 133


def test_groups_and_sparse_columns_come_along():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 60)
    source = datakin.as_dataset(
        sparse.csr_matrix(rng.normal(size=(120, 3))), y, group=np.arange(120) // 3, name="theirs"
    )
    found = match_classes(source, made(80, 20, name="mine"))
    assert found.features.is_sparse
    assert len(found.groups) == found.n_rows == 75


def test_what_is_refused():
    target = made(80, 20, name="mine")
    with pytest.raises(DatakinError, match=r"takes two datasets.*Got tuple"):
        match_classes((np.zeros((3, 2)), [0, 1, 0]), target)
    with pytest.raises(DatakinError, match=r"must have every class of 'mine'.*lacks 'c'"):
        match_classes(made(50, 50), made(30, 30, 30, name="mine"))
    with pytest.raises(DatakinError, match=r"At least 20 rows must be left.*would have 1[0-9]"):
        match_classes(made(15, 50), made(80, 20, name="mine"))
    rng = np.random.default_rng(0)
    numbers = datakin.as_dataset(rng.normal(size=(40, 2)), rng.normal(size=40), name="numbers")
    with pytest.raises(DatakinError, match=r"Only tables with classes.*--convert"):
        match_classes(numbers, numbers)
    with pytest.raises(DatakinError, match="random_state"):
        match_classes(target, target, random_state="x")
