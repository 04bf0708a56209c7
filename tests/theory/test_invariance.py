"""What must not change a score: order, threads, other datasets present, names and units."""

import numpy as np
import pytest

from datakin import DatakinError, as_dataset, matrix, rank, score

FAST = ["logistic", "rbf_svm"]
SIZES = ("paper", "matched", "limit")


@pytest.fixture
def family(make_lda):
    """Four datasets at growing angles, of different sizes."""
    angles = {"a": 0.0, "b": 0.3, "c": 0.9, "d": 1.5}
    return {
        name: make_lda(50 + 7 * i, i, angle=angle, name=name)
        for i, (name, angle) in enumerate(angles.items())
    }


@pytest.mark.parametrize("estimate", ["ensemble", "weighted", "unweighted", "rbf_svm"])
@pytest.mark.parametrize("size", SIZES)
def test_score_is_symmetric_to_the_last_bit(family, estimate, size):
    # The paper's zones are symmetric as the score is; a gain is one dataset's.
    options = {"models": FAST, "estimate": estimate, "size": size, "cv": 3, "zones": "paper"}
    one = score(family["a"], family["c"], **options)
    two = score(family["c"], family["a"], **options)
    assert one.score == two.score
    assert one.interval == two.interval
    assert one.sizes == two.sizes
    assert one.model_scores == two.model_scores
    assert one.source_to_target == two.target_to_source
    assert one.target_to_source == two.source_to_target
    assert one.source_to_target != one.target_to_source
    assert (one.own_errors, one.cross_errors) == (two.own_errors, two.cross_errors)
    assert one.zone is two.zone


def test_direction_weighs_the_two_discrepancies(family):
    one = score(family["a"], family["c"], models=FAST, cv=3, direction=0.8)
    two = score(family["c"], family["a"], models=FAST, cv=3, direction=0.2)
    assert one.score == pytest.approx(
        0.8 * one.source_to_target + 0.2 * one.target_to_source, abs=1e-15
    )
    assert one.score == pytest.approx(two.score, abs=1e-15)
    forward = score(family["a"], family["c"], models=FAST, cv=3, direction=1.0)
    assert forward.score == forward.source_to_target == one.source_to_target


def test_threads_and_order_of_sources_change_nothing(family):
    a, b, c, d = family.values()
    serial = rank(a, [b, c, d], cv=3, n_jobs=1)
    threads = rank(a, [d, b, c], cv=3, n_jobs=2)
    assert [x.source for x in serial] == [x.source for x in threads]
    for one, two in zip(serial, threads, strict=True):
        assert one.to_json() == two.to_json()
    assert serial.to_json() == threads.to_json()


def test_threads_that_share_a_pair_change_nothing(make_lda):
    """A pair's models run side by side: one dataset may be much larger than the other."""
    pair = make_lda(40, 1, name="small"), make_lda(320, 2, angle=0.4, name="large")
    for options in ({}, {"repeats": 2}):
        serial, threads = (score(*pair, cv=3, n_jobs=n, **options) for n in (1, 2))
        assert serial.to_json() == threads.to_json()


def test_the_paper_s_size_saves_the_limit_alone(family):
    """Fewer predictions, the same numbers otherwise."""
    pair = family["a"], family["c"]
    paper, matched = (score(*pair, models=FAST, cv=3, size=size) for size in ("paper", "matched"))
    assert set(paper.sizes) == {"paper", "matched"}
    assert paper.sizes == {size: matched.sizes[size] for size in paper.sizes}
    assert paper.score == matched.sizes["paper"].value
    assert (paper.zone, paper.curves) == (matched.zone, matched.curves)
    known = [r for r in matched.errors.records if r in paper.errors.records]
    left = [r for r in matched.errors.records if r not in paper.errors.records]
    assert known == list(paper.errors.records)
    assert all(r["held_out"] == "jk" and r["trained_on"] != r["tested_on"] for r in left)


def test_another_source_changes_no_other_row(family):
    a, b, c, d = family.values()
    few = rank(a, [b, c], models=FAST, cv=3)
    many = rank(a, [d, c, b], models=FAST, cv=3)
    assert many["b"].to_json() == few["b"].to_json()
    assert many["c"].to_json() == few["c"].to_json()


def test_a_source_with_other_columns_or_classes_changes_no_other_row(family):
    a, b, *_ = family.values()
    rng = np.random.default_rng(0)
    narrow = as_dataset(rng.standard_normal((60, 2)), np.arange(60) % 2, name="narrow")
    wider = as_dataset(
        rng.standard_normal((60, 3)), np.array(["0", "1", "other"])[np.arange(60) % 3], name="three"
    )
    alone = rank(a, [b], models=FAST, cv=3)
    with pytest.warns(match="not used, absent from the source: 'x2'"):
        joined = rank(a, [narrow, wider, b], models=FAST, cv=3)
    assert joined["b"].to_json() == alone["b"].to_json()


@pytest.mark.parametrize("estimate", ["ensemble", "weighted"])
def test_rank_and_matrix_say_what_score_says(family, estimate):
    a, b, c, _ = family.values()
    # By the paper's rule: for the gain a matrix tries no pools.
    options = {"models": FAST, "cv": 3, "estimate": estimate, "zones": "paper"}
    ranking = rank(a, [b, c], **options)
    square = matrix([a, b, c], **options)
    frame = square.frame.set_index(["target", "source"])
    for one, two in ((a, b), (a, c), (b, c)):
        pair = score(one, two, **options)
        i, j = square.names.index(one.name), square.names.index(two.name)
        assert square.scores[i, j] == square.scores[j, i] == pair.score
        assert (square.lows[i, j], square.highs[i, j]) == pair.interval
        assert square.zones[i][j] is square.zones[j][i] is pair.zone
        assert square.errors[i, j] == pair.cross_errors[one.name]
        row = frame.loc[(one.name, two.name)]
        assert row.source_to_target == pytest.approx(pair.source_to_target, abs=1e-14)
        assert row.target_to_source == pytest.approx(pair.target_to_source, abs=1e-14)
        if one is a:
            assert ranking[two.name].to_json() == pair.to_json()


def test_matrix_keeps_each_pair_s_own_error_when_columns_differ(family):
    """With other columns in common a dataset has another own error: discrepancies must keep theirs."""
    a, b, *_ = family.values()
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    narrow = as_dataset(rng.standard_normal((60, 1)) + y[:, None], y, name="narrow")
    with pytest.warns(match="not used"):
        square = matrix([a, b, narrow], models=FAST, cv=3)
    pair = score(a, b, models=FAST, cv=3)
    row = square.frame.set_index(["target", "source"]).loc[("a", "b")]
    assert row.score == pair.score
    assert row.source_to_target == pytest.approx(pair.source_to_target, abs=1e-14)
    assert row.target_to_source == pytest.approx(pair.target_to_source, abs=1e-14)


def test_a_matrix_has_no_direction(family):
    with pytest.raises(DatakinError, match=r"must be 0\.5"):
        matrix(family, models=FAST, cv=3, direction=0.9)


def changed(frame, how):
    """The same table under other names, in another order or in other units."""
    if how == "renamed":
        return frame.rename(
            columns={"age": "zz", "dose": "aa", "rate": "Rate (1/s)", "colour": "0"}
        )
    if how == "permuted":
        return frame[["colour", "rate", "y", "dose", "age"]]
    factors = {"age": 1000.0, "dose": 0.3, "rate": 1e-4}
    return frame.assign(**{name: frame[name] * factor for name, factor in factors.items()})


@pytest.mark.parametrize("how", ["renamed", "permuted", "rescaled"])
@pytest.mark.parametrize("seed", [0, 1])
def test_names_order_and_units_of_columns(make_mixed, read, how, seed):
    """The default's and the paper's models, numbers and categories with missing values."""
    tables = make_mixed(80, seed), make_mixed(66, seed + 100, angle=0.8)
    models = ["logistic", "linear_svm", "rbf_svm", "trees", "xgboost"]
    before = score(*map(read, tables), models=models, cv=3)
    after = score(*(read(changed(table, how)) for table in tables), models=models, cv=3)
    assert set(before.model_scores) == set(models)
    for size in SIZES:
        assert after.sizes[size].value == pytest.approx(before.sizes[size].value, abs=1e-6)
        error = before.sizes[size].standard_error
        assert after.sizes[size].standard_error == pytest.approx(error, abs=1e-6)
    assert after.model_scores == pytest.approx(before.model_scores, abs=1e-6)
    for name in ("target", "source"):
        weights = before.model_weights[name]
        assert after.model_weights[name] == pytest.approx(weights, abs=1e-6)


def test_monotone_transform_leaves_xgboost_alone(make_mixed, read):
    tables = make_mixed(80, 3), make_mixed(66, 4, angle=0.8)
    bent = [t.assign(age=np.exp(t.age), dose=t.dose**3, rate=np.arctan(t.rate)) for t in tables]
    before = score(*map(read, tables), models=["xgboost"])
    after = score(*map(read, bent), models=["xgboost"])
    assert before.errors.records == after.errors.records
    assert before.sizes == after.sizes


def test_repeats_average_over_fold_seeds(make_lda):
    pair = make_lda(50, 1, name="t"), make_lda(60, 2, angle=0.5, name="s")
    once = score(*pair, models=FAST, cv=3)
    twice = score(*pair, models=FAST, cv=3, repeats=2)
    again = score(*pair, models=FAST, cv=3, repeats=2)
    assert twice.to_json() == again.to_json()
    assert twice.score != once.score
    # The paper's cross error comes from fits on all rows, which no fold seed can change for one model.
    for size in ("paper", "matched"):
        one = score(*pair, models=["logistic"], cv=3, repeats=1, size=size)
        two = score(*pair, models=["logistic"], cv=3, repeats=2, size=size)
        assert (one.cross_errors == two.cross_errors) is (size == "paper")


def test_seed_changes_folds_and_nothing_else(make_lda):
    pair = make_lda(50, 1, name="t"), make_lda(60, 2, angle=0.5, name="s")
    one, two = (score(*pair, models=["logistic"], size="paper", random_state=r) for r in (0, 1))
    assert one.cross_errors == two.cross_errors
    assert one.own_errors != two.own_errors
