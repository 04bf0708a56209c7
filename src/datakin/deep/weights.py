"""Files of weights into modules, with a readable difference where they do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from datakin._core.exceptions import DatakinError, listed

__all__ = ["load_weights", "read_weights"]

HEADS = ("fc.", "classifier.", "head.", "_fc.")  # last layers, which an encoder has not


def read_weights(path: str | Path) -> dict[str, Any]:
    """Return the tensors of a file made by ``torch.save(model.state_dict(), path)``.

    Only tensors are read, never code.
    """
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise DatakinError(f"The weights were expected in {path}. There is no such file.") from None
    except Exception as error:  # torch raises many kinds for files that are none of its own
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DatakinError(
            f"The weights must be a state dict saved by torch.save. {path} cannot be read ({reason})."
        ) from None
    if isinstance(found, Mapping) and "state_dict" in found:
        found = found["state_dict"]
    if not isinstance(found, Mapping) or not all(torch.is_tensor(v) for v in found.values()):
        raise DatakinError(
            f"The weights must be a state dict: names and tensors. {path} holds {type(found).__name__}."
        )
    return {str(name).removeprefix("module."): value for name, value in found.items()}


def load_weights(module: nn.Module, weights: Mapping[str, Any], origin: str) -> None:
    """Load a state dict; a last layer that the encoder lacks is left out, all else must fit."""
    own = module.state_dict()
    given = {
        name: value for name, value in weights.items() if name in own or not name.startswith(HEADS)
    }
    missing = [name for name in own if name not in given and "num_batches" not in name]
    extra = [name for name in given if name not in own]
    shapes = [
        f"{name}: {tuple(given[name].shape)} in the file, {tuple(own[name].shape)} in the encoder"
        for name in own
        if name in given and given[name].shape != own[name].shape
    ]
    if missing or extra or shapes:
        parts = [
            f"{len(names)} {what}: {listed(names, limit=4)}"
            for names, what in (
                (missing, "missing from the file"),
                (extra, "unknown to the encoder"),
                (shapes, "of another shape"),
            )
            if names
        ]
        raise DatakinError(
            f"The weights of {origin} do not fit the encoder. Of {len(own)} entries, {'; '.join(parts)}."
        )
    module.load_state_dict(given, strict=False)
