"""Trees sized for the data: what is chosen, that it is used, and that the user's options win."""

import numpy as np
import pytest
from scipy import sparse
from xgboost import XGBClassifier

import datakin
from datakin.learners.models import choose_models
from datakin.learners.trees import tree_options
from datakin.paper.models import choose_named


def trees(is_class=True, **options):
    return choose_models({"trees": options}, is_class)[0]


def test_rounds_grow_with_the_rows_within_bounds():
    rounds = [tree_options(n, 10)["n_estimators"] for n in (20, 200, 800, 5000, 10**6)]
    assert rounds == [30, 40, 80, 150, 150]


def test_wide_tables_get_deeper_trees_and_coarser_bins():
    narrow, wide = tree_options(300, 20), tree_options(300, 21)
    assert (narrow["max_depth"], narrow["max_bin"]) == (2, 128)
    assert (wide["max_depth"], wide["max_bin"]) == (3, 64)


@pytest.mark.parametrize("is_class", [True, False])
def test_sized_model_has_the_options(is_class):
    model = trees(is_class)
    found = model.sized(200, 10).estimator.get_params()
    assert {name: found[name] for name in tree_options(200, 10)} == tree_options(200, 10)
    assert model.estimator.get_params()["n_estimators"] is None  # the model itself is unchanged


def test_an_option_of_the_user_wins_over_the_sizing():
    found = trees(n_estimators=7, max_depth=5).sized(200, 10).estimator.get_params()
    assert (found["n_estimators"], found["max_depth"]) == (7, 5)
    assert found["max_bin"] == tree_options(200, 10)["max_bin"]


def test_other_models_are_not_sized():
    model = choose_named(["xgboost"], True)[0]
    assert model.sized(200, 10) is model


def draw(n, seed, turn=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, (X[:, 0] + turn * X[:, 1] + 0.5 * rng.standard_normal(n) > 0).astype(int)


def test_the_plan_uses_the_size_of_the_whole_dataset():
    """All fits of a dataset have the same options, also those on fewer of its rows."""
    pair = draw(120, 0), draw(120, 1, 1.0)
    sized = datakin.score(*pair, models=["trees"]).score
    options = tree_options(120, 3)
    assert datakin.score(*pair, models={"trees": options}).score == sized
    assert datakin.score(*pair, models={"xgboost": options}).score == sized
    assert datakin.score(*pair, models={"trees": {"n_estimators": 3}}).score != sized


def test_sparse_tables_get_sized_trees_too(monkeypatch):
    monkeypatch.setattr("datakin.learners.encoding.MOST_CELLS", 10)
    seen = []
    fit = XGBClassifier.fit

    def watched(self, *args, **options):
        seen.append(self.get_params())
        return fit(self, *args, **options)

    monkeypatch.setattr(XGBClassifier, "fit", watched)
    thin = [(sparse.csr_matrix(np.where(X > -1, X, 0)), y) for X, y in (draw(60, 0), draw(60, 1))]
    with pytest.warns(datakin.DatakinWarning, match="laid out in full"):
        datakin.score(*thin, models=["trees"], cv=3)
    wanted = tree_options(60, 3)
    assert seen
    assert all({name: each[name] for name in wanted} == wanted for each in seen)


def test_options_of_models_are_in_the_record():
    found = datakin.score(draw(60, 0), draw(60, 1), models={"trees": {"max_depth": 4}}, cv=3)
    assert found.provenance.options["models"] == {"trees": "{'max_depth': 4}"}
