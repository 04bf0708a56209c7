"""A dataset under another name, or as read again, is the same data."""

import numpy as np
import pytest

from datakin import DatakinError, as_dataset, read_table, read_tables
from datakin.data import pair
from datakin.data.features import Features


@pytest.fixture
def hashed(monkeypatch):
    """Count how often the rows of features are hashed."""
    calls = []
    whole = Features.row_hashes

    def spy(self, names):
        calls.append(tuple(names))
        return whole(self, names)

    monkeypatch.setattr(Features, "row_hashes", spy)
    return calls


def test_rows_are_hashed_once_under_any_name_and_order_of_columns(hashed):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 12)), np.arange(40) % 2
    one, other = as_dataset(X, y, name="one"), as_dataset(X + 1, y, name="other")
    renamed = one.renamed("two")
    assert renamed.name == "two"
    assert renamed.features is one.features
    assert renamed.fingerprint == one.fingerprint
    pair(one, other)
    pair(renamed, other)
    np.testing.assert_array_equal(
        renamed.row_hashes(renamed.columns), one.row_hashes(one.columns[::-1])
    )
    assert len(hashed) == 2


def test_the_own_name_makes_no_other_dataset(small):
    dataset = read_table(small, label="y", name="one")
    assert dataset.renamed("one") is dataset


def test_rows_taken_have_hashes_of_their_own(small):
    dataset = read_table(small, label="y")
    hashes = dataset.row_hashes(dataset.columns)
    rows = np.arange(5, 25)
    np.testing.assert_array_equal(dataset.take(rows).row_hashes(dataset.columns), hashes[rows])


def test_a_file_is_read_again_as_it_was(small, write, same):
    path = write(small.assign(site=["n", "s"] * 20), "t.csv")
    whole = read_table(path, label="y", ignore=["site"], read_rows=None)
    again = whole.origin.read("again", whole.fingerprint)
    assert again.name == "again"
    same(again, whole)
    south = read_tables(path, label="y", domain="site")["s"]
    same(south.origin.read("s", south.fingerprint), south)
    with pytest.raises(DatakinError, match=r"must be on every worker.*the content differs"):
        whole.origin.read("again", "0" * 16)
