"""Numbers and dates that may stand for "no value" are kept and pointed at."""

import ast
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from datakin import DatakinWarning, as_dataset, read_table
from datakin.data.columns.placeholders import doubt_of_numbers
from datakin.data.columns.roles import read_labels, series_of
from datakin.data.columns.tables import read_columns

AGES = [36.5, 38.0, 41.2, 39.0]


@pytest.mark.parametrize("word", [-999, -9, 9999, -99, 99999])
def test_nines_far_from_all_others_are_named_in_every_door(word):
    values = [*AGES, word, word]
    text = pa.table({"x0": [str(v) for v in values]})
    sources = [
        text,
        pd.DataFrame({"x0": values}),
        np.array([values]).T,
        pa.table({"x0": map(float, values)}),
    ]
    for source in sources:
        features, facts = read_columns(source)
        assert features.numeric[-1, 0] == word  # kept
        assert f"{word} stands 2 time(s), far from all others (36.5 to 41.2)" in facts["x0"].doubt
        assert f"recode={{'x0': {{'{word}': ''}}}} (--recode x0:{word}=)" in facts["x0"].doubt


@pytest.mark.parametrize(
    "values",
    [[*AGES, -999], [*range(60), 99, 99], [0, 1, 99, 99], [*AGES, -998, -998], [99, 99, 99]],
    ids=["once", "in the range", "a code", "no nines", "nothing else"],
)
def test_other_values_are_not_named(values):
    facts = read_columns(pd.DataFrame({"a": values}))[1]
    assert facts["a"].doubt == ""


@pytest.mark.parametrize("day", ["9999-12-31", "1500-01-01", "0001-01-01", "1900-01-01"])
def test_dates_more_than_a_century_away_are_named(day):
    facts = read_columns(pa.table({"d": ["2021-02-03", "2022-03-04", day]}))[1]
    assert (
        f"{day} stands 1 time(s), far from all others (2021-02-03 to 2022-03-04)"
        in facts["d"].doubt
    )


def test_birthdays_are_not_named():
    facts = read_columns(pa.table({"d": ["1931-02-03", "1999-03-04", "2020-01-01"]}))[1]
    assert facts["d"].doubt == ""


def test_a_response_with_nines_is_named():
    _, facts = read_labels(series_of([*AGES, -999, -999], "y"), "y")
    assert "-999 stands 2 time(s)" in facts.doubt


RNG = np.random.default_rng(0)
TEMPERATURES = RNG.normal(37, 1, 200).round(1)
MISSING = {
    "-1 beside temperatures": (-1, TEMPERATURES, "the only negative number"),
    "-1 beside ages": (-1, RNG.integers(18, 95, 200), "the only negative number"),
    "-1 beside shares": (-1, RNG.random(200).round(3), "the only negative number"),
    "-9 beside small numbers": (-9, RNG.lognormal(1, 1, 200).round(2), "the only negative number"),
    "0 beside temperatures": (0, TEMPERATURES, "far from all others"),
    "0 beside cholesterol": (0, RNG.normal(230, 30, 200).round(), "far from all others"),
    "0 beside pressures": (0, RNG.normal(120, 10, 200).round(), "far from all others"),
    "no nines": (-999.25, TEMPERATURES, "far from all others"),
    "nines with a fraction": (999.9, TEMPERATURES, "far from all others"),
    "the least short number": (-32768, TEMPERATURES, "far from all others"),
    "the largest short number": (65535, TEMPERATURES, "far from all others"),
    "a power of ten": (1e30, TEMPERATURES, "far from all others"),
}


@pytest.mark.parametrize(("word", "others", "why"), MISSING.values(), ids=MISSING)
def test_values_that_cannot_be_are_named_in_every_door(word, others, why):
    values = np.append(others.astype(float), [word] * 6)
    for source in (
        pd.DataFrame({"x0": values}),
        values[:, None],
        pa.table({"x0": values}),
        pa.table({"x0": [f"{v:g}" for v in values]}),
    ):
        features, facts = read_columns(source)
        assert features.numeric[-1, 0] == word  # kept
        assert facts["x0"].doubt.startswith(f"{word} stands 6 time(s), {why}")
        assert f"(--recode x0:{word}=)" in facts["x0"].doubt


@pytest.mark.parametrize("word", ["999.90", "1e30", "1E+30", "-1e20"])
def test_the_option_that_is_printed_works_however_the_number_is_written(word):
    words = [*map(str, TEMPERATURES), *[word] * 6]
    table = pa.table({"x": words, "y": [str(i % 2) for i in range(206)]})
    with pytest.warns(DatakinWarning, match=r"stands 6 time\(s\)") as seen:
        read_table(table, label="y")
    printed = re.search(r"recode=(\{.*?\}\})", str(seen[0].message))[1]
    with pytest.warns(DatakinWarning, match=r"to missing \(6 values\)"):
        features = read_table(table, label="y", recode=ast.literal_eval(printed)).features
    assert np.isnan(features.numeric).sum() == 6


def test_a_value_far_away_in_a_sparse_table_is_named():
    x = np.append(TEMPERATURES, [0.0] * 300 + [65535.0] * 6)[:, None]
    with pytest.warns(DatakinWarning, match=r"65535 stands 6 time\(s\)"):
        as_dataset(sparse.csr_array(x), np.arange(506) % 2)


def test_zeros_of_a_sparse_table_are_named_as_those_of_its_dense_twin():
    x = np.append(TEMPERATURES, [0.0] * 6)[:, None]
    y = np.arange(206) % 2
    notes = []
    for X in (x, sparse.csr_array(x)):
        with pytest.warns(DatakinWarning):
            notes.append(as_dataset(X, y).notes)
    assert notes[0] == notes[1]
    assert any("0 stands 6 time(s)" in note for note in notes[0])


HONEST = {
    "counts": lambda rng, n: rng.poisson(4, n),
    "many counts": lambda rng, n: rng.poisson(40, n),
    "counts with too many zeros": lambda rng, n: rng.poisson(25, n) * (rng.random(n) > 0.2),
    "scattered counts": lambda rng, n: rng.negative_binomial(3, 0.05, n) * (rng.random(n) > 0.3),
    "degrees around 0": lambda rng, n: rng.normal(3, 4, n).round(),
    "degrees above 0": lambda rng, n: rng.normal(10, 4, n).round(),
    "tenths of degrees": lambda rng, n: rng.normal(8, 4, n).round(1),
    "differences": lambda rng, n: rng.poisson(9, n) - rng.poisson(2, n),
    "answers": lambda rng, n: rng.integers(-1, 2, n),
    "ages": lambda rng, n: rng.integers(0, 95, n),
    "money": lambda rng, n: rng.lognormal(8, 1, n).round(2) * (rng.random(n) > 0.3),
    "standardised": lambda rng, n: rng.normal(size=n).round(1),
    "skewed": lambda rng, n: rng.lognormal(0, 2, n).round(1),
    "more skewed": lambda rng, n: rng.pareto(1, n).round(),
    "cut off": lambda rng, n: np.minimum(rng.lognormal(3, 1, n).round(1), 60),
    "from -1 on": lambda rng, n: rng.integers(-1, 50, n),
}


@pytest.mark.parametrize("make", HONEST.values(), ids=HONEST)
def test_honest_numbers_are_hardly_ever_named(make):
    rng = np.random.default_rng(1)
    named = [
        bool(doubt_of_numbers(make(rng, n).astype(float), "x"))
        for n in [50, 200]
        for _ in range(100)
    ]
    assert np.mean(named) <= 0.01


@pytest.mark.parametrize(
    ("labels", "word"),
    [
        ([0, 1, -99], "-99"),
        ([1, 2, 3, 99], "99"),
        ([0, 1, -9], "-9"),
        (["yes", "no", "-99"], "-99"),
    ],
)
def test_classes_with_nines_are_named(labels, word):
    facts = read_labels(series_of(labels * 5, "y"), "y")[1]
    assert f"{word} stands 5 time(s)" in facts.doubt
    assert f"(--recode y:{word}=)" in facts.doubt


@pytest.mark.parametrize("labels", [[-1, 1], [-1, 0, 1], [0, 99], [7, 8, 9], ["yes", "99"]])
def test_other_classes_are_not_named(labels):
    assert read_labels(series_of(labels * 5, "y"), "y")[1].doubt == ""
