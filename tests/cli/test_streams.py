"""Standard output and error that are closed, full or end early: nothing is lost, nothing is hidden."""

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin._core.files import printed, say
from datakin.report import read_report
from datakin.results.record import for_spreadsheet

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
RANK = "rank north.csv south.csv west.csv --label died --models logistic --cv 3"
FILES = "--report r.html --out r.csv"


@pytest.fixture
def shell(tmp_path):
    """Run a command line in a shell, in a folder with three tables."""
    for seed, name in enumerate(("north", "south", "west")):
        write_table(tmp_path / f"{name}.csv", seed)

    def run(command, before=""):
        command = before + command.replace("datakin ", f"{sys.executable} -m datakin ", 1)
        made = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert "Traceback" not in made.stderr
        assert "Exception ignored" not in made.stderr
        return made

    run.folder = tmp_path
    return run


def write_table(path, seed):
    rng = np.random.default_rng(seed)
    age, dose = rng.normal(size=(2, 60))
    died = (age + seed / 3 * dose + 0.5 * rng.normal(size=60) > 0).astype(int)
    pd.DataFrame({"age": age, "dose": dose, "died": died}).to_csv(path, index=False)


def assert_files(folder):
    assert read_report(folder / "r.html").target == "north"
    assert len(pd.read_csv(folder / "r.csv")) == 2


@pytest.mark.long
def test_files_are_written_where_the_reader_of_the_output_has_left(shell):
    made = shell(f"datakin {RANK} {FILES} | true; exit ${{PIPESTATUS[0]}}")
    assert made.returncode == 141
    assert made.stderr.splitlines() == ["Written to r.csv", "Written to r.html"]
    assert_files(shell.folder)


@needs_full
@pytest.mark.parametrize("options", ["", pytest.param("--json", marks=pytest.mark.long)])
def test_a_full_output_is_said_and_files_are_written(shell, options):
    made = shell(f"datakin {RANK} {FILES} {options} > /dev/full")
    assert made.returncode == 1
    assert "could not be written to standard output: No space left on device." in made.stderr
    assert_files(shell.folder)


def test_a_closed_output_is_said_and_files_are_written(shell):
    made = shell(f"datakin {RANK} {FILES} --json >&-")
    assert made.returncode == 1
    assert "standard output is closed. Write it to a file: --out." in made.stderr
    assert_files(shell.folder)


@needs_full
@pytest.mark.parametrize("where", ["2> /dev/full", pytest.param("2>&-", marks=pytest.mark.long)])
def test_a_run_goes_on_without_standard_error(shell, where):
    made = shell(f"datakin {RANK} {FILES} --json {where}")
    assert made.returncode == 0
    assert len(datakin.from_json(made.stdout)) == 2
    assert_files(shell.folder)


@pytest.mark.long
def test_a_result_is_printed_where_a_file_cannot_be_written(shell):
    made = shell(f"datakin {RANK} --json --report r.html > out.json", before="ulimit -f 40;")
    assert made.returncode == 1
    assert "The report could not be written to 'r.html': File too large." in made.stderr
    assert json.loads((shell.folder / "out.json").read_text())["type"] == "Ranking"
    assert not (shell.folder / "r.html").exists()


@pytest.mark.long
def test_the_first_line_of_the_demonstration(shell):
    made = shell("datakin demo --report demo.html | head -1; exit ${PIPESTATUS[0]}")
    assert made.returncode in (0, 141)  # it may be done before its reader leaves
    assert made.stdout.startswith("Use 2 of 6 sources")
    assert (shell.folder / "demo.html").exists()


@pytest.mark.parametrize("command", ["--version", "rank --help"])
def test_the_help_may_be_left_half_read(shell, command):
    made = shell(f"datakin {command} | true; exit ${{PIPESTATUS[0]}}")
    assert (made.returncode, made.stderr) == (141, "")


def test_a_fault_of_a_file_is_not_one_of_the_output(monkeypatch, call_main):
    def fail(*_, **__):
        raise PermissionError(13, "Permission denied", "/closed/x")

    monkeypatch.setattr("datakin.choose", fail)
    code, _, err = call_main("demo")
    assert (code, err) == (
        1,
        "Error: '/closed/x' could not be read or written: Permission denied.\n",
    )


@needs_full
@pytest.mark.parametrize("command", ["--version", "rank --help"])
def test_words_that_cannot_be_printed_are_no_success(shell, command):
    made = shell(f"datakin {command} > /dev/full")
    assert made.returncode == 1
    assert "No space left on device" in made.stderr


@pytest.mark.long
def test_names_that_are_not_text(shell):
    odd = b"caf\xe9\x1b[31m\n.csv"
    write_table(shell.folder / os.fsdecode(odd), 3)
    command = RANK.replace("west.csv", "$'caf\\xe9\\x1b[31m\\n.csv'")
    for more in ("", "--json"):
        made = shell(f"datakin {command} {FILES} --plot p.svg --force {more}")
        assert made.returncode == 0
        assert "\x1b" not in made.stdout + made.stderr
    names = {c.source for c in datakin.from_json(made.stdout)}
    assert len(names) == 2
    assert {c.source for c in read_report(shell.folder / "r.html")} == names
    with open(shell.folder / "r.csv", encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 2


FORMULAS = ("=cmd|' /c calc'!A1", "+1+1", "-x", "@SUM(A1)")


def test_names_that_spreadsheets_would_compute(tmp_path, monkeypatch, call_main):
    monkeypatch.chdir(tmp_path)
    parts = []
    for seed, name in enumerate(("north", *FORMULAS)):
        write_table(tmp_path / "part.csv", seed)
        parts.append(pd.read_csv("part.csv").assign(site=name))
    pd.concat(parts).to_csv("all.csv", index=False)
    code, _, _ = call_main(
        *("rank", "all.csv", "--domain", "site", "--target", "north", "--label", "died"),
        *("--models", "logistic", "--cv", "3", "--out", "r.csv", "--quiet"),
    )
    assert code == 0
    with open("r.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["source"] for row in rows} == {f"'{name}" for name in FORMULAS}
    frame = pd.DataFrame({"source": ["-x"], "score": [-0.5], "n_rows": [-3]})
    assert for_spreadsheet(frame).to_csv(index=False) == "source,score,n_rows\n'-x,-0.5,-3\n"


def test_nothing_is_said_to_a_closed_stream(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    say("unheard")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(datakin.DatakinError, match="standard output is closed"), printed():
        pass


def test_progress_on_a_terminal_that_was_closed(monkeypatch):
    from datakin._core import progress

    class Gone:
        encoding = "utf-8"

        def isatty(self):
            return True

        def flush(self):
            pass

        def write(self, text):
            written.append(text)
            raise OSError(5, "Input/output error")

    written = []

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", Gone())
    with progress.progress("fitting", 3) as advance:
        for _ in range(3):
            advance()
        progress.say("one of three")
    assert "one of three\n" in written
