"""What is done to a dataset to try an option is what reading with that option does."""

import numpy as np
import pytest

from datakin.data.columns.labels import canonical_label
from datakin.explaining.suspects.suspect import (
    converted,
    numbers_of,
    recoded,
    relabelled,
    renamed,
    without,
)
from tests.unit.explain.spoiled import frames, read


@pytest.fixture(scope="module")
def tables():
    target, source = frames("nothing", n=60)
    source.loc[::5, "a"] = -99
    source.loc[::7, "e"] = None
    return target, source


@pytest.fixture(scope="module")
def plain(tables):
    return read(*tables)[1]


def same(one, other):
    """Check that two datasets have the same columns, values, levels and labels."""
    assert one.columns == other.columns
    assert one.features.numeric_names == other.features.numeric_names
    np.testing.assert_array_equal(one.features.numeric, other.features.numeric)
    assert one.features.category_names == other.features.category_names
    assert one.features.levels == other.features.levels
    np.testing.assert_array_equal(one.features.codes, other.features.codes)
    assert one.classes == other.classes
    np.testing.assert_array_equal(one.y, other.y)
    assert one.fingerprint == other.fingerprint


def test_converted(tables, plain):
    option = {"theirs": {"b": (5 / 9, -160 / 9)}}
    same(converted(plain, "b", 5 / 9, -160 / 9), read(*tables, convert=option)[1])


def test_a_converted_label():
    tables = frames("nothing", task="numbers", n=60)
    made = converted(read(*tables)[1], "y", 0.5, -3.0)
    same(made, read(*tables, convert={"theirs": {"y": (0.5, -3.0)}})[1])
    assert np.array_equal(numbers_of(made, "y"), made.y)


def test_recoded_levels(tables, plain):
    """Swapped, joined, new, and missing."""
    for codes in ({"p": "q", "q": "p"}, {"p": "q"}, {"p": "new", "s": "also"}, {"r": None}):
        written = {old: "" if new is None else new for old, new in codes.items()}
        same(recoded(plain, "e", codes), read(*tables, recode={"theirs": {"e": written}})[1])


def test_recoded_numbers(tables, plain):
    same(
        recoded(plain, "a", {"-99": None}),
        read(*tables, recode={"theirs": {"a": {"-99": ""}}})[1],
    )
    target, source = (
        each.assign(e=each["e"].map(dict(zip("pqrs", range(4), strict=True)))) for each in tables
    )
    codes = {"0": "1", "1": "2", "2": "0"}
    same(
        recoded(read(target, source)[1], "e", codes),
        read(target, source, recode={"theirs": {"e": codes}})[1],
    )


def test_truth_values(tables):
    """They are read as 0 and 1, and can be recoded by these."""
    target, source = (each.assign(f=each["f"].map({"u": "TRUE", "v": "FALSE"})) for each in tables)
    made = recoded(read(target, source)[1], "f", {"0": "1", "1": "0"})
    same(made, read(target, source, recode={"theirs": {"f": {"0": "1", "1": "0"}}})[1])
    source = source.assign(y=source["y"] == 1)
    made = relabelled(read(target, source)[1], {"0": "1", "1": "0"})
    same(made, read(target, source, recode={"theirs": {"y": {"0": "1", "1": "0"}}})[1])


def test_without(tables, plain):
    same(without(plain, ["a", "e"]), read(*tables, ignore=["a", "e"])[1])


def test_renamed(tables, plain):
    for names in ({"a": "b", "b": "a"}, {"e": "other"}):
        made = renamed(plain, names)
        other = read(*tables, rename={"theirs": names})[1]
        assert set(made.columns) == set(other.columns)
        for new in other.columns:  # the columns may stand in another order
            one, two = (each.features.select([new]) for each in (made, other))
            np.testing.assert_array_equal(one.numeric, two.numeric)
            np.testing.assert_array_equal(one.codes, two.codes)


def test_relabelled(tables, plain):
    codes = {"0": "1", "1": "0"}
    same(relabelled(plain, codes), read(*tables, recode={"theirs": {"y": codes}})[1])


def test_the_dataset_itself_stays(plain):
    before = plain.fingerprint
    converted(plain, "b", 2.0, 0.0)
    recoded(plain, "e", {"p": "q"})
    recoded(plain, "a", {"-99": None})
    without(plain, ["a"])
    renamed(plain, {"a": "z"})
    relabelled(plain, {"0": "1", "1": "0"})
    assert (
        type(plain)(
            **{name: getattr(plain, name) for name in plain.__dataclass_fields__}
        ).fingerprint
        == before
    )
    assert converted(plain, "b", 2.0, 0.0).fingerprint != before


@pytest.mark.parametrize(("value", "text"), [(-99.0, "-99"), (0.5, "0.5"), (1e6, "1000000")])
def test_numbers_are_spelled_as_in_tables(value, text):
    assert canonical_label(value) == text
