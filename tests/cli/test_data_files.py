"""--out: one result as .json, .csv, .md and .xlsx, whatever names it holds."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin.cli.showing import write_data
from tests.unit.choose.models import ward

openpyxl = pytest.importorskip("openpyxl")


@dataclass
class Answer:
    """What a result may say in words."""

    headline: str = "Use a|b."
    evidence: tuple[str, ...] = ("The error falls\nby <2%>.",)
    caveats: tuple[str, ...] = ("=1+1 is no formula.",)


@dataclass
class Result:
    """A result with names that mean something to spreadsheets and to Markdown."""

    is_text: ClassVar[bool] = True
    frame: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(
            {
                "source": ["=cmd|'/c calc'!A1", "a|b\nc", "[x](y) *z*\x07", "plain"],
                "score": [-0.5, np.nan, np.inf, 1 / 3],
                "rows": [1, 2, 2**60, 4],
                "used": [True, False, True, True],
                "=p": [None, "x", "", "@y"],
            }
        )
    )


@dataclass
class Told(Result):
    """The same, with an answer."""

    is_text: ClassVar[bool] = False
    answer: Answer = field(default_factory=Answer)


def sheets(path):
    return {
        sheet.title: [list(row) for row in sheet.rows] for sheet in openpyxl.load_workbook(path)
    }


def test_a_workbook_holds_all_columns_and_no_formula(tmp_path):
    write_data(Result(), tmp_path / "r.xlsx")
    ((title, rows),) = sheets(tmp_path / "r.xlsx").items()
    assert title == "sources"
    assert all(cell.data_type != "f" for row in rows for cell in row)
    assert [[cell.value for cell in row] for row in rows] == [
        ["source", "score", "rows", "used", "'=p"],
        ["'=cmd|'/c calc'!A1", -0.5, 1, True, None],
        ["a|b\nc", None, 2, False, "x"],
        ["[x](y) *z*?", "inf", str(2**60), True, None],
        ["plain", 1 / 3, 4, True, "'@y"],
    ]


def test_an_answer_has_a_sheet_of_its_own(tmp_path):
    write_data(Told(), tmp_path / "r.XLSX")
    found = sheets(tmp_path / "r.XLSX")
    assert list(found) == ["answer", "sources"]
    assert [row[0].value for row in found["answer"]] == [
        *("answer", "Use a|b.", "The error falls\nby <2%>.", "'=1+1 is no formula."),
    ]
    assert {row[0].data_type for row in found["answer"]} == {"s"}


def test_markdown_has_one_line_per_source(tmp_path):
    write_data(Result(), tmp_path / "r.md")
    lines = (tmp_path / "r.md").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["| source | score | rows | used | =p |", "| --- | --- | --- | --- | --- |"]
    assert lines[3].startswith(r"| a\|b c | ")
    assert lines[4].startswith(r"| \[x\](y) \*z\*? | ")
    assert len(lines) == 6


def test_markdown_begins_with_the_answer(tmp_path):
    write_data(Told(), tmp_path / "r.md")
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert text.startswith(
        "Use a\\|b.\n\nThe error falls by &lt;2%>.\n\n=1+1 is no formula.\n\n| source |"
    )


def test_too_many_rows_for_a_sheet(tmp_path, monkeypatch):
    monkeypatch.setattr("datakin.cli.showing.MOST_ROWS", 3)
    with pytest.raises(
        datakin.DatakinError, match=r"at most 3 rows. The result has 4; write a .csv"
    ):
        write_data(Result(), tmp_path / "r.xlsx")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("mine", "theirs")):
        ward(seed, n=60).to_csv(f"{name}.csv", index=False)


CHOOSE = (
    "choose",
    "mine.csv",
    "theirs.csv",
    "--label",
    "died",
    "--learners",
    "linear",
    "--repeats",
    "1",
)


def test_a_choice_and_its_predictions_in_a_workbook(tables, call_main):
    code, out, _ = call_main(*CHOOSE, "--model", "kin.datakin", "--out", "choice.xlsx")
    assert code == 0
    found = sheets("choice.xlsx")
    assert list(found) == ["answer", "sources"]
    assert out.splitlines()[0] in [row[0].value for row in found["answer"]]
    assert "worth_rows" in [cell.value for cell in found["sources"][0]]
    words = ("predict", "kin.datakin", "theirs.csv", "--keep", "age", "--out", "new.xlsx")
    assert call_main(*words)[0] == 0
    frame = pd.read_excel("new.xlsx", engine="openpyxl")
    assert list(frame.columns) == ["age", "prediction", "p_no", "p_yes"]
    assert len(frame) == 60


def test_a_choice_as_markdown(tables, call_main):
    code, out, _ = call_main(*CHOOSE, "--out", "choice.md")
    assert code == 0
    text = Path("choice.md").read_text(encoding="utf-8")
    assert text.splitlines()[0] == out.splitlines()[0]
    assert "| source | call | gain | low | high |" in text


def test_without_openpyxl_it_is_said_before_any_work(tables, call_main, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    monkeypatch.setattr(
        "datakin.choosing.act.choose_from", lambda *a, **b: pytest.fail("worked in vain")
    )
    code, out, err = call_main(*CHOOSE, "--out", "choice.xlsx")
    assert (code, out) == (1, "")
    assert "Writing .xlsx files needs the package 'openpyxl'" in err
    assert "pip install 'datakin[excel]'" in err
