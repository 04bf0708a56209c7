"""Warnings of fits are heard without a change that other threads could notice."""

import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import datakin
from datakin._core.warned import heard, unheard


class Grumbler(LogisticRegression):
    """Warns at every fit."""

    def fit(self, X, y):
        warnings.warn("no convergence", ConvergenceWarning, stacklevel=2)
        return super().fit(X, y)


def pair(seed=0, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * n, 2))
    y = (X[:, 0] + rng.normal(size=2 * n) > 0).astype(int)
    return (X[:n], y[:n]), (X[n:], y[n:])


def test_threads_that_score_at_once_leave_the_filters_as_they_were():
    before, original = list(warnings.filters), warnings.filters
    shown = []
    stop = threading.Event()

    def warn_now_and_then():
        while not stop.is_set():
            try:
                warnings.warn("a user's warning", UserWarning, stacklevel=1)
            except UserWarning:  # the tests' filters make errors of warnings
                shown.append(True)
            else:
                shown.append(False)
            stop.wait(0.002)

    def scores(seed):
        return [datakin.score(*pair(seed), models=["logistic", "rbf_svm"]).score for _ in range(3)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(9) as pool:
            talker = pool.submit(warn_now_and_then)
            found = list(pool.map(scores, range(8)))
            stop.set()
            talker.result()
    finally:
        sys.setswitchinterval(interval)
    assert warnings.filters is original
    assert list(warnings.filters) == before
    assert shown
    assert all(shown)
    assert all(len(set(each)) == 1 for each in found)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_of_a_fit_become_one_note(n_jobs):
    with pytest.warns(datakin.DatakinWarning) as told:
        datakin.score(*pair(), models={"own": Grumbler()}, n_jobs=n_jobs)
    texts = [str(w.message) for w in told]
    assert [w.category for w in told] == [datakin.DatakinWarning]
    assert "32 time(s): ConvergenceWarning: no convergence" in texts[0]


def test_a_warning_of_the_users_own_callback_is_shown():
    def grumble(result):
        warnings.warn("from the callback", UserWarning, stacklevel=1)

    target, source = pair()
    with pytest.warns(UserWarning, match="from the callback") as told:
        datakin.rank(target, [source], models=["logistic"], on_result=grumble)
    assert [w.category for w in told] == [UserWarning]


def test_warnings_are_heard_in_the_listening_thread_only():
    found, elsewhere = [], []

    def other():
        try:
            warnings.warn("elsewhere", UserWarning, stacklevel=1)
        except UserWarning as shown:
            elsewhere.append(str(shown))

    with heard(lambda kind, text: found.append((kind, text))):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        for _ in range(2):
            warnings.warn("here", RuntimeWarning, stacklevel=1)
    assert found == [(RuntimeWarning, "here")] * 2
    assert elsewhere == ["elsewhere"]


def test_only_warnings_of_the_kind_are_left_out():
    def grumble():
        with unheard(RuntimeWarning):
            warnings.warn("dropped", RuntimeWarning, stacklevel=1)
            warnings.warn("kept", UserWarning, stacklevel=1)

    with pytest.warns(UserWarning, match="kept"):
        grumble()


def test_filters_that_a_callback_sets_stay_set():
    def choose(result):
        warnings.filterwarnings("ignore", message="chosen by the callback")

    target, source = pair()
    with warnings.catch_warnings():
        datakin.rank(target, [source], models=["logistic"], on_result=choose)
        warnings.warn("chosen by the callback", UserWarning, stacklevel=1)


def test_learners_that_pass_filters_on_to_their_own_tasks():
    from sklearn.neighbors import KNeighborsClassifier

    found = datakin.score(*pair(), models={"near": KNeighborsClassifier(3)})
    assert list(found.model_scores) == ["near"]
