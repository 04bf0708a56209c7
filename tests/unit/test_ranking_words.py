"""What a ranking says of its order: groups where sources were tried, luck where they were not."""

from dataclasses import replace

import pytest

from datakin import rank
from datakin.report.page import view_of
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
    said = replace(ranking, first={name: probability, **others}).answer.evidence[1]
    assert ("partly luck" in said) == luck
    assert said.startswith(f"{name} loses least with probability {probability:.0%}")


def test_luck_is_said_of_the_one_that_stands_first(ranking):
    first, second, third = (c.source for c in ranking)
    said = replace(ranking, first={first: 0.35, second: 0.38, third: 0.27}).answer.evidence[1]
    assert said == f"{first} loses least with probability 35%; the first place is partly luck."


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ((1, 1, 1), "3 sources; the data do not support an order among them."),
        (
            (1, 1, 2),
            "3 sources, in 2 groups. The data do not support the order within a group.",
        ),
        ((1, 2, 3), "3 sources, and the data support their order."),
    ],
)
def test_groups_in_words(tried, groups, said):
    numbered = {c.source: group for c, group in zip(tried, groups, strict=True)}
    assert replace(tried, groups=numbered).answer.evidence[1] == said


def test_the_first_of_several_is_said_to_flatter(tried):
    flatters = "Each interval is for one source. The first of several flatters itself a little."
    assert flatters in tried.answer.caveats
    alone = replace(tried, comparisons=tried.comparisons[:1])
    assert flatters not in alone.answer.caveats


def test_the_formula_is_not_heard_where_sources_were_tried(tried):
    said = " ".join(f"{tried} {view_of(tried)['verdict']}".split())
    assert "formula" not in said
    assert "ooling" not in said
    assert (
        f"the Brier loss of target alone ({tried.loss_alone:.3g}; error {tried.error_alone:.1%})"
        in said
    )


def test_the_headline_names_who_helps(tried):
    answer = tried.answer
    helpful = [c.source for c in tried if c.call == "helps"]
    assert answer.tone == ("good" if helpful else "open")
    assert all(name in answer.headline for name in helpful)
