"""Does transfer help? Methods tried on random splits, with both datasets in the role of the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from datakin._core.checks import check_count, check_number, check_seed
from datakin._core.exceptions import DatakinError, Interrupted, listed, suggest, warn
from datakin._core.progress import progress
from datakin._core.warned import filters_kept
from datakin.data import Dataset, check_names, coerce, pair
from datakin.data.features import Array
from datakin.data.pairing import Pairing
from datakin.learning.encoding import fits_in_full
from datakin.results.gain import Gain, MethodGain
from datakin.results.record import make_provenance
from datakin.transfer.base import Concatenate, TransferEstimator
from datakin.transfer.boosting import DynamicTrAdaBoost, TrAdaBoost
from datakin.transfer.boosting_r2 import TrAdaBoostR2
from datakin.transfer.learner import choose_estimator
from datakin.transfer.splits import Splits
from datakin.transfer.weighting import ART, KinWeighted

__all__ = [
    "METHODS",
    "choose_methods",
    "default_methods",
    "method_gain",
    "refuse_identical",
    "relative_reduction",
    "transfer_gain",
    "without_error",
]

METHODS = {
    "concatenate": Concatenate,
    "tradaboost": TrAdaBoost,
    "dynamic_tradaboost": DynamicTrAdaBoost,
    "tradaboost_r2": TrAdaBoostR2,
    "art": ART,
    "kin_weighted": KinWeighted,
}


@filters_kept()
def transfer_gain(
    target: Any,
    source: Any,
    *,
    methods: Any = None,
    estimator: Any = None,
    repeats: int = 50,
    test_size: float = 0.3,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Gain:
    """Measure the relative error reduction (RER) that transfer methods bring.

    Both datasets are split at random. The error of `estimator` trained on the target's training
    rows alone is compared, on the target's test rows, with the error of each method that may use
    the source's rows too; then the roles are swapped. All methods see the same splits.

    Parameters
    ----------
    target, source : Dataset or (X, y)
    methods : list of names, or mapping of name to transfer estimator, optional
        "concatenate", "tradaboost", "dynamic_tradaboost" (two classes), "tradaboost_r2"
        (regression), "art", "kin_weighted". By default all that fit the task. A transfer estimator
        given in a mapping keeps its base learner, or gets `estimator` if it has none.
    estimator : scikit-learn estimator or name, optional
        The base learner: "logistic" (for numbers "linear"; the default), "forest" or "xgboost".
    repeats : int
        Number of random splits.
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
    if source is None or isinstance(source, (list, dict)):
        raise DatakinError(
            f"transfer_gain takes one source: a Dataset or a pair (X, y). Got a {type(source).__name__}; "
            f"call it once for each source."
        )
    datasets = [coerce(target, "target"), coerce(source, "source")]
    check_names(datasets)
    _check_options(repeats, test_size, random_state, n_jobs)
    common = pair(*datasets)
    refuse_identical(common, datasets)
    task = "multiclass" if len(common.classes) > 2 else datasets[0].task
    is_sparse = any(d.features.is_sparse and not fits_in_full(d.features) for d in datasets)
    base = choose_estimator(estimator, bool(common.classes), is_sparse)
    chosen = choose_methods(methods, task, base)
    splits = Splits(datasets, common, base, chosen, test_size, random_state)
    if common.notes:
        warn("\n".join(common.notes))
    found, interrupted = _run(splits, repeats, n_jobs)
    if interrupted and len(found) < 2:
        raise Interrupted("Interrupted before two splits were finished.")
    gain = _collect(np.array(found), splits, common)
    if interrupted:
        raise Interrupted(f"Interrupted with {len(found)} of {repeats} splits finished.", gain)
    return gain


def default_methods(task: str) -> tuple[str, ...]:
    """Return the methods tried by default: those of the paper for the task, and KinWeighted."""
    boosting = {
        "binary": ("tradaboost", "dynamic_tradaboost"),
        "multiclass": (),
        "regression": ("tradaboost_r2",),
    }[task]
    return ("concatenate", *boosting, "art", "kin_weighted")


def choose_methods(methods: Any, task: str, base: Any) -> dict[str, Any]:
    """Return transfer estimators by name, each with a base learner.

    Parameters
    ----------
    methods : None, name, list of names, or mapping of name to transfer estimator
        None means all that fit the task. A transfer estimator without a base learner gets `base`.
    task : {"binary", "multiclass", "regression"}
    base : scikit-learn estimator
    """
    allowed = default_methods(task)
    if methods is None:
        methods = allowed
    if isinstance(methods, str):
        methods = [methods]
    if isinstance(methods, Mapping):
        chosen = {str(name): _own_method(name, method, base) for name, method in methods.items()}
    else:
        chosen = {name: METHODS[name](clone(base)) for name in _names(methods, task, allowed)}
    if not chosen:
        raise DatakinError("The 'methods' parameter must name at least one method. Got none.")
    return chosen


def _names(methods: Any, task: str, allowed: tuple[str, ...]) -> list[str]:
    names = methods if isinstance(methods, (list, tuple)) else [methods]
    for name in names:
        if name not in allowed:
            why = f"{name!r} is not for {task} tasks." if name in METHODS else f"Got {name!r}."
            raise DatakinError(
                f"The 'methods' parameter must name some of {listed(allowed, limit=9)}, or map names to "
                f"transfer estimators. {why}{suggest(name, allowed)}"
            )
    return list(names)


def _own_method(name: Any, method: Any, base: Any) -> Any:
    if not isinstance(method, TransferEstimator):
        raise DatakinError(
            f"The method {str(name)!r} must be a transfer estimator such as datakin.transfer.ART(). "
            f"Got {method!r}."
        )
    own = clone(method)
    return own.set_params(estimator=clone(base)) if own.estimator is None else own


def relative_reduction(base: Array, errors: Array, overlap: float) -> tuple[float, float]:
    """Return 1 - mean(errors) / mean(base) over splits, and its standard error.

    Parameters
    ----------
    base, errors : ndarray of shape (repeats,)
        Errors without and with transfer on the same splits.
    overlap : float
        Test rows for each training row. Splits of the same rows are not independent; the
        variance is raised accordingly (Nadeau and Bengio, 2003). 0 for independent draws.

    Examples
    --------
    >>> relative_reduction(np.array([0.2, 0.2]), np.array([0.1, 0.1]), 0.0)
    (0.5, 0.0)
    """
    if base.mean() == 0:
        return float("nan"), float("nan")
    ratio = errors.mean() / base.mean()
    if len(base) < 2:
        return float(1 - ratio), float("nan")
    spread = np.var(errors - ratio * base, ddof=1)
    error = np.sqrt(spread * (1 / len(base) + overlap)) / base.mean()
    return float(1 - ratio), float(error)


def method_gain(alone: Array, helped: Array, overlap: float) -> MethodGain:
    """Return the gain of a method on target and source.

    Parameters
    ----------
    alone, helped : ndarray of shape (2, repeats)
        Errors without and with transfer, on the target and on the source.
    overlap : float
        As in `relative_reduction`.
    """
    (to, to_se), (back, back_se) = (
        relative_reduction(alone[i], helped[i], overlap) for i in (0, 1)
    )
    return MethodGain(
        target_rer=to,
        target_se=to_se,
        source_rer=back,
        source_se=back_se,
        average_rer=(to + back) / 2,
        average_se=float(np.hypot(to_se, back_se) / 2),
        target_error=float(helped[0].mean()),
        source_error=float(helped[1].mean()),
    )


def without_error(alone: Array, datasets: Sequence[Dataset]) -> list[str]:
    """Return a note on each dataset whose errors alone are all 0."""
    return [
        f"{dataset.name!r} learned alone makes no error: RER is not defined there (NaN)"
        for dataset, errors in zip(datasets, alone, strict=True)
        if not errors.any()
    ]


def refuse_identical(common: Pairing, datasets: Sequence[Dataset]) -> None:
    """Refuse two datasets with the same rows."""
    if common.identical:
        raise DatakinError(
            f"{datasets[0].name!r} and {datasets[1].name!r} hold the same rows: "
            f"there is nothing to transfer."
        )


def _check_options(repeats: Any, test_size: Any, random_state: Any, n_jobs: Any) -> None:
    check_count("repeats", repeats, 1)
    check_seed(random_state)
    check_number("test_size", test_size, "a share between 0 and 1", lambda share: 0 < share < 1)
    if n_jobs is not None and (
        isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or not n_jobs
    ):
        raise DatakinError(
            f"The 'n_jobs' parameter must be a number of jobs, -1 for all cores, or None. "
            f"Got {n_jobs!r} instead."
        )


def _run(splits: Splits, repeats: int, n_jobs: int | None) -> tuple[list[Array], bool]:
    """Return the errors of the finished splits, and whether Ctrl-C stopped the run."""
    found: list[Array] = []
    try:
        with progress(f"transfer: {repeats} split(s)", repeats) as advance:
            parallel = Parallel(n_jobs=n_jobs or 1, return_as="generator")
            for errors in parallel(delayed(splits.run)(repeat) for repeat in range(repeats)):
                found.append(errors)
                advance()
    except KeyboardInterrupt:
        return found, True
    return found, False


def _collect(errors: Array, splits: Splits, common: Pairing) -> Gain:
    """Turn errors of shape (repeats, 2, 1 + methods) into the result."""
    names = [d.name for d in splits.datasets]
    lost = without_error(errors[:, :, 0].T, splits.datasets)
    for note in lost:
        warn(note)
    overlap = splits.test_size / (1 - splits.test_size)
    alone = errors[:, :, 0].T
    results = {
        name: method_gain(alone, errors[:, :, m].T, overlap)
        for m, name in enumerate(splits.methods, start=1)
    }
    options = {
        "methods": {name: _one_line(method) for name, method in splits.methods.items()},
        "estimator": _one_line(splits.base),
        "test_size": splits.test_size,
    }
    return Gain(
        target=names[0],
        source=names[1],
        methods=results,
        target_error=float(errors[:, 0, 0].mean()),
        source_error=float(errors[:, 1, 0].mean()),
        loss="zero_one" if splits.is_class else "squared",
        repeats=len(errors),
        notes=(*common.notes, *lost),
        provenance=make_provenance(
            splits.random_state, options, {d.name: d.fingerprint for d in splits.datasets}
        ),
    )


def _one_line(estimator: Any) -> str:
    """Return an estimator's repr on one line."""
    return " ".join(repr(estimator).split())
