"""describe(): what it says of tables, that it is what scores use, and how it is written down."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import datakin
from datakin import DatakinError, Description


def ward(seed=0, n=60):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(60, 9, n).round(1),
            "unit": rng.choice(["surgical", "medical"], n),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "site": rng.choice(["a", "b"], n),
            "patient": rng.integers(0, 30, n),
        }
    )
    frame.loc[3:5, "age"] = np.nan
    frame["died"] = (frame["age"].fillna(60) + rng.normal(0, 5, n) > 60).astype(int)
    return frame


def column(found, name, table=0):
    return next(c for c in found.tables[table].columns if c.name == name)


def test_a_clean_table_can_be_used():
    found = datakin.describe({"icu": ward()}, label="died", group="patient", ignore="site")
    assert found.headline == "Can be used: yes; nothing to look at."
    assert repr(found) == "Description(icu: Can be used: yes; nothing to look at.)"
    roles = {c.name: c.role for c in found.tables[0].columns}
    assert roles == {
        "age": "feature", "unit": "feature", "seen": "feature", "site": "left out",
        "patient": "group", "died": "label",
    }  # fmt: skip
    age, unit = column(found, "age"), column(found, "unit")
    frame = ward()
    assert (age.kind, age.n_missing, age.n_distinct) == ("number", 3, frame["age"].nunique())
    assert float(age.low) == frame["age"].min()
    assert unit.levels == dict(frame["unit"].value_counts())
    assert column(found, "site").why == "ignored"
    assert found.datasets[0].classes == {str(k): n for k, n in frame["died"].value_counts().items()}


def test_examples_are_as_they_stand_in_the_file(tmp_path):
    frame = ward()
    frame["unit"] = frame["unit"].map({"surgical": " s", "medical": "m"})
    frame.to_csv(tmp_path / "icu.csv", index=False)
    found = datakin.describe(
        tmp_path / "icu.csv",
        label="died",
        recode={"unit": {"s": "surgical"}},
        rename={"age": "years"},
    )
    assert set(column(found, "unit").examples) == {" s", "m"}
    assert set(column(found, "unit").levels) == {"surgical", "m"}
    assert column(found, "years").examples[0] == str(frame["age"][0])


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ignore": ["seen"], "group": "patient"},
        {"rename": {"age": "years"}, "convert": {"years": (12, 0)}},
        {"recode": {"unit": {"medical": "med"}}, "positive": 1},
        {"domain": "site", "recode": {"site": {"a": "north"}}},
        {"domain": "site", "group": "patient", "convert": {"a": {"age": (12, 0)}}},
    ],
)
def test_what_is_described_is_what_is_read(options):
    """The fingerprint covers column names, values, labels and groups."""
    tables = ward() if "domain" in options else {"one": ward(1), "two": ward(2)}
    read = datakin.read_tables(tables, label="died", **options)
    found = datakin.describe(tables, label="died", **options)
    assert {d.name: d.fingerprint for d in found.datasets} == {
        name: d.fingerprint for name, d in read.items()
    }
    for described in found.datasets:
        dataset = read[described.name]
        assert (described.n_rows, described.n_columns) == (dataset.n_rows, len(dataset.columns))
        assert described.notes == dataset.notes


def test_a_description_gives_no_warning_and_holds_what_reading_warns_of():
    frame = ward().assign(nothing=None)
    with pytest.warns(datakin.DatakinWarning, match="without any value") as caught:
        datakin.read_table(frame, label="died", name="icu")
    found = datakin.describe({"icu": frame}, label="died")
    told = "\n".join([*found.notes, *(thing.text for thing in found.things)])
    for warning in caught:
        for line in str(warning.message).splitlines():
            assert line.removeprefix("icu: ") in told


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (ward().head(15), {}, "at least 20 labelled rows"),
        (ward().assign(died=1), {}, "at least two classes"),
        (ward(), {"label": "dead"}, "Did you mean 'died'"),
        (ward().assign(died=None), {}, "must have a value in some rows"),
    ],
)
def test_a_table_that_cannot_be_used_is_described_with_the_reason(frame, options, message):
    found = datakin.describe({"icu": frame}, **{"label": "died", **options})
    assert not found.is_usable
    assert found.headline == "Can be used: no; 1 thing to look at."
    assert message in found.things[0].text
    assert message in " ".join(str(found).split())
    assert column(found, "unit").levels
    assert [c.name for c in found.tables[0].columns] == list(frame.columns)


def test_the_other_tables_are_described_when_one_cannot_be_opened(tmp_path):
    ward().to_csv(tmp_path / "good.csv", index=False)
    (tmp_path / "empty.csv").write_text("")
    found = datakin.describe([tmp_path / "good.csv", tmp_path / "empty.csv"], label="died")
    assert found.headline.startswith("Can be used: 1 of 2")
    assert "empty" in found.things[0].text
    assert found.datasets[0].fingerprint


def test_tables_that_cannot_be_compared_say_why():
    other = ward(1).assign(died=lambda f: f["died"].map({0: "alive", 1: "dead"}))
    found = datakin.describe({"here": ward(), "there": other}, label="died")
    assert not found.is_usable
    read = datakin.read_tables({"here": ward(), "there": other}, label="died")
    with pytest.raises(DatakinError, match="same codes") as refused:
        datakin.score(read["here"], read["there"])
    assert str(refused.value) in [thing.text for thing in found.things]


def test_without_a_label_columns_are_described_and_candidates_named():
    found = datakin.describe(ward())
    assert found.label is None
    assert found.is_usable
    assert "say which column to predict (label=, --label)" in found.headline
    assert found.candidates[0] == "died"
    assert column(found, "died").role == "feature"
    assert "May be what you want to predict: died" in str(found)


def test_domains_are_the_datasets():
    found = datakin.describe(ward(n=200), label="died", domain="site")
    assert [d.name for d in found.datasets] == ["a", "b"]
    assert sum(d.n_rows for d in found.datasets) == 200
    assert column(found, "site").role == "domain"


def test_small_domains_are_named_and_are_no_problem():
    frame = pd.concat([ward(n=200), ward(5, n=7).assign(site="c")])
    found = datakin.describe(frame, label="died", domain="site")
    assert found.is_usable
    assert next(d for d in found.datasets if d.name == "c").problem
    assert any("left out" in note for note in found.notes)


def test_json_round_trip():
    found = datakin.describe({"a": ward(), "b": ward(1).drop(columns="unit")}, label="died")
    again = datakin.from_json(found.to_json())
    assert isinstance(again, Description)
    assert again == found
    assert str(again) == str(found)
    assert Description.from_json(found.to_json(indent=1)) == found


def test_the_frame_has_a_row_for_each_column_of_each_table():
    found = datakin.describe({"a": ward(), "b": ward(1)}, label="died")
    frame = found.frame
    assert list(frame["table"]) == ["a"] * 6 + ["b"] * 6
    assert list(frame["column"][:6]) == list(ward().columns)
    assert frame.set_index(["table", "column"]).loc[("a", "age"), "missing"] == 3


def test_html_is_escaped():
    frame = ward().rename(columns={"age": "<script>alert(1)</script>"})
    assert "<script>" not in datakin.describe(frame, label="died")._repr_html_()


def test_a_wide_table_is_shown_on_a_screen_odd_columns_first():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100, 800)), columns=[f"c{i}" for i in range(800)])
    frame["c700"] = 1.0
    found = datakin.describe(frame.assign(y=np.arange(100) % 2), label="y")
    lines = str(found).splitlines()
    assert len(lines) < 40
    assert any("more as expected" in line for line in lines)
    assert [line for line in lines if line.startswith("y  ")]


def test_an_unknown_option_is_refused():
    with pytest.raises(DatakinError, match=r"no option 'labl_map'. Did you mean 'label_map'"):
        datakin.describe(ward(), label="died", labl_map={})


def test_other_units_and_codes_come_with_the_options_that_mend_them():
    here, there = ward(0, 300), ward(1, 300)
    there["age"] = there["age"] * 12
    there["unit"] = there["unit"].map({"surgical": "Surgical", "medical": "MEDICAL"})
    found = datakin.describe({"here": here, "there": there}, label="died", ignore="patient")
    by_kind = {thing.kind: thing for thing in found.things}
    assert "there::age=1/12,0" in by_kind["units"].option_cli
    assert "--recode there::unit:Surgical=surgical" in by_kind["levels"].option_cli
    assert by_kind["units"].option_cli in found.options_cli
    assert by_kind["levels"].option_cli in str(found).replace("\n", " ").replace("       ", "")
    mended = datakin.describe(
        {"here": here, "there": there},
        label="died",
        ignore="patient",
        convert={"there": {"age": (1 / 12, 0)}},
        recode={"there": {"unit": {"Surgical": "surgical", "MEDICAL": "medical"}}},
    )
    assert not mended.things


def test_an_id_that_repeats_is_offered_as_a_group():
    frame = ward(n=200).assign(patient_id=lambda f: [f"p{i}" for i in np.arange(200) % 190])
    found = datakin.describe(frame.drop(columns="patient"), label="died")
    (thing,) = [t for t in found.things if t.kind == "group"]
    assert (thing.option_python, thing.option_cli) == ("group='patient_id'", "--group patient_id")
    assert thing.option_cli not in found.options_cli
    grouped = datakin.describe(frame, label="died", group="patient_id")
    assert "group" not in {t.kind for t in grouped.things}


def test_columns_that_are_left_out_say_why_and_how_to_keep_them():
    frame = ward(n=200).assign(record_id=np.arange(200), dead=lambda f: f["died"] * 2)
    found = datakin.describe(frame, label="died")
    for name in ("record_id", "dead"):
        assert (column(found, name).role, bool(column(found, name).why)) == ("left out", True)
        assert any(f"--keep {name}" in thing.text for thing in found.things)
    kept = datakin.describe(frame, label="died", keep=["record_id", "dead"])
    assert {column(kept, name).role for name in ("record_id", "dead")} == {"feature"}


def test_whole_numbers_that_may_be_a_quantity_are_a_thing_to_look_at():
    frame = ward().assign(died=np.arange(60) % 5)
    assert any(
        "--task" in t.text or "task=" in t.text
        for t in datakin.describe(frame, label="died").things
    )


def test_conversions_stand_beside_their_column(tmp_path):
    frame = ward()
    frame["age"] = [str(v).replace(".", ",") if v == v else "n.a." for v in frame["age"]]
    found = datakin.describe(frame, label="died", convert={"age": (12, 0)})
    assert "decimal comma" in column(found, "age").converted
    assert "12 x" in column(found, "age").converted
    assert "'n.a.' (3)" in column(found, "age").converted


def test_a_label_with_grades_in_one_table_and_yes_or_no_in_another_is_asked_about():
    grades = ward(1).assign(died=np.arange(60) % 4)
    found = datakin.describe({"here": grades, "there": ward(2)}, label="died")
    (thing,) = [t for t in found.things if t.kind == "classes"]
    assert thing.option_cli == "--positive 1 --positive 2 --positive 3"
    alike = datakin.describe(
        {"here": grades, "there": ward(2)}, label="died", positive=["1", "2", "3"]
    )
    assert [list(d.classes) for d in alike.datasets] == [["0", "1"], ["0", "1"]]
    assert "classes" not in {t.kind for t in alike.things}


def test_the_lowest_of_many_grades_is_found_by_value():
    grades = ward(1, 220).assign(died=np.arange(220) % 9 + 2)
    two = ward(2, 220).assign(died=np.arange(220) % 2 * 8 + 2)  # 2 and 10
    found = datakin.describe({"here": grades, "there": two}, label="died", task="multiclass")
    (thing,) = [t for t in found.things if t.kind == "classes"]
    assert thing.about == ("there",)
    assert thing.option_cli.startswith("--positive 3 --positive 4")


def test_rows_that_two_tables_share_are_named():
    here = ward(0, 200).drop(columns=["site", "patient"])
    there = pd.concat([ward(1, 150).drop(columns=["site", "patient"]), here.head(50)])
    found = datakin.describe({"here": here, "there": there}, label="died")
    assert any("50 rows of the target also stand in the source" in t.text for t in found.things)


def test_a_code_of_the_dataset_is_named_unless_it_is_kept():
    tables = {name: ward(k).assign(code=f"site {name}") for k, name in enumerate(["a", "b"])}
    for frame in tables.values():
        frame["code"] = frame["code"] + frame["site"]
    found = datakin.describe(tables, label="died")
    assert ["'code'" in text for text in _codes_of(found)] == [True]
    assert not _codes_of(datakin.describe(tables, label="died", keep="code"))


def _codes_of(found):
    return [t.text for t in found.things if t.kind == "codes"]


def test_columns_refer_to_the_thing_that_speaks_of_them():
    found = datakin.describe(ward(n=200).assign(record_id=np.arange(200)), label="died")
    (line,) = [line for line in str(found).splitlines() if line.startswith("record_id")]
    assert "see 1" in line


def test_a_column_that_is_nearly_empty_is_remarked():
    frame = ward(n=100).assign(lab=[5.0, 7.0, 9.0] + [None] * 97)
    assert column(datakin.describe(frame, label="died"), "lab").doubt == "97% missing"


def test_a_password_is_never_shown(tmp_path):
    ward().to_csv(tmp_path / "mine.csv", index=False)
    address = "postgresql://me:s3cret@127.0.0.1:1/db"
    found = datakin.describe([tmp_path / "mine.csv", address], label="died")
    assert not found.is_usable
    assert "s3cret" not in found.to_json() + str(found) + found._repr_html_()


def test_a_first_look_names_row_ids():
    found = datakin.describe(ward().assign(record_id=np.arange(60)))
    assert column(found, "record_id").doubt == "looks like a row id"
    assert column(found, "age").doubt == ""
    assert "record_id" not in found.candidates


def test_dates_that_python_cannot_hold_are_described():
    far = pa.array([2**40, 2**41] * 20, pa.timestamp("s"))
    table = pa.table({"seen": far, "x": np.arange(40) % 7, "y": [0, 1] * 20})
    found = datakin.describe({"t": table}, label="y")
    assert "dates beyond the years 1 to 9999" in found.things[0].text
    assert column(found, "seen").kind == "not read"


def test_missing_objects_are_no_examples():
    table = pd.DataFrame({"x": [pd.NA, None, 1.5, 2] * 10, "y": [0, 1] * 20}).astype({"x": object})
    assert column(datakin.describe({"t": table}, label="y"), "x").examples == ("1.5", "2")
