"""Row weights in a choice: taken from the datasets, and what they change."""

import numpy as np
import pandas as pd
import pytest

from datakin import DatakinError, as_dataset
from datakin.choosing import choose
from datakin.learners.stack.preparation import prepare

QUICK = {"learners": ["linear"], "repeats": 2}


def made(n, seed, name, *, turn=1.0, weights=None):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    y = X @ [turn, 0.5, 0.0] + 0.5 * rng.standard_normal(n)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    return as_dataset(frame, y, name=name, task="regression", weights=weights)


def counts(n, seed=3):
    return np.random.default_rng(seed).integers(1, 5, n).astype(float)


def both(factor=1.0):
    return (
        made(60, 0, "mine", weights=factor * counts(60)),
        made(120, 1, "other", weights=factor * counts(120)),
    )


def numbers(choice):
    return choice.error, choice.interval, choice.gain, choice["other"].share, choice["other"].gain


def test_weights_come_from_the_datasets():
    target, source = both()
    found = choose(target, [source], **QUICK)
    weights = {"mine": target.weights, "other": source.weights}
    by_name = choose(target.unweighted(), [source.unweighted()], weights=weights, **QUICK)
    assert numbers(found) == numbers(by_name)
    assert found.provenance.fingerprints == by_name.provenance.fingerprints
    plain = choose(target.unweighted(), [source.unweighted()], **QUICK)
    assert numbers(found) != numbers(plain)


def test_weights_given_by_name_win():
    target, source = both()
    ones = {"mine": np.ones(60)}
    prepared = prepare(target, [source], weights=ones)
    np.testing.assert_array_equal(prepared.rows.weights, np.ones(60))
    assert prepared.sources["other"].weights == pytest.approx(counts(120) / counts(120).mean())


@pytest.mark.filterwarnings("ignore:.*drawn at random")
@pytest.mark.parametrize("max_rows", [None, 40])
def test_twice_the_weights_change_nothing(max_rows):
    one, two = (
        choose(target, [source], max_rows=max_rows, **QUICK)
        for target, source in (both(), both(2.0))
    )
    assert numbers(one) == numbers(two)


def test_rows_of_weight_zero_do_not_count():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((90, 3))
    y = X @ [1.0, 0.5, 0.0] + 0.5 * rng.standard_normal(90)
    y[60:] = 20 + 10 * rng.standard_normal(30)  # another world
    counted = np.where(np.arange(90) < 60, 1.0, 0.0)
    source = made(120, 1, "other")
    weighted = as_dataset(X, y, name="mine", task="regression", weights=counted)
    options = {"task": "regression", "name": "mine"}
    source = as_dataset(source.features.numeric, source.y, name="other", task="regression")
    found = choose(weighted, [source], **QUICK)
    absent = choose(as_dataset(X[:60], y[:60], **options), [source], **QUICK)
    counting = choose(as_dataset(X, y, **options), [source], **QUICK)
    assert found.error == pytest.approx(absent.error, rel=0.2)
    assert found.error_alone == pytest.approx(absent.error_alone, rel=0.2)
    assert counting.error > 10 * found.error


def test_weights_are_part_of_what_a_checkpoint_knows(tmp_path):
    target, source = (each.unweighted() for each in both())
    plain = choose(target, [source], checkpoint=tmp_path, **QUICK)
    weights = {"mine": counts(60)}
    found = choose(target, [source], weights=weights, checkpoint=tmp_path, **QUICK)
    assert found.error == choose(target, [source], weights=weights, **QUICK).error != plain.error


def test_a_source_whose_rows_do_not_count_is_unusable():
    few = np.r_[np.full(5, 2.0), np.zeros(115)]
    source = made(120, 1, "other", weights=few)
    prepared = prepare(made(60, 0, "mine"), [source])
    assert "120 rows that can be used count like 5 of equal weight" in prepared.unusable["other"]


def test_weights_that_leave_nearly_one_row_are_refused():
    with pytest.raises(DatakinError, match=r"count like 1 of equal weight; at least 10"):
        prepare(made(60, 0, "mine", weights=np.r_[1e9, np.ones(59)]), [])
    ten = np.r_[np.full(10, 0.3), np.zeros(50)]
    assert prepare(made(60, 0, "mine", weights=ten), []).rows.weights.sum() == pytest.approx(60)


def test_weights_that_leave_one_group_are_refused():
    rng, group = np.random.default_rng(0), np.arange(60) // 20
    target = as_dataset(
        rng.standard_normal((60, 2)),
        rng.normal(size=60),
        name="mine",
        group=group,
        weights=group == 1,
    )
    with pytest.raises(DatakinError, match=r"at least two groups\. Got one"):
        prepare(target, [])


def grouped(group):
    rng, n = np.random.default_rng(0), len(group)
    return as_dataset(rng.standard_normal((n, 2)), rng.normal(size=n), name="mine", group=group)


def test_without_weights_one_group_is_refused_without_a_word_of_them():
    with pytest.raises(DatakinError, match="Got one: no row") as refused:
        prepare(grouped(np.zeros(60)), [])
    assert "weight" not in str(refused.value)


def test_samples_keep_groups_whole():
    groups = np.arange(120) % 12
    for seed in range(5):
        drawn = prepare(grouped(groups), [], max_rows=47, random_state=seed).target
        _, sizes = np.unique(drawn.groups, return_counts=True)
        assert sizes.tolist() == [10] * 4


@pytest.mark.parametrize("groups", [np.arange(120) // 60, np.arange(120) // 40])
def test_groups_too_large_to_be_kept_whole_are_all_drawn_from(groups):
    drawn = prepare(grouped(groups), [], max_rows=50).target
    assert drawn.n_rows == 50
    assert set(drawn.groups) == set(groups)


def test_two_small_groups_are_no_sample():
    groups = np.r_[0, 1, np.repeat([2, 3], 60)]
    assert prepare(grouped(groups), [], max_rows=50).target.n_rows == 50


def test_a_class_that_does_not_count_is_refused():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    target = as_dataset(
        rng.standard_normal((60, 2)), y, name="mine", task="multiclass", weights=y < 2
    )
    with pytest.raises(DatakinError, match=r"Every class of 'mine'.*weights of 0 only for '2'"):
        prepare(target, [])
