"""Which rows of the source are worth keeping."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from datakin import explain
from tests.unit.results.sentences import check_form


def partly(seed=0, n_target=150, n_source=600, bad=True):
    """A source that is right but for high ages, where half of its rule is turned; the target has all ages."""
    rng = np.random.default_rng(seed)
    made = []
    for n, fails in ((n_target, False), (n_source, bad)):
        frame = pd.DataFrame({"age": rng.uniform(20, 90, n)})
        for name in "abcdefgh":
            frame[name] = rng.normal(size=n)
        turned = np.where((frame["age"] > 60) & fails, -1.0, 1.0)
        rule = turned * frame[list("abcd")].sum(axis=1) + frame[list("efgh")].sum(axis=1)
        made.append((frame, rule + 2 * rng.normal(size=n)))
    return made


@pytest.fixture(scope="module")
def found():
    return explain(*partly(), learner="linear")


def test_the_bad_part_is_left_out(found):
    kept = found.kept
    for place in kept.dropped:
        (age,) = [float(text.split()[-1]) for text in place if text.startswith("age > ")]
        assert 52 < age < 75
    assert 0.45 < kept.share < 0.75
    assert kept.kept < kept.everything
    assert kept.low_all > 0
    assert kept.kept < kept.alone
    assert kept.helps == (kept.low > 0)
    assert kept.low < kept.alone - kept.kept < kept.high


def test_what_is_kept_is_told(found):
    assert found.kept.helps
    (said,) = [
        text for text in found.answer.reasons if text.startswith("A part of source is of use")
    ]
    assert "age > " in said
    check_form(found.answer)


def test_no_gain_that_is_not_sure(found):
    less = replace(found, kept=replace(found.kept, low=-0.1))
    said = " ".join(less.answer.reasons)
    assert " fits better. But no gain is sure: pooled" in said
    assert "A part of source" not in said
    check_form(less.answer)


def test_many_places_are_told_shortly(found):
    places = tuple((f"age > {k}", f"a <= {k}") for k in range(4))
    for low in (-0.1, 0.1):
        many = replace(found, kept=replace(found.kept, dropped=places, low=low))
        assert any("or 2 other parts" in text for text in many.answer.reasons)
        check_form(many.answer)


def test_nothing_is_left_out_of_a_source_that_is_right():
    assert explain(*partly(bad=False), learner="linear").kept is None


def test_nothing_is_left_out_of_a_source_that_is_wrong_throughout():
    target, (X, y) = partly(bad=False)
    found = explain(target, (X, -y), learner="linear")
    assert found.causes
    assert found.kept is None


def test_a_small_source_has_no_parts():
    found = explain(*partly(n_source=70), learner="linear")
    assert found.kept is None
