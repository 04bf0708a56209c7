"""Random tables: a dataset or a DatakinError, and the same one from every format."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
from hypothesis import HealthCheck, given, settings

from datakin import DatakinError, DatakinWarning, Dataset, read_table

N = 24
QUICK = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def column(values):
    return st.lists(st.one_of(st.none(), values), min_size=N, max_size=N)


WORDS = st.sampled_from(["u", "v", "new york", "Ünïcode", "a,b", 'say "x"', "?", "NA", "x y"])
PLAIN = {
    "floats": column(st.floats(-1e12, 1e12)).map(lambda v: pd.Series(v, dtype=float)),
    "integers": column(st.integers(-(10**9), 10**9)).map(lambda v: pd.Series(v, dtype="Int64")),
    "booleans": st.lists(st.booleans(), min_size=N, max_size=N).map(pd.Series),
    "words": column(WORDS).map(lambda v: pd.Series(v, dtype=object)),
    "dates": column(st.datetimes(pd.Timestamp(1900, 1, 1), pd.Timestamp(2100, 1, 1))).map(
        lambda v: pd.Series(pd.to_datetime(v)).astype("datetime64[us]")
    ),
}
ODD = {
    **PLAIN,
    "extremes": column(st.floats(allow_nan=True, allow_infinity=True)).map(pd.Series),
    "text": column(st.text(max_size=6)).map(lambda v: pd.Series(v, dtype=object)),
    "mixture": column(st.one_of(st.integers(), st.text(max_size=3), st.booleans(), st.dates())).map(
        lambda v: pd.Series(v, dtype=object)
    ),
    "categories": column(WORDS).map(lambda v: pd.Series(v, dtype="category")),
}


def tables(columns, labels):
    names = st.sampled_from(["a", "b", "c d", "é", "1"])
    features = st.dictionaries(names, st.one_of(*columns.values()), min_size=1, max_size=4)
    return st.builds(lambda f, y: pd.DataFrame({**f, "y": y}), features, labels)


CLASSES = column(st.sampled_from(["yes", "no"])).map(lambda v: pd.Series(v, dtype=object))


def attempt(source, **options):
    """Return the dataset or the error; anything else that is raised or warned is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        try:
            return read_table(source, label="y", **options)
        except DatakinError as error:
            return error


@QUICK
@given(tables(ODD, st.one_of(*ODD.values(), CLASSES)))
def test_any_table_is_read_or_refused_in_words(frame):
    found = attempt(frame)
    assert isinstance(found, Dataset) or "\n" not in str(found)


@QUICK
@given(tables(ODD, CLASSES), st.sampled_from(["binary", "multiclass", "regression"]))
def test_any_task_is_met_or_refused_in_words(frame, task):
    attempt(frame, task=task, group="a" if "a" in frame else None)


@QUICK
@given(tables(PLAIN, CLASSES))
def test_csv_parquet_feather_and_polars_agree(tmp_path, frame):
    expected = attempt(frame)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    others = [tmp_path / "t.csv", tmp_path / "t.parquet", tmp_path / "t.feather"]
    for source in [*others, pl.from_pandas(frame)]:
        found = attempt(source, name="")
        if isinstance(expected, DatakinError):
            assert str(found) == str(expected)
            continue
        assert set(found.columns) == set(expected.columns)
        assert found.features.levels == expected.features.levels
        np.testing.assert_array_equal(found.features.numeric, expected.features.numeric)
        assert found.fingerprint == expected.fingerprint
