"""Labels, groups and domains: exact, one at a time, and the same in every door."""

import datetime as dt
import io
import warnings
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from datakin import DatakinError, DatakinWarning, as_dataset, read_table, read_tables
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.roles import check_label, read_keys, read_labels, series_of
from datakin.data.columns.tables import read_columns

X = np.random.default_rng(0).normal(size=(60, 2))
LONG = [2**53 + i for i in range(3)]


def frame(**columns):
    table = {name: [values[i % len(values)] for i in range(60)] for name, values in columns.items()}
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], **table})


DOORS = {
    "pandas": lambda table: table,
    "pandas objects": lambda table: table.astype(object),
    "polars": lambda table: pl.from_pandas(table),
    "arrow": lambda table: pa.Table.from_pandas(table),
}


@pytest.fixture(params=[*DOORS, "text", "parquet"])
def door(request, tmp_path):
    """Pass a table through a door; text is what text files are before they are interpreted."""

    def through(table):
        if request.param == "text":
            written = io.StringIO(table.to_csv(index=False))
            return pa.Table.from_pandas(pd.read_csv(written, dtype=str, keep_default_na=False))
        if request.param == "parquet":
            table.to_parquet(tmp_path / "t.parquet")
            return tmp_path / "t.parquet"
        return DOORS[request.param](table)

    return through


def quietly(reader, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        return reader(*args, **options)


def test_labels_of_many_digits_do_not_merge(door):
    data = quietly(read_table, door(frame(y=LONG)), label="y", task="multiclass")
    assert data.classes == tuple(str(v) for v in LONG)


def test_groups_and_domains_of_many_digits_do_not_merge(door):
    table = frame(y=[0, 1, 1], patient=LONG)
    data = quietly(read_table, door(table), label="y", group="patient")
    assert len(set(data.groups)) == 3
    table = frame(y=[0, 1, 1], site=LONG[:2])
    tables = quietly(read_tables, door(table), label="y", domain="site")
    assert list(tables) == [str(v) for v in LONG[:2]]


def test_arrays_of_many_digits_do_not_merge():
    y = np.array(LONG * 20)
    for labels in (y, list(y), [int(v) for v in y], y.astype(object), pl.Series(y), pa.array(y)):
        assert as_dataset(X, labels, task="multiclass").classes == tuple(str(v) for v in LONG)
    data = as_dataset(X, np.arange(60) % 2, group=y)
    assert len(set(data.groups)) == 3


def test_sites_with_leading_zeros_are_two_in_every_door(door):
    table = frame(y=[0, 1, 1], site=["007", "7"], patient=["01", "1", "2"])
    tables = quietly(read_tables, door(table), label="y", domain="site", group="patient")
    assert sorted(tables) == ["007", "7"]
    assert len(set(tables["7"].groups)) == 3


def test_numbers_are_one_site_however_they_are_written(door):
    table = frame(y=[0, 1], site=["7", "7.0", "8"])
    assert sorted(quietly(read_tables, door(table), label="y", domain="site")) == ["7", "8"]


def test_classes_with_leading_zeros_are_text(door):
    data = quietly(read_table, door(frame(y=["01", "1", "2"])), label="y")
    assert data.classes == ("01", "1", "2")


def test_labels_in_text_are_numbers_where_the_column_is(door):
    assert quietly(read_table, door(frame(y=["1", "1.0", "2"])), label="y").classes == ("1", "2")
    values = [f"{v:.2f}".replace(".", ",") for v in np.linspace(0, 9, 30)]
    data = quietly(read_table, door(frame(y=values)), label="y")
    assert data.task == "regression"
    assert data.y[1] == 0.31


def test_truth_values_are_one_pair_of_classes(door):
    for y in ([True, False, True], ["True", "False", "True"]):
        assert quietly(read_table, door(frame(y=y)), label="y").classes == ("0", "1")


def test_composed_letters_and_outer_spaces_are_one_class(door):
    y = ["u\u0308ber", "\u00fcber ", "unter"]
    assert quietly(read_table, door(frame(y=y)), label="y").classes == ("unter", "\u00fcber")


def test_words_for_missing_beside_numbers_are_missing_labels(door):
    table = frame(y=["0", "1", "1", "0", "."])
    with (
        pytest.warns(DatakinWarning, match="12 of 60 rows have no label"),
        pytest.warns(DatakinWarning, match=r"read as missing: '\.' in 'y' \(12\)"),
    ):
        assert read_table(door(table), label="y").classes == ("0", "1")


def test_values_that_differ_in_case_are_named():
    labels, facts = read_labels(series_of(["yes", "Yes", "no"], "y"), "y")
    assert labels.tolist() == ["yes", "Yes", "no"]
    assert "differ in case only ('Yes', 'yes')" in facts.doubt


@pytest.mark.parametrize("dtype", [float, int, object, "U3", bool])
def test_masked_labels_are_missing(dtype):
    y = np.ma.array((np.arange(60) % 2).astype(dtype), mask=np.arange(60) % 10 == 0)
    with pytest.warns(DatakinWarning, match="6 of 60 rows have no label"):
        data = as_dataset(X, y)
    assert (data.n_rows, data.classes) == (54, ("0", "1"))


def test_masked_words_in_x_are_missing():
    words = np.ma.array([["u", "v"], ["w", "x"]] * 30, mask=[[True, False], [False, False]] * 30)
    features, _ = read_columns(words)
    assert features.codes[:2].tolist() == [[-1, 0], [0, 1]]


STAMPS = {
    "datetime64": np.arange(60).astype("datetime64[D]"),
    "pandas": pd.date_range("2020", periods=60),
    "objects": [dt.date(2020, 1, 1 + i % 30) for i in range(60)],
    "text": [f"2020-01-{1 + i % 30:02d}" for i in range(60)],
    "polars": pl.Series([dt.date(2020, 1, 1 + i % 30) for i in range(60)]),
    "arrow": pa.array([dt.date(2020, 1, 1 + i % 30) for i in range(60)]),
}


@pytest.mark.parametrize("y", STAMPS.values(), ids=STAMPS)
def test_dates_as_labels_are_refused(y):
    with pytest.raises(DatakinError, match=r"label 'y' must hold numbers.*Got dates; convert"):
        as_dataset(X, y)


@pytest.mark.parametrize(
    "y",
    [np.arange(60).astype("timedelta64[s]"), [dt.timedelta(i) for i in range(60)]],
    ids=["array", "objects"],
)
def test_durations_as_labels_are_refused(y):
    with pytest.raises(DatakinError, match=r"label 'y' must hold numbers.*Got durations; convert"):
        as_dataset(X, y)


@pytest.mark.parametrize(
    ("y", "got"),
    [
        ([b"a", b"b"] * 30, "bytes"),
        ([1j, 2j] * 30, "complex numbers"),
        ([pd.Period("2020"), pd.Period("2021")] * 30, "objects of type Period"),
        ([object(), object()] * 30, "objects of type object"),
    ],
    ids=["bytes", "complex", "periods", "objects"],
)
def test_labels_of_other_kinds_are_named(y, got):
    with pytest.raises(DatakinError, match=f"label 'y' must hold .*Got {got}"):
        as_dataset(X, y)


def test_several_labels_are_refused():
    several = "datakin learns one label at a time"
    with pytest.raises(DatakinError, match=f"y must be one column.*{several}"):
        as_dataset(X, np.zeros((60, 2)))
    with pytest.raises(DatakinError, match=f"y must be one column.*{several}"):
        as_dataset(X, pd.DataFrame({"a": [0, 1] * 30, "b": [1, 0] * 30}))
    pair = np.zeros(60, dtype=[("a", float), ("b", float)])
    with pytest.raises(DatakinError, match=f"{several}. Got the labels 'a', 'b'"):
        as_dataset(X, pair)
    table = frame(y=[0, 1], z=[1, 0])
    for label in (["y", "z"], ("y", "z"), "y,z", "y, z"):
        with pytest.raises(DatakinError, match=rf"{several}. Got the labels 'y', 'z'.*--ignore"):
            read_table(table, label=label)


def test_a_column_whose_name_has_a_comma_is_a_label():
    check_label("y,z", ["y,z", "y", "z"])
    assert read_table(frame(**{"y,z": [0, 1]}), label="y,z").label == "y,z"


def test_a_time_with_an_event_is_refused():
    y = np.zeros(60, dtype=[("event", bool), ("time", float)])
    with pytest.raises(DatakinError, match="Got an event and a time: datakin does not handle cens"):
        as_dataset(X, y)


@pytest.mark.parametrize(
    ("label", "event", "values"),
    [("time", "status", [1, 2]), ("OS_days", "event", [0, 1]), ("survival", "died", ["no", "yes"])],
)
def test_a_time_beside_an_event_is_noted(label, event, values):
    table = frame(**{event: values}).assign(**{label: np.arange(60) / 7})
    with pytest.warns(DatakinWarning, match=rf"not handle censoring.*{label!r} beside {event!r}"):
        read_table(table, label=label)


@pytest.mark.parametrize(("label", "other"), [("price", "status"), ("time", "size")])
def test_other_responses_are_not_called_censored(label, other):
    table = frame(**{other: [0, 1]}).assign(**{label: np.arange(60) / 7})
    data = quietly(read_table, table, label=label)
    assert not any("censoring" in note for note in data.notes)


@pytest.mark.parametrize(
    ("value", "spelled"),
    [(2**60 + 1, str(2**60 + 1)), ("007.0", "007.0"), ("12.00", "12"), (np.int64(-3), "-3"),
     (f"{2**60 + 1}.0", str(2**60 + 1)), ("e\u0301\u00a0", "\u00e9")],
)  # fmt: skip
def test_every_digit_and_zero_of_a_class_counts(value, spelled):
    assert canonical_label(value) == spelled


def test_dates_are_keys_as_they_are_written():
    days = [dt.date(2020, 1, 2), None]
    for native in (pd.Series(pd.to_datetime(days)), pl.Series(days), pa.chunked_array([days])):
        keys, _ = read_keys(nw.from_native(native, series_only=True), "day")
        assert keys.tolist() == ["2020-01-02", None]
    assert read_keys(series_of(["02.01.2020", "NA"], "day"), "day")[0].tolist() == [
        "02.01.2020",
        None,
    ]


LONG_DECIMALS = [Decimal(v) for v in LONG]


@pytest.mark.parametrize(
    "native",
    [
        pa.chunked_array([pa.array(LONG_DECIMALS, pa.decimal128(38, 2))]),
        pl.Series(LONG_DECIMALS),
        pd.Series(LONG_DECIMALS, dtype=object),
        pd.Series(LONG_DECIMALS, dtype=pd.ArrowDtype(pa.decimal128(38, 0))),
    ],
    ids=["arrow", "polars", "objects", "arrow-backed"],
)
def test_decimals_of_many_digits_do_not_merge(native):
    # What databases give for NUMERIC and HUGEINT.
    spelled = [str(v) for v in LONG]
    assert read_keys(series_of(native, "g"), "g")[0].tolist() == spelled
    labels, _ = read_labels(series_of(native, "y"), "y")
    assert [canonical_label(v) for v in labels] == spelled


def test_odd_signs_and_separators_in_labels_and_keys():
    odd = series_of(["\u22125", "+6", "NA", "7."], "g")
    assert read_keys(odd, "g")[0].tolist() == ["-5", "6", None, "7"]
    labels, facts = read_labels(series_of([f"{v:,}" for v in LONG], "y"), "y")
    assert labels.dtype == float
    assert "rounded" in facts.doubt


def test_numbers_and_truths_are_keys():
    assert read_keys(series_of([1.0, 2.5, None], "g"), "g")[0].tolist() == ["1", "2.5", None]
    assert read_keys(series_of(pl.Series([1, None]), "g"), "g")[0].tolist() == ["1", None]
    assert read_keys(series_of(np.array([True, False]), "g"), "g")[0].tolist() == ["1", "0"]
    assert read_keys(series_of(["True", "false"], "g"), "g")[0].tolist() == ["1", "0"]


def test_keys_of_lists_are_refused():
    with pytest.raises(DatakinError, match=r"'group' must hold one value per row"):
        as_dataset(X, np.arange(60) % 2, group=[[1], [2, 3]] * 30)


def test_columns_may_be_named_with_their_outer_spaces():
    table = frame(y=[0, 1], g=["u", "v", "w"]).rename(columns={"y": " y ", "b": "b\u00a0"})
    data = read_table(table, label=" y ", group="g ", ignore=["b\u00a0"])
    assert (data.label, data.columns) == ("y", ("a",))
    assert read_table(table, label="y", group="g", ignore=["b"]).fingerprint == data.fingerprint


def test_a_decimal_comma_elsewhere_settles_the_label():
    table = frame(y=[f"{1 + i % 9},{i:03d}" for i in range(60)])
    assert quietly(read_table, table, label="y").y[1] == 2001
    with_comma = table.assign(a=[f"{v:.1f}".replace(".", ",") for v in X[:, 0]])
    assert quietly(read_table, with_comma, label="y").y[1] == 2.001


def test_a_decimal_comma_of_the_label_settles_features_and_both_doors_agree():
    table = frame(y=[f"{3 + i % 9},{i % 90 + 10}" for i in range(60)])
    table = table.assign(a=[f"1,{100 + i}" for i in range(60)])
    read = quietly(read_table, table, label="y")
    assert (read.features.numeric[1, 0], read.y[1]) == (1.101, 4.11)
    held = quietly(as_dataset, table.drop(columns="y"), table["y"])
    assert held.fingerprint == read.fingerprint
    other = table.assign(y=table["a"], a=table["y"])
    read = quietly(read_table, other, label="y")
    assert read.y[1] == 1.101
    assert quietly(as_dataset, other.drop(columns="y"), other["y"]).fingerprint == read.fingerprint


WORDS = ["None", "Mild", "Severe"] * 20


@pytest.mark.parametrize("role", ["label", "group", "domain"])
def test_none_beside_words_is_a_question_with_two_options_that_work(role):
    table = frame(y=[0, 1], s=WORDS)
    options = {"label": "y"}
    options[role] = "s"
    reader = read_tables if role == "domain" else read_table
    with pytest.raises(DatakinError) as caught:
        quietly(reader, table, **options)
    text = str(caught.value)
    assert "'None' in 20 of 60 rows, beside 'Mild', 'Severe'" in text
    assert "recode={'s': {'None': 'none'}} (--recode s:None=none)" in text
    assert "recode={'s': {'None': ''}} (--recode s:None=)" in text
    value = quietly(reader, table, **options, recode={"s": {"None": "none"}})
    missing = quietly(reader, table, **options, recode={"s": {"None": ""}})
    if role == "label":
        assert (value.classes, value.n_rows) == (("Mild", "Severe", "none"), 60)
        assert (missing.classes, missing.n_rows) == (("Mild", "Severe"), 40)
    elif role == "group":
        assert len(np.unique(value.groups)) == 3
        assert len(np.unique(missing.groups)) == 22
    else:
        assert (list(value), list(missing)) == (["Mild", "Severe", "none"], ["Mild", "Severe"])


def test_a_rare_none_and_none_beside_numbers_are_missing():
    rare = quietly(read_table, frame(y=["None", *["u", "v"] * 29, "u"]), label="y")
    assert (rare.n_rows, rare.classes) == (59, ("u", "v"))
    assert quietly(read_table, frame(y=["None", "1", "2"]), label="y").classes == ("1", "2")
    assert quietly(read_table, frame(y=["none", "u", "v"]), label="y").classes == ("none", "u", "v")


@pytest.mark.parametrize(
    ("word", "new"), [("NA", "na"), ("N/A", "N/A value"), ("null", "null value")]
)
def test_many_words_for_missing_beside_words_are_a_serious_note(word, new):
    table = frame(y=[0, 1], s=[word, "EU", "AS"])
    found = quietly(read_tables, table, label="y", domain="s")
    assert list(found) == ["AS", "EU"]
    note = next(note for note in found["EU"].notes if "is read as missing in 20 of 60 rows" in note)
    assert note.rank == 0
    assert f"recode={{'s': {{{word!r}: {new!r}}}}}" in note
    found = quietly(read_tables, table, label="y", domain="s", recode={"s": {word: new}})
    assert set(found) == {"AS", "EU", new}


def test_a_leading_zero_keeps_keys_apart_however_rare():
    keys, _ = read_keys(series_of([*map(str, range(1000, 1300)), "01000"], "g"), "g")
    assert keys[-1] == "01000"
