"""Random splits of two datasets, and the errors of transfer methods on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from datakin._core.exceptions import DatakinError, DatakinWarning
from datakin._core.repeatability import derive_seed
from datakin._core.warned import unheard
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.data.pairing import Pairing
from datakin.learning.encoding import ColumnEncoder, fits_in_full, laid_out
from datakin.learning.losses import check_spread
from datakin.transfer.base import Concatenate

__all__ = ["Splits"]

ATTEMPTS = 50  # to find a split with two training rows of each of two classes
LEAST_ROWS = 10
LEAST_OF_CLASS = 4


class Splits:
    """Errors of every method on random splits of a target and a source, both ways.

    Parameters
    ----------
    datasets : list of Dataset
        The target and the source.
    common : Pairing
        Rows that both datasets have are not used, neither for training nor for testing.
    base : scikit-learn estimator
        The learner of each dataset alone.
    methods : dict of str to transfer estimator
    test_size : float
    random_state : int
    """

    def __init__(
        self,
        datasets: list[Dataset],
        common: Pairing,
        base: Any,
        methods: dict[str, Any],
        test_size: float,
        random_state: int,
    ) -> None:
        self.datasets, self.base, self.methods = datasets, base, methods
        self.test_size, self.random_state = test_size, random_state
        self.is_class = bool(common.classes)
        fit = all(fits_in_full(d.features) for d in datasets)
        first, second = (laid_out(d.features) if fit else d.features for d in datasets)
        first = first.select(common.columns).canonical()
        self.features = [first, second.select(first.names)]
        self.usable = [~common.shared_target, ~common.shared_source]
        # Names, not codes: if a dataset lacks a class, equal codes mean different classes.
        self.labels = [np.array(d.classes)[d.y] if self.is_class else d.y for d in datasets]
        for dataset, usable, y in zip(datasets, self.usable, self.labels, strict=True):
            _check_rows(dataset.name, y[usable], self.is_class)

    def run(self, repeat: int) -> Array:
        """Return errors of shape (2, 1 + methods): on target and source, alone and by method."""
        seed = derive_seed(self.random_state, "split", repeat)
        # Small fits are slower on many threads than on one.
        with threadpool_limits(limits=1):
            parts = [self.split(i, seed) for i in (0, 1)]
            return np.array([self._errors(i, parts) for i in (0, 1)])

    def split(self, i: int, seed: int) -> tuple[Array, Array]:
        """Return training and test rows of dataset i; rows of one group stay together."""
        rows, y, groups = np.flatnonzero(self.usable[i]), self.labels[i], self.datasets[i].groups
        make: Any = StratifiedShuffleSplit if self.is_class else ShuffleSplit
        if groups is not None:
            make, groups = GroupShuffleSplit, groups[rows]
        for attempt in range(ATTEMPTS):
            state = derive_seed(seed, i, attempt)
            splitter = make(1, test_size=self.test_size, random_state=state)
            try:
                train, test = next(iter(splitter.split(rows, y[rows], groups)))
            except ValueError as error:
                if groups is not None and len(np.unique(groups)) < 2:
                    raise DatakinError(
                        f"All rows of {self.datasets[i].name!r} belong to one group: there is no split "
                        f"that keeps it together. Leave out group, or use a finer one."
                    ) from None
                raise DatakinError(
                    f"{self.datasets[i].name!r} cannot be split with test_size {self.test_size}: {error}"
                ) from None
            counts = np.unique(y[rows[train]], return_counts=True)[1]
            if not self.is_class or (len(counts) > 1 and counts.min() >= 2):
                return rows[train], rows[test]
        raise DatakinError(
            f"No split of {self.datasets[i].name!r} leaves two training rows of two classes: its groups "
            f"hold too much of one class. Use finer groups or a smaller test_size."
        )

    def _errors(self, i: int, parts: list[tuple[Array, Array]]) -> list[float]:
        """Return test errors on dataset i, with the other dataset as source."""
        other = 1 - i
        (train, test), theirs = parts[i], parts[other][0]
        encoder = ColumnEncoder.learn(self.features[i], train)
        X, X_test = (encoder.dense(self.features[i], rows) for rows in (train, test))
        y, y_test = self.labels[i][train], self.labels[i][test]
        there = self.features[other].matched_to(self.features[i])
        source = encoder.dense(there, theirs), self.labels[other][theirs]

        def error(predicted: Array) -> float:
            return float(
                np.mean(predicted != y_test if self.is_class else (predicted - y_test) ** 2)
            )

        found = [error(Concatenate(clone(self.base)).fit(X, y).predict(X_test))]
        for method in self.methods.values():
            # The notes of the result already say which dataset lacks a class.
            with unheard(DatakinWarning):
                fitted = clone(method).fit(X, y, sources=[source])
            found.append(error(fitted.predict(X_test)))
        return found


def _check_rows(name: str, y: Array, is_class: bool) -> None:
    """Refuse a dataset that is too small to be split."""
    if len(y) < LEAST_ROWS:
        raise DatakinError(
            f"Transfer needs at least {LEAST_ROWS} rows that do not stand in the other dataset. "
            f"{name!r} has {len(y)}."
        )
    if not is_class:
        check_spread(name, y)
        return
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise DatakinError(
            f"Both datasets must have rows of two classes that do not stand in the other one. "
            f"{name!r} has {str(classes[0])!r} only."
        )
    if counts.min() < LEAST_OF_CLASS:
        raise DatakinError(
            f"Every class must have at least {LEAST_OF_CLASS} rows, so that both sides of a split have "
            f"some. {name!r} has {int(counts.min())} of {str(classes[np.argmin(counts)])!r}; merge "
            f"classes (label_map), or drop them."
        )
