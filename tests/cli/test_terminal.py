"""Results on a terminal: as many columns as fit, names as they are."""

import io
import re
from dataclasses import replace

import pandas as pd
import pytest
from rich.console import Console

from datakin import choose, describe, from_json, rank, transfer_gain
from datakin.cli.data_files import write_data
from datakin.cli.output import _draw
from datakin.cli.showing import _choice, _gain, _ranking, _show_choice, show

FAST = {"models": ["logistic"], "cv": 3}


def page(table, width):
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=False).print(table)
    return out.getvalue()


@pytest.fixture(scope="module")
def ranking(make_lda):
    sources = [make_lda(60, 2, name="kin"), make_lda(60, 3, name="[red]stranger[/red]", angle=3.0)]
    return rank(make_lda(50, 1, name="home"), sources, **FAST)


@pytest.mark.parametrize("width", [70, 80, 100, 120, 140, 200])
def test_a_ranking_shows_what_fits(ranking, width):
    text = page(_ranking(ranking, width), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    head = lines[1]
    for needed in ("source", "group", "call", "gain", "gain low", "gain high"):
        assert needed in head
    assert ("to target" in head) == (width >= 120)
    assert ("score" in head) == (width >= 100)
    assert ("p gain" in head) == (width >= 80)
    assert "[red]stranger[/red]" in text
    assert len(lines) == 5  # no name is folded


def test_the_paper_s_zones_and_joint_weights_on_a_terminal(ranking, make_lda):
    sources = [make_lda(60, 2, name="kin"), make_lda(60, 3, name="stranger", angle=3.0)]
    ranking = rank(make_lda(50, 1, name="home"), sources, zones="paper", **FAST)
    text = page(_ranking(ranking, 140), 140)
    row = next(line for line in text.splitlines() if line.startswith("kin"))
    assert f" {ranking.forecast.weights['kin']:.2f} " in row
    assert ranking["kin"].zone.value in row


def test_gains_fit_eighty_columns(make_lda):
    gain = transfer_gain(
        make_lda(40, 1, name="home"),
        make_lda(40, 2, name="away"),
        methods=["concatenate"],
        repeats=2,
    )
    text = page(_gain(gain), 80)
    assert max(map(len, text.splitlines())) <= 80
    found = gain.methods["concatenate"]
    assert f"{found.target_rer:.4f} ± {found.target_se:.4f}" in text
    assert "error alone: 'home'" in text


def test_elsewhere_it_is_plain_text(ranking, capsys):
    show(ranking)
    out = capsys.readouterr().out
    assert out == f"{ranking}\n"
    assert out.splitlines()[-1] == ranking.closing.splitlines()[-1]
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


@pytest.mark.parametrize("width", [50, 80, 120])
def test_a_choice_fits_the_terminal(choice, width):
    lines = page(_choice(choice, width), width).splitlines()
    assert max(map(len, lines)) <= width
    assert ("worth" in lines[0]) == (width >= 80)
    assert ("90% interval" in lines[0]) == (width >= 80)
    assert any("[red]stranger[/red]" in line for line in lines)


def test_a_choice_on_a_terminal_has_colours_and_notes(choice):
    made = replace(choice, notes=("a\x1b[31m note",), unusable={"codes": "Other label."})
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system="standard")
    _show_choice(made, console)
    text = out.getvalue()
    assert text.startswith(f"\x1b[1m{made.headline}")
    for each in made.choices:
        assert re.search(rf"\x1b\[3[1236]m{each.call}", text)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(map(len, plain.splitlines())) <= 80
    assert plain.rstrip().endswith("Note: a\\x1b[31m note")
    assert "Not usable: codes. Other label." in plain
    for line in made.evidence:
        assert line in " ".join(plain.split())


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
