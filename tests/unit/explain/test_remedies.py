"""What would mend the parts of the ladder, tried."""

import numpy as np
import pytest

import datakin
from datakin import explain
from datakin.results.words import percent
from tests.unit.explain.spoiled import add_up, explained, options_of, planted_cause, read
from tests.unit.results.sentences import check_form, sentences_of


def remedy(found, cause):
    (mend,) = [each for each in found.mends if each.cause == cause]
    assert not mend.flagged
    assert mend.before == pytest.approx(found.excess, rel=1e-12)
    assert mend.after < mend.before
    add_up(found)
    check_form(found.answer)
    return mend


@pytest.mark.parametrize("seed", [0, 1])
def test_base_rate(seed):
    target, source, found = planted_cause("base rate", seed)
    mend = remedy(found, "base rate")
    assert (mend.part, mend.table, mend.columns) == ("base rate", "theirs", ("y",))
    assert mend.typed == "--match-classes theirs"
    names = {"datakin": datakin}
    names["target"], names["source"] = read(target, source)
    exec(mend.python, names)
    again = explain(names["target"], names["source"], learner="linear")
    assert again.excess == pytest.approx(mend.after, rel=1e-9)
    assert again.causes == ()
    shares = [100 * each["y"].mean() for each in (target, source)]
    for share in shares:
        assert f"{share:.0f}%" in mend.seen


def test_of_several_classes_the_one_that_is_most_off():
    rng = np.random.default_rng(0)

    def make(shares, n):
        y = rng.choice(["a", "b", "c"], p=shares, size=n)
        means = np.array([[0.0, 0.0], [1.5, 0.0], [0.0, 1.5]])[np.searchsorted(["a", "b", "c"], y)]
        X = means + rng.normal(size=(n, 2))
        return datakin.as_dataset(X, y, name=f"of_{n}")

    target, source = make([0.4, 0.3, 0.3], 300), make([0.25, 0.1, 0.65], 600)
    found = explain(target, source, learner="linear")
    assert found.causes == ("base rate",)
    here, there = (np.mean(each.y == 2) for each in (target, source))
    assert (found.positive, found.observed, found.in_source) == (
        "c",
        pytest.approx(here),
        pytest.approx(there),
    )
    assert found.expected > found.observed + 0.1
    said = found.answer.reasons[0]
    assert f"{percent(here)}% of of_300 are 'c'" in said
    assert said.endswith(f"of of_600 itself {percent(there)}% are.")
    assert remedy(found, "base rate").typed == "--match-classes of_600"


@pytest.mark.parametrize(
    ("cause", "seed", "name"),
    [("base rate", 0, "level"), ("base rate", 1, "level"), ("confidence", 1, "scale")],
)
def test_level_and_scale(cause, seed, name):
    target, source, found = planted_cause(cause, seed, "numbers")
    assert found.causes == (name,)
    mend = remedy(found, name)
    assert mend.part == name
    ((slope, intercept),) = options_of(mend)["convert"]["theirs"].values()
    assert slope == (1.0 if name == "level" else pytest.approx(found.slope, rel=1e-3))
    if name == "level":
        assert intercept == pytest.approx(found.observed - found.expected, rel=1e-3)
    again = explained(target, source, **options_of(mend))
    assert again.excess == pytest.approx(mend.after, rel=1e-9)
    assert again.causes == ()


@pytest.mark.parametrize("seed", [0, 1])
def test_a_column(seed):
    target, source, found = planted_cause("effect", seed, "numbers")
    mend = remedy(found, "column")
    assert (mend.part, mend.table, mend.columns) == ("rule", "", (found.columns[0].column,))
    again = explained(target, source, **options_of(mend))
    assert again.excess == pytest.approx(mend.after, rel=1e-9)
    assert again.loss_alone == pytest.approx(mend.alone, rel=1e-9)
    assert "no option mends the source" not in " ".join(sentences_of(found.answer))
    (said,) = [each.text for each in found.answer.remedies if each.typed == mend.typed]
    left, costs = again.excess / again.loss_alone, again.loss_alone / found.loss_alone - 1
    assert (
        f"to {percent(left)}%. But the target's own predictor then loses {percent(costs)}% more."
        in said
    )


def test_a_column_of_use_is_kept():
    """Without it both predictors lose more, the own one most: the excess falls, nothing is mended."""
    rng = np.random.default_rng(0)
    tables = [rng.normal(size=(n, 3)) for n in (400, 800)]
    labels = [
        X @ [effect, 1.0, 0.5] + rng.normal(size=len(X))
        for X, effect in zip(tables, (2.0, 1.2), strict=True)
    ]
    found = explain(*zip(tables, labels, strict=True), learner="linear")
    assert [each.column for each in found.columns if each.flagged] == ["x0"]
    assert not [mend for mend in found.mends if mend.cause == "column"]


def test_one_column_is_not_left_out():
    target, source, _ = planted_cause("effect", 0, "numbers")
    found = explained(target[["d", "y"]], source[["d", "y"]])
    assert not any(mend.typed for mend in found.mends)


def test_advice_where_no_option_helps():
    from tests.unit.explain.planted import planted

    found = explain(*planted("confidence", 2), learner="linear")
    assert found.causes == ("confidence",)
    assert [each.typed for each in found.answer.remedies] == [""]
    assert found.answer.remedies[0].text.startswith("Use choose: it learns")
