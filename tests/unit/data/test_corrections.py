"""rename, recode and convert: what they do, in which order, and what they refuse."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import datakin
from datakin import DatakinError, DatakinWarning

pytestmark = pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")


def clinic(seed=0, n=60):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "temp": rng.normal(37, 1, n).round(2),
            "sex": rng.choice(["male", "female"], n),
            "seen": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "site": rng.choice(["a", "b"], n),
            "died": rng.integers(0, 2, n),
        }
    )


def coded(frame):
    """Return the same table with other names, codes and units."""
    return frame.assign(
        temp=frame["temp"] * 1.8 + 32,
        sex=frame["sex"].map({"male": "m", "female": "f "}),
        seen=frame["seen"].dt.strftime("%d/%m/%Y"),
        died=np.where(frame["died"] == 1, "dead", "alive"),
    ).rename(columns={"temp": "Temp F"})


MEND = {
    "rename": {"Temp F": "temp"},
    "recode": {"sex": {"m": "male", "f": "female"}, "died": {"dead": 1, "alive": 0}},
    "convert": {"temp": (1 / 1.8, -32 / 1.8), "seen": "%d/%m/%Y"},
}


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_a_mended_table_is_the_clean_one(make):
    clean = datakin.read_table(clinic(), label="died", ignore="site")
    mended = datakin.read_table(make(coded(clinic())), label="died", ignore="site", **MEND)
    assert mended.columns == clean.columns
    assert (mended.classes, mended.features.levels) == (clean.classes, clean.features.levels)
    assert np.array_equal(mended.features.codes, clean.features.codes)
    assert np.allclose(mended.features.numeric, clean.features.numeric)
    assert np.array_equal(mended.y, clean.y)


def test_what_was_done_is_noted():
    with pytest.warns(DatakinWarning):
        found = datakin.read_table(coded(clinic()), label="died", ignore="site", **MEND)
    frame = clinic()
    men = int((frame["sex"] == "male").sum())
    text = "\n".join(found.notes)
    assert "renamed: 'Temp F' to 'temp'" in text
    assert f"'m' to 'male' ({men} values)" in text
    assert "converted: 0.5556 x - 17.78: 'temp'" in text
    assert "'seen' read as dates in the format '%d/%m/%Y'" in text


def test_one_of_two_tables_is_mended():
    tables = {"here": clinic(), "there": coded(clinic(1))}
    per_table = {option: {"there": what} for option, what in MEND.items()}
    found = datakin.read_tables(tables, label="died", ignore="site", **per_table)
    assert (
        found["here"].fingerprint
        == datakin.read_table(clinic(), label="died", ignore="site").fingerprint
    )
    assert found["there"].columns == found["here"].columns
    assert found["there"].classes == ("0", "1")
    assert abs(found["there"].features.numeric[:, 0].mean() - 37) < 1


def test_rows_of_one_domain_are_mended():
    frame = clinic()
    mixed = frame.assign(
        temp=np.where(frame["site"] == "b", frame["temp"] * 1.8 + 32, frame["temp"])
    )
    found = datakin.read_tables(
        mixed, label="died", domain="site", convert={"b": {"temp": (1 / 1.8, -32 / 1.8)}}
    )
    clean = datakin.read_tables(frame, label="died", domain="site")
    for name in "ab":
        assert np.allclose(found[name].features.numeric, clean[name].features.numeric)


def test_a_file_with_corrections_is_read_again_alone(tmp_path):
    clinic().to_parquet(tmp_path / "here.parquet")
    coded(clinic(1)).to_parquet(tmp_path / "there.parquet")
    paths = {"first": tmp_path / "here.parquet", "second": tmp_path / "there.parquet"}
    per_table = {option: {"second": what} for option, what in MEND.items()}
    found = datakin.read_tables(paths, label="died", ignore="site", **per_table)
    for name, dataset in found.items():
        assert dataset.origin.read(name, dataset.fingerprint).fingerprint == dataset.fingerprint


def test_a_file_with_corrections_for_all_tables_is_read_again_alone(tmp_path):
    clinic().to_parquet(tmp_path / "here.parquet")
    coded(clinic(1)).to_parquet(tmp_path / "there.parquet")
    only = {"rename": {"Temp F": "temp"}, "recode": MEND["recode"]}
    paths = [tmp_path / "here.parquet", tmp_path / "there.parquet"]
    found = datakin.read_tables(paths, label="died", ignore=["site", "seen"], **only)
    for name, dataset in found.items():
        assert dataset.origin.read(name, dataset.fingerprint).name == name


def test_other_options_use_the_new_names():
    frame = clinic().rename(columns={"died": "tot", "site": "ort", "sex": "geschlecht"})
    names = {"tot": "died", "ort": "site", "geschlecht": "sex"}
    found = datakin.read_table(frame, label="died", group="site", ignore="sex", rename=names)
    assert found.columns == ("temp", "seen")
    assert len(np.unique(found.groups)) == 2


def test_names_can_be_swapped_and_the_right_one_is_ignored(tmp_path):
    clinic().to_parquet(tmp_path / "t.parquet")
    swap = {"temp": "sex", "sex": "temp"}
    found = datakin.read_table(
        tmp_path / "t.parquet", label="died", ignore=["sex", "site"], rename=swap
    )
    assert found.features.category_names == ("temp",)


def test_one_and_1_0_and_true_are_one_value_to_recode():
    for old in (1, 1.0, "1", True):
        frame = clinic().assign(flag=np.arange(60) % 3)
        found = datakin.read_table(frame, label="died", recode={"flag": {old: "one"}})
        assert found.features.levels[found.features.category_names.index("flag")] == (
            "0",
            "2",
            "one",
        )


def test_a_value_can_be_made_missing():
    frame = clinic()
    frame.loc[:9, "temp"] = 999.0
    found = datakin.read_table(frame, label="died", recode={"temp": {999: ""}})
    assert int(np.isnan(found.features.numeric[:, 0]).sum()) == 10
    assert found.features.kind("temp") == "numeric"


def test_recoded_domains_and_groups():
    found = datakin.read_tables(clinic(), label="died", domain="site", recode={"site": {"a": "z"}})
    assert sorted(found) == ["b", "z"]


def test_a_label_in_other_units():
    frame = clinic()
    found = datakin.read_table(frame, label="temp", convert={"temp": (2, 1)})
    assert np.allclose(found.y, 2 * frame["temp"] + 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rename": {"tmp": "t"}}, r"no column is called 'tmp'.*Did you mean 'temp'"),
        ({"rename": {"sex": "temp"}}, "would have two columns 'temp'"),
        ({"rename": {"nowhere": {"sex": "s"}}}, r"no table is called 'nowhere'.*'home'"),
        ({"rename": ["sex"]}, "rename must be a mapping"),
        ({"rename": {"sex": 3}}, "old name to new name"),
        ({"recode": {"sec": {"a": "b"}}}, r"no column is called 'sec'.*Did you mean 'sex'"),
        ({"recode": {"sex": {"mal": "m"}}}, r"'sex' has no value 'mal'.*Did you mean 'male'"),
        ({"recode": {"sex": "m"}}, "recode must be a mapping of column"),
        ({"convert": {"sex": (2, 1)}}, r"'sex' of dataset 'home' holds text \('female', 'male'\)"),
        ({"convert": {"temp": (0, 1)}}, "slope of a conversion must not be 0"),
        ({"convert": {"temp": ("2", 1)}}, "slope, intercept"),
        ({"convert": {"temp": (float("nan"), 1)}}, "slope, intercept"),
        ({"convert": {"tmp": (2, 1)}}, r"no column is called 'tmp'"),
        ({"convert": {"sex": "%d/%m/%Y"}}, r"dates of 'sex' must look like"),
        ({"convert": {"sex": "%Q"}}, r"date format of 'sex' must be like"),
        ({"convert": {"seen": "%Y"}}, "a column of dates already"),
        ({"rename": {"sex": "s"}, "recode": {"sex": {"male": "m"}}}, "give its new name"),
    ],
)
def test_what_matches_nothing_is_refused_with_a_sentence(options, message):
    with pytest.raises(DatakinError, match=message):
        datakin.read_table(clinic(), label="died", name="home", **options)


def test_renaming_rows_of_a_domain_is_refused():
    with pytest.raises(DatakinError, match="rename is for whole tables"):
        datakin.read_tables(clinic(), label="died", domain="site", rename={"a": {"sex": "s"}})


def test_text_is_never_run():
    trap = "__import__('os').abort()"
    with pytest.raises(DatakinError, match="slope, intercept"):
        datakin.read_table(clinic(), label="died", convert={"temp": trap})


def halves():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "x": np.full(80, 0.5) + np.arange(80) % 2,
            "z": rng.normal(size=80),
            "c": ["u", "v"] * 40,
            "site": ["A"] * 40 + ["B"] * 40,
            "y": rng.integers(0, 2, 80),
        }
    )


CONVERT = {"x": (2, 0), "A": {"x": (10, 0)}}


def test_the_particular_overrides_the_general_in_every_door(tmp_path):
    split = datakin.read_tables(halves(), label="y", domain="site", convert=CONVERT)
    parts = {name: part.drop(columns="site") for name, part in halves().groupby("site")}
    tables = datakin.read_tables(parts, label="y", convert=CONVERT)
    for found in (split, tables):
        assert found["A"].features.numeric[0, 0] == 5
        assert found["B"].features.numeric[0, 0] == 1
    for name, part in parts.items():
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    files = datakin.read_tables(
        [tmp_path / "A.csv", tmp_path / "B.csv"], label="y", convert=CONVERT
    )
    alone = datakin.read_table(tmp_path / "A.csv", label="y", convert=CONVERT)
    assert files["A"].fingerprint == tables["A"].fingerprint == alone.fingerprint


def test_codes_are_replaced_at_once_and_alike_when_read_again_or_split(tmp_path):
    recode = {"c": {"u": "v", "v": "w"}, "A": {"c": {"u": "a"}}}
    halves().to_csv(tmp_path / "t.csv", index=False)
    split = datakin.read_tables(tmp_path / "t.csv", label="y", domain="site", recode=recode)
    for name, part in halves().groupby("site"):
        part.drop(columns="site").to_csv(tmp_path / f"{name}.csv", index=False)
    files = datakin.read_tables([tmp_path / "A.csv", tmp_path / "B.csv"], label="y", recode=recode)
    for found in (split, files):
        assert found["A"].features.levels[0] == ("a", "w")
        assert found["B"].features.levels[0] == ("v", "w")
        for name, dataset in found.items():
            assert dataset.origin.read(name, dataset.fingerprint).name == name


def test_a_recoded_domain_names_its_parts_anew():
    options = {"recode": {"A": {"c": {"u": "a"}}, "site": {"A": "Z", "B": "A"}}}
    found = datakin.read_tables(halves(), label="y", domain="site", **options)
    assert found["A"].features.levels[0] == ("a", "v")
    assert found["Z"].features.levels[0] == ("u", "v")


def test_values_are_listed_as_they_stand_in_the_table():
    frame = halves().assign(c=["u", "v", None, "w"] * 20)
    with pytest.raises(DatakinError) as caught:
        datakin.read_table(frame, label="y", recode={"c": {"u": "new", "q": "r"}})
    assert "'c' has no value 'q'. It has 'u', 'v', 'w'." in str(caught.value)
    with pytest.raises(DatakinError, match=r"'x' has no value '7'. It has '0.5', '1.5'"):
        datakin.read_table(
            frame.assign(x=frame["x"].where(frame.index > 3)), label="y", recode={"x": {7: ""}}
        )


@pytest.mark.parametrize("spelled", ["-9.990e+02", "-999,0", "\u2212999", "-999.00"])
def test_numbers_are_recoded_by_value(tmp_path, spelled):
    sign = "," if "," in spelled else "."
    frame = halves().assign(x=[f"{i}{sign}5" if i % 8 else spelled for i in range(80)])
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";")
    found = datakin.read_table(tmp_path / "t.csv", label="y", recode={"x": {"-999": ""}})
    j = found.features.numeric_names.index("x")
    assert int(np.isnan(found.features.numeric[:, j]).sum()) == 10


def test_codes_with_leading_zeros_and_long_ids_are_recoded_by_spelling():
    frame = halves().assign(c=["007", "7"] * 40, z=[2**53 + i % 4 for i in range(80)])
    recode = {"c": {"7": "seven"}, "z": {str(2**53 + 1): ""}}
    found = datakin.read_table(frame, label="y", recode=recode)
    levels = dict(zip(found.features.category_names, found.features.levels, strict=True))
    assert levels["c"] == ("007", "seven")
    assert levels["z"] == (str(2**53), str(2**53 + 2), str(2**53 + 3))


@pytest.mark.parametrize("new", ["...", ...])
def test_three_dots_are_no_new_value(new):
    with pytest.raises(DatakinError, match=r"must be a value.* Got '\.\.\.' for '1' of 'c'"):
        datakin.read_table(halves().assign(c=[1, 2] * 40), label="y", recode={"c": {"1": new}})


def test_numbers_yyyymmdd_are_dates_where_the_user_says_so():
    days = [20200101 + i % 28 for i in range(80)]
    for values in (days, [float(v) for v in days], [str(v) for v in days]):
        frame = halves().assign(seen=values)
        found = datakin.read_table(frame, label="y", convert={"seen": "%Y%m%d"})
        assert found.facts["seen"].kind == "date"


def test_truth_values_are_recoded_by_either_name():
    for old in ("True", "1", True):
        found = datakin.read_table(
            halves().assign(c=[True, False] * 40), label="y", recode={"c": {old: "yes"}}
        )
        assert found.features.levels[0] == ("0", "yes")


def test_lists_cannot_be_recoded():
    frame = halves().assign(c=[[1], [2]] * 40)
    with pytest.raises(DatakinError, match=r"'c' must hold .* Got lists or records"):
        datakin.read_table(frame, label="y", recode={"c": {"1": "2"}})


def test_what_was_asked_about_a_column_is_answered_by_converting_it():
    frame = halves().assign(income=[f"{i % 40 + 1}.180" for i in range(80)])
    with pytest.warns(DatakinWarning, match="if the point separates thousands"):
        datakin.read_table(frame, label="y")
    found = datakin.read_table(frame, label="y", convert={"income": (1000, 0)})
    assert found.facts["income"].doubt == ""
    assert found.features.select(["income"]).numeric.max() == 40180


@pytest.mark.parametrize("door", [pd.DataFrame, pa.Table.from_pandas], ids=["pandas", "arrow"])
def test_long_whole_numbers_that_all_differ_are_row_ids_and_codes_if_not(door):
    ids = 2**60 + np.arange(80)
    frame = halves().assign(enc=ids, code=2**60 + np.arange(80) % 4)
    with pytest.warns(DatakinWarning, match="row ids: 'enc'"):
        found = datakin.read_table(door(frame), label="y")
    assert "enc" in found.left_out
    assert "code" in found.features.category_names
    with pytest.warns(DatakinWarning):
        kept = datakin.read_table(door(frame), label="y", keep=["enc"])
    assert "enc" in kept.features.category_names


def test_numbers_that_become_infinite_are_refused():
    frame = pd.DataFrame({"x": [1e200, 2e200, 3e200] * 20, "z": range(60), "y": [0, 0, 1] * 20})
    with pytest.raises(DatakinError, match="'x' must hold finite numbers"):
        datakin.read_table(frame, label="y", convert={"x": (1e200, 0)})


def test_the_columns_that_are_listed_are_those_of_the_table():
    mine = pd.DataFrame({"Weight (kg)": range(30), "y": [0, 1] * 15})
    tables = {"mine": mine, "theirs": mine.rename(columns={"Weight (kg)": "weight_kg"})}
    with pytest.raises(DatakinError) as failed:
        datakin.read_tables(tables, label="y", convert={"theirs": {"Weight (kg)": (2.0, 0.0)}})
    assert str(failed.value).endswith("The columns are 'weight_kg', 'y'. Did you mean 'weight_kg'?")
