"""explain against planted truths: what was changed is named, and nothing else is where nothing was."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import datakin
from datakin import DatakinError, explain, from_json
from tests.unit.damage import damaged_json
from tests.unit.explain.planted import planted
from tests.unit.explain.spoiled import add_up
from tests.unit.results.sentences import check_form


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("change", ["base rate", "confidence", "rule"])
def test_the_change_is_named_first(change, numbers):
    names = {"base rate": "level", "confidence": "scale"} if numbers else {}
    first = [explain(*planted(change, seed, numbers=numbers)) for seed in range(3)]
    for found in first:
        add_up(found)
        check_form(found.answer)
    named = [found.causes[:1] for found in first]
    assert named.count((names.get(change, change),)) >= (3 if numbers else 2), named
    if change == "rule":
        assert all(found.columns[0].column == "x0" for found in first)
        assert all(found.columns[0].flagged for found in first)
    else:
        assert not any("rule" in found.causes for found in first)
        assert not any(each.flagged for found in first for each in found.columns)


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("change", ["nothing", "features"])
def test_nothing_is_named_where_no_rule_differs(change, numbers):
    for seed in range(4):
        found = explain(*planted(change, seed, numbers=numbers))
        add_up(found)
        check_form(found.answer)
        assert found.causes == ()
        assert found.columns == found.regions == ()
        assert found.answer.headline.startswith("Nothing to explain")
        assert found.shift.has_moved or change == "nothing"


@pytest.mark.long
def test_nothing_is_named_for_a_small_source():
    """Its predictor is off by chance; that is no other rule."""
    small = [explain(*planted("nothing", seed, 500, 80)) for seed in range(5)]
    assert [found.causes for found in small] == [()] * 5
    assert all("fewer rows" in found.answer.caveats[-1] for found in small)


@pytest.mark.long
def test_effects_stand_side_by_side():
    inside = 0
    for seed in range(10):
        found = explain(*planted("rule", seed, numbers=True))
        (pair,) = found.columns[0].effects
        inside += pair.here_low < -0.2 < pair.here_high
        inside += pair.there_low < 1.0 < pair.there_high
        assert pair.here_high < pair.there_low
        assert "x0 comes first" in " ".join(found.answer.reasons)
    assert inside >= 15  # of 20 intervals of 90%: fewer have a chance of 1%


def test_base_rate_and_slope_are_told():
    target, source = planted("base rate", 0)
    found = explain(target, source)
    assert found.observed == pytest.approx(target[1].mean())
    assert found.expected == pytest.approx(0.5, abs=0.05)
    assert "'1', where source expects" in found.answer.reasons[0]
    assert explain(*planted("scale", 0, numbers=True)).slope == pytest.approx(0.4, abs=0.1)


def test_features_that_moved_are_found():
    shift = explain(*planted("features", 0)).shift
    assert shift.low > 0.6
    assert shift.columns[0].column == "x0"
    assert shift.columns[0].low < 0.8 < shift.columns[0].high
    same = explain(*planted("nothing", 0)).shift
    assert same.low < 0.5 < same.high
    assert same.outside < 0.04


def test_a_mean_of_few_values_did_not_move_most():
    rng = np.random.default_rng(0)
    X, other = rng.normal(size=(200, 3)), rng.normal(size=(300, 3))
    X[:, 1] += 0.8
    X[5:, 2], X[:5, 2] = np.nan, (-0.5, 0.5, 1.0, 1.5, 3.0)
    X[:, 0], other[:, 0] = np.arange(200) % 5 - 2, np.arange(300) % 5 - 2
    shift = explain((X, np.arange(200) % 2), (other, np.arange(300) % 2), learner="linear").shift
    moved = {each.column: each for each in shift.columns}
    assert abs(moved["x2"].difference) > moved["x1"].difference
    assert shift.columns[0].column == "x1"
    assert moved["x0"].here == moved["x0"].there == 0


def curved(seed, n_target=400, n_source=1500):
    """One bent rule, too simple a learner, features elsewhere: weighting the source mends it."""
    rng = np.random.default_rng(seed)
    made = []
    for n, center in ((n_target, 1.2), (n_source, 0.0)):
        X = rng.normal(size=(n, 2))
        X[:, 0] += center
        made.append((X, X[:, 0] ** 2 + X[:, 1] + rng.normal(size=n)))
    return made


def test_weighting_mends_what_only_moved():
    found = explain(*curved(0), learner="linear")
    assert found.shift.has_moved
    assert found.shift.explains == "weighting"
    assert found.causes == ("features",)
    parts = {part.name: part.value for part in found.parts}
    assert found.shift.mended_low > 0
    assert found.shift.mended == pytest.approx(parts["level"] + parts["rule"], rel=0.1)
    assert not any(part.flagged for part in found.parts)
    assert "because features lie elsewhere, where its rule is too simple" in found.answer.headline
    assert any("no difference of the rule is left" in text for text in found.answer.reasons)
    check_form(found.answer)
    trees = explain(*curved(0))  # they bend as the rule does: nothing is left to explain
    assert trees.learner == "trees"
    assert trees.causes == ()
    target, source = planted("rule", 0, numbers=True)
    source[0][:, 1] += 1.0  # moved, and the rule differs: weighting does not help
    rule = explain(
        (target[0], target[1]), (source[0], source[0] @ [1.0, -0.8, 0.6, 0.5, -0.4, 0.0])
    )
    part = next(part for part in rule.parts if part.name == "rule")
    assert rule.shift.mended < 0.25 * part.value
    assert any("mends little" in text for text in rule.answer.reasons)


def failing(seed, n=600):
    """A rule that fails for high ages, an eighth of the rows."""
    rng = np.random.default_rng(seed)
    made = []
    for fails in (True, False):
        age = rng.uniform(20, 90, n)
        dose = rng.normal(size=n)
        effect = np.where((age > 80) & fails, -3.0, 1.0)
        frame = pd.DataFrame({"age": age, "dose": dose, "other": rng.normal(size=n)})
        made.append((frame, effect * dose + 0.5 * rng.normal(size=n)))
    return made


def test_the_rows_that_fail_are_found():
    found = explain(*failing(0))
    region = found.regions[0]
    assert region.flagged
    assert region.share > 0.6
    assert region.rows < 0.35
    assert region.low > 0
    (age,) = [float(text.split()[-1]) for text in region.conditions if text.startswith("age > ")]
    assert 72 < age < 84
    assert any(text.startswith("It fails for ") for text in found.answer.reasons)
    check_form(found.answer)


def test_rows_of_a_level_that_fail():
    rng = np.random.default_rng(0)
    made = []
    for fails in (True, False):
        ward = rng.choice(["north", "south", "west", "east"], 500)
        dose = rng.normal(size=500)
        y = np.where((ward == "west") & fails, 3.0, 0.0) + dose + 0.5 * rng.normal(size=500)
        made.append((pd.DataFrame({"ward": ward, "dose": dose}), y))
    found = explain(*made)
    assert found.columns[0].column == "ward"
    assert found.columns[0].flagged
    assert {pair.name for pair in found.columns[0].effects} >= {"ward=west", "ward=east"}
    assert found.regions[0].conditions[0] == "ward is west"
    assert found.regions[0].share > 0.9
    assert any(text.startswith("It fails for ward is west") for text in found.answer.reasons)


def test_weights_of_rows_count():
    target, source = planted("nothing", 0)
    here = np.where(
        target[1] == 1, 3.0, 1.0
    )  # the second class counts three times: another base rate
    found = explain(datakin.as_dataset(*target, weights=here, name="t"), source)
    add_up(found)
    assert found.causes == ("base rate",)
    assert found.observed == pytest.approx(np.average(target[1], weights=here))


@pytest.mark.long
def test_several_classes_that_do_not_differ_are_as_sure():
    """One class against the rest is no softmax; that the predictor is off by this is no difference."""
    effects = np.random.default_rng(3).normal(size=(8, 4)) * 0.8
    chances = []
    for seed in range(6):
        rng, made = np.random.default_rng(seed), []
        for n in (300, 600):
            X = rng.normal(size=(n, 8))
            eta = X @ effects + [0, 0, -1, -2] + rng.gumbel(size=(n, 4))
            made.append((X, np.array(list("abcd"))[eta.argmax(axis=1)]))
        found = explain(*made, learner="linear")
        assert "confidence" not in found.causes
        chances.append(found.parts[1].chance)
    assert np.median(chances) > 0.1


@pytest.mark.long
def test_many_levels_that_do_not_differ_name_no_rule():
    """With as many numbers as rows allow, a source's predictor is off by more than chance alone."""
    rng = np.random.default_rng(1)
    effects = 0.4 * rng.normal(size=(15, 6))
    named = []
    for _ in range(6):
        made = []
        for name in ("here", "there"):
            codes = rng.integers(0, 6, size=(300, 15))
            eta = sum(effects[j][codes[:, j]] for j in range(15))
            X = pd.DataFrame({f"k{j}": np.array(list("abcdef"))[codes[:, j]] for j in range(15)})
            y = (rng.random(300) < 1 / (1 + np.exp(-eta))).astype(int)
            made.append(datakin.as_dataset(X, y, name=name))
        named.append("rule" in explain(*made, learner="linear").causes)
    assert sum(named) <= 1


@pytest.mark.long
def test_a_column_that_tells_much_more_there_is_named():
    """Far from the truth one Newton step goes too far, by another length for each half of the source."""
    effects = np.array([0.7, 0.5, 0.4, 0.3, *[0.2] * 6])
    for seed in range(4):
        rng, made = np.random.default_rng(seed), []
        for n, right in ((500, 0.5), (1000, 0.85)):
            X = rng.normal(size=(n, 11))
            y = rng.random(n) < 1 / (1 + np.exp(0.8 - X[:, :10] @ effects))
            X[:, 10] = np.where(rng.random(n) < right, y, ~y)
            made.append((X, y.astype(int)))
        found = explain(*made, learner="linear")
        assert found.columns[0].column == "x10"
        assert found.columns[0].chance < 0.01
        assert [each.column for each in found.columns if each.flagged] == ["x10"]


def test_several_classes():
    rng = np.random.default_rng(0)
    made = []
    for n, weight in ((300, -1.0), (500, 1.0)):
        X = rng.normal(size=(n, 3))
        eta = np.column_stack([weight * X[:, 0], X[:, 1], X[:, 2]]) + rng.gumbel(size=(n, 3))
        made.append((X, np.array(["a", "b", "c"])[eta.argmax(axis=1)]))
    found = explain(*made)
    add_up(found)
    check_form(found.answer)
    assert found.task == "multiclass"
    assert found.causes[0] == "rule"
    assert found.columns[0].column == "x0"
    assert found.columns[0].effects == ()


@pytest.mark.parametrize("learner", ["trees", LogisticRegression()])
def test_other_learners(learner):
    found = explain(*planted("rule", 0), learner=learner)
    add_up(found)
    assert "rule" in found.causes
    none = explain(*planted("nothing", 0), learner=learner)
    assert none.causes == ()


def test_trees_leave_a_rest_that_columns_do_not_mend():
    """Other columns act together: no effect of a single column mends it."""
    rng = np.random.default_rng(0)
    made = []
    for n, other in ((600, 0), (900, 2)):
        X = rng.normal(size=(n, 3))
        made.append((X, 2 * np.sign(X[:, 1] * X[:, other]) + rng.normal(size=n)))
    found = explain(*made, learner="trees")
    assert found.causes[0] == "rest"
    check_form(found.answer)


def test_groups_count_as_one():
    target, source = planted("base rate", 0)
    rows = explain(target, source)
    groups = np.repeat(np.arange(30), 10)
    found = explain(datakin.as_dataset(*target, group=groups, name="t"), source)
    add_up(found)
    assert found.parts[0].high - found.parts[0].low != rows.parts[0].high - rows.parts[0].low


def test_brier_and_log_loss():
    found = explain(*planted("base rate", 0), loss="brier")
    assert found.causes == ("base rate",)
    assert found.loss_alone < 0.25
    assert "Brier loss" in found.answer.evidence[0]


def test_seeds_repeat():
    tables = planted("rule", 2)
    assert explain(*tables) == explain(*tables)
    assert explain(*tables) != explain(*tables, random_state=1)


def test_json_and_frame():
    for found in (explain(*planted("rule", 0)), explain(*failing(1))):
        again = from_json(found.to_json())
        assert again == found
        assert str(again) == str(found)
    assert list(found.frame["part"]) == ["level", "scale", "rule", "rest"]
    assert "scale" in repr(found)
    assert found._repr_html_()


def test_damaged_json_is_a_result_or_a_sentence():
    text = explain(*failing(1)).to_json()
    refused = 0
    for seed in range(100):
        try:
            found = from_json(damaged_json(text, seed))
            assert str(found)
        except DatakinError:
            refused += 1
    assert refused > 10


def test_little_lost_is_not_called_a_failure():
    found = replace(explain(*planted("base rate", 0)), low=-0.01)
    assert "loses little on target, but the base rate differs" in found.answer.headline
    assert found.answer.tone == "open"
    found = replace(found, low=0.01, parts=tuple(replace(p, flagged=False) for p in found.parts))
    assert "no reason stands out" in found.answer.headline
    check_form(found.answer)


def test_odd_names_cannot_act():
    found = replace(explain(*planted("rule", 0)), target="two\nlines\x1b[31m", source="<b>")
    assert "\x1b" not in str(found)
    assert "<b>" not in found._repr_html_()


# Bad input


def test_identical_datasets():
    target, _ = planted("nothing", 0, 60)
    found = explain(target, target)
    assert found.is_copy
    assert found.excess == 0.0
    assert str(found).startswith("Nothing to explain: source and target hold the same rows.")
    assert len(found.frame) == 0
    assert from_json(found.to_json()) == found
    data = datakin.as_dataset(*target, name="mine")
    assert explain(data, data).is_copy


def test_one_column():
    (X, y), (other, z) = planted("rule", 0)
    found = explain((X[:, :1], y), (other[:, :1], z))
    add_up(found)
    check_form(found.answer)


def test_a_column_that_does_not_vary_in_the_source():
    (X, y), (_, z) = planted("base rate", 0)
    steady = np.column_stack([np.zeros(600), np.arange(600) % 2])
    with pytest.warns(datakin.DatakinWarning, match="constant column"):
        found = explain((X[:, :2], y), (steady, z))
    add_up(found)
    check_form(found.answer)


def test_a_source_that_lacks_a_class():
    rng = np.random.default_rng(0)
    X, other = rng.normal(size=(150, 2)), rng.normal(size=(200, 2))
    here = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + rng.normal(size=150), [-0.5, 0.5])]
    there = np.where(other[:, 0] + rng.normal(size=200) > 0, "b", "a")
    found = explain((X, here), (other, there))
    add_up(found)
    check_form(found.answer)
    assert found.causes


def test_categories_with_disjoint_levels():
    rng = np.random.default_rng(0)
    tables = []
    for levels in (("a", "b"), ("c", "d")):
        words = rng.choice(levels, size=(200, 2))
        y = ((words[:, 0] == levels[0]) ^ (rng.random(200) < 0.2)).astype(int)
        tables.append((pd.DataFrame(words, columns=["first", "second"]), y))
    with pytest.raises(DatakinError, match="must share a column with values in common"):
        explain(*tables)
    kept = [
        datakin.as_dataset(*each, name=n, keep=["first", "second"])
        for each, n in zip(tables, "ab", strict=True)
    ]
    found = explain(*kept)
    add_up(found)
    check_form(found.answer)
    assert found.shift.auc > 0.95
    assert found.shift.outside > 0.95
    assert found.shift.columns[0].difference == pytest.approx(1.0)


def test_thirty_rows():
    for change in ("nothing", "base rate", "rule"):
        found = explain(*planted(change, 0, 30, 30))
        add_up(found)
        check_form(found.answer)
        assert found.regions == ()


def test_sparse_columns():
    (X, y), (other, z) = planted("base rate", 0)
    found = explain((sparse.csr_matrix(X), y), (sparse.csr_matrix(other), z))
    assert found.causes == ("base rate",)


def test_missing_numbers_and_a_column_the_source_lacks():
    (X, y), (other, z) = planted("rule", 0)
    here, there = (
        pd.DataFrame(X, columns=list("abcdef")),
        pd.DataFrame(other, columns=list("abcdef")),
    )
    here.loc[::7, "b"] = np.nan
    found = explain((here, y), (there.drop(columns="c"), z))
    add_up(found)
    check_form(found.answer)
    assert np.isnan(next(c for c in found.shift.columns if c.column == "c").there)


def test_what_is_refused():
    target, source = planted("nothing", 0, 60, 60)
    with pytest.raises(DatakinError, match="must be one learner"):
        explain(target, source, learner=["linear", "trees"])
    with pytest.raises(DatakinError, match="must be one learner"):
        explain(target, source, learner=None)
    with pytest.raises(DatakinError, match="must give probabilities"):
        explain(target, source, learner=LinearSVC())
    with pytest.raises(DatakinError, match="'log' or 'brier'"):
        explain(target, source, loss="squared")
    with pytest.raises(DatakinError, match="'loss' parameter must be one of"):
        explain(target, source, loss="hinge")
    with pytest.raises(
        DatakinError, match="'max_rows' parameter must be a whole number of at least"
    ):
        explain(target, source, max_rows=0)
    with pytest.raises(DatakinError, match="at least 10 are needed"):
        explain(
            target,
            (np.vstack([target[0][:55], source[0][:5]]), np.append(target[1][:55], source[1][:5])),
        )


def test_a_sample_of_many_rows():
    found = explain(*planted("level", 0, 600, 900, numbers=True), max_rows=300)
    assert (found.n_target, found.n_source) == (300, 300)
    assert found.causes == ("level",)
    assert len(found.notes) == 2
