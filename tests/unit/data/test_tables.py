"""Tables of every library, and plain numbers."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from datakin import DatakinError, as_dataset, read_table
from datakin.data.columns.column import read_column
from datakin.data.columns.tables import RawTable, frame_of, read_columns

PLAIN = {
    "floats": np.arange(12.0).reshape(6, 2) / 7,
    "other order": np.asfortranarray(np.arange(12.0).reshape(6, 2) / 7),
    "gaps": np.where(np.arange(12).reshape(6, 2) % 5, 1 / 3, np.nan),
    "short floats": np.arange(12, dtype=np.float32).reshape(6, 2) / 7,
    "large integers": np.arange(12).reshape(6, 2) * 3 + 2**52,
    "unsigned": np.arange(12, dtype=np.uint64).reshape(6, 2) + 2**52,
    "booleans": np.arange(12).reshape(6, 2) % 3 == 0,
}


@pytest.mark.parametrize("array", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("as_frame", [False, True], ids=["array", "frame"])
def test_plain_numbers_equal_those_read_one_by_one(array, as_frame):
    frame = pd.DataFrame(array, columns=["x0", "x1"])
    features, _ = read_columns(frame if as_frame else array)
    assert features.numeric_names == features.names == ("x0", "x1")
    assert features.numeric.flags.c_contiguous
    single = np.column_stack(
        [read_column(nw.from_native(frame)[name], name).values for name in frame]
    )
    assert features.numeric.tobytes() == single.tobytes()


def test_numbers_of_several_types_are_read_as_named():
    frame = pd.DataFrame({"f": [0.5, None], "i": [1, 2], "b": [True, False], "w": ["u", "v"]})
    features, _ = read_columns(nw.from_native(frame), ["b", "f", "i"])
    np.testing.assert_array_equal(features.numeric, [[1, 0.5, 1], [0, np.nan, 2]])
    assert set(read_columns(frame)[0].names) == {"f", "i", "b", "w"}


def test_columns_read_one_by_one_stand_by_kind_in_their_order():
    frame = pd.DataFrame({"w": ["u", None], "f": [0.5, None], "v": ["b", "a"], "i": [1, 2]})
    features, _ = read_columns(frame)
    assert features.names == ("f", "i", "w", "v")
    np.testing.assert_array_equal(features.numeric, [[0.5, 1], [np.nan, 2]])
    assert features.codes.tolist() == [[0, 1], [-1, 0]]
    assert features.levels == (("u",), ("a", "b"))


LIBRARIES = {"pandas": lambda t: t, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}


@pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES)
def test_names_of_columns_are_composed_and_without_outer_spaces(convert):
    table = convert(pd.DataFrame({" a\u00a0": [1], "u\u0308": [2]}))
    assert frame_of(table).columns == ["a", "\u00fc"]
    assert frame_of(nw.from_native(table, eager_only=True)).columns == ["a", "\u00fc"]
    assert RawTable("t", frame_of(table), (" a", "u\u0308")).columns == ("a", "\u00fc")


@pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES)
def test_names_that_then_coincide_are_refused(convert):
    table = convert(pd.DataFrame({"a": [1], "a ": [2]}))
    with pytest.raises(DatakinError, match=r"its own name.*'a' \('a', 'a ' differ in outer spaces"):
        frame_of(table)


def test_facts_of_a_frame_and_of_an_array():
    frame = pd.DataFrame({"f": [0.5, None], "b": [True, False], "w": ["u", "?"]})
    facts = read_columns(frame)[1]
    assert {name: fact.kind for name, fact in facts.items()} == {
        "f": "number", "b": "truth value", "w": "category"
    }  # fmt: skip
    assert facts["w"].blanks == {"?": 1}
    assert read_columns(frame[["f", "b"]])[1]["b"].kind == "truth value"
    facts = read_columns(np.zeros((3, 2)))[1]
    assert {name: fact.kind for name, fact in facts.items()} == {"x0": "number", "x1": "number"}


def test_all_kinds_of_nan_are_missing_alike():
    strange = np.array([0x7FF0000000000001, 0xFFF8000000000000], np.uint64).view(float)
    y = np.arange(40) % 2
    found = []
    for gone in (np.array([np.nan, np.nan]), strange):
        frame = pd.DataFrame({"x": np.arange(40.0) ** 1.5, "z": np.sin(np.arange(40.0)), "y": y})
        frame.loc[[3, 7], "x"] = gone
        for table in (frame, frame.assign(c=[*"abba"] * 10)):
            found.append(read_table(table, label="y").fingerprint)
    assert found[:2] == found[2:]


def test_damaged_text_in_an_array_of_objects_is_spelled_out():
    X = np.array([[i * 0.5, "a\ud800" if i % 3 else "b"] for i in range(60)], dtype=object)
    assert as_dataset(X, np.arange(60) % 2).features.levels == (("a\\ud800", "b"),)


@pytest.mark.parametrize("by", ["age", ["ward", "age"]])
def test_a_named_index_of_pandas_is_read_as_through_parquet(by, tmp_path):
    frame = pd.DataFrame({"age": range(30, 90), "x": np.arange(60) % 2, "ward": list("abc") * 20})
    indexed = frame.sample(frac=1, random_state=0).set_index(by)
    indexed.to_parquet(tmp_path / "t.parquet")
    there = read_table(indexed, label="x")
    stored = read_table(tmp_path / "t.parquet", label="x")
    assert list(there.features.names) == list(stored.features.names)
    assert frame_of(indexed).columns[0] == (by if isinstance(by, str) else by[0])
    assert there.fingerprint == stored.fingerprint


def test_an_index_that_tells_nothing_new_is_left_out():
    frame = pd.DataFrame({"age": range(30, 90), "x": np.arange(60) % 7})
    shuffled = frame.sample(frac=1, random_state=0)
    for same in (frame.rename_axis("row"), shuffled, frame.set_index("age", drop=False)):
        assert frame_of(same).columns == ["age", "x"]
    half = shuffled.set_index([shuffled.index, "age"])  # of two levels, one has a name
    assert frame_of(half).columns == ["age", "x"]
