"""What is kept decides what can be asked: predictions, losses or sums."""

import pyarrow.parquet as pq
import pytest

from datakin import CrossErrors, DatakinError, as_dataset

LOOKS = [{}, {"zones": "paper"}, {"zones": "paper", "zone_error": "folds"}, {"direction": 0.2}]
# Sums have no rows for the pair's own table, and the limit only if it was measured for.
LESS = ("errors", "metrics", "sizes.limit")


@pytest.fixture(scope="module")
def sums(four, fast):
    return CrossErrors.measure(four, keep="sums", **fast)


@pytest.fixture(scope="module")
def losses(four, fast):
    return CrossErrors.measure(four, keep="losses", trials="d0", **fast)


def assert_all_looks_agree(assert_same, one, two, looks, *but):
    for look in looks:
        assert_same(one.score("d0", "d2", **look), two.score("d0", "d2", **look), *but)
        assert_same(one.score("d3", "d1", **look), two.score("d3", "d1", **look), *but)
        if "size" not in look or look["size"] == one.options.size:
            assert_same(one.rank("d1", **look), two.rank("d1", **look), *but)
        if "direction" not in look:
            assert_same(one.matrix(**look), two.matrix(**look), *but)


def test_sums_say_what_predictions_say(sums, plain, assert_same):
    looks = [*LOOKS, {"size": "paper"}, {"size": "paper", "zones": "paper"}]
    assert_all_looks_agree(assert_same, sums, plain, looks, *LESS)


@pytest.mark.parametrize("size", ["limit", "paper"])
def test_sums_of_another_size(four, assert_same, size):
    options = {"models": ["logistic"], "cv": 3, "size": size}
    sums, plain = (CrossErrors.measure(four, keep=keep, **options) for keep in ("sums", "auto"))
    sizes = ["limit", "matched", "paper"] if size == "limit" else ["paper", "matched"]
    assert_all_looks_agree(
        assert_same, sums, plain, [{"size": s} for s in sizes], "errors", "metrics"
    )


@pytest.mark.parametrize("estimate", ["weighted", "unweighted", "linear_svm"])
def test_sums_of_another_estimate(four, fast, plain, assert_same, estimate):
    sums = CrossErrors.measure(four, keep="sums", estimate=estimate, **fast)
    found = sums.score("d0", "d2"), sums.rank("d3"), sums.matrix()
    look = {"estimate": estimate}
    expected = plain.score("d0", "d2", **look), plain.rank("d3", **look), plain.matrix(**look)
    for one, two in zip(found, expected, strict=True):
        assert_same(one, two, *LESS)
    with pytest.raises(DatakinError, match=f"The estimate 'ensemble'.*sums are of '{estimate}'"):
        sums.score("d0", "d2", estimate="ensemble")


def test_losses_say_what_predictions_say(losses, errors, assert_same):
    looks = [*LOOKS, {"size": "limit"}, {"estimate": "weighted"}, {"estimate": "linear_svm"}]
    assert_all_looks_agree(assert_same, losses, errors, looks, "metrics")
    assert losses.estimates("d0", "d1").equals(errors.estimates("d0", "d1"))
    assert losses.frame.equals(errors.frame)


@pytest.mark.parametrize(
    "look", [{"sharpness": 1.0}, {"voting": "hard"}, {"weighting": "paper"}], ids=str
)
def test_other_weights_need_predictions(sums, losses, look):
    for table, keep in ((sums, "sums"), (losses, "losses")):
        reason = f"needs more than these cross errors keep .{keep}.. Measure with keep='predic"
        for ask in (lambda t: t.score("d0", "d1", **look), lambda t: t.matrix(**look)):
            with pytest.raises(DatakinError, match=reason):
                ask(table)
        assert table.score("d0", "d1", sharpness=500, voting="soft") == table.score("d0", "d1")


@pytest.mark.parametrize(
    ("look", "reason"),
    [
        (
            {"estimate": "weighted"},
            "needs more than these cross errors keep .sums.. Measure with keep='predictions'",
        ),
        ({"size": "limit"}, "The size 'limit' was not measured.*Measure with size='limit'"),
    ],
    ids=str,
)
def test_what_sums_cannot_answer(sums, look, reason):
    for ask in (sums.score, sums.rank, sums.matrix):
        with pytest.raises(DatakinError, match=reason):
            ask(*["d0", "d1"][: {"score": 2, "rank": 1}.get(ask.__name__, 0)], **look)


def test_a_ranking_needs_the_size_whose_products_were_summed(sums):
    with pytest.raises(DatakinError, match="A ranking by the 'paper' score needs more"):
        sums.rank("d0", size="paper")


def test_sums_tell_all_they_know(sums, plain):
    known = sums.estimates("d0", "d1")
    assert list(zip(known.estimate, known["size"], strict=True)) == [
        ("ensemble", "paper"),
        ("ensemble", "matched"),
    ]
    frame = sums.frame.set_index(["trained_on", "tested_on", "held_out"]).error
    whole = plain.frame.query("model == 'ensemble'").set_index(list(frame.index.names)).error
    assert frame.index.is_unique
    assert len(frame) == 4 + 12 * 2
    for key, error in frame.items():
        assert error == pytest.approx(whole[key], abs=1e-12)
    assert sums.n_fits == plain.n_fits


def test_saved_sums_and_losses(sums, losses, tmp_path):
    for number, table in enumerate((sums, losses)):
        table.save(tmp_path / str(number))
        loaded = CrossErrors.load(tmp_path / str(number))
        assert loaded.keep == table.keep
        assert loaded.frame.equals(table.frame)
        assert loaded.n_fits == table.n_fits
        for look in LOOKS[:3]:
            assert loaded.score("d1", "d0", **look) == table.score("d1", "d0", **look)
            assert loaded.rank("d2", **look) == table.rank("d2", **look)
            assert loaded.matrix(**look) == table.matrix(**look)
        with pytest.raises(DatakinError, match="Measure with keep='predictions'"):
            loaded.score("d0", "d1", sharpness=1.0)


def test_saved_sums_hold_no_label_and_no_row(draw, tmp_path):
    """The file grows with the pairs, not with the rows."""
    small, large = [], []
    for n, sizes in ((60, small), (240, large)):
        members = [draw(i, n) for i in range(3)]
        table = CrossErrors.measure(members, keep="sums", models=["logistic"], cv=3)
        assert all(member.labels is None for member in table.members.values())
        assert not table.pieces
        place = tmp_path / str(n)
        table.save(place)
        assert list((place / "units").iterdir()) == []
        sizes.append(len(pq.read_table(place / "table.parquet")))
        assert b'"labels": null' in (place / "table.parquet").read_bytes().replace(b"\\", b"")
    assert small == large


@pytest.mark.parametrize("keep", ["predictions", "losses", "sums"])
def test_the_grade_is_said(four, keep):
    table = CrossErrors.measure(four[:2], keep=keep, models=["logistic"], cv=3)
    assert f"keeps {keep}" in repr(table)
    assert table.keep == keep


def test_rows_in_common_in_every_grade(four, assert_same):
    X, y = four[3].features.numeric, four[3].y
    one, two = as_dataset(X[:40], y[:40], name="d0"), as_dataset(X[25:], y[25:], name="d2")
    options = {"models": ["logistic"], "cv": 3}
    tables = [
        CrossErrors.measure([one, two], keep=keep, **options)
        for keep in ("predictions", "losses", "sums")
    ]
    found = [table.score("d2", "d0") for table in tables]
    assert found[0].n_shared_rows == 15
    assert_same(found[1], found[0], "metrics")
    assert_same(found[2], found[0], *LESS)
