"""Encoder-head scores for images, texts and any torch module. Torch lives here and nowhere else."""

from importlib.util import find_spec as _find_spec

from datakin._core.exceptions import DatakinError


class TorchMissing(DatakinError, ImportError):
    """PyTorch is not installed."""


if _find_spec("torch") is None:
    raise TorchMissing(
        "datakin.deep needs PyTorch, which is not installed: pip install 'datakin[deep]'."
    )

from datakin.deep.encoders import pretrained  # noqa: E402
from datakin.deep.gain import fine_tune_gain  # noqa: E402
from datakin.deep.images import read_images  # noqa: E402
from datakin.deep.networks import ResNet18  # noqa: E402
from datakin.deep.readers import as_items, read_texts  # noqa: E402
from datakin.deep.score import EncoderHeadScore  # noqa: E402

__all__ = [
    "EncoderHeadScore",
    "ResNet18",
    "TorchMissing",
    "as_items",
    "fine_tune_gain",
    "pretrained",
    "read_images",
    "read_texts",
]
