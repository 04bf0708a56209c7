"""Screening: fewer fits, the same numbers for what is kept, and everything else marked."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import datakin
from datakin import DatakinError, DatakinWarning, Interrupted, Ranking, write_report
from datakin.results import SCREENED

OPTIONS = {"models": ["logistic", "rbf_svm"], "cv": 3}
ANGLES = {"twin": 0.0, "brother": 0.1, "cousin": 0.4, "aunt": 0.8}
STRANGERS = {f"stranger {k}": 1.7 + 0.2 * k for k in range(6)}


def draw(angle, seed, n=80, curve=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    value = np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1]
    value = curve * (value**2 - 0.45) if curve else value
    return X, (value + 0.3 * rng.normal(size=n) > 0).astype(int)


def collection(**more):
    angles = {**ANGLES, **STRANGERS}
    sources = {name: draw(angle, k, **more) for k, (name, angle) in enumerate(angles.items(), 1)}
    return draw(0.0, 0, **more), sources


@pytest.fixture(scope="module")
def full():
    return datakin.rank(*collection(), **OPTIONS)


@pytest.fixture(scope="module")
def screened():
    return datakin.rank(*collection(), screen=True, **OPTIONS)


def plain(comparison):
    return json.loads(comparison.to_json())


def test_kept_sources_have_the_numbers_of_the_full_ranking(full, screened):
    names = [c.source for c in screened]
    assert {"twin", "brother", "cousin"} <= set(names)
    assert 5 <= len(names) < len(full)
    assert [c.source for c in full if c.source in names] == names
    for comparison in screened:
        assert plain(comparison) == plain(full[comparison.source])


def test_fits_are_counted_and_fewer(full, screened):
    kept, n_models, plan, quick = len(screened), 2, 7, 3
    assert full.n_fits == 11 * n_models * plan
    assert screened.n_fits == (1 + kept) * n_models * plan + 10 * n_models * quick
    assert screened.n_fits < full.n_fits


def test_screened_sources_stand_below_the_others_and_are_marked(full, screened):
    frame = screened.frame
    assert set(frame["source"]) == {c.source for c in full}
    assert frame["screened"].tolist() == [False] * len(screened) + [True] * len(screened.screened)
    out = frame[frame["screened"]]
    assert (out["zone"] == SCREENED).all()
    assert out["score"].isna().all()
    assert out["p_first"].isna().all()
    assert out["source_to_target"].is_monotonic_increasing
    assert out["n_rows"].tolist() == [80] * len(out)
    assert sum(screened.first.values()) == pytest.approx(1)
    assert "screened" not in full.frame


def test_the_call_of_a_screened_source_is_not_positive_and_its_gain_is_exact(full, screened):
    for each in screened.screened:
        assert full[each.source].zone is not datakin.Zone.POSITIVE
        assert each.trial == full[each.source].trial
        quick = full[each.source].source_to_target
        assert each.source_to_target == pytest.approx(quick, abs=0.1)


def test_the_note_says_how_many_how_and_what_else(screened):
    note = screened.screening.note
    assert note.startswith(f"{len(screened.screened)} of 10 sources were screened out")
    assert "leave out screen=True" in note
    # The best of all that were looked at was chosen, not of the kept ones.
    left = len(screened.screened)
    assert f"{10 - left} sources, {left} more screened out" in screened.answer.evidence[1]
    for text in (str(screened), screened._repr_html_()):
        assert SCREENED in text
        assert "were screened out by a quick pass" in " ".join(text.split())
    assert "nan" not in str(screened)


def test_a_screened_source_has_no_comparison(screened):
    name = screened.screened[0].source
    with pytest.raises(KeyError, match="was screened out"):
        screened[name]
    with pytest.raises(KeyError, match="no source 'nobody'"):
        screened["nobody"]


def test_json_round_trip_and_earlier_results(full, screened):
    again = Ranking.from_json(screened.to_json())
    assert again == screened
    pd.testing.assert_frame_equal(again.frame, screened.frame)
    held = json.loads(full.to_json())
    del held["screening"]
    assert Ranking.from_json(json.dumps(held)) == full


def test_report_and_pictures(screened, tmp_path):
    from matplotlib.figure import Figure

    from datakin import plots

    page = write_report(screened, tmp_path / "ranking.html").read_text(encoding="utf-8")
    assert "Screened out" in page
    assert "were screened out by a quick pass" in page
    for draw_it in (plots.ranking, plots.zones):
        ax = draw_it(screened, ax=Figure().add_subplot())
        assert np.isfinite(ax.get_xlim()).all()
    ax = plots.ranking(screened, ax=Figure().add_subplot())
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == screened.frame["source"].tolist()
    assert sum(text.get_text().strip() == SCREENED for text in ax.texts) == len(screened.screened)


def test_threads_change_no_number(screened):
    assert datakin.rank(*collection(), screen=True, n_jobs=2, **OPTIONS) == screened


def test_the_order_of_sources_changes_no_number(screened):
    target, sources = collection()
    again = datakin.rank(target, dict(reversed(sources.items())), screen=True, **OPTIONS)
    assert again == screened


def test_a_checkpoint_serves_both_rankings(full, screened, tmp_path):
    first = datakin.rank(*collection(), screen=True, checkpoint=tmp_path, **OPTIONS)
    assert first == screened
    n_files = len(list((tmp_path / "units").iterdir()))
    assert n_files == 2 + len(screened), "the target, its trials, and the sources"
    assert datakin.rank(*collection(), checkpoint=tmp_path, **OPTIONS) == full
    assert len(list((tmp_path / "units").iterdir())) == 12


def test_a_curved_rule_keeps_its_kin():
    target, sources = collection(n=200, curve=1.5)
    ranking = datakin.rank(target, sources, screen=True, **OPTIONS)
    assert {"twin", "brother"} <= {c.source for c in ranking}
    assert ranking.screened


def test_models_that_predict_the_target_best_are_looked_at():
    from sklearn.tree import DecisionTreeClassifier

    target, sources = collection()
    models = {"own": DecisionTreeClassifier(max_depth=3, random_state=0)}
    ranking = datakin.rank(target, sources, models=models, cv=3, screen=True)
    assert ranking.n_fits == (1 + len(ranking)) * 7 + 10 * 3
    assert "twin" in {c.source for c in ranking}


@pytest.mark.parametrize(
    "options",
    [
        {"estimate": "weighted", "repeats": 2},
        {"estimate": "unweighted", "inner": "fresh"},
        {"estimate": "rbf_svm", "size": "limit"},
        {"zones": "paper", "size": "paper", "loss": "brier"},
    ],
    ids=str,
)
def test_every_option_goes_with_it(options):
    target, sources = collection(n=60)
    whole = datakin.rank(target, sources, **OPTIONS, **options)
    ranking = datakin.rank(target, sources, screen=True, **OPTIONS, **options)
    assert "twin" in {c.source for c in ranking}
    for comparison in ranking:
        assert plain(comparison) == plain(whole[comparison.source])


@pytest.mark.filterwarnings("ignore:.*groups are numbered")
def test_regression_and_groups():
    rng = np.random.default_rng(0)

    def numbers(slope, seed):
        X = np.random.default_rng(seed).normal(size=(60, 2))
        y = slope * X[:, 0] + 0.3 * rng.normal(size=60)
        return datakin.as_dataset(X, y, group=np.arange(60) // 2)

    sources = {f"s{k}": numbers(1.0 - 0.4 * k, k) for k in range(1, 7)}
    target = numbers(1.0, 0)
    options = {"models": ["linear", "rbf_svm"], "cv": 3}
    whole = datakin.rank(target, sources, **options)
    ranking = datakin.rank(target, sources, screen=True, **options)
    assert ranking.best.source == whole.best.source
    assert ranking.screened
    assert all(plain(c) == plain(whole[c.source]) for c in ranking)
    assert ranking.frame["standardised"].isna().sum() == len(ranking.screened)


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
def test_samples_of_large_datasets():
    target, sources = collection(n=460)
    options = {**OPTIONS, "models": ["logistic"], "max_rows": 300}
    whole = datakin.rank(target, sources, **options)
    ranking = datakin.rank(target, sources, screen=True, **options)
    assert ranking.screened
    assert all(plain(c) == plain(whole[c.source]) for c in ranking)


def test_the_target_among_its_sources_is_kept():
    target, sources = collection()
    with pytest.warns(DatakinWarning):
        ranking = datakin.rank(target, {**sources, "itself": target}, screen=True, **OPTIONS)
    assert ranking["itself"].score == 0
    assert ranking.screened


def test_unusable_sources_are_left_out_as_ever():
    target, sources = collection()
    X = sources["aunt"][0]
    broken = {**sources, "aunt": (X[:30], (np.arange(30) == 0).astype(int))}
    with pytest.warns(DatakinWarning, match="left out: 'aunt'"):
        ranking = datakin.rank(target, broken, screen=True, skip_unusable=True, **OPTIONS)
    assert "aunt" not in set(ranking.frame["source"])


def test_fewer_than_four_sources_are_not_screened():
    target, sources = collection()
    few = dict(list(sources.items())[:3])
    with pytest.warns(DatakinWarning, match="Screening needs at least 4 sources"):
        ranking = datakin.rank(target, few, screen=True, **OPTIONS)
    assert ranking == datakin.rank(target, few, **OPTIONS)
    assert "screened" not in ranking.frame


@pytest.mark.filterwarnings("ignore:.*hold the same rows")
def test_copies_of_the_target_are_not_screened():
    target, sources = collection()
    copies = {f"copy {k}": target for k in range(5)}
    with pytest.warns(
        DatakinWarning, match="at least 4 sources that differ from the target. Got 0"
    ):
        assert len(datakin.rank(target, copies, screen=True, **OPTIONS)) == 5
    with pytest.warns(DatakinWarning, match="Got 1: all"):
        datakin.rank(target, {**copies, **dict(list(sources.items())[:1])}, screen=True, **OPTIONS)


def test_where_all_are_within_reach_it_is_said(monkeypatch):
    from datakin.cross_learning import screening

    monkeypatch.setattr(screening, "REACH", 1e9)
    target, sources = collection()
    few = dict(list(sources.items())[:4])
    ranking = datakin.rank(target, few, screen=True, models=["logistic"], cv=3)
    assert ranking.screening.note.startswith("Nothing was screened out: all 4 sources")
    assert len(ranking) == 4


def test_a_quick_pass_that_fails_screens_nothing(monkeypatch):
    from datakin.cross_learning import screening

    def fails(*_):
        raise DatakinError("Every model failed on 'twin'.")

    monkeypatch.setattr(screening, "_quick_pass", fails)
    target, sources = collection()
    with pytest.warns(DatakinWarning, match="the quick pass failed"):
        ranking = datakin.rank(target, sources, screen=True, **OPTIONS)
    assert len(ranking) == 10


class Interruptible(LogisticRegression):
    """Stands in for a user who presses Ctrl-C in the n-th fit."""

    fits_left = None

    def fit(self, X, y, sample_weight=None):
        if Interruptible.fits_left is not None:
            Interruptible.fits_left -= 1
            if Interruptible.fits_left < 0:
                raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


def test_ctrl_c(monkeypatch):
    options = {"models": {"mine": Interruptible()}, "cv": 3, "n_jobs": 1}
    whole = datakin.rank(*collection(), screen=True, **options)
    quick = 7 + 10 * 3
    monkeypatch.setattr(Interruptible, "fits_left", quick - 3)
    with pytest.raises(Interrupted, match="in the quick pass") as caught:
        datakin.rank(*collection(), screen=True, **options)
    assert caught.value.partial is None
    monkeypatch.setattr(Interruptible, "fits_left", quick + 2 * 7 + 1)
    said = f"with 2 of {len(whole)} sources finished"
    with pytest.raises(Interrupted, match=said) as caught:
        datakin.rank(*collection(), screen=True, **options)
    partial = caught.value.partial
    assert not partial.complete
    assert partial.screening == whole.screening
    assert all(plain(c) == plain(whole[c.source]) for c in partial)


def test_results_come_as_they_are_finished():
    names = []
    ranking = datakin.rank(
        *collection(), screen=True, on_result=lambda c: names.append(c.source), **OPTIONS
    )
    assert sorted(names) == sorted(c.source for c in ranking)


@pytest.mark.parametrize("call", ["score", "matrix", "CrossLearningScore"])
def test_only_rank_screens(call):
    target, sources = collection()
    data = {"score": (target, sources["twin"]), "matrix": (sources,), "CrossLearningScore": ()}
    with pytest.raises(DatakinError, match="'screen' belongs to rank alone"):
        getattr(datakin, call)(*data[call], screen=True)


def test_screen_is_true_or_false():
    with pytest.raises(DatakinError, match=r"'screen' parameter must be True or False\. Got 'yes'"):
        datakin.rank(*collection(), screen="yes")
