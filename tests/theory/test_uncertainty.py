"""Standard errors, rank stability and learning curves against closed forms and simulation."""

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier

from datakin import DatakinError, Zone, rank, score
from datakin.data import as_dataset
from datakin.scoring.cls import Discrepancy
from datakin.scoring.uncertainty import (
    jackknife_variance,
    make_estimate,
    probability_first,
    row_variance,
    standard_error,
    zone_probabilities,
)
from datakin.synthetic import LDA

FAST = {"models": ["logistic"], "estimate": "logistic"}


def test_row_variance_is_that_of_a_mean():
    x = np.random.default_rng(0).standard_normal(50)
    influence = (x - x.mean()) / len(x)
    assert row_variance(influence, None) == pytest.approx(x.var(ddof=1) / 50, rel=1e-12)


def test_rows_of_one_group_count_once():
    """Every row three times over: the same variance as without the copies, to the factor n/(n-1)."""
    x = np.random.default_rng(1).standard_normal(40)
    single = row_variance((x - x.mean()) / 40, None)
    tripled = np.repeat((x - x.mean()) / 120, 3)
    assert row_variance(tripled, np.repeat(np.arange(40), 3)) == pytest.approx(single, rel=1e-12)
    assert row_variance(tripled, None) < 0.4 * single


def test_jackknife_of_a_mean_is_exact():
    x = np.random.default_rng(2).standard_normal((5, 8))
    replicates = np.array([np.delete(x, k, axis=0).mean() for k in range(5)])
    assert jackknife_variance(replicates) == pytest.approx(
        x.mean(axis=1).var(ddof=1) / 5, rel=1e-12
    )


def test_estimate_has_the_t_interval_and_p_value():
    found = make_estimate(0.3, 0.1, n_folds=5)
    t = stats.t(8)
    assert found.low == pytest.approx(0.3 - t.ppf(0.975) * 0.1, rel=1e-9)
    assert found.high == pytest.approx(0.3 + t.ppf(0.975) * 0.1, rel=1e-9)
    assert found.p_value == pytest.approx(t.sf(3.0), rel=1e-9)
    assert make_estimate(0.0, 0.0, 5).p_value == 1.0


def _part(value, influence, replicates):
    return Discrepancy(value, 0.0, np.asarray(influence), np.asarray(replicates))


def test_probability_first_of_two_independent_sources():
    """P(first) is a t probability of the difference; only the sources' training rows are noisy here."""
    rng = np.random.default_rng(3)
    flat = np.zeros(100)
    noise = [rng.standard_normal(5) / 200 for _ in range(2)]
    parts = [_part(v, flat, e - e.mean()) for v, e in zip((0.010, 0.022), noise, strict=True)]
    found = probability_first(parts, np.zeros((2, 2)), 100, 5, 0)
    spread = standard_error(parts, [1.0, 1.0])
    expected = stats.t(8).cdf(0.012 / spread)
    assert found.sum() == pytest.approx(1.0)
    assert found[0] == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 20_000))
    assert 0.55 < expected < 0.9, "a case that can tell right from wrong"


def test_noise_that_all_sources_share_does_not_blur_the_order():
    rng = np.random.default_rng(4)
    shared = rng.standard_normal(100) / 100
    shared -= shared.mean()
    parts = [_part(v, shared, np.zeros(5)) for v in (0.0, 0.01)]
    products = np.full((2, 2), shared @ shared)
    assert probability_first(parts, products, 100, 5, 0)[0] == 1.0


def test_probability_first_knows_how_sources_vary_together():
    """Two sources whose losses correlate: the difference has the variance that their products give."""
    rng = np.random.default_rng(6)
    shared, *own = (rng.standard_normal(100) / 500 for _ in range(3))
    rows = np.array([shared + e - (shared + e).mean() for e in own])
    parts = [_part(v, row, np.zeros(5)) for v, row in zip((0.010, 0.022), rows, strict=True)]
    found = probability_first(parts, rows @ rows.T, 100, 5, 0)
    spread = np.sqrt(row_variance(rows[0] - rows[1], None))
    expected = stats.t(8).cdf(0.012 / spread)
    assert found[0] == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 20_000))
    assert 0.55 < expected < 0.9, "a case that can tell right from wrong"


def test_zone_probabilities_add_up():
    found = zone_probabilities(0.02, 0.01, 0.0, 0.03, 5)
    t = stats.t(8)
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["positive"] == pytest.approx(t.cdf(-2.0), rel=1e-9)
    assert found["negative"] == pytest.approx(t.sf(1.0), rel=1e-9)


@pytest.fixture(scope="module")
def family():
    parts = [LDA(c).sample(100, 100, random_state=4) for c in (1.0, 0.9, 0.0)]
    sources = {f"cos {c}": p.source for c, p in zip((1.0, 0.9, 0.0), parts, strict=True)}
    return parts[0].target, sources


def test_ranking_tells_how_sure_it_is(family):
    target, sources = family
    ranking = rank(target, sources, zones="paper", **FAST)
    first = ranking.frame.set_index("source")["p_first"]
    assert first.sum() == pytest.approx(1.0)
    assert first["cos 0.0"] < 0.01 < first["cos 1.0"]
    said = ranking.answer.evidence[1]
    assert said.startswith(f"{ranking.best.source} loses least with probability ")
    assert ("partly luck" in said) == (first[ranking.best.source] < 0.95)
    far = ranking["cos 0.0"]
    assert far.zone is Zone.NEGATIVE
    assert far.zone_probabilities["negative"] > 0.95
    assert far.p_value < 0.001 < ranking["cos 1.0"].p_value


def test_learning_curve_is_the_line_through_two_points(family):
    target, sources = family
    comparison = score(target, sources["cos 0.9"], **FAST)
    curve = comparison.curves[target.name]
    table = comparison.errors.frame
    own = table[(table.trained_on == target.name) & (table.tested_on == target.name)]
    own = own[own.model == "logistic"].set_index("held_out")
    assert curve.n_train == (60.0, 80.0)
    assert curve.errors == pytest.approx((own.error["jk"], own.error["k"]))
    assert curve.limit.value == pytest.approx(4 * own.error["k"] - 3 * own.error["jk"])
    for n, error in zip(curve.n_train, curve.errors, strict=True):
        assert curve.error_at(n) == pytest.approx(error)
    assert list(comparison.learning_curve.dataset.unique()) == [
        target.name,
        sources["cos 0.9"].name,
    ]
    assert np.isinf(curve.frame.n_train.iloc[-1])


def _merged(name, *parts):
    X = np.vstack([d.features.numeric[rows] for d, rows in parts])
    return as_dataset(X, np.concatenate([d.y[rows] for d, rows in parts]), name=name)


@pytest.mark.parametrize("cosine", [1.0, 0.0])
def test_rows_in_common_do_not_make_strangers_kin(cosine):
    """Half of the source's rows stand in the target too: it scores as if they were other rows.

    The source is half of the target's kind. The comparison is a source whose first half was drawn
    anew from the target's population; the mean difference over replicates is 0 within 3 standard
    errors, and each score lies in the other's interval in most replicates.
    """
    gaps, inside = [], []
    for seed in range(16):
        sample = LDA(cosine).sample(120, 120, random_state=seed)
        again = LDA(cosine).sample(120, 120, random_state=1000 + seed)
        half, rest = slice(0, 60), slice(60, 120)
        sharing = _merged("sharing", (sample.target, half), (sample.source, rest))
        fresh = _merged("fresh", (again.target, half), (sample.source, rest))
        with pytest.warns(match=r"60 row.* also stand in the source: left out"):
            one = score(sample.target, sharing, zones="paper", **FAST)
        other = score(sample.target, fresh, zones="paper", **FAST)
        # The rows left out are the ones of the target's kind: what is left to test on are
        # strangers to it, so that only the direction into the target compares like with like.
        gaps.append(one.source_to_target - other.source_to_target)
        low, high = one.directions["source_to_target"].low, one.directions["source_to_target"].high
        inside.append(low <= other.source_to_target <= high)
    assert abs(np.mean(gaps)) < 3 * np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    assert np.mean(inside) >= 0.8


def test_a_dataset_against_itself_is_zero_and_says_so(family):
    target, _ = family
    with pytest.warns(match="0 by definition"):
        comparison = score(target, target)
    assert (comparison.score, comparison.interval, comparison.zone) == (
        0.0,
        (0.0, 0.0),
        Zone.POSITIVE,
    )
    shuffled = as_dataset(target.features.numeric[::-1], target.y[::-1], name="shuffled")
    with pytest.warns(match="0 by definition"):
        assert score(target, shuffled).score == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 60}, "at least 60 rows, one per fold"),
        ({"repeats": 0}, "'repeats' parameter must be a whole number of at least 1"),
        (
            {"loss": lambda true, predicted: np.full(len(true), np.nan)},
            "finite numbers. Got .* NaN",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(family, options, message):
    target, sources = family
    with pytest.raises(DatakinError, match=message):
        score(target, sources["cos 0.9"], **FAST, **options)


def test_more_folds_than_half_the_rows_are_refused_in_regression():
    rng = np.random.default_rng(0)
    pair = [as_dataset(rng.standard_normal((40, 2)), rng.standard_normal(40), name=n) for n in "ab"]
    with pytest.raises(
        DatakinError, match=r"at least two rows. Got 25 folds .cv. for 40 rows in 'a'"
    ):
        score(*pair, models=["linear"], cv=25)


def test_a_model_that_fails_in_every_fold_is_left_out_and_named(family):
    target, sources = family

    class Fails(DummyClassifier):
        def fit(self, X, y):
            if len(y) < 100:
                raise ValueError("too few rows for me")
            return super().fit(X, y)

    models = {"fails": Fails(), "works": DummyClassifier(strategy="stratified", random_state=0)}
    with pytest.warns(match=r"fails: 30 fit.s. failed .*too few rows for me"):
        comparison = score(target, sources["cos 0.9"], models=models)
    assert list(comparison.model_scores) == ["works"]
    assert np.isfinite(comparison.score)


def test_rows_in_common_of_another_kind_than_the_rest():
    """Shared rows are easy, the others hard: both errors are taken over the rows that are kept."""
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)

        def draw(n, noise, rng=rng):
            X = rng.standard_normal((n, 3))
            return X, (X[:, 0] + noise * rng.standard_normal(n) > 0).astype(int)

        easy, hard = draw(40, 0.1), [draw(40, 2.0) for _ in range(2)]
        pair = [
            as_dataset(np.vstack([easy[0], h[0]]), np.concatenate([easy[1], h[1]]), name=name)
            for name, h in zip("ab", hard, strict=True)
        ]
        with pytest.warns(match="40 rows of the target also stand in the source: left out"):
            found.append(score(*pair, zones="paper", **FAST).score)
    assert abs(np.mean(found)) < 3 * np.std(found, ddof=1) / np.sqrt(len(found))


def test_no_error_among_few_rows_is_not_certainty():
    """Perfect predictors: an interval of some width, and no winner among equals."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    sets = [
        as_dataset(10.0 * y[:, None] + rng.standard_normal((40, 1)), y, name=n, keep=["x0"])
        for n in "tabc"
    ]
    with pytest.warns(match="own errors do not vary"):
        ranking = rank(sets[0], sets[1:], **FAST)
    for comparison in ranking:
        assert comparison.score == 0.0
        low, high = comparison.interval
        assert -high == low < -0.02
    assert all(0.25 < p < 0.42 for p in ranking.first.values())
