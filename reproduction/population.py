"""The population of the planted pairs: what its columns are, and how they make the label.

| column | values | effect, linear truth | effect, tree truth |
|---|---|---|---|
| a | normal, 50 +- 10 | .8 for each sd | -1.1 below 45, +1.1 above 55, else 0 |
| b | normal, 37 +- 1.2 | -.75 for each sd | +.75 below 37, -.75 above |
| c | lognormal, median 20, sd of log .4 | .6 for each sd | -.9 below 20, +.9 above, where d is above 100 |
| d | uniform, 0 to 200 | .6 for each sd | -.5 below 100, +.5 above |
| e | p, q, r, s with shares .4, .3, .2, .1 | .6, -.6, .9, -1.2 | the same |
| f | u, v with shares .65, .35 | v: 1 | the same |
| g | normal, 100 +- 15 | none | none |

The effects add up to a logit (task "classes"; AUC about .83, both classes about as frequent) or, with noise
and times 12, to a number around 120 (task "numbers"; R2 about .5). Values are rounded as measurements are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.harness import derive_seed

Array = NDArray[Any]
Spoil = Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]

LABEL = "y"
TASKS = ("classes", "numbers")
TRUTHS = ("linear", "trees")
NUMBERS = ("a", "b", "c", "d")
LEVELS = ("p", "q", "r", "s")
SHARES = (0.4, 0.3, 0.2, 0.1)
MEANS = {"a": 50.0, "b": 37.0, "c": 20 * np.exp(0.08), "d": 100.0}
SPREADS = {
    "a": 10.0,
    "b": 1.2,
    "c": 20 * np.exp(0.08) * np.sqrt(np.expm1(0.16)),
    "d": 200 / np.sqrt(12),
}
DECIMALS = {"a": 1, "b": 2, "c": 1, "d": 0}
SLOPES = {"a": 0.8, "b": -0.75, "c": 0.6, "d": 0.6}
LEVEL_EFFECTS = (0.6, -0.6, 0.9, -1.2)
MIDDLE, UNIT, NOISE = 120.0, 12.0, 1.6  # of labels that are numbers


def _as_it_is(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return frame


@dataclass(frozen=True)
class Population:
    """What rows of one table are drawn from.

    Attributes
    ----------
    task, truth : str
    moved : dict of str to float
        Number column -> by how many sd it is moved.
    shares : tuple of float
        Of the levels of e.
    effects : dict of str to float
        Number column -> what its effect is multiplied by.
    level, slope : float
        What is added to the sum of the effects, after they were multiplied by the slope.
    spoil : callable
        ``spoil(frame, rng)``: what happens to the table afterwards.
    more : float
        Rows to draw for each row that is left after spoiling.
    """

    task: str
    truth: str
    moved: Mapping[str, float] = field(default_factory=dict)
    shares: tuple[float, ...] = SHARES
    effects: Mapping[str, float] = field(default_factory=dict)
    level: float = 0.0
    slope: float = 1.0
    spoil: Spoil = _as_it_is
    more: float = 1.0

    def draw(self, n: int, seed: int) -> pd.DataFrame:
        """Draw a table of n rows."""
        # Apart, so that what is planted changes no other value.
        rows, spoiled = (np.random.default_rng(derive_seed(seed, k)) for k in ("rows", "spoiled"))
        frame = self._features(round(self.more * n), rows)
        eta = self.level + self.slope * self._rule(frame)
        if self.task == "numbers":
            frame[LABEL] = (MIDDLE + UNIT * (eta + NOISE * rows.standard_normal(len(eta)))).round(1)
        else:
            frame[LABEL] = (rows.random(len(eta)) < 1 / (1 + np.exp(-eta))).astype(int)
        return self.spoil(frame, spoiled).iloc[:n].reset_index(drop=True)

    def _features(self, n: int, rng: np.random.Generator) -> pd.DataFrame:
        numbers = {
            "a": rng.normal(50, 10, n),
            "b": rng.normal(37, 1.2, n),
            "c": 20 * np.exp(0.4 * rng.standard_normal(n)),
            "d": rng.uniform(0, 200, n),
        }
        for name, by in self.moved.items():
            numbers[name] = numbers[name] + by * SPREADS[name]
        return pd.DataFrame(
            {
                **{name: values.round(DECIMALS[name]) for name, values in numbers.items()},
                "e": rng.choice(LEVELS, n, p=self.shares),
                "f": rng.choice(("u", "v"), n, p=(0.65, 0.35)),
                "g": rng.normal(100, 15, n).round(1),
            }
        )

    def _rule(self, frame: pd.DataFrame) -> Array:
        """Return the sum of the effects; its mean is 0 where nothing has moved."""
        effects = _steps(frame) if self.truth == "trees" else _slopes(frame)
        numbers = sum(self.effects.get(name, 1.0) * each for name, each in effects.items())
        levels = frame["e"].map(dict(zip(LEVELS, LEVEL_EFFECTS, strict=True))).to_numpy(float)
        usual = float(np.dot(SHARES, LEVEL_EFFECTS))
        return np.asarray(numbers + levels - usual + (frame["f"] == "v").to_numpy(float) - 0.35)


def _slopes(frame: pd.DataFrame) -> dict[str, Array]:
    return {
        name: slope * ((frame[name] - MEANS[name]) / SPREADS[name]).to_numpy(float)
        for name, slope in SLOPES.items()
    }


def _steps(frame: pd.DataFrame) -> dict[str, Array]:
    a, b, c, d = (frame[name].to_numpy(float) for name in NUMBERS)
    return {
        "a": 1.1 * ((a > 55).astype(float) - (a < 45)),
        "b": np.where(b > 37, -0.75, 0.75),
        "c": np.where(d > 100, np.where(c > 20, 0.9, -0.9), 0.0),
        "d": np.where(d > 100, 0.5, -0.5),
    }
