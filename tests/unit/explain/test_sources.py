"""explain_sources: explanations inside results, and what keeps none of them back."""

import json
from dataclasses import replace

import numpy as np
import pytest

import datakin
from datakin import DatakinError, explain, explain_sources
from datakin.explaining import sources as room
from datakin.results import Explanation

OPTIONS = {"p": 4, "shift": 1.0}


@pytest.fixture(scope="module")
def home(make_lda):
    return make_lda(80, 1, name="home", **OPTIONS)


@pytest.fixture(scope="module")
def others(make_lda):
    far = make_lda(120, 3, name="far", angle=1.4, **OPTIONS)
    return {"near": make_lda(120, 2, name="near", **OPTIONS), "far": far}


@pytest.fixture(scope="module")
def choice(home, others):
    """A choice in which one source hurts."""
    made = datakin.choose(home, others, learners=["linear"], repeats=1)
    called = [replace(e, call="hurts") if e.source == "far" else e for e in made.choices]
    return replace(made, choices=tuple(called)).with_model(made.model)


@pytest.fixture
def quick(monkeypatch):
    """Explanations that cost nothing; returns what was asked for."""
    asked = []
    copy = explain((np.eye(20, 2), np.arange(20) % 2), (np.eye(20, 2), np.arange(20) % 2))

    def made(target, source, **options):
        asked.append((target, source, options))
        return replace(copy, target=target.name, source=source.name)

    monkeypatch.setattr(room, "explain", made)
    return asked


def test_a_choice_keeps_its_model_and_all_else(choice, home, others):
    found = explain_sources(choice, home, others)
    assert [each.source for each in found.explanations] == ["far"]
    assert found.explanations[0] == explain(home, others["far"])
    assert found.model is choice.model
    assert replace(found, explanations=()) == choice
    assert choice.explanations == ()


def test_what_would_mend_a_source_is_said_with_its_option(home, make_lda):
    """Of a twin whose classes are swapped, in all results that explain it."""
    twin = make_lda(200, 2, name="twin", **OPTIONS)
    swapped = datakin.as_dataset(twin.features.numeric, 1 - twin.y, name="twin")
    pair = datakin.score(home, swapped, models=["logistic"])
    ranking = datakin.rank(home, [swapped], models=["logistic"])
    for result in (pair, ranking):
        answer = explain_sources(result, home, [swapped], names=["twin"]).answer
        (remedy,) = [each for each in answer.remedies if "--recode" in each.typed]
        assert remedy.text.startswith("twin: recode the label of twin: the excess of the loss goes")
        assert remedy.typed in replace(answer, is_typed=True).text()
        assert result.answer.remedies == ()


def test_json(choice, home, others, quick):
    found = explain_sources(choice, home, others)
    assert datakin.from_json(found.to_json()) == found


def test_results_of_earlier_versions_have_none(choice):
    old = json.loads(choice.to_json())
    del old["explanations"]
    assert datakin.from_json(json.dumps(old)) == choice


def test_sources_by_name(choice, home, others, quick):
    found = explain_sources(choice, home, others, names=["near", "far", "near"], learner="trees")
    assert [each.source for each in found.explanations] == ["near", "far"]
    assert quick[0][2] == {"learner": "trees"}
    assert len(explain_sources(choice, home, others, names="near").explanations) == 1
    with pytest.raises(DatakinError, match=r"must hold sources of the result: .*Got 'nowhere'"):
        explain_sources(choice, home, others, names=["nowhere"])


def test_pairs_of_arrays_and_a_comparison(make_lda, quick):
    pairs = [(d.features.numeric, d.y) for d in (make_lda(60, 1), make_lda(60, 2))]
    result = datakin.score(*pairs, models=["logistic"], cv=3)
    for source in (pairs[1:], {"source": pairs[1]}, datakin.as_dataset(*pairs[1], name="other")):
        (found,) = explain_sources(result, pairs[0], source).explanations
        assert isinstance(found, Explanation)
        assert (found.target, found.source) == ("target", "source")


def test_weights_count_only_where_they_counted(choice, home, others, quick):
    weighted = datakin.as_dataset(
        home.features.numeric, home.y, weights=np.arange(1, 81), name="home"
    )
    explain_sources(choice, weighted, others)
    assert quick[-1][0].weights is not None
    pair = datakin.score(home, others["far"], models=["logistic"], cv=3)
    explain_sources(pair, weighted, others["far"])
    assert quick[-1][0].weights is None


def test_one_fault_keeps_no_other_explanation_back(choice, home, others, quick, monkeypatch):
    made = room.explain

    def some(target, source, **options):
        if source.name == "near":
            raise DatakinError("too few rows.")
        return made(target, source, **options)

    monkeypatch.setattr(room, "explain", some)
    with pytest.warns(datakin.DatakinWarning, match=r"near is not explained: too few rows\."):
        found = explain_sources(choice, home, others, names=["near", "far"])
    assert [each.source for each in found.explanations] == ["far"]
    with pytest.raises(DatakinError, match="too few rows"):
        explain_sources(choice, home, others, names=["near"])


def test_an_interrupt_keeps_what_is_there(choice, home, others, quick, monkeypatch):
    made = room.explain

    def some(target, source, **options):
        if source.name == "far":
            raise KeyboardInterrupt
        return made(target, source, **options)

    monkeypatch.setattr(room, "explain", some)
    with pytest.raises(datakin.Interrupted, match="after 1 of 2 explanations") as stopped:
        explain_sources(choice, home, others, names=["near", "far"])
    assert [each.source for each in stopped.value.partial.explanations] == ["near"]
    assert stopped.value.partial.model is choice.model


def test_what_is_refused(choice, home, others):
    with pytest.raises(DatakinError, match=r"Got no dataset for 'far'; the datasets are 'near'"):
        explain_sources(choice, home, {"near": others["near"]})
    with pytest.raises(
        DatakinError, match=r"needs a Comparison, Ranking or Choice\. Got Explanation"
    ):
        explain_sources(explain(home, home), home, others)
    with pytest.raises(DatakinError, match="'magic'"):
        explain_sources(choice, home, others, learner="magic")
