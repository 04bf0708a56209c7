"""Results on a terminal: tables that fit, names as they are."""

import pandas as pd
import pytest

from datakin import choose, describe, from_json, rank, transfer_gain
from datakin.cli.output import _draw
from datakin.cli.showing import show, shown_text, write_data

FAST = {"models": ["logistic"], "cv": 3}


@pytest.fixture(scope="module")
def ranking(make_lda):
    sources = [make_lda(60, 2, name="kin"), make_lda(60, 3, name="[red]stranger[/red]", angle=3.0)]
    return rank(make_lda(50, 1, name="home"), sources, **FAST)


def rows_of(result):
    """Return the lines of the table as it is shown."""
    return [line for name, lines in result.answer.blocks() if name == "table" for line in lines]


@pytest.mark.parametrize("width", [80, 100, 120, 140, 200])
def test_a_ranking_shows_the_same_columns_at_every_width(ranking, width):
    text = shown_text(ranking, width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    (head,) = [line for line in lines if line.startswith("source ")]
    for needed in ("call", "gain", "score", "group", "rows"):
        assert needed in head
    for name in ("kin", "[red]stranger[/red]"):  # no name is folded
        (row,) = [line for line in lines if line.startswith(f"{name}  ")]
        assert ranking[name].call in row


def test_the_paper_s_zones(make_lda):
    sources = [make_lda(60, 2, name="kin"), make_lda(60, 3, name="stranger", angle=3.0)]
    ranking = rank(make_lda(50, 1, name="home"), sources, zones="paper", **FAST)
    (row,) = [line for line in rows_of(ranking) if line.startswith("kin ")]
    assert ranking["kin"].zone.value in row
    whole = shown_text(ranking, details=True).partition("\nAll columns\n")[2]
    assert "  p_first" in whole.splitlines()[0]
    assert f" {ranking.first['kin']:.4f}" in whole


def test_gains_fit_eighty_columns(make_lda):
    gain = transfer_gain(
        make_lda(40, 1, name="home"),
        make_lda(40, 2, name="away"),
        methods=["concatenate"],
        repeats=2,
    )
    text = shown_text(gain, 80)
    assert max(map(len, text.splitlines())) <= 80
    found = gain.methods["concatenate"]
    row = next(line for line in text.splitlines() if line.startswith("concatenate "))
    assert f"  {found.target_error:.1%}  " in row
    assert f"against {gain.target_error:.1%} with LogisticRegression on home alone." in " ".join(
        text.split()
    )


def test_elsewhere_it_is_plain_text(ranking, capsys):
    show(ranking)
    out = capsys.readouterr().out
    assert out == f"{ranking}\n"
    assert "p_first" not in out  # which is in .frame


@pytest.mark.parametrize("width", [80, 100, 140])
def test_a_description_fits_the_terminal(make_mixed, width):
    frame = make_mixed(60, 1).rename(columns={"y": "a label with a name that is rather long"})
    found = describe({"[red]x[/red]": frame, "b": frame}, label=frame.columns[-1])
    lines = found.text(width).splitlines()
    assert max(map(len, lines)) <= width
    assert any("[red]x[/red]" in line for line in lines)


@pytest.fixture(scope="module")
def choice(make_lda):
    sources = [
        make_lda(120, 2, name="kin"),
        make_lda(120, 3, name="[red]stranger[/red]", angle=3.0),
    ]
    return choose(make_lda(50, 1, name="home"), sources, learners=["linear"], repeats=1)


@pytest.mark.parametrize("width", [80, 120])
def test_a_choice_fits_the_terminal(choice, width):
    lines = shown_text(choice, width).splitlines()
    assert max(map(len, lines)) <= width
    (head,) = [line for line in lines if line.startswith("source ")]
    assert head.endswith("worth")
    assert any(line.startswith("[red]stranger[/red]  ") for line in lines)


def test_a_choice_elsewhere_is_plain_text(choice, capsys):
    show(choice)
    assert capsys.readouterr().out == f"{choice}\n"


def test_files_of_a_choice(choice, tmp_path):
    pytest.importorskip("matplotlib")
    _draw(choice, tmp_path / "c.png")
    write_data(choice, tmp_path / "c.csv")
    write_data(choice, tmp_path / "c.json")
    assert (tmp_path / "c.png").stat().st_size > 2000
    assert list(pd.read_csv(tmp_path / "c.csv")) == list(choice.frame)
    assert from_json((tmp_path / "c.json").read_text()) == choice
