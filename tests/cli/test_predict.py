"""`datakin predict`: what is printed and written, and how it ends."""

import json

import numpy as np
import pandas as pd
import pytest

import datakin
from tests.unit.choose.models import model_of, quiet, ward, ward_model


@pytest.fixture
def run(tmp_path, monkeypatch, call_main):
    """Run a command beside a model and tables; return exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    ward_model().save("kin.datakin")
    table = ward(7, n=40)
    table.to_csv("labelled.csv", index=False)
    table.drop(columns="died").assign(patient=np.arange(40) + 100).to_csv("new.csv", index=False)
    return call_main


def test_a_table_is_printed(run):
    code, out, err = run("predict", "kin.datakin", "new.csv")
    assert code == 0
    assert err == "Note: not used: 'patient'\n"
    first, *rest = out.splitlines()
    assert first.split() == ["row", "prediction", "p_no", "p_yes"]
    assert rest[0].split()[0] == "1"
    assert rest[20] == "... and 20 more rows (all of them: --out)"


def test_predictions_are_written(run):
    code, _, err = run("predict", "kin.datakin", "new.csv", "--keep", "patient", "--out", "p.csv")
    assert (code, err) == (0, "Written to p.csv\n")
    found = pd.read_csv("p.csv")
    model = datakin.load_model("kin.datakin")
    new = pd.read_csv("new.csv").drop(columns="patient")
    assert list(found) == ["patient", "prediction", "p_no", "p_yes"]
    assert found.patient.tolist() == list(range(100, 140))
    assert found.prediction.tolist() == model.predict(new).tolist()
    assert np.allclose(found[["p_no", "p_yes"]], model.predict_proba(new), atol=1e-12)


def test_json_is_the_whole_result(run):
    code, out, err = run("predict", "kin.datakin", "new.csv", "--keep", "patient", "--json")
    assert (code, err) == (0, "")
    found = datakin.from_json(out)
    assert len(found.frame) == 40
    assert found.kept["patient"][0] == "100"


def test_numbers(run):
    ward_model("regression").save("numbers.datakin")
    code, _, _ = run("predict", "numbers.datakin", "new.csv", "--out", "p.csv", "-q")
    assert code == 0
    assert list(pd.read_csv("p.csv")) == ["row", "prediction"]


def test_the_error_is_said_where_labels_are_known(run):
    code, out, err = run("predict", "kin.datakin", "labelled.csv")
    assert (code, err) == (0, "")
    error = datakin.load_model("kin.datakin").error_on("labelled.csv")
    expected = "Expected error: 18.0% (90% interval 16.5 to 19.6%)."
    assert f"Error on these 40 rows: {100 * error:.1f}%. {expected}" in out.splitlines()
    assert out.splitlines()[-1].startswith("In other measures: AUC ")
    some = pd.read_csv("labelled.csv")
    some.loc[:9, "died"] = None
    some.to_csv("some.csv", index=False)
    assert (
        "Error on these 30 rows of 40 that have a label: "
        in run("predict", "kin.datakin", "some.csv")[1]
    )
    some.assign(died=pd.Timestamp("2024-01-01")).to_csv("dates.csv", index=False)
    code, out, err = run("predict", "kin.datakin", "dates.csv")
    assert (code, err.startswith("Note: the label was not read: ")) == (0, True)
    some.assign(died=None).to_csv("none.csv", index=False)
    assert "error on" not in run("predict", "kin.datakin", "none.csv")[1]


def test_classes_that_the_model_does_not_know_are_counted(run):
    table = pd.read_csv("labelled.csv")
    table.loc[:2, "died"] = "perhaps"
    table.to_csv("odd.csv", index=False)
    _, out, _ = run("predict", "kin.datakin", "odd.csv")
    said = (
        "3 of them are of classes that the model does not know ('perhaps'; it knows 'no', 'yes'): "
        "they count as wrong."
    )
    assert said in out.splitlines()


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_rows_that_were_learned_from_are_recognised(run, task):
    ward_model(task).save("other.datakin")
    mine = ward(0, task=task)
    mine.to_csv("mine.csv", index=False)
    words = "The model was learned from these very rows (mine): the error on them is too low."
    assert words in run("predict", "other.datakin", "mine.csv")[1].splitlines()
    ward(1, task=task).to_csv("theirs.csv", index=False)
    assert words not in run("predict", "other.datakin", "theirs.csv")[1]
    # Rows without a label had no part in it.
    pd.concat([mine, mine.head(3).assign(died=None)]).to_csv("more.csv", index=False)
    assert words in run("predict", "other.datakin", "more.csv")[1]


def test_card(run):
    code, out, err = run("predict", "kin.datakin", "--card")
    assert (code, err) == (0, "")
    assert out == f"{datakin.load_model('kin.datakin').card}\n"
    code, out, _ = run("predict", "kin.datakin", "--card", "--json")
    assert json.loads(out)["type"] == "ModelCard"
    assert datakin.from_json(out).error == 0.18


def test_formulas_stay_text(run):
    frame = pd.read_csv("new.csv").assign(patient="=cmd|'/c calc'!A1")
    frame.to_csv("evil.csv", index=False)
    run("predict", "kin.datakin", "evil.csv", "--keep", "patient", "--out", "p.csv")
    assert pd.read_csv("p.csv").patient[0] == "'=cmd|'/c calc'!A1"
    target = quiet(
        datakin.read_table, ward(0).replace({"died": {"yes": "=1+1"}}), label="died", name="t"
    )
    model_of(target).save("evil.datakin")
    run("predict", "evil.datakin", "new.csv", "--out", "q.csv")
    assert set(pd.read_csv("q.csv").prediction) == {"no", "'=1+1"}


def test_reading_options(run):
    frame = pd.read_csv("new.csv").drop(columns="patient").rename(columns={"age": "Alter"})
    frame.to_csv("new.txt", sep="|", index=False, encoding="utf-16")
    code, out, err = run(
        *("predict", "kin.datakin", "new.txt", "--delimiter", "|", "--encoding", "utf-16"),
        *("--rename", "Alter=age"),
    )
    assert (code, err) == (0, "")
    assert "prediction" in out
    frame.to_excel("new.xlsx", sheet_name="rows", index=False)
    pytest.importorskip("python_calamine")
    code, _, err = run(
        "predict", "kin.datakin", "new.xlsx", "--sheet", "rows", "--rename", "Alter=age"
    )
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["kin.datakin"], "Give a table to predict, or --card"),
        (["none.datakin", "new.csv"], "is not there"),
        (["new.csv", "new.csv"], "no model file that can be used"),
        ([".", "new.csv"], "Got the folder"),
        (["kin.datakin", "none.csv"], "none.csv"),
        (["kin.datakin", "wrong.csv"], "Missing column: 'age'"),
        (["kin.datakin", "text.csv"], "'age' must hold numbers"),
        (
            ["kin.datakin", "new.csv", "--keep", "nobody"],
            "every column to keep. Missing column: 'nobody'",
        ),
        (["kin.datakin", "clash.csv", "--keep", "p_no"], "must not have the name of a new one"),
        (
            ["kin.datakin", "new.csv", "--out", "p.txt"],
            "--out must end in .json, .csv, .md or .xlsx",
        ),
    ],
)
def test_what_is_refused(run, words, match):
    frame = pd.read_csv("new.csv")
    frame.rename(columns={"age": "ages"}).to_csv("wrong.csv", index=False)
    frame.assign(age="old").to_csv("text.csv", index=False)
    frame.assign(p_no=1).to_csv("clash.csv", index=False)
    code, out, err = run("predict", *words)
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert match in err


def test_names_cannot_steer_a_terminal(run):
    target = quiet(
        datakin.read_table,
        ward(0).replace({"died": {"yes": "a\x1b[31mb"}}),
        label="died",
        name="t\x1b[2J",
    )
    model_of(target).save("evil.datakin")
    for words in (["--card"], ["new.csv"]):
        _, out, err = run("predict", "evil.datakin", *words)
        assert "\x1b" not in out + err


def test_help(run):
    code, out, _ = run("predict", "--help")
    assert code == 0
    assert "--keep" in out
    assert "--report" not in out


def test_a_missing_column_comes_with_advice(run):
    ward(7, n=40).drop(columns="age").assign(years=60).to_csv("other.csv", index=False)
    code, out, err = run("predict", "kin.datakin", "other.csv")
    assert (code, out) == (1, "")
    assert "Missing column: 'age'; it has 'town'" in err
    assert err.endswith(
        " Rename a column that has another name there (--rename OLD=age), or add it; it may be empty.\n"
    )
    assert run("predict", "kin.datakin", "other.csv", "--rename", "years=age")[0] == 0
    ward(7, n=40).assign(age=None).to_csv("empty.csv", index=False)
    assert run("predict", "kin.datakin", "empty.csv")[0] == 0
