"""Files of weights into modules, with a readable difference where they do not fit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from datakin._core.exceptions import DatakinError, listed

__all__ = ["load_weights", "read_weights"]

HEADS = ("fc.", "classifier.", "head.", "_fc.")  # last layers, which an encoder has not
SAVE = "save the state dict: torch.save(model.state_dict(), path)"


def read_weights(source: Any) -> tuple[dict[str, Any], str]:
    """Return the tensors of a state dict, and what to call it in messages.

    Parameters
    ----------
    source : path or mapping of str to tensor
        A file made by ``torch.save(model.state_dict(), path)``, of which only tensors are read,
        never code; or the state dict itself.
    """
    found: Any
    if isinstance(source, Mapping):
        found, origin = source, "the state dict given"
    elif isinstance(source, (str, os.PathLike)):
        found, origin = _read(source), str(source)
    else:
        advice = "; pass its state_dict()" if isinstance(source, nn.Module) else ""
        raise DatakinError(
            f"The 'weights' parameter must be a path, a state dict or 'imagenet'. "
            f"Got {type(source).__name__}{advice}."
        )
    if isinstance(found, Mapping) and "state_dict" in found:
        found = found["state_dict"]
    if not isinstance(found, Mapping):
        raise DatakinError(
            f"The weights must be a state dict: names and tensors. {origin} holds "
            f"{type(found).__name__}; {SAVE}."
        )
    others = [name for name, value in found.items() if not torch.is_tensor(value)]
    if others:
        raise DatakinError(
            f"The weights must be a state dict: names and tensors. {origin} has other things, under "
            f"{listed(others)}; {SAVE}."
        )
    return {str(name).removeprefix("module."): value for name, value in found.items()}, origin


def _read(path: str | os.PathLike[str]) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise DatakinError(f"The weights were expected in {path}. There is no such file.") from None
    except OSError as error:
        raise DatakinError(f"The weights in {path} cannot be read ({error.strerror}).") from None
    # Torch raises many kinds for files that are none of its own, and advises to run their code.
    except Exception:
        raise DatakinError(
            f"The weights must be a state dict: names and tensors. {path} holds something else, such "
            f"as a whole model, or is damaged; {SAVE}."
        ) from None


def load_weights(module: nn.Module, weights: Mapping[str, Any], origin: str) -> None:
    """Load a state dict; a last layer that the encoder lacks is left out, all else must fit."""
    own = module.state_dict()
    given = {
        name: value for name, value in weights.items() if name in own or not name.startswith(HEADS)
    }
    missing = [name for name in own if name not in given and "num_batches" not in name]
    extra = [name for name in given if name not in own]
    shapes = [
        f"{name}: {tuple(given[name].shape)} in the weights, {tuple(own[name].shape)} in the encoder"
        for name in own
        if name in given and given[name].shape != own[name].shape
    ]
    if missing or extra or shapes:
        parts = [
            f"{len(names)} {what}: {listed(names, limit=4)}"
            for names, what in (
                (missing, "missing from the weights"),
                (extra, "unknown to the encoder"),
                (shapes, "of another shape"),
            )
            if names
        ]
        raise DatakinError(
            f"The weights of {origin} do not fit the encoder. Of {len(own)} entries, {'; '.join(parts)}."
        )
    module.load_state_dict(given, strict=False)
