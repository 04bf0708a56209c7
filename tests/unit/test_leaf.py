"""The paper is a leaf: four modules load it when they are called, and nothing else does."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import datakin
from datakin import CrossLearningScore, DatakinError, paper, synthetic, transfer
from datakin.learners.models import choose_models, default_models
from datakin.paper.models import named_models

ROOT = Path(__file__).parents[2]
FOUR = {
    "datakin.cli.commands",
    "datakin.cross_learning.score",
    "datakin.synthetic",
    "datakin.transfer",
}
QUESTIONS = """
import sys, datakin, datakin.cli, datakin.synthetic, datakin.transfer
from datakin.synthetic import make_demo
from datakin.transfer import KinStack

target, (twin, *_) = make_demo(40, 60)
other = twin.dataset
datakin.choose(target, [other], learners=["linear"])
datakin.score(target, other, models=["logistic"])
datakin.rank(target, [other], models=["logistic"])
datakin.explain(target, other)
KinStack(["linear"], repeats=1).fit(target.features.numeric, target.y)
print(*(name for name in sys.modules if name.startswith("datakin.paper")))
"""


def contract(name):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (found,) = (c for c in contracts["tool"]["importlinter"]["contracts"] if c["id"] == name)
    return found


def test_no_question_loads_the_leaf():
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", QUESTIONS],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert ran.stdout.split() == []


def test_the_contract_names_every_room_and_four_ways_to_the_leaf():
    leaf = contract("leaf")
    rooms = {f"datakin.{room.strip(' ()')}" for layer in contract("rooms")["layers"]
             for room in layer.split("|")}  # fmt: skip
    assert {*leaf["source_modules"]} == rooms - {"datakin.paper", "datakin.__main__"}
    assert {*leaf["ignore_imports"]} == {f"{name} -> datakin.paper" for name in FOUR}
    assert {*contract("rooms")["ignore_imports"]} <= {*leaf["ignore_imports"]}


@pytest.mark.parametrize("room", [transfer, synthetic], ids=lambda room: room.__name__)
def test_old_names_are_those_of_the_leaf(room):
    own = {"KinStack", "DemoSource", "make_demo"}
    for name in {*room.__all__} - own:
        assert getattr(room, name) is getattr(paper, name)
    with pytest.raises(
        AttributeError, match=f"module '{room.__name__}' has no attribute 'nothing'"
    ):
        _ = room.nothing
    assert datakin.transfer_gain is paper.transfer_gain


def test_both_algorithms_by_name():
    pair = paper.settings()["lda"](0.5).sample(60, 60)
    options = {"cv": 3, "n_jobs": 1}
    one = paper.score(pair.target, pair.source, model="logistic", **options)
    several = CrossLearningScore.as_in_paper(models=["logistic", "linear_svm"], **options)
    assert one.score == several.replace(estimate="logistic").compare(pair.target, pair.source).score
    two = paper.score(pair.target, pair.source, models=["logistic", "linear_svm"], **options)
    assert two.score == several.compare(pair.target, pair.source).score
    assert paper.as_in_paper(cv=3).get_params() == CrossLearningScore.as_in_paper(cv=3).get_params()


def test_the_four_models_are_those_of_the_score():
    pair = paper.settings()["lda"](0.5).sample(40, 40)
    found = paper.score(pair.target, pair.source, cv=3)
    assert {*paper.MODELS} == {*found.model_scores}


@pytest.mark.parametrize("is_class", [True, False])
def test_models_outside_the_leaf_are_those_of_the_default(is_class):
    usual = default_models(is_class)
    assert [*usual] == ["logistic" if is_class else "linear", "rbf_svm", "trees"]
    assert {*usual} < {*named_models(is_class)}
    with pytest.raises(DatakinError, match="Got 'linear_svm' instead"):
        choose_models(["linear_svm"], is_class)


@pytest.mark.parametrize(
    "options",
    [
        {"models": "linear_svm"},
        {"models": ["linear_svm"]},
        {"models": {"linear_svm": {"C": 1.0}}},
        {"models": "paper", "estimate": "linear_svm"},
        {"estimate": "linear_svm"},
    ],
)
def test_a_model_of_the_leaf_by_every_way_to_name_it(options):
    pair = paper.settings()["lda"](0.5).sample(40, 40)
    options = {"cv": 3, "estimate": "linear_svm", **options}
    result = CrossLearningScore(**options, zones="paper").compare(pair.target, pair.source)
    table = datakin.CrossErrors.measure([pair.target, pair.source], **options)
    assert table.score("target", "source").score == result.score
    assert result.provenance.backends["linear_svm"] == "libsvm"
