"""Large datasets: rows kept aside to test on, and samples to train on that grow until they suffice.

The score's standard error depends on how many rows are tested and trained on, not on how many there
are. Beyond some thousand rows the whole plan of fits buys precision that no decision needs. So a
large dataset gives rows to test on, held out of everything, and nested samples to train on, each
twice the one before. All errors of a direction are measured on the same rows.

A sample of m rows is fitted whole and without each third: the thirds give the ensemble's weights,
the jackknife, and the score at 2m/3 rows. Where errors fall like 1 / rows, doubling m will change
the score by as much as the last third did. A pair is done when that change, and the standard error,
are as small as asked for.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.cross_errors.options import Options, by_content
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learners.content import arranged

FOLDS = 3
TEST_ROWS = 10_000
FIRST = 2_000  # rows of the smallest sample, or a little more
RARE_ROWS = 4  # rows of the rarest class in the smallest sample, for each fold


class LargeSample:
    """The rows of a large dataset that a score uses: at most `max_rows` of the options to train on."""

    def __init__(self, dataset: Dataset, options: Options) -> None:
        assert options.max_rows is not None
        self.dataset = dataset
        y, groups, rows = dataset.y, dataset.groups, np.arange(dataset.n_rows)
        if by_content(options):
            found = arranged(dataset)
            y, groups, rows = found.y, found.groups, found.order
        seed = derive_seed(options.random_state, "sample", dataset.n_rows, y.tobytes())
        order, n_test = _order(y, len(dataset.classes), groups, np.random.default_rng(seed))
        order = rows[order]
        self.tested, self.pool = order[:n_test], order[n_test:]
        least = FIRST
        if dataset.classes:
            least = max(least, int(RARE_ROWS * FOLDS / dataset.class_shares.min()))
        sizes = [min(len(self.pool), options.max_rows)]
        while sizes[0] // 2 >= least:
            sizes.insert(0, sizes[0] // 2)
        self.sizes = tuple(sizes)

    @cached_property
    def held_out(self) -> Dataset:
        """The rows to test on."""
        return self.dataset.take(self.tested)

    def train(self, stage: int) -> Dataset:
        """Return the rows to train on; later stages hold all rows of earlier ones."""
        return self.dataset.take(np.sort(self.pool[: self.sizes[self.clamp(stage)]]))

    def clamp(self, stage: int) -> int:
        """Return the stage, or the last one."""
        return min(stage, len(self.sizes) - 1)

    def note(self, stage: int) -> str:
        """Say what was used."""
        return (
            f"{self.dataset.name!r} has {self.dataset.n_rows:,} rows, more than max_rows: the score "
            f"comes from samples, trained on {self.sizes[self.clamp(stage)]:,} and tested on "
            f"{len(self.tested):,} of them"
        )


def _order(
    y: Array, n_classes: int, groups: Array | None, rng: np.random.Generator
) -> tuple[Array, int]:
    """Return the rows in random order, and how many of the first are to be tested on.

    Every run of rows from the beginning has the dataset's class shares; groups are not torn.
    """
    n = len(y)
    n_test = min(TEST_ROWS, n // 2)
    if groups is not None:
        codes = np.unique(groups, return_inverse=True)[1]
        place = rng.permutation(codes.max() + 1)[codes]
        order = np.argsort(place, kind="stable")
        last = place[order[n_test - 1]]
        return order, int(np.searchsorted(place[order], last, side="right"))
    order = rng.permutation(n)
    if n_classes:
        # Position within its class over the size of the class: sorted by it, classes interleave.
        key = np.empty(n)
        for code in range(n_classes):
            rows = order[y[order] == code]
            key[rows] = (np.arange(len(rows)) + rng.random()) / max(len(rows), 1)
        order = np.argsort(key, kind="stable")
    return order, n_test
