"""What can be an encoder: a module, a name, a function on arrays."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from datakin._core.exceptions import DatakinError, listed
from datakin.data.features import Array
from datakin.deep.pretrained import PRETRAINED, pretrained
from datakin.deep.resnet import ResNet18
from datakin.deep.weights import load_weights, read_weights

__all__ = ["Encoder", "make_encoder"]

OWN = ("identity", "resnet18", *PRETRAINED)
LAST_LAYERS = ("fc", "classifier", "head", "heads")


class Encoder:
    """An encoder before it is used: where a trained one starts, or a fixed function.

    Parameters
    ----------
    start : callable
        ``start()`` returns a module of its own for every training; weights drawn at random come
        from torch's seed at that moment.
    function : callable, optional
        Instead of a module: rows in, an array of shape (n, d) out.
    label : str
        What results call it.
    """

    def __init__(
        self,
        start: Callable[[], nn.Module] | None,
        function: Callable[[Any], Any] | None,
        label: str,
        *,
        is_random: bool = False,
    ) -> None:
        self.start, self.function, self.label = start, function, label
        self.is_random = is_random

    @property
    def can_learn(self) -> bool:
        """Whether there is anything to train."""
        return self.start is not None

    def digest(self, probe: Any) -> str:
        """Return what tells this encoder from others: its weights, or what it makes of a few rows."""
        if self.function is not None:
            found = np.ascontiguousarray(np.asarray(self.function(probe)))
            return hashlib.blake2b(self.label.encode() + found.tobytes(), digest_size=8).hexdigest()
        return self._weights

    @cached_property
    def _weights(self) -> str:
        state = hashlib.blake2b(self.label.encode(), digest_size=8)
        if self.start is not None and not self.is_random:
            module = self.start()
            state.update(repr(module).encode())
            for name, value in module.state_dict().items():
                state.update(name.encode() + value.cpu().numpy().tobytes())
        return state.hexdigest()


def make_encoder(encoder: Any, weights: Any = None) -> Encoder:
    """Return an Encoder for whatever the user gave.

    Parameters
    ----------
    encoder : torch.nn.Module, str or callable
    weights : path, "imagenet" or None
        For names only.
    """
    if isinstance(encoder, str):
        return _named(encoder, weights)
    if weights is not None:
        raise DatakinError(
            "The 'weights' parameter belongs to an encoder given by name. "
            "Load them into the module before passing it."
        )
    if isinstance(encoder, type) and issubclass(encoder, nn.Module):
        raise DatakinError(f"The encoder must be a module, not its class: {encoder.__name__}(...).")
    if isinstance(encoder, nn.Module):
        kept = copy.deepcopy(encoder).cpu()
        return Encoder(lambda: copy.deepcopy(kept), None, type(encoder).__name__)
    if callable(encoder):
        name = getattr(encoder, "__name__", type(encoder).__name__)
        return Encoder(None, encoder, name)
    raise DatakinError(
        f"The encoder must be a torch module, a name ({listed(OWN)}, or one of torchvision or timm) or "
        f"a function of arrays. Got {type(encoder).__name__}."
    )


def _flat(rows: Any) -> Array:
    return np.asarray(rows, dtype=float).reshape(len(rows), -1)


def _named(name: str, weights: Any) -> Encoder:
    if name == "identity":
        return Encoder(None, _flat, name)
    if name in PRETRAINED:
        kept = pretrained(name)
        return Encoder(lambda: copy.deepcopy(kept), None, name)
    if name == "resnet18" and weights is None:
        return Encoder(ResNet18, None, name, is_random=True)
    if name == "resnet18" and weights != "imagenet":
        module = ResNet18()
        load_weights(module, read_weights(Path(weights)), str(weights))
        return Encoder(lambda: copy.deepcopy(module), None, name)
    found = _elsewhere(name, weights)
    if name == "resnet18":
        module = ResNet18()
        load_weights(module, found.state_dict(), "torchvision's resnet18")
        found = module
    elif weights not in (None, "imagenet"):
        load_weights(found, read_weights(Path(weights)), str(weights))
    return Encoder(lambda: copy.deepcopy(found), None, name)


def _elsewhere(name: str, weights: Any) -> nn.Module:
    """Return a module of torchvision or timm, whichever imports and knows the name."""
    wanted = weights == "imagenet"
    reasons = []
    for package, make in (("torchvision", _torchvision), ("timm", _timm)):
        try:
            return make(name, wanted)
        # Broken installations raise RuntimeError at import; downloads raise OSError.
        except (ImportError, RuntimeError, OSError, ValueError, KeyError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            reasons.append(f"{package}: {reason}")
    advice = ""
    if wanted:
        advice = (
            " Where they do not work, save the state dict elsewhere with "
            "torch.save(torchvision.models.resnet18(weights='DEFAULT').state_dict(), 'resnet18.pth') and "
            "pass weights='resnet18.pth', or use deep.pretrained('efficientnet_lite0')."
        )
    raise DatakinError(
        f"The encoder {name!r} must be one of {listed(OWN)}, or come from torchvision or timm. "
        f"Neither gave it ({'; '.join(reasons)}).{advice}"
    )


def _torchvision(name: str, wanted: bool) -> nn.Module:
    from torchvision.models import get_model

    module = get_model(name, weights="DEFAULT" if wanted else None)
    for layer in LAST_LAYERS:
        if hasattr(module, layer):
            setattr(module, layer, nn.Identity())
    return module


def _timm(name: str, wanted: bool) -> nn.Module:
    from timm import create_model

    return create_model(name, pretrained=wanted, num_classes=0)


def embed(
    encoder: Any, load: Callable[[Array], Any], n_rows: int, batch_size: int, device: Any
) -> Array:
    """Return the embedding of every row, a batch at a time.

    Parameters
    ----------
    encoder : torch.nn.Module or callable
    load : callable
        ``load(rows)`` returns a batch.
    n_rows, batch_size : int
    device : torch.device
    """
    parts = []
    for start in range(0, n_rows, batch_size):
        batch = load(np.arange(start, min(start + batch_size, n_rows)))
        if isinstance(encoder, nn.Module):
            encoder.eval()
            with torch.no_grad():
                found = run_module(encoder, batch, device).float().cpu().numpy()
        else:
            found = np.asarray(encoder(batch))
        parts.append(check_embedding(found, len(batch)))
    return np.concatenate(parts)


def as_tensor(batch: Array) -> Any:
    """Return an array as a tensor in single precision."""
    return torch.from_numpy(np.ascontiguousarray(batch, dtype=np.float32))


def run_module(module: nn.Module, batch: Any, device: Any) -> Any:
    """Return what a module makes of a batch: an array as a tensor, texts as they are."""
    given = batch if isinstance(batch, list) else as_tensor(batch).to(device)
    try:
        out = module(given)
    except (RuntimeError, TypeError, ValueError, AttributeError) as error:
        shape = f"a list of {len(batch)} texts" if isinstance(batch, list) else batch.shape
        reason = str(error).splitlines()[0]
        raise DatakinError(
            f"The encoder cannot read these rows: a batch is {shape}. It says: {reason}."
        ) from error
    if not torch.is_tensor(out):
        raise DatakinError(f"An encoder must return one tensor of shape (n, d). Got {type(out)}.")
    return out


def check_embedding(found: Any, n_rows: int) -> Array:
    """Refuse what is not of shape (n, d), finite."""
    values: Array = np.asarray(found, dtype=np.float64)
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
