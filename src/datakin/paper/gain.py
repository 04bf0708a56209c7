"""Does transfer help? Methods tried on random splits; with one source in both directions."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from datakin._core.checks import check_count, check_jobs, check_number, check_seed
from datakin._core.exceptions import Interrupted, counted, warn
from datakin._core.progress import foretell, progress
from datakin._core.warned import filters_kept
from datakin.data.features import Array
from datakin.learners.encoding import fits_in_full
from datakin.learners.losses import resolve_loss
from datakin.paper import inputs
from datakin.paper.splits import Splits
from datakin.results.gain import Gain, method_gain, without_error
from datakin.results.record import make_provenance

REPEATS = 15


@filters_kept()
def transfer_gain(
    target: Any,
    source: Any,
    *,
    methods: Any = None,
    estimator: Any = None,
    loss: Any = "auto",
    repeats: int = REPEATS,
    test_size: float = 0.3,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Gain:
    """Measure the relative error reduction (RER) that transfer methods bring.

    Both datasets are split at random. The error of `estimator` trained on the target's training
    rows alone is compared, on the target's test rows, with the error of each method that may use
    the source's rows too; then the roles are swapped. All methods see the same splits.

    With several sources every method gets all of them at once. Then the target alone is split and
    tested on, and the methods learn from all rows of the sources.

    Parameters
    ----------
    target : Dataset or (X, y)
    source : Dataset or (X, y), or a list or mapping of several
        Columns that all datasets have are used. Rows that stand in the target and in a source are
        left out.
    methods : list of names, or mapping of name to transfer estimator, optional
        "concatenate", "tradaboost", "dynamic_tradaboost" (two classes), "tradaboost_r2"
        (regression), "art", "kin_weighted", "kin_stack". By default all that fit the task. A mapping may hold
        anything with ``fit(X, y, sources=...)`` and ``predict``. Its parameters `estimator`, `task`
        and `loss` are set here if it has them and they are left open (None, "auto", "auto"); `groups`
        are passed to a ``fit`` that takes them.
    estimator : scikit-learn estimator or name, optional
        The base learner: "logistic" (for numbers "linear"; the default), "forest" or "xgboost".
    loss : str or callable
        As for `rank`: "auto", "zero_one", "balanced", "brier", "log", "squared", "absolute", or a
        function of true and predicted values. "auto" is the squared error for numbers and the 0-1
        loss for classes; it is balanced if a class of the dataset tested on is rare (a share below 0.3
        divided by the number of classes: 15% of two). Under the balanced loss every class counts the
        same, and the class predicted is the one whose probability is largest compared with its share
        of the target's training rows (for a method without probabilities, the one it predicts).
    repeats : int
        Number of random splits. They overlap, so that many of them say little more than a few:
        standard errors of 50 splits are on average 5% smaller than those of 15, and steadier.
    test_size : float
        Share of the rows to test on. Rows of one group stay together.
    random_state : int
    n_jobs : int, optional
        Number of processes; -1 for all cores. The result does not depend on it.

    Returns
    -------
    Gain

    Examples
    --------
    >>> from datakin.synthetic import settings
    >>> pair = settings()["lda"](1.0).sample(60, 300, random_state=0)
    >>> gain = transfer_gain(pair.target, pair.source, methods=["concatenate"], repeats=5)
    >>> gain.methods["concatenate"].target_rer > 0
    True
    """
    several = inputs.are_several(source)
    datasets = inputs.gather(target, source)
    check_count("repeats", repeats, 1)
    check_seed(random_state)
    check_number("test_size", test_size, "a share between 0 and 1", lambda share: 0 < share < 1)
    check_jobs(n_jobs)
    resolved = resolve_loss(loss)
    common = inputs.find_common(datasets, several=several)
    task = "multiclass" if len(common.classes) > 2 else datasets[0].task
    is_sparse = any(d.features.is_sparse and not fits_in_full(d.features) for d in datasets)
    base = inputs.choose_estimator(estimator, bool(common.classes), is_sparse)
    chosen = inputs.choose_methods(methods, task, base, loss)
    splits = Splits(
        datasets, common, base, chosen, test_size, random_state,
        loss=resolved, both_ways=not several,
    )  # fmt: skip
    common.announce()
    found, interrupted = _run(splits, repeats, n_jobs)
    if interrupted and len(found) < 2:
        raise Interrupted("Interrupted before two splits were finished.")
    gain = _collect(np.array(found), splits, common, "auto" if resolved is None else resolved.name)
    if interrupted:
        raise Interrupted(f"Interrupted with {len(found)} of {repeats} splits finished.", gain)
    return gain


def _run(splits: Splits, repeats: int, n_jobs: int | None) -> tuple[list[Array], bool]:
    """Return the errors of the finished splits, and whether Ctrl-C stopped the run."""
    found: list[Array] = []
    what = counted(repeats, "split")
    rounds = -(-repeats // effective_n_jobs(n_jobs or 1))
    try:
        with progress(f"transfer: {what}", repeats) as advance:
            parallel = Parallel(n_jobs=n_jobs or 1, return_as="generator")
            work = (delayed(_timed)(splits, repeat) for repeat in range(repeats))
            for errors, seconds in parallel(work):
                if not found:
                    foretell(rounds * seconds, what)
                found.append(errors)
                advance()
    except KeyboardInterrupt:
        return found, True
    return found, False


def _timed(splits: Splits, repeat: int) -> tuple[Array, float]:
    """Return the errors on a split, and the seconds that they took."""
    start = time.perf_counter()
    return splits.run(repeat), time.perf_counter() - start


def _collect(errors: Array, splits: Splits, common: inputs.Common, loss: str) -> Gain:
    """Turn errors of shape (repeats, datasets tested on, 1 + methods) into the result."""
    target, *sources = (d.name for d in splits.datasets)
    both_ways = len(splits.tested) > 1
    alone = errors[:, :, 0].T
    lost = without_error(alone, splits.datasets)
    for note in lost:
        warn(note)
    overlap = splits.test_size / (1 - splits.test_size)
    results = {
        name: method_gain(alone, errors[:, :, m].T, overlap)
        for m, name in enumerate(splits.methods, start=1)
    }
    options = {
        "methods": {name: _one_line(method) for name, method in splits.methods.items()},
        "estimator": _one_line(splits.base),
        "loss": loss,
        "test_size": splits.test_size,
    }
    losses = [each.loss.name for each in splits.errors]
    return Gain(
        target=target,
        source=", ".join(sources),
        methods=results,
        target_error=float(alone[0].mean()),
        source_error=float(alone[1].mean()) if both_ways else float("nan"),
        loss=losses[0],
        repeats=len(errors),
        notes=(*common.notes, *lost),
        provenance=make_provenance(
            splits.random_state, options, {d.name: d.fingerprint for d in splits.datasets}
        ),
        sources=() if both_ways else tuple(sources),
        source_loss=losses[-1],
    )


def _one_line(estimator: Any) -> str:
    """Return an estimator's repr on one line."""
    return " ".join(repr(estimator).split())
