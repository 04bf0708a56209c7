"""Spots of pages: every page has some, the cheapest come out again here, and a stale page is named."""

import json
import shutil
from pathlib import Path

import pytest

from datakin import DatakinError
from reproduction import checking, keeping, stamps
from reproduction.__main__ import main
from reproduction.checking import check_pages
from reproduction.pages import Page, all_pages
from reproduction.replicates import (
    EQUAL,
    Spot,
    as_columns,
    differences,
    read_replicates,
    run_spots,
    spots_of,
)
from reproduction.studies import STUDIES, reproduce
from reproduction.study import RESULTS, Study, Summary

ROOT = Path(__file__).parents[2]
PAGES = all_pages()
SPOTS = {spot.label: spot for page in PAGES.values() for spot in page.spots}
# Squared errors and distances: no row can fall on the other side of a boundary on another processor.
QUICK = ("distances-fourclass", "distances-linear", "distances-logistic", "gains-linear")
SAID = [label for label, spot in SPOTS.items() if spot.said is not None]


def test_every_page_is_known():
    there = {
        path.relative_to(ROOT).as_posix()
        for folder in ("reproduction", "benchmarks")
        for path in (ROOT / folder / "results").glob("*.md")
    }
    assert {name.partition("#")[0] for name in PAGES} == there
    kept = {path.stem for path in (ROOT / "benchmarks" / "results").glob("*.json")}
    kept = {stem for stem in kept if not stem.startswith("faults")}
    assert {name.partition("#")[2] for name in PAGES} - {""} == kept


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_spots_or_a_reason_and_says_what_made_it(name):
    page = PAGES[name]
    assert bool(page.spots) != bool(page.reason)
    text = page.text(ROOT)
    assert f"`{page.command}`" in text
    assert stamps.has_stamp(text) or "faults" in name


def test_rows_of_every_spot_are_kept_or_said():
    assert set(read_replicates(RESULTS)) == SPOTS.keys() - set(SAID)
    assert all(column for rows in read_replicates(RESULTS).values() for column in rows.values())
    for label in SAID:
        said = SPOTS[label].said(ROOT)
        assert said, label
        assert any(said.values()), label


@pytest.mark.parametrize("name", QUICK)
def test_the_cheapest_come_out_again(name):
    (label,) = (label for label in SPOTS if label.startswith(f"{name}:"))
    found = differences(read_replicates(RESULTS)[label], SPOTS[label].run())
    assert max(found.values(), default=0.0) <= EQUAL, found


@pytest.mark.parametrize(
    ("now", "found"),
    [
        ({"x": [1.0, 2.0], "z": ["a", None]}, {}),
        ({"x": [1.0, 2.0], "z": ["a", None], "new": [1, 2]}, {}),
        ({"x": [1.0, 2.5], "z": ["a", None]}, {"x": 0.2}),
        ({"x": [1, 4], "z": ["a", None]}, {"x": 0.5}),
        ({"x": [1.0, float("nan")], "z": ["a", None]}, {"x": float("inf")}),
        ({"x": [1.0], "z": ["a", "b"]}, {"x": float("inf"), "z": float("inf")}),
        ({"x": [1.0, 2.0]}, {"z": float("inf")}),
    ],
)
def test_differences(now, found):
    kept = {"x": [1.0, 2.0], "z": ["a", None]}
    assert differences(kept, now) == found
    assert differences({**kept, "x": [float("nan")]}, {**now, "x": [float("nan")]}).get("x") is None


def test_rows_and_records_become_columns():
    assert as_columns([{"a": 1, "seconds": 2.0}, {"b": "x"}]) == {"a": [1, None], "b": [None, "x"]}
    record = {
        "a": 1,
        "seconds_all": 2.0,
        "losses": {"x": 0.5, "deep": {"y": 1}},
        "sources": [{"n": 1}, {"n": 2}],
        "used": ["u", "v"],
    }
    assert as_columns(record) == {
        "a": [1],
        "losses.x": [0.5],
        "losses.deep.y": [1],
        "sources.n": [1, 2],
        "used": ["u", "v"],
    }


def test_what_is_shared_runs_once(monkeypatch):
    ran = []

    def replicate(cell, seed):
        ran.append(seed)
        return [{"value": 1.0}]

    cells = [{"run": "shared", "setting": "a"}]
    studies = [Study(name, "", cells, replicate, print, 3) for name in ("one", "two")]
    for study in studies:
        monkeypatch.setitem(STUDIES, study.name, study)
    found = run_spots(spot for study in studies for spot in spots_of(study))
    assert {label: each.rows for label, each in found.items()} == {
        "shared: a; seed 0": {"value": [1.0]},
        "shared: a; seed 1": {"value": [1.0]},
    }
    assert ran == [0, 1]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A repository of two pages of one run; its rows can be changed."""
    rows = [{"value": 0.1, "name": "a", "seconds": 1.0}, {"value": 0.2}]
    folder = tmp_path / "reproduction" / "results"
    folder.mkdir(parents=True)
    pages = {}
    for name in ("toy", "other"):

        def summarise(frame):
            return Summary(frame, "A table.")

        cell = {"run": "toy", "level": 1}
        study = Study(name, "A toy.", [cell], lambda cell, seed: rows, summarise, 3)
        monkeypatch.setitem(STUDIES, name, study)
        path = f"reproduction/results/{name}.md"
        pages[path] = Page(path, f"python -m reproduction {name}", tuple(spots_of(study)))
    for module in (checking, keeping):
        monkeypatch.setattr(module, "all_pages", lambda: pages)
    monkeypatch.setattr("reproduction.studies.ABOUT", {"toy": "", "other": "", "replicates": ""})
    monkeypatch.setattr("reproduction.__main__.ABOUT", {"toy": "", "other": "", "replicates": ""})
    for name in ("toy", "other"):
        reproduce(name, folder=folder)
    return rows, folder


def states(folder, **options):
    found = check_pages([*checking.all_pages().values()], folder, **options)
    return {checking.short(each.page): each.state for each in found}


def test_a_study_keeps_the_rows_of_its_page(toy):
    rows, folder = toy
    kept = {"value": [0.1, 0.2], "name": ["a", None]}
    assert read_replicates(folder) == {"toy: 1; seed 0": kept, "toy: 1; seed 1": kept}
    assert stamps.has_stamp((folder / "toy.md").read_text())
    assert states(folder) == {"toy": "passes", "other": "passes"}
    rows[1]["value"] += 1e-12
    assert states(folder) == {"toy": "passes", "other": "passes"}


def test_a_page_whose_rows_differ_is_named(toy, capsys):
    rows, folder = toy
    place = ["--folder", str(folder)]
    rows[1]["value"] += 1e-8
    assert main(["replicates", "--check", *place]) == 1
    said = capsys.readouterr().out
    assert "| toy | DIFFERS | 1e-08 | 0.0 | by 1e-08: toy: 1; seed 0: value; by 1e-08: " in said
    assert said.endswith("2 pages: 2 DIFFERS.\n")
    assert "Stale" not in (folder / "toy.md").read_text(), "a check writes nothing"
    assert main(["replicates", "--mark", "toy", *place]) == 0
    assert states(folder) == {"toy": "stale", "other": "DIFFERS"}
    lines = (folder / "toy.md").read_text().splitlines()
    assert lines[:2] == ["# toy", ""]
    assert lines[2].startswith("**Stale:** rows differ from those of today's code (seen on 20")
    assert lines[2].endswith("Run `python -m reproduction toy`.")
    once = (folder / "toy.md").read_text()
    (folder / "replicates.json").unlink()
    assert states(folder, is_marking=True) == {"toy": "stale", "other": "DIFFERS"}, "unknown"
    assert main(["replicates", "--mark", "toy", *place]) == 0
    assert (folder / "toy.md").read_text() == once


def test_a_study_that_is_run_again_takes_the_mark_away(toy):
    rows, folder = toy
    rows[0]["value"] = 5.0
    assert states(folder, is_marking=True) == {"toy": "stale", "other": "stale"}
    shutil.rmtree(folder / "cache")
    reproduce("toy", folder=folder)
    assert states(folder) == {"toy": "passes", "other": "stale"}
    reproduce("other", folder=folder)
    assert states(folder) == {"toy": "passes", "other": "passes"}


def test_a_study_made_of_old_rows_is_named(toy):
    rows, folder = toy
    rows[0]["value"] = 5.0
    reproduce("toy", folder=folder)  # from its cache
    assert states(folder) == {"toy": "DIFFERS", "other": "DIFFERS"}


def test_new_rows_after_a_change_mark_their_pages(toy, capsys):
    rows, folder = toy
    place = ["--folder", str(folder)]
    assert main(["replicates", "--keep", "toy", *place]) == 0
    assert capsys.readouterr().out == "No page is stale by that.\n"
    rows[0]["value"] = 5.0
    assert main(["replicates", "--keep", "toy", *place]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [f"stale now: reproduction/results/{name}.md" for name in ("toy", "other")]
    assert read_replicates(folder)["toy: 1; seed 1"]["value"] == [5.0, 0.2]
    found = check_pages([*checking.all_pages().values()], folder)
    assert {each.state for each in found} == {"stale"}
    assert found[0].note == "its spots come out; its figures are older"
    assert main(["replicates", "--check", *place]) == 0


def test_the_list_of_spots_is_that_of_the_pages():
    page = PAGES["reproduction/results/replicates.md"]
    (found,) = check_pages([page])
    assert found.state == "passes"


def test_a_page_that_rests_on_a_stale_one_is_stale(toy, monkeypatch):
    rows, folder = toy
    pages = checking.all_pages()
    name = "reproduction/results/sum.md"
    (folder / "sum.md").write_text("# sum\n\nMade.\n")
    spot = Spot("sum", "builtins:dict", (), lambda root: {})
    rests = Page(name, "make sum", (spot,), rests_on=tuple(pages))
    for module in (checking, keeping):
        monkeypatch.setattr(module, "all_pages", lambda: {**pages, name: rests})
    assert states(folder)["sum"] == "passes"
    rows[0]["value"] = 5.0
    assert states(folder, is_marking=True) == dict.fromkeys(("toy", "other", "sum"), "stale")


def test_what_cannot_run_here_is_said(toy, monkeypatch):
    _, folder = toy
    spots = tuple(spots_of(STUDIES["gusto"]))
    name = "reproduction/results/gusto.md"
    (folder / "gusto.md").write_text("# gusto\n")
    for module in (checking, keeping):
        monkeypatch.setattr(module, "all_pages", lambda: {name: Page(name, "x", spots)})
    (found,) = check_pages([*checking.all_pages().values()], folder, data=folder)
    assert found.state == "not checked"
    assert "gusto.csv.gz was expected in" in found.note


def test_what_fails_is_said_of_its_page_alone(toy, monkeypatch):
    _, folder = toy
    pages = checking.all_pages()
    (folder / "bad.md").write_text("# bad\n")
    name = "reproduction/results/bad.md"
    bad = Page(name, "make bad", (Spot("bad", "builtins:int", ("x",)),))
    for module in (checking, keeping):
        monkeypatch.setattr(module, "all_pages", lambda: {**pages, name: bad})
    assert states(folder) == {"toy": "passes", "other": "passes", "bad": "DIFFERS"}
    (found,) = check_pages([bad], folder)
    assert found.note.startswith("by inf: bad: ValueError: invalid literal")
    with pytest.raises(DatakinError, match="bad did not run: ValueError"):
        keeping.keep_rows([bad], folder)


@pytest.mark.parametrize("name", ["dialects", "stability", "choices", "size"])
def test_a_page_of_benchmarks_made_stale_on_purpose_is_named(name, tmp_path):
    """Its file says something else than what comes out."""
    folder = tmp_path / "benchmarks" / "results"
    folder.mkdir(parents=True)
    for path in (ROOT / "benchmarks" / "results").glob(f"{name}*"):
        shutil.copy(path, folder)
    page = PAGES[f"benchmarks/results/{name}.md"]
    before = [spot.said(tmp_path) for spot in page.spots]
    changes = {
        "dialects.md": ("| right | **fails** | right |", "| **comma** | **fails** | right |"),
        "stability.md": ("| 0 | lda | 0.0", "| 0 | lda | 0.1"),
        "choices.csv": (",1960,zero_one,choose,0.", ",1960,zero_one,choose,1."),
        "size.md": ("| all of src/datakin |", "| all of src/datakin | 9 |"),
    }
    for file, (old, new) in changes.items():
        if file.startswith(name):
            text = (folder / file).read_text(encoding="utf-8")
            assert old in text
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    after = [spot.said(tmp_path) for spot in page.spots]
    sizes = [
        max(differences(one, two).values(), default=0.0) > spot.equal
        for spot, one, two in zip(page.spots, before, after, strict=True)
    ]
    assert any(sizes)


def test_a_section_of_the_benchmarks_is_marked(tmp_path):
    folder = tmp_path / "benchmarks" / "results"
    folder.mkdir(parents=True)
    for path in (ROOT / "benchmarks" / "results").glob("*.json"):
        found = json.loads(path.read_text(encoding="utf-8"))
        found.pop("stale", None)
        (folder / path.name).write_text(json.dumps(found), encoding="utf-8")
    page = PAGES["benchmarks/results/RESULTS.md#choosing"]
    page.mark_stale(tmp_path)
    text = (folder / "RESULTS.md").read_text(encoding="utf-8")
    assert text.count(stamps.STALE) == 1
    assert page.is_stale(tmp_path)
    assert not PAGES["benchmarks/results/RESULTS.md#explaining"].is_stale(tmp_path)


def test_rows_of_a_commit(tmp_path, monkeypatch):
    if not stamps.git("rev-parse", "HEAD"):
        pytest.skip("no repository of git")
    monkeypatch.setattr(keeping, "as_columns", lambda found: {"said": [found]})
    spot = Spot("one", "reproduction.stamps:has_stamp", (stamps.stamp(),))
    assert keeping.at_commit("HEAD", [spot], tmp_path) == {"one": {"said": [True]}}
    with pytest.raises(DatakinError, match="The commit 'none' cannot be read"):
        keeping.at_commit("none", [spot], tmp_path)


def test_stamps(tmp_path, monkeypatch):
    assert stamps.has_stamp(f"{stamps.stamp()} by `x`.")
    page = tmp_path / "page.md"
    page.write_text("# page\n\nCommand: `python -m x`. Seeds 0 to 1.\n")
    said = "Rows last changed on 2026-11-16 in commit abc1234"
    monkeypatch.setattr(stamps, "stamp_of_rows", lambda rows: said)
    assert stamps.add_stamp(page, "python -m y")
    assert page.read_text() == f"# page\n\n{said} by `python -m x`. Seeds 0 to 1.\n"
    assert not stamps.add_stamp(page, "python -m y"), "once is enough"


def test_bad_input(capsys):
    assert main(["replicates", "--check", "table-x"]) == 1
    assert "No page is called 'table-x'. Those known are 'null-" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["coverage", "--check"])
    assert "--check goes with replicates" in capsys.readouterr().err
