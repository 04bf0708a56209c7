"""One decision: a small target, its candidate sources, and the rest of its domain to test on."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from benchmarks.decisions.collection import FOLDS, Collection
from datakin import DatakinError, Dataset
from reproduction.harness import derive_seed

SIZES = (40, 80, 160)
SOURCE_SIZES = (100, 200, 400)
N_TARGETS, N_SOURCES = 5, 8
LEAST_TEST, LEAST_TEST_OF_CLASS = 50, 10
MOST_TEST = 3000


@dataclass(frozen=True)
class Draw:
    """A target, sources and test rows; no group stands in both target and test rows."""

    target: Dataset
    sources: dict[str, Dataset]
    test: Dataset


def plan(
    collection: Collection,
    sizes: tuple[int, ...] = SIZES,
    n_targets: int = N_TARGETS,
    n_sources: int = N_SOURCES,
) -> list[tuple[str, int, tuple[str, ...]]]:
    """Return targets with their sizes and sources; the sources of a target stay the same."""
    sizes = _sizes_that_hold(collection, sizes)
    able = [name for name in collection.targets if _fits(collection, name, min(sizes))]
    if not able:
        biggest = max(collection.domains.values(), key=lambda d: d.n_rows)
        raise DatakinError(
            f"No domain of {collection.name!r} can spare {min(sizes)} rows of a target and {LEAST_TEST} "
            f"test rows ({LEAST_TEST_OF_CLASS} of every class). The largest, {biggest.name!r}, has "
            f"{biggest.n_rows} rows."
        )
    places = np.unique(np.linspace(0, len(able) - 1, min(n_targets, len(able))).round().astype(int))
    chosen = [able[i] for i in places]
    found = []
    for target in chosen:
        others = [n for n in collection.domains if n != target]
        rng = np.random.default_rng(derive_seed(0, "sources", collection.name, target))
        kept = sorted(rng.permutation(len(others))[:n_sources])
        sources = tuple(others[i] for i in kept)
        found += [(target, n, sources) for n in sizes if _fits(collection, target, n)]
    return found


def _sizes_that_hold(collection: Collection, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes at which a target can have enough rows of every class; say which cannot."""
    domains = [collection.domains[name] for name in collection.targets]
    n_classes = min(len(domain.classes) for domain in domains)
    least = min(_least(domain) for domain in domains)
    why = {
        n: f"a target of {n} rows cannot hold {FOLDS} of each of {n_classes} classes"
        for n in sizes
        if n < least
    }
    if len(why) == len(sizes):
        raise DatakinError(f"{collection.name!r} cannot be drawn from: {why[max(sizes)]}.")
    for text in why.values():
        print(f"{collection.name}: {text}; that size is skipped.", file=sys.stderr, flush=True)
    return tuple(n for n in sizes if n not in why)


def draw(
    collection: Collection, target: str, n_target: int, sources: tuple[str, ...], repeat: int
) -> Draw:
    """Draw one decision; everything follows from the names and the number of the repeat."""
    seed = derive_seed(0, "draw", collection.name, target, n_target, repeat)
    rng = np.random.default_rng(seed)
    domain = collection.domains[target]
    rows, rest = _split(domain, _quotas(domain, n_target, collection.balance), rng)
    if len(rest) > MOST_TEST:
        rest = np.sort(rng.permutation(rest)[:MOST_TEST])
    taken = {}
    for name in sources:
        source = collection.domains[name]
        n = max(int(rng.choice(SOURCE_SIZES)), _least(source))
        n = min(n, _most(source, collection.balance))
        taken[name] = source.take(
            _split(source, _quotas(source, n, collection.balance), rng)[0]
        ).renamed(name)
    return Draw(domain.take(rows).renamed(target), taken, domain.take(rest).renamed("test"))


def _counts(domain: Dataset) -> np.ndarray:
    return np.bincount(domain.y, minlength=len(domain.classes))


def _least(domain: Dataset) -> int:
    """Return how few rows can hold every class in every fold."""
    return FOLDS * len(domain.classes)


def _most(domain: Dataset, balance: bool) -> int:
    if domain.classes and balance:
        return int(_counts(domain).min()) * len(domain.classes)
    return domain.n_rows


def _quotas(domain: Dataset, n: int, balance: bool) -> np.ndarray:
    """Return how many rows of each class to draw: equally many, or as many as their share."""
    if not domain.classes:
        return np.array([n])
    counts = _counts(domain)
    if balance:
        return np.full(len(counts), n // len(counts))
    least = np.minimum(FOLDS, counts)
    quotas = np.maximum(np.floor(n * counts / counts.sum()).astype(int), least)
    largest = np.argmax(counts)
    quotas[largest] += n - quotas.sum()
    # Where many classes get more than their share, the largest alone cannot pay for it.
    while quotas[largest] < least[largest]:
        payer = np.argmax(quotas - least)
        if quotas[payer] <= least[payer]:
            raise DatakinError(
                f"{n} rows of {domain.name!r} cannot hold {FOLDS} of each of {len(counts)} classes."
            )
        quotas[payer] -= 1
        quotas[largest] += 1
    return quotas


def _split(
    domain: Dataset, quotas: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows drawn and rows left; a group that was drawn from leaves no row."""
    groups = np.arange(domain.n_rows) if domain.groups is None else domain.groups
    shuffled = rng.permutation(groups.max() + 1)[groups]
    order = np.argsort(shuffled, kind="stable")
    rows = _first_rows(domain, order, quotas)
    if len(np.unique(groups[rows])) < FOLDS:
        # Few large groups fill the target, too few for its folds: some rows of half of all groups.
        first = order[shuffled[order] <= np.median(np.unique(shuffled))]
        rows = _first_rows(domain, rng.permutation(first), quotas)
    rest = np.flatnonzero(~np.isin(groups, groups[rows]))
    return rows, rest


def _first_rows(domain: Dataset, order: np.ndarray, quotas: np.ndarray) -> np.ndarray:
    """Return the first rows of each class, as many as asked for."""
    codes = domain.y[order] if domain.classes else np.zeros(len(order), dtype=int)
    return np.sort(np.concatenate([order[codes == c][:q] for c, q in enumerate(quotas)]))


def _fits(collection: Collection, name: str, n: int) -> bool:
    """Whether a domain can spare n rows and still test."""
    domain = collection.domains[name]
    if n < _least(domain):
        return False
    quotas = _quotas(domain, n, collection.balance)
    counts = _counts(domain) if domain.classes else np.array([domain.n_rows])
    if (counts < quotas).any():
        return False
    _, rest = _split(domain, quotas, np.random.default_rng(0))
    left = domain.y[rest]
    if len(left) < LEAST_TEST:
        return False
    of_class = np.bincount(left, minlength=len(domain.classes)) if domain.classes else [len(left)]
    return min(of_class) >= LEAST_TEST_OF_CLASS
