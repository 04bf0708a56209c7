"""Random splits of a target, and the errors of transfer methods on their test rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from datakin._core.exceptions import DatakinError, DatakinWarning
from datakin._core.repeatability import derive_seed
from datakin._core.warned import unheard
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learners.encoding import ColumnEncoder, fits_in_full, laid_out
from datakin.learners.estimators import reason_of
from datakin.learners.losses import Labels, Loss, check_spread, checked_losses, choose_loss, largest
from datakin.paper.estimators import Concatenate
from datakin.paper.inputs import Common

ATTEMPTS = 50  # to find a split with two training rows of each of two classes
LEAST_ROWS = 10
LEAST_OF_CLASS = 4


@dataclass(frozen=True, eq=False)
class ErrorOn:
    """The mean loss of what was fitted, on test rows of a dataset; for regression there are no classes."""

    dataset: str
    loss: Loss
    classes: tuple[str, ...]

    def __call__(self, name: str, fitted: Any, X: Any, y: Array, trained: Array) -> float:
        """Return the mean loss on test rows; a balanced one counts every class of them alike.

        Under the balanced loss, probabilities are divided by the shares of the classes among the labels
        that were trained on. Messages call what was fitted by its name.
        """
        loss = self.loss
        if loss.needs == "value":
            values = np.asarray(fitted.predict(X), dtype=float).reshape(-1)
            return float(np.mean(checked_losses(loss, y, values)))
        codes = self._codes(y)
        if loss.needs == "probability":
            return float(np.mean(checked_losses(loss, codes, self._probabilities(name, fitted, X))))
        if loss.balanced and hasattr(fitted, "predict_proba"):
            shares = np.bincount(self._codes(trained), minlength=len(self.classes)) / len(trained)
            best = largest(self._probabilities(name, fitted, X), shares, digits=12)
            predicted = np.array(self.classes)[best]
        else:
            predicted = np.asarray(fitted.predict(X)).reshape(-1)
        if loss.by_name:
            words = (np.asarray(labels, dtype=object) for labels in (y, predicted))
            return float(np.mean(checked_losses(loss, *words)))
        losses = checked_losses(loss, codes, self._codes(predicted))
        weights = loss.row_weights(Labels(self.dataset, codes, self.classes))
        return float(np.average(losses, weights=weights))

    def _codes(self, labels: Array) -> Array:
        """Return class codes; -1, which is no class, for what a method should not have predicted."""
        known = {label: code for code, label in enumerate(self.classes)}
        return np.array([known.get(str(label), -1) for label in labels.tolist()], dtype=int)

    def _probabilities(self, name: str, fitted: Any, X: Any) -> Array:
        """Return a column of probabilities for every class; 0 for those the method does not know."""
        if not hasattr(fitted, "predict_proba"):
            raise DatakinError(
                f"The loss {self.loss.name!r} needs probabilities, and {name} has no predict_proba. Choose "
                f"another learner or method, or another loss, such as 'zero_one'."
            )
        found = np.asarray(fitted.predict_proba(X), dtype=float)
        p = np.zeros((len(found), len(self.classes)))
        p[:, self._codes(np.asarray(fitted.classes_))] = found
        return p


class Splits:
    """Errors of every method on random splits of a target.

    With one source both datasets are split, and each is the target once. With several (not `both_ways`)
    the target alone is split, and all rows of all sources are learned from. The base learner is that of
    each dataset alone. Rows that stand in target and source are neither trained on nor tested on. The
    loss, if none is given, is the one that suits the dataset tested on.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        common: Common,
        base: Any,
        methods: dict[str, Any],
        test_size: float,
        random_state: int,
        *,
        loss: Loss | None = None,
        both_ways: bool = True,
    ) -> None:
        self.datasets, self.base, self.methods = datasets, base, methods
        self.test_size, self.random_state = test_size, random_state
        self.is_class = bool(common.classes)
        self.tested = range(2 if both_ways else 1)
        fit = all(fits_in_full(d.features) for d in datasets)
        first, *others = (laid_out(d.features) if fit else d.features for d in datasets)
        first = first.select(common.columns).canonical()
        self.features = [first, *(other.select(first.names) for other in others)]
        self.usable = common.usable
        # Names, not codes: if a dataset lacks a class, equal codes mean different classes.
        self.labels = [np.array(d.classes)[d.y] if self.is_class else d.y for d in datasets]
        for i, dataset in enumerate(datasets):
            check = _check_rows if i in self.tested else _check_source
            check(dataset.name, self.labels[i][self.usable[i]], self.is_class)
        tested = [datasets[i] for i in self.tested]
        self.errors = [ErrorOn(d.name, choose_loss(loss, d), common.classes) for d in tested]

    def run(self, repeat: int) -> Array:
        """Return errors of shape (datasets tested on, 1 + methods): alone, and by method."""
        seed = derive_seed(self.random_state, "split", repeat)
        # Small fits are slower on many threads than on one. What scikit-learn checks of its options
        # is the same in every split.
        with threadpool_limits(limits=1), config_context(skip_parameter_validation=repeat > 0):
            parts = [self.split(i, seed) for i in self.tested]
            return np.array([self._errors(i, parts) for i in self.tested])

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
        """Return test errors on dataset i, with the others as sources."""
        train, test = parts[i]
        encoder = ColumnEncoder.learn(self.features[i], train)
        X, X_test = (encoder.dense(self.features[i], rows) for rows in (train, test))
        y, y_test = self.labels[i][train], self.labels[i][test]
        sources = []
        for j in range(len(self.datasets)):
            if j != i:
                rows = parts[j][0] if j in self.tested else np.flatnonzero(self.usable[j])
                there = self.features[j].matched_to(self.features[i])
                sources.append((encoder.dense(there, rows), self.labels[j][rows]))
        alone = Concatenate(clone(self.base)).fit(X, y)
        learner = f"the base learner {type(self.base).__name__}"
        found = [self.errors[i](learner, alone, X_test, y_test, y)]
        for name, method in self.methods.items():
            fitted = self._fitted(name, method, X, y, sources, i, train)
            found.append(self.errors[i](f"the method {name!r}", fitted, X_test, y_test, y))
        return found

    def _fitted(
        self, name: str, method: Any, X: Any, y: Array, sources: list[Any], i: int, train: Array
    ) -> Any:
        """Return a method fitted on training rows of dataset i and the sources."""
        options: dict[str, Any] = {"sources": sources}
        groups = self.datasets[i].groups
        if groups is not None and has_fit_parameter(method, "groups"):
            options["groups"] = groups[train]
        try:
            # The notes of the result already say which dataset lacks a class.
            with unheard(DatakinWarning):
                return clone(method, safe=False).fit(X, y, **options)
        except DatakinError:
            raise
        except Exception as error:  # whatever a user's method raises
            raise DatakinError(
                f"The method {name!r} could not be fitted on {len(y)} rows of {self.datasets[i].name!r}: "
                f"{reason_of(error)}"
            ) from error


def _check_source(name: str, y: Array, is_class: bool) -> None:
    """Refuse a source that is not tested on if nothing of it is left."""
    if not len(y):
        raise DatakinError(
            f"A source must have rows that do not stand in the target. All of {name!r} do; leave it out."
        )
    if not is_class:
        check_spread(name, y)


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
            f"A dataset that is tested on must have rows of two classes that do not stand in the other one. "
            f"{name!r} has {str(classes[0])!r} only."
        )
    if counts.min() < LEAST_OF_CLASS:
        raise DatakinError(
            f"Every class must have at least {LEAST_OF_CLASS} rows, so that both sides of a split have "
            f"some. {name!r} has {int(counts.min())} of {str(classes[np.argmin(counts)])!r}; merge "
            f"classes (label_map), or drop them."
        )
