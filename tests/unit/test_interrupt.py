"""Ctrl-C keeps what is finished."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import datakin
from datakin import Interrupted

FITS = 7  # of one model at three folds: 1 + 3 + 3


class Interruptible(LogisticRegression):
    """Stands in for a user who presses Ctrl-C in the n-th fit."""

    fits_left = None

    def fit(self, X, y, sample_weight=None):
        if Interruptible.fits_left is not None:
            Interruptible.fits_left -= 1
            if Interruptible.fits_left < 0:
                raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


@pytest.fixture
def press_after(monkeypatch):
    """Press Ctrl-C once some fits are done."""
    return lambda fits: monkeypatch.setattr(Interruptible, "fits_left", fits)


def datasets(n=5):
    found = {}
    for i in range(n):
        rng = np.random.default_rng(i)
        X = rng.normal(size=(40, 2))
        y = (X[:, 0] + i / 4 * X[:, 1] + 0.5 * rng.normal(size=40) > 0).astype(int)
        found[f"d{i}"] = (X, y)
    return found


OPTIONS = {"models": {"mine": Interruptible()}, "cv": 3, "n_jobs": 1}


def test_a_matrix_keeps_the_finished_datasets(press_after):
    full = datakin.matrix(datasets(), **OPTIONS)
    press_after(3 * FITS + 2)
    with pytest.raises(Interrupted, match="with 3 of 5 datasets finished") as caught:
        datakin.matrix(datasets(), **OPTIONS)
    partial = caught.value.partial
    assert isinstance(partial, datakin.Matrix)
    assert partial.names == ("d0", "d1", "d2")
    for name in ("scores", "standard_errors", "lows", "highs", "errors", "thresholds"):
        np.testing.assert_array_equal(getattr(partial, name), getattr(full, name)[:3, :3])
    assert partial.zones == tuple(row[:3] for row in full.zones[:3])
    assert partial.n_fits == 3 * FITS


def test_a_matrix_with_one_finished_dataset_has_no_part(press_after):
    press_after(FITS + 2)
    with pytest.raises(Interrupted, match="with 1 of 5") as caught:
        datakin.matrix(datasets(), **OPTIONS)
    assert caught.value.partial is None


def test_a_ranking_keeps_the_finished_sources(press_after):
    sources = datasets()
    target = sources.pop("d0")
    full = datakin.rank(target, sources, **OPTIONS)
    press_after(3 * FITS + 1)
    with pytest.raises(Interrupted, match="with 2 of 4 sources finished") as caught:
        datakin.rank(target, sources, **OPTIONS)
    partial = caught.value.partial
    assert {c.source for c in partial} == {"d1", "d2"}
    assert all(c == full[c.source] for c in partial)


def test_a_pair_has_no_part(press_after):
    press_after(FITS + 1)
    with pytest.raises(Interrupted, match="before the pair was finished") as caught:
        datakin.score(*list(datasets(2).values()), **OPTIONS)
    assert caught.value.partial is None


def test_an_interruption_is_a_keyboard_interrupt():
    # So that a plain `except Exception` in user code does not swallow Ctrl-C.
    assert issubclass(Interrupted, KeyboardInterrupt)
    assert not issubclass(Interrupted, Exception)


def test_ctrl_c_in_a_worker_thread_stops_the_run(press_after):
    press_after(2 * FITS)
    with pytest.raises(Interrupted):
        datakin.matrix(datasets(), **{**OPTIONS, "n_jobs": 2})
