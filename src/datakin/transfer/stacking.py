"""KinStack: candidates from the target, the sources and both, weighed by the target's held-out rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from threadpoolctl import threadpool_limits

from datakin._core.checks import check_choice, check_count, check_seed
from datakin._core.exceptions import DatakinError, DatakinWarning, warn
from datakin._core.repeatability import derive_seed
from datakin._core.warned import unheard
from datakin.data.features import Array, Features
from datakin.learners.encoding import TableEncoder
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Rows, responses, takes_table
from datakin.learners.losses import Judge, Labels, choose_loss, resolve_loss
from datakin.learners.named import make_learners
from datakin.learners.stack.ahead import own_fits
from datakin.learners.stack.fitting import fit_stack
from datakin.learners.stack.passes import held_out
from datakin.transfer.pool import Pool, SourcesEstimator

MANY = 20  # classes of numbers that are rather numbers to predict


class KinStack(SourcesEstimator):
    """A stack of learners on the target, on each source, and on pools of them.

    For each learner there are candidates: the target alone, the target with all sources, all sources,
    and each source. Their weights are not negative, sum to 1 and minimise the squared error (for
    classes the Brier loss) of the target's held-out rows, with a penalty that pulls them towards
    candidates that are expected to do well; some of the weight always stays with the target's own.
    Sources with less than about 5% of the prediction are left out. Without sources it is the stack of
    the learners alone.

    Parameters
    ----------
    learners : list of names, or mapping of name to scikit-learn estimator, optional
        "linear" (logistic or linear regression with a penalty), "trees" (boosted) and "kernel"
        (radial ridge regression); all three by default. A mapping may hold estimators of your own.
    task : {"classification", "regression"}
    loss : str
        What errors are stated in, and what `predict` follows: "auto" is the share of wrong
        predictions, with every class counting the same where one is rare, or the squared error.
    repeats : int
        How often the folds are drawn.
    pools : bool
        Whether there are candidates that learn from several tables together.
    random_state : int
        Seed of the folds.

    Attributes
    ----------
    classes_ : ndarray
        Classes of the target (classification).
    used_ : tuple of str
        Names of the sources that are used.
    shares_ : dict of str to float
        Each source's share of the prediction.
    error_, error_alone_ : float
        The error to expect, and that of the same learners on the target alone: each row predicted by
        fits that never saw it, with sources and weights chosen from the other folds.
    n_sources_ : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, Xs = rng.standard_normal((40, 3)), rng.standard_normal((300, 3))
    >>> y, ys = (X.sum(axis=1) > 0).astype(int), (Xs.sum(axis=1) > 0).astype(int)
    >>> model = KinStack(repeats=1).fit(X, y, sources={"twin": (Xs, ys), "other": (Xs, 1 - ys)})
    >>> model.used_
    ('twin',)
    """

    _for_numbers = "say task='regression'"

    def __init__(
        self,
        learners: Any = None,
        *,
        task: str = "classification",
        loss: Any = "auto",
        repeats: int = 3,
        pools: bool = True,
        random_state: int = 0,
    ) -> None:
        self.learners = learners
        self.task = task
        self.loss = loss
        self.repeats = repeats
        self.pools = pools
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, *, sources: Any = (), groups: Any = None, weights: Any = None
    ) -> KinStack:
        """Learn from the target and any number of sources.

        Parameters
        ----------
        X, y : arrays
            The target's features (numbers; NaN is missing) and labels.
        sources : sequence of (X, y), or mapping of name to (X, y)
            With the columns of the target. Rows of classes that the target lacks are left out.
        groups : array, optional
            Rows of the target with equal values stay in one fold.
        weights : array, optional
            How much each row of the target counts.

        Returns
        -------
        self
        """
        check_choice("task", self.task, ("classification", "regression"))
        check_seed(self.random_state)
        check_count("repeats", self.repeats, 1)
        is_class = self._is_class()
        # What is said of classes there is not true here: rows of other classes are left out.
        with unheard(DatakinWarning):
            pool = self._make_pool(X, y, sources)
        self.n_sources_, n = pool.n_sources, pool.n_target
        codes, classes, known = pool.y, np.zeros(0), np.ones(len(pool.y), dtype=bool)
        if pool.classes is not None:  # Those of the target count, as positions among them.
            classes = np.unique(codes[:n])
            self.classes_ = pool.classes[classes]
            codes, known = np.searchsorted(classes, codes), np.isin(codes, classes)
        copies = _copies(pool) & known
        _tell_left_out(pool, ~known, "of classes that the target does not have")
        _tell_left_out(pool, copies, "which stand in the target too")
        if len(classes) > MANY:
            warn(
                f"The labels have {len(classes)} different numbers, which are taken for classes. For numbers "
                f"to be predicted as such say KinStack(task='regression')."
            )
        learners = make_learners(self.learners, is_class, self.random_state)
        tables_too = any(map(takes_table, learners))
        kept = known & ~copies
        target, *others = self._encoded_rows(pool, kept, codes, len(classes), tables_too)
        if weights is not None:
            counts = _check_weights(weights, n)
            target = replace(target, weights=counts / counts.mean())
        labels = Labels("target", codes[:n], tuple(map(str, classes)))
        loss = choose_loss(resolve_loss(self.loss), labels)
        judge = Judge.make(loss, target.kind, labels.classes, labels.y, target.weights)
        groups = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]

        def folds(repeat: int) -> Any:
            return draw_folds(labels.y, is_class, groups, derive_seed(self.random_state, repeat))

        parts = {name: part for name, part in zip(pool.names, others, strict=True) if len(part)}
        draws = (self.repeats, self.repeats)
        bar = own_fits(learners, target, parts, folds(0), draws, pools=self.pools, of="KinStack")
        with threadpool_limits(limits=1), bar as advance:
            fitted = fit_stack(
                target,
                parts,
                learners,
                folds,
                groups=groups,
                repeats=draws,
                pools=self.pools,
                seed=self.random_state,
                advance=advance,
            )
        reading = fitted.reading
        self.error_, self.error_alone_ = (
            judge.error(draws, labels.y, target.weights)
            for draws in (reading.honest, held_out(reading.passes.alone))
        )
        self.used_, self.shares_ = reading.used, reading.shares
        self._stack = fitted.predictor(judge)
        return self

    def _encoded_rows(
        self, pool: Pool, kept: Array, codes: Array, n_classes: int, tables_too: bool
    ) -> list[Rows]:
        """Learn the encoder; return the kept rows of the target and of each source."""
        places = [kept & (pool.origin == j) for j in range(pool.n_sources + 1)]
        tables = [self._table(pool.X[place]) for place in places]
        self._encoder = TableEncoder.learn([table for table in tables if table.n_rows])
        found = []
        for table, place in zip(tables, places, strict=True):
            Y, kind = responses(codes[place], n_classes)
            X, names = self._encoder.apply(table), self._encoder.names
            found.append(Rows(X, Y, np.ones(len(Y)), kind, names, table if tables_too else None))
        return found

    def predict(self, X: Any) -> Array:
        """Return class labels, or numbers."""
        rows = self._encoded(X)
        if self.task == "regression":
            return self._stack.outputs(*rows)[:, 0]
        return np.asarray(self.classes_[self._stack.codes(*rows)])

    @available_if(lambda self: self.task == "classification")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return one column of probabilities per class of ``classes_``."""
        rows = self._encoded(X)
        return self._stack.probabilities(*rows)

    def _is_class(self) -> bool:
        return self.task != "regression"

    def _inner_tags(self) -> Any:
        tags = get_tags(BaseEstimator())
        tags.input_tags.allow_nan = True
        return tags

    def _encoded(self, X: Any) -> tuple[Array, Features]:
        table = self._table(np.asarray(self._new_rows(X), dtype=float))
        return self._encoder.apply(table), table

    def _table(self, X: Array) -> Features:
        """Return numbers under the names of the target's columns, if it has any."""
        names = [f"x{j}" for j in range(X.shape[1])]
        return Features.of_numbers(X, getattr(self, "feature_names_in_", names))


def _tell_left_out(pool: Pool, lost: Array, why: str) -> None:
    """Warn of the rows of each source that are left out."""
    for j, name in enumerate(pool.names, start=1):
        n_lost = int(np.sum(lost & (pool.origin == j)))
        if n_lost:
            number = "1 row is" if n_lost == 1 else f"{n_lost} rows are"
            warn(f"{name}: {number} left out, {why}")


def _copies(pool: Pool) -> Array:
    """Return which rows of the sources stand in the target too, label and all."""
    rows = np.ascontiguousarray(np.column_stack([np.asarray(pool.X, dtype=float), pool.y]))
    rows[np.isnan(rows)] = np.nan  # one kind of NaN, so that equal rows have equal bytes
    rows += 0.0  # and one kind of 0
    keys = [row.tobytes() for row in rows]
    own = set(keys[: pool.n_target])
    found = np.array([key in own for key in keys])
    return found & (pool.origin > 0)


def _check_weights(weights: Any, n_rows: int) -> Array:
    found = np.asarray(weights, dtype=float)
    if found.shape != (n_rows,) or not np.isfinite(found).all() or (found < 0).any():
        raise DatakinError(
            f"weights must be {n_rows} numbers that are not negative. Got an array of shape "
            f"{found.shape}."
        )
    if not found.any():
        raise DatakinError("weights must not be 0 for all rows.")
    return found
