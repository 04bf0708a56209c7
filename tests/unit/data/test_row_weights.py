"""Row weights at the door: read, checked, carried along, and without effect on comparisons."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin import DatakinError, DatakinWarning, as_dataset, read_table, read_tables
from datakin.data.schema import TableSchema

N = 80
ONLY_CHOOSE = "row weights are used by choose and explain only"


def table(seed=0, **columns):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.normal(size=N), "dose": rng.normal(size=N)})
    frame["died"] = (frame["age"] + rng.normal(size=N) > 0).astype(int)
    frame["counts"] = rng.integers(0, 4, N) / 2
    return frame.assign(**columns)


def read(frame, **options):
    return read_table(frame, label="died", weight="counts", name="icu", **options)


def with_value(value, row=3):
    values = table()["counts"].astype(object)
    values[row] = value
    return table(counts=values)


def test_weights_are_kept_as_given_and_are_no_feature():
    frame = table()
    dataset = read(frame)
    assert dataset.columns == ("age", "dose")
    np.testing.assert_array_equal(dataset.weights, frame["counts"])
    assert "counts" not in dataset.left_out
    assert read_table(frame, label="died", ignore=["counts"]).weights is None


def test_arrays_give_the_same():
    frame = table()
    made = as_dataset(frame[["age", "dose"]], frame["died"], weights=frame["counts"])
    assert made.fingerprint == read(frame).fingerprint
    np.testing.assert_array_equal(made.weights, frame["counts"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_give_the_same_and_can_be_read_again(tmp_path, ending):
    frame, path = table(), tmp_path / f"icu.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    dataset = read_table(path, label="died", weight="counts", ignore=["counts"])
    np.testing.assert_array_equal(dataset.weights, frame["counts"])
    again = dataset.origin.read("icu", dataset.fingerprint)
    np.testing.assert_array_equal(again.weights, dataset.weights)
    bare = dataset.unweighted()
    again = bare.origin.read("icu", bare.fingerprint)
    assert again.weights is None
    assert again.columns == ("age", "dose")


def test_the_rest_of_the_table_tells_the_decimal_sign(tmp_path):
    frame, path = table(counts=1.125 + np.arange(N) % 3), tmp_path / "icu.csv"
    frame.round(3).to_csv(path, index=False, sep=";", decimal=",", float_format="%.3f")
    with pytest.warns(DatakinWarning, match="decimal comma: 'age', 'dose', 'counts'"):
        dataset = read_table(path, label="died", weight="counts", delimiter=";")
    np.testing.assert_array_equal(dataset.weights, frame["counts"])


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (None, "no value"),
        (np.nan, "no value"),
        ("", "no value"),
        ("NA", "'NA'"),
        ("many", "'many'"),
        ("1 kg", "'1 kg'"),
        (-0.5, "-0.5"),
        (np.inf, "inf"),
    ],
)
def test_what_is_no_weight_is_refused_with_its_row(value, got):
    with pytest.raises(DatakinError) as error:
        read(with_value(value))
    assert str(error.value) == (
        "The weight column 'counts' of 'icu' must hold a finite number, 0 or above, for every labelled "
        f"row. Got {got} in row 3 counted from 0; correct it, or leave the row out."
    )


def test_the_first_of_several_bad_values_is_named():
    frame = with_value("many", 5)
    frame.loc[9, "counts"] = None
    with pytest.raises(DatakinError, match=r"'many' in row 5 counted from 0 \(2 such rows\)"):
        read(frame)


def test_dates_are_no_weights():
    with pytest.raises(DatakinError, match="Got '2020-01-01 00:00:00' in row 0"):
        read(table(counts=pd.date_range("2020-01-01", periods=N)))


def test_weights_of_zero_only_are_refused():
    with pytest.raises(DatakinError, match="The weights of dataset 'icu' must not all be 0"):
        read(table(counts=0))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "weights must have one number per row. Got 3 for 80 rows."),
        (np.ones((N, 2)), "weights must be one column"),
        (np.full(N, np.nan), r"weights must hold a finite number.*Got no value in row 0"),
        (np.full(N, -1.0), r"Got -1.0 in row 0 counted from 0 \(80 such rows\)"),
        (np.zeros(N), "The weights of the dataset must not all be 0"),
    ],
)
def test_bad_arrays_of_weights(weights, message):
    with pytest.raises(DatakinError, match=message):
        as_dataset(table()[["age", "dose"]], table()["died"], weights=weights)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": "count"}, "The weight column 'count' must be one of the columns.*'counts'?"),
        ({"weight": "died"}, "must differ from the label. Got 'died' for both"),
        ({"weight": "age", "group": "age"}, "must differ from the group column. Got 'age'"),
        ({"weight": "counts", "keep": ["counts"]}, "Got 'counts', which is the weight"),
        ({"weight": "counts", "convert": {"counts": (2, 0)}}, "for features and the label"),
    ],
)
def test_columns_that_cannot_be_weights(options, message):
    with pytest.raises(DatakinError, match=message):
        read_table(table(), label="died", **options)


def test_a_table_without_the_column_is_named():
    with pytest.raises(DatakinError, match="'counts' must be one of the columns of 'south'"):
        read_tables(
            {"north": table(), "south": table(1).drop(columns="counts")},
            label="died",
            weight="counts",
        )


def test_rows_without_a_label_lose_their_weight():
    frame = with_value(None)
    frame["died"] = frame["died"].astype(float)
    frame.loc[[3, 8], "died"] = np.nan
    with pytest.warns(DatakinWarning, match="2 of 80 rows have no label"):
        dataset = read(frame)
    np.testing.assert_array_equal(dataset.weights, table()["counts"].drop([3, 8]))


def test_a_table_split_by_domain():
    frame = table(ward=np.arange(N) % 2)
    found = read_tables(frame, label="died", domain="ward", weight="counts")
    for k in (0, 1):
        np.testing.assert_array_equal(found[str(k)].weights, frame["counts"][k::2])
    frame = table(ward=np.where(np.arange(N) == 3, np.nan, np.arange(N) % 2))
    frame.loc[3, "counts"] = np.nan
    with pytest.warns(DatakinWarning, match="1 of 80 rows have no 'ward'"):
        found = read_tables(frame, label="died", domain="ward", weight="counts")
    assert found["1"].n_rows == 39
    assert np.isfinite(found["1"].weights).all()


def test_a_domain_with_weights_of_zero_is_left_out():
    frame = table(ward=np.arange(N) % 3)
    frame.loc[frame["ward"] == 2, "counts"] = 0
    with pytest.warns(DatakinWarning, match="'2' must not all be 0"):
        found = read_tables(frame, label="died", domain="ward", weight="counts")
    assert list(found) == ["0", "1"]


def test_weights_go_along():
    dataset = read(table())
    some = np.array([5, 2, 7])
    np.testing.assert_array_equal(dataset.take(some).weights, dataset.weights[some])
    assert dataset.renamed("other").weights is dataset.weights
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(dataset)).weights, dataset.weights)
    bare = dataset.unweighted()
    assert bare.weights is None
    assert bare.unweighted() is bare
    assert TableSchema.of(dataset).beside == ("counts",)


def test_the_fingerprint_tells_weights_apart():
    prints = {
        read(table()).fingerprint,
        read(table(counts=table()["counts"] + 1)).fingerprint,
        read(table()).unweighted().fingerprint,
    }
    assert len(prints) == 3
    without = read_table(table().drop(columns="counts"), label="died")
    assert without.fingerprint in prints


def test_describe_shows_the_part_of_the_column():
    found = datakin.describe({"icu": table()}, label="died", weight="counts")
    roles = dict(zip(found.frame["column"], found.frame["role"], strict=True))
    assert roles == {"age": "feature", "dose": "feature", "died": "label", "counts": "weight"}
    assert found.datasets[0].fingerprint == read(table()).fingerprint
    assert "counts  weight   number  0 to 1.5" in str(found)
    assert "counts" not in datakin.describe({"icu": table()}, weight="counts").candidates


def test_describe_tells_what_is_wrong_with_a_weight():
    found = datakin.describe({"icu": with_value("many")}, label="died", weight="counts")
    assert not found.is_usable
    assert "Got 'many' in row 3" in found.things[0].text
    assert "weight" in set(found.frame["role"])


def sides():
    return [read(table(seed)).renamed(name) for seed, name in ((0, "north"), (1, "south"))]


def said(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = call()
    return found, [str(w.message) for w in seen if ONLY_CHOOSE in str(w.message)]


def test_comparisons_warn_once_and_take_no_weights():
    north, south = sides()
    bare = [north.unweighted(), south.unweighted()]
    found, texts = said(lambda: datakin.score(north, south))
    assert texts == [f"{ONLY_CHOOSE}: those of 'north', 'south' have no effect here"]
    plain, texts = said(lambda: datakin.score(*bare))
    assert not texts
    assert found.score == plain.score
    assert found.trial.gain == plain.trial.gain


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: datakin.rank(a, [b]),
        lambda a, b: datakin.matrix([a, b]),
        lambda a, b: datakin.distances.compare(a, b, method="energy"),
        lambda a, b: datakin.transfer_gain(a, b, methods=["concatenate"], repeats=2),
        lambda a, b: datakin.transfer_gain(a, [b], methods=["concatenate"], repeats=2),
    ],
)
def test_every_comparison_warns_once(call):
    north, south = sides()
    assert len(said(lambda: call(north, south.unweighted()))[1]) == 1


def test_weight_belongs_to_reading():
    with pytest.raises(DatakinError, match="'weight' belongs to reading"):
        datakin.score(*sides(), weight="counts")
