"""The help: short where one begins, whole where it is asked for."""

import re

import pytest

from datakin.distances import METHODS

COMMANDS = ["check", "score", "rank", "matrix", "explain", "choose", "gain", "predict", "demo"]
EVERY = [*([name] for name in COMMANDS), *(["distance", name] for name in METHODS)]
PYTHON = re.compile(r"<\w+(\[\w+\])?>|\b\w+=\[|\bNone\b")  # types and values as Python spells them


@pytest.fixture
def ask(call_main, monkeypatch):
    """Return the lines that some words print on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def lines(*words):
        code, out, err = call_main(*words)
        assert (code, err) == (0, "")
        return out.rstrip().splitlines()

    return lines


def test_without_words_a_few_lines_say_how_to_begin(ask):
    lines = ask()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 80
    for command in ("check", "choose", "predict", "explain", "demo"):
        words = f"datakin {command}"
        assert sum(words in line for line in lines) == 1
    assert "datakin --help" in lines[-1]


def test_the_help_of_the_program_fits_a_screen(ask):
    lines = ask("--help")
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    panels = [line.split("─ ")[1].split(" ─")[0] for line in lines if line.startswith("╭")]
    assert panels == ["Options", "Start here", "Measure kinship", "Try methods"]
    at = {name: k for k, line in enumerate(lines) for name in COMMANDS if f"│ {name} " in line}
    assert list(at) == [
        *("check", "choose", "predict", "demo"),
        *("score", "rank", "matrix", "explain", "gain"),
    ]
    assert at["demo"] - at["check"] == 3  # a line each
    text = " ".join("\n".join(lines).split())
    for code in ("0 done", "1 bad input", "3 a call", "130 interrupted", "141 "):
        assert code in text
    assert not PYTHON.search(text)


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_the_help_of_a_command_is_short_and_says_where_the_rest_is(ask, command):
    lines = ask(*command, "--help")
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"Usage: datakin {' '.join(command)} ")
    assert lines[-1] == f"All options: datakin {' '.join(command)} --help-all"
    assert any(line.startswith(f"  datakin {' '.join(command)}") for line in lines)  # an example
    assert any(line.startswith("  --out FILE") for line in lines)
    assert not PYTHON.search("\n".join(lines))


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_all_options_are_shown_on_demand(ask, command):
    few, every = " ".join(ask(*command, "--help")), " ".join(ask(*command, "--help-all"))
    shown = [set(re.findall(r"--[a-z][a-z-]+", text)) for text in (few, every)]
    assert shown[0] <= shown[1] | {"--help-all"}
    assert {"--quiet", "--force", "--help-all"} <= shown[1]
    assert "--quiet" not in shown[0]
    if command != ["demo"]:
        assert {"--encoding", "--config", "--no-config"} <= shown[1] - shown[0]


def test_what_a_command_needs_most_is_in_its_help(ask):
    text = " ".join(ask("choose", "--help"))
    for option in ("--label COLUMN", "--domain", "--target", "--ignore", "--task", "--model FILE"):
        assert option in text
    for option in ("--out", "--report", "--json", "--n-jobs", "--test"):
        assert option in text
    assert "--learners" not in text


def test_options_on_help_do_not_reach_the_work(call_main):
    code, out, err = call_main("rank", "--help-all", "--label", "y", "absent.csv")
    assert (code, err) == (0, "")
    assert "--sharpness" in out
