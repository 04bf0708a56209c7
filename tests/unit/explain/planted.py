"""Pairs of tables that differ in one known way."""

import numpy as np

BETA = np.array([1.0, -0.8, 0.6, 0.5, -0.4, 0.0])
CHANGES = ("nothing", "base rate", "confidence", "rule", "features")


def planted(change, seed, n_target=300, n_source=600, numbers=False):
    """Return (target, source) as (X, y) pairs; the target has the change."""
    rng = np.random.default_rng(seed)
    beta, level, slope, moved = BETA.copy(), 0.0, 1.0, np.zeros(6)
    if change in ("base rate", "level"):
        level = 0.8
    elif change in ("confidence", "scale"):
        slope = 0.4
    elif change == "rule":
        beta[0] = -0.2
    elif change == "features":
        moved = np.array([0.8, 0.0, -0.5, 0.0, 0.0, 0.5])

    def side(n, coefficients, shift):
        X = rng.normal(size=(n, 6)) + shift[0]
        eta = shift[1] + X @ coefficients
        if numbers:
            return X, eta + rng.normal(size=n)
        return X, (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(int)

    here = side(n_target, slope * beta, (moved, level))
    return here, side(n_source, BETA, (np.zeros(6), 0.0))
