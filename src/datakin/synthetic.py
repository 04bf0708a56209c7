"""Datasets whose true similarity is known. This room draws data; it never fits or scores.

`make_demo` draws a target and six sources, for the demo and the README. All other names are those of
`datakin.paper`, which is loaded when one of them is first used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from datakin.data import Dataset, as_dataset
from datakin.data.features import Array

if TYPE_CHECKING:
    from datakin.paper import *

__all__ = [
    "LDA",
    "QDA",
    "DemoSource",
    "FourClass",
    "LinearRegression",
    "Logistic",
    "Mixture",
    "NonlinearRegression",
    "PolynomialLogistic",
    "Probit",
    "Radial",
    "Sample",
    "Setting",
    "SettingClass",
    "SmallNoise",
    "lda_cls",
    "make_demo",
    "probit_cls",
    "probit_small_noise",
    "settings",
]

N_FEATURES = 12
NOISE = 0.4


@dataclass(frozen=True)
class DemoSource:
    """A source and the truth about it.

    Attributes
    ----------
    dataset : Dataset
    angle : float
        Degrees between the source's rule and the target's: 0 is the same rule.
    shift : float
        How far the source's features lie from the target's, in standard deviations.
    """

    dataset: Dataset
    angle: float
    shift: float

    @property
    def truth(self) -> str:
        """The truth in words."""
        rule = {0: "same rule", 180: "opposite rule"}.get(
            int(self.angle), f"rule turned by {self.angle:.0f} degrees"
        )
        return f"{rule}, features shifted" if self.shift else rule


SOURCES = (
    ("twin", 0.0, 0.0),
    ("shifted twin", 0.0, 1.5),
    ("cousin", 25.0, 0.0),
    ("acquaintance", 50.0, 0.0),
    ("stranger", 90.0, 0.0),
    ("opposite", 180.0, 0.0),
)


def make_demo(
    n_target: int = 60, n_source: int = 300, random_state: int = 0, draw: int = 0
) -> tuple[Dataset, list[DemoSource]]:
    """Return a target and six sources.

    The label is 1 where a weighted sum of the features plus noise is positive. Sources differ in
    the direction of the weights. One has the same rule but shifted features: to a distance between
    feature distributions it looks like a stranger.

    Parameters
    ----------
    n_target, n_source : int
        Rows.
    random_state : int
        Of the rules and of the rows.
    draw : int
        Other numbers give other rows of the same rules.

    Examples
    --------
    >>> target, sources = make_demo()
    >>> [s.dataset.name for s in sources][:3]
    ['twin', 'shifted twin', 'cousin']
    """
    rng = np.random.default_rng(random_state)
    axes = np.linalg.qr(rng.standard_normal((N_FEATURES, N_FEATURES)))[0]
    if draw:
        rng = np.random.default_rng([random_state, draw])
    target = _draw(rng, n_target, axes, 0.0, 0.0, "target")
    drawn = [
        (_draw(rng, n_source, axes, angle, shift, name), angle, shift)
        for name, angle, shift in SOURCES
    ]
    return target, [DemoSource(*entry) for entry in drawn]


def _draw(
    rng: np.random.Generator, n: int, axes: Array, angle: float, shift: float, name: str
) -> Dataset:
    turn = np.deg2rad(angle)
    weights = np.cos(turn) * axes[0] + np.sin(turn) * axes[1]
    # The shift is at right angles to both rules, so that classes stay balanced.
    X = rng.standard_normal((n, N_FEATURES)) + shift * axes[2]
    y = (X @ weights + NOISE * rng.standard_normal(n) > 0).astype(int)
    return as_dataset(X, y, name=name)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from datakin import paper

    return getattr(paper, name)
