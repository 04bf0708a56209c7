"""`datakin explain`, and --explain beside what other commands find."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin.explaining.act import ExplainOptions
from tests.unit.choose.models import ward
from tests.unit.explain.planted import BETA
from tests.unit.explain.spoiled import frames

LABEL = ("--label", "died")
QUICK = (*LABEL, "--models", "logistic", "--cv", "3")


def table(n, rule, level=0.0, seed=0):
    """Return rows whose label follows a rule, on top of a level."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(rule)))
    y = rng.random(n) < 1 / (1 + np.exp(-level - X @ rule))
    return pd.DataFrame(X, columns=list("abcdef")).assign(died=y.astype(int))


@pytest.fixture(scope="module")
def tables():
    """A target, a source with another base rate, a twin and a stranger."""
    return {
        "mine": table(120, BETA),
        "other": table(200, BETA, 2.0, seed=1),
        "twin": table(200, BETA, seed=2),
        "stranger": table(200, np.array([1.2, 1.5, 0, 0, 0, 2.0]), seed=3),
    }


@pytest.fixture
def run(tmp_path, monkeypatch, call_main, tables):
    """Run a command beside the tables."""
    monkeypatch.chdir(tmp_path)
    for name, frame in tables.items():
        frame.to_csv(f"{name}.csv", index=False)
    pd.concat([frame.assign(site=name) for name, frame in tables.items()]).to_csv(
        "all.csv", index=False
    )
    return call_main


def test_two_tables(run, tmp_path):
    code, out, err = run(
        *("explain", "mine.csv", "other.csv", *LABEL, "--report", "why.html", "--plot", "why.png"),
        *("--out", "why.md"),
    )
    assert code == 0
    head = "What is learned on other fails on mine because the base rate differs."
    assert out.startswith(head)
    assert "+ new base rate" in out
    assert err.count("Written to") == 3
    assert (tmp_path / "why.png").stat().st_size > 2000
    said = (tmp_path / "why.md").read_text()
    assert said.startswith(head)
    assert "Base rate (" in said
    assert datakin.report.read_report("why.html").causes[0] == "base rate"


def test_json_is_what_python_returns(run, tables):
    code, out, _ = run("explain", "mine.csv", "other.csv", *LABEL, "--json", "--seed", "3")
    assert code == 0
    sets = datakin.read_tables(["mine.csv", "other.csv"], label="died")
    assert datakin.from_json(out) == datakin.explain(*sets.values(), random_state=3)


def test_options_are_passed_on(run, monkeypatch):
    seen = {}

    def explain(target, source, **options):
        seen.update(options, names=(target.name, source.name))
        raise datakin.DatakinError("seen.")

    monkeypatch.setattr(datakin, "explain", explain)
    words = ("--learner", "trees", "--loss", "brier", "--max-rows", "0", "--seed", "7")
    for tables, names in (
        (("mine.csv", "twin.csv"), ("mine", "twin")),
        (
            ("all.csv", "--domain", "site", "--target", "mine", "--source", "other"),
            ("mine", "other"),
        ),
    ):
        assert run("explain", *tables, *LABEL, *words)[0] == 1
        assert seen == {
            **{"learner": "trees", "loss": "brier", "max_rows": None, "random_state": 7},
            "names": names,
        }


def test_defaults_are_those_of_python():
    import inspect

    own = inspect.signature(datakin.explain).parameters
    told = ExplainOptions()
    options = {n: p.default for n, p in own.items() if p.default is not inspect.Parameter.empty}
    assert {name: getattr(told, name) for name in options} == options


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mine.csv",), "at least one source"),
        (("mine.csv", "other.csv", "twin.csv"), "takes one source. Got 2"),
        (("mine.csv", "other.csv", "--source", "x"), "--source names a value of --domain"),
        (("all.csv", "--domain", "site", "--target", "mine"), "needs --source beside --target"),
        (
            ("all.csv", "--domain", "site", "--target", "mine", "--source", "othr"),
            "must be another usable value of 'site'",
        ),
        (("mine.csv", "other.csv", "--learner", "magic"), "'magic'"),
    ],
)
def test_what_is_refused(run, words, said):
    code, out, err = run("explain", *words, *LABEL)
    assert (code, out) == (1, "")
    assert said in err


def test_score_explains_its_source_whatever_the_call(run):
    code, out, _ = run("score", "mine.csv", "twin.csv", *QUICK, "--explain", "--json")
    assert code == 0
    (found,) = json.loads(out)["explanations"]
    assert found["source"] == "twin"


def test_rank_explains_those_that_hurt(run):
    words = ("rank", "mine.csv", "twin.csv", "stranger.csv", *QUICK, "--explain")
    code, out, _ = run(*words, "--report", "r.html")
    assert code == 0
    found = datakin.report.read_report("r.html")
    assert [each.source for each in found.explanations] == ["stranger"]
    why = found.explanations[0].answer
    assert why.headline in " ".join(out.split())
    assert why.reasons[0] in " ".join(out.split())


def test_a_sentence_if_none_hurts(run):
    code, out, _ = run("rank", "mine.csv", "twin.csv", *QUICK, "--explain")
    assert code == 0
    assert out.endswith(
        "\n\nNo source hurts: there is nothing to explain. datakin explain looks at any one of them.\n"
    )


def test_choose_explains_and_keeps_its_model(run):
    options = (*LABEL, "--learners", "linear", "--repeats", "1", "--explain")
    code, out, _ = run("choose", "mine.csv", "stranger.csv", *options, "--model", "kin.datakin")
    assert code == 0
    assert "What is learned on stranger fails on mine" in " ".join(out.split())
    assert "The model is in kin.datakin" in out


def test_a_source_that_cannot_be_explained_keeps_no_answer_back(run, monkeypatch):
    def fail(*args, **options):
        raise datakin.DatakinError("no luck.")

    monkeypatch.setattr("datakin.explaining.sources.explain", fail)
    code, out, _ = run("score", "mine.csv", "twin.csv", *QUICK, "--explain")
    assert code == 0
    assert "not explained: no luck." in " ".join(out.split())


ODD = {
    **{"a": "it's: a = b, c", "b": "x::y", "c": "back\\slash", "d": '"q"', "e": "-e", "f": "f g"},
    **{"g": "$HOME `x`", "y": "la=be,l: 'x'::z"},
}
FILES = ("mi=ne, a::b.csv", "the'irs: =x,y.csv")


@pytest.mark.parametrize("cause", ["units", "codes", "blanks", "leak", "classes", "base rate"])
def test_what_is_proposed_can_be_typed(call_main, tmp_path, monkeypatch, cause):
    """Whatever tables, columns, levels and classes are called; and it brings what was promised."""
    monkeypatch.chdir(tmp_path)
    tables = [each.rename(columns=ODD) for each in frames(cause)]
    levels = {"p": "l=1", "q": "m:,2", "r": "n'3", "s": "o::4"}
    for frame, path in zip(tables, FILES, strict=True):
        frame[ODD["e"]] = frame[ODD["e"]].map(levels)
        if cause == "classes":
            frame[ODD["y"]] = np.where(frame[ODD["y"]] == 1, "a=b, 'c'", "no: \\x")
        frame.to_csv(path, index=False)
    words = ("explain", *FILES, "--label", ODD["y"], "--learner", "linear", "--json")
    code, out, _ = call_main(*words)
    assert code == 0
    found = datakin.from_json(out)
    assert found.causes == (cause,)
    mend = next(each for each in found.mends if each.typed)
    code, out, _ = call_main(*words, *shlex.split(mend.typed))
    assert code == 0
    assert datakin.from_json(out).excess == pytest.approx(mend.after, rel=1e-9)


def test_what_is_proposed_stands_there_to_be_typed(run):
    code, out, _ = run("explain", "mine.csv", "other.csv", *LABEL, "--learner", "linear")
    assert code == 0
    assert "What would mend it" in out
    assert "    --match-classes other\n" in out
    assert "match_classes" not in out


def test_parts_of_one_table_can_be_mended(call_main, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for cause in ("units", "base rate"):
        parts = [each.assign(site=name) for each, name in zip(frames(cause), "AB", strict=True)]
        pd.concat(parts).to_csv("all.csv", index=False)
        words = ("explain", "all.csv", "--domain", "site", "--target", "A", "--source", "B")
        words = (*words, "--label", "y", "--learner", "linear", "--json")
        (mend,) = datakin.from_json(call_main(*words)[1]).mends
        code, out, _ = call_main(*words, *shlex.split(mend.typed))
        assert code == 0
        assert datakin.from_json(out).excess == pytest.approx(mend.after, rel=1e-9)


def test_match_classes(run):
    words = ("mine.csv", "other.csv", *LABEL)
    code, out, err = run("explain", *words, "--json", "--match-classes", "other")
    assert code == 0
    assert "rows are used, drawn at random" in err
    assert datakin.from_json(out).causes == ()
    found = datakin.read_tables(["mine.csv", "other.csv"], label="died")
    left = datakin.match_classes(found["other"], found["mine"]).n_rows
    assert datakin.from_json(out).n_source == left
    code, out, _ = run("score", *words, *QUICK[2:], "--json", "--match-classes", "other")
    assert code == 0
    code, out, err = run("explain", *words, "--match-classes", "othr")
    assert code == 1
    assert "--match-classes must name a source. Got 'othr'" in err
    assert "Did you mean 'other'?" in err
    assert run("check", "mine.csv", "--match-classes", "mine")[0] != 0


def test_explain_in_a_study(run, tmp_path):
    ward(0, n=60).to_csv("a.csv", index=False)
    ward(1, n=60).to_csv("b.csv", index=False)
    text = 'target = "a.csv"\nsources = "b.csv"\nlabel = "died"\n[explain]\nloss = "brier"\n'
    (tmp_path / "datakin.toml").write_text(text)
    code, out, err = run("explain", "--json")
    assert code == 0
    assert json.loads(out)["loss"] == "brier"
    assert "Options from datakin.toml" in err
