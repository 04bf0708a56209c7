"""
A map of digits
===============

Handwritten digits in 4 x 4 rough pixels, dealt into six tables. Two are as they came, two have noise added,
one is mirrored, one lies on its side. Does what is learned on one table hold on the others? The scores of
all pairs answer that. The map puts tables near each other for which it does.
"""

import numpy as np
from sklearn.datasets import load_digits

import datakin

digits = load_digits()
images = digits.images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4))
rng = np.random.default_rng(0)
changes = {
    "upright": lambda image: image,
    "upright, too": lambda image: image,
    "noisy": lambda image: image + rng.normal(0, 3, image.shape),
    "noisy, too": lambda image: image + rng.normal(0, 3, image.shape),
    "mirrored": lambda image: image[:, :, ::-1],
    "on its side": lambda image: np.rot90(image, axes=(1, 2)),
}
parts = np.array_split(rng.permutation(len(images)), len(changes))
tables = [
    datakin.as_dataset(
        change(images[rows]).reshape(-1, 16), digits.target[rows], name=name, task="multiclass"
    )
    for (name, change), rows in zip(changes.items(), parts, strict=True)
]
matrix = datakin.matrix(tables, models=["logistic"])
datakin.plots.map(matrix)

# %%
# The scores themselves: 0.2 means that 20 more digits in a hundred are read wrongly.

datakin.plots.matrix(matrix)
