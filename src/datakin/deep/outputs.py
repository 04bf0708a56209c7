"""What encoders make of a batch, and what is refused: whatever is not numbers of shape (n, d)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array

__all__ = ["check_embedding", "run_function", "run_module"]

FAULTS = (RuntimeError, TypeError, ValueError, AttributeError)  # of layers fed the wrong rows


def run_module(module: nn.Module, batch: Any, device: Any) -> Any:
    """Return what a module makes of a batch: an array as a tensor, texts as they are."""
    given = batch if isinstance(batch, list) else as_tensor(batch).to(device)
    try:
        out = module(given)
    except FAULTS as error:
        raise _unreadable(batch, error, _channel_hint(module, batch)) from error
    if not torch.is_tensor(out):
        raise DatakinError(f"An encoder must return one tensor of shape (n, d). Got {type(out)}.")
    return out


def run_function(function: Callable[[Any], Any], batch: Any) -> Array:
    """Return what a function makes of a batch, as an array."""
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


def as_tensor(batch: Array) -> Any:
    """Return an array as a tensor in single precision."""
    return torch.from_numpy(np.ascontiguousarray(batch, dtype=np.float32))


def check_embedding(found: Any, n_rows: int) -> Array:
    """Refuse what is not of shape (n, d), finite."""
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
    """Return what to do about images without an axis for channels."""
    wants = any(isinstance(part, nn.Conv2d) for part in module.modules())
    if not wants or np.ndim(batch) != 3:
        return ""
    return " It reads images of shape (channels, height, width): pass X[:, None] for one channel."
