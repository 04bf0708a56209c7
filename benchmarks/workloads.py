"""The data of the benchmarks: a linear rule with an interaction, turned between datasets."""

import numpy as np


def directions(p):
    rng = np.random.default_rng(123)
    first, second = rng.standard_normal((2, p))
    first /= np.linalg.norm(first)
    second -= second @ first * first
    return first, second / np.linalg.norm(second)


def draw(n, p, seed, angle=0.0, is_class=True):
    """Return X and y of one dataset; datasets of different angles follow different rules."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    first, second = directions(p)
    signal = X @ (np.cos(angle) * first + np.sin(angle) * second) + 0.5 * X[:, 0] * X[:, 1]
    value = signal + 0.5 * rng.standard_normal(n)
    return X, (value > 0).astype(int) if is_class else value


def pair(n, p, is_class=True):
    return draw(n, p, 1, 0.0, is_class), draw(n, p, 2, 0.5, is_class)


def family(k, n, p):
    return [draw(n, p, seed, 0.1 * seed) for seed in range(k)]
