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
    assert "'temp' converted: 0.5556 x - 17.78" in text
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
