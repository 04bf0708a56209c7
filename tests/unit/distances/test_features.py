"""Two datasets become two clouds on common axes."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from datakin import DatakinError, as_dataset, distances
from datakin.distances.features import clouds

LABEL = {"y": np.arange(24) % 2}


def test_missing_numbers_become_the_median_of_both(read):
    rng = np.random.default_rng(0)
    values, rest = rng.normal(size=(2, 24)), rng.normal(size=24)
    values[0, :4] = np.nan
    target, source = (read(pd.DataFrame({"a": column, "b": rest} | LABEL)) for column in values)
    both = clouds(target, source)
    median = np.nanmedian(values)
    assert np.sum(both.target.points[:, 0] == median) == 4
    expected = np.sort(np.where(np.isnan(values[0]), median, values[0]))
    np.testing.assert_array_equal(np.sort(both.target.points[:, 0]), expected)


def test_categories_take_the_union_of_levels_and_missing_is_one(read):
    one = pd.DataFrame({"c": ["a", "b", None] * 8} | LABEL)
    other = pd.DataFrame({"c": ["b", "d"] * 12} | LABEL | {"y": [0, 1, 1, 0] * 6})
    both = clouds(read(one, "one"), read(other, "other"))
    assert both.n_numeric == 0
    assert both.blocks == (slice(0, 4),)  # a, b, d, missing
    np.testing.assert_array_equal(both.target.points.sum(axis=0), [8, 8, 0, 8])
    np.testing.assert_array_equal(both.source.points.sum(axis=0), [0, 12, 12, 0])


def test_axes_agree_whatever_the_order_of_columns_and_rows(read, make_mixed):
    frame = make_mixed(40)
    turned = frame[["y", "colour", "rate", "dose", "age"]].sample(frac=1, random_state=0)
    both = clouds(read(frame, "a"), read(turned, "b"))
    assert both.identical
    np.testing.assert_array_equal(both.target.points, both.source.points)
    np.testing.assert_array_equal(both.target.labels, both.source.labels)


def test_classes_are_coded_on_the_union():
    X = np.random.default_rng(0).normal(size=(24, 2))
    one = as_dataset(X, ["a", "c"] * 12)
    other = as_dataset(X, ["b", "c"] * 12)
    both = clouds(one, other)
    assert both.classes == ("a", "b", "c")
    assert set(both.target.labels) == {0, 2}
    assert set(both.source.labels) == {1, 2}


def test_pooled_scaling_gives_unit_spread_and_leaves_categories(read, make_mixed):
    both = clouds(read(make_mixed(40, 0)), read(make_mixed(40, 1)), scaling="pooled")
    points = np.vstack([both.target.points, both.source.points])
    np.testing.assert_allclose(points[:, :3].std(axis=0), 1.0)
    assert set(np.unique(points[:, 3:])) == {0.0, 1.0}


def test_sparse_equals_dense():
    X = np.random.default_rng(0).poisson(0.7, size=(2, 30, 4)).astype(float)
    y = np.arange(30) % 2
    thin = clouds(*((sparse.csr_array(part), y) for part in X))
    full = clouds(*((part, y) for part in X))
    for name in ("target", "source"):
        ours, theirs = getattr(thin, name).points, getattr(full, name).points
        np.testing.assert_array_equal(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)])


def test_pairs_and_datasets_mean_the_same(distance, make_cloud):
    target, source = make_cloud(0), make_cloud(1)
    arrays = [(d.features.numeric, d.y) for d in (target, source)]
    assert distance.between(*arrays) == distance.between(target, source)


@pytest.mark.parametrize("seeds", [(0, 1), (2, 3)])
def test_mixed_and_missing_columns_work_everywhere(distance, read, make_mixed, seeds):
    target, source = (read(make_mixed(80, seed), f"{seed}") for seed in seeds)
    assert np.isfinite(distance.between(target, source))


@pytest.mark.parametrize("size", [1e-154, 1e200])
@pytest.mark.parametrize("name", ["energy", "mmd", "otdd", "wasserstein"])
def test_numbers_whose_squares_cannot_be_held(name, size):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    far = [(X[:20] * size, y[:20]), (X[20:] * size, y[20:])]
    with pytest.raises(DatakinError, match=r"use scaling='pooled' \(--scaling pooled\)"):
        distances.compare(*far, method=name)
    near = [(X[:20], y[:20]), (X[20:], y[20:])]
    found, expected = (
        distances.compare(*pair, method=name, scaling="pooled").score for pair in (far, near)
    )
    assert found == pytest.approx(expected, rel=1e-9)
