"""Handwritten 3, 5 and 8 at 6x6: USPS turned and blurred by known amounts, MNIST, optdigits."""

from pathlib import Path

import numpy as np
from scipy import ndimage

from benchmarks.decisions.collection import deal
from datakin import Dataset, as_dataset

ABOUT = "digits 3, 5, 8 at 6x6: USPS turned by 0 to 90 degrees or with noise, MNIST, optdigits"
CLASSES = (3, 5, 8)  # with ten, a target of 40 rows would have fewer of a class than folds
ANGLES = (0, 10, 20, 30, 45, 90)


def load(data: Path) -> dict[str, Dataset]:
    folder = data / "digits"
    X, y = _read(folder / "usps.npz")
    parts = deal(range(len(y)), len(ANGLES) + 2, "digits")
    found = {}
    for angle, rows in zip(ANGLES, parts, strict=False):
        found[f"USPS {angle} degrees"] = _dataset(_turned(X[rows], angle), y[rows])
    rng = np.random.default_rng(0)
    noisy, mirrored = parts[len(ANGLES) :]
    noise = rng.normal(0, 0.4, X[noisy].shape)
    found["USPS noise"] = _dataset(np.clip(X[noisy] + noise, 0, 1), y[noisy])
    found["USPS mirrored"] = _dataset(X[mirrored][:, :, ::-1], y[mirrored])
    mnist = _read(folder / "mnist_t10k.npz")
    found["MNIST"] = _dataset(mnist[0][:2000], mnist[1][:2000])
    found["optdigits"] = _dataset(*_read(folder / "optdigits_8x8.npz"))
    return {name: dataset.renamed(name) for name, dataset in found.items()}


def _read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with np.load(path) as file:
        X, y = file["X"].astype(float), file["y"].astype(int)
    kept = np.isin(y, CLASSES)
    return X[kept] / X.max(), y[kept]


def _turned(X: np.ndarray, angle: int) -> np.ndarray:
    if not angle:
        return X
    return np.clip(ndimage.rotate(X, angle, axes=(1, 2), reshape=False, order=1), 0, 1)


def _dataset(X: np.ndarray, y: np.ndarray) -> Dataset:
    """Average blocks of pixels to 8x8 and keep the inner 6x6: border pixels hardly vary."""
    if X.shape[1] == 28:
        X = X[:, 2:-2, 2:-2]
    block = X.shape[1] // 8
    small = X.reshape(len(X), 8, block, 8, block).mean(axis=(2, 4))[:, 1:-1, 1:-1]
    return as_dataset(small.reshape(len(y), -1), [str(v) for v in y], task="multiclass")
