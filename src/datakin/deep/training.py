"""Modules at work: a batch through an encoder, and the training of a network."""

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

VALIDATION = 0.15  # share of the training rows set aside to tell when to stop
LEAST_VALIDATION = 20  # rows; with fewer, when to stop would be a matter of luck
FAULTS = (RuntimeError, TypeError, ValueError, AttributeError)  # of layers fed the wrong rows


@dataclass(frozen=True)
class Training:
    """How networks are trained."""

    epochs: int  # passes over the rows, at most
    batch_size: int
    lr: float  # at the start; it falls to 0 along a cosine
    patience: int  # epochs without progress on rows set aside, before the best weights are kept
    device: Any

    def __post_init__(self) -> None:
        """Refuse options that are none."""
        check_count("epochs", self.epochs, 1)
        check_count("patience", self.patience, 1)
        check_count("batch_size", self.batch_size, 2)  # batch norms fail on a single row
        check_positive("lr", self.lr)

    def summary(self) -> dict[str, Any]:
        """Return plain values for the record."""
        names = ("epochs", "batch_size", "lr", "patience")
        return {name: getattr(self, name) for name in names}


def pick_device(device: Any) -> Any:
    """Return the device asked for; "auto" is a GPU if there is one."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
        torch.zeros(1, device=found)
    except (RuntimeError, TypeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise DatakinError(
            f"The 'device' parameter must be 'auto' or a device of this machine. "
            f"Got {device!r} ({reason})."
        ) from None
    return found


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw torch's random numbers from a seed, without touching the user's own stream."""
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
) -> tuple[nn.Module, float, float]:
    """Train an encoder and a linear head on it, in place.

    Return the head; and, of numbers, the mean and standard deviation that its output is standardised by.
    Without a head one is drawn at random. ``load(rows)`` returns a batch; `y` has all rows that it knows.
    """
    rng, device = np.random.default_rng(seed), training.device
    centre, unit = 0.0, 1.0
    if not n_classes:
        centre, unit = float(y[rows].mean()), float(y[rows].std()) or 1.0
        y = (y - centre) / unit
    encoder.to(device)
    if head is None:
        head = nn.Linear(_width(encoder, load, rows[:2], device), n_classes or 1)
    head.to(device)
    network = nn.ModuleDict({"encoder": encoder, "head": head})
    rows, aside = _set_aside(rows, rng)
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
            _step(optimiser, loss_of(batch), epoch, training.lr)
        schedule.step()
        if not len(aside):
            continue
        now = _mean_loss(network, loss_of, aside, training.batch_size)
        waited += 1
        if now < best:
            best, kept, waited = now, copy.deepcopy(network.state_dict()), 0
        if waited >= training.patience:
            break
    if kept is not None:
        network.load_state_dict(kept)
    network.eval()
    return head, centre, unit


def _width(encoder: nn.Module, load: Callable[[Array], Any], rows: Array, device: Any) -> int:
    """Return the number of features of an embedding."""
    encoder.eval()
    with torch.no_grad():
        found = run_module(encoder, load(rows), device)
    return int(check_embedding(found.float().cpu().numpy(), len(rows)).shape[1])


def _set_aside(rows: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return rows to train on and rows that tell when to stop; none of the latter if rows are few."""
    n = round(VALIDATION * len(rows))
    if n < LEAST_VALIDATION:
        return rows, rows[:0]
    mixed = rng.permutation(rows)
    return np.sort(mixed[n:]), np.sort(mixed[:n])


def _batches(rows: Array, size: int) -> list[Array]:
    """Cut rows into batches; leave out a last one of a single row, on which batch norms fail."""
    parts = in_batches(rows, size)
    return parts[:-1] if len(parts) > 1 and len(parts[-1]) == 1 else parts


def in_batches(rows: Array, size: int) -> list[Array]:
    """Cut rows into batches, the last one perhaps smaller."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _step(optimiser: Any, loss: Any, epoch: int, lr: float) -> None:
    if not torch.isfinite(loss):
        raise DatakinError(
            f"Training failed: the loss became {float(loss.detach())} in epoch {epoch + 1}. Lower "
            f"the learning rate (lr, now {lr:g}), and look for very large inputs."
        )
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def _mean_loss(
    network: nn.Module, loss_of: Callable[[Array], Any], rows: Array, size: int
) -> float:
    network.eval()
    with torch.no_grad():
        total = sum(float(loss_of(part)) * len(part) for part in in_batches(rows, size))
    return float(total / len(rows))


def run_module(module: nn.Module, batch: Any, device: Any) -> Any:
    """Return a module's output for a batch: arrays are passed as tensors, texts as a list."""
    given: Any = batch
    if not isinstance(batch, list):
        given = torch.from_numpy(np.ascontiguousarray(batch, dtype=np.float32)).to(device)
    try:
        out = module(given)
    except FAULTS as error:
        raise _unreadable(batch, error, _channel_hint(module, batch)) from error
    if not torch.is_tensor(out):
        raise DatakinError(f"An encoder must return one tensor of shape (n, d). Got {type(out)}.")
    return out


def run_function(function: Callable[[Any], Any], batch: Any) -> Array:
    """Return a function's output for a batch, as an array."""
    try:
        found = function(batch)
    except DatakinError:
        raise
    except FAULTS as error:
        raise _unreadable(batch, error) from error
    try:
        return np.asarray(found.detach().cpu() if torch.is_tensor(found) else found)
    except FAULTS:  # rows of different lengths, or tensors that numpy cannot take
        raise _not_numbers(found) from None


def check_embedding(found: Any, n_rows: int) -> Array:
    """Return an embedding as an array of shape (n, d) of finite numbers, or raise an error."""
    try:
        values: Array = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        # An object that numpy cannot look into comes as an array of no dimensions.
        raise _not_numbers(found.item() if np.ndim(found) == 0 else found) from None
    if values.ndim != 2 or values.shape[0] != n_rows or not values.shape[1]:
        raise DatakinError(
            f"An encoder must return an array of shape (n, d): {n_rows} rows of features. "
            f"Got shape {values.shape}; flatten or average what is left over."
        )
    if not np.isfinite(values).all():
        raise DatakinError(
            f"An encoder must return finite numbers. "
            f"{int((~np.isfinite(values)).any(axis=1).sum())} of {n_rows} rows of a batch have others."
        )
    return values


def _not_numbers(found: Any) -> DatakinError:
    advice = "; make it dense with .toarray()" if hasattr(found, "toarray") else ""
    what = f"an array of {found.dtype}" if isinstance(found, np.ndarray) else type(found).__name__
    return DatakinError(
        f"An encoder must return an array of numbers of shape (n, d). Got {what}{advice}."
    )


def _unreadable(batch: Any, error: Exception, hint: str = "") -> DatakinError:
    shape = f"a list of {len(batch)} texts" if isinstance(batch, list) else batch.shape
    reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return DatakinError(
        f"The encoder cannot read these rows: a batch is {shape}. It says: {reason}.{hint}"
    )


def _channel_hint(module: nn.Module, batch: Any) -> str:
    """Return advice for images that lack an axis for channels."""
    wants = any(isinstance(part, nn.Conv2d) for part in module.modules())
    if not wants or np.ndim(batch) != 3:
        return ""
    return " It reads images of shape (channels, height, width): pass X[:, None] for one channel."
