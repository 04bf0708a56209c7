"""Pairs of tables that differ in one known way, for explanations to find.

Without a cause, both tables are draws of one population. Its columns:

| column | values | effect, linear truth | effect, tree truth |
|---|---|---|---|
| a | normal, 50 +- 10 | .8 for each sd | -1.1 below 45, +1.1 above 55, else 0 |
| b | normal, 37 +- 1.2 | -.75 for each sd | +.75 below 37, -.75 above |
| c | lognormal, median 20, sd of log .4 | .6 for each sd | -.9 below 20, +.9 above, where d is above 100 |
| d | uniform, 0 to 200 | .6 for each sd | -.5 below 100, +.5 above |
| e | p, q, r, s with shares .4, .3, .2, .1 | .6, -.6, .9, -1.2 | the same |
| f | u, v with shares .65, .35 | v: 1 | the same |
| g | normal, 100 +- 15 | none | none |

The effects add up to a logit (task "classes"; AUC about .8, both classes about as frequent) or, with noise
and times 12, to a number around 120 (task "numbers"; R2 about .5). Values are rounded as measurements are.

Of what is planted, `CAUSES` says how much. It is planted in the source where the seed is even and in the
target where it is odd; for causes of several kinds, the kind follows from half the seed. Column, sign
and the like are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from datakin import DatakinError
from reproduction.harness import derive_seed, listed

Array = NDArray[Any]
Spoil = Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]

LABEL = "y"
TASKS = ("classes", "numbers")
TRUTHS = ("linear", "trees")
CAUSES = {
    "nothing": "both tables are draws of one population",
    "features": (
        "in one table the means of two of a, b, c, d are .7 sd higher or lower, and the shares of the levels "
        "of e are .15, .2, .3, .35; the rule is the same"
    ),
    "units": (
        "one table has a number column in other units: b times 1.8 plus 32, a times 2.2046, c times 1000, "
        "d times 10, or a times 2.54"
    ),
    "codes": (
        "in one table every level of e has the name of another (a cycle of all four), or u and v are swapped"
    ),
    "base rate": (
        "classes: in one table the logit is 1.15 higher or lower, so that the share of a class goes from .5 "
        "to about .3 or .7; numbers: the label is .6 sd higher or lower"
    ),
    "confidence": (
        "in one table the effects are .45 times as large; or 25% of the labels are flipped (classes), or the "
        "label's distance from its mean is halved (numbers)"
    ),
    "leak": (
        "in one table g is the label with noise (classes: AUC .97; numbers: correlation .97), with the mean "
        "and sd that it has in the other table, where it is noise"
    ),
    "blanks": (
        "12% of a, b, c or d are unknown, at random; one table has them empty, the other as -99 or 999, in a "
        "and b also as 0 or -1"
    ),
    "effect": (
        "in one table the effect of one of a, b, c, d has the other sign, or that of a or b is missing"
    ),
    "range": "the source lacks the rows with the upper or lower 40% of a, b, c or d",
    "copies": "30% of the source's rows are copies of others of its rows",
    "classes": "in one table the two classes are swapped",
}
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
UNITS = (
    ("b", 1.8, 32.0),
    ("a", 2.2046, 0.0),
    ("c", 1000.0, 0.0),
    ("d", 10.0, 0.0),
    ("a", 2.54, 0.0),
)
CODES = {"a": (-99, 999, 0, -1), "b": (-99, 999, 0, -1), "c": (-99, 999), "d": (-99, 999)}
BLANK, COPIED, FLIPPED, KEPT = 0.12, 0.3, 0.25, 0.6
MOST_SOURCE = 2000


@dataclass(frozen=True)
class About:
    """What was planted.

    Attributes
    ----------
    cause : str
    side : {"target", "source", ""}
        The table that differs; empty where nothing was planted.
    column : str
        The column it is about; empty if there is none or several.
    what : str
        What exactly was done.
    mapping : dict of str to str
        Codes: true level -> what is written.
    """

    cause: str
    side: str = ""
    column: str = ""
    what: str = ""
    mapping: Mapping[str, str] = field(default_factory=dict)


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


@dataclass(frozen=True)
class Planted:
    """The two populations of a pair, and what makes them differ."""

    target: Population
    source: Population
    about: About


def make_pair(
    cause: str, *, task: str, truth: str, n_target: int, n_source: int | None = None, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, About]:
    """Draw a target and a source that differ in one known way.

    Parameters
    ----------
    cause : str
        One of `CAUSES`, where it is said how large it is.
    task : {"classes", "numbers"}
    truth : {"linear", "trees"}
    n_target : int
    n_source : int, optional
        Twice as many as the target's by default, at most 2,000.
    seed : int
        Also decides the side and the kind.

    Returns
    -------
    target, source : DataFrame
        The label is in column "y".
    about : About
    """
    made = plant(cause, task=task, truth=truth, seed=seed)
    n_source = min(2 * n_target, MOST_SOURCE) if n_source is None else n_source
    target, source = (
        population.draw(n, derive_seed(seed, cause, task, truth, side, n_target))
        for side, population, n in (
            ("target", made.target, n_target),
            ("source", made.source, n_source),
        )
    )
    return target, source, made.about


def plant(cause: str, *, task: str, truth: str, seed: int) -> Planted:
    """Return two populations that differ in one known way; side and kind follow from the seed."""
    for given, known in ((cause, tuple(CAUSES)), (task, TASKS), (truth, TRUTHS)):
        if given not in known:
            raise DatakinError(f"Expected one of {listed(known, limit=99)}. Got {given!r}.")
    if cause == "classes" and task == "numbers":
        raise DatakinError("The cause 'classes' needs the task 'classes': numbers have none.")
    plain = Population(task, truth)
    if cause == "nothing":
        return Planted(plain, plain, About(cause))
    rng = np.random.default_rng(derive_seed(seed, "plan", cause, task, truth))
    changed, other, about = _PLANS[cause](plain, seed // 2, rng)
    in_source = cause in ("range", "copies") or seed % 2 == 0
    about = replace(about, cause=cause, side="source" if in_source else "target")
    return Planted(other, changed, about) if in_source else Planted(changed, other, about)


Plan = tuple[Population, Population, About]  # what differs, the other one, and in which way


def _features(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    names = sorted(rng.choice(NUMBERS, 2, replace=False).tolist())
    moved = {name: float(rng.choice((-0.7, 0.7))) for name in names}
    what = ", ".join(f"{name} moved by {by:+g} sd" for name, by in moved.items())
    return replace(plain, moved=moved, shares=(0.15, 0.2, 0.3, 0.35)), plain, About("", what=what)


def _units(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    column, times, plus = UNITS[kind % len(UNITS)]

    def spoil(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        return frame.assign(**{column: frame[column] * times + plus})

    what = f"{column} times {times:g}" + (f" plus {plus:g}" if plus else "")
    return replace(plain, spoil=spoil), plain, About("", column=column, what=what)


def _codes(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    column, levels = (
        ("e", rng.permutation(LEVELS)) if kind % 2 == 0 else ("f", np.array(["u", "v"]))
    )
    mapping = dict(zip(levels.tolist(), np.roll(levels, 1).tolist(), strict=True))

    def spoil(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        return frame.assign(**{column: frame[column].map(mapping)})

    what = ", ".join(f"{old} written as {new}" for old, new in sorted(mapping.items()))
    about = About("", column=column, what=what, mapping=mapping)
    return replace(plain, spoil=spoil), plain, about


def _base_rate(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    sign = 1 if kind % 2 == 0 else -1
    # The sum of the effects has an sd near the noise's.
    level = sign * (1.15 if plain.task == "classes" else 0.6 * np.sqrt(2) * NOISE)
    return replace(plain, level=level), plain, About("", what="higher" if sign > 0 else "lower")


def _confidence(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    def flip(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        return frame.assign(**{LABEL: frame[LABEL] ^ (rng.random(len(frame)) < FLIPPED)})

    def halve(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        return frame.assign(**{LABEL: MIDDLE + 0.5 * (frame[LABEL] - MIDDLE)})

    if kind % 2 == 0:
        return replace(plain, slope=0.45), plain, About("", what="effects times .45")
    if plain.task == "classes":
        return replace(plain, spoil=flip), plain, About("", what="25% of the labels flipped")
    return replace(plain, spoil=halve), plain, About("", what="label's distance halved")


def _leak(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    # AUC .97 is a distance of the classes of 2.66 sd; an even share of them makes its variance.
    def of_classes(frame: pd.DataFrame, rng: np.random.Generator) -> Array:
        noisy = 2.66 * (frame[LABEL] - 0.5) + rng.standard_normal(len(frame))
        return np.asarray(noisy / np.sqrt(1 + 1.33**2))

    def of_numbers(frame: pd.DataFrame, rng: np.random.Generator) -> Array:
        known = (frame[LABEL] - MIDDLE) / (UNIT * np.sqrt(2) * NOISE)
        return np.asarray(0.97 * known + np.sqrt(1 - 0.97**2) * rng.standard_normal(len(frame)))

    tell = of_classes if plain.task == "classes" else of_numbers

    def spoil(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        return frame.assign(g=(100 + 15 * tell(frame, rng)).round(1))

    return replace(plain, spoil=spoil), plain, About("", column="g", what="g tells the label")


def _blanks(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    column = NUMBERS[kind % len(NUMBERS)]
    code = float(rng.choice(CODES[column]))

    def spoil_with(value: float) -> Spoil:
        def spoil(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
            blank = rng.random(len(frame)) < BLANK
            return frame.assign(**{column: frame[column].mask(blank, value)})

        return spoil

    coded, empty = (replace(plain, spoil=spoil_with(value)) for value in (code, np.nan))
    return coded, empty, About("", column=column, what=f"unknown {column} written as {code:g}")


def _effect(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    is_turned = kind % 2 == 0
    column = str(rng.choice(NUMBERS if is_turned else ("a", "b")))
    what = f"effect of {column} {'turned' if is_turned else 'missing'}"
    changed = replace(plain, effects={column: -1.0 if is_turned else 0.0})
    return changed, plain, About("", column=column, what=what)


def _range(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    column, is_upper = NUMBERS[kind % len(NUMBERS)], bool(rng.random() < 0.5)

    def spoil(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        place = frame[column].rank(pct=True, method="first")
        return frame[place <= KEPT] if is_upper else frame[place > 1 - KEPT]

    what = f"{'upper' if is_upper else 'lower'} 40% of {column} missing"
    # A few rows more, for what rounding takes.
    changed = replace(plain, spoil=spoil, more=1.02 / KEPT)
    return changed, plain, About("", column=column, what=what)


def _copies(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    def spoil(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        n_first = round((1 - COPIED) * len(frame))
        again = rng.integers(0, n_first, len(frame) - n_first)
        rows = np.concatenate([np.arange(n_first), again])
        return frame.iloc[rng.permutation(rows)]

    return replace(plain, spoil=spoil), plain, About("", what="30% of the rows are copies")


def _classes(plain: Population, kind: int, rng: np.random.Generator) -> Plan:
    def spoil(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        return frame.assign(**{LABEL: 1 - frame[LABEL]})

    return replace(plain, spoil=spoil), plain, About("", column=LABEL, what="classes swapped")


_PLANS: dict[str, Callable[[Population, int, np.random.Generator], Plan]] = {
    "features": _features,
    "units": _units,
    "codes": _codes,
    "base rate": _base_rate,
    "confidence": _confidence,
    "leak": _leak,
    "blanks": _blanks,
    "effect": _effect,
    "range": _range,
    "copies": _copies,
    "classes": _classes,
}
