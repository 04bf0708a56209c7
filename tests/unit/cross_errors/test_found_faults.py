"""Faults that tests of the hinge once found: each has its own test."""

import importlib.util
import json

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin import CrossErrors, CrossLearningScore, DatakinError, as_dataset
from datakin.execution import sampling

pytestmark = pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
LOGISTIC = {"models": ["logistic"], "cv": 3}


# 1 -- wrong numbers -------------------------------------------------------------------------------


class Cost:
    def __init__(self, factor):
        self.factor = factor

    def rows(self, truth, found):
        return (truth != found) * self.factor


def test_a_bound_method_is_no_function(four, tmp_path):
    """Cost(10).rows once returned the numbers of Cost(1).rows from the checkpoint."""
    for factor in (1.0, 10.0):
        with pytest.raises(DatakinError, match="cannot be identified by its content"):
            datakin.score(*four[:2], loss=Cost(factor).rows, checkpoint=tmp_path, **LOGISTIC)


def load(folder, text, name="mine"):
    place = folder / f"{name}.py"
    place.write_text(text)
    spec = importlib.util.spec_from_file_location(name, place)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[name] = module
    exec(compile(text, str(place), "exec"), module.__dict__)
    return module


LOSSES = {
    "helper module": "import helper\ndef loss(a, b): return helper.cost(a, b)",
    "import inside": "def loss(a, b):\n    from helper import cost\n    return cost(a, b)",
    "shadowed builtin": "def abs(x): return x * {k}\ndef loss(a, b): return abs(a != b)",
    "array default": (
        "import numpy as np\nq = np.ones(5000)\nq[2500] = {k}\n"
        "def loss(a, b, q=q): return (a != b) * q[2500]"
    ),
    "object default": (
        "class K:\n    v = {k}\n    def __repr__(self): return 'K'\n"
        "def loss(a, b, *, k=K()): return (a != b) * k.v"
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_whose_number_hides(four, tmp_path, name):
    for k in (1.0, 10.0):
        load(tmp_path, f"def cost(a, b): return (a != b) * {k}", "helper")
        loss = load(tmp_path, LOSSES[name].format(k=k)).loss
        fresh = datakin.score(*four[:2], loss=loss, **LOGISTIC)
        try:
            kept = datakin.score(*four[:2], loss=loss, checkpoint=tmp_path / "kept", **LOGISTIC)
        except DatakinError:
            continue
        assert kept.score == fresh.score


HEAD = "from sklearn.linear_model import LogisticRegression\n"
CLASSES = {
    "base class": HEAD + "class Base(LogisticRegression):\n"
    "    def predict_proba(self, X): return super().predict_proba(X)[:, ::{k}]\n"
    "class Mine(Base): pass",
    "module global": HEAD + "K = {k}\nclass Mine(LogisticRegression):\n"
    "    def predict_proba(self, X): return super().predict_proba(X)[:, ::K]",
    "versioned module": HEAD + "__version__ = '1'\nclass Mine(LogisticRegression):\n"
    "    def predict_proba(self, X): return super().predict_proba(X)[:, ::{k}]",
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_whose_code_hides(four, tmp_path, name):
    for k in (1, -1):
        mine = load(tmp_path, CLASSES[name].format(k=k)).Mine()
        options = {"models": {"mine": mine}, "cv": 3}
        fresh = datakin.score(*four[:2], **options)
        try:
            kept = datakin.score(*four[:2], checkpoint=tmp_path / "kept", **options)
        except DatakinError:
            continue
        assert kept.score == fresh.score


def squared(truth, found):
    return 10 * (truth - found) ** 4


def test_a_loss_of_ones_own_with_the_name_of_ours(make_linear, assert_same):
    members = [make_linear(40, 1, name="t"), make_linear(45, 2, angle=0.6, name="s")]
    options = {"models": ["linear", "rbf_svm"], "cv": 3, "loss": squared}
    errors = CrossErrors.measure(members, trials="t", **options)
    fresh = datakin.score(*members, sharpness=2.0, **options)
    assert_same(errors.score("t", "s", sharpness=2.0), fresh)


def test_a_torn_note_and_another_run(four, tmp_path):
    """Old units are read with the new run's options."""
    datakin.matrix(four, checkpoint=tmp_path, models=["logistic"], cv=3)
    (tmp_path / "about.json").write_text("{")
    matrix = datakin.matrix(four, checkpoint=tmp_path, models=["logistic"], cv=4)
    assert CrossErrors.load(tmp_path).matrix() == matrix


def test_a_wrong_byte_in_the_note(errors, tmp_path):
    errors.save(tmp_path / "saved")
    note = tmp_path / "saved" / "about.json"
    note.write_text(note.read_text().replace('"direction": 0.5', '"direction": 0.4'))
    try:
        found = CrossErrors.load(tmp_path / "saved").score("d0", "d1")
    except DatakinError:
        return
    assert found == errors.score("d0", "d1")


def test_lambdas_cannot_be_joined(four):
    one = CrossErrors.measure(four[:2], loss=lambda a, b: (a != b) * 1.0, **LOGISTIC)
    ten = CrossErrors.measure(four[1:3], loss=lambda a, b: (a != b) * 10.0, **LOGISTIC)
    with pytest.raises(DatakinError, match="identified"):
        one.join(ten)


def test_the_frame_keeps_column_sets_apart():
    def make(seed, columns):
        y = np.arange(60) % 2
        X = np.random.default_rng(seed).standard_normal((60, len(columns))) + 0.6 * y[:, None]
        return as_dataset(pd.DataFrame(X, columns=list(columns)), y, name=f"c{seed}")

    errors = CrossErrors.measure([make(0, "abc"), make(1, "abc"), make(2, "a")], **LOGISTIC)
    own = {errors.score("c0", other).own_errors["c0"] for other in ("c1", "c2")}
    frame = errors.frame.query("trained_on == tested_on == 'c0' and model == 'ensemble'")
    assert sorted(frame.query("held_out == 'k'").error) == pytest.approx(sorted(own))


def test_a_matrix_and_a_ranking_share_a_folder(four, tmp_path):
    """Some targets' sources were tried, others' were not; by file name."""
    datakin.matrix(four, checkpoint=tmp_path, **LOGISTIC)
    ranking = datakin.rank(four[0], four[1:], checkpoint=tmp_path, **LOGISTIC)
    loaded = CrossErrors.load(tmp_path)
    assert loaded.rank("d0") == ranking


def test_a_loaded_table_whose_folder_is_written_anew(four, tmp_path):
    import shutil

    CrossErrors.measure(four[:2], **LOGISTIC).save(tmp_path / "saved")
    first = CrossErrors.load(tmp_path / "saved")
    before = first.score("d0", "d1").score
    shutil.rmtree(tmp_path / "saved")
    CrossErrors.measure(four[:2], loss="brier", **LOGISTIC).save(tmp_path / "saved")
    assert before != CrossErrors.load(tmp_path / "saved").score("d0", "d1").score
    with pytest.raises(DatakinError, match="has changed since it was loaded"):
        first.score("d0", "d1")


# 2 -- numbers lost --------------------------------------------------------------------------------


def test_pairs_at_different_stages_of_samples_survive_saving(tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "FIRST", 100)

    def noisy(i, noise, turn):
        rng = np.random.default_rng(i)
        X = rng.standard_normal((1600, 6))
        y = X[:, 0] + turn * X[:, 1] + noise * rng.standard_normal(1600) > 0
        return as_dataset(X, y.astype(int), name=f"d{i}")

    members = [noisy(0, 0.5, 0), noisy(1, 0.5, 0.2), noisy(2, 3.0, -2)]
    options = {**LOGISTIC, "max_rows": 800, "precision": 0.015}
    errors = CrossErrors.measure(members, **options)
    assert {key.stage for facts in errors.pairs.values() for key in facts.keys} == {0, 3}
    errors.save(tmp_path / "saved")
    assert len(CrossErrors.load(tmp_path / "saved").pairs) == 3
    matrix = datakin.matrix(members, checkpoint=tmp_path / "kept", **options)
    assert CrossErrors.load(tmp_path / "kept").matrix().names == matrix.names


def test_a_draft_of_a_killed_run_is_no_unit(errors, tmp_path):
    errors.save(tmp_path / "saved")
    (tmp_path / "saved" / "units" / ".datakin-1-2.parquet").write_bytes(b"PAR1")
    assert CrossErrors.load(tmp_path / "saved").matrix() == errors.matrix()


def test_a_partial_table_can_be_read_with_other_weights(four, tmp_path):
    errors = CrossErrors.measure(four, checkpoint=tmp_path, **LOGISTIC)
    next((tmp_path / "units").glob("d1-*.parquet")).unlink()
    part = CrossErrors.load(tmp_path)
    names = next(iter(part.pairs))
    assert part.score(*names, sharpness=2.0) == errors.score(*names, sharpness=2.0)


def test_a_deep_checkpoint_is_read_as_it_was_measured(four, tmp_path, assert_same):
    pytest.importorskip("torch")
    from datakin.deep import EncoderHeadScore

    deep = EncoderHeadScore("identity", repeats=3, checkpoint=tmp_path)
    ranking = deep.rank(four[0], four[1:3])
    loaded = CrossErrors.load(tmp_path)
    assert_same(loaded.rank("d0"), ranking, "options")


def test_a_deep_pair_without_all_repeats_is_not_finished(four, tmp_path):
    pytest.importorskip("torch")
    from datakin.deep import EncoderHeadScore

    EncoderHeadScore("identity", repeats=3, checkpoint=tmp_path).rank(four[0], four[1:3])
    next((tmp_path / "units").glob("d0-d1-*")).unlink()
    loaded = CrossErrors.load(tmp_path)
    assert ("d0", "d1") not in loaded.pairs
    assert not loaded.complete


def test_sums_keep_what_trials_brought(four, fast, errors):
    sums = CrossErrors.measure(four, trials="d0", keep="sums", **fast)
    assert sums.score("d0", "d1").trial == errors.score("d0", "d1").trial is not None


def test_notes_change_sides_with_the_roles():
    def make(seed, columns, classes, name):
        X = np.random.default_rng(seed).standard_normal((60, 3))
        frame = pd.DataFrame(X, columns=list(columns))
        return as_dataset(frame, np.arange(60) % classes, name=name, task="multiclass")

    one, two = make(0, "abc", 3, "one"), make(1, "bcd", 2, "two")
    errors = CrossErrors.measure([one, two], **LOGISTIC)
    assert errors.score("two", "one").notes == datakin.score(two, one, **LOGISTIC).notes


def test_a_matrix_of_some_pairs_says_so(four, fast):
    star = CrossErrors.measure(four, pairs="d0", **fast)
    with pytest.raises(DatakinError, match=r"A matrix needs every pair\. 'd2' and 'd1' were not"):
        star.matrix()


def test_a_dataset_named_all(four):
    names = dict(zip(["all", "b", "c", "d"], four, strict=True))
    assert len(CrossErrors.measure(names, **LOGISTIC).pairs) == 6


def test_fits_are_counted_once(four, fast, plain):
    sums = [
        CrossErrors.measure(four, pairs=pairs, keep="sums", **fast)
        for pairs in ("d0", [("d1", "d2"), ("d1", "d3"), ("d2", "d3")])
    ]
    assert sums[0].join(sums[1]).n_fits == plain.n_fits


# 3 -- foreign exceptions and sentences ------------------------------------------------------------


@pytest.mark.parametrize("keep", ["predictions", "losses", "sums"])
def test_no_wrong_byte_makes_a_wrong_number_or_a_foreign_exception(four, tmp_path, keep):
    errors = CrossErrors.measure(four[:2], keep=keep, **LOGISTIC)
    errors.save(tmp_path / "saved")
    look = {"sharpness": 2.0} if keep == "predictions" else {}
    expected = errors.score("d0", "d1", **look)
    for file in list((tmp_path / "saved").rglob("*.parquet")):
        content = file.read_bytes()
        for at in np.linspace(0, len(content) - 1, 60).astype(int):
            file.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
            try:
                found = CrossErrors.load(tmp_path / "saved").score("d0", "d1", **look)
            except DatakinError:
                continue
            assert found == expected
        file.write_bytes(content)


@pytest.mark.parametrize(
    "change", [{"options": "abc"}, {"versions": 3}, {"options": {"cv": "x"}}], ids=str
)
def test_a_note_with_parts_of_another_kind(errors, tmp_path, change):
    errors.save(tmp_path / "saved")
    note = tmp_path / "saved" / "about.json"
    note.write_text(json.dumps({**json.loads(note.read_text()), **change}))
    # The note names the format; what counts stands, with digests, in the table's own file.
    assert CrossErrors.load(tmp_path / "saved").score("d0", "d1") == errors.score("d0", "d1")


def test_a_format_to_come_with_other_fields(errors, tmp_path):
    errors.save(tmp_path / "saved")
    (tmp_path / "saved" / "about.json").write_text('{"format": 99}')
    with pytest.raises(DatakinError, match="have format 99"):
        CrossErrors.load(tmp_path / "saved")


@pytest.mark.parametrize("keep", ["predictions", "sums"])
def test_estimates_of_twins(four, keep):
    twin = as_dataset(four[0].features.numeric, four[0].y, name="twin")
    errors = CrossErrors.measure([four[0], twin], keep=keep, **LOGISTIC)
    with pytest.raises(DatakinError, match="0 by definition, and there is nothing to estimate"):
        errors.estimates("d0", "twin")


def test_arguments_of_another_kind(four, errors):
    for ask in (
        lambda: CrossErrors.measure(four, trials=3, **LOGISTIC),
        lambda: errors.score(["d0"], "d1"),
        lambda: errors.rank(["d0"]),
        lambda: errors.subset(3),
        lambda: CrossErrors.load(3),
        lambda: errors.save(3),
    ):
        with pytest.raises(DatakinError):
            ask()


def test_method_given_to_the_class():
    with pytest.raises(DatakinError, match=r"datakin\.distances"):
        CrossLearningScore(method="mmd")


def test_the_sentence_for_a_limit_that_was_not_measured(four):
    errors = CrossErrors.measure(four[:2], size="paper", **LOGISTIC)
    with pytest.raises(DatakinError) as caught:
        errors.score("d0", "d1", size="limit")
    assert "keep='predictions'" not in str(caught.value)  # it does keep them: size='limit' helps


def test_sums_hold_nothing_row_by_row(four):
    X, y = four[3].features.numeric, four[3].y
    one, two = as_dataset(X[:40], y[:40], name="a"), as_dataset(X[25:], y[25:], name="b")
    sums = CrossErrors.measure([one, two], keep="sums", **LOGISTIC)
    assert sums.pairs["a", "b"].left_out is None


def test_one_pair_read_anew_reads_no_other(draw, fast, monkeypatch):
    from datakin.cross_errors import predictions

    errors = CrossErrors.measure([draw(i, 40) for i in range(6)], **fast)
    made = []
    original = predictions.PlanReading.trained
    monkeypatch.setattr(
        predictions.PlanReading, "trained", lambda self: (made.append(1), original(self))[1]
    )
    errors.score("d0", "d1", sharpness=2.0)
    assert len(made) == 2


def test_replace_names_distances():
    with pytest.raises(DatakinError, match=r"datakin\.distances"):
        CrossLearningScore().replace(method="mmd")
