"""datakin.toml: a study in one word."""

import json
from pathlib import Path

import pandas as pd
import pytest

import datakin
from tests.unit.choose.models import ward

STUDY = """
target = "mine.csv"
sources = ["others/*.csv"]
label = "died"
ignore = ["row, number"]

[choose]
learners = ["linear"]
repeats = 1
model = "kin.datakin"

[rank]
models = "logistic"
cv = 3

[matrix]
models = "logistic"

[distance]
scaling = "none"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table, two others, and a study."""
    monkeypatch.chdir(tmp_path)
    Path("others").mkdir()
    for seed, name in enumerate(("mine", "others/north", "others/south")):
        table = ward(seed, n=60).assign(**{"row, number": range(60)})
        table.to_csv(f"{name}.csv", index=False)
    Path("datakin.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


@pytest.fixture
def study(folder, call_main):
    """Write a study and run a command with it."""

    def run(text, *words):
        Path("datakin.toml").write_text(text, encoding="utf-8")
        return call_main(*words)

    return run


def said(err):
    return [line for line in err.splitlines() if line.startswith("Options from")]


def test_one_word_checks(folder, call_main):
    code, out, err = call_main("check")
    assert code == 0
    assert said(err) == ["Options from datakin.toml: label, ignore, target, sources."]
    assert out.index("mine") < out.index("north") < out.index("south")
    assert "row, number  left out" in out


def test_one_word_ranks_and_maps(folder, call_main):
    code, out, err = call_main("rank", "--json")
    assert code == 0
    assert said(err) == ["Options from datakin.toml: label, ignore, models, cv, target, sources."]
    result = datakin.from_json(out)
    assert (result.target, {each.source for each in result}) == ("mine", {"north", "south"})
    code, out, _ = call_main("matrix", "--json")
    assert datakin.from_json(out).names == ("mine", "north", "south")
    code, out, err = call_main("distance", "otdd", "--json")
    assert code == 0
    assert "scaling" in said(err)[0]


def test_one_word_chooses_and_the_model_predicts(folder, call_main):
    code, out, err = call_main("choose")
    assert code == 0
    assert "The model is in kin.datakin" in out
    code, out, err = call_main("predict", "kin.datakin", "mine.csv", "--json")
    assert code == 0
    assert said(err) == []  # nothing of the file is for new rows
    assert len(json.loads(out)["values"]) == 60


def test_what_is_typed_wins(folder, call_main):
    words = ("rank", "mine.csv", "others/south.csv", "--cv", "4", "--json")
    code, out, err = call_main(*words)
    assert code == 0
    assert said(err) == ["Options from datakin.toml: label, ignore, models."]
    result = datakin.from_json(out)
    assert [each.source for each in result] == ["south"]
    assert result["south"].provenance.options["cv"] == 4


def test_no_config_and_quiet(folder, call_main):
    code, _, err = call_main("rank", "--no-config")
    assert code == 1
    assert "Missing argument" in err
    code, _, err = call_main("rank", "--quiet", "--json")
    assert (code, err) == (0, "")


def test_paths_are_those_of_the_file(folder, call_main, monkeypatch):
    place = folder / "a [b] folder"
    place.mkdir()
    for name in ("mine.csv", "others", "datakin.toml"):
        (folder / name).rename(place / name)
    code, out, err = call_main("choose", "--config", "a [b] folder/datakin.toml", "--json")
    assert code == 0
    assert said(err)[0].startswith("Options from a [b] folder/datakin.toml: ")
    assert {each.source for each in datakin.from_json(out).choices} == {"north", "south"}
    assert (place / "kin.datakin").exists()


def test_a_report_has_the_whole_command(folder, call_main):
    code, _, _ = call_main("rank", "--report", "r.html")
    assert code == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "datakin rank --report r.html --label=died" in page
    assert "mine.csv" in page


def test_with_a_domain_the_target_is_one_of_its_values(study):
    tables = [ward(seed, n=60).assign(site=100 + seed) for seed in range(3)]
    pd.concat(tables).to_csv("all.csv", index=False)
    text = 'sources = "all.csv"\ndomain = "site"\ntarget = 101\nlabel = "died"\nmodels = "logistic"'
    code, out, _ = study(text, "rank", "--json")
    assert code == 0
    result = datakin.from_json(out)
    assert (result.target, {each.source for each in result}) == ("101", {"100", "102"})
    assert study(text, "check")[0] == 0
    assert datakin.from_json(study(text, "matrix", "--json")[1]).names == ("100", "101", "102")


def test_score_takes_one_source(study):
    text = 'target = "mine.csv"\nsources = {}\nlabel = "died"\nmodels = "logistic"'
    code, out, _ = study(text.format('"others/north.csv"'), "score", "--json")
    assert (code, datakin.from_json(out).source) == (0, "north")
    code, _, err = study(text.format('["others/north.csv", "others/south.csv"]'), "score")
    assert code == 1
    assert "datakin.toml: sources must be one table for datakin score. Got 2" in err


def test_flags_are_true_or_false(study):
    text = 'target = "mine.csv"\nsources = "others/*.csv"\nlabel = "died"\nmodels = "logistic"\n'
    text += "stratify = false\nskip_unusable = true"
    code, out, _ = study(text, "rank", "--json")
    assert code == 0
    assert datakin.from_json(out)["south"].provenance.options["stratify"] is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labl = 'died'", "datakin.toml: no option is called 'labl'. Did you mean 'label'"),
        ("[choose]\nlearner = 'linear'", "datakin.toml, [choose]: no option is called 'learner'. "
         "Did you mean 'learners'"),
        ("[rank]\nmodel = 'x'", "datakin.toml, [rank]: no option is called 'model'"),
        ("[chose]\nmodel = 'x'", "datakin.toml: no option is called 'chose'. Did you mean 'choose'"),
        ("choose = 1", "datakin.toml: [choose] must be a table of options of datakin choose. Got 1."),
        ("config = 'x'", "datakin.toml: no option is called 'config'"),
        ("out = 'x.csv'", "datakin.toml: out must stand below a command, such as [choose] or [rank]"),
        ("label = true", "datakin.toml: label must be a text or a list of texts. Got true."),
        ("cv = 'three'", "datakin.toml: cv must be a whole number. Got 'three'."),
        ("cv = 2.5", "datakin.toml: cv must be a whole number. Got 2.5."),
        ("direction = 'up'", "datakin.toml: direction must be a number. Got 'up'."),
        ("screen = 'yes'", "datakin.toml: screen must be true or false. Got 'yes'."),
        ("task = ['binary']", "datakin.toml: task must be a text. Got ['binary']."),
        ("ignore = [['a']]", "datakin.toml: ignore must be a text or a list of texts. Got [['a']]."),
        ("sources = true", "datakin.toml: sources must be a text or a list of texts. Got true."),
        ("target = ['a.csv']", "datakin.toml: target must be a text. Got ['a.csv']."),
        ("[rank]\nout = 1", "datakin.toml: out must be the name of a file. Got 1."),
        ("label =", "datakin.toml must be a TOML file, with lines such as label = \"died\". Got: "),
    ],
)  # fmt: skip
def test_mistakes_are_named(study, text, message):
    code, out, err = study(text, "rank")
    assert (code, out) == (1, "")
    assert err.startswith(f"Error: {message}")
    assert len(err.splitlines()) == 1


def test_a_file_that_is_not_there(folder, call_main):
    code, _, err = call_main("rank", "--config", "absent.toml")
    assert code == 1
    assert "'absent.toml' could not be read: No such file or directory" in err


def test_help_does_not_need_a_sound_file(study):
    code, out, err = study("labl = 1", "rank", "--help")
    assert (code, err) == (0, "")
    assert out.startswith("Usage: datakin rank")


def test_demo_takes_no_study(study):
    code, out, err = study("labl = 1", "demo", "--help")
    assert (code, err) == (0, "")
    assert "--config" not in out


def test_a_password_in_the_file_is_not_shown(study):
    text = (
        'target = "postgresql://ann:secret@nowhere.invalid/clinic"\nsources = "o.csv"\nlabel = "y"'
    )
    code, out, err = study(text, "rank", "--cv", "x")
    assert code == 1
    assert "secret" not in out + err
    code, out, err = study(text, "rank")
    assert code == 1
    assert "secret" not in out + err
