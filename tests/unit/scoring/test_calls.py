"""Calls, the order of a ranking and groups of equals; matrices whose clusters agree with their calls."""

import json
from dataclasses import replace

import numpy as np
import pytest

import datakin
from datakin import CrossErrors, DatakinError, Matrix, Ranking, Zone, from_json, rank, score
from datakin.learners.stack.records import Trial, call_of
from datakin.report.matrices import matrix_view
from datakin.results.record import make_provenance
from datakin.results.zones import decide_by_trial
from datakin.scoring.rankings import in_order

pytestmark = pytest.mark.whole_trials
FAST = {"models": ["logistic"], "cv": 3}


def trial(gain=0.03, p_gain=0.9, p_harmless=0.99, pooled_high=0.1, tried=0.03, error=0.01):
    return Trial(
        "s",
        gain,
        gain - 0.02,
        gain + 0.04,
        p_gain,
        tried,
        error,
        0.0,
        -0.1,
        pooled_high,
        p_harmless,
    )


@pytest.fixture(scope="module")
def five(make_lda):
    angles = {"twin": 0.0, "near": 0.3, "far": 1.2, "against": 3.0}
    sources = [make_lda(90, k + 2, angle=a, name=n) for k, (n, a) in enumerate(angles.items())]
    return [make_lda(60, 1, name="target"), *sources]


@pytest.fixture(scope="module")
def ranking(five):
    return rank(five[0], five[1:], **FAST)


def test_a_zone_has_a_call_and_the_paper_s_code():
    found = {zone: (zone.call, zone.code) for zone in Zone}
    assert found == {
        Zone.POSITIVE: ("helps", "PT"),
        Zone.HARMLESS: ("harmless", "AZ"),
        Zone.AMBIGUOUS: ("unclear", "AZ"),
        Zone.NEGATIVE: ("hurts", "NT"),
        Zone.UNTRIED: ("not tried", ""),
    }


@pytest.mark.parametrize(
    ("made", "call", "said"),
    [
        (
            trial(),
            "helps",
            "should fall by 3.0% (90% interval of the gain 1.0 to 7.0%). A gain has probability 90%",
        ),
        (trial(p_gain=0.6), "harmless", "a cost above 2% is all but ruled out"),
        (trial(-0.01, p_gain=0.3, p_harmless=0.7), "unclear", "should rise by 1.0% (90%"),
        (trial(p_gain=0.6, pooled_high=-0.05), "hurts", "pooled with this source"),
    ],
)
def test_the_call_of_a_trial_and_its_sentence(made, call, said):
    decision = decide_by_trial(made)
    assert decision.zone.call == decision.word == call == call_of(made)
    assert said in decision.reason
    assert (decision.score, decision.low, decision.high) == (made.gain, made.low, made.high)


def test_a_score_and_a_ranking_tell_one_story(five, ranking):
    for source in five[1:]:
        alone, among = score(five[0], source, **FAST), ranking[source.name]
        assert (alone.trial, alone.decision) == (among.trial, among.decision)
    assert len({c.loss_alone for c in ranking}) == 1, "one baseline for all gains"
    assert ranking["against"].call == "hurts"
    assert "hurts" in str(ranking)
    assert "negative" not in str(ranking)


def test_rank_says_of_a_source_what_choose_says(five, ranking):
    for found in datakin.choose(five[0], five[1:]).choices:
        trial = ranking[found.source].trial
        assert (found.gain, found.low, found.high) == (trial.gain, trial.low, trial.high)
        assert found.pooled == trial.pooled


def test_the_order_is_that_of_the_gain_to_expect(ranking):
    frame = ranking.frame
    assert frame.gain.tolist() == sorted((c.trial.gain for c in ranking), reverse=True)
    assert frame.group.tolist() == [ranking.groups[c.source] for c in ranking]
    assert frame.group.iloc[0] == 1
    assert set(np.diff(frame.group)) <= {0, 1}
    assert frame.p_gain.tolist() == [c.trial.p_gain for c in ranking]
    assert "The data do not support the order within a group." in ranking.answer.evidence[1]


def _with(c, name, value, error):
    """Return a comparison whose order value is known, with its standard error."""
    ways = {**c.directions}
    ways["source_to_target"] = replace(ways["source_to_target"], standard_error=0.0)
    made = replace(c.trial, source=name, gain=value / 2, tried=value, standard_error=error)
    return replace(c, source=name, source_to_target=0.0, directions=ways, trial=made)


def test_groups_by_hand(ranking):
    c = ranking.best
    found = [_with(c, n, v, 0.05) for n, v in (("b", 0.2), ("a", 0.2), ("d", 0.06), ("c", 0.1))]
    ordered, groups = in_order(found)
    assert [c.source for c in ordered] == ["a", "b", "c", "d"], "ties by name"
    # 1.645 standard errors of a difference are 0.116.
    assert groups == {"a": 1, "b": 1, "c": 1, "d": 2}


def test_the_paper_s_rule_orders_as_before(five):
    found = rank(five[0], five[1:], zones="paper", **FAST)
    losses = [c.source_to_target for c in found]
    assert losses == sorted(losses)
    assert not found.is_tried
    assert all(c.trial is None and c.decision.rule == "paper" for c in found)


def test_without_trials_there_is_no_call(five):
    errors = CrossErrors.measure(five, pairs="target", **FAST)
    found = errors.rank("target")
    assert not found.is_tried
    assert {c.call for c in found} == {c.zone.value for c in found} == {"not tried"}
    assert all(c.reason.startswith("not tried: ") and not c.zone_probabilities for c in found)
    assert "No source was tried, so that none is called." in found.answer.caveats
    assert found.answer.headline == "No source was tried with target."
    frame = found.frame
    assert frame.call.eq("not tried").all()
    assert frame[["gain", "gain_low", "gain_high", "p_gain"]].isna().all(axis=None)
    assert from_json(found.to_json()) == found


def test_a_source_that_cannot_be_tried_is_not_called(five):
    target, first = five[:2]
    errors = CrossErrors.measure([target, first], trials="target", **FAST)
    trials = errors.trials["target"]
    without = replace(trials, trials={}, unusable={first.name: "It has too few rows."})
    found = replace(errors, trials={"target": without}).score("target", first.name)
    assert (found.trial, found.call) == (None, "not tried")
    assert found.reason == "could not be tried (It has too few rows)"


def test_json_both_ways_and_of_earlier_versions(ranking):
    assert from_json(ranking.to_json()) == ranking
    assert isinstance(from_json(ranking.to_json()).best.trial, Trial)
    held = json.loads(ranking.to_json())
    held["forecast"] = {"type": "Forecast", "target": "target"}
    for comparison in held["comparisons"]:
        comparison |= {
            "weight": 0.4,
            "gain": {"type": "ExpectedGain", "value": 0.1},
            "outlook": None,
        }
    assert Ranking.from_json(json.dumps(held)) == ranking


FORMULA = {
    "type": "ZoneDecision",
    "rule": "gain",
    "score": 0.1,
    "low": 0.01,
    "high": 0.2,
    "reason": "x",
}


def by_formula(comparison):
    """Return the JSON of a comparison that an earlier version called by the formula."""
    zone = {"type": "Zone", "value": "positive"}
    held = json.loads(comparison.to_json())
    held |= {"zone": zone, "decision": {**FORMULA, "zone": zone}, "weight": 1.0, "gain": None}
    return json.dumps({**held, "zone_probabilities": {"positive": 1.0}, "outlook": None})


def test_a_call_by_the_formula_of_earlier_versions_is_none(five):
    found = CrossErrors.measure(five[:2], pairs="target", **FAST).score("target", five[1].name)
    again = from_json(by_formula(found))
    assert (again.call, again.zone_probabilities) == ("not tried", {})
    assert "an earlier version" in again.reason
    assert replace(again, decision=found.decision) == found
    with pytest.warns(datakin.DatakinWarning, match="same rows"):
        copy = score(five[0], five[0].renamed("copy"), **FAST)
    again = from_json(by_formula(copy))
    assert (again.zone, again.decision.rule) == (Zone.POSITIVE, "none")
    assert again.answer == copy.answer


def test_a_forecast_of_earlier_versions_is_refused():
    with pytest.raises(
        DatakinError, match=r"Forecasts .* no longer .* datakin\.choose and datakin\.rank"
    ):
        from_json('{"format": 1, "type": "Forecast", "target": "home"}')


# Matrices


def square(zones, scores=None):
    n = len(zones)
    scores = np.full((n, n), 0.02) if scores is None else np.array(scores)
    scores = scores - np.diag(np.diag(scores))
    nothing = np.zeros((n, n))
    names = tuple("abcdefgh"[:n])
    return Matrix(
        names, scores, 0, make_provenance(0, {}, {}), nothing, scores, scores, scores, nothing,
        tuple(tuple(row) for row in zones), np.full((n, n), 0.5), rule="trial",
    )  # fmt: skip


P, U, N = Zone.POSITIVE, Zone.AMBIGUOUS, Zone.NEGATIVE


def test_datasets_that_hurt_each_other_are_not_of_one_kin():
    """Small scores, and two thirds of the pairs negative: once "all are kin" above "67% negative"."""
    zones = [[P, N, N, U], [N, P, N, N], [U, N, P, N], [U, N, N, P]]
    found = square(zones)
    clusters = found.clusters()
    for i, one in enumerate(found.names):
        for j, other in enumerate(found.names):
            if clusters[one] == clusters[other] and i != j:
                assert N not in (found.zones[i][j], found.zones[j][i])
    assert len(set(clusters.values())) > 1
    assert "one kin" not in matrix_view(found)["verdict"]["head"]


def test_one_direction_that_hurts_keeps_two_apart():
    assert set(square([[P, N], [P, P]]).clusters().values()) == {1, 2}
    assert set(square([[P, U], [U, P]]).clusters().values()) == {1}


def test_no_pair_within_a_cluster_hurts():
    rng = np.random.default_rng(0)
    for _ in range(30):
        n = int(rng.integers(3, 8))
        zones = rng.choice(np.array([P, U, N], dtype=object), (n, n), p=[0.4, 0.3, 0.3])
        scores = np.abs(rng.standard_normal((n, n))) * rng.integers(0, 2)
        found = square(zones.tolist(), scores + scores.T)
        clusters = np.array(list(found.clusters().values()))
        same = clusters[:, None] == clusters[None, :]
        assert not (same & found.are_apart).any()


def test_clusters_agree_with_the_tree():
    zones = [[P, U, N], [U, P, N], [N, N, P]]
    found = square(zones, [[0, 0.1, 0.02], [0.1, 0, 0.02], [0.02, 0.02, 0]])
    assert found.clusters() == {"a": 1, "b": 1, "c": 2}
    assert found.clusters(2) == found.clusters()
    assert found.tree[-1, 2] > found._cut() > found.tree[0, 2]


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (3, "Together: a, b and c."),
        (4, "Together: a, b, c and d."),
        (5, "Together: a, b, c and 2 others."),
    ],
)
def test_members_of_a_group_in_words(n, said):
    last = n  # which is apart from all others
    zones = [[N if (i == last) != (j == last) else P for j in range(n + 1)] for i in range(n + 1)]
    answer = square(zones).answer
    assert answer.headline == f"The {n + 1} datasets form 2 groups within which no pair hurts."
    assert answer.evidence[1:] == (said, f"Alone: {'abcdef'[last]}.")


def test_most_pairs_unclear_is_said():
    said = "Most pairs are unclear: being together is not proven."
    assert said in square([[P, U, U], [U, P, U], [U, U, P]]).answer.caveats
    assert said not in square([[P, P, U], [P, P, P], [P, P, P]]).answer.caveats


def test_the_calls_of_trials_stand_below_the_scores():
    zones = [[P, N, U], [Zone.HARMLESS, P, P], [P, U, P]]
    gains = np.array([[0, -0.1, 0.01], [0.01, 0, 0.1], [0.1, np.nan, 0]])
    assert square(zones).answer.second is None
    found = replace(square(zones), rule="trial", gains=gains)
    lines = str(found).splitlines()
    at = lines.index("Calls, both ways; rows: the source, columns: the target:")
    assert [line.split() for line in lines[at + 1 : at + 5]] == [
        ["a", "b", "c"],
        ["a", "-", "hurts", "unclear"],
        ["b", "harmless", "-", "helps"],
        ["c", "helps", "-", "-"],
    ]
    assert "a hurts b." in found.answer.reasons


def test_calls_of_a_matrix_are_those_of_scores(five):
    members = five[:3]
    found = datakin.matrix(members, calls=True, **FAST)
    assert found.rule == "trial"
    for i, source in enumerate(members):
        for j, target in enumerate(members):
            if i != j:
                alone = score(target, source, **FAST)
                assert found.zones[i][j] is alone.zone
                assert found.gains[i, j] == alone.trial.gain
    assert {"call", "call_back", "gain", "gain_back"} <= set(found.frame)
    assert "Calls come from trials of every pair, both ways." in found.answer.caveats
    assert Matrix.from_json(found.to_json()) == found
    kept = CrossErrors.measure(members, trials="all", **FAST)
    assert (kept.matrix().zones, kept.matrix().rule) == (found.zones, "trial")


def test_a_matrix_without_trials_has_no_calls(five):
    found = datakin.matrix(five[:3], **FAST)
    assert (found.rule, found.gains) == ("none", None)
    assert set(found.frame.call) == set(found.frame.call_back) == {"not tried"}
    assert set(found.calls.to_numpy().ravel()) == {"-", "not tried"}
    assert found.answer.evidence[0] == "No pair was tried, so that none is called."
    (said,) = [text for text in found.answer.caveats if "trials" in text]
    assert "which can be asked for" in said
    by_paper = datakin.matrix(five[:3], zones="paper", **FAST).answer
    assert "Zones by the paper's rule." in by_paper.caveats


def test_a_matrix_called_by_the_formula_of_earlier_versions(five):
    found = datakin.matrix(five[:3], **FAST)
    text = found.to_json().replace('"not tried"', '"negative"').replace('"none"', '"gain"')
    assert Matrix.from_json(text) == found
    tried = datakin.matrix(five[:3], calls=True, **FAST)
    gains = tried.gains.copy()
    gains[0, 1] = np.nan
    some = Matrix.from_json(replace(tried, gains=gains, rule="gain").to_json())
    assert some.rule == "trial"
    assert some.zones[0][1] is Zone.UNTRIED
    assert (some.zones[1], some.calls.iloc[0, 1]) == (tried.zones[1], "not tried")


def test_calls_and_the_paper_s_rule_exclude_each_other(five):
    with pytest.raises(DatakinError, match="leave out one of the two"):
        datakin.matrix(five[:3], calls=True, zones="paper", **FAST)
    with pytest.raises(DatakinError, match="'calls' parameter must be True or False"):
        datakin.matrix(five[:3], calls="yes", **FAST)
