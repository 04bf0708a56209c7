"""Encoders: a module, a name or a function of arrays; weights for them; embeddings by them."""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import nn

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.data.features import Array
from datakin.deep.networks import EfficientNetLite0, MiniLM, ResNet18
from datakin.deep.training import check_embedding, in_batches, run_function, run_module

PRETRAINED: dict[str, Callable[..., Any]] = {
    "efficientnet_lite0": EfficientNetLite0,
    "minilm": MiniLM,
}
OWN = ("identity", "resnet18", *PRETRAINED)
LAST_LAYERS = ("fc", "classifier", "head", "heads")  # in torchvision's networks
HEADS = ("fc.", "classifier.", "head.", "_fc.")  # weights of last layers, which encoders lack
SAVE = "save the state dict: torch.save(model.state_dict(), path)"


@dataclass(frozen=True, eq=False)
class Encoder:
    """An encoder before it is used: a module to train or to keep, or a fixed function.

    Weights that are drawn at random come from torch's seed when `start` makes a new module.
    """

    start: Callable[[], nn.Module] | None  # returns a new module for every training
    function: Callable[[Any], Any] | None  # rows in, an array of shape (n, d) out
    label: str  # its name in results
    is_random: bool = False  # whether the weights at the start are

    def new(self) -> nn.Module:
        """Return a new module; a function has none."""
        assert self.start is not None
        return self.start()

    def digest(self, probe: Any) -> str:
        """Return a hash of its weights or, for a function, of its output for a few rows."""
        if self.function is None:
            return self._weights
        found = np.ascontiguousarray(run_function(self.function, probe))
        check_embedding(found, len(probe))  # an array of objects has no bytes to hash
        return hashlib.blake2b(self.label.encode() + found.tobytes(), digest_size=8).hexdigest()

    @cached_property
    def _weights(self) -> str:
        state = hashlib.blake2b(self.label.encode(), digest_size=8)
        if not self.is_random:
            module = self.new()
            state.update(repr(module).encode())
            for name, value in module.state_dict().items():
                state.update(name.encode() + value.cpu().numpy().tobytes())
        return state.hexdigest()


def make_encoder(encoder: Any, weights: Any = None) -> Encoder:
    """Return an Encoder for a module, a name or a function.

    `weights` (a path, a state dict, "imagenet" or None) are for an encoder given by name.
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
    if name == "resnet18" and weights is None:
        return Encoder(ResNet18, None, name, is_random=True)
    if name in PRETRAINED:
        module = pretrained(name)
    elif name == "resnet18":
        module = ResNet18()
        if weights == "imagenet":
            given = _from_library(name, weights).state_dict(), "torchvision's resnet18"
        else:
            given = read_weights(weights)
        load_weights(module, *given)
    else:
        module = _from_library(name, weights)
        if weights not in (None, "imagenet"):
            load_weights(module, *read_weights(weights))
    return Encoder(lambda: copy.deepcopy(module), None, name)


def _from_library(name: str, weights: Any) -> nn.Module:
    """Return a module of torchvision or timm: the first that can be imported and knows the name."""
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


def pretrained(name: str, **options: Any) -> nn.Module:
    """Make an encoder with weights from an installed package; nothing is downloaded.

    Parameters
    ----------
    name : {"efficientnet_lite0", "minilm"}
        Images (ImageNet; 1280 features) or English texts (all-MiniLM-L6-v2; 384 features).
    **options
        ``size=`` of the images, for "efficientnet_lite0"; ``length=`` in tokens, for "minilm".

    Returns
    -------
    torch.nn.Module
        In evaluation mode; gives embeddings of shape (n, d).
    """
    if name not in PRETRAINED:
        raise DatakinError(
            f"The pretrained encoders are {listed(PRETRAINED)}. Got {name!r}.{suggest(name, PRETRAINED)}"
        )
    try:
        module = PRETRAINED[name](**options)
    except TypeError as error:
        raise DatakinError(f"The encoder {name!r} does not take these options ({error}).") from None
    load_weights(module, module.published_weights(), name)
    return module.eval()


def read_weights(source: Any) -> tuple[dict[str, Any], str]:
    """Return the tensors of a state dict, and its name for messages.

    The source is the state dict itself, or the path of a file made by
    ``torch.save(model.state_dict(), path)``, of which only tensors are read, never code.
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
    # Torch raises many kinds of errors for other files, and advises to run the code in them.
    except Exception:
        raise DatakinError(
            f"The weights must be a state dict: names and tensors. {path} holds something else, such "
            f"as a whole model, or is damaged; {SAVE}."
        ) from None


def load_weights(module: nn.Module, weights: Mapping[str, Any], origin: str) -> None:
    """Load a state dict. Weights of a last layer are skipped if the encoder has none; all else must fit."""
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
        faults = {
            "missing from the weights": missing,
            "unknown to the encoder": extra,
            "of another shape": shapes,
        }
        parts = [
            f"{len(names)} {what}: {listed(names, limit=4)}"
            for what, names in faults.items()
            if names
        ]
        raise DatakinError(
            f"The weights of {origin} do not fit the encoder. Of {len(own)} entries, {'; '.join(parts)}."
        )
    module.load_state_dict(given, strict=False)


def embed(
    encoder: Any, load: Callable[[Array], Any], n_rows: int, batch_size: int, device: Any
) -> Array:
    """Return a module's or a function's embedding of every row; ``load(rows)`` returns a batch."""
    parts = []
    for rows in in_batches(np.arange(n_rows), batch_size):
        batch = load(rows)
        if isinstance(encoder, nn.Module):
            encoder.eval()
            with torch.no_grad():
                found = run_module(encoder, batch, device).float().cpu().numpy()
        else:
            found = run_function(encoder, batch)
        parts.append(check_embedding(found, len(batch)))
    return np.concatenate(parts)
