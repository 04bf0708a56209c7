"""Trials in the table: kept, saved, joined, cut down, found in a checkpoint, the same wherever work runs."""

from dataclasses import replace

import numpy as np
import pytest

import datakin
from datakin import CrossErrors
from datakin.execution import trials

LOGISTIC = {"models": ["logistic"], "cv": 3}


@pytest.fixture
def made(monkeypatch):
    """Count how often sources are tried."""
    found, real = [], trials.measure_target

    def count(target, sources, **options):
        found.append((target.name, [s.name for s in sources]))
        return real(target, sources, **options)

    monkeypatch.setattr(trials, "measure_target", count)
    return found


def test_all_sources_of_a_target_are_tried_at_once(four, made):
    datakin.rank(four[0], four[1:], **LOGISTIC)
    assert made == [("d0", ["d1", "d2", "d3"])]


def test_the_paper_s_rule_tries_nothing(four, made):
    datakin.rank(four[0], four[1:], zones="paper", **LOGISTIC)
    datakin.score(four[0], four[1], zones="paper", **LOGISTIC)
    datakin.matrix(four, **LOGISTIC)
    assert made == []


def test_saved_and_loaded(errors, tmp_path):
    errors.save(tmp_path / "saved")
    loaded = CrossErrors.load(tmp_path / "saved")
    assert loaded.trials == errors.trials
    assert loaded.rank("d0") == errors.rank("d0")


def test_of_a_part_of_the_datasets(errors):
    part = errors.subset(["d0", "d2"])
    assert list(part.trials["d0"].trials) == ["d2"]
    assert part.score("d0", "d2") == errors.score("d0", "d2")
    assert errors.subset(["d1", "d2"]).trials == {}


def test_joined(four, fast, errors):
    parts = [
        CrossErrors.measure(four, pairs=pairs, trials="d0", **fast)
        for pairs in ([("d0", "d1")], [("d0", "d2"), ("d0", "d3")])
    ]
    joined = parts[0].join(parts[1])
    assert joined.trials == errors.trials
    again = parts[1].join(parts[0])
    assert again.rank("d0").frame.equals(joined.rank("d0").frame)


def test_another_baseline_is_not_joined(errors):
    found = errors.trials["d0"]
    other = found.only(["d1"])
    assert other.joined(found.only(["d2"])).trials.keys() == {"d1", "d2"}
    assert other.joined(replace(found, loss_alone=0.5)) is None


def test_a_checkpoint_keeps_them(four, made, tmp_path):
    first = datakin.rank(four[0], four[1:], checkpoint=tmp_path, **LOGISTIC)
    assert CrossErrors.load(tmp_path).trials["d0"].trials.keys() == {"d1", "d2", "d3"}
    assert len(made) == 1
    assert datakin.rank(four[0], four[1:], checkpoint=tmp_path, **LOGISTIC) == first
    assert len(made) == 1, "found in the checkpoint"


def test_threads_change_no_number(four):
    one, two = (datakin.rank(four[0], four[1:], n_jobs=n, **LOGISTIC) for n in (1, 2))
    assert one == two


def test_a_source_more_changes_no_other_trial(four):
    few = datakin.rank(four[0], four[1:3], **LOGISTIC)
    more = datakin.rank(four[0], four[1:], **LOGISTIC)
    for c in few:
        assert c.trial == more[c.source].trial


def test_a_target_that_cannot_be_tried(make_groups):
    target, source = make_groups
    found = datakin.score(target, source, **LOGISTIC)
    assert found.trial is None
    assert found.reason.startswith("could not be tried (")


@pytest.fixture
def make_groups(monkeypatch):
    """Return two datasets of which the first does not allow a trial."""
    rng = np.random.default_rng(0)
    made = []
    for name in "ts":
        X = rng.standard_normal((60, 2))
        y = (X[:, 0] + rng.standard_normal(60) > 0).astype(int)
        made.append(datakin.as_dataset(X, y, name=name))

    def refuse(*_, **__):
        raise datakin.DatakinError("It is too wide.")

    monkeypatch.setattr(trials, "measure_target", refuse)
    return made
