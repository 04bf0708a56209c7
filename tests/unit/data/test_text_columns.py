"""What columns of text are read as: numbers in many spellings, dates, codes and words."""

import datetime as dt
import re

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from datakin.data.columns.column import read_column
from datakin.data.columns.tables import read_columns
from datakin.data.columns.texts import SOFT_BLANKS

DOORS = {
    "arrow": lambda values: pa.chunked_array([pa.array(values, pa.string())]),
    "arrow in chunks": lambda values: pa.chunked_array([values[:1], values[1:]], pa.string()),
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "pandas strings": lambda values: pd.Series(values, dtype="string"),
    "polars": lambda values: pl.Series(values, dtype=pl.String),
}


def read(values, door="arrow", name="c", **options):
    native = DOORS[door](values)
    series = nw.from_native(native, series_only=True, allow_series=True)
    return read_column(series, name, **options)


NAN = pytest.approx(float("nan"), nan_ok=True)
NUMBERS = {
    "plain": (["1", "-2.5", "1e-3", ".5", "4."], [1, -2.5, 0.001, 0.5, 4], ""),
    "outer spaces": ([" 1", "2 ", "\u00a03"], [1, 2, 3], ""),
    "leading plus": (["+1", "+2.5"], [1, 2.5], ""),
    "unicode minus": (["\u22121.5", "2"], [-1.5, 2], "unusual digits or signs"),
    "en dash": (["\u20131.5", "2"], [-1.5, 2], "unusual digits or signs"),
    "full-width digits": (["\uff11\uff12\uff0e\uff15", "2"], [12.5, 2], "unusual digits or signs"),
    "arabic digits": (["\u0661\u0662", "2"], [12, 2], "unusual digits or signs"),
    "signs without width": (["1\u200b2", "2"], [12, 2], "unusual digits or signs"),
    "outer signs without width": (["5\u200b", "\ufeff2"], [5, 2], ""),
    "one and one point zero": (["1", "1.0", "2"], [1, 1, 2], ""),
    "zeros": (["0", "0.5", "-0", "10"], [0, 0.5, 0, 10], ""),
    "decimal comma": (["12,5", "3", "-0,25"], [12.5, 3, -0.25], "decimal comma"),
    "decimal comma of three digits": (["0,125", "1,250"], [0.125, 1.25], "decimal comma"),
    "decimal comma with an exponent": (["1,5e3", "2"], [1500, 2], "decimal comma"),
    "thousands": (
        ["1,234.5", "12", "1,234,567"],
        [1234.5, 12, 1234567],
        "thousands separators ','",
    ),
    "thousands alone": (["1,234", "950", "12,000"], [1234, 950, 12000], "thousands separators ','"),
    "points": (["1.234,5", "7", "1.234.567"], [1234.5, 7, 1234567], "thousands separators '.'"),
    "spaces": (["1 234,5", "12\u202f345"], [1234.5, 12345], "separated by spaces, decimal comma"),
    "spaces alone": (["1 234", "12 345"], [1234, 12345], "thousands separated by spaces"),
    "spaces and points": (["1 234.5", "1234"], [1234.5, 1234], "thousands separated by spaces"),
    "apostrophes": (["1'234", "12\u2019345.5"], [1234, 12345.5], "thousands separated by apostr"),
    "thousands here and there": (
        ["10,013.93", "10013.93"],
        [10013.93, 10013.93],
        "thousands separators",
    ),
    "points here and there": (
        ["10.013,93", "10013,93"],
        [10013.93, 10013.93],
        "thousands separators",
    ),
    "thousands here, whole": (["10,013", "22013"], [10013, 22013], "thousands separators ','"),
    "parentheses": (
        ["(22,179.71)", "5.50"],
        [-22179.71, 5.5],
        "numbers in parentheses as negative",
    ),
    "parentheses alone": (
        ["(22179.71)", "(5)"],
        [-22179.71, -5],
        "numbers in parentheses as negative",
    ),
    "percent": (["12 %", "3.5%"], [12, 3.5], "percent signs left out"),
    "percent with comma": (["12,5 %", "3%"], [12.5, 3], "decimal comma, percent signs left out"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("texts", "expected", "said"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_recognised_and_what_was_done_is_said(texts, expected, said, door):
    column = read(texts, door)
    assert column.levels is None
    assert column.values.tolist() == expected
    assert column.facts.kind == "number"
    assert said in column.facts.converted
    assert bool(said) == bool(column.facts.converted)


@pytest.mark.parametrize("blank", sorted(SOFT_BLANKS | {"N.A.", "Missing", "#Null!", "Unknown"}))
def test_one_word_for_missing_does_not_make_a_number_a_category(blank):
    # One "." in 200 rows once turned "ambiguous" into "positive".
    column = read(["1.5", blank, "2", blank])
    assert column.values.tolist() == [1.5, NAN, 2.0, NAN]
    assert column.facts.blanks == {blank: 2}
    assert read(["2020-01-02", blank]).values.tolist() == [18263.0, NAN]


def test_the_same_words_stay_levels_among_words():
    column = read(["u", "-", "unknown", "missing", "NA", ""])
    assert column.levels == ("-", "missing", "u", "unknown")
    assert column.facts.blanks == {"NA": 1}


def test_words_for_missing_alone_are_no_numbers():
    assert read(["-", "*", "-"]).levels == ("*", "-")


DECLARED = {
    "pandas categorical": pd.Series(["u", "NA", "v", None], dtype="category"),
    "polars enum": pl.Series(["u", "NA", "v", None], dtype=pl.Enum(["v", "NA", "u"])),
    "polars categorical": pl.Series(["u", "NA", "v", None], dtype=pl.Categorical),
    "arrow dictionary": pa.chunked_array([pa.array(["u", "NA", "v", None]).dictionary_encode()]),
    "text": pa.chunked_array([["u", "NA", "v", None]]),
}


@pytest.mark.parametrize("native", DECLARED.values(), ids=DECLARED)
def test_blank_words_are_missing_in_every_door_and_counted(native):
    column = read_column(nw.from_native(native, series_only=True, allow_series=True), "c")
    assert column.levels == ("u", "v")
    assert column.values.tolist() == [0, -1, 1, -1]
    assert column.facts.blanks == {"NA": 1}


CODES = {
    "leading zeros": (["007", "7", "12"], "leading zeros"),
    "one leading zero": (["0100", "100"], "leading zeros"),
    "signed": (["-01", "5"], "leading zeros"),
    "powers of ten": (["1E5", "100000", "3"], "codes such as"),
    "small letters": (["1e2", "100"], "codes such as"),
    "two powers": (["10E1", "1E2"], "codes such as"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("texts", "said"), CODES.values(), ids=CODES)
def test_codes_stay_text_and_apart(texts, said, door):
    column = read(texts, door)
    assert column.levels == tuple(sorted(texts))
    assert column.facts.converted.startswith("kept as text")
    assert said in column.facts.converted


def test_numbers_with_exponents_that_do_not_meet_stay_numbers():
    assert read(["1e-05", "1E5", "2.5"]).values.tolist() == [1e-5, 1e5, 2.5]
    assert read(["1e+05", "100000"]).values.tolist() == [1e5, 1e5]


@pytest.mark.parametrize(
    ("texts", "doubt"),
    [
        (
            ["12", "13", "14", "15", "12 mg"],
            "text, although 80% of its values are numbers ('12 mg'); replace the others, for "
            "example with recode={'c': {'12 mg': ''}} (--recode 'c:12 mg=')",
        ),
        (["1", "2", "3", "4+"] * 5 + ["1"] * 5, "80% of its values are numbers ('4+')"),
        (["2020-01-02"] * 9 + ["soon"], "90% of its values are dates ('soon')"),
        (["$12", "$3"], ""),
        (["1"] * 999 + ["x"], "99% of its values are numbers ('x')"),
        (["1", "2", "-", "x"] + ["3"] * 9, "91% of its values are numbers ('x')"),
        (
            ["1.5", "2,5"] * 5,
            "text: numbers that are written in more than one way, or do not exist ('1.5'",
        ),
        (["31.02.2020", "01.02.2020"], "text: dates that are written in more than one way"),
    ],
)
def test_text_that_is_mostly_numbers_is_named(texts, doubt):
    column = read(texts)
    assert column.levels is not None
    assert doubt in column.facts.doubt
    assert bool(doubt) == bool(column.facts.doubt)


def test_values_that_differ_in_case_only_are_named_and_kept_apart():
    column = read(["yes", "Yes", "no"])
    assert column.levels == ("Yes", "no", "yes")
    assert column.facts.doubt == "values that differ in case only ('Yes', 'yes')"


@pytest.mark.parametrize("door", DOORS)
def test_letters_are_composed_and_outer_spaces_left_out(door):
    column = read(["Zu\u0308rich", "Z\u00fcrich", "Z\u00fcrich\u00a0", " Bern"], door)
    assert column.levels == ("Bern", "Z\u00fcrich")
    assert column.values.tolist() == [1, 1, 1, 0]
    assert "spellings joined" in column.facts.converted


DATES = {
    "ISO": (["2020-01-02", "1969-12-31"], [18263, -1], ""),
    "ISO with times": (["2020-01-02 12:00", "2020-01-02T06:00:00.5"], [18263.5, 18263.25 + 0.5 / 86400], ""),
    "zones": (["2020-01-02T01:00:00+01:00", "2020-01-01 23:30:00-0030", "2020-01-02 00:00Z"],
              [18263, 18263, 18263], "times in another zone are taken in UTC"),
    "no other zone": (["2020-01-02T00:00:00+00:00", "2020-01-02 00:00Z", "1970-01-01 00:00"],
                      [18263, 18263, 0], ""),
    "points": (["02.01.2020", "1.3.2020"], [18263, 18322], "dates dd.mm.yyyy"),
    "day first": (["02/01/2020", "31/12/1969"], [18263, -1], "dates dd/mm/yyyy"),
    "month first": (["01/02/2020", "12/31/1969"], [18263, -1], "dates mm/dd/yyyy"),
    "month first, with halves of the day": (["1/2/2020 6:00 PM", "12/31/1969 12:00 AM"],
                                            [18263.75, -1], "dates mm/dd/yyyy"),
    "year first": (["2020/01/02", "1969/12/31"], [18263, -1], "dates yyyy/mm/dd"),
    "names of months": (["02-Jan-2020", "31-DEC-1969"], [18263, -1], "dates with names of months"),
    "whole names of months": (["2 January 2020", "31 dec. 1969"], [18263, -1], "dates with names of months"),
    "ordinals": (["2nd January 2020", "31st Dec 1969"], [18263, -1], "dates with names of months"),
    "American": (["Jan 2, 2020", "December 31, 1969 12:00"], [18263, -0.5],
                 "dates with names of months, month first"),
    "names behind years": (["2020-Jan-02", "1969-Dec-31"], [18263, -1],
                           "dates with names of months, year first"),
    "months": (["2020-01", "1970-02"], [18262, 31],
               "years and months yyyy-mm, as the first day of the month"),
    "months first": (["01/2020", "2/1970"], [18262, 31], "months mm/yyyy, as the first day of the month"),
    "names and years": (["Jan 2020", "Feb 1970"], [18262, 31],
                        "names of months and years, as the first day of the month"),
    "short years": (["01/02/20", "12/31/69"], [18263, -1],
                    "dates mm/dd/yy; years 69 to 99 as 1969 to 1999, 00 to 68 as 2000 to 2068"),
    "short years with points": (["02.01.20", "31.12.69"], [18263, -1],
                    "dates dd.mm.yy; years 69 to 99 as 1969 to 1999, 00 to 68 as 2000 to 2068"),
    "short years first": (["20-01-02", "69-12-31"], [18263, -1],
                    "dates yy/mm/dd; years 69 to 99 as 1969 to 1999, 00 to 68 as 2000 to 2068"),
    "short years with names": (["02-Jan-20", "31-Dec-69"], [18263, -1], "dates with names of months; "
                    "years 69 to 99 as 1969 to 1999, 00 to 68 as 2000 to 2068"),
    "far away": (["9999-12-31", "1600-01-01", "0001-01-01"], [2932896, -135140, -719162], ""),
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("texts", "days", "said"), DATES.values(), ids=DATES)
def test_dates_in_text(texts, days, said, door):
    column = read([*texts, "", "NA"], door)
    assert column.facts.kind == "date"
    assert column.facts.converted == said
    np.testing.assert_allclose(column.values, [*days, np.nan, np.nan], rtol=0, atol=1e-9)


NO_DATES = [
    "31.02.2020",
    "2020-13-01",
    "0000-01-01",
    "2020-01-02 25:00",
    "2020-1-1-1",
    "13/13/2020",
    "31-Feb-2020",
    "2-Juno-2020",
    "2020-13",
    "13/2020",
    "32.13.20",
]


@pytest.mark.parametrize("text", NO_DATES)
def test_what_no_calendar_has_stays_text(text):
    assert text in read([text, "2020-01-02"]).levels
    assert text in read([text]).levels


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["03/04/2020", "01/02/2020"], "%d/%m/%Y"),
        (["03/04/2020", "01/02/2020"], "%m/%d/%Y"),
        (["03/04/2020 10:30", "01/02/2020 11:00"], "%m/%d/%Y %H:%M"),
        (["03.04.20", "11.12.09"], "%y.%m.%d"),
        (["06/02/20", "11/07/19"], "%m/%d/%y"),
    ],
)
def test_dates_that_can_be_read_in_two_ways_stay_text_with_the_option(texts, form):
    column = read(texts, name="when")
    assert column.levels == tuple(sorted(texts))
    assert "more than one way" in column.facts.doubt
    assert f"convert={{'when': {form!r}}}" in column.facts.doubt
    for said in re.findall(r"'when': '([^']*)'", column.facts.doubt):
        assert all(dt.datetime.strptime(text, said) for text in texts)


@pytest.mark.parametrize("native", [
    pd.Series([20200102, 19691231]), pd.Series(["20200102", "19691231"]),
    pl.Series([20200102, 19691231]), pa.chunked_array([["20200102", "19691231"]]),
], ids=["integers", "text", "polars", "arrow text"])  # fmt: skip
def test_eight_digits_are_a_date_where_the_column_is_named_so(native):
    series = nw.from_native(native, series_only=True, allow_series=True)
    dated = read_column(series, "visit_date")
    assert dated.values.tolist() == [18263, -1]
    assert (dated.facts.kind, dated.facts.converted) == ("date", "dates yyyymmdd")
    assert read_column(series, "amount").values.tolist() == [20200102, 19691231]


def test_eight_digits_in_a_frame_of_numbers_are_read_alike():
    frame = pd.DataFrame({"visit_date": [20200102, 19691231], "a": [1, 2]})
    features, facts = read_columns(frame)
    assert features.numeric.tolist() == [[18263, 1], [-1, 2]]
    assert facts["visit_date"].kind == "date"


def test_a_decimal_comma_elsewhere_settles_what_could_be_either():
    table = pa.table({"a": ["1,234", "2,500"], "b": ["12,5", "3,25"], "c": ["1.234", "950"]})
    features, facts = read_columns(table)
    assert features.numeric.tolist() == [[1.234, 12.5, 1234], [2.5, 3.25, 950]]
    assert facts["a"].converted == "decimal comma"
    assert facts["c"].converted == "thousands separators '.'"
    alone, facts = read_columns(table.select(["a", "c"]))
    assert alone.numeric.tolist() == [[1234, 1.234], [2500, 950]]
    assert facts["a"].converted == "thousands separators ','"


def test_thousands_separated_by_spaces_say_nothing_of_the_decimal_sign():
    # 84 361 inhabitants do not make a density of 1.688 one of 1688.
    table = pa.table({"a": ["84 361", "1 250"], "b": ["1.688", "1.250"]})
    features, facts = read_columns(table)
    assert features.numeric.tolist() == [[84361, 1.688], [1250, 1.25]]
    assert facts["a"].converted == "thousands separated by spaces"


@pytest.mark.parametrize(("others", "is_doubtful"), [
    ([], True),
    (["7", "8"], True),
    (["12,5", "0.25"], True),
    (["0.5", "0.25"], False),
    (["1,234.5", "2"], False),
    (["1,234,567", "2"], False),
])  # fmt: skip
def test_a_comma_before_three_digits_is_doubted_unless_another_column_tells(others, is_doubtful):
    table = {"a": ["1,234", "2,500"]}
    if others:
        table["b"] = others
    features, facts = read_columns(pa.table(table))
    assert features.numeric[:, 0].tolist() == [1234, 2500]
    said = "'1,234' is read as 1234, but may be 1.234; if the comma is a decimal one, say "
    said += "convert={'a': (0.001, 0)} (--convert a=0.001,0)"
    assert facts["a"].doubt == (said if is_doubtful else "")


@pytest.mark.parametrize("others", [None, ["38.2", "0.57"]])
def test_a_point_before_three_digits_everywhere_is_doubted(others):
    table = {"a": ["22.180", "1.287"]}
    if others:
        table["b"] = others
    features, facts = read_columns(pa.table(table))
    assert features.numeric[:, 0].tolist() == [22.18, 1.287]
    said = "'22.180' is read as 22.18, but may be 22180; if the point separates thousands, say "
    said += "convert={'a': (1000, 0)} (--convert a=1000,0)"
    assert facts["a"].doubt == said


@pytest.mark.parametrize(
    "texts", [["8.409", "12.345", "885"], ["1.250", "3814"], ["-1.302", "0", "7"]]
)
def test_whole_numbers_beside_three_digits_behind_a_point_are_asked_about(texts):
    features, facts = read_columns(pa.table({"a": texts}))
    assert features.numeric[:, 0].tolist() == [float(text) for text in texts]
    assert facts["a"].doubt.startswith(f"{texts[0]!r} beside {texts[-1]!r} is read as")
    assert "thousands or decimals?" in facts["a"].doubt
    assert "convert" not in facts["a"].doubt  # no factor is right for 885


def test_a_decimal_comma_elsewhere_settles_thousands_beside_small_numbers():
    table = pa.table({"a": ["8.409", "885", "0"], "b": ["1,5", "2,25", "3"]})
    features, facts = read_columns(table)
    assert features.numeric[:, 0].tolist() == [8409, 885, 0]
    assert facts["a"].doubt == ""


MONTHS = {
    "leading zeros": ["03.2024", "11.2023"],
    "mixed": ["3.2024", "03.2023"],
    "no leading zero": ["3.2024", "11.2023", "1.2020", "4.2021", "12.1999"],
}


@pytest.mark.parametrize("texts", MONTHS.values(), ids=MONTHS)
def test_months_before_years_with_points_are_dates(texts):
    column = read([*texts, ""])
    assert column.facts.kind == "date"
    assert column.facts.converted == "months mm.yyyy, as the first day of the month"
    slashes = read([text.replace(".", "/") for text in [*texts, ""]])
    np.testing.assert_array_equal(column.values, slashes.values)


@pytest.mark.parametrize("texts", [
    ["1.2022", "1.2034", "1.1987", "1.2001", "1.1999"], ["11.2023", "12.2023"], ["03.2024", "13.2024"],
    ["03.2024", "11.5"],
])  # fmt: skip
def test_other_decimals_are_no_months(texts):
    assert read(texts).facts.kind == "number"


def test_numbers_that_excel_keeps_as_text_are_numbers():
    column = read(['="65"', '="7.5"', "8", ""])
    assert column.values[:3].tolist() == [65, 7.5, 8]
    assert column.facts.converted == 'texts of Excel such as ="65" read without their signs'
    assert read(['="065"', '="7"']).levels == ('="065"', '="7"')  # codes


@pytest.mark.parametrize("word", ["None", "NA"])
def test_words_for_missing_in_many_rows_of_a_feature_are_asked_about(word):
    words = ["aspirin", "statin", word, "statin", "aspirin"] * 10
    features, facts = read_columns(pa.table({"a": words, "b": ["1"] * 50}))
    assert (features.codes[:, 0] == -1).sum() == 10  # still missing
    assert facts["a"].doubt.startswith(
        f"{word!r} is read as missing in 10 of 50 rows; if it is a value, "
    )
    assert f"recode={{'a': {{{word!r}: {word.lower()!r}}}}}" in facts["a"].doubt
    rare = ["aspirin", "statin"] * 22 + [word] * 4
    assert read_columns(pa.table({"a": rare}))[1]["a"].doubt == ""
    # Among numbers it can only mean that there is none, so that it does here.
    mark = pa.table({"a": words, "b": [word, *["1"] * 49]})
    assert read_columns(mark)[1]["a"].doubt == ""


@pytest.mark.parametrize("texts", [
    ["22.18", "1.287"], ["0.180", "1.287"], ["22.181", "1.287"], ["1022.180", "1.287"], ["22.180", "0"],
])  # fmt: skip
def test_other_numbers_with_a_point_are_not_doubted(texts):
    assert read_columns(pa.table({"a": texts}))[1]["a"].doubt == ""


def test_columns_that_contradict_each_other_are_each_read_alone():
    table = pa.table({"a": ["1.234", "2.500"], "b": ["12,5", "3,25"], "c": ["0.5", "0.25"]})
    assert read_columns(table)[0].numeric.tolist() == [[1.234, 12.5, 0.5], [2.5, 3.25, 0.25]]


def test_numbers_below_a_thousand_beside_thousands_are_not_doubted():
    assert not read_columns(pa.table({"a": ["1,234", "950"]}))[1]["a"].doubt


def test_a_stray_leading_zero_does_not_make_a_number_text():
    values = [str(v) for v in range(1000, 1200)]
    column = read([*values, "05000"])
    assert column.levels is None
    assert column.values[-1] == 5000
    assert "'05000' with a leading zero (1 of 201 values)" in column.facts.doubt
    assert read([*values[:50], "05000"]).levels is not None
    assert read([*values * 3, *["05000"] * 5]).levels is not None
    assert read([*values, "0500", "1E3", "1000"]).levels is not None


@pytest.mark.parametrize("native", [
    ["10:30", "0:15", "23:59:30", "NA"],
    pa.chunked_array([pa.array([dt.time(10, 30), dt.time(0, 15), dt.time(23, 59, 30), None])]),
    pl.Series([dt.time(10, 30), dt.time(0, 15), dt.time(23, 59, 30), None]),
    pd.Series([dt.time(10, 30), dt.time(0, 15), dt.time(23, 59, 30), None]),
], ids=["text", "arrow", "polars", "objects"])  # fmt: skip
def test_times_of_day_are_hours_in_every_door(native):
    series = native
    if isinstance(native, list):
        series = pa.chunked_array([native])
    column = read_column(nw.from_native(series, series_only=True, allow_series=True), "c")
    assert column.values.tolist() == [10.5, 0.25, pytest.approx(23 + 59.5 / 60), NAN]
    assert (column.facts.kind, column.facts.converted) == ("number", "times of day as hours")


@pytest.mark.parametrize("text", ["24:30", "10:60", "10:3", "1:2:3"])
def test_what_no_clock_shows_stays_text(text):
    assert read([text, "10:30"]).levels is not None


LONG = [2**53 + 1, 2**53 + 2]


@pytest.mark.parametrize("native", [
    pd.Series(LONG), pd.Series(LONG, dtype="Int64"), pd.Series(LONG, dtype="int64[pyarrow]"),
    pd.Series(LONG, dtype=object), pl.Series(LONG), pa.chunked_array([LONG]),
    pa.chunked_array([[str(v) for v in LONG]]),
], ids=["pandas", "nullable", "arrow-backed", "objects", "polars", "arrow", "text"])  # fmt: skip
def test_whole_numbers_of_too_many_digits_are_codes(native):
    column = read_column(nw.from_native(native, series_only=True, allow_series=True), "c")
    assert column.levels == tuple(map(str, LONG))
    assert "more digits than a number can hold" in column.facts.converted


def test_long_numbers_of_a_plain_frame_and_array_are_codes_too():
    for source in (pd.DataFrame({"x0": LONG}), np.array([LONG]).T):
        assert read_columns(source)[0].levels == (tuple(map(str, LONG)),)
    for source in (
        pd.DataFrame({"x0": [1, 2, 3, 2**53 + 1]}),
        pa.table({"x0": [1, 2, 3, 2**53 + 1]}),
    ):
        features, facts = read_columns(source)
        assert features.numeric[:, 0].tolist() == [1, 2, 3, 2**53]
        assert facts["x0"].doubt == f"whole numbers of so many digits are rounded ({2**53 + 1})"
    assert not read_columns(pd.DataFrame({"x0": [2**53, 1]}))[1]["x0"].doubt


def test_truth_values_in_text():
    column = read(["True", "FALSE", "NA", "true"])
    assert column.values.tolist() == [1, 0, NAN, 1]
    assert column.facts.kind == "truth value"
    assert read(["True", "yes"]).levels == ("True", "yes")


def test_infinite_words_are_infinite_numbers_that_are_refused_later():
    assert read(["1", "inf", "-Infinity", "1e400"]).values.tolist() == [1, np.inf, -np.inf, np.inf]


@pytest.mark.parametrize(
    "text",
    ["1_2", "0x10", "nan(1)", "1e", "1 2", "12a", "(a5)", "€5", "10\u00b2", "1\u20135", "\u00bd"],
)
def test_what_is_no_number_stays_text(text):
    assert set(read([text, "1"]).levels) == {text, "1"}


def test_half_a_letter_is_text():
    # Half a surrogate pair comes from file names that are not UTF-8.
    assert read(["a\ud800", "b"], "pandas objects").levels == (r"a\ud800", "b")


@pytest.mark.parametrize(
    "form",
    [
        "{}.5 C",
        "{}mg",
        "${}",
        "{} EUR",
        "\u20ac {}.25",
        "{} J.",
        "{}\u202f053,09\u202f\u20ac",
        "{} 053,09 \u20ac",
    ],
)
def test_numbers_with_a_unit_or_currency_stay_text_and_are_named(form):
    column = read([form.format(i) for i in range(10, 20)])
    assert len(column.levels) == 10
    assert column.facts.doubt.startswith("text: numbers with a unit or currency (")


@pytest.mark.parametrize("form", ["{}.5*", "'{}", "~{}.5", "{}.5-", "> {}", "{} +", "{}**", "{}'"])
def test_numbers_with_other_signs_stay_text_and_are_named(form):
    column = read([form.format(i) for i in range(10, 20)])
    assert len(column.levels) == 10
    assert column.facts.doubt.startswith("text: numbers with other signs (")


@pytest.mark.parametrize("form", ["{}.5*", "{}.5 %"])
def test_half_plain_numbers_are_enough_to_name_a_column(form):
    texts = [form.format(i) if i % 2 else f"{i}.5" for i in range(10, 30)]
    assert read(texts).facts.doubt.startswith("text, although 50% of its values are numbers")
    assert read(["1", "2", "x", "y"]).facts.doubt == ""


@pytest.mark.parametrize(
    ("word", "number"), [("> 89", "90"), ("<0.5", "0.25"), ("<=7", "7"), ("90+", "90"), ("x", "")]
)
def test_the_option_for_what_is_no_number_has_a_value_that_can_be_typed(word, number):
    doubt = read([*map(str, range(20)), word]).facts.doubt
    assert f"recode={{'c': {{{word!r}: {number!r}}}}}" in doubt
    assert "..." not in doubt


def test_values_in_single_quotes_are_named():
    assert "all values stand in single quotes" in read(["'83'", "'67.5'", "'icu'"]).facts.doubt
    assert read(["'83'", "67"]).facts.doubt == ""


def test_years_that_follow_each_other_are_seasons():
    assert read(["2009-10", "2010-11", "1999-00"]).levels is not None


def test_months_that_are_not_english_are_named():
    doubt = read(["02-Mai-2020", "03-Jan-2020"], name="seen").facts.doubt
    assert "names of months that are not English ('02-Mai-2020')" in doubt
    assert "--convert seen=%d-%m-%Y" in doubt
    assert read(["12 Main 2020", "13 Elm 2021"]).facts.doubt == ""


@pytest.mark.parametrize("source", [list, lambda v: [f"{x}" for x in v]], ids=["numbers", "text"])
def test_numbers_that_all_may_be_dates_are_doubted_with_the_option(source):
    days = [20200101 + i for i in range(25)]
    for frame in (pa.table({"seen": source(days)}), pd.DataFrame({"seen": source(days)})):
        facts = read_columns(frame)[1]["seen"]
        assert facts.doubt == (
            "read as numbers, but may be dates (20200101); if so, say "
            "convert={'seen': '%Y%m%d'} (--convert seen=%Y%m%d)"
        )
    others = [20200101 + i for i in range(40)]  # the 32nd of January
    assert not read_columns(pa.table({"seen": source(others)}))[1]["seen"].doubt
    assert not read_columns(pa.table({"seen": source(days[:19])}))[1]["seen"].doubt


@pytest.mark.parametrize("form", ["P{:04d}", "{}-{}", "ward {}"])
def test_ids_are_not_called_numbers_with_a_unit(form):
    assert read([form.format(i, i) for i in range(10, 20)]).facts.doubt == ""


def test_objects_of_mixed_types_are_named():
    series = nw.from_native(pd.Series([1, "u", 2.5, True], dtype=object), series_only=True)
    column = read_column(series, "c")
    assert column.levels == ("1", "2.5", "True", "u")
    assert column.facts.doubt == "text of mixed types (bool, float, int, str)"
