"""Deep transfer as it is done: pretrain on one dataset, fine-tune on the other, and what it brings."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from datakin._core.checks import check_choice, check_count, check_seed
from datakin._core.exceptions import DatakinError, Interrupted, listed
from datakin._core.progress import progress
from datakin._core.seeds import derive_seed
from datakin.data import Dataset, check_names, coerce, pair
from datakin.data.features import Array
from datakin.deep.checkpoints import FoldErrors
from datakin.deep.encoders import Encoder, make_encoder
from datakin.deep.holdout import check_classes
from datakin.deep.items import Feed, make_feeds
from datakin.deep.readers import ITEMS
from datakin.deep.training import (
    Training,
    check_training,
    fit_network,
    pick_device,
    run_module,
    seeded,
)
from datakin.learning.folds import make_plan
from datakin.results.gain import Gain
from datakin.results.record import make_provenance
from datakin.transfer.gain import method_gain, refuse_identical, without_error

__all__ = ["fine_tune_gain"]


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
    trained on all rows of the other dataset first, then the head is replaced and both are trained
    on the training folds. Errors are cross-validated; then the roles are swapped.

    Parameters
    ----------
    target, source : Dataset or (X, y)
    encoder : torch.nn.Module or str
        Where every training starts, as in `EncoderHeadScore`.
    cv : int
        Number of folds.
    head : {"new", "kept"}
        After pretraining, draw the head anew, or go on with it: for datasets with the same classes.
    epochs, batch_size, lr, patience, device, random_state, weights
        As in `EncoderHeadScore`; pretraining and fine-tuning are trained alike.
    checkpoint : path, optional
        A folder that keeps the error of every finished fold. What a dataset achieves alone serves
        all its pairs.

    Returns
    -------
    Gain
        With the method "fine-tune".
    """
    check_count("cv", cv, 3)
    check_choice("head", head, ("new", "kept"))
    check_training(epochs, batch_size, lr, patience)
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
    training = Training(epochs, batch_size, lr, patience, pick_device(device))
    feeds = make_feeds(datasets, common.columns, made.start())
    shared = (common.shared_target, common.shared_source)
    store = FoldErrors(checkpoint)
    work = _FineTuning(made, training, cv, random_state, store, head)
    errors = np.full((2, 2, cv), np.nan)
    try:
        with progress(f"fine-tuning: {4 * cv} trainings", 4 * cv) as advance:
            for i in (0, 1):
                usable = [~shared[k] for k in (i, 1 - i)]
                pairs = [(datasets[k], feeds[k]) for k in (i, 1 - i)]
                for k in range(cv):
                    errors[i, 0, k] = work.alone(*pairs[0], k)
                    advance()
                    errors[i, 1, k] = work.transferred(pairs, usable, k)
                    advance()
    except KeyboardInterrupt:
        done = int(np.isfinite(errors).sum())
        raise Interrupted(
            f"Interrupted with {done} of {4 * cv} trainings finished.{store.resumes(done > 0)}"
        ) from None
    return _collect(errors, datasets, common.notes, work)


class _FineTuning:
    """Networks trained alone, or pretrained and fine-tuned, and their errors on a fold."""

    def __init__(
        self,
        encoder: Encoder,
        training: Training,
        cv: int,
        random_state: int,
        store: FoldErrors,
        head: str,
    ) -> None:
        self.keeps_head = head == "kept"
        self.encoder, self.training, self.cv = encoder, training, cv
        self.random_state, self.store = random_state, store
        self.digest = encoder.digest(None)
        self.pretrained: dict[str, tuple[nn.Module, nn.Module]] = {}

    def _folds(self, dataset: Dataset) -> tuple[Array, ...]:
        return make_plan(dataset, self.cv, "shared", self.random_state).folds

    def _key(self, *names: str, fold: int) -> list[Any]:
        t = self.training
        return [self.digest, t.epochs, t.batch_size, t.lr, t.patience, self.cv,
                self.random_state, fold, *names]  # fmt: skip

    def alone(self, dataset: Dataset, feed: Feed, k: int) -> float:
        """Return the error on fold k of a network trained on the other folds alone."""

        def compute() -> float:
            with seeded(derive_seed(self.random_state, "alone", k, dataset.fingerprint)):
                return self._error(self._start(), None, dataset, feed, k)

        return self.store.get(self._key("alone", dataset.fingerprint, fold=k), compute)

    def transferred(
        self, pairs: Sequence[tuple[Dataset, Feed]], usable: Sequence[Array], k: int
    ) -> float:
        """Return the error on fold k after pretraining on the other dataset."""
        (dataset, feed), (other, their_feed) = pairs

        def compute() -> float:
            if other.fingerprint not in self.pretrained:
                seed = derive_seed(self.random_state, "pretrain", other.fingerprint)
                with seeded(seed):
                    encoder = self._start()
                    rows = np.flatnonzero(usable[1])
                    head = self._fit(encoder, None, other, their_feed, rows, seed)[0]
                self.pretrained = {other.fingerprint: (encoder, head)}
            with seeded(derive_seed(self.random_state, "alone", k, dataset.fingerprint)):
                encoder, head = copy.deepcopy(self.pretrained[other.fingerprint])
                return self._error(encoder, head if self.keeps_head else None, dataset, feed, k)

        names = (
            "kept" if self.keeps_head else "transferred",
            dataset.fingerprint,
            other.fingerprint,
        )
        return self.store.get(self._key(*names, fold=k), compute)

    def _start(self) -> nn.Module:
        assert self.encoder.start is not None
        return self.encoder.start()

    def _fit(
        self,
        encoder: nn.Module,
        head: nn.Module | None,
        dataset: Dataset,
        feed: Feed,
        rows: Array,
        seed: int,
    ) -> tuple[nn.Module, float, float]:
        """Train encoder and head; return the head and the response's mean and spread."""
        y, centre, unit = dataset.y, 0.0, 1.0
        if not dataset.classes:
            centre, unit = float(y[rows].mean()), float(y[rows].std()) or 1.0
            y = (y - centre) / unit
        head = fit_network(
            encoder,
            head,
            feed.load,
            y,
            rows,
            n_classes=len(dataset.classes),
            training=self.training,
            seed=seed,
        )
        return head, centre, unit

    def _error(
        self, encoder: nn.Module, head: nn.Module | None, dataset: Dataset, feed: Feed, k: int
    ) -> float:
        folds = self._folds(dataset)
        train = np.sort(np.concatenate([fold for j, fold in enumerate(folds) if j != k]))
        seed = derive_seed(self.random_state, "fine-tune", k, dataset.fingerprint)
        head, centre, unit = self._fit(encoder, head, dataset, feed, train, seed)
        device, size = self.training.device, self.training.batch_size
        parts = [folds[k][start : start + size] for start in range(0, len(folds[k]), size)]
        with torch.no_grad():
            assert head is not None
            out = torch.cat([head(run_module(encoder, feed.load(part), device)) for part in parts])
        found = out.double().cpu().numpy()
        y = dataset.y[folds[k]]
        if dataset.classes:
            return float(np.mean(found.argmax(axis=1) != y))
        return float(np.mean((found[:, 0] * unit + centre - y) ** 2))


def _collect(
    errors: Array, datasets: Sequence[Dataset], notes: Sequence[str], work: _FineTuning
) -> Gain:
    """Turn errors of shape (side, alone or transferred, fold) into the result."""
    overlap = 1 / (work.cv - 1)  # test rows for each training row
    found = method_gain(errors[:, 0], errors[:, 1], overlap)
    t = work.training
    options = {
        "encoder": work.encoder.label, "cv": work.cv, "epochs": t.epochs,
        "batch_size": t.batch_size, "lr": t.lr, "patience": t.patience,
    }  # fmt: skip
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
