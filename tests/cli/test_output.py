"""--report, --plot, --force and --quiet: what is written, and what is refused before any work."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin.report import read_report

FAST = ["--label", "died", "--models", "logistic", "--cv", "3"]


@pytest.fixture
def run(tmp_path, monkeypatch, call_main):
    """Run a command in a folder with three tables."""
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("north", "south", "west")):
        rng = np.random.default_rng(seed)
        age, dose = rng.normal(size=(2, 60))
        died = (age + seed / 3 * dose + 0.5 * rng.normal(size=60) > 0).astype(int)
        frame = pd.DataFrame({"age": age, "dose": dose, "died": died})
        (frame.assign(unit="mg") if name == "west" else frame).to_csv(f"{name}.csv", index=False)
    return call_main


RANK = ["rank", "north.csv", "south.csv", "west.csv", *FAST]


def test_report_holds_the_result_the_command_and_the_notes(run):
    code, out, err = run(*RANK, "--report", "r.html", "--json")
    assert code == 0
    assert read_report("r.html") == datakin.from_json(out)
    text = Path("r.html").read_text(encoding="utf-8")
    assert "datakin rank north.csv south.csv west.csv --label died" in text
    assert "constant column(s) dropped: 'unit'" in text
    assert "Written to r.html" in err


def test_picture_of_every_command(run):
    pytest.importorskip("matplotlib")
    commands = {
        "score.png": ["score", "north.csv", "south.csv", *FAST],
        "rank.svg": RANK,
        "matrix.pdf": ["matrix", "north.csv", "south.csv", "west.csv", *FAST],
        "distances.png": ["distance", "energy", "north.csv", "south.csv", "west.csv", "--label", "died"],
        "map.svg": ["distance", "js", "*.csv", "--label", "died", "--matrix"],
        "gain.png": ["gain", "north.csv", "south.csv", "--label", "died", "--repeats", "2",
                     "--methods", "concatenate"],
    }  # fmt: skip
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    for name, command in commands.items():
        code, _, err = run(*command, "--plot", name, "--report", f"{name}.html")
        assert (code, err.splitlines()[-2:]) == (
            0,
            [f"Written to {name}.html", f"Written to {name}"],
        )
        with open(name, "rb") as file:
            assert file.read(8).startswith(starts[name[-3:]])
    assert not [name for name in os.listdir() if name.startswith(".")]


def test_a_distance_has_no_picture_but_is_printed(run):
    command = ["distance", "energy", "north.csv", "south.csv", "--label", "died"]
    code, out, err = run(*command, "--plot", "d.png", "--quiet")
    assert (code, out) == (1, "")
    assert "There is no picture of a Distance" in err
    code, out, _ = run(*command, "--plot", "d.png")
    assert code == 1
    assert "Energy" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "no/r.html"], "The folder of --report must exist. Got 'no'."),
        (["--report", "r.txt"], "--report must end in .html or .htm. Got 'r.txt'."),
        (["--report", "folder.html"], "--report must be a file. Got the folder 'folder.html'."),
        (["--report", "there.html"], "--report 'there.html' is already there. Choose another name, or "
         "replace it: --force"),
        (["--plot", "there.png"], "--plot 'there.png' is already there."),
        (["--plot", "p.doc"], "--plot must end in "),
        (["--plot", "no/p.png"], "The folder of --plot must exist. Got 'no'."),
        (["--out", "there.csv"], "--out 'there.csv' is already there. Choose another name, or "
         "replace it: --force"),
        (["--out", "r.txt"], "--out must end in .json, .csv, .md or .xlsx. Got 'r.txt'."),
        (["--out", "no/r.csv"], "The folder of --out must exist. Got 'no'."),
    ],
)  # fmt: skip
def test_bad_places_are_refused_before_any_work(run, monkeypatch, options, message):
    os.mkdir("folder.html")
    for name in ("there.html", "there.png", "there.csv"):
        with open(name, "w") as file:
            file.write("mine")
    monkeypatch.setattr(datakin, "rank", lambda *a, **b: pytest.fail("worked in vain"))
    code, out, err = run(*RANK, *options)
    assert (code, out) == (1, "")
    assert err.startswith(f"Error: {message}")
    assert Path("there.html").read_text() == Path("there.csv").read_text() == "mine"


def test_force_replaces(run):
    for name in ("r.html", "r.json"):
        open(name, "w").close()
    code, _, _ = run(*RANK, "--report", "r.html", "--out", "r.json", "--force")
    assert code == 0
    assert read_report("r.html").target == "north"
    assert datakin.from_json(Path("r.json").read_text(encoding="utf-8")).target == "north"


def test_a_full_disk_is_told_after_the_result_was_shown(run, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    code, out, err = run(*RANK, "--report", "r.html")
    assert code == 1
    assert "\nBest first: south" in out
    assert err.endswith(
        "Error: The report could not be written to 'r.html': No space left on device.\n"
    )


def test_quiet_prints_nothing_but_errors_and_json(run):
    code, out, err = run(*RANK, "--quiet", "--out", "r.csv", "--report", "r.html")
    assert (code, out, err) == (0, "", "")
    assert os.path.exists("r.html")
    code, out, err = run(*RANK, "-q", "--json")
    assert (code, err) == (0, "")
    assert datakin.from_json(out).target == "north"
    code, out, err = run("rank", "absent.csv", "south.csv", *FAST, "-q")
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")


def test_memory_that_runs_out_is_told_with_what_to_do(run, monkeypatch):
    def fail(*args, **options):
        raise MemoryError

    monkeypatch.setattr(datakin, "rank", fail)
    code, _, err = run(*RANK)
    assert code == 1
    assert "--max-rows" in err


def test_help_loads_no_library():
    code = (
        "import sys; from datakin.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print(*{'numpy', 'pandas', 'sklearn'} & set(sys.modules), 'loaded')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1].strip() == "loaded"


@pytest.mark.parametrize("options", [[], ["--quiet"]])
@pytest.mark.parametrize("is_terminal", [False, True])
@pytest.mark.parametrize("n_sources", [1, 2])
def test_finished_sources_are_asked_for_where_they_are_printed(
    run, monkeypatch, options, is_terminal, n_sources
):
    asked = []

    def rank(target, sources, *, on_result, **options):
        asked.append(on_result)
        raise datakin.DatakinError("enough")

    monkeypatch.setattr(datakin, "rank", rank)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    assert run(*RANK[: 2 + n_sources], *FAST, *options)[0] == 1
    (on_result,) = asked
    assert (on_result is not None) == (is_terminal and n_sources > 1 and not options)


def completing(words, at):
    """Return what a shell sets for datakin to complete a word."""
    return {
        "_DATAKIN_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(at),
    }


def test_the_shell_completes_commands():
    code = "import sys; sys.argv[0] = 'datakin'; from datakin.cli import main; main()"
    variables = completing("datakin sc", 1)
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | variables, capture_output=True, text=True
    )
    assert done.stdout.split() == ["score"]


@pytest.mark.parametrize(
    ("words", "at", "found"),
    [
        ("datakin rank --estimate w", 3, "weighted"),
        ("datakin rank --task r", 3, "regression"),
        ("datakin distance w", 2, "wasserstein"),
        ("datakin distance otdd --inner g", 4, "gaussian"),
    ],
)
def test_the_shell_completes_values(words, at, found, monkeypatch, call_main):
    for name, value in completing(words, at).items():
        monkeypatch.setenv(name, value)
    _, out, _ = call_main()
    assert out.split() == [found]


SHOW = """
import sys, datakin
from datakin.cli.showing import show
for name in sys.argv[1:]:
    with open(name) as file:
        show(datakin.from_json(file.read()))
    print("=====")
"""


def seen_on_a_terminal(width, *files):
    """Return what is shown of each result where standard output is a terminal."""
    terminal, inside = pty.openpty()
    variables = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    variables |= {"COLUMNS": str(width), "TERM": "xterm-256color"}
    process = subprocess.Popen([sys.executable, "-c", SHOW, *files], stdout=inside, env=variables)
    os.close(inside)
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(terminal)
    assert process.wait() == 0
    return b"".join(parts).decode().split("=====")[:-1]


def test_colour_and_width_on_a_terminal(run):
    commands = {
        "rank": [RANK[:4], FAST],
        "score": [["score", *RANK[1:3]], FAST],
        "matrix": [["matrix", *RANK[1:4]], FAST],
        "far": [["distance", "energy", *RANK[1:4]], ["--label", "died"]],
        "apart": [["distance", "js", *RANK[1:4]], ["--label", "died", "--matrix"]],
    }
    for name, (command, options) in commands.items():
        assert run(*command[:5], *options, "-q", "--out", f"{name}.json")[0] == 0
    for width in (80, 200):
        seen = seen_on_a_terminal(width, *(f"{name}.json" for name in commands))
        assert len(seen) == len(commands)
        for text in seen:
            bare = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).replace("\r", "")
            assert max(map(len, bare.splitlines())) <= width
        for text in seen[:2]:
            assert re.search(r"\x1b\[[0-9;]*3[0-9]m", text)


def test_no_colour_elsewhere(run):
    for command in (RANK, ["score", *RANK[1:3], *FAST]):
        _, out, _ = run(*command)
        assert "\x1b" not in out
