"""What stands below a ranking: no luck where there is none, and trials beside inferences."""

from dataclasses import replace

import pytest

from datakin import rank
from datakin.synthetic import make_demo


@pytest.fixture(scope="module")
def ranking():
    target, sources = make_demo()
    return rank(target, [s.dataset for s in sources[:3]], models=["logistic"])


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


def test_a_trial_that_beats_the_joint_forecast_is_told(ranking):
    gains = {c.source: c.gain for c in ranking}
    best = max(gains, key=lambda name: gains[name].value)
    little = replace(gains[best], value=gains[best].value - 0.01)
    forecast = replace(ranking.forecast, pooled=little, best=little)
    said = replace(ranking, forecast=forecast).closing
    assert f"one by one, {best!r} cut the error most, by {forecast.in_words(gains[best])}" in said
    assert "the best of 3, so this flatters" in said
    much = replace(gains[best], value=gains[best].value + 0.01)
    said = replace(ranking, forecast=replace(ranking.forecast, best=much)).closing
    assert "one by one" not in said
    assert said.splitlines()[-1] == replace(ranking.forecast, best=much).sentence


def test_names_stand_in_a_row(ranking):
    assert "Pooling 'cousin', 'shifted twin' and 'twin' should" in ranking.forecast.sentence
