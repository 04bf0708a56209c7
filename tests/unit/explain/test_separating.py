"""Features that lie elsewhere, or another rule?"""

import numpy as np
import pytest

from datakin import explain
from tests.unit.explain.planted import planted
from tests.unit.explain.spoiled import add_up
from tests.unit.results.sentences import check_form


def far(seed=0, n=200):
    """One bent rule; a third of the target lies where the source has no rows."""
    rng = np.random.default_rng(seed)
    made = []
    for size, away in ((n, 0.35), (3 * n, 0.0)):
        X = rng.uniform(-1, 1, size=(size, 2))
        X[rng.random(size) < away, 0] += 5
        y = X[:, 0] + np.where(X[:, 0] > 2, 6.0, 0.0) + 0.5 * rng.normal(size=size)
        made.append((X, y))
    return made


def test_rows_outside_the_source():
    found = explain(*far(), learner="linear")
    assert found.shift.explains == "outside"
    assert found.causes == ("features",)
    assert 0.25 < found.shift.outside < 0.45
    assert not any(part.flagged for part in found.parts)
    assert not any(each.flagged for each in found.columns)
    assert "where the source has no rows" in found.answer.headline
    assert "on the others no difference of the rule is left" in found.answer.reasons[0]
    assert "Look for a source that has such rows" in found.answer.remedies[-1].text
    assert found.kept is None
    add_up(found)
    check_form(found.answer)


def test_another_rule_stays_one_though_rows_lie_outside():
    target, source = far()
    turned = target[0], target[1] - 2 * target[0][:, 1] * 1.5
    found = explain(turned, source, learner="linear")
    assert found.shift.explains == ""
    assert "rule" in found.causes


def test_neither_without_a_move():
    found = explain(*planted("rule", 1, 150, 300, numbers=True), learner="linear")
    assert not found.shift.has_moved
    assert found.shift.explains == ""
    assert np.isnan(found.shift.mended)
    assert "rule" in found.causes


def test_nothing_to_separate():
    found = explain(*planted("features", 0, 150, 300, numbers=True), learner="linear")
    assert found.shift.has_moved
    assert found.shift.explains == ""
    assert found.causes == ()


def test_groups_and_weights_are_kept():
    import datakin

    target, source = far()
    with_groups = datakin.as_dataset(
        *target, group=np.arange(200) // 2, weights=np.tile([1.0, 2.0], 100), name="here"
    )
    found = explain(with_groups, source, learner="linear")
    assert found.shift.explains == "outside"
    weights = np.tile([1.0, 2.0], 100)
    assert found.shift.outside == pytest.approx(
        np.average(target[0][:, 0] > 2, weights=weights), abs=0.03
    )
