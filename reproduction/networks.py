"""What the deep studies share: small networks from a seed, and torch held to a few threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from datakin._core.exceptions import DatakinError

__all__ = ["data_folder", "few_threads", "mean_and_error", "small_convnet", "torch_line"]


def data_folder(name: str, what: str) -> Path:
    """Return a folder of data: under DATAKIN_DATA, or under ``data`` here."""
    path = Path(os.environ.get("DATAKIN_DATA", "data")) / name
    if not path.is_dir():
        raise DatakinError(
            f"The {what} were expected in {path}. Say in DATAKIN_DATA which folder holds {name}/."
        )
    return path


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


def small_convnet(channels: int, edge: int, width: int, seed: int) -> Any:
    """Return three convolutions with batch norms and 64 features, drawn from a seed."""
    from torch import nn

    from datakin.deep.training import seeded

    def block(n_in: int, n_out: int) -> list[Any]:
        return [nn.Conv2d(n_in, n_out, 3, padding=1, bias=False), nn.BatchNorm2d(n_out), nn.ReLU()]

    left = 2 * width * (edge // 4) ** 2
    with seeded(seed):
        return nn.Sequential(
            *block(channels, width),
            *block(width, width),
            nn.MaxPool2d(2),
            *block(width, 2 * width),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(left, 64),
            nn.BatchNorm1d(64),
            nn.ReLU(),
        )


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
    from importlib.metadata import version

    return f"torch {version('torch')}."
