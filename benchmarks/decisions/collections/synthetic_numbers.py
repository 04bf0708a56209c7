"""Made-up domains with numbers as labels: heavy tails, rules that turn, levels and scales that move."""

import numpy as np

from datakin import Dataset, as_dataset

ABOUT = "numbers with heavy-tailed noise in eight columns; the rule turned, bent, moved, or scaled"
N_ROWS, N_COLUMNS = 2000, 8
# Angle of the rule in degrees, shift of the features, level, scale, scale of the noise.
DOMAINS = {
    "twin": (0, 0.0, 0.0, 1.0, 1.0),
    "shifted twin": (0, 1.0, 0.0, 1.0, 1.0),
    "noisy twin": (0, 0.0, 0.0, 1.0, 2.0),
    "20 degrees": (20, 0.0, 0.0, 1.0, 1.0),
    "45 degrees": (45, 0.0, 0.0, 1.0, 1.0),
    "90 degrees": (90, 0.5, 0.0, 1.0, 1.0),
    "higher": (0, 0.0, 1.0, 1.0, 1.0),
    "wider": (10, 0.0, 0.0, 1.6, 1.0),
    "skewed": (10, 0.5, 0.3, 1.0, 1.5),
}


def load() -> dict[str, Dataset]:
    return {name: _domain(name, seed) for seed, name in enumerate(DOMAINS)}


def _domain(name: str, seed: int) -> Dataset:
    degrees, shift, level, scale, noise = DOMAINS[name]
    rng = np.random.default_rng(100 + seed)
    rule = np.zeros(N_COLUMNS)
    rule[:2] = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    rule[2:4] = 0.4
    X = rng.standard_normal((N_ROWS, N_COLUMNS))
    X[:, [0, 5]] += shift
    mean = X @ rule + 0.5 * np.maximum(X[:, 1], 0) * X[:, 2]
    # Larger where the mean is large, with the tails of a t distribution.
    error = rng.standard_t(4, N_ROWS) * noise * 0.6 * np.exp(0.3 * np.clip(mean, -2, 2))
    return as_dataset(X, level + scale * mean + error, name=name, task="regression")
