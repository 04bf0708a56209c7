"""What a user can get wrong, and the sentence for it."""

import errno

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install '.[deep]')")
from torch import nn

from datakin import DatakinError, read_table
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
    ],
)
def test_functions_that_are_no_encoders(make_rows, encoder, message):
    with pytest.raises(DatakinError, match=message):
        EncoderHeadScore(encoder).compare(make_rows(seed=1), make_rows(seed=2))


def test_modules_that_are_no_encoders(make_rows):
    a, b = make_rows(seed=1), make_rows(seed=2)
    with pytest.raises(DatakinError, match=r"cannot read these rows: a batch is \(2, 4\).*It says"):
        EncoderHeadScore(nn.Linear(7, 2)).compare(a, b)
    with pytest.raises(DatakinError, match=r"Got shape \(2, 4, 1\)"):
        EncoderHeadScore(nn.Unflatten(1, (4, 1))).compare(a, b)


def test_a_loss_that_explodes_is_stopped_with_advice(make_rows):
    net = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 8))
    with pytest.raises(
        DatakinError, match=r"the loss became (nan|inf) in epoch 1\. Lower the learning rate"
    ):
        EncoderHeadScore(net, lr=1e30).compare(make_rows(seed=1), make_rows(seed=2))


def test_no_space_for_checkpoints(make_rows, tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    method = EncoderHeadScore("identity", checkpoint=tmp_path)
    with pytest.raises(
        DatakinError, match=r"could not be written to .* \(No space left on device\)"
    ):
        method.compare(make_rows(seed=1), make_rows(seed=2))
    assert not list(tmp_path.iterdir()), "no torn file stays behind"
    (tmp_path / "file").write_text("")
    with pytest.raises(DatakinError, match="must go to a folder that can be written"):
        EncoderHeadScore("identity", checkpoint=tmp_path / "file").compare(
            make_rows(seed=1), make_rows(seed=2)
        )


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


def test_a_class_with_too_few_rows(make_rows):
    rare = as_items(
        np.random.default_rng(0).random((40, 4)), np.repeat([0, 1], [37, 3]), name="rare"
    )
    with pytest.raises(DatakinError, match=r"at least 5 rows, .* Got '1 \(3\)' in 'rare'; merge"):
        EncoderHeadScore("identity").compare(rare, make_rows(seed=1))


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


def test_kinds_do_not_mix(make_rows):
    texts = as_items(["good", "bad"] * 20, np.arange(40) % 2, name="texts")
    with pytest.raises(
        DatakinError, match=r"share at least one column. 'rows 1' has 'array'; 'texts'"
    ):
        EncoderHeadScore("identity").compare(make_rows(seed=1), texts)


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
