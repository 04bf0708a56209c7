"""Explanations of real tables: what is plain there is found, and the page quotes what the study wrote."""

import os
import re
from pathlib import Path

import pytest

from datakin import explain, read_tables
from reproduction.explain_real import read_pair, table_of
from reproduction.explain_remedies import LABELS, SPOILS, make_pair, spoil

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "reproduction" / "results"
FIGURE = re.compile(r"\d+\.\d+|\d+(?=%)")


@pytest.fixture(scope="module")
def data():
    folder = Path(os.environ.get("DATAKIN_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "uci_heart").is_dir():
        pytest.skip(f"real data not found in {folder}; DATAKIN_DATA names another place")
    return folder


@pytest.mark.data
def test_missing_values_coded_as_0_are_found(data):
    found = explain(
        *read_pair("heart", {n: table_of("heart", n, data) for n in ("cleveland", "va")})
    )
    (mend,) = [each for each in found.mends if each.cause == "blanks"]
    zeros = (table_of("heart", "va", data)["chol"] == 0).mean()
    assert (mend.table, mend.columns, mend.typed) == ("va", ("chol",), "--recode va::chol:0=")
    assert f"{zeros:.0%}" in mend.seen
    assert not [each for each in found.mends if each.cause == "range"], "the zeros are no range"


@pytest.mark.data
def test_a_column_of_zeros_is_left_out(data):
    tables = {name: table_of("heart", name, data) for name in ("cleveland", "switzerland")}
    with pytest.warns(match="'chol'"):
        datasets = read_tables(tables, label="num")
    found = explain(*datasets.values())
    assert "chol" not in [each.column for each in found.columns if each.flagged]
    assert any("chol" in note for note in found.notes)


@pytest.mark.data
@pytest.mark.parametrize("how", SPOILS)
def test_what_was_spoiled_is_named_first(data, how):
    target, source = make_pair("heart", 2, data)
    tables = {"mine": target, "theirs": spoil(source, how, "heart", 2)}
    found = explain(*read_tables(tables, label=LABELS["heart"][0]).values())
    assert found.causes[0] == how
    assert found.mends[0].typed


def test_the_page_quotes_the_results():
    page = (ROOT / "docs" / "explained-real.md").read_text(encoding="utf-8")
    text = "".join(
        (RESULTS / f"{name}.md").read_text(encoding="utf-8")
        for name in ("explain-real", "explain-remedies")
    )
    quotes = [line.removeprefix("> ") for line in page.splitlines() if line.startswith("> ")]
    assert len(quotes) > 10
    assert [quote for quote in quotes if quote not in text] == []
    known = set(FIGURE.findall(text))
    assert [figure for figure in FIGURE.findall(page) if figure not in known] == []
