"""Each kind of suspect is found where it was planted, and nowhere else."""

import numpy as np
import pandas as pd
import pytest

from datakin.explaining.suspects import (
    blank_values,
    cut_ranges,
    label_units,
    leaking_columns,
    other_codes,
    other_names,
    other_units,
    repeated_rows,
    swapped_classes,
)
from datakin.explaining.trying import suspects_of
from tests.unit.explain.spoiled import frames, options_of, planted_cause, read, sets, world_of

KINDS = {
    "units": other_units,
    "codes": other_codes,
    "blanks": blank_values,
    "leak": leaking_columns,
    "range": cut_ranges,
    "copies": repeated_rows,
}


def found(cause, seed, task):
    return list(KINDS[cause](*sets(cause, seed, task)))


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("cause", list(KINDS))
def test_what_was_planted_is_suspected(cause, task):
    for seed in (0, 1):
        (suspect,) = found(cause, seed, task)
        assert suspect.cause == cause
        assert suspect.seen.endswith(".")
        assert bool(suspect.python) == bool(suspect.typed) == (cause not in ("range", "copies"))


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("cause", ["nothing", "base rate", "effect"])
def test_nothing_is_suspected_where_nothing_was_planted(cause, task):
    """Seen in columns, that is: the label's rule may differ."""
    for seed in range(3):
        world = world_of(*sets(cause, seed, task))
        assert [each for each in suspects_of(world) if each.cause != "classes"] == []
        assert list(cut_ranges(world.target, world.source)) == []
        assert list(repeated_rows(world.target, world.source)) == []


def test_each_mend_is_what_its_option_does():
    """For all kinds: the mended datasets are those that are read with the option."""
    for cause in ("units", "codes", "blanks", "leak", "classes"):
        for seed in (0, 1):
            tables = frames(cause, seed)
            target, source = sets(cause, seed)
            (suspect,) = [
                each for each in suspects_of(world_of(target, source)) if each.cause == cause
            ]
            mended = suspect.fixed(target, source)
            again = read(*tables, **options_of(suspect))
            assert [e.fingerprint for e in mended] == [e.fingerprint for e in again]
            assert (mended[0] is target) == (mended[0].fingerprint == target.fingerprint)


# Units


def test_known_units_are_named():
    target, source = frames("nothing")
    source = source.assign(b=source["b"] * 1.8 + 32)
    rename = {"b": "temperature"}
    (suspect,) = other_units(*read(target.rename(columns=rename), source.rename(columns=rename)))
    assert suspect.columns == ("temperature",)
    assert "Fahrenheit to Celsius" in suspect.seen
    assert suspect.typed == "--convert theirs::temperature=5/9,-160/9"
    assert eval(f"dict({suspect.python})") == {
        "convert": {"theirs": {"temperature": (5 / 9, -160 / 9)}}
    }


def test_any_line_must_mend_more_than_a_known_one():
    target, source = frames("nothing")
    known, line = (
        next(other_units(*read(target, source.assign(c=factor * source["c"] + plus))))
        for factor, plus in ((1000.0, 0.0), (7.0, 3.0))
    )
    assert known.typed == "--convert theirs::c=0.001"
    assert line.asked > known.asked


def test_units_of_a_label_are_told_by_its_name():
    target, source = frames("nothing", task="numbers")
    source = source.assign(y=source["y"] * 1.8 + 32)
    assert list(label_units(*read(target, source))) == []
    with_name = [each.rename(columns={"y": "temp"}) for each in (target, source)]
    import datakin

    sets = datakin.read_tables(dict(zip(("mine", "theirs"), with_name, strict=True)), label="temp")
    (suspect,) = label_units(*sets.values())
    assert suspect.typed == "--convert theirs::temp=5/9,-160/9"


def test_a_label_that_lies_apart_is_in_other_units():
    target, source = frames("nothing", task="numbers")
    (suspect,) = label_units(*read(target, source.assign(y=source["y"] * 5)))
    assert suspect.columns == ("y",)
    option = suspect.typed.removeprefix("--convert theirs::y=")
    assert float(option) == pytest.approx(0.2, rel=0.05)
    assert list(label_units(*read(target, source.assign(y=source["y"] * 1.5)))) == []


def test_no_units_of_few_values_dates_or_constants():
    rng = np.random.default_rng(0)
    target, source = frames("nothing")
    for made in (
        (rng.integers(0, 5, 150), 10 * rng.integers(0, 5, 300)),
        (np.zeros(150), np.ones(300)),
        (rng.normal(size=150) * 1e200, rng.normal(size=300) * 1e300),
        tuple(
            pd.Timestamp("2020-01-01") + pd.to_timedelta(k * rng.integers(0, 500, n), unit="D")
            for k, n in ((1, 150), (4, 300))
        ),
    ):
        tables = [t.assign(a=a) for t, a in zip((target, source), made, strict=True)]
        assert [s for s in other_units(*read(*tables)) if s.columns == ("a",)] == []


# Codes


def test_levels_without_a_name_in_common():
    target, source = frames("nothing")
    codes = {"p": "1", "q": "2", "r": "3", "s": "4"}
    source = source.assign(e="level " + source["e"].map(codes))
    (suspect,) = other_codes(*read(target, source, keep=["e"]))
    assert options_of(suspect) == {
        "recode": {"theirs": {"e": {f"level {new}": old for old, new in codes.items()}}}
    }


def test_levels_that_moved_may_look_recoded_and_are_not_named():
    """Their shares alone suggest it; the trial says no."""
    target, source, explanation = planted_cause("features")
    assert [each.columns for each in other_codes(*read(target, source))] == [("e",)]
    assert explanation.mends == ()


def test_numbers_of_few_values_have_codes_too():
    target, source = frames("codes", task="numbers")
    number = dict(zip("pqrs", range(1, 5), strict=True))
    tables = [each.assign(e=each["e"].map(number)) for each in (target, source)]
    (suspect,) = other_codes(*read(*tables))
    assert set(options_of(suspect)["recode"]["theirs"]["e"]) == {"1", "2", "3", "4"}


def test_other_classes_have_no_codes():
    target, source = frames("codes")
    source = source.assign(y=np.where(source["y"] == 1, "1", "other"))
    target = target.assign(y=target["y"].astype(str))
    assert list(other_codes(*read(target, source))) == []


# Blanks


@pytest.mark.parametrize("side", [0, 1])
def test_blanks_name_their_table(side):
    tables = list(frames("nothing"))
    tables[side] = tables[side].assign(
        a=tables[side]["a"].where(np.arange(len(tables[side])) % 8 > 0, 999)
    )
    (suspect,) = blank_values(*read(*tables))
    name = ("mine", "theirs")[side]
    assert (suspect.table, suspect.columns) == (name, ("a",))
    assert suspect.typed == f"--recode {name}::a:999="
    assert suspect.is_plain


def test_a_value_that_both_have_often_is_no_blank():
    tables = [
        each.assign(a=each["a"].where(np.arange(len(each)) % 8 > 0, 999))
        for each in frames("nothing")
    ]
    assert list(blank_values(*read(*tables))) == []


def test_a_frequent_value_inside_is_no_blank():
    """Nor is a rare one outside."""
    target, source = frames("nothing")
    middle = source["a"].round(0).median()
    inside = source.assign(a=source["a"].where(np.arange(300) % 8 > 0, middle))
    outside = source.assign(a=source["a"].where(np.arange(300) > 2, 999))
    for tables in ((target, inside), (target, outside)):
        assert list(blank_values(*read(*tables))) == []


def with_gaps(table, column, words, every=4):
    """Return a table in which every fourth value of a column is one of some words, or missing."""
    values, at = table[column].astype(object), np.flatnonzero(np.arange(len(table)) % every == 0)
    values.iloc[at] = [words[k % len(words)] for k in range(len(at))]
    return table.assign(**{column: values})


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("word", "is_plain"), [("unknown", True), ("Not recorded", True), ("w", False)]
)
def test_a_word_stands_for_what_is_missing_in_the_other_table(side, word, is_plain):
    tables = [with_gaps(each, "e", [None]) for each in frames("nothing")]
    tables[side] = with_gaps(tables[side], "e", [word])
    (suspect,) = blank_values(*read(*tables))
    name = ("mine", "theirs")[side]
    assert (suspect.table, suspect.columns) == (name, ("e",))
    assert suspect.is_plain == is_plain
    assert f"e is {word!r} in 25% of the rows of {name}, and missing in 25%" in suspect.seen
    mended = suspect.fixed(*read(*tables))
    typed = read(*tables, **options_of(suspect))
    for one, other in zip(mended, typed, strict=True):
        assert one.features.levels == other.features.levels
        np.testing.assert_array_equal(one.features.codes, other.features.codes)


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (["unknown"], ["p"]),  # the other table lacks nothing
        (["unknown", None], [None]),  # both lack some
        (["unknown"], [None, "unknown"]),  # both have the word
        (["w", "x"], [None]),  # which of the two?
        ([None], [None]),
    ],
)
def test_words_that_stand_for_nothing_missing(here, there):
    target, source = frames("nothing")
    tables = with_gaps(target, "e", here), with_gaps(source, "e", there)
    assert list(blank_values(*read(*tables))) == []


# Leaks


def test_a_level_leaks_as_numbers_do():
    target, source = frames("nothing")
    rng = np.random.default_rng(0)
    source = source.assign(e=np.where(source["y"] ^ (rng.random(300) < 0.02), "p", "q"))
    (suspect,) = leaking_columns(*read(target, source))
    assert suspect.columns == ("e",)
    assert suspect.table == ""
    assert suspect.typed == "--ignore e"


def test_what_tells_the_label_in_both_is_no_leak():
    tables = [each.assign(g=each["y"] + 0.2 * np.random.default_rng(k).normal(size=len(each)))
              for k, each in enumerate(frames("nothing"))]  # fmt: skip
    assert list(leaking_columns(*read(*tables))) == []


def test_one_column_cannot_leak():
    target, source = frames("leak")
    assert list(leaking_columns(*read(target[["g", "y"]], source[["g", "y"]]))) == []


# Classes


def swapped(target, source):
    world = world_of(*read(target, source))
    return list(swapped_classes(world))


def several(seed, order=(0, 1, 2), n=200):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (1.5 * X + rng.gumbel(size=(n, 3))).argmax(axis=1)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    return frame.assign(y=np.array(["one", "two", "three"])[np.array(order)[y]])


def test_several_classes_are_swapped():
    (suspect,) = swapped(several(0), several(1, (1, 2, 0)))
    codes = {"two": "one", "three": "two", "one": "three"}
    assert options_of(suspect) == {"recode": {"theirs": {"y": codes}}}
    (suspect,) = swapped(several(0), several(1, (0, 2, 1)))
    assert options_of(suspect) == {"recode": {"theirs": {"y": {"two": "three", "three": "two"}}}}
    assert swapped(several(0), several(1)) == []


def test_no_swap_where_classes_or_tasks_differ():
    source = several(1, (1, 2, 0))
    assert swapped(several(0), source[source["y"] != "one"]) == []
    assert swapped(*frames("nothing", task="numbers")) == []


# Names


def test_names_that_differ_in_case_or_signs():
    target, source = frames("nothing")
    source = source.rename(columns={"a": "A", "e": "E "})
    found = list(other_names(*read(target, source)))
    assert [each.columns for each in found] == [("a",), ("e",)]
    assert found[0].python == "rename={'theirs': {'A': 'a'}}"
    text = source.assign(A="word " + source["e" if "e" in source else "E "])
    assert [each.columns for each in other_names(*read(target, text))] == [("e",)]


def test_columns_with_the_values_of_another_name():
    target, source = frames("nothing")
    other = source.rename(columns={"a": "v17", "e": "kind"})
    pairs = [each.typed for each in other_names(*read(target, other))]
    assert sorted(pairs) == ["--rename theirs::kind=e", "--rename theirs::v17=a"]
    (mended,) = (each for each in other_names(*read(target, other)) if each.columns == ("a",))
    values = mended.fixed(*read(target, other))[1].features.select(["a"]).numeric[:, 0]
    assert np.array_equal(values, source["a"].to_numpy(), equal_nan=True)
    far = other.assign(v17=other["v17"] + 1000, kind=other["kind"] + " of them")
    assert list(other_names(*read(target, far))) == []


def test_columns_that_are_swapped():
    target, source = frames("nothing")
    source = source.rename(columns={"a": "b", "b": "a"})
    (suspect,) = other_names(*read(target, source))
    assert suspect.typed == "--rename theirs::a=b --rename theirs::b=a"
    mended = suspect.fixed(*read(target, source))[1]
    assert np.array_equal(
        mended.features.select(["a"]).numeric[:, 0], source["b"].to_numpy(), equal_nan=True
    )
    assert list(other_names(*sets("features"))) == []


# What is only reported


def test_a_range_is_told_from_a_tail():
    rng = np.random.default_rng(0)
    target, source = frames("nothing")
    wide = target.assign(a=3 * rng.normal(size=150))
    narrow = source.assign(a=rng.normal(size=300))
    assert [s for s in cut_ranges(*read(wide, narrow)) if s.columns == ("a",)] == []
    cut = source.assign(a=-np.abs(3 * rng.normal(size=300)))
    (suspect,) = [s for s in cut_ranges(*read(wide, cut)) if s.columns == ("a",)]
    assert "never above" in suspect.seen
    assert suspect.table == "theirs"


def test_copies_in_tables_of_few_values_are_chance():
    target, source = frames("nothing")
    columns = ["e", "f", "y"]
    assert list(repeated_rows(*read(target[columns], source[columns]))) == []
