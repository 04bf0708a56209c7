"""Numbers and dates that may stand for "no value" are kept and pointed at."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

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
