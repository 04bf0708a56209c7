"""Forecasts of the gain: what they say, how they are kept, and what they do not depend on."""

import numpy as np
import pytest
from scipy import stats

from datakin import (
    Comparison,
    DatakinError,
    DatakinWarning,
    Forecast,
    Ranking,
    Zone,
    forecast_gain,
    from_json,
    matrix,
    rank,
    score,
)
from datakin.learners.stack.records import call_of
from datakin.results.forecast import ExpectedGain, Outlook
from datakin.results.record import make_provenance
from datakin.results.zones import GAIN, TRIAL
from datakin.scoring.forecast import best_weight, forecast_pool, plain_gain

FAST = {"models": ["logistic"], "cv": 3}
PROVENANCE = make_provenance(0, {}, {})


def look(lack=0.04, behind=0.02, *, spread=1e-4, between=0.0, rows=(100, 300)):
    return Outlook(0.2, lack, behind, (spread, spread, between), *rows, 8)


def pool(outlooks, correlation=None, unit="share of rows"):
    names = [f"s{i}" for i in range(len(outlooks))]
    correlation = np.eye(len(names)) if correlation is None else np.array(correlation)
    return forecast_pool("home", names, outlooks, correlation, unit, PROVENANCE)


@pytest.fixture(scope="module")
def pair(make_lda):
    return make_lda(60, 1, name="target"), make_lda(90, 2, name="kin")


@pytest.fixture(scope="module")
def comparison(pair):
    return score(*pair, **FAST)


def test_the_gain_of_plain_pooling_by_hand():
    # p = 300/400; gain = 2 p (1 - p) A - p^2 D, standard error from the gradient in (A, D).
    found = pool([look(between=0.5e-4)])
    p = 0.75
    slope = np.array([2 * p * (1 - p), -(p**2)])
    covariance = np.array([[1e-4, 0.5e-4], [0.5e-4, 1e-4]])
    error = np.sqrt(slope @ covariance @ slope)
    assert found.gain == pytest.approx(slope @ [0.04, 0.02])
    assert found.pooled.standard_error == pytest.approx(error)
    assert found.interval == pytest.approx(found.gain + stats.t.ppf([0.025, 0.975], 8) * error)
    narrow = found.pooled.low90, found.pooled.high90
    assert narrow == pytest.approx(found.gain + stats.t.ppf([0.05, 0.95], 8) * error)
    assert found.probability == pytest.approx(stats.t.cdf(found.gain / error, 8))
    assert found.relative == pytest.approx(found.gain / 0.2)


def test_the_curve_over_the_share():
    found = pool([look()])
    share, gain = found.curve["share"], found.curve["gain"]
    assert (share.iloc[0], share.iloc[-1], len(share)) == (0.0, 1.0, 21)
    np.testing.assert_allclose(gain, 2 * share * (1 - share) * 0.04 - share**2 * 0.02, atol=1e-12)
    assert (found.curve.low <= gain).all()
    assert (gain <= found.curve.high).all()
    assert pool([look(), look()]).curve.empty


def test_nobody_lacks_less_than_nothing():
    found = pool([look(lack=-0.03, behind=0.05)])
    assert found.gain == pytest.approx(-(0.75**2) * 0.05)


def test_without_uncertainty_the_best_share_is_exact():
    found = pool([look(spread=0.0)])
    assert found.kinship == pytest.approx(0.04 / (0.04 + 0.06))
    assert found.weight == pytest.approx(0.4 / 0.6 * 100 / 300)
    assert found.best.value == pytest.approx(0.04 * 0.4)
    assert found.probability == 1.0
    assert found.best_relative == pytest.approx(0.08)


def test_the_best_share_is_corrected_for_optimism():
    """A source that is all noise: chosen on the data it would look better than it is."""
    sure, noisy = pool([look(spread=0.0)]), pool([look(spread=4e-4)])
    assert noisy.best.value < sure.best.value
    useless = pool([look(lack=0.0, behind=0.0, spread=4e-4)])
    assert useless.best.value <= 0


def test_weights_never_exceed_one():
    found = pool([look(behind=-0.06, rows=(100, 50)), look(behind=-0.05, rows=(100, 400))])
    assert 0 <= min(found.weights.values()) <= max(found.weights.values()) <= 1
    assert found.kinship <= 1
    weight = best_weight(look(behind=-0.06, spread=0.0))
    assert weight == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("low90", "high90", "zone"),
    [
        (0.001, 0.03, Zone.POSITIVE),
        (-0.03, -0.001, Zone.NEGATIVE),
        (-0.01, 0.03, Zone.AMBIGUOUS),
        (0.0, 0.03, Zone.AMBIGUOUS),
        (-0.03, 0.0, Zone.AMBIGUOUS),
    ],
)
def test_the_zone_is_that_of_the_90_percent_interval(low90, high90, zone):
    value = (low90 + high90) / 2
    decision = GAIN.decide_gain(ExpectedGain(value, 0.01, value - 1, value + 1, low90, high90, 0.5))
    assert decision.zone is zone
    assert decision.rule == "gain"
    assert (decision.score, decision.low, decision.high) == (value, low90, high90)
    assert f"{low90:.4f}, {high90:.4f}" in decision.reason


def test_the_comparison_carries_its_forecast(comparison):
    found = forecast_gain(comparison)
    assert comparison.gain == found.pooled
    assert comparison.weight == found.weight
    assert comparison.outlook.n_target == 60
    assert comparison.outlook.n_source == 90
    row, trial = comparison.frame.iloc[0], comparison.trial
    shown = row.gain, row.gain_low, row.gain_high, row.p_gain
    assert shown == (trial.gain, trial.low, trial.high, trial.p_gain)
    assert "a gain has probability" in " ".join(str(comparison).split())
    lack = comparison.curves["target"]
    assert comparison.outlook.lack == pytest.approx(lack.slope / 60)
    assert comparison.outlook.error == pytest.approx(lack.error_at(60))


def test_the_learner_is_that_of_the_comparison(pair):
    options = {"models": ["logistic", "linear_svm"], "cv": 3}
    found = {e: score(*pair, estimate=e, **options).outlook for e in ("logistic", "linear_svm")}
    assert found["logistic"] != found["linear_svm"]
    assert score(*pair, **FAST, estimate="logistic").outlook.error == found["logistic"].error


def test_the_size_of_the_score_does_not_matter(pair, comparison):
    for size in ("paper", "limit"):
        other = score(*pair, size=size, **FAST)
        assert (other.outlook, other.gain) == (comparison.outlook, comparison.gain)


def test_gain_zones_in_score_rank_and_matrix(pair, make_lda):
    target, kin = pair
    stranger = make_lda(90, 3, angle=3.0, name="stranger")
    for source in (kin, stranger):
        paper, gain = (score(target, source, zones=z, **FAST) for z in ("paper", "gain"))
        assert gain.decision == TRIAL.decide_trial(gain.trial)
        assert gain.zone is gain.decision.zone
        assert gain.call == call_of(gain.trial)
        assert paper.trial is None
        assert (paper.score, paper.gain) == (gain.score, gain.gain)
        assert sum(gain.zone_probabilities.values()) == pytest.approx(1.0)
    assert gain.zone is Zone.NEGATIVE
    ranking = rank(target, [stranger, kin], zones="gain", **FAST)
    assert ranking["stranger"].decision == gain.decision
    assert ranking["kin"].decision.rule == "trial"


def _by_formula(comparison):
    """The zone without a trial: a matrix makes none unless it is asked to."""
    return GAIN.decide_gain(plain_gain(comparison.outlook)).zone


def test_gain_zones_of_a_matrix_go_both_ways(make_lda):
    members = [make_lda(40, 1, name="small", p=8), make_lda(500, 2, name="large", p=8)]
    square = matrix(members, zones="gain", **FAST)
    to_small, to_large = (_by_formula(score(*m, **FAST)) for m in (members, members[::-1]))
    assert square.zones[1][0] is to_small
    assert square.zones[0][1] is to_large
    assert (to_small, to_large) == (Zone.POSITIVE, Zone.AMBIGUOUS)
    assert square.frame.zone.tolist() == [to_small.value]
    paper = matrix(members, zones="paper", **FAST)
    np.testing.assert_array_equal(square.thresholds, paper.thresholds)
    assert square.clusters() == paper.clusters()


def test_a_dataset_against_itself_has_no_forecast(pair):
    target, kin = pair
    with pytest.warns(DatakinWarning, match="hold the same rows"):
        same = score(target, target, **FAST)
    assert same.gain is None
    assert same.outlook is None
    assert same.frame[["gain", "gain_low", "gain_high"]].isna().all(axis=None)
    with pytest.raises(DatakinError, match=r"hold the same rows: pooling them brings nothing"):
        forecast_gain(same)
    with pytest.warns(DatakinWarning, match="hold the same rows"):
        ranking = rank(target, [kin, target.renamed("twin")], **FAST)
    with pytest.warns(DatakinWarning, match="hold the same rows"):
        square = matrix([target, kin, target.renamed("twin")], zones="gain", **FAST)
    assert ranking.forecast.sources == ("kin",)
    assert ranking.frame.set_index("source").weight["twin"] == 1.0
    assert square.zones[0][2] is square.zones[2][0] is Zone.POSITIVE


def test_what_is_no_comparison_is_refused(pair):
    with pytest.raises(DatakinError, match=r"takes a Comparison.*Got Ranking.*see its \.forecast"):
        forecast_gain(rank(pair[0], [pair[1]], **FAST))
    with pytest.raises(DatakinError, match=r"takes a Comparison.*Got float"):
        forecast_gain(0.3)
    with pytest.raises(DatakinError, match=r"'zones' parameter must be one of 'gain', 'paper'"):
        score(*pair, zones="gains")


def test_forecasts_come_back_from_json(comparison, pair, make_lda):
    ranking = rank(pair[0], [pair[1], make_lda(60, 3, name="third")], **FAST)
    for result in (comparison, forecast_gain(comparison), ranking, ranking.forecast):
        again = from_json(result.to_json())
        assert type(again) is type(result)
        assert again == result
        assert str(again) == str(result)
    again = Comparison.from_json(comparison.to_json())
    assert forecast_gain(again) == forecast_gain(comparison)
    assert isinstance(Ranking.from_json(ranking.to_json()).forecast, Forecast)
    assert type(again.outlook) is Outlook
    assert type(again.gain) is ExpectedGain


def test_a_ranking_weighs_its_sources_together(pair, make_lda):
    target, kin = pair
    others = [make_lda(70, 3, angle=0.6, name="b"), make_lda(80, 4, angle=3.0, name="a"), kin]
    ranking = rank(target, others, **FAST)
    turned = rank(target, others[::-1], **FAST)
    assert ranking.forecast.weights == turned.forecast.weights
    assert ranking.forecast == turned.forecast
    weights = ranking.frame.set_index("source").weight
    assert weights.to_dict() == ranking.forecast.weights
    assert weights["kin"] > 10 * weights["a"]
    assert weights["kin"] <= ranking["kin"].weight + 0.02  # less than alone, but for the draws
    assert set(ranking.forecast.provenance.fingerprints) == {"target", "kin", "a", "b"}


def test_copies_of_a_source_share_its_weight(pair):
    target, kin = pair
    alone = rank(target, [kin], **FAST).forecast
    twice = rank(target, [kin, kin.renamed("copy")], **FAST).forecast
    assert twice.weights["kin"] == pytest.approx(twice.weights["copy"], rel=1e-3)
    total = sum(twice.weights.values())
    # The shares are averages over 200 draws.
    assert total == pytest.approx(alone.weight, rel=0.1)
    assert twice.kinship == pytest.approx(alone.kinship, rel=0.1)


def test_sentences():
    found = pool([look(spread=0.0)])
    assert found.sentence == (
        "By the gain formula, pooling 's0' should cut the error of 'home' (20.0%) by 0.4 points "
        "(probability of a gain 1.00); with its rows weighted 0.22 it should cut it by 1.6 points."
    )
    worse = pool([look(behind=0.4, spread=0.0)] * 2, np.eye(2), unit="loss")
    assert "'s0' and 's1' should raise the error of 'home' (0.2) by" in worse.sentence
    assert "points" not in worse.sentence
    assert "all 4 sources" in pool([look()] * 4).sentence
    assert "does not promise a gain either" in pool([look(lack=0.0, spread=1e-4)]).sentence
    assert "Best weight of a row: s0 0.22." in found.answer.caveats
    assert " ".join(found.answer.evidence).startswith(found.sentence.partition(";")[0])
    assert repr(found).startswith("Forecast('home' with 's0': gain 0.0037 [")
    assert found.frame.how.tolist() == ["pooled", "weighted"]


def test_no_error_leaves_nothing_to_reduce():
    perfect = Outlook(0.0, 0.0, 0.0, (1e-4, 1e-4, 0.0), 100, 100, 8)
    found = pool([perfect])
    assert np.isnan(found.relative)
    assert np.isnan(found.best_relative)
    assert found.zone is Zone.AMBIGUOUS


def test_one_weight_only_where_there_is_one_source():
    with pytest.raises(AttributeError, match="several sources"):
        _ = pool([look(), look()]).weight


def test_regression_and_groups(make_linear):
    from dataclasses import replace

    target, source = make_linear(60, 1, name="a"), make_linear(120, 2, name="b")
    options = {"models": ["linear"], "cv": 3}
    found = forecast_gain(score(target, source, **options))
    assert found.unit == "loss"
    assert found.gain > 0
    # A unit of measurement twice as large quarters the squared error and all that is made from it.
    halves = [make_linear(n, s, unit=0.5, name=x) for n, s, x in ((60, 1, "a"), (120, 2, "b"))]
    half = forecast_gain(score(*halves, **options))
    assert half.gain == pytest.approx(found.gain / 4, rel=1e-6)
    assert half.weight == pytest.approx(found.weight, rel=1e-6)
    pairs = replace(target, groups=np.arange(60) // 2)
    grouped = forecast_gain(score(pairs, source, **options))
    assert grouped.pooled.standard_error > 0
