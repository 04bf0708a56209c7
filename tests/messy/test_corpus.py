"""Each form of the known table gives the same dataset, a note or a refusal; none differs silently."""

import pytest

from tests.messy.corpus import VARIANTS, judge


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_is_silently_wrong(name):
    outcome = judge(VARIANTS[name])
    assert outcome.is_expected, "\n".join([outcome.fault, *outcome.said])


def test_the_corpus_is_whole():
    assert len(VARIANTS) >= 150
    assert sum(one.expect == ("same",) for one in VARIANTS.values()) >= 90
