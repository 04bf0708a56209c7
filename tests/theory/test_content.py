"""The score of learners follows from what rows hold: not from their order, nor from names or units."""

import numpy as np
import pandas as pd
import pytest

from datakin import as_dataset, score
from datakin.learners.content import arranged

NAMES = {"u": "z", "v": "y", "w": "x"}  # the other way round when sorted
SAME = ("shuffled", "classes", "columns", "renamed", "rescaled", "source")


def table(n, seed, angle, kind):
    """Numbers, a whole number with ties, missing values and a category."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n, 4)), columns=list("abcd"))
    value = np.cos(angle) * frame["a"] + np.sin(angle) * frame["b"] + 0.5 * rng.standard_normal(n)
    frame["d"] = frame["d"].round(0)
    frame["kind"] = rng.choice(["p", "q", "r"], n)
    frame.loc[rng.random(n) < 0.1, "c"] = np.nan
    if kind == "regression":
        return frame, value.to_numpy()
    cuts = [0.0] if kind == "binary" else [-0.5, 0.5]
    return frame, np.array(["u", "v", "w"])[np.digitize(value, cuts)]


def changed(frame, y, group, how):
    if how == "shuffled":
        order = np.random.default_rng(7).permutation(len(y))
        group = None if group is None else group[order]
        return frame.iloc[order].reset_index(drop=True), y[order], group
    if how == "classes" and y.dtype.kind == "U":
        y = np.array([NAMES[label] for label in y])
    if how == "columns":
        frame = frame[frame.columns[::-1]]
    if how == "renamed":
        frame = frame.rename(columns={"a": "zz", "c": "aa", "kind": "b2"})
    if how == "rescaled":
        frame = frame.assign(a=1000 * frame["a"], b=0.3 * frame["b"], c=1e-4 * frame["c"] + 7)
    return frame, y, group


def compared(kind, how, *, grouped=False, rows=(70, 90), **options):
    made = []
    for n, seed, angle, name in ((rows[0], 1, 0.0, "t"), (rows[1], 2, 0.6, "s")):
        frame, y = table(n, seed, angle, kind)
        group = np.array([f"{name}{k}" for k in np.arange(n) // 3]) if grouped else None
        frame, y, group = changed(frame, y, group, how)
        name = "other" if how == "source" and name == "s" else name
        task = "regression" if kind == "regression" else "auto"
        made.append(as_dataset(frame, y, name=name, task=task, group=group))
    return score(*made, **{"models": "learners", "zones": "paper", "cv": 3} | options)


def assert_same(one, two):
    for size, found in one.sizes.items():
        assert two.sizes[size].value == pytest.approx(found.value, abs=1e-9)
        assert two.sizes[size].standard_error == pytest.approx(found.standard_error, abs=1e-9)
    assert [*two.model_scores.values()] == pytest.approx([*one.model_scores.values()], abs=1e-9)


@pytest.mark.parametrize("how", SAME)
@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
def test_order_names_and_units_move_nothing(kind, how):
    options = {} if kind == "regression" else {"loss": "brier"}
    assert_same(compared(kind, "", **options), compared(kind, how, **options))


@pytest.mark.parametrize("how", SAME)
def test_of_groups_neither(how):
    assert_same(compared("binary", "", grouped=True), compared("binary", how, grouped=True))


@pytest.mark.filterwarnings("ignore:.*more than max_rows")
@pytest.mark.parametrize("how", ["shuffled", "classes", "columns", "renamed"])
def test_nor_of_samples(how):
    options = {"rows": (420, 100), "max_rows": 200}
    assert_same(compared("binary", "", **options), compared("binary", how, **options))


def test_named_models_keep_their_folds():
    """Their numbers are those of before: folds by the order of rows."""
    named = {"models": ["logistic"], "loss": "brier"}
    one, two = (compared("binary", how, **named) for how in ("", "shuffled"))
    assert abs(one.score - two.score) > 1e-6


def test_rows_are_sorted_by_label_and_equal_rows_stand_together():
    X = np.tile([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [0.0, 5.0]], (6, 1))
    found = arranged(as_dataset(X, np.arange(24) // 4 % 2, task="binary"))
    assert (np.diff(found.y) >= 0).all()
    rows = [tuple(row) for row in np.column_stack([X[found.order], found.y])]
    starts = [row for i, row in enumerate(rows) if i == 0 or rows[i - 1] != row]
    assert len(starts) == len(set(rows)) == 8
