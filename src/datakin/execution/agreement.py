"""What is known before anything is fitted: folds, samples, and what every pair agrees on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, warn
from datakin._core.repeatability import versions
from datakin.cross_errors.options import Options
from datakin.cross_errors.records import Key, Member, PairFacts
from datakin.data import Dataset, Pairing, pair
from datakin.data.features import Array
from datakin.execution.identity import Unknown, identity_of
from datakin.execution.sampling import LargeSample
from datakin.execution.units import draw_plans, labels_of
from datakin.learners.folds import Plan
from datakin.learners.losses import LOSSES, Labels, Loss, check_spread, choose_loss

MIN_TEST_ROWS = 10
NONE = (0, 0)  # of rows in both datasets
WHOLE = -1  # the stage of a dataset that is used whole

PREDICTIONS = 2**29  # bytes of predictions that are kept unless more are asked for

Names = tuple[str, str]


def member_of(dataset: Dataset, loss: Loss, labels: Labels, is_sampled: bool = False) -> Member:
    """Return a dataset as the table knows it."""
    is_class = bool(dataset.classes)
    return Member(
        dataset.name,
        dataset.fingerprint,
        dataset.n_rows,
        dataset.classes,
        tuple(dataset.class_shares.tolist()) if is_class else (),
        dataset.missing_share,
        dataset.columns,
        loss.name,
        loss.balanced,
        None if is_class else loss.of_best_constant(dataset.y),
        labels,
        is_sampled,
        LOSSES.get(loss.name) is not loss,
    )


def facts_of(
    names: Names,
    common: Pairing,
    left_out: tuple[Array, Array],
    keys: tuple[Key, Key] | None,
    notes: tuple[str, ...] = (),
) -> PairFacts:
    """Return what a pair agreed on as the table knows it; `notes` are about both of its roles."""
    n_target, n_source = map(np.count_nonzero, (common.shared_target, common.shared_source))
    return PairFacts(
        *names,
        common.columns,
        common.classes,
        (int(n_target), int(n_source)) if n_target or n_source else NONE,
        left_out if any(np.count_nonzero(rows) for rows in left_out) else None,
        common.identical,
        (common.notes + notes, common.back_notes + notes),
        keys,
    )


def about_run(options: Options, *, must_be_known: bool) -> dict[str, Any]:
    """Return what numbers depend on besides the data, as plain values."""
    try:
        identity: dict[str, str] = identity_of(options)
    except Unknown as error:
        if must_be_known:
            raise
        identity = {"unknown": str(error)}
    return {
        "options": options.summary(),
        "versions": versions(),
        "identity": identity,
        "seed": options.random_state,
    }


def choose_keep(
    datasets: Sequence[Dataset], pairs: Sequence[Names], options: Options, n_models: int, keep: str
) -> str:
    """Return what to keep: what was asked for, or, for "auto", as much as memory should hold."""
    if keep != "auto":
        return keep
    rows = {d.name: min(d.n_rows, options.max_rows or d.n_rows) for d in datasets}
    n_fits = 1 + options.cv + options.cv * (options.cv - 1) // 2
    n_outputs = max(len(datasets[0].classes), 1)
    n_rows = sum(rows.values()) + sum(rows[a] + rows[b] for a, b in pairs)
    if n_rows * n_fits * n_models * n_outputs * options.repeats * 8 <= PREDICTIONS:
        return "predictions"
    return "losses" if len({target for target, _ in pairs}) == 1 else "sums"


class Agreement:
    """The datasets of a measurement and what its pairs agree on.

    Attributes
    ----------
    samples : dict of name to LargeSample
        Of the datasets that are too large to be fitted whole.
    plans : dict of name to the plans of each repeat
        Of whole datasets, or of the smallest sample.
    pairings : dict of (target, source) to Pairing
        Of the pairs whose folds can be drawn.
    """

    def __init__(
        self, datasets: Sequence[Dataset], pairs: Sequence[Names], options: Options
    ) -> None:
        self.options = options
        self.datasets = {d.name: d for d in datasets}
        self.losses = {d.name: choose_loss(options.resolved_loss, d) for d in datasets}
        limit = options.max_rows
        self.samples = {
            d.name: LargeSample(d, options)
            for d in datasets
            if limit is not None and d.n_rows > limit
        }
        self.plans: dict[str, tuple[Plan, ...]] = {}
        self.pairings: dict[Names, Pairing] = {}
        wanted = self._comparable(self._usable(pairs))
        used = {name for names in wanted for name in names}
        self.members = {
            name: member_of(
                dataset, self.losses[name], labels_of(self.tested(name)), name in self.samples
            )
            for name, dataset in self.datasets.items()
            if name in used
        }
        self._plans: dict[Key, Key] = {}
        self.facts: dict[Names, PairFacts] = {}
        self.facts |= {names: self._facts(names) for names in self.pairings}

    def keys(self, names: Names, stage: int) -> tuple[Key, Key]:
        """Return the plans of target and source at a stage of their samples."""
        target, source = (self._key(name, self.pairings[names].columns, stage) for name in names)
        return target, source

    def _key(self, name: str, columns: tuple[str, ...], stage: int) -> Key:
        """Return a plan; the same object for all pairs, of which there may be many."""
        stage = self.samples[name].clamp(stage) if name in self.samples else WHOLE
        key = Key(name, columns, stage)
        return self._plans.setdefault(key, key)

    def _usable(self, pairs: Sequence[Names]) -> list[Names]:
        """Return the pairs whose folds can be drawn; name all datasets at fault at once."""
        faults: dict[str, str] = {}
        for name in dict.fromkeys(name for names in pairs for name in names):
            sample = self.samples.get(name)
            dataset = self.datasets[name] if sample is None else sample.train(0)
            try:
                if not dataset.classes:
                    check_spread(name, self.datasets[name].y)
                is_sample = sample is not None
                self.plans[name] = draw_plans(dataset, self.options, is_sample=is_sample)
            except DatakinError as error:
                faults[name] = str(error)
        return self._without(faults, pairs)

    def _without(
        self, faults: Mapping[str, str], pairs: Sequence[Names], n_reasons: int = 1
    ) -> list[Names]:
        """Return the pairs without datasets at fault, or refuse these if they may not be skipped."""
        if not faults:
            return list(pairs)
        left = [names for names in pairs if not faults.keys() & set(names)]
        reasons = list(faults.values())
        if not self.options.skip_unusable or not left:
            others = f" The same holds of {len(faults)} datasets: {listed(faults)}."
            raise DatakinError(f"{reasons[0]}{others if len(faults) > 1 else ''}")
        warn(
            f"{len(faults)} dataset(s) left out: {listed(faults)}. {' '.join(reasons[:n_reasons])}"
        )
        return left

    def _comparable(self, pairs: Sequence[Names]) -> list[Names]:
        """Return the pairs that can be compared, and keep what they share.

        A dataset that cannot be compared with one that comes before it is at fault.
        """
        faults: dict[str, str] = {}
        for names in pairs:
            if faults.keys() & set(names):
                continue
            try:
                self.pairings[names] = pair(*(self.datasets[name] for name in names))
                self._check_rows(names)
            except DatakinError as error:
                if not self.options.skip_unusable:
                    raise
                faults[names[1]] = str(error)
        left = self._without(faults, pairs, n_reasons=3)
        self.pairings = {names: self.pairings[names] for names in left}
        return left

    def _facts(self, names: Names) -> PairFacts:
        common = self.pairings[names]
        keys = None if common.identical else self.keys(names, 0)
        return facts_of(names, common, self.shared(names), keys)

    def tested(self, name: str) -> Dataset:
        """Return the rows of a dataset that others are tested on."""
        return self.samples[name].held_out if name in self.samples else self.datasets[name]

    def shared(self, names: Names) -> tuple[Array, Array]:
        """Return which of the rows that are tested on stand in the other dataset too."""
        common = self.pairings[names]
        both = zip(names, (common.shared_target, common.shared_source), strict=True)
        target, source = (
            rows[self.samples[name].tested] if name in self.samples else rows for name, rows in both
        )
        return target, source

    def _check_rows(self, names: Names) -> None:
        if self.pairings[names].identical:
            return
        for name, other, shared in zip(names, names[::-1], self.shared(names), strict=True):
            n_rows, left = len(shared), len(shared) - int(np.count_nonzero(shared))
            if left < MIN_TEST_ROWS:
                raise DatakinError(
                    f"Two datasets must differ in at least {MIN_TEST_ROWS} rows each. "
                    f"Of {n_rows} rows of {name!r}, {n_rows - left} also stand in {other!r}: remove "
                    f"them there."
                )
