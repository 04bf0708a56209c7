"""Columns of every kind become the same numbers or categories, whoever holds them."""

import datetime as dt

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from datakin import DatakinError, read_table
from datakin.data.columns import check_finite, read_column
from datakin.data.texts import BLANKS


def read(native, name="c"):
    return read_column(nw.from_native(native, series_only=True, allow_series=True), name)


def numbers(native):
    column = read(native)
    assert column.levels is None
    return column.values.tolist()


def texts(native):
    column = read(native)
    return [None if c < 0 else column.levels[c] for c in column.values]


NAN = pytest.approx(float("nan"), nan_ok=True)
NUMERIC = {
    "floats": pd.Series([1.5, None, 2.0]),
    "objects": pd.Series([1.5, None, 2], dtype=object),
    "nullable floats": pd.Series([1.5, None, 2.0], dtype="Float64"),
    "arrow-backed": pd.Series([1.5, None, 2.0], dtype="double[pyarrow]"),
    "polars": pl.Series([1.5, None, 2.0]),
    "arrow": pa.chunked_array([[1.5, None, 2.0]]),
    "text": pd.Series(["1.5", "?", " 2 "]),
    "polars text": pl.Series(["1.5", None, "2.0"]),
    "decimals": pa.chunked_array([pa.array([1.5, None, 2.0]).cast(pa.decimal128(5, 2))]),
}


@pytest.mark.parametrize("native", NUMERIC.values(), ids=NUMERIC)
def test_numbers(native):
    assert numbers(native) == [1.5, NAN, 2.0]


BOOLEAN = {
    "nullable": pd.Series([True, None, False], dtype="boolean"),
    "objects": pd.Series([True, None, False], dtype=object),
    "integers": pd.Series([1, None, 0], dtype="Int64"),
    "polars": pl.Series([True, None, False]),
    "arrow": pa.chunked_array([[True, None, False]]),
}


@pytest.mark.parametrize("native", BOOLEAN.values(), ids=BOOLEAN)
def test_booleans_and_nullable_integers(native):
    assert numbers(native) == [1.0, NAN, 0.0]


DAYS = [dt.date(2020, 1, 2), None, dt.date(1969, 12, 31)]
DATES = {
    "datetimes": pd.Series(pd.to_datetime(DAYS)),
    "other unit": pd.Series(pd.to_datetime(DAYS)).astype("datetime64[s]"),
    "date objects": pd.Series(DAYS, dtype=object),
    "ISO text": pd.Series(["2020-01-02", None, "1969-12-31"]),
    "ISO text with time": pd.Series(["2020-01-02 00:00:00", "NA", "1969-12-31T00:00:00"]),
    "with a time zone": pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("UTC"),
    "text with a time zone": pd.Series(["2020-01-02T01:00:00+01:00", "", "1969-12-31T00:00:00Z"]),
    "polars dates": pl.Series(DAYS),
    "polars datetimes": pl.Series(DAYS).cast(pl.Datetime("ns")),
    "polars with a time zone": pl.Series(DAYS).cast(pl.Datetime).dt.replace_time_zone("UTC"),
    "arrow dates": pa.chunked_array([pa.array(DAYS)]),
    "arrow timestamps": pa.chunked_array([pa.array(DAYS).cast(pa.timestamp("ms"))]),
}


@pytest.mark.parametrize("native", DATES.values(), ids=DATES)
def test_dates_become_days_since_1970(native):
    assert numbers(native) == [18263.0, NAN, -1.0]


def test_time_of_day_is_a_fraction_of_a_day_whatever_the_zone():
    noon = pd.Series(pd.to_datetime(["2020-01-01 12:00"])).dt.tz_localize("Europe/Berlin")
    assert numbers(noon) == [18262 + 11 / 24]
    assert numbers(pd.Series(["2020-01-01T12:00:00+01:00"])) == [18262 + 11 / 24]


def test_durations_become_days():
    assert numbers(pd.Series(pd.to_timedelta([36, None], unit="h"))) == [1.5, NAN]
    assert numbers(pl.Series([dt.timedelta(hours=36), None])) == [1.5, NAN]


CATEGORIES = {
    "text": pd.Series(["b", None, "a", "b "]),
    "string dtype": pd.Series(["b", None, "a", "b"], dtype="string"),
    "categorical": pd.Series(["b", None, "a", "b"], dtype="category"),
    "polars": pl.Series(["b", None, "a", "b"]),
    "polars categorical": pl.Series(["b", None, "a", "b"], dtype=pl.Categorical),
    "polars enum": pl.Series(["b", None, "a", "b"], dtype=pl.Enum(["z", "b", "a"])),
    "arrow": pa.chunked_array([["b", None, "a", "b"]]),
    "arrow dictionary": pa.chunked_array([pa.array(["b", None, "a", "b"]).dictionary_encode()]),
}


@pytest.mark.parametrize("native", CATEGORIES.values(), ids=CATEGORIES)
def test_text_becomes_categories(native):
    assert texts(native) == ["b", None, "a", "b"]


@pytest.mark.parametrize("blank", sorted(BLANKS))
def test_every_spelling_of_missing(blank):
    assert numbers(pd.Series(["1", blank, "2"])) == [1.0, NAN, 2.0]
    assert texts(pd.Series(["u", blank, "v"])) == ["u", None, "v"]
    assert numbers(pd.Series(["2020-01-02", blank, "2020-01-02"])) == [18263.0, NAN, 18263.0]


def test_a_column_of_numbers_and_words_is_categorical():
    assert texts(pd.Series([1, "a", None, 2.5], dtype=object)) == ["1", "a", None, "2.5"]


def test_half_a_date_is_text():
    assert texts(pd.Series(["2020-01-02", "soon"])) == ["2020-01-02", "soon"]
    assert texts(pd.Series(["2020-13-45", "2020-01-02"])) == ["2020-13-45", "2020-01-02"]


def test_codes_with_an_underscore_are_text():
    # Python reads "1_2" as 12, which no table means.
    assert texts(pd.Series(["1_2", "1_3"])) == ["1_2", "1_3"]


def test_an_empty_category_keeps_no_level(small):
    small["c"] = pd.Categorical(["u", "v"] * 20, categories=["u", "v", "never"])
    assert read_table(small, label="y").features.levels == (("u", "v"),)


UNUSABLE = {
    "lists": (pd.Series([[1], [2]]), "one value per row"),
    "polars lists": (pl.Series([[1], [2]]), "numbers, booleans, dates or text"),
    "arrow records": (pa.chunked_array([[{"q": 1}]]), "numbers, booleans, dates or text"),
    "times": (pl.Series([dt.time(1)]), "numbers, booleans, dates or text"),
    "binary": (pl.Series([b"a"]), "numbers, booleans, dates or text"),
    "complex": (pd.Series([1 + 2j, 2j]), "numbers, booleans, dates or text"),
}


@pytest.mark.parametrize(("native", "message"), UNUSABLE.values(), ids=UNUSABLE)
def test_what_no_learner_can_use(native, message):
    with pytest.raises(DatakinError, match=rf"'c' must hold {message}.*ignore=\['c'\]"):
        read(native)


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_infinite_numbers_are_refused_with_their_rows(infinite):
    with pytest.raises(
        DatakinError, match=r"'c' must hold finite numbers. Got 1 .*row.s. 1 counted from 0"
    ):
        check_finite("c", np.array([0.0, infinite, np.nan]))
    check_finite("c", np.array([0.0, np.nan]))
