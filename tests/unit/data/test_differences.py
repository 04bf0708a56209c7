"""What differs between two datasets: units, names, levels, codes, classes and groups."""

import re

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin import DatakinError, DatakinWarning, as_dataset, read_table, read_tables
from datakin._core.exceptions import MINOR, SERIOUS
from datakin.cli.corrections import parse_convert, parse_recode
from datakin.data.checks.differences import differences
from datakin.data.pairing import pair

N = 200


def table(seed, name, n=N, **columns):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=n), "died": rng.integers(0, 2, n)})
    options = {k: columns.pop(k) for k in ("keep", "group", "task") if k in columns}
    return read_table(frame.assign(**columns), label="died", name=name, **options)


def normal(seed, mean, sd, n=N):
    return np.random.default_rng(seed + 50).normal(mean, sd, n)


UNITS = {
    "Fahrenheit": ("temp", normal(0, 37.5, 1), normal(1, 37.5, 1) * 1.8 + 32, "5/9,-160/9"),
    "whole Fahrenheit": (
        "temp", normal(0, 37.5, 1).round(), (normal(1, 37.5, 1) * 1.8 + 32).round(), "5/9,-160/9"
    ),
    "Kelvin": ("temp", normal(0, 15, 8), normal(1, 15, 8) + 273.15, "1,-273.15"),
    "pounds": ("weight", normal(0, 80, 12), normal(1, 80, 12) * 2.20462, "0.45359237,0"),
    "centimetres": ("height", normal(0, 67, 3), normal(1, 67, 3) * 2.54, f"{1 / 2.54!r},0"),
    "glucose": ("glucose", normal(0, 6, 1), normal(1, 6, 1) * 18.016, f"{1 / 18.016!r},0"),
    "creatinine": ("creatinine", normal(0, 1, 0.2), normal(1, 1, 0.2) * 88.42, "50/4421,0"),
    "pressure": ("Druck", normal(0, 5, 0.5), normal(1, 5, 0.5) * 14.5038, "0.0689476,0"),
    "percent": ("any", normal(0, 0.5, 0.1), normal(1, 50, 10), "0.01,0"),
    "hours": ("time", normal(0, 90, 20), normal(1, 1.5, 0.333), "60,0"),
    "colder by a standard deviation": (
        "temp", normal(0, 15, 8), normal(1, 21, 8) * 1.8 + 32, "5/9,-160/9"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "ours", "theirs", "line"), UNITS.values(), ids=UNITS)
def test_other_units_are_recognised_and_the_column_is_used(name, ours, theirs, line):
    a, b = table(0, "a", **{name: ours}), table(1, "b", **{name: theirs})
    (found,) = differences(a, b)
    assert (found.kind, found.column) == ("units", name)
    python, cli = found.options
    assert cli == f"--convert b::{name}={line}"
    exact = parse_convert([f"b::{name}={line}"])
    assert eval(f"dict({python})") == {"convert": exact}  # to the last digit
    common = pair(a, b)
    assert name in common.columns
    assert common.notes[0].startswith(f"other units? '{name}' in 'b' is about ")
    assert common.notes[0].endswith(f"{python} / {cli}")


def test_a_name_says_which_conversion_is_meant():
    """From 75 kg to pounds lies nearly as far as from Celsius to Fahrenheit."""
    for seed in range(40):
        a = table(seed, "kg", weight=normal(seed, 75, 15))
        b = table(seed, "lb", weight=normal(seed + 40, 75, 15) / 0.45359237)
        (found,) = differences(a, b)
        assert "(pounds to kg)" in found.sentence


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("height", (110, 5), (172, 9)),
        ("weight", (3.4, 0.5), (78, 15)),
        ("bp", (80, 10), (135, 18)),
        ("x", (0, 1), (200, 30)),
    ],
)
@pytest.mark.parametrize("n", [200, 1000])
def test_another_population_is_no_other_unit(name, one, other, n):
    found = []
    for seed in range(30):
        a = table(seed, "a", n, **{name: normal(seed, *one, n)})
        b = table(seed, "b", n, **{name: normal(seed + 30, *other, n)})
        found += [d for d in differences(a, b) if d.kind != "range"]
    assert not found


def test_a_response_in_other_units_is_recognised():
    rng = np.random.default_rng(0)
    a = as_dataset(rng.normal(size=(N, 2)), rng.normal(20, 5, N), name="a")
    b = as_dataset(rng.normal(size=(N, 2)), rng.normal(20, 5, N) * 1.8 + 32, name="b")
    assert [d.kind for d in differences(a, b)] == ["units"]
    assert "'y' in 'b' is about 1.8 x that in 'a' + 32 (Fahr" in pair(a, b).notes[0]


def test_numbers_of_any_size_are_compared():
    a = table(0, "a", temp=normal(0, 1, 0.1) * 1e-300, dose=normal(1, 1, 0.1))
    b = table(1, "b", temp=normal(2, 1, 0.1) * 1e300, dose=normal(3, 1, 0.1) * 8e307)
    assert {d.kind for d in differences(a, b)} == {"range"}


def test_standardised_columns_are_no_codes_and_hardly_ever_units():
    rng = np.random.default_rng(0)
    said = []
    for _ in range(10):
        shift = rng.normal(0, 3, (2, 80))
        both = [
            as_dataset(rng.normal(s, 1, (N, 80)), rng.integers(0, 2, N), name=name)
            for s, name in zip(shift, "ab", strict=True)
        ]
        common = pair(*both)
        assert len(common.columns) == 80
        assert len(common.notes) <= 2
        said += [d for d in differences(*both) if d.kind == "units"]
    assert len(said) <= 4  # of 800 columns


def test_ranges_that_do_not_overlap_are_named_once():
    a = table(0, "a", p=normal(0, 0, 1), q=normal(1, 0, 1))
    b = table(1, "b", p=normal(2, 20, 1), q=normal(3, 30, 1))
    common = pair(a, b)
    assert common.columns == ("p", "q", "x")
    assert common.notes == ("ranges do not overlap, models can only extrapolate: 'p', 'q'",)


WARDS = {
    "numbers": (np.arange(N) % 3, np.arange(N) % 3 + 10),
    "text": (np.array(["a1", "a2"] * 100), np.array(["b1", "b2"] * 100)),
}


@pytest.mark.parametrize("wards", WARDS.values(), ids=WARDS)
def test_codes_of_the_dataset_are_left_out_unless_kept(wards):
    a, b = (table(i, "ab"[i], ward=wards[i]) for i in (0, 1))
    common = pair(a, b)
    assert common.columns == ("x",)
    assert common.notes == (
        "left out, no value in common, like codes of the dataset: 'ward' "
        "(to learn from them: keep=['ward'] / --keep ward)",
    )
    assert [d.kind for d in differences(a, b)] == ["codes"]
    kept = table(1, "b", ward=wards[1], keep=["ward"])
    assert pair(a, kept).columns == ("ward", "x")


def test_nothing_in_common_but_codes():
    a, b = (
        read_table(
            pd.DataFrame({"ward": np.arange(N) % 3 + 10 * i, "y": np.arange(N) % 2}),
            label="y", name="ab"[i],
        )
        for i in (0, 1)
    )  # fmt: skip
    with pytest.raises(DatakinError, match=r"values in common.*'ward' have none.*--keep ward"):
        pair(a, b)


def test_names_that_differ_in_case_and_spaces_are_offered():
    a = table(0, "a", **{"Druck bar": normal(0, 5, 1)})
    b = table(1, "b", **{"DRUCK_BAR": normal(1, 5, 1)})
    (found, *_) = differences(a, b)
    assert (found.kind, found.column, found.target, found.source) == ("name", "Druck bar", "a", "b")
    assert found.advice == (
        "'DRUCK_BAR' of 'b' may be 'Druck bar' of 'a': rename={'b': {'DRUCK_BAR': 'Druck bar'}} / "
        "--rename 'b::DRUCK_BAR=Druck bar'"
    )
    assert found.advice in pair(a, b).notes


def test_names_are_offered_where_no_column_is_shared():
    frames = [
        pd.DataFrame({name: normal(i, 0, 1), "y": np.arange(N) % 2})
        for i, name in enumerate(["Größe", "GRÖSSE"])
    ]
    a, b = (read_table(f, label="y", name=n) for f, n in zip(frames, "ab", strict=True))
    with pytest.raises(
        DatakinError, match=r"share at least one column.*--rename 'b::GRÖSSE=Größe'"
    ):
        pair(a, b)


def test_levels_that_differ_in_case_are_offered():
    rng = np.random.default_rng(0)
    a = table(0, "a", sex=rng.choice(["male", "female"], N))
    b = table(1, "b", sex=rng.choice(["Male", "female"], N))
    (found,) = differences(a, b)
    assert found.kind == "levels"
    assert found.options == (
        "recode={'b': {'sex': {'Male': 'male'}}}", "--recode b::sex:Male=male"
    )  # fmt: skip
    assert found.advice in pair(a, b).notes


CODES = {
    "signs": ([0, 1], [-1, 1], {"-1": "0"}),
    "days of the week": (list(range(7)), list(range(1, 8)), {str(k): str(k - 1) for k in range(1, 8)}),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:[ab]. 'c' recoded")
@pytest.mark.parametrize(("ours", "theirs", "recoding"), CODES.values(), ids=CODES)
def test_numbers_coded_differently_are_asked_about(ours, theirs, recoding):
    rng = np.random.default_rng(0)
    frames = {
        name: pd.DataFrame({"c": rng.choice(values, N), "x": rng.normal(size=N), "y": np.arange(N) % 2})
        for name, values in (("a", ours), ("b", theirs))
    }  # fmt: skip
    found = read_tables(frames, label="y")
    (difference,) = differences(found["a"], found["b"])
    assert difference.kind == "levels"
    assert difference.advice in pair(found["a"], found["b"]).notes
    assert difference.options[0] == f"recode={{'b': {{'c': {recoding!r}}}}}"
    mended = datakin.describe(frames, label="y").options_cli.split("--recode ")[1:]
    mended = read_tables(frames, label="y", recode=parse_recode(m.strip() for m in mended))
    assert not differences(mended["a"], mended["b"])


@pytest.mark.filterwarnings("ignore:[ab]. '.' recoded")
@pytest.mark.parametrize("where", ["c", "y"])
@pytest.mark.parametrize("theirs", [[0, 1], [False, True]])
def test_1_and_2_may_be_0_and_1_in_two_ways(theirs, where):
    """SPSS files have 1 for yes and 2 for no, others 1 for no and 2 for yes."""
    rng = np.random.default_rng(0)
    frames = {}
    for name, values in (("a", [1, 2]), ("b", theirs)):
        columns = {"c": rng.integers(0, 2, N), "x": rng.normal(size=N), "y": np.arange(N) % 2}
        columns[where] = rng.choice(values, N)
        frames[name] = pd.DataFrame(columns)
    found = datakin.describe({"b": frames["b"], "a": frames["a"]}, label="y")
    (thing,) = (t for t in found.things if t.kind in ("levels", "problem"))
    assert not thing.option_cli
    assert not found.options_cli
    assert "'1' may mean either" in thing.text
    ways = re.findall(r"say recode=.*? / ((?:--recode \S+?(?: |;|$))+)", thing.text + " ")
    assert [re.findall(r"a::\w:\d=\d", way) for way in ways] == [
        [f"a::{where}:1=0", f"a::{where}:2=1"],
        [f"a::{where}:2=0"],
    ]
    for way in ways:
        recode = parse_recode(re.findall(r"a::\w:\d=\d", way))
        mended = read_tables(frames, label="y", recode=recode)
        assert not differences(mended["a"], mended["b"])


FULL = {
    "J/N": (["J", "N"], ["ja", "nein"], {"ja": "J", "nein": "N"}),
    "M/W": (["M", "W"], ["m", "f"], {"m": "M", "f": "W"}),
    "male": (["male", "female"], ["M", "F"], {"M": "male", "F": "female"}),
}


@pytest.mark.parametrize(("ours", "theirs", "recoding"), FULL.values(), ids=FULL)
def test_levels_are_recoded_all_or_none(ours, theirs, recoding):
    a, b = (
        table(k, name, c=np.random.default_rng(k).choice(levels, N))
        for k, (name, levels) in enumerate((("a", ours), ("b", theirs)))
    )
    (found,) = differences(a, b)
    assert eval(f"dict({found.options[0]})") == {"recode": {"b": {"c": recoding}}}


@pytest.mark.parametrize(("n_levels", "is_offered"), [(40, True), (80, False)])
def test_many_levels_are_recoded_all_or_none(n_levels, is_offered):
    a, b = (
        table(k, name, n=800, c=np.resize([form.format(i) for i in range(n_levels)], 800))
        for k, (name, form) in enumerate((("a", "town {}"), ("b", "Town {}")))
    )
    (found,) = differences(a, b)
    assert found.options[1].count("--recode") == (n_levels if is_offered else 0)
    assert is_offered or found.sentence.count("--recode") == 3


def test_half_a_recoding_is_an_example_and_no_option():
    frames = {
        name: pd.DataFrame({"c": np.resize(levels, N), "x": normal(k, 0, 1), "y": np.arange(N) % 2})
        for k, (name, levels) in enumerate((("a", ["no", "yes", "a bit"]), ("b", ["N", "Y", "P"])))
    }
    found = datakin.describe(frames, label="y")
    (thing,) = (t for t in found.things if t.kind == "levels")
    assert not found.options_cli
    assert "none is like 'P'" in thing.text
    assert "for example recode={'b': {'c': {'N': 'no', 'Y': 'yes'}}}" in thing.text


@pytest.mark.filterwarnings("ignore:b. 'died' recoded", "ignore:b. .* rows have no label")
@pytest.mark.parametrize("code", ["9", "99", "999", "-1", "-9"])
def test_a_third_class_of_nines_or_below_zero_may_be_unknown(code):
    frames = {
        name: pd.DataFrame({"x": normal(k, 0, 1), "died": np.resize([0, 1], N)})
        for k, name in enumerate("ab")
    }
    frames["b"].loc[::20, "died"] = int(code)
    found = datakin.describe(frames, label="died")
    (thing,) = (t for t in found.things if t.kind == "classes")
    assert thing.about == ("b",)
    assert thing.option_cli == f"--recode b::died:{code}="
    assert not any("--positive" in t.option_cli for t in found.things)
    recode = parse_recode([thing.option_cli.removeprefix("--recode ")])
    assert not datakin.describe(frames, label="died", recode=recode).things[1:]


@pytest.mark.filterwarnings("ignore:.*'died' recoded", "ignore:.*differ in case")
@pytest.mark.parametrize("order", ["ab", "ba", "abc"])
def test_a_label_that_is_spelled_twice_gets_the_spelling_of_others_at_once(order):
    spelled = {"a": ["no", "yes"], "b": ["No", "Yes", "NO", "YES"], "c": ["no", "yes"]}
    frames = {
        name: pd.DataFrame({"x": normal(ord(name), 0, 1), "died": np.resize(spelled[name], N)})
        for name in order
    }
    thing = next(t for t in datakin.describe(frames, label="died").things if t.kind == "problem")
    asked = re.findall(r"--recode (\S+?)[, ]", thing.text)
    assert sorted(asked) == [f"b::died:{x}" for x in ("NO=no", "No=no", "YES=yes", "Yes=yes")]
    mended = datakin.describe(frames, label="died", recode=parse_recode(asked))
    assert mended.is_usable
    assert {tuple(d.classes) for d in mended.datasets} == {("no", "yes")}


@pytest.mark.parametrize("with_signs", ["a", "b"])
def test_percent_signs_on_one_side_tell_the_unit(with_signs):
    shares = {name: normal(k, 1, 0.2).round(2) for k, name in enumerate("ab")}
    frames = {
        name: pd.DataFrame(
            {
                "creatinine": [f"{v:.0%}" for v in values] if name == with_signs else values,
                "x": normal(3, 0, 1),
                "died": np.arange(N) % 2,
            }
        )
        for name, values in shares.items()
    }
    found = datakin.describe(frames, label="died")
    factor = "0.01" if with_signs == "b" else "100"
    assert found.options_cli == f"--convert b::creatinine={factor},0"


@pytest.mark.parametrize("label", ["died", None])
def test_corrections_of_one_of_several_tables_name_the_table(label):
    days = pd.date_range("2023-01-01", periods=N).strftime("%Y-%m-%d")
    frames = {
        name: pd.DataFrame({"x": normal(k, 0, 1), "seen": days, "died": np.arange(N) % 2})
        for k, name in enumerate(("a", "my b"))
    }
    frames["my b"]["seen"] = [f"{d % 12 + 1:02}.{d % 11 + 1:02}.{d % 9 + 1:02}" for d in range(N)]
    frames["my b"].loc[::9, "x"] = -999
    found = datakin.describe(frames, label=label)
    text = " ".join(thing.text for thing in found.things)
    assert "convert={'my b': {'seen': '%d.%m.%y'}} (--convert 'my b::seen=%d.%m.%y')" in text
    assert "recode={'my b': {'x': {'-999': ''}}} (--recode 'my b::x:-999=')" in text
    alone = datakin.describe({"my b": frames["my b"]}, label=label)
    assert "recode={'x': {'-999': ''}} (--recode x:-999=)" in " ".join(t.text for t in alone.things)


def test_counts_of_things_are_no_codes():
    rng = np.random.default_rng(0)
    a = table(0, "a", rooms=rng.choice(5, N, p=[0.05, 0.05, 0.1, 0.3, 0.5]))
    b = table(1, "b", rooms=rng.choice([1, 2, 3, 4, 5], N, p=[0.05, 0.1, 0.3, 0.5, 0.05]))
    assert not differences(a, b)


@pytest.mark.parametrize("name", ["year", "birth_year", "Baujahr", "month", "age"])
def test_times_are_no_codes_of_the_dataset(name):
    rng = np.random.default_rng(0)
    a = table(0, "a", **{name: rng.integers(2015, 2018, N)})
    b = table(1, "b", **{name: rng.integers(2018, 2021, N)})
    common = pair(a, b)
    assert name in common.columns
    assert common.notes == (f"ranges do not overlap, models can only extrapolate: {name!r}",)


def days(seed, spoilt=()):
    stamps = pd.Timestamp("2018-01-01") + pd.to_timedelta(
        np.random.default_rng(seed).integers(0, 300, N), "D"
    )
    numbers = stamps.strftime("%Y%m%d").astype(int).to_numpy().copy()
    numbers[: len(spoilt)] = spoilt
    return numbers


@pytest.mark.filterwarnings("ignore:a. dates yyyymmdd")
def test_dates_are_not_compared_with_numbers():
    a, b = table(0, "a", date=days(0)), table(1, "b", date=days(1, [20180231]))
    for one, other in ((a, b), (b, a)):
        with pytest.raises(
            DatakinError, match=r"dates in 'a' \(2018-01-0. to 2018-10-..\)"
        ) as said:
            pair(one, other)
        assert "if the numbers are dates, say convert={'b': {'date': '%Y%m%d'}} / " in str(
            said.value
        )
        assert "--ignore date" in str(said.value)
    frames = {
        name: pd.DataFrame({"date": d, "x": normal(0, 0, 1), "y": np.arange(N) % 2})
        for name, d in (("a", days(0)), ("b", days(1, [20180231])))
    }
    (thing,) = datakin.describe(frames, label="y").things
    assert (thing.kind, thing.option_cli) == ("problem", "--convert b::date=%Y%m%d")


def test_durations_and_truth_values_beside_numbers():
    rng = np.random.default_rng(0)
    hours = rng.integers(24, 240, N)
    a = table(0, "a", stay=pd.to_timedelta(hours, "h"), ill=rng.integers(0, 2, N).astype(bool))
    days = table(1, "b", stay=rng.integers(1, 10, N), ill=rng.integers(0, 2, N))
    (found,) = differences(a, days)
    assert found.sentence == (
        "'stay' holds durations in 'a' (1 to 9.958 days) and numbers in 'b' (1 to 9): do both mean "
        "the same?"
    )
    assert found.advice in pair(a, days).notes
    assert {"ill", "stay"} <= set(pair(a, days).columns)
    scale = table(1, "b", stay=pd.to_timedelta(hours, "h"), ill=rng.integers(0, 9, N))
    assert [d.column for d in differences(a, scale)] == ["ill"]


CLASSES = {
    "signs": (["0", "1"], ["-1", "1"], {"-1": "0"}),
    "counted from one": (["0", "1"], ["1", "2"], {"1": "0", "2": "1"}),
    "three counted from one": (["0", "1", "2"], ["1", "2", "3"], {"1": "0", "2": "1", "3": "2"}),
    "case": (["no", "yes"], ["no", "Yes"], {"Yes": "yes"}),
    "capitals": (["no", "yes"], ["NO", "YES"], {"NO": "no", "YES": "yes"}),
    "letters": (["female", "male"], ["f", "m"], {"f": "female", "m": "male"}),
    "words": (["0", "1"], ["no", "yes"], {"no": "0", "yes": "1"}),
    "spaces": (["not ill", "ill"], ["notill", "ill"], {"notill": "not ill"}),
}


@pytest.mark.parametrize(("ours", "theirs", "recoding"), CLASSES.values(), ids=CLASSES)
def test_classes_coded_differently_are_a_question(ours, theirs, recoding):
    def labelled(seed, name, classes):
        return table(seed, name, died=np.array(classes)[np.arange(N) % len(classes)])

    with pytest.warns() if len(ours) > 2 else _silence():
        a, b = labelled(0, "a", ours), labelled(1, "b", theirs)
    with pytest.raises(DatakinError, match="must use the same codes") as caught:
        pair(a, b)
    assert f"recode={{'b': {{'died': {recoding!r}}}}} / --recode " in str(caught.value)
    assert {d.kind for d in differences(a, b)} == {"classes"}


BOTH_WAYS = [
    (["yes", "no", "x"], ["Yes", "YES", "no"], "--recode b::died:YES=yes --recode b::died:Yes=yes"),
    (["f", "x", "z"], ["no", "female", "z"], "--recode b::died:female=f"),
    (["no", "yes"], ["no", "yes", "Yes"], "--recode b::died:Yes=yes"),
]


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
@pytest.mark.parametrize(("ours", "theirs", "option"), BOTH_WAYS)
def test_classes_are_refused_from_either_side(ours, theirs, option):
    a, b = (
        table(i, "ab"[i], died=np.array(c)[np.arange(N) % len(c)], task="multiclass")
        for i, c in enumerate([ours, theirs])
    )
    for one, other in ((a, b), (b, a)):
        with pytest.raises(DatakinError, match="must use the same codes") as said:
            pair(one, other)
        assert option in str(said.value) or option.startswith("--recode b::died:female")


def test_words_are_recoded_rather_than_truth_values():
    a = table(0, "a", died=np.array(["no", "yes"])[np.arange(N) % 2])
    b = table(1, "b", died=np.array(["false", "true"])[np.arange(N) % 2])
    for one, other in ((a, b), (b, a)):
        with pytest.raises(DatakinError, match=r"--recode a::died:no=0 --recode a::died:yes=1"):
            pair(one, other)


def _silence():
    import contextlib

    return contextlib.nullcontext()


OTHER_CLASSES = {
    "a third class": (["0", "1"], ["0", "1", "2"]),
    "another second class": (["benign", "malignant"], ["benign", "suspicious"]),
    "qualities": (["3", "4", "5", "6"], ["4", "5", "6", "7"]),
}


@pytest.mark.parametrize(("ours", "theirs"), OTHER_CLASSES.values(), ids=OTHER_CLASSES)
def test_truly_different_classes_are_notes(ours, theirs):
    a, b = (
        read_table(
            pd.DataFrame({"x": normal(i, 0, 1), "y": np.array(c)[np.arange(N) % len(c)]}),
            label="y", name="ab"[i], task="multiclass",
        )
        for i, c in enumerate([ours, theirs])
    )  # fmt: skip
    notes = list(pair(a, b).notes)
    if len(ours) == len(theirs) == 2:
        assert "if they mean the same" in notes.pop(0)
    assert all(note.startswith("class missing from") for note in notes)
    assert pair(a, b).notes


def test_the_targets_rows_twice_in_the_source_are_left_out():
    rng = np.random.default_rng(0)

    def rows(n):
        X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("pqr"))
        return X.assign(y=rng.integers(0, 2, n))

    target, more = rows(60), rows(60)
    a = read_table(target, label="y", name="a")
    with pytest.warns(DatakinWarning, match="120 of 180 rows have a copy"):
        b = read_table(pd.concat([target, more, target]), label="y", name="b")
    common = pair(a, b)
    assert common.shared_target.all()
    assert common.shared_source.sum() == 120
    assert "60 rows of the target also stand in the source: left out" in common.notes[0]


def test_rows_of_skewed_discrete_tables_coincide_by_chance():
    rng = np.random.default_rng(1)

    def discrete(name):
        X = rng.geometric(0.5, (300, 4)).astype(float)
        return as_dataset(X, rng.integers(0, 2, 300), name=name)

    common = pair(discrete("a"), discrete("b"))
    assert not common.shared_target.any()
    assert "kept" in common.notes[0]


def patients(numbers):
    return [f"p{k}" for k in numbers]


def test_a_patient_in_two_files_is_named(tmp_path):
    rng = np.random.default_rng(0)
    for name, first in (("a", 0), ("b", 95)):
        frame = pd.DataFrame({"x": rng.normal(size=N), "died": rng.integers(0, 2, N)})
        frame["patient"] = patients(first + np.arange(N) // 2)
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    found = read_tables(paths, label="died", group="patient")  # said once, of the pair
    (note,) = pair(*found.values()).notes
    assert note.startswith("5 groups stand in both datasets: 'p95', 'p96'")
    assert note.rank == SERIOUS
    described = datakin.describe(paths, label="died", group="patient")
    assert [note in thing.text for thing in described.things] == [True]


def test_groups_that_each_file_counts_for_itself_are_said_gently():
    a, b = (table(i, "ab"[i], group="g", g=np.arange(N) // 4 + 1) for i in (0, 1))
    (note,) = pair(a, b).notes
    assert note.startswith("groups are numbered from 0 or 1 in both datasets and taken as diff")
    assert note.rank == MINOR
    real = table(1, "b", group="g", g=np.arange(N) // 4 * 37 + 1)
    (note,) = pair(a, real).notes
    assert note.startswith("2 groups stand in both datasets: '1', '38'")


def test_one_small_file_is_skipped_and_named(tmp_path):
    rng = np.random.default_rng(0)
    for name, n in (("a", 60), ("b", 60), ("tiny", 15)):
        frame = pd.DataFrame({"x": rng.normal(size=n), "died": rng.integers(0, 2, n)})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "broken.parquet").write_bytes(b"nothing")
    (tmp_path / "other.csv").write_text("x,y\n" + "1,2\n" * 40)
    paths = [tmp_path / f for f in ("a.csv", "b.csv", "tiny.csv", "broken.parquet", "other.csv")]
    with pytest.raises(DatakinError):
        read_tables(paths, label="died")
    with pytest.warns(DatakinWarning, match=r"3 tables left out .*--skip-unusable") as seen:
        found = read_tables(paths, label="died", skip_unusable=True)
    assert list(found) == ["a", "b"]
    assert all(name in str(seen[0].message) for name in ("tiny", "broken", "other"))
    with pytest.raises(DatakinError, match=r"at least 20 labelled rows. Got 15"):
        read_tables(paths[2:3] + paths[:2], label="died", skip_unusable=True)
    with pytest.raises(DatakinError, match="Besides 'a' at least one table must be usable"):
        read_tables([paths[0], paths[2]], label="died", skip_unusable=True)


def test_a_score_is_not_given_for_classes_coded_differently():
    a = table(0, "a")
    b = table(1, "b", died=np.where(np.arange(N) % 2, 1, -1))
    with pytest.raises(DatakinError, match=r"--recode b::died:-1=0"):
        datakin.score(a, b)


def test_numbers_without_a_value_in_common_are_codes_only_if_they_are_called_so():
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    for name, kind in (("dose", "values"), ("ward", "codes"), ("site code", "codes")):
        here, there = (
            read_table(
                pd.DataFrame({name: rng.choice(few, 100), "x": rng.normal(size=100), "y": y}),
                label="y",
                name=place,
            )
            for few, place in (([5, 10, 20], "here"), ([7, 15, 30], "there"))
        )
        (found,) = differences(here, there)
        assert (found.kind, found.column) == (kind, name)
        assert (name in pair(here, there).columns) == (kind == "values")


def test_children_and_adults_are_no_other_units():
    rng = np.random.default_rng(1)
    y = np.arange(240) % 2
    adults = as_dataset(pd.DataFrame({"age": rng.integers(20, 95, 240)}), y, name="adults")
    children = as_dataset(pd.DataFrame({"age": rng.integers(3, 12, 240)}), y, name="children")
    assert [d.kind for d in differences(adults, children)] == ["range"]
    months = as_dataset(pd.DataFrame({"age": 12 * rng.integers(20, 95, 240)}), y, name="months")
    assert "years" in differences(adults, months)[0].sentence


def test_a_factor_of_ten_is_asked():
    rng = np.random.default_rng(2)
    y = np.arange(300) % 2
    ours, theirs = (
        as_dataset(pd.DataFrame({"crp": f * rng.lognormal(1, 1, 300)}), y, name=name)
        for f, name in ((1, "ours"), (10, "theirs"))
    )
    (found,) = differences(ours, theirs)
    assert found.options[1] == "--convert theirs::crp=0.1,0"


def test_no_factor_is_offered_where_thousands_stand_beside_small_numbers():
    whole = np.random.default_rng(1).lognormal(8, 1, N).round()
    spelled = [f"{v:,.0f}".replace(",", ".") for v in whole]  # 8.409 and 885
    ours = table(0, "ours", cost=whole)
    with pytest.warns(DatakinWarning, match="thousands or decimals"):
        theirs = table(1, "theirs", cost=spelled)
    assert not any(found.kind == "units" for found in differences(ours, theirs))
