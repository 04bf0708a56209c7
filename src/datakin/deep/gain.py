"""The gain by fine-tuning: pretrain on one dataset, go on training on the other."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from datakin._core.checks import check_choice, check_count, check_seed
from datakin._core.exceptions import DatakinError, Interrupted, listed
from datakin._core.progress import progress
from datakin._core.repeatability import derive_seed, versions
from datakin.cross_errors.files import Folder
from datakin.data import Dataset, check_names, coerce, pair
from datakin.data.features import Array
from datakin.deep.encoders import Encoder, make_encoder
from datakin.deep.heads import check_classes
from datakin.deep.items import Contents, make_feeds
from datakin.deep.readers import ITEMS
from datakin.deep.training import (
    Training,
    fit_network,
    in_batches,
    pick_device,
    run_module,
    seeded,
)
from datakin.learners.folds import make_plan
from datakin.results.gain import Gain, method_gain, refuse_identical, without_error
from datakin.results.record import make_provenance


def fine_tune_gain(
    target: Any,
    source: Any,
    encoder: Any,
    *,
    cv: int = 5,
    head: str = "new",
    epochs: int = 10,
    batch_size: int = 64,
    lr: float = 1e-3,
    patience: int = 3,
    device: str = "auto",
    random_state: int = 0,
    weights: Any = None,
    checkpoint: str | Path | None = None,
) -> Gain:
    """Measure the relative error reduction (RER) of pretraining on one dataset for the other.

    Alone: encoder and head are trained on the training folds of a dataset. By transfer: they are
    first trained on all rows of the other dataset, then the head is replaced and both are trained
    on the training folds. Errors are cross-validated, and both datasets take each role.

    Parameters
    ----------
    target, source : Dataset or (X, y)
    encoder : torch.nn.Module or str
        The start of every training, as in `EncoderHeadScore`.
    cv : int
        Number of folds.
    head : {"new", "kept"}
        After pretraining, draw a new head, or keep it; keep it only if both have the same classes.
    epochs, batch_size, lr, patience, device, random_state, weights
        As in `EncoderHeadScore`; the same for pretraining and fine-tuning.
    checkpoint : path, optional
        A folder that keeps the error of every finished fold. A dataset's error alone is used for
        all its pairs.

    Returns
    -------
    Gain
        With the method "fine-tune".
    """
    check_count("cv", cv, 3)
    check_choice("head", head, ("new", "kept"))
    training = Training(epochs, batch_size, lr, patience, pick_device(device))
    check_seed(random_state)
    datasets = [coerce(target, "target", ITEMS), coerce(source, "source", ITEMS)]
    check_names(datasets)
    common = pair(*datasets)
    refuse_identical(common, datasets)
    for dataset in datasets:
        check_classes(dataset, cv)
    if head == "kept" and datasets[0].classes != datasets[1].classes:
        raise DatakinError(
            f"A head can be kept where the classes are the same. {datasets[0].name!r} has "
            f"{listed(datasets[0].classes)}, {datasets[1].name!r} has {listed(datasets[1].classes)}."
        )
    made = make_encoder(encoder, weights)
    if made.start is None:
        raise DatakinError(
            f"Fine-tuning trains the encoder. {made.label!r} is a fixed function; pass a torch module."
        )
    feeds = make_feeds(datasets, common.columns, made.new())
    new_rows = [np.flatnonzero(~both) for both in (common.shared_target, common.shared_source)]
    sides = list(map(_Side, datasets, feeds, new_rows))
    folder = None
    if checkpoint is not None:
        about = {"options": {"method": "fine_tune_gain"}, "versions": versions()}
        folder = Folder(checkpoint, {**about, "identity": {}, "datasets": {}})
    work = _FineTuning(made, training, cv, random_state, folder, head == "kept")
    return _collect(_measure(work, sides), datasets, common.notes, work)


class _Side(NamedTuple):
    """A dataset, its batches, and its rows that the other dataset does not have."""

    dataset: Dataset
    feed: Contents
    new_rows: Array


@dataclass(frozen=True)
class _FineTuning:
    """Networks trained alone, or pretrained and fine-tuned, and their errors on a fold."""

    encoder: Encoder
    training: Training
    cv: int
    random_state: int
    folder: Folder | None
    keeps_head: bool
    pretrained: dict[str, tuple[nn.Module, nn.Module]] = field(default_factory=dict)

    @cached_property
    def _about(self) -> list[Any]:
        """What decides the errors, besides datasets and folds."""
        options = self.training.summary().values()
        return [self.encoder.digest(None), *options, self.cv, self.random_state]

    def error(self, side: _Side, k: int, other: _Side | None = None) -> float:
        """Return the error on fold k after training on the other folds, alone or pretrained on another."""
        name = side.dataset.fingerprint
        facts = [*self._about, k, "alone", name]
        if other is not None:
            how = "kept" if self.keeps_head else "transferred"
            facts = [*self._about, k, how, name, other.dataset.fingerprint]

        def compute() -> float:
            encoder, head = (None, None) if other is None else copy.deepcopy(self._pretrain(other))
            with seeded(derive_seed(self.random_state, "alone", k, name)):
                if encoder is None:
                    encoder = self.encoder.new()
                return self._error(encoder, head if self.keeps_head else None, side, k)

        if self.folder is None:
            return compute()
        return float(self.folder.kept("fold", facts, "error", compute, is_needed=True))

    def _pretrain(self, side: _Side) -> tuple[nn.Module, nn.Module]:
        """Return encoder and head trained on a whole dataset; the last pair is remembered."""
        name = side.dataset.fingerprint
        if name not in self.pretrained:
            seed = derive_seed(self.random_state, "pretrain", name)
            with seeded(seed):
                encoder = self.encoder.new()
                head, _, _ = self._fit(encoder, None, side, side.new_rows, seed)
            self.pretrained.clear()
            self.pretrained[name] = encoder, head
        return self.pretrained[name]

    def _fit(
        self, encoder: nn.Module, head: nn.Module | None, side: _Side, rows: Array, seed: int
    ) -> tuple[nn.Module, float, float]:
        """Train encoder and head; return the head and the label's mean and standard deviation."""
        y, n_classes = side.dataset.y, len(side.dataset.classes)
        options: Any = {"n_classes": n_classes, "training": self.training, "seed": seed}
        return fit_network(encoder, head, side.feed.load, y, rows, **options)

    def _error(self, encoder: nn.Module, head: nn.Module | None, side: _Side, k: int) -> float:
        """Train on all folds but k; return the error on fold k."""
        dataset = side.dataset
        folds = make_plan(dataset, self.cv, "shared", self.random_state).folds
        train = np.sort(np.concatenate([fold for j, fold in enumerate(folds) if j != k]))
        seed = derive_seed(self.random_state, "fine-tune", k, dataset.fingerprint)
        head, centre, unit = self._fit(encoder, head, side, train, seed)
        device, parts = self.training.device, in_batches(folds[k], self.training.batch_size)
        with torch.no_grad():
            out = [head(run_module(encoder, side.feed.load(part), device)) for part in parts]
        found = torch.cat(out).double().cpu().numpy()
        y = dataset.y[folds[k]]
        if dataset.classes:
            return float(np.mean(found.argmax(axis=1) != y))
        return float(np.mean((found[:, 0] * unit + centre - y) ** 2))


def _measure(work: _FineTuning, sides: Sequence[_Side]) -> Array:
    """Return errors of shape (side, alone or transferred, fold)."""
    cv = work.cv
    errors = np.full((2, 2, cv), np.nan)
    try:
        with progress(f"fine-tuning: {4 * cv} trainings", 4 * cv) as advance:
            for i, k, j in product((0, 1), range(cv), (0, 1)):
                errors[i, j, k] = work.error(sides[i], k, sides[1 - i] if j else None)
                advance()
    except KeyboardInterrupt:
        done = int(np.isfinite(errors).sum())
        more = " The same call goes on from its checkpoints." if done and work.folder else ""
        raise Interrupted(
            f"Interrupted with {done} of {4 * cv} trainings finished.{more}"
        ) from None
    return errors


def _collect(
    errors: Array, datasets: Sequence[Dataset], notes: Sequence[str], work: _FineTuning
) -> Gain:
    """Return the result for errors of shape (side, alone or transferred, fold)."""
    overlap = 1 / (work.cv - 1)  # test rows for each training row
    found = method_gain(errors[:, 0], errors[:, 1], overlap)
    options = {"encoder": work.encoder.label, "cv": work.cv, **work.training.summary()}
    lost = without_error(errors[:, 0], datasets)
    return Gain(
        target=datasets[0].name,
        source=datasets[1].name,
        methods={"fine-tune": found},
        target_error=float(errors[0, 0].mean()),
        source_error=float(errors[1, 0].mean()),
        loss="zero_one" if datasets[0].classes else "squared",
        repeats=work.cv,
        notes=(*notes, *lost),
        provenance=make_provenance(
            work.random_state, options, {d.name: d.fingerprint for d in datasets}
        ),
        split="fold",
    )
