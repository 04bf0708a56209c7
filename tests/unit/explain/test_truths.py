"""Tables whose truth is known: what holds for every learner, whatever the label's unit."""

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin import DatakinError, explain
from datakin.explaining.suspects import cut_ranges, other_units
from datakin.explaining.world import pick_learner
from tests.unit.explain.spoiled import add_up, explained, read
from tests.unit.results.sentences import check_form

RULE = (1.5, -1.0, 0.8, 0.0)


def draw(rng, n, rule=RULE):
    """Rows of four numbers, and a label that hangs on them."""
    X = rng.normal(size=(n, 4))
    y = rng.random(n) < 1 / (1 + np.exp(-X @ np.array(rule)))
    return pd.DataFrame(X, columns=list("abcd")).assign(y=np.where(y, "yes", "no"))


def bent(rng, n):
    X = rng.normal(size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + 0.5 * rng.normal(size=n)


@pytest.mark.parametrize("learner", ["linear", "trees", "kernel"])
def test_the_unit_of_a_label_does_not_matter(learner):
    rng = np.random.default_rng(0)
    (X, y), (other, z) = bent(rng, 150), bent(rng, 200)
    found = [
        explain((X, scale * y + level), (other, scale * z + level), learner=learner)
        for scale, level in ((1.0, 0.0), (1.0, 1000.0), (1e-3, 0.0), (1e3, -50.0))
    ]
    for each in found[1:]:
        assert each.causes == found[0].causes
        assert each.slope == pytest.approx(found[0].slope, abs=0.01)
        shares = [part.value / each.loss_alone for part in each.parts]
        first = [part.value / found[0].loss_alone for part in found[0].parts]
        assert shares == pytest.approx(first, abs=0.01)


def test_columns_that_act_together_in_another_way():
    """Lines see nothing of it: trees name it by what their own predictor gains."""
    for seed in (0, 1):
        rng, made = np.random.default_rng(seed), []
        for n, way in ((600, 1), (900, -1)):
            X = rng.normal(size=(n, 3))
            odds = 2 * X[:, 2] + way * 2.5 * np.sign(X[:, 0] * X[:, 1])
            made.append((X, (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int)))
        found = explain(*made)
        assert found.learner == "trees"
        assert "rule" in found.causes
        rule = next(part for part in found.parts if part.name == "rule")
        told = any("columns that act together" in text for text in found.answer.legend)
        assert told == np.isnan(rule.chance)
        assert any("columns act together otherwise in" in text for text in found.answer.reasons)
        assert not any("have other effects" in text for text in found.answer.reasons)
        check_form(found.answer)


def test_a_new_base_rate_is_no_other_way_to_round():
    """Probabilities near 0 and 1 are cut off in the same way in every step."""
    rng = np.random.default_rng(0)
    target, source = (draw(rng, n, (30.0, 0.0, 0.0, 0.0)) for n in (400, 800))
    wrong = rng.random(400) < 0.05
    target.loc[wrong, "y"] = np.where(target["y"][wrong] == "yes", "no", "yes")
    found = explain(*read(target, source), learner="linear")
    assert abs(found.observed - found.expected) < 0.02
    assert found.parts[0].name == "base rate"
    assert abs(found.parts[0].value) < 0.02 * found.loss_alone
    add_up(found)


@pytest.mark.long
def test_trees_do_not_guess_what_is_missing():
    """Values are missing at random in the target only: the rule is the same."""
    named = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        target, source = draw(rng, 300), draw(rng, 400)
        target.loc[rng.random(300) < 0.4, "a"] = np.nan
        named.append(explain(*read(target, source), learner="trees").causes)
    assert not any(named)


@pytest.mark.long
def test_a_kernel_is_not_too_cautious_where_nothing_differs():
    named = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        tables = read(*(draw(rng, 250, (6.0, -4.0, 3.0, 0.0)) for _ in range(2)))
        named.append("confidence" in explain(*tables, learner="kernel").causes)
    assert sum(named) <= 1  # without its calibration it was named in most


def test_a_source_of_one_group_is_refused():
    rng = np.random.default_rng(0)
    target, source = draw(rng, 100).assign(g=np.arange(100) % 10), draw(rng, 100).assign(g=1)
    tables = datakin.read_tables({"mine": target, "theirs": source}, label="y", group="g")
    for learner in ("auto", "linear", "trees"):
        with pytest.raises(DatakinError, match="All rows of 'theirs' belong to one"):
            explain(tables["mine"], tables["theirs"], learner=learner)


def test_two_mends_are_told_in_the_order_they_were_made():
    """Each alone makes it worse, where two mistakes offset each other."""
    rng = np.random.default_rng(11)
    target, source = (
        draw(rng, n).assign(
            weight=lambda t: (70 + 12 * t["a"]).round(1),
            temp=lambda t: (37 + 0.8 * t["b"]).round(2),
        )
        for n in (300, 400)
    )
    target, source = (each.drop(columns=["a", "b"]) for each in (target, source))
    source = source.assign(weight=source["weight"] * 2.2046, temp=source["temp"] * 1.8 + 32)
    found = explained(target, source)
    one, two = (each for each in found.mends if each.flagged)
    assert one.after == two.before
    assert one.before == pytest.approx(found.excess)
    first, second = found.answer.remedies
    assert second.text.startswith("Then convert ")
    assert not first.text.startswith("Then")
    assert one.fall < 0 < two.fall
    assert any("one mend alone makes it worse" in text for text in found.answer.caveats)
    check_form(found.answer)


def test_a_headline_of_numbers_that_point_the_wrong_way():
    rng = np.random.default_rng(0)
    x, other = rng.normal(size=(200, 1)), rng.normal(size=(300, 1))
    y, z = x[:, 0] + rng.normal(size=200), -other[:, 0] + rng.normal(size=300)
    found = explain((x, y), (other, z), learner="linear")
    assert found.slope < 0
    assert found.headline.endswith("because differences that it predicts point the wrong way.")
    assert "point the wrong way" in found.answer.reasons[0]


def test_a_factor_is_no_known_unit_that_is_far_from_it():
    rng = np.random.default_rng(0)
    target, source = draw(rng, 1000), draw(rng, 1000)
    (suspect,) = other_units(*read(target, source.assign(a=70 * source["a"])))
    assert "perhaps" not in suspect.seen
    factor = float(suspect.typed.removeprefix("--convert theirs::a="))
    assert factor == pytest.approx(1 / 70, rel=0.1)
    (known,) = other_units(*read(target, source.assign(a=100 * source["a"])))
    assert known.typed == "--convert theirs::a=0.01"


def test_the_learner_is_picked_for_the_mended_tables():
    rng = np.random.default_rng(0)
    target, source = draw(rng, 300), draw(rng, 400)
    spoiled = source.assign(a=source["a"].where(rng.random(400) > 0.1, -99))
    assert pick_learner(*read(target, spoiled), "log").name == "trees"
    found = explain(*read(target, spoiled))
    typed = explain(*read(target, spoiled.assign(a=spoiled["a"].replace(-99, np.nan))))
    assert found.learner == typed.learner == "linear"
    assert [mend.cause for mend in found.mends if mend.flagged] == ["blanks"]
    assert found.mends[0].after == pytest.approx(typed.excess, abs=1e-9)


def test_small_tables_do_not_end_early_by_chance():
    told = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        tables = [pd.DataFrame(rng.normal(size=(n, 10))).add_prefix("v") for n in (40, 60)]
        tables = [each.assign(y=np.arange(len(each)) % 2) for each in tables]
        told += len(list(cut_ranges(*read(*tables))))
    assert told == 0
