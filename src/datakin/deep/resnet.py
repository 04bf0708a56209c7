"""ResNet-18 (He et al., 2016) as an encoder, with the names of torchvision's state dict.

Written for torch alone, so that weights trained elsewhere load where torchvision does not.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

__all__ = ["ResNet18"]

MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's pixels


class _Block(nn.Module):
    """Two 3x3 convolutions and the way around them."""

    def __init__(self, n_in: int, n_out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(n_out)
        self.downsample = None
        if stride != 1 or n_in != n_out:
            self.downsample = nn.Sequential(
                nn.Conv2d(n_in, n_out, 1, stride, bias=False), nn.BatchNorm2d(n_out)
            )

    def forward(self, x: Any) -> Any:
        around = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + around)


class ResNet18(nn.Module):
    """ResNet-18 without its last layer: images in, 8 * width features out.

    Parameters
    ----------
    channels : int
        3 for colour (normalised as ImageNet was), 1 for grey.
    width : int
        Channels of the first stage; 64 is the published network.
    small : bool
        For images of a few dozen pixels: a 3x3 first convolution and no pooling after it.

    Examples
    --------
    >>> ResNet18(channels=1, width=8, small=True)(torch.zeros(2, 1, 16, 16)).shape
    torch.Size([2, 64])
    """

    def __init__(self, *, channels: int = 3, width: int = 64, small: bool = False) -> None:
        super().__init__()
        edge, stride = (3, 1) if small else (7, 2)
        self.conv1 = nn.Conv2d(channels, width, edge, stride, edge // 2, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.Identity() if small else nn.MaxPool2d(3, 2, 1)
        widths = [width, width, 2 * width, 4 * width, 8 * width]
        for k in range(1, 5):
            first = _Block(widths[k - 1], widths[k], 1 if k == 1 else 2)
            setattr(self, f"layer{k}", nn.Sequential(first, _Block(widths[k], widths[k], 1)))
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        mean, spread = (MEAN, SPREAD) if channels == 3 else ((0.5,) * channels, (0.5,) * channels)
        for name, values in (("mean", mean), ("spread", spread)):
            # Not saved: torchvision's state dict has no such entry.
            self.register_buffer(name, torch.tensor(values).view(-1, 1, 1), persistent=False)

    def forward(self, x: Any) -> Any:
        """Return features of shape (n, 8 * width) for pixels from 0 to 1."""
        x = (x - self.mean) / self.spread
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for k in range(1, 5):
            x = getattr(self, f"layer{k}")(x)
        return x.mean((2, 3))
