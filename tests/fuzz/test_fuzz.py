"""A short fuzz with a fixed seed: every outcome is a result or a sentence."""

import pytest

from tests.fuzz.__main__ import summary
from tests.fuzz.cases import KINDS, kind_of
from tests.fuzz.runner import Run

SEED = 17


@pytest.mark.parametrize("cases", [90, pytest.param(1800, marks=pytest.mark.long)])
def test_every_outcome_is_a_result_or_a_sentence(tmp_path, cases):
    outcomes = Run(SEED, tmp_path, last=cases).go()
    assert len(outcomes) == cases
    assert {outcome.kind for outcome in outcomes} == set(KINDS)
    text = summary(SEED, outcomes)
    assert sum(outcome.what == "result" for outcome in outcomes) > cases / 10, text
    assert not any(outcome.what == "foreign" for outcome in outcomes), text


def test_a_case_is_the_same_each_time():
    kinds = [kind_of(3, case)[0] for case in range(200)]
    assert kinds == [kind_of(3, case)[0] for case in range(200)]
    assert len(set(kinds)) > 8
    assert kind_of(3, 5)[1].random() == kind_of(3, 5)[1].random()


@pytest.mark.parametrize(("trial", "says"), [("crash", "ended with -11"), ("hang", "no answer")])
def test_a_crash_and_a_hang_are_outcomes(tmp_path, trial, says):
    outcomes = Run(SEED, tmp_path, last=2, patience=0.5, trial=trial).go()
    assert [outcome.what for outcome in outcomes] == ["foreign"] * 2
    assert says in outcomes[0].text
    assert (tmp_path / f"seed-{SEED}-case-1" / "OUTCOME.txt").exists()
