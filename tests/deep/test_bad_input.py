"""What a user can get wrong, and the sentence for it."""

import errno

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install '.[deep]')")
from torch import nn

from datakin import DatakinError, DatakinWarning, read_table
from datakin.deep import EncoderHeadScore, as_items, fine_tune_gain, read_texts


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"head": "tree"}, "'head' parameter must be one of 'linear', 'mlp'"),
        ({"epochs": 0}, "'epochs' parameter must be a whole number of at least 1"),
        ({"repeats": 1.5}, "'repeats' parameter"),
        ({"batch_size": 1}, "'batch_size' parameter must be a whole number of at least 2"),
        ({"lr": -1}, "'lr' parameter must be a number above 0"),
        ({"test_size": 2.0}, "'test_size' parameter must be a share between 0 and 1"),
        ({"random_state": None}, "'random_state' parameter"),
        ({"device": "abacus"}, "'device' parameter must be 'auto' or a device of this machine"),
        ({"loss": "absurd"}, "'loss' parameter"),
        ({"zones": "twilight"}, "'zones' parameter"),
        ({"weights": "file.pth"}, "belongs to an encoder given by name"),
    ],
)
def test_options(options, message):
    with pytest.raises(DatakinError, match=message):
        EncoderHeadScore(nn.Identity(), **options)


def test_encoders_that_are_none():
    with pytest.raises(DatakinError, match="must be a torch module, a name"):
        EncoderHeadScore(3)
    with pytest.raises(DatakinError, match="must be a module, not its class"):
        EncoderHeadScore(nn.Identity)
    with pytest.raises(
        DatakinError, match="keeps the encoder's weights, and 'resnet18' has none yet"
    ):
        EncoderHeadScore("resnet18", freeze=True)


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        (lambda X: np.zeros(len(X)), r"shape \(n, d\): .* Got shape \(64,\)"),
        (lambda X: np.zeros((3, 2)), r"Got shape \(3, 2\)"),
        (lambda X: np.full((len(X), 2), np.nan), "must return finite numbers"),
        (lambda X: "features", r"array of numbers of shape \(n, d\). Got str\."),
        (lambda X: object(), r"Got object\."),
        (lambda X: [["a", "b"]] * len(X), r"Got an array of <U1\."),
        (lambda X: [[1.0] * (i + 1) for i in range(len(X))], r"Got list\."),
        (lambda X: sparse.csr_array(X), r"Got csr_array; make it dense with \.toarray\(\)"),
        (lambda X: X.no_such_thing, r"cannot read these rows: a batch is \(64, 4\). It says: "),
    ],
)
def test_functions_that_are_no_encoders(make_rows, tmp_path, encoder, message):
    with pytest.raises(DatakinError, match=message):
        EncoderHeadScore(encoder).compare(make_rows(seed=1), make_rows(seed=2))
    with pytest.raises(DatakinError):
        EncoderHeadScore(encoder, checkpoint=tmp_path).compare(make_rows(seed=1), make_rows(seed=2))


def test_a_function_may_return_a_tensor_that_still_learns(make_rows):
    a, b = make_rows(seed=1), make_rows(seed=2)
    found = EncoderHeadScore(lambda X: torch.tensor(X, requires_grad=True)).compare(a, b)
    assert found.score == EncoderHeadScore("identity").compare(a, b).score


def test_modules_that_are_no_encoders(make_rows):
    a, b = make_rows(seed=1), make_rows(seed=2)
    with pytest.raises(DatakinError, match=r"cannot read these rows: a batch is \(2, 4\).*It says"):
        EncoderHeadScore(nn.Linear(7, 2)).compare(a, b)
    with pytest.raises(DatakinError, match=r"Got shape \(2, 4, 1\)"):
        EncoderHeadScore(nn.Unflatten(1, (4, 1))).compare(a, b)


def test_images_without_an_axis_for_channels():
    images = np.random.default_rng(0).random((60, 8, 8))
    flat = [as_items(images[i::2], np.arange(30) % 2, name=f"images {i}") for i in (0, 1)]
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten())
    with pytest.raises(DatakinError, match=r"a batch is \(2, 8, 8\).*pass X\[:, None\] for one"):
        EncoderHeadScore(net).compare(*flat)
    with pytest.raises(DatakinError) as caught:  # no such hint to a network that reads rows
        EncoderHeadScore(nn.Linear(3, 2)).compare(*flat)
    assert "X[:, None]" not in str(caught.value)


def test_a_loss_that_explodes_is_stopped_with_advice(make_rows):
    net = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 8))
    with pytest.raises(
        DatakinError, match=r"the loss became (nan|inf) in epoch 1\. Lower the learning rate"
    ):
        EncoderHeadScore(net, lr=1e30).compare(make_rows(seed=1), make_rows(seed=2))


def test_no_space_for_checkpoints(make_rows, tmp_path, monkeypatch):
    """A full disk costs the checkpoint, not the run, as for tables."""

    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    pair = make_rows(seed=1), make_rows(seed=2)
    plain = EncoderHeadScore("identity").compare(*pair)
    monkeypatch.setattr("datakin.execution.store.write_parts", full)
    method = EncoderHeadScore("identity", checkpoint=tmp_path / "kept")
    with pytest.warns(DatakinWarning, match=r"could not be written to \(No space left on device\)"):
        assert method.compare(*pair) == plain
    assert not list((tmp_path / "kept" / "units").iterdir()), "no torn file stays behind"
    (tmp_path / "file").write_text("")
    with pytest.raises(DatakinError, match="must be one that can be written to"):
        EncoderHeadScore("identity", checkpoint=tmp_path / "file").compare(*pair)


def test_rows_and_labels():
    X, y = np.zeros((30, 2)), np.arange(30) % 2
    with pytest.raises(DatakinError, match=r"one label per row. Got 30 rows"):
        as_items(X, y[:20])
    with pytest.raises(DatakinError, match="at least two classes"):
        as_items(X, np.zeros(30), task="multiclass")
    with pytest.raises(DatakinError, match=r"finite numbers. Got 60 NaN"):
        as_items(np.full((30, 2), np.nan), y)
    with pytest.raises(DatakinError, match=r"same shape. Got '\(1, 4, 4\)', '\(3, 4, 4\)'"):
        as_items([np.zeros((3, 4, 4)), np.zeros((1, 4, 4))] * 15, y)
    with pytest.raises(DatakinError, match=r"must name every class of 'odd'. It lacks '1'"):
        as_items(X, y, name="odd", classes={0: "a"})
    with pytest.raises(DatakinError, match="must have rows of numbers"):
        as_items(np.zeros(30), y)
    with pytest.raises(DatakinError, match="group must have one value per row"):
        as_items(X, y, group=[1, 2])


def test_classes_that_are_named_differently_are_paired_when_reading(make_rows):
    rng = np.random.default_rng(0)

    def named(name, *classes, **options):
        y = [classes[i % len(classes)] for i in range(40)]
        return as_items(rng.random((40, 3)), y, name=name, **options)

    mine = named("mine", "lying", "upright")
    with pytest.raises(DatakinError) as caught:
        EncoderHeadScore("identity").compare(mine, named("theirs", "flat", "standing"))
    assert str(caught.value) == (
        "Both labels must use the same codes. 'mine' has 'lying', 'upright', 'theirs' has 'flat', "
        "'standing'; pair the classes when reading the latter (read_images, read_texts, as_items), "
        "with classes={'flat': ..., 'standing': ...} and one of 'lying', 'upright' for each."
    )
    with pytest.raises(DatakinError, match=r"classes=\{'flat': \.\.\., 'high': \.\.\., 'odd': "):
        fine_tune_gain(mine, named("theirs", "flat", "high", "odd"), nn.Linear(3, 2))
    pairs = {"flat": "lying", "standing": "upright"}
    paired = named("theirs", "flat", "standing", classes=pairs)
    assert np.isfinite(EncoderHeadScore("identity", repeats=1).compare(mine, paired).score)


def test_classes_and_tasks():
    X, y = np.random.default_rng(0).random((60, 2)), np.arange(60) % 12
    assert not as_items(X, y).classes, "twelve whole numbers are a quantity"
    halves = as_items(X, y, classes={k: k + 1 for k in range(12)})
    assert halves.classes == tuple(str(k) for k in range(1, 13)), "unless classes are named"
    with pytest.raises(DatakinError, match=r"is for classes. Got task='regression'"):
        as_items(X, y, classes={0: 1}, task="regression")
    with pytest.raises(DatakinError, match="must be a mapping of label to class"):
        as_items(X, y, classes=["a", "b"])


def test_rows_of_different_shapes():
    rng = np.random.default_rng(0)
    one = as_items(rng.random((30, 4, 4)), np.arange(30) % 2, name="one")
    two = as_items(rng.random((30, 4, 5)), np.arange(30) % 2, name="two")
    with pytest.raises(DatakinError, match=r"'two' has \(4, 5\); bring both to one\.$"):
        EncoderHeadScore("identity").compare(one, two)


def test_a_class_with_too_few_rows(make_rows):
    rare = as_items(
        np.random.default_rng(0).random((40, 4)), np.repeat([0, 1], [37, 3]), name="rare"
    )
    with pytest.raises(DatakinError, match=r"at least 5 rows, .* Got '1 \(3\)' in 'rare'; merge"):
        EncoderHeadScore("identity").compare(rare, make_rows(seed=1))
    with pytest.raises(DatakinError, match=r"at least 4 rows, .* merge classes \(classes=\)"):
        fine_tune_gain(rare, make_rows(seed=1), nn.Linear(4, 2), cv=4)


def test_tables_with_gaps_or_words(make_rows):
    frame = pd.DataFrame({"a": np.arange(40.0) % 7, "b": ["x", "y"] * 20, "y": [0, 0, 1, 1] * 10})
    words = read_table(frame, label="y", name="words")
    with pytest.raises(DatakinError, match="has text columns, 'b'"):
        EncoderHeadScore("identity").compare(words, words.renamed("more").take(np.arange(30)))
    frame["a"] = np.where(np.arange(40) % 9 == 0, np.nan, frame["a"])
    gaps = read_table(frame.drop(columns="b"), label="y", name="gaps")
    with pytest.raises(DatakinError, match="has missing values in 'a'"):
        EncoderHeadScore("identity").compare(gaps, gaps.renamed("more").take(np.arange(30)))


def test_texts():
    table = pd.DataFrame({"text": ["a", None] * 15, "y": [0, 1] * 15})
    with pytest.raises(DatakinError, match=r"must hold texts. 15 of 30 rows hold none"):
        read_texts(table, text="text", label="y")
    with pytest.raises(DatakinError, match="column 'review' must be one of the columns"):
        read_texts(table, text="review", label="y")
    texts = [as_items([f"{word} {i}" for i in range(30)], [0, 1] * 15) for word in ("a", "b")]
    with pytest.raises(DatakinError, match=r"'identity' takes numbers as they are. Got texts; "):
        EncoderHeadScore("identity").compare(*texts)


def test_texts_are_called_by_their_file(tmp_path, monkeypatch):
    table = pd.DataFrame({"text": ["a", "b"] * 15, "y": [0, 1] * 15})
    table.to_csv(tmp_path / "films.csv", index=False)
    monkeypatch.chdir(tmp_path)
    assert read_texts("films.csv", text="text", label="y").name == "films"
    assert read_texts("films.csv", text="text", label="y", name="mine").name == "mine"
    assert read_texts(table, text="text", label="y").name == ""


def test_kinds_do_not_mix(make_rows):
    texts = as_items(["good", "bad"] * 20, np.arange(40) % 2, name="texts")
    with pytest.raises(
        DatakinError, match=r"share at least one column. 'rows 1' has 'array'; 'texts'"
    ):
        EncoderHeadScore("identity").compare(make_rows(seed=1), texts)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "'batch_size' parameter must be a whole number of at least 2"),
        ({"patience": 0}, "'patience' parameter must be a whole number of at least 1"),
        ({"epochs": 0}, "'epochs' parameter"),
        ({"lr": 0}, "'lr' parameter"),
    ],
)
def test_options_of_fine_tuning(make_rows, options, message):
    with pytest.raises(DatakinError, match=message):
        fine_tune_gain(make_rows(seed=1), make_rows(seed=2), nn.Linear(4, 2), **options)


def test_fine_tuning_needs_something_to_train(make_rows):
    with pytest.raises(DatakinError, match="is a fixed function; pass a torch module"):
        fine_tune_gain(make_rows(seed=1), make_rows(seed=2), "identity")
    with pytest.raises(DatakinError, match="nothing to transfer"):
        fine_tune_gain(make_rows(seed=1), make_rows(seed=1).renamed("same"), nn.Linear(4, 2))


def test_collections(make_rows):
    method = EncoderHeadScore("identity")
    with pytest.raises(DatakinError, match="at least one source"):
        method.rank(make_rows(seed=1), [])
    with pytest.raises(DatakinError, match="at least two datasets"):
        method.matrix([make_rows(seed=1)])
    with pytest.raises(DatakinError, match="a list, or as a mapping"):
        method.rank(make_rows(seed=1), "folder")
    with pytest.raises(DatakinError, match="read images with"):
        method.compare("folder", make_rows(seed=1))
