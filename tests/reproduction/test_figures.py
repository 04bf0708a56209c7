"""The figures draw the numbers of their frame, and say so when they cannot."""

import sys

import numpy as np
import pandas as pd
import pytest

from datakin import DatakinError
from datakin.synthetic import settings
from reproduction.figures import DRAWN, FIGURES, RHO, draw_diff, draw_similarity
from reproduction.scores import FIXED, LEVELLED, paper_values
from reproduction.studies import STUDIES, reproduce
from reproduction.study import Study, Summary, blank_figure, run_study
from reproduction.tables import COLUMNS


def make_frame(setting):
    paper = paper_values("metrics", setting).set_index(["column", "level"])["value"]
    rows = []
    for column in DRAWN:
        if column == "otdd" and settings()[setting].task == "regression":
            continue
        for i, level in enumerate(settings()[setting].levels):
            value = 1.0 if column == "kl" else 10.0 + i
            rows.append(
                (setting, level, column, value, 0.1, paper.get((column, level), np.nan), 50)
            )
    return pd.DataFrame(rows, columns=["setting", "level", "column", "ours", "se", "paper", "n"])


@pytest.mark.parametrize("setting", LEVELLED)
def test_similarity_draws_scores_errors_and_rivals(setting):
    frame = make_frame(setting)
    figure = draw_similarity(frame)
    regression = settings()[setting].task == "regression"
    assert len(figure.get_axes()) == (4 if regression else 5)
    scores, errors, kl, wasserstein = figure.get_axes()[:4]
    lines = {line.get_label(): line for line in scores.get_lines()}
    for name in ("oracle", "weighted average", "ensemble", "limit ensemble (ours)"):
        assert lines[name].get_xdata() == pytest.approx(settings()[setting].levels)
        assert lines[name].get_ydata() == pytest.approx(
            10.0 + np.arange(len(frame["level"].unique()))
        )
    drawn = [line.get_ydata() for line in errors.get_lines()]
    ensemble = frame[frame["column"] == "ensemble"]["paper"].to_numpy()
    oracle = frame[frame["column"] == "oracle"]["paper"].to_numpy()
    assert any(len(y) == len(oracle) and np.allclose(y, ensemble - oracle) for y in drawn)
    assert f"every curve: {RHO} = 1 (paper 1)" in scores.get_title()
    assert f"constant: no {RHO}" in kl.get_title()
    assert f"{RHO} = 1.000" in wasserstein.get_title()


def test_diff_draws_ratios():
    rows = []
    for setting in (*LEVELLED, *FIXED):
        paper = paper_values("diff", setting).set_index("column")["value"]
        for *_, name in COLUMNS:
            value = paper["ensemble"] / 4 if name == "limit" else paper.get(name, 1.0) * 2
            rows.append(
                (setting, name, value, 0.1 * value, value / 2, paper.get(name), paper["ensemble"])
            )
    names = ["setting", "column", "ours", "se", "noise_floor", "paper", "paper_ensemble"]
    left, right = draw_diff(pd.DataFrame(rows, columns=names)).get_axes()
    points = {dots.get_label(): dots.get_offsets() for dots in left.collections if dots.get_label()}
    assert np.asarray(points["limit ensemble"])[:, 0] == pytest.approx(np.full(10, 0.25))
    assert np.asarray(points["ensemble, our run"])[:, 0] == pytest.approx(np.full(10, 2.0))
    shown = [dots for dots in right.collections if not dots.get_label().startswith("_")]
    assert len(shown) == 7
    for dots in shown:
        assert np.asarray(dots.get_offsets())[:, 0] == pytest.approx(np.full(10, 2.0))


def test_a_study_that_draws_writes_the_picture_too(tmp_path):
    def draw(frame):
        figure = blank_figure(2, 1)
        figure.subplots().plot(frame["value"])
        return figure

    study = Study(
        "toy",
        "A toy.",
        [{"level": 1}],
        lambda cell, seed: [{"value": float(seed)}],
        lambda rows: Summary(rows[["value"]], "values"),
        3,
        draw,
    )
    run_study(study, folder=tmp_path)
    first = (tmp_path / "toy.png").read_bytes()
    assert first.startswith(b"\x89PNG")
    assert "![A toy.](toy.png)" in (tmp_path / "toy.md").read_text()
    run_study(study, folder=tmp_path)
    assert (tmp_path / "toy.png").read_bytes() == first, "the same picture is the same file"


def test_figures_are_listed_and_share_the_runs_of_the_tables():
    names = {study.name for study in FIGURES}
    assert names <= set(STUDIES)
    assert names == {"figure-diff", *(f"figure-similarity-{s}" for s in LEVELLED)}
    for s in LEVELLED:
        assert STUDIES[f"figure-similarity-{s}"].cells == STUDIES[f"table-metrics-{s}"].cells
    assert STUDIES["figure-diff"].cells == STUDIES["table-diff"].cells


def test_without_matplotlib_the_sentence_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DatakinError, match=r"needs the package 'matplotlib'.*datakin\[report\]"):
        reproduce("figure-diff", folder=tmp_path)
    assert list(tmp_path.iterdir()) == [], "said before any work"
