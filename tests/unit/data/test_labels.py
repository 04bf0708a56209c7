"""Which task labels pose, and one spelling for each class."""

import numpy as np
import pandas as pd
import pytest

from datakin import DatakinError, DatakinWarning, as_dataset, read_table
from datakin.data.columns.labels import (
    canonical_label,
    canonical_labels,
    encode_classes,
    infer_task,
    is_missing,
    sort_classes,
)

X = np.random.default_rng(0).normal(size=(60, 2))


def labelled(values):
    repeated = [values[i % len(values)] for i in range(60)]
    return pd.DataFrame({"a": X[:, 0], "y": pd.Series(repeated)})


@pytest.mark.parametrize("one", [1, 1.0, True, np.int8(1), np.bool_(True), "1", " 1 ", "1.0"])
def test_one_spelling_for_each_class(one):
    assert canonical_label(one) == "1"


@pytest.mark.parametrize(
    ("value", "spelled"), [(0.5, "0.5"), ("yes", "yes"), (" no", "no"), (-3.0, "-3")]
)
def test_other_labels_keep_their_spelling(value, spelled):
    assert canonical_label(value) == spelled


def test_missing_labels():
    labels = np.array([None, float("nan"), "", "  ", pd.NA, 0, "x"], dtype=object)
    assert is_missing(labels).tolist() == [True] * 5 + [False] * 2


def test_classes_are_sorted_numbers_first():
    assert sort_classes(["b", "10", "9", "a", "-1"]) == ("-1", "9", "10", "a", "b")
    codes, classes = encode_classes(np.array(["10", "9", "10"], dtype=object))
    assert codes.tolist() == [1, 0, 1]
    assert classes == ("9", "10")


TASKS = {
    "zeros and ones": ([0, 1], "binary", ("0", "1")),
    "booleans": ([True, False], "binary", ("0", "1")),
    "floats of two values": ([0.5, 1.5], "binary", ("0.5", "1.5")),
    "words": (["no", "yes"], "binary", ("no", "yes")),
    "three words": (["a", "b", "c"], "multiclass", ("a", "b", "c")),
    "numbers as text": (["1", "2"], "binary", ("1", "2")),
    "many numbers": (list(np.linspace(0, 1, 30)), "regression", ()),
    "few fractions": ([0.25, 0.5, 0.75], "regression", ()),
    "many whole numbers": (list(range(30)), "regression", ()),
}


@pytest.mark.parametrize(("values", "task", "classes"), TASKS.values(), ids=TASKS)
def test_task_is_inferred(values, task, classes):
    dataset = read_table(labelled(values), label="y")
    assert (dataset.task, dataset.classes) == (task, classes)


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5, 6], ["1", "2", "3", "4", "5", "6"]])
def test_six_whole_numbers_are_classes_with_a_warning(values):
    with pytest.warns(DatakinWarning, match="6 distinct whole numbers .*task=.regression.*task="):
        assert read_table(labelled(values), label="y").task == "multiclass"


def test_the_doubt_is_settled_by_task():
    frame = labelled([1, 2, 3])
    assert read_table(frame, label="y", task="multiclass").classes == ("1", "2", "3")
    dataset = read_table(frame, label="y", task="regression")
    assert dataset.task == "regression"
    assert dataset.y.tolist() == frame.y.tolist()


def test_two_numbers_can_be_a_regression():
    assert read_table(labelled([0, 1]), label="y", task="regression").task == "regression"


def test_task_is_agreed_over_all_datasets():
    kind, doubt = infer_task([np.array([0.0, 1.0]), np.array([0.5, 2.5, 3.5])], "y")
    assert (kind, doubt) == ("regression", None)


@pytest.mark.parametrize(
    ("values", "task", "message"),
    [
        ([0, 1], "classification", "task must be 'auto'.*Got 'classification'"),
        ([0, 1, 2], "binary", "must have two classes. Got 3 .*positive=.*task='multiclass'"),
        (["a", "b"], "regression", "must hold numbers. Got 'a', 'b'"),
        ([2.5], "regression", "must vary. Got 2.5 in every row"),
    ],
)
def test_tasks_that_do_not_fit(values, task, message):
    with pytest.raises(DatakinError, match=message):
        read_table(labelled(values), label="y", task=task)


def test_label_map_recodes_and_merges():
    frame = labelled(["no", "mild", "severe"])
    mapping = {"no": 0, "mild": 1, "severe": 1}
    assert read_table(frame, label="y", label_map=mapping).classes == ("0", "1")


def test_label_map_meets_every_spelling():
    dataset = read_table(labelled([0.0, 1.0]), label="y", label_map={"0": "no", 1: "yes"})
    assert dataset.classes == ("no", "yes")


def test_positive_makes_two_classes():
    dataset = read_table(labelled(["a", "b", "c"]), label="y", positive="b")
    assert dataset.classes == ("0", "1")
    assert dataset.y.tolist() == [0, 1, 0] * 20


def test_positive_after_label_map():
    mapping = {1: "low", 2: "low", 3: "high"}
    dataset = read_table(labelled([1, 2, 3]), label="y", label_map=mapping, positive="high")
    assert dataset.y.tolist() == [0, 0, 1] * 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_map": {0: "no"}}, "must name every label. Got none for '1'; it maps '0'"),
        ({"label_map": "0=no"}, "label_map must be a mapping"),
        ({"label_map": {0: "x", 1: "x"}}, "at least two classes. Got only 'x'"),
        ({"positive": "yes"}, "positive class must be one of the labels. Got 'yes'.*'0', '1'"),
        ({"positive": 1, "task": "regression"}, "positive are for classes"),
    ],
)
def test_mappings_that_do_not_fit(options, message):
    with pytest.raises(DatakinError, match=message):
        read_table(labelled([0, 1]), label="y", **options)


@pytest.mark.parametrize(
    ("value", "task", "what"),
    [(3.7, "auto", "different values"), (2, "auto", "different values"), (1, "auto", "classes"),
     ("no", "auto", "classes"), (2, "multiclass", "classes")],
)  # fmt: skip
def test_a_label_that_is_constant(value, task, what):
    with pytest.raises(DatakinError, match=f"must have at least two {what}. Got only '{value}'"):
        read_table(labelled([value]), label="y", task=task)


def test_unmapped_labels_are_named():
    with pytest.raises(DatakinError, match="Got none for 'c'"):
        canonical_labels(np.array(["a", "c"], dtype=object), {"a": 1}, None)


def test_a_label_with_hundreds_of_classes_is_doubted():
    with pytest.raises(DatakinError, match=r"60 classes in 60 rows.*right column"):
        read_table(labelled([f"k{i}" for i in range(60)]), label="y")


UNKNOWN = {
    "dates": pd.date_range("2020", periods=60),
    "lists": [[i % 2, 1] for i in range(60)],
    "records": [{"class": i % 2} for i in range(60)],
}


@pytest.mark.parametrize("values", UNKNOWN.values(), ids=UNKNOWN)
def test_labels_of_no_known_kind(values):
    with pytest.raises(DatakinError, match=r"'y' .*must hold"):
        read_table(pd.DataFrame({"a": X[:, 0], "y": values}), label="y")


@pytest.mark.parametrize(
    "values", [*UNKNOWN.values(), [[1], [1, 2]] * 30], ids=[*UNKNOWN, "ragged"]
)
def test_arrays_of_labels_of_no_known_kind(values):
    with pytest.raises(DatakinError, match=r"y'? .*must hold|y must be one column"):
        as_dataset(X, values)


@pytest.mark.parametrize("task", ["auto", "binary", "regression"])
def test_infinite_labels_are_refused(task):
    with pytest.raises(DatakinError, match="'y' must hold finite numbers"):
        read_table(labelled([0.0, float("inf")]), label="y", task=task)
