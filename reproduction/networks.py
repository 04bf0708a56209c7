"""What the deep studies share: small networks from a seed, their training, torch on few threads."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from reproduction.harness import Array

VALIDATION, LEAST = 0.15, 20  # share of rows to stop by, and how many make it worth while


@contextmanager
def few_threads(n: int) -> Iterator[None]:
    """Let torch use so many threads: sums, and so results, depend on their number."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def seeded(seed: int, make: Callable[[], Any]) -> Any:
    """Return what a function makes with torch's random numbers drawn from a seed."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make()


def small_convnet(channels: int, edge: int, width: int, seed: int) -> Any:
    """Return three convolutions with batch norms and 64 features, drawn from a seed."""
    from torch import nn

    def block(n_in: int, n_out: int) -> list[Any]:
        return [nn.Conv2d(n_in, n_out, 3, padding=1, bias=False), nn.BatchNorm2d(n_out), nn.ReLU()]

    left = 2 * width * (edge // 4) ** 2
    return seeded(
        seed,
        lambda: nn.Sequential(
            *block(channels, width),
            *block(width, width),
            nn.MaxPool2d(2),
            *block(width, 2 * width),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(left, 64),
            nn.BatchNorm1d(64),
            nn.ReLU(),
        ),
    )


def embed(encoder: Any, load: Callable[[Array], Array], n_rows: int, batch_size: int = 64) -> Array:
    """Return what an encoder makes of rows that are loaded a batch at a time."""
    import torch

    encoder.eval()
    parts = []
    with torch.no_grad():
        for start in range(0, n_rows, batch_size):
            batch = load(np.arange(start, min(start + batch_size, n_rows)))
            parts.append(encoder(_tensor(batch)).numpy())
    return np.concatenate(parts)


def train_network(
    encoder: Any, X: Array, y: Array, *, epochs: int, batch_size: int, lr: float, patience: int,
    seed: int,
) -> Any:  # fmt: skip
    """Train an encoder, in place, and a linear head for ten classes on it; return the head.

    As `datakin.deep` trains: AdamW, a learning rate that falls along a cosine, and the weights of the
    epoch that was best on rows set aside.
    """
    return seeded(seed, lambda: _trained(encoder, X, y, (epochs, batch_size, lr, patience), seed))


def _trained(
    encoder: Any, X: Array, y: Array, options: tuple[int, int, float, int], seed: int
) -> Any:
    import torch
    from torch import nn

    epochs, batch_size, lr, patience = options
    rng = np.random.default_rng(seed)
    head = nn.Linear(embed(encoder, lambda rows: X[rows], 2).shape[1], 10)
    network = nn.Sequential(encoder, head)
    rows, aside = _set_aside(np.arange(len(y)), rng)
    optimiser = torch.optim.AdamW(network.parameters(), lr=lr, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs)
    targets = torch.as_tensor(y, dtype=torch.long)

    def loss_of(batch: Array) -> Any:
        return nn.functional.cross_entropy(network(_tensor(X[batch])), targets[batch])

    best, kept, waited = np.inf, None, 0
    for _ in range(epochs):
        network.train()
        for batch in _batches(rng.permutation(rows), batch_size):
            optimiser.zero_grad()
            loss_of(batch).backward()
            optimiser.step()
        schedule.step()
        if not len(aside):
            continue
        network.eval()
        parts = [aside[start : start + batch_size] for start in range(0, len(aside), batch_size)]
        with torch.no_grad():
            now = sum(float(loss_of(part)) * len(part) for part in parts) / len(aside)
        if now < best:
            best, kept, waited = now, copy.deepcopy(network.state_dict()), 0
        elif (waited := waited + 1) >= patience:
            break
    if kept is not None:
        network.load_state_dict(kept)
    network.eval()
    return head


def _tensor(batch: Array) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(batch, dtype=np.float32))


def _set_aside(rows: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return rows to train on and rows to stop by; none of the latter when there are few rows."""
    n = round(VALIDATION * len(rows))
    if n < LEAST:
        return rows, rows[:0]
    mixed = rng.permutation(rows)
    return np.sort(mixed[n:]), np.sort(mixed[:n])


def _batches(rows: Array, size: int) -> list[Array]:
    """Cut rows into batches; a last one of a single row, which batch norms refuse, is left out."""
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    return parts[:-1] if len(parts) > 1 and len(parts[-1]) == 1 else parts


def predict_digits(encoder: Any, head: Any, X: Array) -> Array:
    """Return the predicted classes of all rows."""
    import torch

    with torch.no_grad():
        found: Array = head(encoder(_tensor(X))).numpy().argmax(axis=1)
    return found


def mean_and_error(rows: pd.DataFrame, by: list[str], values: list[str]) -> pd.DataFrame:
    """Return means over replicates, each with its standard error."""
    grouped = rows.groupby(by, sort=False)
    means, errors = grouped[values].mean(), grouped[values].sem()
    frame = means.copy()
    for value in values:
        frame[f"{value}_se"] = errors[value]
    ordered = [name for value in values for name in (value, f"{value}_se")]
    return frame[ordered].reset_index()


def torch_line() -> str:
    """Return the version of torch in words."""
    return f"torch {version('torch')}."
