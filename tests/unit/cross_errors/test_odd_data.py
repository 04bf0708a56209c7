"""Samples, groups, other columns and classes, twins, failing models and losses of one's own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import datakin
from datakin import CrossErrors, DatakinError, as_dataset, read_table

pytestmark = pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")

LOGISTIC = {"models": ["logistic"], "cv": 3}
LESS = ("errors", "sizes.limit")


def assert_it_all_agrees(assert_same, tmp_path, members, options, looks):
    """Looks equal fresh results, also after saving; sums equal predictions."""
    target, *sources = members
    errors = CrossErrors.measure(members, pairs=target.name, trials=target.name, **options)
    errors.save(tmp_path / "saved")
    loaded = CrossErrors.load(tmp_path / "saved")
    assert loaded.frame.equals(errors.frame)
    for look in looks:
        fresh = datakin.rank(target, sources, **options, **look)
        found = errors.rank(target.name, **look)
        assert_same(found, fresh, *(LESS if look.get("size") == "paper" else ()))
        assert loaded.rank(target.name, **look) == found
    whole = CrossErrors.measure(members, **options)
    sums = CrossErrors.measure(members, keep="sums", **options)
    fresh = datakin.matrix(members, **options)
    assert_same(whole.matrix(), fresh)
    assert_same(sums.matrix(), fresh)
    assert_same(sums.rank(target.name), whole.rank(target.name), *LESS, "metrics")
    return errors


LOOKS = [{}, {"sharpness": 2.0, "size": "limit"}, {"size": "paper", "zones": "paper"}]


def test_samples(draw, assert_same, tmp_path):
    members = [draw(0, 700), draw(1, 700), draw(2, 60)]
    options = {**LOGISTIC, "max_rows": 200}
    errors = assert_it_all_agrees(assert_same, tmp_path, members, options, LOOKS)
    assert any("comes from samples" in note for note in errors.score("d0", "d1").notes)
    assert errors.score("d0", "d2").trial is not None  # of a sample of the target


def test_groups_and_repeats(four, assert_same, tmp_path):
    members = []
    for d in four[:3]:
        frame = pd.DataFrame(d.features.numeric, columns=list("abc"))
        frame = frame.assign(y=d.y, who=[f"patient {i // 3}" for i in range(d.n_rows)])
        members.append(read_table(frame, label="y", group="who", name=d.name))
    options = {**LOGISTIC, "repeats": 2}
    errors = assert_it_all_agrees(assert_same, tmp_path, members, options, LOOKS[1:2])
    alone = CrossErrors.measure(four[:3], pairs="d0", **options)
    assert errors.score("d0", "d1").standard_error != alone.score("d0", "d1").standard_error


def test_other_columns_for_every_pair(assert_same, tmp_path):
    def make(seed, columns):
        y = np.arange(50) % 2
        X = np.random.default_rng(seed).standard_normal((50, len(columns))) + 0.7 * y[:, None]
        return as_dataset(pd.DataFrame(X, columns=list(columns)), y, name=columns)

    members = [make(0, "abc"), make(1, "bcd"), make(2, "cba"), make(3, "ad")]
    errors = assert_it_all_agrees(assert_same, tmp_path, members, LOGISTIC, LOOKS[:2])
    # Three column sets of the target, one plan of each source.
    assert errors.n_fits == 7 * (3 + 3)
    assert np.isnan(datakin.matrix(members, **LOGISTIC).errors[0, 0])


def test_other_classes_and_categories(assert_same, tmp_path):
    def make(seed, classes, levels, name):
        rng = np.random.default_rng(seed)
        n = 24 * len(classes)
        frame = pd.DataFrame({"x": rng.standard_normal(n), "c": rng.choice(list(levels), n)})
        frame["y"] = [classes[i % len(classes)] for i in range(n)]
        frame["x"] += np.arange(n) % len(classes)
        frame.loc[::7, "x"] = np.nan
        return read_table(frame, label="y", name=name)

    members = [
        make(0, ["no", "yes"], "uv", "two"),
        make(1, ["no", "yes", "maybe"], "vw", "three"),
    ]
    looks = [{}, {"voting": "hard"}]
    options = {**LOGISTIC, "loss": "log"}
    assert_it_all_agrees(assert_same, tmp_path, members, options, looks)


def test_a_rare_class_is_balanced(draw, assert_same, tmp_path):
    members = []
    for i in range(2):
        d = draw(i, 90)
        rare = (np.arange(90) % 8 == 0).astype(int)
        members.append(as_dataset(d.features.numeric + rare[:, None], rare, name=d.name))
    errors = assert_it_all_agrees(assert_same, tmp_path, members, LOGISTIC, LOOKS[:2])
    assert errors.score("d0", "d1").losses == {"d0": "balanced", "d1": "balanced"}


def test_a_twin_among_the_sources(four, assert_same, tmp_path):
    twin = as_dataset(four[0].features.numeric, four[0].y, name="twin")
    members = [four[0], twin, four[1], four[2]]
    errors = assert_it_all_agrees(assert_same, tmp_path, members, LOGISTIC, LOOKS[:2])
    assert errors.score("twin", "d0").score == 0.0
    assert errors.rank("d0").best.source == "twin"


@pytest.mark.parametrize("keep", ["predictions", "losses", "sums"])
def test_nothing_but_twins(four, tmp_path, keep):
    twin = as_dataset(four[0].features.numeric, four[0].y, name="twin")
    errors = CrossErrors.measure([four[0], twin], keep=keep, **LOGISTIC)
    assert errors.n_fits == len(errors.frame) == 0
    errors.save(tmp_path / "saved")
    for table in (errors, CrossErrors.load(tmp_path / "saved")):
        assert table.score("twin", "d0", size="limit").score == 0.0
        assert table.rank("d0").first == {"twin": 1.0}
        assert table.matrix().scores.tolist() == [[0.0, 0.0], [0.0, 0.0]]


class FailsOnFew(LogisticRegression):
    """Fails in every plan of a dataset that has few rows."""

    def fit(self, X, y, sample_weight=None):
        if len(y) < 30:
            raise RuntimeError("too few rows")
        return super().fit(X, y, sample_weight)


def test_a_model_that_fails_on_one_dataset(draw, assert_same, tmp_path):
    members = [draw(0, 45), draw(1, 100), draw(2, 110)]
    options = {"models": {"fine": LogisticRegression(), "bad": FailsOnFew()}, "cv": 3}
    looks = [{"sharpness": 2.0}, {"estimate": "weighted"}]
    errors = assert_it_all_agrees(assert_same, tmp_path, members, options, looks)
    with pytest.raises(DatakinError, match=r"must name a model that works on both.*'bad' failed"):
        errors.score("d0", "d1", estimate="bad")
    pair = CrossErrors.measure(members[1:], trials="d1", **options)
    fresh = datakin.score(*members[1:], **options, estimate="bad")
    assert_same(pair.score("d1", "d2", estimate="bad"), fresh)


def tenfold(truth, found):
    return (truth != found) * 10.0


def fourth(truth, found):
    return (truth - found) ** 4


def test_losses_of_ones_own(four, make_linear, tmp_path, assert_same):
    numbers = [make_linear(40, 1, name="d0"), make_linear(45, 2, angle=0.6, name="d1")]
    for loss, members, models in (
        (tenfold, four[:2], ["logistic", "linear_svm"]),
        (fourth, numbers, ["linear", "rbf_svm"]),
    ):
        options = {"models": models, "cv": 3, "loss": loss}
        errors = CrossErrors.measure(members, trials="d0", **options)
        for look in ({}, {"size": "limit"}, {"estimate": "weighted"}, {"sharpness": 2.0}):
            fresh = datakin.score(*members, **options, **look)
            assert_same(errors.score("d0", "d1", **look), fresh)
        errors.save(tmp_path / loss.__name__)
        loaded = CrossErrors.load(tmp_path / loss.__name__)
        for look in ({}, {"size": "limit"}, {"estimate": "weighted"}, {"zones": "paper"}):
            assert loaded.score("d0", "d1", **look) == errors.score("d0", "d1", **look)
        for look in ({"sharpness": 2.0}, {"voting": "hard"}):
            said = f"The loss '{loss.__name__}' is a function of your own, which is not saved"
            with pytest.raises(DatakinError, match=said):
                loaded.score("d0", "d1", **look)


def test_a_lambda_is_fine_without_a_checkpoint(four, tmp_path):
    ten = CrossErrors.measure(four[:2], loss=lambda a, b: (a != b) * 10.0, **LOGISTIC)
    one = CrossErrors.measure(four[:2], loss=lambda a, b: (a != b) * 1.0, **LOGISTIC)
    assert ten.score("d0", "d1").score == pytest.approx(10 * one.score("d0", "d1").score)
    ten.save(tmp_path / "ten")
    assert CrossErrors.load(tmp_path / "ten").score("d0", "d1") == ten.score("d0", "d1")


def test_names_that_a_file_system_or_json_would_not_like(four, tmp_path):
    names = ['a/b "c"', "ü ö\n\t", "..", " + "]
    members = dict(zip(names, four, strict=True))
    errors = CrossErrors.measure(members, trials="all", **LOGISTIC)
    assert len(errors.pairs) == 6
    assert errors.score(" + ", "..").trial is not None
    errors.save(tmp_path / "saved")
    loaded = CrossErrors.load(tmp_path / "saved")
    assert loaded.names == tuple(names)
    assert loaded.rank("..") == errors.rank("..")


def test_unusable_datasets_are_left_out(four, draw):
    few = draw(7, 22)
    thin = as_dataset(few.features.numeric, [0] * 21 + [1], name="thin")
    with pytest.warns(datakin.DatakinWarning, match="1 dataset.s. left out: 'thin'"):
        errors = CrossErrors.measure([*four[:2], thin], skip_unusable=True, **LOGISTIC)
    assert errors.names == ("d0", "d1")
