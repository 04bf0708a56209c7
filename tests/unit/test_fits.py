"""What a result costs: fits per dataset, never per pair, counted by the estimator itself."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from datakin import as_dataset, matrix, rank, score

PER_PLAN = 1 + 5 + 10  # all rows, without one fold, without two


class Counted(ClassifierMixin, BaseEstimator):
    """Nearest class mean; the class counts the fits of all its clones."""

    n_fits = 0

    def fit(self, X, y):
        Counted.n_fits += 1
        self.means_ = np.array([X[y == c].mean(axis=0) for c in np.unique(y)])
        return self

    def predict(self, X):
        return ((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)


@pytest.fixture
def options(monkeypatch):
    monkeypatch.setattr(Counted, "n_fits", 0)
    return {"models": {"counted": Counted()}}


def test_one_pair_is_two_plans(make_lda, options):
    score(make_lda(40, 1), make_lda(50, 2), **options)
    assert Counted.n_fits == 2 * PER_PLAN


@pytest.mark.parametrize(
    ("option", "per_plan"),
    [
        ({"inner": "fresh"}, 31),
        ({"repeats": 3}, 3 * PER_PLAN),
        ({"cv": 3}, 7),
        ({"n_jobs": 2}, PER_PLAN),
    ],
)
def test_options_that_cost_more(make_lda, options, option, per_plan):
    ranking = rank(make_lda(40, 1), [make_lda(50, 2)], **options, **option)
    assert Counted.n_fits == ranking.n_fits == 2 * per_plan


def test_ten_by_ten_costs_ten_plans(make_lda, options):
    datasets = [make_lda(40, seed, angle=seed / 5) for seed in range(10)]
    square = matrix(datasets, **options)
    assert len(square.frame) == 45
    assert Counted.n_fits == square.n_fits == 10 * PER_PLAN


def test_ranking_ten_sources_costs_eleven_plans(make_lda, options):
    target, *sources = [make_lda(40, seed) for seed in range(11)]
    ranking = rank(target, sources, **options)
    assert len(ranking) == 10
    assert Counted.n_fits == ranking.n_fits == 11 * PER_PLAN


def test_two_models_cost_twice_as_much(make_lda, options):
    models = {"one": Counted(), "two": Counted()}
    ranking = rank(make_lda(40, 1), [make_lda(50, 2)], models=models)
    assert Counted.n_fits == ranking.n_fits == 2 * 2 * PER_PLAN


def test_other_column_sets_cost_the_target_one_plan_each(options):
    """Three sets of common columns: three plans of the target, one of each of the four sources."""

    def draw(p, seed, first=0):
        rng = np.random.default_rng(seed)
        y = np.arange(40) % 2
        X = rng.standard_normal((40, first + p)) + y[:, None]
        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(first + p)]).iloc[:, first:]
        return as_dataset(frame, y, name=f"source {seed}")

    target = draw(4, 0)
    sources = [draw(4, 1), draw(4, 2), draw(3, 3), draw(2, 4, first=2)]
    with pytest.warns(match="not used"):
        ranking = rank(target, sources, **options)
    assert Counted.n_fits == ranking.n_fits == (3 + 4) * PER_PLAN


def test_other_classes_cost_no_further_plan(options):
    rng = np.random.default_rng(0)
    data = {
        name: as_dataset(
            rng.standard_normal((60, 2)), np.array([*"abcd"])[np.arange(60) % c], name=name
        )
        for name, c in {"two": 2, "three": 3, "four": 4}.items()
    }
    with pytest.warns(match="missing from the target"):
        ranking = rank(data["two"], [data["three"], data["four"]], **options)
    assert Counted.n_fits == ranking.n_fits == 3 * PER_PLAN


def test_a_dataset_against_itself_costs_nothing(make_lda, options):
    dataset = make_lda(40, 1, name="d")
    with pytest.warns(match="hold the same rows"):
        result = score(dataset, dataset, **options)
    assert result.score == 0.0
    assert Counted.n_fits == 0
