"""Tables that the tests of this room share."""

import numpy as np
import pandas as pd
import pytest

from datakin.data.files import text_files
from tests.unit.data.postgres import reason_to_skip, running_server


def make_wards(n=80, seed=0):
    """A table with every kind of column; the label depends on age and ward."""
    rng = np.random.default_rng(seed)
    age = rng.normal(60, 12, n)
    ward = rng.choice(["north", "south", "west"], n)
    risk = (age - 60) / 12 + (ward == "west") + rng.normal(0, 0.7, n)
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "smoker": rng.random(n) < 0.4,
            "visits": pd.array(rng.integers(0, 9, n), dtype="Int64"),
            "ward": pd.Series(ward).mask(rng.random(n) < 0.1),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D"),
            "died": (risk > 0.3).astype(int),
        }
    )
    frame.loc[::7, "visits"] = pd.NA
    return frame


@pytest.fixture
def wards_of():
    """Make such a table of n rows."""
    return make_wards


@pytest.fixture
def wards():
    return make_wards()


@pytest.fixture
def other_wards():
    return make_wards(seed=1)


@pytest.fixture
def small():
    """Two numeric columns and a 0/1 label: the least that is a dataset."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    return frame.assign(y=(frame.a + rng.normal(size=40) > 0).astype(int))


@pytest.fixture
def write(tmp_path):
    """Write a frame under a name whose suffix says how; return the path."""

    def write_frame(frame, name, **options):
        path = tmp_path / name
        if path.suffix == ".parquet":
            frame.to_parquet(path)
        elif path.suffix == ".feather":
            frame.to_feather(path)
        else:
            frame.to_csv(path, index=False, **options)
        return path

    return write_frame


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server that is stopped at the end."""
    if reason := reason_to_skip():
        pytest.skip(reason)
    with running_server() as server:
        yield server


@pytest.fixture
def same():
    """Assert that two datasets hold the same numbers, categories, labels and groups."""

    def assert_same(one, other):
        assert one.columns == other.columns
        assert one.classes == other.classes
        assert one.features.levels == other.features.levels
        np.testing.assert_array_equal(one.features.numeric, other.features.numeric)
        np.testing.assert_array_equal(one.features.codes, other.features.codes)
        np.testing.assert_array_equal(one.y, other.y)
        assert one.fingerprint == other.fingerprint

    return assert_same


@pytest.fixture
def streaming(monkeypatch):
    """Treat every csv file as large, in blocks so small that records cross their borders."""
    monkeypatch.setattr(text_files, "BLOCKS", (500,))
