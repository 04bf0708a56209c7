"""Encoders learn from training rows alone; ranks mean to trees what the numbers mean."""

import numpy as np
import pandas as pd
import pytest
from xgboost import XGBClassifier, XGBRegressor

from datakin.data.features import MISSING, UNKNOWN, Features
from datakin.learners.encoding import MAX_LEVELS, ColumnEncoder, TreeCodes, beside


def features(numeric, codes=None, levels=()):
    numeric = np.asarray(numeric, dtype=float)
    codes = np.zeros((len(numeric), 0), np.int32) if codes is None else np.asarray(codes, np.int32)
    names = tuple(f"x{j}" for j in range(numeric.shape[1]))
    return Features(numeric, names, codes, tuple(f"c{j}" for j in range(codes.shape[1])), levels)


@pytest.fixture
def mixed(make_mixed, read):
    return read(make_mixed(60, 5)).features


def test_held_out_rows_leave_no_trace(mixed):
    train = np.arange(40)
    spoiled_numbers, spoiled_codes = mixed.numeric.copy(), mixed.codes.copy()
    spoiled_numbers[40:] = 1e9 * np.random.default_rng(0).standard_normal((20, 3))
    spoiled_codes[40:] = UNKNOWN
    spoiled = Features(
        spoiled_numbers, mixed.numeric_names, spoiled_codes, mixed.category_names, mixed.levels
    )
    expected = ColumnEncoder.learn(mixed, train).dense(mixed, train)
    np.testing.assert_array_equal(ColumnEncoder.learn(spoiled, train).dense(mixed, train), expected)
    everything = ColumnEncoder.learn(mixed, np.arange(60)).dense(mixed, train)
    assert not np.allclose(everything, expected)  # guard: the rows held out would have mattered


def test_numbers_are_standardised_after_median_imputation():
    numeric = np.array([[1.0], [np.nan], [3.0], [8.0], [100.0]])
    dense = ColumnEncoder.learn(features(numeric), np.arange(4)).dense(features(numeric))
    filled = np.array([1.0, 3.0, 3.0, 8.0, 100.0])  # the median of 1, 3 and 8
    expected = (filled - filled[:4].mean()) / filled[:4].std()
    np.testing.assert_allclose(dense[:, 0], expected, rtol=1e-14)


def test_columns_constant_in_training_rows_are_left_out():
    numeric = np.array(
        [[1.0, 5.0, np.nan], [2.0, 5.0, np.nan], [4.0, 5.0, np.nan], [3.0, 6.0, 7.0]]
    )
    dense = ColumnEncoder.learn(features(numeric), np.arange(3)).dense(features(numeric))
    assert dense.shape == (4, 1)
    assert np.isfinite(dense).all()


def test_one_hot_columns_missing_is_a_level_unknown_is_none():
    codes = np.array([[0], [0], [1], [1], [MISSING], [MISSING], [2], [UNKNOWN]])
    data = features(np.zeros((8, 0)), codes, (("a", "b", "rare"),))
    encoded = ColumnEncoder.learn(data, np.arange(7)).dense(data)
    # Columns: missing, a, b. A level seen once has none, like one that was never seen.
    expected = [
        [0, 1, 0],
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 1],
        [1, 0, 0],
        [1, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
    ]
    np.testing.assert_array_equal(encoded, expected)


def test_category_constant_in_training_rows_has_no_column():
    codes = np.array([[0], [0], [0], [1]])
    data = features(np.arange(4.0)[:, None], codes, (("a", "b"),))
    assert ColumnEncoder.learn(data, np.arange(3)).dense(data).shape == (4, 1)


def test_a_long_tail_of_levels_is_cut():
    n_levels = MAX_LEVELS + 30
    codes = np.repeat(np.arange(n_levels), np.where(np.arange(n_levels) < 10, 5, 3))[:, None]
    data = features(np.zeros((len(codes), 0)), codes, (tuple(f"l{i:03}" for i in range(n_levels)),))
    encoder = ColumnEncoder.learn(data, np.arange(len(codes)))
    assert len(encoder.levels[0]) == MAX_LEVELS
    assert set(range(10)) <= set(encoder.levels[0])  # the commonest ones stay


def test_levels_of_another_dataset_are_matched_by_name(read):
    y = np.arange(40) // 4 % 2
    x = np.arange(40.0) ** 1.1
    ours = read(pd.DataFrame({"c": np.tile(["b", "d"], 20), "x": x, "y": y}))
    theirs = read(pd.DataFrame({"x": x[::-1], "c": np.tile(["a", "b", None, "d"], 10), "y": y}))
    matched = theirs.features.matched_to(ours.features)
    assert matched.codes[:4, 0].tolist() == [UNKNOWN, 0, MISSING, 1]
    encoded = ColumnEncoder.learn(ours.features, np.arange(40)).indicators(matched)
    np.testing.assert_array_equal(encoded[:4], [[0, 0], [1, 0], [0, 0], [0, 1]])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["classes", "regression"])
def test_xgboost_predicts_the_same_from_ranks(kind, seed):
    """Ties, unseen values inside and outside the range; more distinct values than 256 bins."""
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((400, 4)), 1.5 * rng.standard_normal((300, 4))
    X[:, 1], Z[:, 1] = np.round(X[:, 1], 1), np.round(Z[:, 1], 1)
    X[:, 2], Z[:, 2] = np.exp(4 * X[:, 2]), np.exp(4 * Z[:, 2])
    y = X[:, 0] + np.log(X[:, 2]) / 4 + 0.5 * rng.standard_normal(400)
    ranks = TreeCodes(features(X))
    nothing = np.zeros((400, 0))
    coded, coded_test = (
        beside(ranks.ranks(features(part)), nothing[: len(part)]) for part in (X, Z)
    )
    options = {"n_estimators": 40, "max_depth": 6, "learning_rate": 0.3, "n_jobs": 1}
    if kind == "classes":
        y = (y > 0).astype(int)
        raw, ranked = (XGBClassifier(**options).fit(A, y) for A in (X, coded))
        np.testing.assert_array_equal(raw.predict_proba(Z), ranked.predict_proba(coded_test))
    else:
        raw, ranked = (XGBRegressor(**options).fit(A, y) for A in (X, coded))
        np.testing.assert_array_equal(raw.predict(Z), ranked.predict(coded_test))


def test_xgboost_predicts_the_same_from_ranks_with_missing_values():
    rng = np.random.default_rng(9)
    X, Z = rng.uniform(1, 2, (300, 3)), rng.uniform(1, 2, (200, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    Z[rng.random(Z.shape) < 0.2] = np.nan
    y = (np.nan_to_num(X[:, 0], nan=1.9) + 0.3 * rng.standard_normal(300) > 1.6).astype(int)
    ranks = TreeCodes(features(X))
    coded, coded_test = (
        beside(ranks.ranks(features(part)), np.zeros((len(part), 0))) for part in (X, Z)
    )
    raw, ranked = (XGBClassifier(n_estimators=40, n_jobs=1).fit(A, y) for A in (X, coded))
    np.testing.assert_array_equal(raw.predict_proba(Z), ranked.predict_proba(coded_test))


def test_ranks_keep_apart_what_32_bits_do_not():
    stamps = 1.7e9 + np.arange(64.0)[:, None]  # seconds; XGBoost stores 1.7e9 in steps of 128
    coded = beside(TreeCodes(features(stamps)).ranks(features(stamps)), np.zeros((64, 0)))
    assert len(np.unique(coded.astype(np.float32))) == 64
    assert len(np.unique(stamps.astype(np.float32))) < 64


def test_ranks_by_their_definition():
    """Twice the number of smaller values, plus one for an equal one."""
    rng = np.random.default_rng(3)
    made = []
    for n in (40, 1, 25):
        X = np.round(rng.standard_normal((n, 3)), 1)  # ties within and between the tables
        X[rng.random(X.shape) < 0.1] = np.nan
        made.append(X)
    made[0][:, 2] = np.nan  # no value at all to compare with
    codes = TreeCodes(features(made[0]))
    for X in made:
        table = features(X)
        for each in (table, table.select(table.numeric_names[::-1])):
            for _ in range(2):  # the second time from columns in order that were kept
                found = codes.ranks(each)
                assert found.dtype == np.float32
                for j, known in enumerate(made[0].T):
                    values = np.unique(known)
                    both = [np.searchsorted(values, X[:, j], side) for side in ("left", "right")]
                    expected = np.where(np.isnan(X[:, j]), np.nan, sum(both))
                    np.testing.assert_array_equal(found[:, j], expected)
