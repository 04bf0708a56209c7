"""Every mistake has its sentence: what was expected, what came, what to do."""

import sys

import numpy as np
import pytest
from scipy import sparse

from datakin import DatakinError, Dataset, as_dataset
from datakin.data.features import Features
from datakin.distances import (
    MMD,
    OTDD,
    JensenShannon,
    KLDivergence,
    ProxyADistance,
    Wasserstein,
    kernel,
    transport,
)

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 2)), np.arange(40) % 2
PAIR = (X, Y)
WORDS = (X, ["a", "b"] * 20)
LONE = (X, ["a", "b"] * 19 + ["a", "rare"])
QUANTITY = (X, RNG.normal(size=40))
WIDE = (RNG.normal(size=(20, 20)), np.arange(20) % 2)
REPEATED = (np.repeat([[0.0], [1.0]], 20, axis=0), Y)


def tiny(n):
    features = Features(X[:n], ("x0", "x1"), np.zeros((n, 0), np.int32), (), ())
    return Dataset("tiny", features, Y[:n], ("0", "1"))


def words():
    ones = sparse.random_array((30, 6000), density=0.5, rng=RNG, format="csr")
    return as_dataset(ones, np.arange(30) % 2, name="words")


CASES = {
    "otdd on regression": (
        lambda: OTDD().between(QUANTITY, QUANTITY),
        ["OTDD compares classes", "regression label in 'target'", "use Wasserstein"],
    ),
    "otdd with a lone row": (
        lambda: OTDD().between(WORDS, LONE),
        ["at least 2 rows in every class", "single row of 'rare' in 'source'", "drop the class"],
    ),
    "one row": (
        lambda: Wasserstein().between(tiny(1), PAIR),
        ["at least 2 rows", "Got 1 in 'tiny'", "gather more rows"],
    ),
    "no row": (lambda: JensenShannon().between(PAIR, tiny(0)), ["Got 0 in 'tiny'"]),
    "wide sparse": (
        lambda: MMD().between(words(), words()),
        ["at most 5000", "Got 6000 sparse columns", "TruncatedSVD"],
    ),
    "many levels": (
        lambda: Wasserstein().between(coded(0), coded(3000)),
        ["at most 5000", "6000 of them levels of categories"],
    ),
    "gaussian, too wide": (
        lambda: KLDivergence(density="gaussian").between(WIDE, WIDE),
        ["more rows than columns (20", "Got 20 in 'target'", "density='kernel'"],
    ),
    "halves of few distinct rows": (
        lambda: OTDD(debias=True, splits=20).between(REPEATED, (REPEATED[0], np.arange(40) < 10)),
        ["two halves of at least 2 rows", "debias=False"],
    ),
    "folds": (lambda: ProxyADistance(cv=50).between(PAIR, PAIR), ["50 folds", "Got 40"]),
    "not a dataset": (lambda: Wasserstein().between(X, PAIR), ["a Dataset or a pair (X, y)"]),
}

OPTIONS = {
    "method": (Wasserstein(method="slice"), ["'method'", "'exact', 'sliced'", "Did you mean"]),
    "n_projections": (Wasserstein(n_projections=0), ["'n_projections'", "at least 1", "Got 0"]),
    "scaling": (OTDD(scaling="unit"), ["'scaling'", "'none', 'pooled'"]),
    "inner": (OTDD(inner="bures"), ["'inner'", "'exact', 'gaussian'"]),
    "splits": (OTDD(splits=2.5), ["'splits'", "whole number", "Got 2.5"]),
    "density": (KLDivergence(density="normal"), ["'density'", "'kernel', 'gaussian'"]),
    "floor": (KLDivergence(floor=0.0), ["'floor'", "above 0", "Got 0.0"]),
    "bandwidth": (MMD(bandwidth=-1.0), ["'bandwidth'", "above 0"]),
    "seed": (MMD(random_state=None), ["'random_state'", "repeatable", "Got None"]),
    "cv": (ProxyADistance(cv=1), ["'cv'", "at least 2"]),
    "C": (ProxyADistance(C=float("nan")), ["'C'", "above 0", "Got nan"]),
}


def coded(start):
    levels = tuple(f"{start + k:05d}" for k in range(3000))
    codes = np.arange(3000, dtype=np.int32)[:, None]
    features = Features(np.zeros((3000, 0)), (), codes, ("code",), (levels,))
    return Dataset(f"codes {start}", features, np.arange(3000) % 2, ("0", "1"))


def refuse(act, parts):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        act()
    text = str(caught.value)
    assert type(caught.value) is DatakinError, repr(caught.value)
    assert [part for part in parts if part not in text] == [], text
    assert len(text) < 500
    assert "\n" not in text


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
@pytest.mark.parametrize("case", CASES)
def test_bad_data(case):
    refuse(*CASES[case])


@pytest.mark.parametrize("case", OPTIONS)
def test_bad_options(case):
    bad, parts = OPTIONS[case]
    refuse(lambda: bad.between(PAIR, (X + 1, Y)), parts)


def test_too_many_rows_for_exact_transport_and_permutations(monkeypatch):
    monkeypatch.setattr(transport, "MAX_CELLS", 1000)
    monkeypatch.setattr(kernel, "MAX_GRAM", 50)
    refuse(lambda: Wasserstein().between(PAIR, PAIR), ["Got 40 x 40", "method='sliced'"])
    refuse(lambda: OTDD().between(PAIR, PAIR), ["Got 40 x 40", "a sample of the rows"])
    refuse(lambda: MMD().p_value(PAIR, PAIR), ["at most 50 rows", "Got 40 + 40"])
    assert Wasserstein(method="sliced").between(PAIR, (X + 1, Y)) > 0


def test_without_pot_the_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    refuse(lambda: Wasserstein().between(PAIR, (X + 1, Y)), ["package 'POT'", "datakin[distances]"])
    assert MMD().between(PAIR, (X + 1, Y)) > 0


def test_feature_distances_take_regression():
    shifted = (X + 1, RNG.normal(size=40))
    assert Wasserstein().between(QUANTITY, shifted) == pytest.approx(np.sqrt(2))
    assert KLDivergence().between(QUANTITY, shifted) > 0
