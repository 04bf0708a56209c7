"""What `show` prints: the answer, in colours on a terminal, plain elsewhere; every note once."""

import re
from dataclasses import replace

import numpy as np
import pytest

import datakin
from datakin.cli.showing import show, shown_text
from datakin.results import Gain, MethodGain, Provenance
from datakin.results.answer import Answer, AnswerTable, Axis, Bar, Row, bar_text
from datakin.results.answer_html import answer_html
from tests.unit.results.test_sentences import make

WIDTHS = (40, 80, 200)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
COLOURS = {"helps": 32, "harmless": 36, "unclear": 33, "hurts": 31}
ODD = "two\nlines\x1b[31m\u202e[red]x[/red]"


@pytest.fixture
def terminal(monkeypatch, capsys):
    """Return a function that shows a result on a terminal of a width, and returns what was printed."""
    monkeypatch.setattr("datakin.cli.showing.is_terminal", lambda stream: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")

    def shown(result, width=80, **options):
        monkeypatch.setenv("COLUMNS", str(width))
        show(result, **options)
        return capsys.readouterr().out

    return shown


@pytest.fixture(scope="module")
def square(make_lda):
    names = ("one of a family", "another of them", ODD, "interval", "x" * 90)
    members = [make_lda(30, k, name=name) for k, name in enumerate(names)]
    return datakin.distances.matrix(members, method="energy")


def gain(methods=("kin_stack", "concatenate")):
    found = MethodGain(0.1, 0.02, 0.05, 0.02, 0.07, 0.02, 0.2, 0.1)
    return Gain(
        *("home", "away", dict.fromkeys(methods, found), 0.22, 0.11, "zero_one", 15, ()),
        Provenance(0, {}, {}, {}),
        source_loss="zero_one",
    )


def odd():
    """Return a choice with names, reasons and notes that would break lines or steer a terminal."""
    few = list(make().choices)
    few[0] = replace(few[0], source=ODD)
    few[1] = replace(few[1], source="long " * 40)
    return make(
        (ODD,),
        choices=tuple(few),
        target="home\x07" + "y" * 200,
        unusable={"codes\x1b]0;t\x07": "other\x1b[2J label"},
        notes=("a\x1b[31m note\x08",),
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("details", [False, True])
def test_every_width(terminal, square, width, details):
    for result in (make(), make(()), odd(), gain(), square):
        text = terminal(result, width, details=details)
        bare = COLOUR.sub("", text)
        assert bare == f"{shown_text(result, width, details=details)}\n"
        for name, lines in result.answer.blocks(width, details=details):
            longest = max(map(len, lines))
            # A table is not narrower than its numbers, and never wider than a usual screen.
            assert longest <= (max(width, 80) if name in ("table", "second") else 100)
            assert all(line in bare for line in lines)
        if width >= 80 and not details:
            assert max(map(len, bare.splitlines())) <= width


def test_elsewhere_it_is_plain(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    show(make())
    assert capsys.readouterr().out == f"{make()}\n"


def test_calls_have_their_colours_in_the_table_only(terminal):
    found = make(("north", "south"))
    text = terminal(found)
    for name in ("north", "south", "west", "east", "far"):
        call = found[name].call
        assert f"\n{name}" in text
        assert re.search(rf"\n{name} +\x1b\[{COLOURS[call]}m{call}\x1b\[0m ", text)
    said = text.partition("Why")[2]
    assert not any(f"\x1b[{code}m" in said for code in COLOURS.values())


@pytest.mark.parametrize(
    ("changes", "code"),
    [({}, "1;32"), ({"p_gain": 0.7}, "1;33"), ({"used": ()}, "1;31")],
)
def test_the_headline_is_coloured_by_its_tone(terminal, changes, code):
    found = make(**changes)
    assert terminal(found, 200).startswith(f"\x1b[{code}m{found.headline}\x1b[0m\n")


def test_details_show_all_columns(terminal, square):
    for result in (make(), gain(), square):
        few, all_of_it = (COLOUR.sub("", terminal(result, 200, details=d)) for d in (False, True))
        assert all_of_it.startswith(few)
        head = all_of_it.partition("\nAll columns\n")[2].splitlines()[0].split()
        assert head == list(result.frame.columns)
        assert "All columns" not in few


def test_details_of_one_row_stand_below_each_other():
    found = gain(("art",))
    told = shown_text(found, details=True).partition("\nAll columns\n")[2].splitlines()
    assert [line.split()[0] for line in told] == list(found.frame.columns)


def test_details_give_every_reason():
    many = tuple(replace(make().choices[0], source=f"s{k}") for k in range(9))
    found = make(choices=many, used=tuple(each.source for each in many))
    short, whole = (shown_text(found, details=d) for d in (False, True))
    assert "- ... and 3 more, with all details." in short
    assert "s8 helps:" not in short
    assert "s8 helps:" in whole
    assert "with all details" not in whole


def test_names_cannot_steer_a_terminal(terminal, square):
    for result in (odd(), square, gain(("concatenate\x1b[2J", "b\x07"))):
        for details in (False, True):
            text = terminal(result, details=details)
            bare = COLOUR.sub("", text)
            assert all(line.isprintable() for line in bare.splitlines())
            # Every colour is one of our own.
            assert {*COLOUR.findall(text)} <= {
                f"\x1b[{code}m"
                for code in ("0", "1", "2", "1;31", "1;32", "1;33", *COLOURS.values())
            }
        plain = shown_text(result)
        assert all(line.isprintable() for line in plain.splitlines())
    assert "two\\nlines\\x1b[31m" in shown_text(odd())
    assert "[red]" in COLOUR.sub("", terminal(odd()))


def test_notes_are_shown_once(terminal):
    found = make(notes=("north: 3 rows left out", "made of 2 files"))
    said = [
        "north: 3 rows left out",
        "table read as Latin-1\x1b[31m",
        "table read as Latin-1\x1b[31m",
    ]
    for text in (shown_text(found, notes=said), COLOUR.sub("", terminal(found, notes=said))):
        assert text.count("What was done to the data") == 1
        assert text.count("- north: 3 rows left out") == 1
        assert text.count("- table read as Latin-1\\x1b[31m") == 1
        assert text.count("- made of 2 files") == 1
    assert "What was done" not in shown_text(make())


def test_a_text_of_its_own_has_no_notes_here(terminal, make_mixed):
    found = datakin.describe({"t": make_mixed(60, 1)}, label="y")
    for text in (
        shown_text(found, notes=["a note"]),
        COLOUR.sub("", terminal(found, notes=["a note"])),
    ):
        assert text.strip() == found.text(80)


def test_names_as_titles_of_columns_are_cut_so_that_the_square_fits(square):
    lines = square.answer.table.lines()
    assert max(map(len, lines)) <= 80
    assert "two\\nline" in lines[0]
    assert "interval" in lines[0].split()
    assert all(len(line.split()) >= len(square.names) for line in lines[1:])
    assert answer_html(square.answer).count("<th>") == len(square.names) + 1


def test_a_table_without_rows_and_with_unknown_numbers():
    nan = float("nan")
    none = AnswerTable(("source", "gain", "interval"), (), ("gain",), bar_of="90% interval")
    assert none.lines(40)[0].startswith("source  gain  -1%")
    one = replace(none, rows=(Row(("a", "-", ""), bar=Bar(nan, nan, nan)), Row(("b", "-", ""))))
    assert [line.split() for line in one.lines()[1:]] == [["a", "-", "|"], ["b", "-", "|"]]
    assert Answer("plain", "Nothing.", table=one).text().startswith("Nothing.\n\nsource")


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0%"), (-0.004, "-0.4%"), (-0.0001, "0%"), (0.11, "+11%"), (1.5, "+150%")],
)
def test_the_ends_of_an_axis(value, said):
    assert Axis(-1.0, 1.0).text(value) == said


def test_bars_stay_in_their_room():
    rng = np.random.default_rng(0)
    for _ in range(200):
        low, value, high = np.sort(rng.normal(scale=10.0 ** rng.integers(-3, 3), size=3))
        table = AnswerTable(
            ("s", "interval"), (Row(("a", ""), bar=Bar(value, low, high)),), bar_of="x"
        )
        text = bar_text(table.rows[0].bar, table.axis, 12)
        assert len(text) <= 12
        assert set(text) <= set(" -|o<>")
        assert "|" in text or "o" in text
