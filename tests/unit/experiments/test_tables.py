"""The tables' arithmetic on rows with a known answer, and one real replicate of a small one."""

import numpy as np
import pandas as pd
import pytest

from datakin.experiments import STUDIES, reproduce
from datakin.experiments.paper import paper_values
from datakin.experiments.runs import FIXED, LEVELLED, draw_levels
from datakin.experiments.tables import _diff, _summarise_spearman
from datakin.synthetic import settings


def test_paper_tables_cover_every_setting_and_level():
    for name in LEVELLED:
        levels = paper_values("estimates", name)["level"].unique()
        assert levels == pytest.approx(settings()[name].levels)
        assert set(paper_values("diff", name)["column"]) == set(
            paper_values("estimates", name)["column"]
        ) - {"oracle"}
    assert {len(paper_values("estimates", name)) for name in FIXED} == {8}


@pytest.mark.parametrize("name", LEVELLED)
def test_paper_diff_is_what_its_estimates_give(name):
    """The paper's own tables agree with each other to rounding, so that they were read rightly."""
    table = paper_values("estimates", name).pivot(index="level", columns="column", values="value")
    printed = paper_values("diff", name).set_index("column")["value"]
    recomputed = table.drop(columns="oracle").sub(table["oracle"], axis=0).abs().mean()
    assert len(recomputed) == 7
    assert recomputed.to_dict() == pytest.approx(printed.to_dict(), abs=2e-4)


def test_diff_of_known_bias():
    rng = np.random.default_rng(0)
    oracle = np.array([0.1, 0.5])
    cube = oracle + np.array([0.02, -0.04]) + 0.01 * rng.standard_normal((400, 2))
    found, error, floor = _diff(cube, oracle, rng)
    assert found == pytest.approx(0.03, abs=4 * 0.01 / np.sqrt(800))
    assert error == pytest.approx(0.01 / np.sqrt(800), rel=0.2)
    assert floor == pytest.approx(np.sqrt(2 / np.pi) * 0.01 / 20, rel=0.1)


def test_spearman_of_known_columns():
    rows = []
    for setting in LEVELLED:
        for i, level in enumerate(settings()[setting].levels):
            for column, value in (("weighted", -i), ("ensemble", i % 2), ("kl", 1.0)):
                run = f"scores-{setting}"
                rows.append((run, setting, level, column, "paper", float(value), float(i)))
    names = ["run", "setting", "level", "column", "size", "value", "oracle"]
    table = _summarise_spearman(pd.DataFrame(rows, columns=names)).frame
    lda = table[table["setting"] == "lda"].set_index("column")
    assert lda.ours["oracle"] == lda.ours["weighted"] == pytest.approx(1.0)
    assert lda.ours["ensemble"] < 0.2
    assert np.isnan(lda.ours["kl"]), "undefined, not 0"
    assert lda.paper["kl"] == 0.530


def test_target_is_shared_by_all_levels():
    drawn = draw_levels("mixture", seed=3)
    assert len({sample.target.fingerprint for _, _, sample in drawn}) == 1
    assert len({sample.source.fingerprint for _, _, sample in drawn}) == len(drawn)


def test_one_replicate_of_a_fixed_pair(tmp_path):
    table = reproduce("table-qda", replicates=2, folder=tmp_path).frame.set_index("column")
    assert table.paper["ensemble"] == 0.1692
    assert table.ours["oracle"] == pytest.approx(0.1443, abs=5e-5)
    assert np.isfinite(table.ours[["glm", "xgboost", "limit ensemble"]]).all()
    assert (tmp_path / "table-qda.md").exists()


def test_all_tables_are_listed():
    names = {name for name in STUDIES if name.startswith("table-")}
    assert len(names) == 7 + 7 + 3 + 2
