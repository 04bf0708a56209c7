"""Two samples of one distribution score 0 in expectation, and their intervals say so.

Small replica of the calibration experiment: 40 pairs with fixed seeds. The tolerance is three
standard errors of the mean, estimated from the replicates themselves; an upper bound on that
standard error keeps the test from passing through noise.
"""

import numpy as np
import pytest

from datakin import score

N_PAIRS = 40


@pytest.fixture(scope="module")
def replicates():
    """Results for a set of options, computed once."""
    known = {}

    def run(make_lda, **options):
        key = repr(sorted(options.items()))
        if key not in known:
            pairs = [
                (make_lda(60, 2 * r, p=4), make_lda(120, 2 * r + 1, p=4)) for r in range(N_PAIRS)
            ]
            known[key] = [score(*pair, zones="paper", **options) for pair in pairs]
        return known[key]

    return run


def mean_and_error(values):
    values = np.array(values)
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values))


OPTIONS = {
    "logistic": {"models": ["logistic"]},
    "weighted": {"models": ["logistic", "rbf_svm"], "estimate": "weighted"},
}


@pytest.mark.parametrize("case", OPTIONS)
def test_matched_score_is_zero_on_average(make_lda, replicates, case):
    mean, error = mean_and_error([c.score for c in replicates(make_lda, **OPTIONS[case])])
    assert error < 0.006
    assert abs(mean) < 3 * error


@pytest.mark.parametrize("case", OPTIONS)
def test_intervals_cover_zero(make_lda, replicates, case):
    """At least 85%: 34 of 40, which a true coverage of 95% misses once in a hundred runs."""
    covered = [c.interval[0] <= 0 <= c.interval[1] for c in replicates(make_lda, **OPTIONS[case])]
    assert np.mean(covered) >= 0.85


def test_standard_error_tells_the_spread_of_scores(make_lda, replicates):
    """Conservative at the null by design, but of the right order."""
    results = replicates(make_lda, **OPTIONS["logistic"])
    spread = np.std([c.score for c in results], ddof=1)
    stated = np.sqrt(np.mean([c.standard_error**2 for c in results]))
    # A standard deviation from 40 draws has a relative error of 1 / sqrt(2 * 39) = 11%.
    assert 1 - 3 * 0.113 < stated / spread < 2.0


def test_strangers_are_told_from_kin(make_lda):
    """The same sizes and the same noise, at a right angle: 0 does not pass everywhere."""
    results = [
        score(
            make_lda(60, 2 * r, p=4),
            make_lda(120, 2 * r + 1, p=4, angle=np.pi / 2),
            models=["logistic"],
        )
        for r in range(6)
    ]
    mean, error = mean_and_error([c.score for c in results])
    # Oracle: half the rows are misjudged instead of Phi(-0.8) = 0.21.
    assert abs(mean - 0.29) < 3 * error + 0.05
    assert mean > 5 * error
