"""What can be an encoder: a module, a name, a function on arrays."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import nn

from datakin._core.exceptions import DatakinError, listed
from datakin.data.features import Array
from datakin.deep.outputs import check_embedding, run_function, run_module
from datakin.deep.pretrained import PRETRAINED, pretrained
from datakin.deep.resnet import ResNet18
from datakin.deep.weights import load_weights, read_weights

__all__ = ["Encoder", "embed", "make_encoder"]

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
            found = np.ascontiguousarray(run_function(self.function, probe))
            check_embedding(found, len(probe))  # objects have no bytes of their own
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
    weights : path, state dict, "imagenet" or None
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
    if isinstance(rows, list):
        raise DatakinError(
            "The encoder 'identity' takes numbers as they are. Got texts; pass an encoder of texts: "
            "'minilm', or a function of a list of texts that returns an array of shape (n, d)."
        )
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
        load_weights(module, *read_weights(weights))
        return Encoder(lambda: copy.deepcopy(module), None, name)
    found = _elsewhere(name, weights)
    if name == "resnet18":
        module = ResNet18()
        load_weights(module, found.state_dict(), "torchvision's resnet18")
        found = module
    elif weights not in (None, "imagenet"):
        load_weights(found, *read_weights(weights))
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
            found = run_function(encoder, batch)
        parts.append(check_embedding(found, len(batch)))
    return np.concatenate(parts)
