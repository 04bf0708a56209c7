"""Columns of every kind become the same numbers or categories, whoever holds them."""

import datetime as dt
import re
from decimal import Decimal

import hypothesis.strategies as st
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings

from datakin import DatakinError, read_table
from datakin.data.columns.column import read_column
from datakin.data.columns.series import check_finite
from datakin.data.columns.texts import BLANKS


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


def test_times_in_another_zone_are_said_in_every_door():
    days = pd.Series(pd.to_datetime(["2023-01-02", "2023-01-03"]))
    berlin, utc = days.dt.tz_localize("Europe/Berlin"), days.dt.tz_localize("UTC")
    for native in (berlin, pl.Series(berlin), berlin.astype(object), berlin.astype(str)):
        assert read(native).facts.converted == "times in another zone are taken in UTC"
    for native in (utc, pl.Series(utc), utc.astype(object), utc.astype(str), days):
        assert read(native).facts.converted == ""


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
    "binary": (pl.Series([b"a"]), "numbers, booleans, dates or text"),
    "complex": (pd.Series([1 + 2j, 2j]), "numbers, booleans, dates or text"),
}


@pytest.mark.parametrize(("native", "message"), UNUSABLE.values(), ids=UNUSABLE)
def test_what_no_learner_can_use(native, message):
    with pytest.raises(DatakinError, match=rf"'c' must hold {message}.*ignore=\['c'\]"):
        read(native)


FAR = [dt.date(9999, 12, 31), None, dt.date(1600, 1, 1), dt.date(1, 1, 1)]
STAMPS = [None if d is None else dt.datetime.combine(d, dt.time()) for d in FAR]
FAR_DATES = {
    "date objects": pd.Series(FAR, dtype=object),
    "datetime objects": pd.Series(STAMPS, dtype=object),
    "microseconds": pd.Series(np.array(STAMPS, dtype="datetime64[us]")),
    "seconds": pd.Series(np.array(STAMPS, dtype="datetime64[s]")),
    "text": pd.Series([None if d is None else d.isoformat() for d in FAR]),
    "polars dates": pl.Series(FAR),
    "polars datetimes": pl.Series(STAMPS),
    "arrow dates": pa.chunked_array([pa.array(FAR)]),
    "arrow long dates": pa.chunked_array([pa.array(FAR, pa.date64())]),
    "arrow stamps": pa.chunked_array([pa.array(STAMPS, pa.timestamp("s"))]),
    "arrow stamps with a zone": pa.chunked_array([pa.array(STAMPS, pa.timestamp("us", "UTC"))]),
}


@pytest.mark.parametrize("native", FAR_DATES.values(), ids=FAR_DATES)
def test_dates_of_all_four_digit_years(native):
    assert numbers(native) == [2932896.0, NAN, -135140.0, -719162.0]
    assert read(native).facts.kind == "date"


@pytest.mark.parametrize(
    "native",
    [
        pd.Series(np.array(["12020-01-01", "2020-01-01"], dtype="datetime64[s]")),
        pa.chunked_array([pa.array([2**62, 0], pa.timestamp("s"))]),
    ],
    ids=["pandas", "overflow"],
)
def test_dates_of_other_years_are_refused(native):
    with pytest.raises(DatakinError, match=r"'c' must .*Got dates beyond the years 1 to 9999"):
        read(native)


def test_nanoseconds_before_1970_equal_the_text():
    text = "1969-12-31 23:59:59.123456"
    stamp = pd.Series([pd.Timestamp(text + "789")])
    assert numbers(stamp) == numbers(pd.Series([text])) == numbers(pd.Series([text + "789"]))


ODD = {
    "lists": ([1], "one value per row. Got lists or records"),
    "tuples": ((1, 2), "one value per row"),
    "sets": ({1}, "one value per row"),
    "records": ({"q": 1}, "one value per row"),
    "arrays": (np.zeros(2), "one value per row"),
    "complex": (1j, "numbers, booleans, dates or text. Got complex numbers"),
    "bytes": (b"a", "numbers, booleans, dates or text. Got bytes"),
    "periods": (pd.Period("2020"), "numbers, booleans, dates or text. Got objects of type Period"),
    "intervals": (pd.Interval(0, 1), "numbers, booleans, dates or text. Got objects of type Inter"),
    "others": (object(), "numbers, booleans, dates or text. Got objects of type object"),
    "durations": (dt.timedelta(1), "numbers, booleans, dates or text. Got durations beside"),
}


@pytest.mark.parametrize(("value", "message"), ODD.values(), ids=ODD)
@pytest.mark.parametrize("first", ["a", 1, None])
def test_odd_objects_are_found_in_late_rows_too(value, message, first):
    values = np.empty(300, dtype=object)
    values[:] = first
    values[250] = value
    if first is None and isinstance(value, dt.timedelta):
        assert numbers(pd.Series(values))[250] == 1.0
        return
    with pytest.raises(
        DatakinError, match=rf"'c' must hold {message}.*ignore=\['c'\] \(--ignore c"
    ):
        read(pd.Series(values, dtype=object))


NESTED = {
    "lists": pa.array([[1]]),
    "structs": pa.array([{"a": 1}]),
    "maps": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    "binary": pa.array([b"a"]),
}


@pytest.mark.parametrize("values", NESTED.values(), ids=NESTED)
def test_nested_arrow_types_are_refused(values):
    with pytest.raises(DatakinError, match=r"'c' must hold .*ignore=\['c'\]"):
        read(pa.chunked_array([values]))


@pytest.mark.parametrize("values", [pd.period_range("2020", periods=2), pd.interval_range(0, 2)])
def test_periods_and_intervals_are_refused(values):
    with pytest.raises(
        DatakinError, match=r"'c' must hold .*Got objects of type (Period|Interval)"
    ):
        read(pd.Series(values))


def test_bins_declared_as_categories_are_levels():
    assert texts(pd.cut(pd.Series([0.5, 1.5]), [0, 1, 2])) == ["(0, 1]", "(1, 2]"]


def test_whole_numbers_that_are_all_missing():
    for native in (pd.Series([None, None], dtype="Int64"), pa.chunked_array([[None]], pa.int64())):
        assert np.isnan(numbers(native)).all()


def test_nan_beside_objects_is_a_gap():
    gap = float("nan")
    assert numbers(pd.Series([dt.timedelta(1), gap], dtype=object)) == [1.0, NAN]
    assert numbers(pd.Series([dt.date(2020, 1, 2), gap, pd.NaT], dtype=object)) == [
        18263.0,
        NAN,
        NAN,
    ]
    assert read(pd.Series([True, gap], dtype=object)).facts.kind == "truth value"
    assert texts(pd.Series(["u", gap, pd.NA], dtype=object)) == ["u", None, None]


def test_numbers_of_hundreds_of_digits_are_infinite():
    assert numbers(pd.Series([10**400, -(10**400), 1], dtype=object)) == [np.inf, -np.inf, 1.0]


def test_decimals_are_rounded_once():
    value = Decimal("0.1234567890123456789")
    for native in (pa.chunked_array([[value]]), pl.Series([value]), pd.Series([value])):
        assert numbers(native) == [float("0.1234567890123456789")]


KINDS = {
    "number": pd.Series([1, 2]),
    "truth value": pd.Series([True, False]),
    "date": pd.Series(pd.to_datetime(["2020", "2021"])),
    "duration": pd.Series(pd.to_timedelta([1, 2], unit="D")),
    "category": pd.Series(["u", "v"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_columns(kind):
    facts = read(KINDS[kind]).facts
    assert (facts.kind, dict(facts.blanks), facts.converted, facts.doubt) == (kind, {}, "", "")
    assert read(KINDS[kind].astype(object)).facts.kind == kind


NUMBERS = st.floats(-1e15, 1e15).map(lambda v: round(v, 6) + 0.0)


@settings(max_examples=40, deadline=None)
@example([1.125])
@example([1.125, -2.5])
@given(st.lists(st.one_of(st.none(), NUMBERS), min_size=1, max_size=12))
def test_numbers_are_equal_as_text_objects_and_numbers_in_every_library(values):
    texts = ["" if v is None else repr(v) for v in values]
    commas = [t.replace(".", ",").replace("e", "E") for t in texts]
    if all(re.fullmatch("-?[1-9][0-9]{0,2},[0-9]{3}|", t) for t in commas):
        commas = texts  # nothing tells 1,125 from 1125: a doubt, tested elsewhere
    held = [
        pa.chunked_array([pa.array(values, pa.float64())]),
        pa.chunked_array([texts]),
        pa.chunked_array([[t or None for t in texts]], pa.string()),
        pa.chunked_array([commas]),
        pd.Series(values, dtype=float),
        pd.Series(values, dtype=object),
        pd.Series(texts, dtype=object),
        pd.Series([t or None for t in texts], dtype="string"),
        pl.Series(values, dtype=pl.Float64),
        pl.Series(texts),
    ]
    expected = np.array([np.nan if v is None else v for v in values])
    for native in held:
        column = read(native)
        if not np.isnan(expected).all():
            assert column.levels is None
            np.testing.assert_array_equal(column.values, expected)


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_infinite_numbers_are_refused_with_their_rows(infinite):
    with pytest.raises(
        DatakinError, match=r"'c' must hold finite numbers. Got 1 .*row.s. 1 counted from 0"
    ):
        check_finite("c", np.array([0.0, infinite, np.nan]))
    check_finite("c", np.array([0.0, np.nan]))
