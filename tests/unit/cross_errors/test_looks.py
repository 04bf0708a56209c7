"""A look fits nothing, and says what a fresh measurement with the same options says."""

import pytest

import datakin
from datakin import CrossErrors, DatakinError, Zone
from datakin.execution import trials
from datakin.learners import engine, fitters
from datakin.paper.models import LinearSVMFitter

LOOKS = [
    {},
    {"size": "paper"},
    {"size": "limit"},
    {"estimate": "weighted"},
    {"estimate": "unweighted"},
    {"estimate": "logistic"},
    {"estimate": "linear_svm"},
    {"estimate": "weighted", "size": "limit"},
    {"direction": 1.0},
    {"direction": 0.0},
    {"direction": 0.2, "size": "paper"},
    {"sharpness": 0.0},
    {"sharpness": 3.0},
    {"sharpness": 3.0, "estimate": "weighted", "size": "limit"},
    {"voting": "hard"},
    {"voting": "hard", "sharpness": 20.0, "direction": 0.7},
    {"zones": "paper"},
    {"zones": "paper", "zone_error": "folds"},
    {"zones": "paper", "zone_error": "folds", "size": "limit"},
]
NAMED = [
    pytest.param(look, id=" ".join(map(str, look.values())) or "as measured") for look in LOOKS
]
# A table measured for the matched score also has the limit, which a fresh paper score leaves out.
MORE = ("sizes.limit", "errors")


@pytest.fixture
def fits(monkeypatch):
    """Count fits, wherever they are made."""
    made = []
    monkeypatch.setattr(engine, "fit_model", counted(made, "model", engine.fit_model))
    monkeypatch.setattr(trials, "measure_target", counted(made, "trials", trials.measure_target))
    for kind in (fitters.GenericFitter, fitters.NewtonFitter, LinearSVMFitter):
        monkeypatch.setattr(kind, "fit", counted(made, "fitter", kind.fit))
    return made


def counted(made, what, fit):
    def count(*args, **options):
        made.append(what)
        return fit(*args, **options)

    return count


def test_ten_datasets_and_twenty_looks_without_a_further_fit(draw, fast, fits, tmp_path):
    ten = [draw(i, 40) for i in range(10)]
    errors = CrossErrors.measure(ten, trials="d0", **fast)
    assert fits.count("trials") == 1
    assert fits.count("model") == errors.n_fits == 10 * 2 * 7
    assert fits.count("fitter") >= fits.count("model")
    fits.clear()
    seen = set()
    for number, look in enumerate(LOOKS):
        seen.add(errors.score(f"d{number % 9}", "d9", **look).to_json())
    for look in ({}, {"estimate": "weighted", "size": "limit"}, {"sharpness": 3.0}):
        seen.add(errors.rank("d7", **look).to_json())
        seen.add(errors.matrix(**look).to_json())
    assert len(seen) == len(LOOKS) + 6 > 20
    assert len(errors.estimates("d8", "d2")) == (2 + 3) * 3
    assert len(errors.frame) > 0
    assert errors.subset(["d1", "d2"]).score("d1", "d2").score == errors.score("d1", "d2").score
    errors.save(tmp_path / "saved")
    assert CrossErrors.load(tmp_path / "saved").rank("d0", sharpness=1.0).n_fits == errors.n_fits
    assert fits == []


@pytest.mark.parametrize("look", NAMED)
def test_a_score_is_that_of_a_fresh_measurement(errors, four, fast, assert_same, look):
    fresh = datakin.score(four[0], four[2], **fast, **look)
    but = MORE if look.get("size") == "paper" else ("errors",)
    found = errors.score("d0", "d2", **look)
    assert_same(found, fresh, *but)
    if look.get("estimate") not in ("linear_svm",) and look.get("size") != "paper":
        assert_same(found, fresh)  # the table of the pair too; no pool is tried for the machine


@pytest.mark.parametrize("look", NAMED[2::4])
def test_a_ranking_is_that_of_a_fresh_measurement(errors, four, fast, assert_same, look):
    fresh = datakin.rank(four[0], four[1:], **fast, **look)
    assert_same(errors.rank("d0", **look), fresh, *MORE)


@pytest.mark.parametrize("look", [n for n in NAMED if "direction" not in n.values[0]][::4])
def test_a_matrix_is_that_of_a_fresh_measurement(plain, four, fast, assert_same, look):
    assert_same(plain.matrix(**look), datakin.matrix(four, **fast, **look))


def test_both_orders_of_a_pair(four, fast, assert_same):
    both = CrossErrors.measure(four[:2], trials="all", **fast)
    for look in ({}, {"direction": 0.8}, {"sharpness": 2.0, "estimate": "weighted"}):
        for a, b in ((0, 1), (1, 0)):
            fresh = datakin.score(four[a], four[b], **fast, **look)
            assert_same(both.score(f"d{a}", f"d{b}", **look), fresh)


@pytest.mark.parametrize(
    "look",
    [{"weighting": "paper"}, {"sharpness": 1.0, "size": "limit"}, {"estimate": "rbf_svm"}],
)
def test_regression(make_linear, assert_same, look):
    target, source = make_linear(40, 1, name="t"), make_linear(45, 2, angle=0.6, name="s")
    options = {"models": ["linear", "rbf_svm"], "cv": 3}
    errors = CrossErrors.measure([target, source], trials="t", **options)
    fresh = datakin.score(target, source, **options, **look)
    assert_same(errors.score("t", "s", **look), fresh)


def test_classes_with_all_models(draw, assert_same):
    target, source = draw(0, 50), draw(3, 60)
    errors = CrossErrors.measure([target, source], trials="d0", cv=3, loss="brier")
    for look in ({"sharpness": 5.0, "voting": "hard"}, {"estimate": "unweighted"}):
        fresh = datakin.score(target, source, cv=3, loss="brier", **look)
        assert_same(errors.score("d0", "d3", **look), fresh)


@pytest.mark.parametrize("models", [["logistic"], ["linear_svm"], ["linear_svm", "logistic"]])
def test_some_of_the_models(errors, four, assert_same, models, tmp_path):
    """A look at some models says what a measurement with these says; also from a saved table."""
    errors.save(tmp_path / "saved")
    fresh = datakin.score(four[0], four[2], models=models, cv=3)
    for table in (errors, CrossErrors.load(tmp_path / "saved")):
        found = table.score("d0", "d2", models=models)
        # The table counts all its fits, and a pool was tried for the machine too.
        assert_same(found, fresh, "n_fits", "errors")
        assert found.provenance.options["models"] == models
        assert set(found.provenance.backends) == set(models)
    assert (
        errors.score("d0", "d2", models="logistic").score
        == errors.score("d0", "d2", models=["logistic"]).score
    )
    ranking = datakin.rank(four[0], four[1:], models=models, cv=3, sharpness=2.0)
    assert_same(errors.rank("d0", models=models, sharpness=2.0), ranking, "n_fits", "errors")


@pytest.mark.parametrize(
    "models", [[], ["logistic", "logistic"], ["tree"], "logistik", 3, [["logistic"]]]
)
def test_models_that_were_not_measured(errors, models):
    with pytest.raises(DatakinError, match="These were measured: 'logistic', 'linear_svm'"):
        errors.score("d0", "d1", models=models)


def test_pools_of_models_that_are_left_out_are_left_out(errors):
    found = errors.score("d0", "d2", models=["linear_svm"])
    assert set(found.errors.frame["model"]) == {"linear_svm", "ensemble"}


def test_some_of_the_models_need_predictions(four, fast):
    losses = CrossErrors.measure(four[:2], keep="losses", **fast)
    with pytest.raises(
        DatakinError, match="Another set of models needs more than these cross errors"
    ):
        losses.score("d0", "d1", models=["logistic"])


def test_all_estimates_of_a_pair(errors):
    frame = errors.estimates("d1", "d2")
    assert list(frame.columns) == [
        "estimate",
        "size",
        "score",
        "standard_error",
        "low",
        "high",
        "p_value",
    ]
    for row in frame.itertuples():
        found = errors.score("d1", "d2", estimate=row.estimate, size=row.size)
        assert (found.score, found.standard_error) == (row.score, row.standard_error)
        assert found.interval == (row.low, row.high)


def test_a_look_leaves_the_table_as_it_was(errors):
    before, frame = errors.score("d0", "d1"), errors.frame
    errors.rank("d0", sharpness=1.0, voting="hard", size="limit", zones="paper")
    assert errors.score("d0", "d1") == before
    assert errors.frame.equals(frame)


def test_none_means_as_measured(errors):
    assert errors.score("d0", "d1", sharpness=None, size=None) == errors.score("d0", "d1")


def test_the_record_says_what_was_looked_at(errors):
    options = errors.score("d0", "d1", sharpness=7.0, size="limit").provenance.options
    assert (options["sharpness"], options["size"], options["cv"]) == (7.0, "limit", 3)


def test_calls_come_from_trials_where_they_were_made(errors, plain, four, fast):
    tried, inferred = errors.score("d0", "d2"), errors.score("d2", "d0")
    assert tried.trial == errors.trials["d0"].trials["d2"]
    assert (tried.decision.rule, inferred.decision.rule) == ("trial", "none")
    assert inferred.trial is None
    assert inferred == plain.score("d2", "d0")
    # The score does not depend on it.
    untried = plain.score("d0", "d2")
    assert tried.score == untried.score
    assert (untried.trial, untried.call) == (None, "not tried")
    assert datakin.score(four[0], four[2], **fast).trial == tried.trial


def test_the_paper_s_rule_does_without_trials(errors, plain, assert_same):
    assert_same(errors.rank("d0", zones="paper"), plain.rank("d0", zones="paper"))


def test_the_frame_holds_what_scores_are_made_of(errors):
    frame = errors.frame.set_index(["trained_on", "tested_on", "model", "held_out"]).error
    found = errors.score("d0", "d2")
    assert found.cross_errors["d2"] == pytest.approx(frame["d2", "d0", "ensemble", "k"])
    assert found.own_errors["d0"] == pytest.approx(frame["d0", "d0", "ensemble", "k"])
    paper = errors.score("d0", "d2", size="paper", estimate="logistic")
    assert paper.cross_errors["d2"] == pytest.approx(frame["d2", "d0", "logistic", "none"])
    assert frame.index.is_unique


def test_zones_follow_the_rule_that_is_asked_for(errors):
    for rule in ("gain", "paper"):
        found = errors.score("d0", "d3", zones=rule)
        assert found.decision.rule == {"gain": "trial"}.get(rule, rule)
        assert isinstance(found.zone, Zone)


def test_a_part_of_the_pairs(four, fast, errors, assert_same):
    part = CrossErrors.measure(four, pairs=[("d0", "d2"), ("d3", "d1")], trials="d0", **fast)
    assert set(part.pairs) == {("d0", "d2"), ("d3", "d1")}
    assert_same(part.score("d0", "d2"), errors.score("d0", "d2"))
    assert_same(part.score("d1", "d3"), errors.score("d1", "d3"))
    star = CrossErrors.measure(four, pairs="d0", trials=["d0"], **fast)
    assert_same(star.rank("d0"), errors.rank("d0"))
    assert len(star.pairs) == 3
