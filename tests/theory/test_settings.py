"""Settings with oracles: exact cosines, closed forms against simulation, the paper's columns."""

import csv
from pathlib import Path

import numpy as np
import pytest

from datakin import DatakinError
from datakin.paper.sampling import rotate
from datakin.synthetic import LDA, Probit, lda_cls, probit_cls, settings

TABLES = Path(__file__).parents[2].parent / "shared" / "paper" / "tables"


@pytest.mark.parametrize("cosine", [-1.0, -0.3, 0.0, 0.6, 1.0])
@pytest.mark.parametrize("sign", [-1, 1])
def test_rotation_has_the_cosine_and_the_length(cosine, sign):
    vector = np.array([0.3, -1.2, 0.5, -0.8])  # a negative last coordinate keeps its sign at 1
    turned = rotate(vector, cosine, sign)
    lengths = np.linalg.norm(vector), np.linalg.norm(turned)
    assert lengths[1] == pytest.approx(lengths[0], rel=1e-12)
    assert vector @ turned / (lengths[0] * lengths[1]) == pytest.approx(cosine, abs=1e-12)


def test_equal_tasks_have_oracle_zero_exactly():
    assert LDA(1.0).oracle() == 0.0
    assert Probit(1.0).oracle() == 0.0


@pytest.mark.parametrize("name", ["lda", "probit"])
@pytest.mark.parametrize("cosine", [-0.5, 0.3, 0.9])
def test_oracle_against_simulation(name, cosine):
    """Both Bayes rules on the same large samples; tolerance 4 standard errors of the difference."""
    setting = settings()[name](cosine)
    n = 200_000
    rng = np.random.default_rng(3)
    gaps, variance = [], 0.0
    for own, other in (
        (setting.target_vector, setting.source_vector),
        (setting.source_vector, setting.target_vector),
    ):
        X, y = setting.draw(rng, own, n)
        gap = ((X @ other > 0) != y).astype(float) - ((X @ own > 0) != y)
        gaps.append(gap.mean())
        variance += gap.var() / n / 4
    assert np.mean(gaps) == pytest.approx(setting.oracle(), abs=4 * np.sqrt(variance))


def test_theorem_1_with_covariances_and_noise_against_simulation():
    rng = np.random.default_rng(5)
    beta_t, beta_s = np.array([1.0, 0.5, 0.0]), np.array([0.2, 1.0, -0.4])
    roots = {"t": np.array([[1, 0, 0], [0.5, 1, 0], [0, 0.3, 1]]), "s": np.diag([2.0, 1.0, 0.5])}
    noise = {"t": 0.7, "s": 1.5}
    exact = probit_cls(
        beta_t,
        beta_s,
        cov_target=roots["t"] @ roots["t"].T,
        cov_source=roots["s"] @ roots["s"].T,
        noise_target=noise["t"],
        noise_source=noise["s"],
        direction=0.3,
    )
    total, variance, n = 0.0, 0.0, 400_000
    for name, own, other, weight in (("t", beta_t, beta_s, 0.3), ("s", beta_s, beta_t, 0.7)):
        X = rng.standard_normal((n, 3)) @ roots[name].T
        y = X @ own + noise[name] * rng.standard_normal(n) > 0
        gap = ((X @ other > 0) != y).astype(float) - ((X @ own > 0) != y)
        total += weight * gap.mean()
        variance += weight**2 * gap.var() / n
    assert total == pytest.approx(exact, abs=4 * np.sqrt(variance))


@pytest.mark.data
@pytest.mark.parametrize("name", ["lda", "probit"])
def test_oracle_column_of_the_paper(name):
    path = TABLES / f"{name}_estimates.csv"
    if not path.exists():
        pytest.skip(f"the paper's tables are not at {path}")
    with path.open() as file:
        rows = [(float(r["similarity"]), float(r["oracle"])) for r in csv.DictReader(file)]
    assert len(rows) == 21
    for similarity, oracle in rows:  # printed with four digits
        assert settings()[name](similarity).oracle() == pytest.approx(oracle, abs=5.1e-5)


def test_target_does_not_depend_on_the_level():
    first, second = (LDA(c).sample(50, 40, random_state=1) for c in (0.9, -0.9))
    assert first.target.fingerprint == second.target.fingerprint
    assert first.source.fingerprint != second.source.fingerprint
    assert first.target_test is None


def test_sample_has_the_law_it_says():
    sample = LDA(0.0).sample(40, 60, random_state=0, n_test=20_000)
    assert [d.n_rows for d in sample] == [40, 60, 20_000, 20_000]
    X, y = sample.target_test.features.numeric, sample.target_test.y
    assert np.bincount(y).tolist() == [10_000, 10_000]
    assert X[y == 1].mean(axis=0) == pytest.approx(np.full(10, 0.4), abs=4 / np.sqrt(10_000))


def test_text_variant_of_lda():
    assert LDA(0.0, variant="text").oracle() == pytest.approx(
        lda_cls(np.full(10, 0.3), rotate(np.full(10, 0.3), 0.0))
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LDA(1.5).oracle(), "between -1 and 1"),
        (lambda: LDA(0.5, variant="book").oracle(), "'tables' or 'text'"),
        (lambda: probit_cls(np.zeros(2), np.ones(2)), "beta' Sigma beta > 0"),
        (lambda: lda_cls(np.zeros(2), np.ones(2)), "class means that differ"),
        (lambda: LDA(0.5).sample(1, 30), "n_target must be at least 2"),
        (lambda: LDA(0.5).sample(10, 30), "at least 20 labelled rows"),
    ],
)
def test_bad_settings(make, message):
    with pytest.raises(DatakinError, match=message):
        make()
