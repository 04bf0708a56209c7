"""What stands below a ranking: groups where sources were tried, luck where they were not."""

from dataclasses import replace

import pytest

from datakin import rank
from datakin.report.words import ranking_verdict
from datakin.synthetic import make_demo


def _rank(**options):
    target, sources = make_demo()
    return rank(target, [s.dataset for s in sources[:3]], models=["logistic"], **options)


@pytest.fixture(scope="module")
def ranking():
    return _rank(zones="paper")


@pytest.fixture(scope="module")
def tried():
    return _rank()


@pytest.mark.parametrize(("probability", "luck"), [(0.60, True), (0.949, True), (0.95, False)])
def test_luck_is_spoken_of_where_there_is_some(ranking, probability, luck):
    name = ranking.best.source
    others = {c.source: (1 - probability) / 2 for c in ranking if c.source != name}
    said = replace(ranking, first={name: probability, **others}).caution
    assert ("partly luck" in said) == luck
    assert f"{name!r} is the best with probability {probability:.2f}" in said


def test_luck_is_said_of_the_one_that_stands_first(ranking):
    first, second, third = (c.source for c in ranking)
    said = replace(ranking, first={first: 0.35, second: 0.38, third: 0.27}).caution
    assert (
        f"partly luck: {first!r} is the best with probability 0.35, {second!r} with 0.38." in said
    )


def test_names_stand_in_a_row(ranking):
    assert "pooling 'cousin', 'shifted twin' and 'twin' should" in ranking.forecast.sentence


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (
            (1, 1, 1),
            "3 sources, in 1 group. The order within a group is not supported by the data.",
        ),
        (
            (1, 1, 2),
            "3 sources, in 2 groups. The order within a group is not supported by the data.",
        ),
        ((1, 2, 3), "3 sources, and the data support their order."),
    ],
)
def test_groups_in_words(tried, groups, said):
    numbered = {c.source: group for c, group in zip(tried, groups, strict=True)}
    assert replace(tried, groups=numbered).caution.startswith(said)


def test_the_formula_is_not_heard_where_sources_were_tried(tried):
    said = f"{tried}\n{ranking_verdict(tried)}"
    assert "formula" not in said
    assert "ooling" not in said
    assert f"the loss of 'target' alone ({tried.loss_alone:.4g})" in said


def test_the_verdict_names_who_helps(tried):
    found = ranking_verdict(tried)
    helpful = [c.source for c in tried if c.call == "helps"]
    assert found["tone"] == ("good" if helpful else "open")
    assert all(name in found["head"] for name in helpful)
