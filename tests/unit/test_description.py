"""describe(): what it says of tables, that it is what scores use, and how it is written down."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

import datakin
from datakin import DatakinError, Description
from datakin.data import pair


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


@pytest.mark.parametrize("codes", [{0: 1, 1: 2}, {0: 0, 1: 2}, {0: -1, 1: 1}])
def test_classes_that_are_coded_differently_are_not_taken_for_grades(codes):
    other = ward(2).assign(died=lambda f: f["died"].map(codes))
    found = datakin.describe({"here": ward(), "there": other}, label="died")
    assert [t.kind for t in found.things] == ["problem"]
    assert "label_map" not in found.things[0].text
    recode = {"there": {"died": {new: old for old, new in codes.items() if old != new}}}
    mended = datakin.describe({"here": ward(), "there": other}, label="died", recode=recode)
    assert mended.is_usable


def test_grades_are_sorted_as_numbers():
    grades = ward(1, 220).assign(died=np.arange(220) % 11 + 9, patient=np.arange(220))
    two = ward(2).assign(died=lambda f: f["died"] + 9)
    options = {"label": "died", "task": "multiclass", "ignore": "patient"}
    found = datakin.describe({"grades": grades, "two": two}, **options)
    (thing,) = [t for t in found.things if t.kind == "classes"]
    assert thing.option_cli.startswith("--positive 10 --positive 11")


def test_rank_and_matrix_ask_about_grades_as_check_does():
    tables = {"here": ward(1).assign(died=np.arange(60) % 4), "there": ward(2)}
    asked = "If that is a yes or no, make it so in all of them: positive=['1', '2', '3']"
    fast = {"models": ["logistic"], "cv": 3}
    with pytest.warns(datakin.DatakinWarning, match="distinct whole numbers"):
        read = datakin.read_tables(tables, label="died", ignore="patient")
    for ask in (
        lambda: datakin.rank(read["here"], {"there": read["there"]}, **fast),
        lambda: datakin.score(read["there"], read["here"], **fast),
        lambda: datakin.matrix(read, **fast),
    ):
        with pytest.warns(datakin.DatakinWarning) as caught:
            ask()
        assert sum(asked in str(w.message) for w in caught) == 1


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


def rare(n=4, seed=0):
    died = ["a"] * (60 - n) + ["b"] * n
    return ward(seed).drop(columns="patient").assign(died=died)


def test_a_class_with_fewer_rows_than_folds_can_be_used_by_choose():
    found = datakin.describe({"icu": rare()}, label="died")
    assert found.headline == "Can be used: yes; 1 thing to look at."
    assert found.is_usable
    (thing,) = found.things
    assert thing.kind == "folds"
    for part in ("at least 5 rows", "'b (4)' in 'icu'", "--cv 4", "--skip-unusable"):
        assert part in thing.text
    read = datakin.read_tables({"icu": rare(), "other": rare(20, 1)}, label="died")
    with pytest.raises(DatakinError) as refused:
        datakin.score(read["icu"], read["other"])
    assert thing.text == f"choose works; score, rank and matrix do not: {refused.value}"
    choice = datakin.choose(read["icu"], [read["other"]], learners=["linear"])
    assert choice.n_rows == 60
    assert "--cv" not in datakin.describe({"icu": rare(2)}, label="died").things[0].text


def test_a_total_line_is_a_class_that_can_be_dropped(tmp_path):
    frame = ward().drop(columns="patient").assign(died=lambda f: f["died"].astype(object))
    frame.loc[59, "died"] = frame["died"][:59].sum()
    frame.to_csv(tmp_path / "icu.csv", index=False)
    things = datakin.describe(tmp_path / "icu.csv", label="died").things
    assert [thing.kind for thing in things] == ["note", "folds"]  # that it was taken as classes
    thing = things[1]
    assert "may be a total line" in thing.text
    value = str(frame["died"][59])
    assert f"--recode icu::died:{value}=)" in thing.text
    assert "--label-map" in thing.text
    ward(1).to_csv(tmp_path / "more.csv", index=False)
    both = datakin.describe([tmp_path / "more.csv", tmp_path / "icu.csv"], label="died")
    assert "classes" not in {t.kind for t in both.things}  # it is no grade
    recode = {"icu": {"died": {value: ""}}}
    dropped = datakin.describe(tmp_path / "icu.csv", label="died", recode=recode)
    assert dropped.is_usable
    assert not dropped.things


def test_domains_with_a_rare_class_are_told_and_small_ones_are_left_out():
    frame = pd.concat(
        [
            ward(1).assign(site="many"),
            ward(2).assign(site="few", died=[0] * 58 + [1] * 2),
            ward(3, 7).assign(site="small"),
        ]
    )
    found = datakin.describe(frame, label="died", domain="site", ignore="patient")
    assert found.headline == "Can be used: 2 of 3; 1 thing to look at."
    (thing,) = found.things
    assert (thing.kind, thing.about) == ("folds", ("few",))
    assert "'1 (2)' in 'few'" in thing.text
    assert found.is_usable
    text = str(found)
    assert "0 (58), 1 (2)" in text
    assert [line.split()[1:] for line in text.splitlines() if line.startswith("small ")] == [
        ["-", "-", "cannot", "be", "used"]
    ]


def test_fewer_groups_than_folds_are_told():
    frame = ward().assign(patient=np.arange(60) % 4)
    found = datakin.describe({"icu": frame}, label="died", group="patient")
    assert "at least as many groups as folds" in found.things[0].text


def test_many_problems_are_shown_in_a_few_lines():
    found = datakin.describe({f"t{i}": rare(seed=i) for i in range(9)}, label="died")
    (thing,) = found.things
    assert (thing.kind, len(thing.about)) == ("folds", 9)
    assert "Similar for 't1', 't2', 't3', 't4', 't5' and 3 more." in thing.text
    same = {f"t{i}": ward(i).assign(died="a") for i in range(9)}
    found = datakin.describe(same, label="died", ignore="patient")
    problems = [t for t in found.things if t.kind == "problem"]
    assert [len(t.about) for t in problems] == [1, 1, 1, 6]
    assert found.headline.startswith("Can be used: no")


def test_a_source_that_cannot_be_compared_does_not_spoil_the_others():
    other = ward(3).assign(died=lambda f: f["died"].map({0: "alive", 1: "dead"}))
    tables = {"here": ward(), "there": ward(1), "more": ward(2), "odd": other}
    found = datakin.describe(tables, label="died", ignore="patient")
    assert found.headline.startswith("Can be used: 3 of 4")


def test_a_column_of_the_third_table_alone():
    tables = {name: ward(k).drop(columns="patient") for k, name in enumerate(["a", "b", "c", "d"])}
    tables["c"]["extra"] = np.arange(60) % 7
    tables["d"]["age"] = tables["d"]["age"].round().astype(object).fillna("?").replace(60, "sixty")
    for label in (None, "died"):
        text = str(datakin.describe(tables, label=label))
        (extra,) = [line for line in text.splitlines() if line.startswith("extra")]
        assert ("in c only" if label is None else "not in 'a'") in extra
        assert "... and 2 more tables, of which only remarks are shown: c, d" in text
        _, _, age = text.partition("\nage ")
        remark = age.splitlines()[1]  # there is no room beside the row
        assert remark.startswith("      see 1; d: text, although 94%")
    for n in range(1, 5):  # whatever the order
        turned = dict(list(tables.items())[n:] + list(tables.items())[:n])
        assert "\nextra " in str(datakin.describe(turned))


def test_lines_fit_a_narrow_terminal():
    here = ward().assign(a_column_with_a_long_name="x" * 50)
    found = datakin.describe({"here": here, "there": ward(1)}, label="died", ignore="patient")
    for width in (80, 110):
        assert max(map(len, found.text(width).splitlines())) <= width


def test_columns_used_are_those_of_the_comparison():
    here = ward(0, 200).drop(columns="patient").assign(only=np.arange(200) % 9, flat=[1, 2] * 100)
    there = ward(1, 200).drop(columns="patient").assign(flat=1)
    there["unit"] = there["unit"].map({"surgical": "op", "medical": "int"})
    found = datakin.describe({"here": here, "there": there}, label="died")
    with pytest.warns(datakin.DatakinWarning):
        read = datakin.read_tables({"here": here, "there": there}, label="died")
    used = pair(read["here"], read["there"]).columns
    assert [d.n_columns for d in found.datasets] == [len(used)] * 2
    for table in found.tables:
        assert {c.name for c in table.columns if c.role == "feature"} == set(used)
    why = {c.name: c.why for c in found.tables[0].columns if c.role == "left out"}
    assert why == {
        "only": "not in 'there'",
        "flat": "constant in 'there'",
        "unit": "no value in common",
    }


def test_a_target_uses_what_one_of_its_sources_has():
    tables = {"here": ward(), "there": ward(1).drop(columns="unit"), "more": ward(2)}
    found = datakin.describe(tables, label="died", ignore="patient")
    assert [d.n_columns for d in found.datasets] == [4, 3, 4]
    assert column(found, "unit").role == "feature"


def test_levels_that_only_look_alike_are_left_out_as_they_are():
    there = ward(1).assign(unit=lambda f: f["unit"].str.upper())
    found = datakin.describe({"here": ward(), "there": there}, label="died", ignore="patient")
    (thing,) = [t for t in found.things if t.kind == "levels"]
    assert "as they are, the column is left out" in thing.text
    assert column(found, "unit").role == "left out"
    half = ward(1).assign(unit=lambda f: f["unit"].replace("medical", "MEDICAL"))
    found = datakin.describe({"here": ward(), "there": half}, label="died", ignore="patient")
    assert not any("left out" in t.text for t in found.things if t.kind == "levels")
    assert column(found, "unit").role == "feature"


def test_few_columns_in_common_are_a_thing_to_look_at():
    there = ward(1).rename(columns={"age": "x", "seen": "z", "site": "w"})
    found = datakin.describe({"here": ward(), "there": there}, label="died", ignore="patient")
    assert found.things[0].text == "only 1 of 4 columns of 'there' and 'here' can be compared"


@pytest.mark.parametrize(
    ("frame", "options", "told"),
    [
        (
            ward().assign(time=np.arange(60.0) + 0.5, event=[0, 1] * 30),
            {"label": "time"},
            "does not handle censoring",
        ),
        (
            ward().assign(died=["unknown"] * 6 + ["1", "0"] * 27),
            {"label": "died"},
            "6 of 60 rows have no label",
        ),
        (
            ward(n=200).assign(site=["NA"] * 20 + ["n", "s"] * 90),
            {"label": "died", "domain": "site"},
            "20 of 200 rows have no 'site'",
        ),
        (ward().assign(age=["years", *map(str, range(59))]), {}, "'age': text, although 98%"),
        (
            ward().assign(age=["years", *map(str, range(59))]),
            {"label": "dead"},
            "'age': text, although 98%",
        ),
    ],
)
def test_what_may_mislead_is_a_thing_to_look_at(frame, options, told):
    found = datakin.describe({"icu": frame}, **options)
    assert [t.kind for t in found.things if told in t.text] == ["note"]
    assert not any(told in note for note in found.notes)


def test_a_few_dropped_rows_are_a_note():
    frame = ward().assign(died=[None] * 3 + [0, 1] * 28 + [0])
    found = datakin.describe({"icu": frame}, label="died")
    assert not any("have no label" in t.text for t in found.things)
    assert any("3 of 60 rows have no label" in note for note in found.notes)


@pytest.mark.parametrize("options", [{}, {"label": "died"}])
def test_names_that_look_like_data_are_a_thing_to_look_at(tmp_path, options):
    ward().to_csv(tmp_path / "icu.csv", index=False, header=False, columns=["age", "patient"])
    found = datakin.describe([tmp_path / "icu.csv"], **options)
    assert any("--no-header" in t.text for t in found.things)
    (tmp_path / "good.csv").write_text(ward().to_csv(index=False))
    both = datakin.describe([tmp_path / "good.csv", tmp_path / "icu.csv"], **options)
    assert any("--no-header" in t.text for t in both.things)


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
def test_pairs_of_arrays_are_tables_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    for one in ((X, y), (X.tolist(), y.tolist()), (pd.DataFrame(X, columns=[*"abc"]), y)):
        found = datakin.describe(one)
        assert found.label == "y"
        assert found.datasets[0].fingerprint == datakin.as_dataset(*one).fingerprint
    named = datakin.describe({"here": (X, y), "there": (X + 1, y)})
    listed = datakin.describe([(X, y), (X + 1, y)])
    assert [d.name for d in named.datasets] == ["here", "there"]
    assert [d.fingerprint for d in named.datasets] == [d.fingerprint for d in listed.datasets]


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ((np.zeros((30, 2)), np.zeros(20)), {}, "same number of rows. Got 30 and 20"),
        ((sparse.eye_array(30).tocsr(), np.zeros(30)), {}, "Got a sparse X"),
        ((np.zeros((30, 2)), np.zeros(30)), {"label": "died"}, "whose label is y"),
        ((ward().rename(columns={"died": "y"}), np.zeros(60)), {}, "rename it"),
        ((ward(), ward()), {}, "mapping of name to table"),
        ([{"a": 1}, {"a": 2}], {}, "mapping of name to table"),
        (ward(), {"label": ["died", "age"]}, "one label at a time"),
    ],
)
def test_what_is_no_table_is_refused(source, options, message):
    with pytest.raises(DatakinError, match=message):
        datakin.describe(source, **options)


def test_the_table_of_columns_shows_the_classes_that_are_used():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=80), "grade": np.resize([0, 0, 1, 2], 80)})
    for options in ({"positive": [1, 2]}, {"label_map": {0: 0, 1: 1, 2: 1}}):
        found = datakin.describe({"a": frame}, label="grade", **options)
        (column,) = (c for c in found.tables[0].columns if c.role == "label")
        assert column.levels == found.datasets[0].classes == {"0": 40, "1": 40}


@pytest.mark.parametrize(
    ("name", "is_asked"), [("patient", True), ("visit_id", True), ("bp", False)]
)
def test_only_what_is_called_so_may_be_a_group(name, is_asked):
    rng = np.random.default_rng(0)
    n = 200
    values = [
        f"{a}/{b}" for a, b in zip(rng.integers(90, 180, n), rng.integers(50, 99, n), strict=True)
    ]
    values[:12] = values[12:24]
    frame = pd.DataFrame({"x": rng.normal(size=n), name: values, "died": np.arange(n) % 2})
    found = datakin.describe({"a": frame}, label="died")
    assert ("group" in {thing.kind for thing in found.things}) == is_asked
