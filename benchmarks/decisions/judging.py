"""What the predictions of a model are worth on the test rows: in the target's loss, and in Brier loss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from datakin import Dataset

RARE = 0.3  # of an equal share: below that a class is rare, and every class counts the same


def loss_of(target: Dataset) -> str:
    """Return the loss that errors are measured in."""
    if not target.classes:
        return "squared"
    is_rare = target.class_shares.min() < RARE / len(target.classes)
    return "balanced" if is_rare else "zero_one"


@dataclass(frozen=True, eq=False)
class Judge:
    """Judges outputs on the test rows, classes counting as they do in the target.

    Outputs have one column per class of the target (probabilities), or a single one (numbers).
    """

    target: Dataset
    test: Dataset

    def error(self, outputs: Any) -> float:
        """Return the error; where a class is rare every class counts the same."""
        return self._mean(*self._errors(outputs))

    def noise(self, one: Any, other: Any) -> float:
        """Return the standard error, from the test rows, of the difference of two errors."""
        (rows, weights), (others, _) = self._errors(one), self._errors(other)
        apart = np.asarray(rows, dtype=float) - others
        if weights is None:
            return float(apart.std(ddof=1) / np.sqrt(len(apart)))
        parts = [apart[self.test.y == c] for c in np.unique(self.test.y)]
        shares = np.array([weights[c] for c in np.unique(self.test.y)], dtype=float)
        shares /= shares.sum()
        variances = [each.var() / max(len(each) - 1, 1) for each in parts]
        return float(np.sqrt(np.sum(shares**2 * variances)))

    def _errors(self, outputs: Any) -> tuple[Any, Any]:
        """Return the error of each test row, and how much each class counts."""
        if not self.target.classes:
            return (outputs[:, 0] - self.test.y) ** 2, None
        shares = self.target.class_shares
        if loss_of(self.target) == "zero_one":
            return np.argmax(outputs, axis=1) != self.test.y, shares
        # The most likely class for its share, as a balanced loss asks for.
        known = shares > 0
        per_share = np.where(known, outputs / np.where(known, shares, 1.0), -1.0)
        return np.argmax(per_share, axis=1) != self.test.y, known.astype(float)

    def loss(self, outputs: Any) -> float:
        """Return the Brier loss (half the sum over the classes) or the squared error."""
        if not self.target.classes:
            return self.error(outputs)
        truth = np.eye(len(self.target.classes))[self.test.y]
        return self._mean(np.sum((outputs - truth) ** 2, axis=1) / 2, self.target.class_shares)

    def _mean(self, rows: Any, weights: Any) -> float:
        """Return the mean over classes of the mean over their test rows; without classes the mean."""
        if weights is None:
            return float(np.mean(rows))
        there = [c for c in np.unique(self.test.y) if weights[c] > 0]
        means = [float(rows[self.test.y == c].mean()) for c in there]
        return float(np.average(means, weights=weights[there]))


def aligned(outputs: Any, names: Any, target: Dataset) -> Any:
    """Return probabilities in the order of the target's classes; 0 where a model lacks one."""
    place = {str(name): code for code, name in enumerate(names)}
    columns = [place.get(name) for name in target.classes]
    nothing = np.zeros(len(outputs))
    return np.column_stack([nothing if c is None else outputs[:, c] for c in columns])


def outputs_of(model: Any, rows: Dataset, target: Dataset) -> Any:
    """Return what a chosen model gives for the rows of a dataset."""
    found = model.outputs_of(rows.features)
    return aligned(found, model.classes_, target) if target.classes else found


def like_target(source: Dataset, target: Dataset) -> Dataset:
    """Return the rows of a source that are of the target's classes, coded as there."""
    if source.classes == target.classes:
        return source
    place = {name: code for code, name in enumerate(target.classes)}
    codes = np.array([place.get(name, -1) for name in source.classes])[source.y]
    kept = np.flatnonzero(codes >= 0)
    return replace(source.take(kept), y=codes[kept], classes=target.classes)


def pooled(target: Dataset, sources: list[Dataset]) -> Dataset:
    """Return the target with the rows of sources below, as one dataset."""
    features, y, groups = target.features, [target.y], [target.groups]
    for source in sources:
        features = features.stacked(source.features)
        y.append(source.y)
        first = 0 if groups[-1] is None else int(groups[-1].max()) + 1
        groups.append(None if source.groups is None else source.groups + first)
    if any(each is None for each in groups):
        whole = None
    else:
        whole = np.unique(np.concatenate(groups), return_inverse=True)[1]
    return target.edited(
        name="pool",
        features=features,
        y=np.concatenate(y),
        groups=whole,
        group_names=(),
    )
