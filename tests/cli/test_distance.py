"""`datakin distance`: pairs, rankings and matrices, and only the options that apply."""

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin import distances
from datakin.cli.options import Given
from datakin.distances import METHODS
from datakin.report import read_report

LABEL = ["--label", "died"]


def ward(seed, n=40):
    rng = np.random.default_rng(seed)
    age, dose = rng.normal(size=(2, n)) + seed
    died = (age + 0.5 * rng.normal(size=n) > seed).astype(int)
    return pd.DataFrame({"age": age, "dose": dose, "died": died})


@pytest.fixture
def run(tmp_path, monkeypatch, call_main):
    """Run a command beside three tables, and one that holds them all."""
    monkeypatch.chdir(tmp_path)
    names = ["north", "south", "west"]
    for seed, name in enumerate(names):
        ward(seed).to_csv(f"{name}.csv", index=False)
    sites = [ward(seed).assign(site=name) for seed, name in enumerate(names)]
    pd.concat(sites).to_csv("all.csv", index=False)
    return call_main


def read():
    return list(datakin.read_tables(["north.csv", "south.csv", "west.csv"], label="died").values())


@pytest.mark.parametrize("name", METHODS)
def test_two_tables_are_a_pair_and_more_a_ranking(run, name):
    code, out, err = run("distance", name, "north.csv", "south.csv", *LABEL, "--json")
    north, south, west = read()
    assert (code, err) == (0, "")
    assert datakin.from_json(out) == distances.compare(north, south, method=name)
    code, out, err = run("distance", name, "north.csv", "[sw]*.csv", *LABEL, "--json")
    assert (code, err) == (0, "")
    assert datakin.from_json(out) == distances.rank(north, [south, west], method=name)


def test_all_with_all_and_one_table_by_domain(run):
    code, out, _ = run("distance", "js", "[nsw]*.csv", *LABEL, "--matrix", "--json")
    assert code == 0
    assert datakin.from_json(out) == distances.matrix(read(), method="js")
    by_site = ["distance", "js", "all.csv", "--domain", "site", *LABEL, "--json"]
    code, split, _ = run(*by_site, "--matrix")
    assert code == 0
    assert datakin.from_json(split) == datakin.from_json(out)
    code, out, _ = run(*by_site, "--target", "south")
    assert code == 0
    ranking = datakin.from_json(out)
    assert (ranking.target, len(ranking)) == ("south", 2)


def test_it_is_shown_and_written(run):
    command = ["distance", "energy", "north.csv", "west.csv", "south.csv", *LABEL]
    code, out, err = run(*command, "--report", "d.html", "--out", "d.csv")
    assert code == 0
    assert out.startswith("Nearest to north by Energy: south.\n")
    assert out.index("\nsouth ") < out.index("\nwest ")
    assert err == "Written to d.csv\nWritten to d.html\n"
    assert read_report("d.html") == distances.rank(*(lambda t, *s: (t, s))(*read()), "energy")
    assert "datakin distance energy north.csv" in Path("d.html").read_text(encoding="utf-8")
    assert pd.read_csv("d.csv")["source"].tolist() == ["south", "west"]
    code, out, _ = run("distance", "energy", "[nsw]*.csv", *LABEL, "--matrix", "--report", "m.html")
    assert code == 0
    assert "Distances of 3 datasets by Energy: small means near." in out
    assert isinstance(read_report("m.html"), distances.DistanceMatrix)
    code, out, _ = run("distance", "energy", "north.csv", "south.csv", *LABEL)
    assert (code, out) == (0, f"{distances.compare(*read()[:2], method='energy')}\n")


@pytest.mark.parametrize(
    ("name", "options", "made"),
    [
        ("kl", ["--density", "gaussian"], distances.KLDivergence(density="gaussian")),
        ("kl", ["--floor", "0.01"], distances.KLDivergence(floor=0.01)),
        ("mmd", ["--bandwidth", "3", "--no-unbiased"], distances.MMD(3.0, unbiased=False)),
        ("energy", ["--unbiased", "--scaling", "pooled"], distances.Energy(True, "pooled")),
        ("otdd", ["--debias", "--splits", "2", "--seed", "5"],
         distances.OTDD(debias=True, splits=2, random_state=5)),
        ("wasserstein", ["--method", "sliced", "--n-projections", "9", "--seed", "5"],
         distances.Wasserstein("sliced", 9, random_state=5)),
        ("proxy_a", ["--cv", "4", "--C", "0.1", "--seed", "5"], distances.ProxyADistance(4, 0.1, 5)),
    ],
)  # fmt: skip
def test_options_reach_the_distance(run, name, options, made):
    code, out, err = run("distance", name, "north.csv", "south.csv", *LABEL, *options, "--json")
    assert (code, err) == (0, "")
    assert datakin.from_json(out) == made.compare(*read()[:2])


REFUSED = {
    "a fold": ("mmd", ["--cv", "9"], "--cv"),
    "a checkpoint": ("mmd", ["--checkpoint", "c"], "--checkpoint"),
    "a seed that draws nothing": ("mmd", ["--seed", "7"], "--seed"),
    "another distance's": ("otdd", ["--bandwidth", "2"], "--bandwidth"),
    "a score's": ("js", ["--models", "logistic"], "--models"),
}


@pytest.mark.parametrize(("name", "options", "flag"), REFUSED.values(), ids=REFUSED)
def test_flags_of_others_are_refused(run, name, options, flag):
    code, out, err = run("distance", name, "north.csv", "south.csv", *LABEL, *options)
    assert (code, out) == (1, "")
    assert f"No such option: {flag}" in " ".join(re.sub(r"[│╭╰─]", " ", err).split())


MISTAKES = {
    "splits without debias": (["otdd", "--splits", "3"], "--splits has an effect only with --debias."),
    "seed without debias": (["otdd", "--seed", "3"], "--seed has an effect only with --debias."),
    "lines without slices": (
        ["wasserstein", "--n-projections", "3"],
        "--n-projections has an effect only with --method sliced.",
    ),
    "floor of a gaussian": (
        ["kl", "--density", "gaussian", "--floor", "1"],
        "--floor has an effect only with --density kernel.",
    ),
    "unknown scaling": (["mmd", "--scaling", "pool"], "Did you mean 'pooled'?"),
    "a bandwidth of zero": (["mmd", "--bandwidth", "0"], "--bandwidth must be a number above 0"),
    "target of a matrix": (["js", "--matrix", "--target", "a"], "leave out --target"),
    "target without domain": (["js", "--target", "a"], "--target names a value of --domain"),
    "ending": (["js", "--report", "r.txt"], "--report must end in .html"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(run, arguments, message):
    code, out, err = run("distance", *arguments, "north.csv", "south.csv", *LABEL)
    assert (code, out) == (1, "")
    assert err.splitlines()[-1].startswith("Error: ")
    assert message in err


def test_one_table_is_not_enough(run):
    code, _, err = run("distance", "js", "all.csv", "--domain", "site", *LABEL)
    assert (code, err.startswith("Error: --domain needs --target")) == (1, True)
    code, _, err = run("distance", "js", "north.csv", *LABEL)
    assert (code, err.startswith("Error: Give the target's table and at least one source")) == (
        1,
        True,
    )


def plain(text):
    """Return what a box of the terminal says."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


def test_an_unknown_distance_is_told_with_the_known_ones(run):
    code, out, err = run("distance", "otd", "north.csv", "south.csv", *LABEL)
    assert (code, out) == (1, "")
    assert "No distance is called 'otd'. The distances are 'kl', 'js'" in plain(err)
    assert "Did you mean 'otdd'?" in plain(err)
    code, out, err = run("distance")
    assert "wasserstein" in out + err


def test_help_has_every_option_with_its_help(run):
    code, out, _ = run("distance", "--help")
    assert code == 0
    for name in METHODS:
        assert name in out
    for name, kind in METHODS.items():
        code, out, _ = run("distance", name, "--help")
        assert code == 0
        chosen = type("Chosen", (Given,), {"fields_of": kind})
        shown = {p.name: p.annotation.__metadata__[0] for p in chosen.parameters()}
        assert set(shown) | {"random_state"} >= {each.name for each in fields(kind)}
        for option, about in shown.items():
            assert about.help
            flag = "--seed" if option == "random_state" else f"--{option.replace('_', '-')}"
            assert f"{flag} " in out


@pytest.mark.parametrize("command", ["score", "rank", "matrix"])
def test_method_is_gone_from_the_scores(run, command):
    arguments = [command, "north.csv", "south.csv", *LABEL]
    for option, name in (("--method=mmd", "mmd"), ("--method=cls", "NAME")):
        for words in ([option], option.split("=")):
            code, out, err = run(*arguments, *words, "--seed", "7", "--checkpoint", "c")
            assert (code, out) == (1, "")
            assert err == (
                f"Error: The --method option is gone: 'datakin distance {name} TABLES... --label COLUMN' "
                f"measures a distance; score, rank and matrix compute the Cross-Learning Score.\n"
            )
            assert not Path("c").exists()


def test_a_method_is_a_wrong_word_where_it_never_was(run):
    code, out, err = run("choose", "north.csv", "south.csv", *LABEL, "--method", "mmd")
    assert (code, out) == (1, "")
    assert "No such option: --method" in err
