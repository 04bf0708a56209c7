"""Training of a network: an encoder and a head on it, with early stopping."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from datakin._core.checks import check_count, check_positive
from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.deep.outputs import check_embedding, run_module

__all__ = ["Training", "check_training", "fit_network", "seeded"]

LEAST_VALIDATION = 20  # rows; with fewer the stopping would be luck


@dataclass(frozen=True)
class Training:
    """How networks are trained.

    Attributes
    ----------
    epochs : int
        At most so many passes over the rows.
    batch_size : int
    lr : float
        Learning rate at the start; it falls to 0 along a cosine.
    patience : int
        Stop after so many epochs without progress on rows set aside, and keep the best weights.
    validation : float
        Share of the training rows set aside for that.
    device : torch.device
    """

    epochs: int
    batch_size: int
    lr: float
    patience: int
    device: Any
    validation: float = 0.15


def check_training(epochs: Any, batch_size: Any, lr: Any, patience: Any) -> None:
    """Refuse options that no network can be trained with."""
    check_count("epochs", epochs, 1)
    check_count("patience", patience, 1)
    check_count("batch_size", batch_size, 2)  # batch norms refuse a single row
    check_positive("lr", lr)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw torch's random numbers from a seed, and leave the user's own stream untouched."""
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        yield


def fit_network(
    encoder: nn.Module,
    head: nn.Module | None,
    load: Callable[[Array], Any],
    y: Array,
    rows: Array,
    *,
    n_classes: int,
    training: Training,
    seed: int,
) -> nn.Module:
    """Train an encoder and a linear head on it, in place; return the head.

    Parameters
    ----------
    encoder : torch.nn.Module
    head : torch.nn.Module, optional
        Where the head starts; drawn at random if None.
    load : callable
        ``load(rows)`` returns a batch.
    y : ndarray
        Class codes, or numbers (standardised), of all rows that `load` knows.
    rows : ndarray of int
        The rows to train on.
    n_classes : int
        0 for regression.
    training : Training
    seed : int
    """
    rng = np.random.default_rng(seed)
    device = training.device
    encoder.to(device)
    if head is None:
        width = _width(encoder, load, rows[:2], device)
        head = nn.Linear(width, n_classes or 1)
    head.to(device)
    network = nn.ModuleDict({"encoder": encoder, "head": head})
    rows, aside = _set_aside(rows, training.validation, rng)
    optimiser = torch.optim.AdamW(network.parameters(), lr=training.lr, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, training.epochs)
    targets = torch.as_tensor(y, dtype=torch.long if n_classes else torch.float32)

    def loss_of(batch: Array) -> Any:
        out = head(run_module(encoder, load(batch), device))
        wanted = targets[batch].to(device)
        if n_classes:
            return nn.functional.cross_entropy(out, wanted)
        return nn.functional.mse_loss(out[:, 0], wanted)

    best, kept, waited = np.inf, None, 0
    for epoch in range(training.epochs):
        network.train()
        for batch in _batches(rng.permutation(rows), training.batch_size):
            optimiser.zero_grad()
            loss = loss_of(batch)
            if not torch.isfinite(loss):
                raise DatakinError(
                    f"Training failed: the loss became {float(loss.detach())} in epoch {epoch + 1}. Lower "
                    f"the learning rate (lr, now {training.lr:g}), and look for very large inputs."
                )
            loss.backward()
            optimiser.step()
        schedule.step()
        if not len(aside):
            continue
        now = _mean_loss(network, loss_of, aside, training.batch_size)
        if now < best:
            best, kept, waited = now, copy.deepcopy(network.state_dict()), 0
        else:
            waited += 1
            if waited >= training.patience:
                break
    if kept is not None:
        network.load_state_dict(kept)
    network.eval()
    return head


def _width(encoder: nn.Module, load: Callable[[Array], Any], rows: Array, device: Any) -> int:
    encoder.eval()
    with torch.no_grad():
        found = run_module(encoder, load(rows), device)
    return int(check_embedding(found.float().cpu().numpy(), len(rows)).shape[1])


def _set_aside(rows: Array, share: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return rows to train on and rows to stop by; none of the latter when there are few rows."""
    n = round(share * len(rows))
    if n < LEAST_VALIDATION:
        return rows, rows[:0]
    mixed = rng.permutation(rows)
    return np.sort(mixed[n:]), np.sort(mixed[:n])


def _batches(rows: Array, size: int) -> list[Array]:
    """Cut rows into batches; a last one of a single row, which batch norms refuse, is left out."""
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    return parts[:-1] if len(parts) > 1 and len(parts[-1]) == 1 else parts


def _mean_loss(
    network: nn.Module, loss_of: Callable[[Array], Any], rows: Array, size: int
) -> float:
    network.eval()
    with torch.no_grad():
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        return float(sum(float(loss_of(part)) * len(part) for part in parts) / len(rows))
