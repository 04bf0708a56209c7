"""Simulated tables of two papers that split shift of the features from shift of the label's rule.

Maia Polo et al. (2023) state their designs; they are drawn here as stated. Cai, Namkoong and Yadlowsky
(2023) show their method on census tables; three of their situations are imitated by a simulation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from reproduction.harness import Array, derive_seed

Table = tuple[Array, Array]
POLO, CAI = "Polo et al.", "Cai et al."
YOUNG, OLD, OLDEST = 25.0, 60.0, 80.0  # ages where the rule of the census design changes; the last
YOUNGEST = 18.0


@dataclass(frozen=True)
class Case:
    """A situation of one of the papers, and what the paper says of it.

    Attributes
    ----------
    paper, name, changed : str
    design : {"numbers", "classes", "census"}
    n_rows : int
        Of the target, and of the source.
    says : str
        The paper's verdict.
    x, y_given_x : bool
        Whether the paper finds a shift of the features, of the label given the features.
    here, there : dict
        Settings of the target and of the source.
    """

    paper: str
    name: str
    changed: str
    design: str
    n_rows: int
    says: str
    x: bool
    y_given_x: bool
    here: dict[str, float] = field(default_factory=dict)
    there: dict[str, float] = field(default_factory=dict)

    def sample(self, seed: int) -> tuple[Table, Table]:
        """Return target and source. Cases of one design differ in nothing but their settings."""
        draw = {"numbers": numbers, "classes": classes, "census": census}[self.design]
        pair = []
        for side, settings in (("target", self.here), ("source", self.there)):
            rng = np.random.default_rng(derive_seed(seed, "shift-splits", self.design, side))
            pair.append(draw(rng, self.n_rows, **settings))
        return pair[0], pair[1]


def numbers(rng: np.random.Generator, n: int, lam: float = 0.0, theta: float = 0.0) -> Table:
    """Draw Polo's regression: X is N(lam, 1), and Y given X is N(theta + X, 1)."""
    x = lam + rng.standard_normal(n)
    return x[:, None], theta + x + rng.standard_normal(n)


def classes(rng: np.random.Generator, n: int, gamma: float = 0.0, delta: float = 0.0) -> Table:
    """Draw Polo's classes: Y is 1 with chance 0.5 + delta, the three X given Y are N(Y + gamma, 1).

    The logit of Y given X is the sum of X - gamma - 1/2, plus that of 0.5 + delta: both settings move X,
    and both change the rule by a constant.
    """
    y = (rng.random(n) < 0.5 + delta).astype(int)
    return rng.standard_normal((n, 3)) + (y + gamma)[:, None], y


def census(rng: np.random.Generator, n: int, young: float = 0.2, schooled: float = 0.5) -> Table:
    """Draw who is employed: by age, by two other columns, and by schooling, which no column tells.

    Below 25 it is close to a toss of a coin, up to 60 most are employed, above that few.

    Parameters
    ----------
    young : float
        Share of ages below 25; the others are spread evenly up to 80.
    schooled : float
        Share of the schooled, at every age.
    """
    first, second = rng.random((2, n))
    below = YOUNGEST + (YOUNG - YOUNGEST) * second
    age = np.where(first < young, below, YOUNG + (OLDEST - YOUNG) * second)
    other = rng.standard_normal((n, 3))
    hidden = (rng.random(n) < schooled) - 0.5
    by_age = np.select([age < YOUNG, age < OLD], [0.0, 1.8], -1.8)
    logit = by_age + 0.7 * other[:, 0] - 0.5 * other[:, 1] + 2.0 * hidden
    return np.column_stack([age, other]), (rng.random(n) < expit(logit)).astype(int)


def _polo(
    design: str,
    says: str,
    x: bool,
    y_given_x: bool,
    *,
    n_rows: int = 5000,
    **settings: float,
) -> Case:
    names = {"lam": "lambda"}
    parts = [f"{names.get(name, name)} = {value:g}" for name, value in settings.items()]
    title = f"{design}, {', '.join(parts) or 'no change'}"
    return Case(
        POLO, title, CHANGES[frozenset(settings)], design, n_rows, says, x, y_given_x, settings
    )


CHANGES = {
    frozenset[str](): "nothing",
    frozenset({"lam"}): "the mean of X",
    frozenset({"theta"}): "the level of Y given X",
    frozenset({"theta", "lam"}): "the level of Y given X, and the mean of X",
    frozenset({"gamma"}): "the means of X given Y: X, and Y given X by a constant",
    frozenset({"delta"}): "the share of Y: X, and Y given X by a constant",
}
_BOTH = "both differ"
CASES: dict[str, Case] = {
    case.name: case
    for case in (
        _polo("numbers", "nothing differs (level 5%)", False, False),
        _polo("numbers", "X (rejected in 95% of draws)", True, False, lam=0.1),
        _polo("numbers", "X", True, False, lam=0.2),
        _polo("numbers", "X (p .002), not Y given X (p .52)", True, False, lam=1.0, n_rows=1000),
        _polo("numbers", "Y given X", False, True, theta=0.1),
        _polo("numbers", "Y given X", False, True, theta=0.2),
        _polo("numbers", "Y given X (p .002), not X (p .89)", False, True, theta=1.0, n_rows=1000),
        _polo("numbers", _BOTH, True, True, theta=0.2, lam=0.2),
        _polo("classes", "nothing differs (level 5%)", False, False),
        _polo("classes", _BOTH, True, True, gamma=0.1),
        _polo("classes", f"{_BOTH} (p .002 and .002)", True, True, gamma=1.0, n_rows=1000),
        _polo("classes", _BOTH, True, True, delta=0.1),
        _polo("classes", f"{_BOTH} (p .010 and .002)", True, True, delta=0.4, n_rows=1000),
        Case(CAI, "census, no change", "nothing", "census", 1500, "no drop to split", False, False),
        Case(
            CAI,
            "census, missing column",
            "the share of a column that is not in the table, 80% to 20%",
            "census",
            1500,
            "Y given X",
            False,
            True,
            {"schooled": 0.2},
            {"schooled": 0.8},
        ),
        Case(
            CAI,
            "census, new ages",
            "the source has ages up to 25 only, the target all ages",
            "census",
            1500,
            "X: rows that training had not seen (S to Q)",
            True,
            False,
            {},
            {"young": 1.0},
        ),
        Case(
            CAI,
            "census, harder ages",
            "the share of ages up to 25, hard to predict and often seen in both, 50% to 90%",
            "census",
            1500,
            "X: more of the hard rows that training had seen (P to S)",
            True,
            False,
            {"young": 0.9},
            {"young": 0.5},
        ),
        Case(
            CAI,
            "census, missing column and harder ages",
            "both of these",
            "census",
            1500,
            "both (our combination, not the paper's)",
            True,
            True,
            {"young": 0.9, "schooled": 0.2},
            {"young": 0.5, "schooled": 0.8},
        ),
    )
}
