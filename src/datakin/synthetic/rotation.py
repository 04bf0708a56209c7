"""Source vectors with an exact cosine to the target's vector, and angles between vectors.

The paper writes the vector in spherical coordinates and turns the first angle. Its arccos-only
angles lose the sign of the last coordinate; turning in the plane of the first axis and the rest of
the vector is the same turn without that loss.
"""

from __future__ import annotations

from numbers import Real

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array

__all__ = ["angle_between", "check_cosine", "rotate"]


def angle_between(a: Array, b: Array) -> float:
    """Return the angle between two vectors: exactly 0 for equal ones, exactly pi for opposite ones.

    The arccos of the cosine is neither, as a cosine off by rounding is an angle off by its root.

    Examples
    --------
    >>> import numpy as np
    >>> angle_between(np.array([0.3, 0.7]), np.array([0.3, 0.7]))
    0.0
    """
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return float(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b)))


def check_cosine(cosine: float) -> None:
    """Refuse a cosine outside [-1, 1]."""
    if not isinstance(cosine, Real) or not -1.0 <= cosine <= 1.0:
        raise DatakinError(f"A cosine must lie between -1 and 1. Got {cosine!r}.")


def rotate(vector: Array, cosine: float, sign: int = -1) -> Array:
    """Turn a vector so that its cosine with the original is the given one.

    Parameters
    ----------
    vector : ndarray of shape (p,)
    cosine : float
        In [-1, 1].
    sign : {-1, 1}
        Direction of the turn: towards the first axis, or away from it.

    Returns
    -------
    ndarray of shape (p,)
        Of the same length as the vector.

    Examples
    --------
    >>> import numpy as np
    >>> turned = rotate(np.array([1.0, 2.0, 2.0]), 0.5)
    >>> round(float(turned @ [1.0, 2.0, 2.0]) / 9, 12)
    0.5
    """
    check_cosine(cosine)
    vector = np.asarray(vector, dtype=float)
    rest = vector.copy()
    rest[0] = 0.0
    length, across = float(np.linalg.norm(vector)), float(np.linalg.norm(rest))
    if across <= 1e-12 * max(length, 1.0):
        raise DatakinError(
            "The vector to be turned must not be parallel to the first axis: the plane of the turn "
            f"would not be defined. Got {vector.tolist()}."
        )
    if cosine == 1.0:
        return vector.copy()  # exactly, so that the oracle at equality is exactly 0
    angle = np.arctan2(across, vector[0]) + sign * np.arccos(cosine)
    turned = np.sin(angle) * rest / across
    turned[0] = np.cos(angle)
    return np.asarray(length * turned)
