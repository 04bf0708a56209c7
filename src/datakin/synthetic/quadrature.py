"""Deterministic integrals for the oracles: no random numbers, so equal tasks give exactly 0."""

from __future__ import annotations

from functools import cache

import numpy as np

from datakin.data.features import Array

__all__ = ["panels", "quadratic_below_zero"]

# Largest argument of the characteristic function. With ten features it falls at least like t**-5,
# so that what is cut off is below 1e-8 for the settings here.
CUT = 200.0


def panels(edges: Array, order: int = 16) -> tuple[Array, Array]:
    """Return nodes and weights of Gauss-Legendre rules between consecutive edges.

    Examples
    --------
    >>> import numpy as np
    >>> x, w = panels(np.array([0.0, 1.0, 3.0]))
    >>> round(float(w @ x**2), 12)
    9.0
    """
    x, w = _legendre(order)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    return (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel()


@cache
def _legendre(order: int) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(order)
    return x, w


def quadratic_below_zero(square: Array, linear: Array, constant: float) -> float:
    """Return P(z'Az + b'z + c < 0) for standard Gaussian z.

    The characteristic function of a quadratic form is known; Gil-Pelaez's formula (Imhof's integral
    is the same for a form without linear part) gives the distribution function as one integral.

    Parameters
    ----------
    square : ndarray of shape (p, p)
        A, symmetric.
    linear : ndarray of shape (p,)
    constant : float

    Examples
    --------
    >>> import numpy as np
    >>> chance = quadratic_below_zero(np.eye(10), np.zeros(10), -9.0)
    >>> round(chance, 6)  # chi-square with ten degrees of freedom below 9
    0.467896
    """
    scales, axes = np.linalg.eigh(square)
    slopes = axes.T @ linear
    t, weights = panels(np.concatenate([np.linspace(0, 5, 60), np.geomspace(5, CUT, 120)[1:]]))
    factor = 1 - 2j * np.outer(t, scales)
    # Each factor has real part 1, so the principal root of each is the right branch.
    log_cf = -0.5 * np.sum(np.log(factor) + (t[:, None] * slopes) ** 2 / factor, axis=1)
    wave = np.exp(log_cf + 1j * t * constant).imag
    return float(0.5 - weights @ (wave / t) / np.pi)
