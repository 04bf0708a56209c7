"""A measurement: copies of the target, Ctrl-C, scratch files, sums."""

import gc
import threading
import time

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import datakin
from datakin import CrossErrors, DatakinWarning, Interrupted
from datakin.execution import store

FAST = {"models": ["logistic"], "cv": 3}
pytestmark = pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")


def test_a_copy_of_the_target_among_the_sources_is_told_of(family):
    datasets = family(3)
    told = []
    sources = {"copy": datasets["d0"], "d1": datasets["d1"]}
    ranking = datakin.rank(datasets["d0"], sources, on_result=told.append, **FAST)
    assert [c.source for c in told] == ["copy", "d1"]
    assert [ranking["copy"], ranking["d1"]] == told


@pytest.mark.parametrize("task", ["rank", "matrix"])
def test_ctrl_c_with_a_copy_of_the_target(task, family, monkeypatch):
    def press(*arguments, **options):
        raise KeyboardInterrupt

    datasets = {**family(2), "copy": family(1)["d0"]}
    given = (datasets,) if task == "matrix" else (datasets.pop("d0"), datasets)
    monkeypatch.setattr("datakin.execution.units.Work.run", press)
    with pytest.raises(Interrupted, match="Interrupted with"):
        getattr(datakin, task)(*given, **FAST)


def test_a_table_owns_its_scratch_files(family, monkeypatch, tmp_path):
    plain = CrossErrors.measure(family(3), keep="losses", **FAST)
    monkeypatch.setattr(store, "MEMORY", 100)
    monkeypatch.setattr(store.tempfile, "tempdir", str(tmp_path))
    errors = CrossErrors.measure(family(3), keep="losses", **FAST)
    part = errors.subset(["d0", "d1"])
    gc.collect()
    CrossErrors.measure(family(2), **FAST)  # closes files that are open
    assert errors.rank("d1") == plain.rank("d1")
    expected = plain.score("d0", "d1")
    del errors
    gc.collect()
    assert part.score("d0", "d1") == expected
    del part
    gc.collect()
    assert not list(tmp_path.glob("datakin-*"))


def test_sums_drop_the_losses_of_finished_pairs(family):
    seen = []

    class Watched(store.Store):
        def drop(self, keys, names):
            super().drop(keys, names)
            seen.append(sum(len(piece.crosses) for piece in self.pieces.values()))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("datakin.execution.measurement.Store", Watched)
        datakin.matrix(family(4), **FAST)
    assert len(seen) == 6
    assert seen[-1] == 0


class Slow(LogisticRegression):
    """Fits slowly; the fifth fit stands for a user who presses Ctrl-C."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Slow.fits += 1
        if Slow.fits == 5:
            raise KeyboardInterrupt
        time.sleep(0.05)
        return super().fit(X, y, sample_weight)


def test_no_thread_fits_on_after_ctrl_c(family, monkeypatch):
    monkeypatch.setattr(Slow, "fits", 0)
    before = threading.active_count()
    with pytest.raises(Interrupted):
        datakin.matrix(family(5), models={"slow": Slow()}, cv=3, n_jobs=3)
    fits = Slow.fits
    assert threading.active_count() <= before
    time.sleep(0.2)
    assert Slow.fits == fits


class Odd(LogisticRegression):
    """Warns at every fit."""

    def fit(self, X, y, sample_weight=None):
        import warnings

        warnings.warn("odd fit", UserWarning, stacklevel=1)
        return super().fit(X, y, sample_weight)


def test_what_happens_while_fitting_points_at_the_caller(family):
    with pytest.warns(DatakinWarning, match="UserWarning: odd fit") as caught:
        datakin.score(*family(2).values(), models={"odd": Odd()}, cv=3)
    assert {w.filename for w in caught} == {__file__}


def test_options_are_an_object_of_scikit_learn_s_kind():
    from sklearn.base import clone

    made = datakin.CrossLearningScore(["logistic"], cv=3)
    assert clone(made, safe=False).get_params() == made.get_params()
    assert hash(datakin.CrossLearningScore({"mine": LogisticRegression()}))
    with pytest.raises(TypeError):
        datakin.CrossLearningScore(["logistic"], "weighted")
    assert np.isclose(made.replace(direction=0.3).direction, 0.3)
