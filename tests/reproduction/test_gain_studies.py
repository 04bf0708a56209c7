"""The gain studies: their learner, their levels, and what their summaries compute."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from datakin.synthetic import settings
from reproduction.gain_runs import gain_levels, logistic, methods_of, paper_methods
from reproduction.gains import GAINS
from reproduction.scores import LEVELLED, extended_cell
from reproduction.study import Study, Summary, run_study


@pytest.mark.parametrize("n", [30, 200])  # 30 rows are separable
@pytest.mark.parametrize("setting", ["lda", "fourclass"])
def test_newton_finds_scikit_learn_s_optimum(setting, n):
    data = settings()[setting](0.9).sample(n, 20, random_state=0).target
    X, y = data.features.numeric, data.y
    weights = np.random.default_rng(0).random(n)
    ours = logistic().fit(X, y, weights)
    theirs = LogisticRegression(C=1e3, tol=1e-10, max_iter=100_000).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("setting", LEVELLED)
def test_seven_levels_end_at_equal_tasks(setting):
    levels = gain_levels(setting)
    assert len(set(levels)) == 7
    make = settings()[setting]
    assert make(levels[-1]).oracle() == pytest.approx(0, abs=1e-12)
    assert make(levels[0]).oracle() == max(make(level).oracle() for level in levels)


def test_boosting_is_for_two_classes_and_r2_for_numbers():
    assert paper_methods("multiclass") == ("concatenate", "art")
    assert set(methods_of("binary")) == {*paper_methods("binary"), "kin_weighted"}
    assert "tradaboost_r2" in methods_of("regression")


def frame_of_errors():
    """Two seeds, two levels: concatenation helps at 1 and harms at 0; KinWeighted never does."""
    rows = []
    for seed, shift in ((0, 0.01), (1, -0.01)):
        for level, cls, pooled in ((0.0, 0.3, 0.3), (1.0, -0.01, 0.1)):
            for method, error in (("alone", 0.2), ("concatenate", pooled), ("kin_weighted", 0.15)):
                rows.append(
                    {
                        "setting": "lda",
                        "seed": seed,
                        "level": level,
                        "method": method,
                        "cls": cls + shift,
                        "threshold": 0.1,
                        "target_error": error + shift,
                        "source_error": error,
                    }
                )
    return pd.DataFrame(rows)


def study(name):
    return next(s for s in GAINS if s.name == name)


def test_gain_figure_s_numbers_and_spearman():
    summary = study("figure-gain-lda").summarise(frame_of_errors())
    by_level = summary.frame.set_index("level")
    assert by_level.loc[0.0, "target_rer"] == pytest.approx(1 - 0.3 / 0.2)
    assert by_level.loc[1.0, "average_rer"] == pytest.approx(0.5)
    assert "average -1.000" in summary.text


def test_zone_figure_says_where_the_gain_lies():
    summary = study("figure-zones-lda").summarise(frame_of_errors())
    zones = summary.frame.groupby("level")["zone"].first()
    assert zones.to_dict() == {0.0: "negative", 1.0: "positive"}
    assert "below 0 throughout" in summary.text
    assert "is in the PT zone" in summary.text


def test_the_paper_s_statements_are_looked_up():
    frame = study("table-gain").summarise(frame_of_errors()).frame.set_index("column")
    assert frame.loc["spearman average", "ours"] == pytest.approx(-1)
    assert frame.loc["NT levels below 0", "ours"] == 1
    assert frame.loc["largest average RER in NT", "ours"] == pytest.approx(-0.5)
    assert frame.loc["largest average RER in PT", "ours"] == 1


def test_transfer_table_compares_with_the_best_other():
    frame = study("table-transfer").summarise(frame_of_errors()).frame.set_index("method")
    assert frame.loc["alone", "best_other"]  # .2 either way: the first of equals
    assert frame.loc["kin_weighted", "worst_level"] == pytest.approx(0.15 / 0.2 - 1)
    assert frame.loc["alone", "kin_minus_this"] == pytest.approx(-0.05)
    assert frame.loc["concatenate", "worst_level"] == pytest.approx(0.5)


def test_a_cell_can_have_more_replicates(tmp_path):
    cells = [{"run": "a", "v": 1}, {"run": "b", "v": 2, "times": 3}]
    one = Study("tmp", "", cells, lambda cell, seed: [{"x": seed}], lambda r: Summary(r, ""), 2)
    rows = run_study(one, folder=tmp_path).frame
    assert rows.groupby("v").size().to_dict() == {1: 2, 2: 6}
    assert "times" not in rows
    assert extended_cell("qda")["times"] > 1
