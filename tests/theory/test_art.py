"""ART on a generator of its authors' kind: 50 target rows, three near sources, two harmful ones.

Ten correlated columns (AR .3), coefficients N(1, 1); 50 rows of each auxiliary source, whose
coefficients are off by a vector of length .5; 30 rows of each noise source with the coefficients
turned around. Twenty draws; the gain must exceed three of its standard errors.
"""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from datakin.transfer import ART

N_DRAWS, P = 20, 10
CASES = {
    "regression": ART(LinearRegression(), repeats=8),
    # Mean deviances of classes lie close together: sharper weights, and a penalty against the
    # overconfidence of 25 rows in ten dimensions.
    "classes": ART(LogisticRegression(), repeats=8, sharpness=5.0),
}


def draw(seed, is_class):
    rng = np.random.default_rng(seed)
    places = np.arange(P)
    root = np.linalg.cholesky(0.3 ** np.abs(np.subtract.outer(places, places)))
    beta = 1 + rng.standard_normal(P)

    def rows(n, coefficients):
        X = rng.standard_normal((n, P)) @ root.T
        signal = X @ coefficients
        if is_class:
            return X, (rng.random(n) < 1 / (1 + np.exp(-signal))).astype(int)
        return X, signal + rng.standard_normal(n)

    def near():
        shift = rng.standard_normal(P)
        return rows(50, beta + 0.5 * shift / np.linalg.norm(shift))

    target = rows(50, beta)
    sources = [near() for _ in range(3)] + [rows(30, -beta) for _ in range(2)]
    return target, sources, rows(2000, beta)


@pytest.mark.parametrize("case", CASES)
def test_noise_sources_lose_their_weight_and_the_error_falls(case):
    is_class = case == "classes"
    weights, errors = [], []
    for seed in range(N_DRAWS):
        (X, y), sources, (Xe, ye) = draw(seed, is_class)
        for some in (sources, ()):
            model = CASES[case].fit(X, y, sources=some)
            predicted = model.predict(Xe)
            wrong = predicted != ye if is_class else (predicted - ye) ** 2
            errors.append(wrong.mean())
            if some:
                weights.append(model.source_weights_)
    near, noise = np.mean(weights, axis=0)[:3], np.mean(weights, axis=0)[3:]
    with_sources, alone = np.array(errors).reshape(-1, 2).T
    gain = alone - with_sources
    error = gain.std(ddof=1) / np.sqrt(N_DRAWS)
    print(
        f"\n{case}: weights of near sources {near.round(3)}, of noise {noise.round(4)}; error alone "
        f"{alone.mean():.4f}, ART {with_sources.mean():.4f}, gain {gain.mean():.4f} (se {error:.4f})"
    )
    assert noise.max() < 0.01
    assert near.min() > 0.2
    assert gain.mean() > 3 * error
