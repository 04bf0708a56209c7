"""Choices as looks at cross errors: what `choose` says of the same tables, without a fit."""

import pytest

import datakin
from datakin import CrossErrors, DatakinError
from datakin.learners.stack.candidates import Stack

OPTIONS = {"models": ["logistic"], "cv": 3}


@pytest.fixture(scope="module")
def errors(four):
    return CrossErrors.measure(four, trials=["d0"], keep="predictions", **OPTIONS)


@pytest.fixture
def no_fits(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("something was fitted")

    for name in ("fit_sources", "held_out", "predict_own", "predictors"):
        monkeypatch.setattr(Stack, name, refuse)


@pytest.fixture(scope="module")
def chosen(four):
    return datakin.choose(four[0], four[1:], learners=["linear"])  # as trials in tests


def test_it_says_what_choose_says(errors, chosen, no_fits):
    found = errors.choose("d0")
    assert found == chosen
    assert str(found) == str(chosen)
    with pytest.raises(DatakinError, match=r"holds no model.*datakin\.choose\(target, sources\)"):
        _ = found.model


def test_saved_loaded_and_cut(errors, chosen, no_fits, tmp_path):
    errors.save(tmp_path / "saved")
    loaded = CrossErrors.load(tmp_path / "saved")
    assert loaded.choose("d0") == chosen
    with pytest.raises(
        DatakinError, match=r"which these cross errors do not hold.*trials=\['d0'\]"
    ):
        loaded.subset(["d0", "d1"]).choose("d0")
    assert loaded.subset(["d0", "d1"]).trials["d0"].trials.keys() == {"d1"}


def test_from_a_checkpoint(four, chosen, tmp_path, no_fits, monkeypatch):
    monkeypatch.undo()
    given = {"trials": ["d0"], "keep": "predictions", **OPTIONS}
    CrossErrors.measure(four, checkpoint=tmp_path, **given)
    assert CrossErrors.load(tmp_path).choose("d0") == chosen


def test_what_was_not_measured(four, errors):
    with pytest.raises(DatakinError, match="There is no dataset 'd9'"):
        errors.choose("d9")
    with pytest.raises(DatakinError, match="needs the predictions of its trials"):
        errors.choose("d1")
    losses = CrossErrors.measure(four, trials=["d0"], keep="losses", **OPTIONS)
    with pytest.raises(DatakinError, match="keep='predictions'"):
        losses.choose("d0")


def test_joined_tables_keep_what_one_of_them_has(four, errors, chosen):
    other = CrossErrors.measure(four[1:], trials=["d1"], keep="predictions", **OPTIONS)
    with pytest.raises(DatakinError, match="stand in both tables"):
        errors.join(other)
    apart = CrossErrors.measure(four, pairs="d0", trials=["d0"], keep="predictions", **OPTIONS)
    joined = apart.join(other)
    assert joined.choose("d0") == chosen
    assert joined.choose("d1").target == "d1"
