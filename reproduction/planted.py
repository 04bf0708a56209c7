"""Pairs of tables that differ in one known way, for explanations to find.

Without a cause, both tables are draws of one population (`reproduction.population`). What is planted, and how
much of it, is said in `CAUSES`. It is planted in the source where the seed is even and in the target
where it is odd; of causes with several kinds, half the seed decides the kind. Column, sign and the
like are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from datakin import DatakinError
from reproduction.harness import derive_seed, listed
from reproduction.population import (
    LABEL,
    LEVELS,
    MIDDLE,
    NOISE,
    NUMBERS,
    TASKS,
    TRUTHS,
    UNIT,
    Array,
    Population,
    Spoil,
)

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
