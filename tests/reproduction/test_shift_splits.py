"""The study of shift splits: its designs are the stated ones, and its page says what its table says."""

import numpy as np
import pandas as pd
import pytest

from datakin import explain
from reproduction.shift_designs import CAI, CASES, POLO, YOUNG
from reproduction.shift_rivals import disde, shift_tests
from reproduction.shift_splits import SHIFT_SPLITS, direction, names_rule
from reproduction.study import RESULTS

NUMBERS, CLASSES, CENSUS = "numbers, no change", "classes, no change", "census, no change"


def sample(name, seed=0):
    (X, y), (other_X, other_y) = CASES[name].sample(seed)
    return X, y, other_X, other_y


@pytest.mark.parametrize(("name", "columns"), [(NUMBERS, 1), (CLASSES, 3), (CENSUS, 4)])
def test_both_tables_are_drawn_alike_where_nothing_changed(name, columns):
    X, y, other_X, other_y = sample(name)
    assert X.shape == other_X.shape == (CASES[name].n_rows, columns)
    assert not np.isin(X, other_X).any(), "no row stands in both"
    error = np.sqrt((X.var(axis=0) + other_X.var(axis=0)) / len(X))
    assert (np.abs(X.mean(axis=0) - other_X.mean(axis=0)) < 3.5 * error).all()
    assert abs(y.mean() - other_y.mean()) < 3.5 * np.sqrt(2 * y.var() / len(y))


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("numbers, theta = 0.1", NUMBERS),
        ("numbers, theta = 0.2", NUMBERS),
        ("census, missing column", CENSUS),
    ],
)
def test_a_change_of_y_given_x_leaves_the_features_as_they_were(name, base):
    X, y, other_X, _ = sample(name)
    same_X, same_y, same_other_X, _ = sample(base)
    np.testing.assert_array_equal(X, same_X)
    np.testing.assert_array_equal(other_X, same_other_X)
    assert (y != same_y).any()


def test_theta_is_added_to_the_label_and_lambda_to_both():
    _, y, _, other_y = sample("numbers, theta = 0.2")
    moved_X, moved_y, _, _ = sample("numbers, lambda = 0.2")
    base_X, base_y, _, base_other_y = sample(NUMBERS)
    np.testing.assert_allclose(y, base_y + 0.2)
    np.testing.assert_array_equal(other_y, base_other_y)
    np.testing.assert_allclose(moved_X, base_X + 0.2)
    np.testing.assert_allclose(moved_y - moved_X[:, 0], base_y - base_X[:, 0])


def test_classes_have_the_stated_shares_and_means():
    X, y, other_X, other_y = sample("classes, delta = 0.4")
    assert y.mean() == pytest.approx(0.9, abs=0.04)
    assert other_y.mean() == pytest.approx(0.5, abs=0.06)
    X, y, other_X, other_y = sample("classes, gamma = 1")
    for label in (0, 1):
        np.testing.assert_allclose(X[y == label].mean(axis=0), label + 1, atol=0.2)
        np.testing.assert_allclose(other_X[other_y == label].mean(axis=0), label, atol=0.2)


def test_ages_of_the_census():
    X, _, other_X, _ = sample("census, new ages")
    assert (other_X[:, 0] < YOUNG).all()
    assert np.mean(X[:, 0] < YOUNG) == pytest.approx(0.2, abs=0.04)
    X, _, other_X, _ = sample("census, harder ages")
    shares = [np.mean(each[:, 0] < YOUNG) for each in (X, other_X)]
    assert shares == pytest.approx([0.9, 0.5], abs=0.05)


@pytest.mark.parametrize(
    ("name", "rule", "features"),
    [
        (NUMBERS, False, False),
        ("numbers, lambda = 1", False, True),
        ("numbers, theta = 1", True, False),
        ("classes, gamma = 1", True, True),
    ],
)
def test_verdicts_of_clear_cases(name, rule, features):
    target, source = CASES[name].sample(0)
    found = explain(target, source, learner="linear")
    assert names_rule(found) == rule
    assert found.shift.has_moved == features
    chances = shift_tests(target, source, 0)
    assert (chances["p_x"] < 0.05, chances["p_y_given_x"] < 0.05) == (features, rule)


def test_disde_adds_up_and_finds_the_missing_column():
    target, source = CASES["census, missing column"].sample(0)
    parts = disde(target, source, 0)
    assert parts["y_given_x"] > 0.05
    assert abs(parts["p_to_s"]) + abs(parts["s_to_q"]) < 0.02


@pytest.mark.parametrize(
    ("share", "expected", "same"),
    [(1, True, "yes"), (0.5, True, "partly"), (0.2, True, "no"), (0.2, False, "yes")],
)
def test_direction(share, expected, same):
    assert direction(share, expected) == same


def test_every_case_of_both_papers_is_studied():
    studied = {cell["case"] for cell in SHIFT_SPLITS.cells}
    assert studied == set(CASES)
    assert {case.paper for case in CASES.values()} == {POLO, CAI}


def test_directions_of_the_page_are_those_of_the_table():
    frame = pd.read_csv(RESULTS / "shift-splits.csv")
    page = (RESULTS / "shift-splits.md").read_text(encoding="utf-8").splitlines()
    assert len(frame) == len(SHIFT_SPLITS.cells)
    for row in frame.itertuples():
        case = CASES[row.case]
        assert row.same_y_given_x == direction(row.names_rule, case.y_given_x)
        assert row.same_x == direction(row.moved, case.x)
        said = f"| {row.learner} | {row.names_rule:.0%} | {row.moved:.0%} |"
        end = f"{said} {row.same_y_given_x} | {row.same_x} |"
        assert any(line.startswith(f"| {row.case} |") and line.endswith(end) for line in page)
        remark = f"- {row.case}, {row.learner}: {row.remark}."
        assert (remark in page) == isinstance(row.remark, str)
        assert remark in page or (row.same_x == row.same_y_given_x == "yes")
