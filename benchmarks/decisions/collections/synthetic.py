"""Made-up domains whose kinship is known: the rule turns, the features move, labels flip."""

import numpy as np

from datakin import Dataset, as_dataset

ABOUT = "logistic labels in ten columns, the rule turned by 0 to 180 degrees, features moved, labels flipped"
N_ROWS, N_COLUMNS = 2000, 10
# Angle of the rule in degrees, shift of all features, share of labels flipped.
DOMAINS = {
    "twin": (0, 0.0, 0.0),
    "shifted twin": (0, 1.0, 0.0),
    "noisy twin": (0, 0.0, 0.15),
    "15 degrees": (15, 0.0, 0.0),
    "30 degrees": (30, 0.0, 0.0),
    "45 degrees": (45, 0.0, 0.0),
    "45 degrees, shifted": (45, 1.0, 0.0),
    "90 degrees": (90, 0.0, 0.0),
    "180 degrees": (180, 0.0, 0.0),
}


def load() -> dict[str, Dataset]:
    return {name: _domain(name, seed) for seed, name in enumerate(DOMAINS)}


def _domain(name: str, seed: int) -> Dataset:
    degrees, shift, flipped = DOMAINS[name]
    rng = np.random.default_rng(seed)
    rule = np.zeros(N_COLUMNS)
    rule[:2] = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    rule[2:5] = 0.3
    # Moved along a column that the rule does not use, and one that it does.
    centre = np.zeros(N_COLUMNS)
    centre[[0, 7]] = shift
    X = rng.standard_normal((N_ROWS, N_COLUMNS)) + centre
    p = 1 / (1 + np.exp(-2.5 * X @ rule))
    y = rng.random(N_ROWS) < np.where(rng.random(N_ROWS) < flipped, 1 - p, p)
    return as_dataset(X, y.astype(int), name=name, task="binary")
