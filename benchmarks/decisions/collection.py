"""A collection of domains, from a loader that returns named Datasets; checked at the door."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.decisions.collections import CALIBRATION, HELD_OUT, OPEN
from datakin import DatakinError, DatakinWarning, Dataset
from reproduction.harness import derive_seed, did_you_mean, listed

LEAST_DOMAINS = 3
FOLDS = 5  # every class must stand in every fold of the score
CHANCE = 0.01  # so many rows may be alike in two domains by accident
GOOD_DOMAINS = 5  # below four sources a rank correlation has few values


@dataclass(frozen=True)
class Collection:
    """Named domains of one task with the same columns.

    Attributes
    ----------
    name, about : str
    domains : dict of str to Dataset
    targets : tuple of str
        Domains that may be targets.
    balance : bool
        Whether draws have as many rows of every class.
    fingerprint : str
        Changes when any value of any domain does.
    """

    name: str
    about: str
    domains: dict[str, Dataset]
    targets: tuple[str, ...]
    balance: bool
    fingerprint: str

    @property
    def task(self) -> str:
        tasks = {d.task for d in self.domains.values()}
        return "multiclass" if "multiclass" in tasks else next(iter(tasks))


@lru_cache(maxsize=2)
def load_collection(spec: str, data: Path) -> Collection:
    """Load a collection by name, or from the path of a loader."""
    module = _module(spec)
    load = getattr(module, "load", None)
    if not callable(load):
        raise DatakinError(f"A loader must have a function load(data). {spec} has none.")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DatakinWarning)
        try:
            found = load(data) if inspect.signature(load).parameters else load()
        except DatakinError:
            raise
        except FileNotFoundError as error:
            raise DatakinError(
                f"The data of {spec!r} were expected in {data}: {error.filename} is missing. Say in "
                f"--data or DATAKIN_DATA which folder holds them."
            ) from None
        except Exception as error:  # whatever a user's loader raises
            raise DatakinError(
                f"The loader {spec} failed: {type(error).__name__}: {error}"
            ) from error
    leaks = [str(w.message) for w in caught if "stand in several" in str(w.message)]
    if leaks:
        raise DatakinError(f"{spec}: {leaks[0]}")
    for text in dict.fromkeys(str(w.message) for w in caught):
        if "left out" in text:  # whole domains; constant columns and the like go without saying
            warnings.warn(f"{spec}: {text}", DatakinWarning, stacklevel=2)
    return make_collection(
        Path(spec).stem,
        found,
        targets=getattr(module, "TARGETS", ()),
        balance=bool(getattr(module, "BALANCE", False)),
        about=str(getattr(module, "ABOUT", "")),
    )


def make_collection(
    name: str, found: Any, *, targets: Any = (), balance: bool = False, about: str = ""
) -> Collection:
    """Check what a loader returned, and keep the columns that all domains have."""
    domains = _named(name, found)
    if len(domains) < LEAST_DOMAINS:
        raise DatakinError(
            f"A collection needs a target and at least two sources, better four. The loader of "
            f"{name!r} returned {len(domains)} dataset(s): {listed(domains) or 'none'}."
        )
    unknown = [t for t in targets if t not in domains]
    if unknown:
        raise DatakinError(
            f"TARGETS of {name!r} names {listed(unknown)}, which load() does not return."
        )
    domains = _keep_usable(name, domains)
    if len(domains) < GOOD_DOMAINS:
        warnings.warn(
            f"{name!r} has {len(domains)} domains: with fewer than four sources a rank correlation "
            f"says little.",
            DatakinWarning,
            stacklevel=2,
        )
    kinds = {d.name: bool(d.classes) for d in domains.values()}
    if len(set(kinds.values())) > 1:
        odd = [n for n, is_class in kinds.items() if not is_class]
        raise DatakinError(
            f"All domains of a collection must pose one task. In {name!r} {listed(odd)} pose regression, "
            f"the others classes."
        )
    domains = _same_columns(name, domains)
    _refuse_shared_rows(name, domains)
    state = hashlib.blake2b(digest_size=8)
    for key in sorted(domains):
        state.update(key.encode() + domains[key].fingerprint.encode())
    able = tuple(t for t in targets or domains if t in domains)
    return Collection(name, about, domains, able, balance, state.hexdigest())


def deal(rows: Any, n_parts: int, *seed: str | int) -> list[Any]:
    """Deal rows at random into parts of nearly equal size."""
    order = np.random.default_rng(derive_seed(0, *seed)).permutation(np.asarray(rows))
    return [np.sort(part) for part in np.array_split(order, n_parts)]


def _module(spec: str) -> ModuleType:
    known = (*OPEN, *HELD_OUT, *CALIBRATION)
    if spec in known:
        return importlib.import_module(f"benchmarks.decisions.collections.{spec}")
    path = Path(spec)
    if path.suffix != ".py" or not path.is_file():
        raise DatakinError(
            f"A collection is one of {listed(known, limit=20)}, or the path of a loader.py. "
            f"Got {spec!r}.{did_you_mean(spec, known)}"
        )
    made = importlib.util.spec_from_file_location(f"decisions_{path.stem}", path)
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    sys.modules[made.name] = module
    try:
        made.loader.exec_module(module)
    except Exception as error:  # whatever a user's file raises
        raise DatakinError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    return module


def _named(name: str, found: Any) -> dict[str, Dataset]:
    if isinstance(found, Dataset):
        found = [found]
    if isinstance(found, Mapping):
        pairs = [(str(key), value) for key, value in found.items()]
    elif isinstance(found, (list, tuple)):
        pairs = [(getattr(value, "name", ""), value) for value in found]
    else:
        raise DatakinError(
            f"A loader must return a mapping of name to Dataset. That of {name!r} returned "
            f"{type(found).__name__}."
        )
    for key, value in pairs:
        if not isinstance(value, Dataset):
            raise DatakinError(
                f"A loader must return Datasets (datakin.read_table, as_dataset). In {name!r}, {key!r} is "
                f"{type(value).__name__}."
            )
        if not key:
            raise DatakinError(f"Every Dataset of {name!r} must have a name.")
    if len(dict(pairs)) < len(pairs):
        raise DatakinError(f"The Datasets of {name!r} must have different names.")
    return {key: value.renamed(key) for key, value in pairs}


def _keep_usable(name: str, domains: dict[str, Dataset]) -> dict[str, Dataset]:
    """Leave out domains with a class too rare for the folds, or for any draw with equal classes."""
    rare = {}
    for key, dataset in domains.items():
        if dataset.classes:
            least = int(np.bincount(dataset.y, minlength=len(dataset.classes)).min())
            if least < FOLDS:
                rare[key] = f"{key!r} ({least})"
    if rare:
        text = f"Domains of {name!r} with fewer than {FOLDS} rows of a class: {', '.join(rare.values())}."
        if len(domains) - len(rare) < LEAST_DOMAINS:
            raise DatakinError(
                f"{text} That leaves {len(domains) - len(rare)}: too few to compare."
            )
        warnings.warn(f"{text} They are left out.", DatakinWarning, stacklevel=3)
    return {key: dataset for key, dataset in domains.items() if key not in rare}


def _same_columns(name: str, domains: dict[str, Dataset]) -> dict[str, Dataset]:
    """Keep what all domains have, so that the target alone is learned from the columns of a pool."""
    shared = set.intersection(*(set(d.columns) for d in domains.values()))
    if not shared:
        least = min(domains.values(), key=lambda d: len(d.columns))
        raise DatakinError(
            f"The domains of {name!r} have no column in common that varies in each of them. "
            f"{least.name!r} has {listed(least.columns)}."
        )
    columns = sorted(shared)
    return {key: d.edited(features=d.features.select(columns)) for key, d in domains.items()}


def _refuse_shared_rows(name: str, domains: dict[str, Dataset]) -> None:
    """Refuse domains that hold the same rows: the test rows of one would be learned from.

    In discrete tables rows coincide by chance, about as often as they repeat within one domain.
    """
    hashes = {key: d.row_hashes(d.columns) for key, d in domains.items()}
    for one, other in combinations(domains, 2):
        ours, theirs = hashes[one], hashes[other]
        shared = np.isin(ours, theirs)
        share = max(shared.mean(), np.isin(theirs, ours).mean())
        if share > max(CHANCE, 2 * _repeated(ours), 2 * _repeated(theirs)):
            raise DatakinError(
                f"Domains must not share rows, or they are learned from and tested on. In {name!r} "
                f"{int(shared.sum())} row(s) of {one!r} also stand in {other!r}; drop duplicates first."
            )


def _repeated(hashes: np.ndarray) -> float:
    """Return the share of rows that have a twin in their own domain."""
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return float(np.mean(counts[inverse] > 1))
