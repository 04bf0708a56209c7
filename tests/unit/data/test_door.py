"""The door: what each column is used as, rows that are dropped, arrays and sparse matrices."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import datakin
from datakin import DatakinError, DatakinWarning, as_dataset, read_table, read_tables
from datakin.learners.folds import make_plan


@pytest.fixture
def sites(small):
    """One table of two sites, with a patient and a row without a site."""
    frame = pd.concat([small, small.assign(a=small.a + 1)], ignore_index=True)
    return frame.assign(site=["north"] * 40 + ["south"] * 40, patient=np.arange(80) // 4)


def test_roles_take_columns_out_of_the_features(sites):
    dataset = read_table(sites, label="y", ignore=["b"], group="patient", name="all")
    assert dataset.columns == ("a", "site")
    assert dataset.label == "y"
    assert dataset.groups.tolist() == (np.arange(80) // 4).tolist()
    assert repr(dataset) == "Dataset('all': 80 rows x 2 columns, binary (0, 1))"


def test_ignore_takes_one_name_too(small):
    assert read_table(small, label="y", ignore="b").columns == ("a",)


def test_columns_named_by_numbers(small):
    frame = small.set_axis([0, 1, 2], axis=1)
    assert read_table(frame, label=2, ignore=[1]).columns == ("0",)


def test_groups_stay_in_one_fold(sites):
    dataset = read_table(sites, label="y", group="patient")
    plan = make_plan(dataset, 5, "shared", 0)
    groups = [set(dataset.groups[fold]) for fold in plan.folds]
    assert sum(len(g) for g in groups) == len(set.union(*groups)) == 20


def test_a_row_without_a_group_is_a_group_of_its_own(sites):
    sites.loc[:3, "patient"] = np.nan
    groups = read_table(sites, label="y", group="patient").groups
    assert len(set(groups[:4])) == 4
    assert len(set(groups)) == 23


def test_groups_of_text_and_numbers_agree(sites):
    numbers = read_table(sites, label="y", group="patient")
    words = read_table(sites.assign(patient=sites.patient.astype(str)), label="y", group="patient")
    assert numbers.groups.tolist() == words.groups.tolist()


@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_domain_splits_one_table(sites, small, same, convert):
    tables = read_tables(convert(sites), label="y", domain="site", ignore=["patient"])
    assert list(tables) == ["north", "south"]
    same(tables["north"], read_table(small, label="y"))


def test_domain_values_are_sorted_and_spelled_as_labels_are(sites):
    sites["site"] = [10.0, 9.0] * 40
    assert list(read_tables(sites, label="y", domain="site", ignore=["patient"])) == ["9", "10"]


def test_odd_domain_values_are_names_too(sites):
    sites["site"] = ["--1", "²"] * 40
    assert set(read_tables(sites, label="y", domain="site", ignore=["patient"])) == {"--1", "²"}


def test_rows_without_a_domain_are_dropped_and_counted(sites):
    sites.loc[[0, 1, 50], "site"] = [None, "?", ""]
    with (
        pytest.warns(DatakinWarning, match="read as missing: '\\?' in 'site' .1."),
        pytest.warns(DatakinWarning, match="3 of 80 rows have no 'site' and were dropped"),
    ):
        tables = read_tables(sites, label="y", domain="site", ignore=["patient"])
    assert [t.n_rows for t in tables.values()] == [38, 39]


def test_a_split_table_shares_no_levels(sites):
    sites["word"] = np.where(sites.site == "north", "u", "w")
    sites.loc[::3, "word"] = "both"
    tables = read_tables(sites, label="y", domain="site", ignore=["patient"])
    assert tables["north"].features.levels == (("both", "u"),)
    assert tables["south"].features.levels == (("both", "w"),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"site": "one"}, "'site' must have at least two values. Got 'one'"),
        ({"domain": "sites"}, "domain column 'sites' .*Did you mean 'site'"),
        ({"domain": "y"}, "domain column must differ from the label"),
    ],
)
def test_domains_that_split_nothing(sites, change, message):
    domain = change.pop("domain", "site")
    with pytest.raises(DatakinError, match=message):
        read_tables(sites.assign(**change), label="y", domain=domain)


def test_rows_without_a_label_are_dropped_and_counted(small, write):
    small["y"] = small["y"].astype(object)
    small.loc[[0, 5, 7], "y"] = [None, "?", ""]
    message = "3 of 40 rows have no label and were dropped"
    for source in (small, write(small, "s.csv"), pl.from_pandas(small.astype({"y": "string"}))):
        with (
            pytest.warns(DatakinWarning, match=message),
            pytest.warns(DatakinWarning, match="read as missing: '\\?' in 'y' .1."),
        ):
            dataset = read_table(source, label="y")
        assert dataset.n_rows == 37
        assert dataset.classes == ("0", "1")
        assert message in dataset.notes[0]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, "", "NA", "nan"], ids=repr)
def test_arrays_of_labels_may_have_gaps(small, missing):
    labels = np.where(small.y, "yes", "no").astype(object)
    labels[3] = missing
    word = isinstance(missing, str) and missing
    for given in (labels, list(labels)):
        with pytest.warns(DatakinWarning) as caught:
            assert as_dataset(small[["a", "b"]], given).classes == ("no", "yes")
        said = "\n".join(str(w.message) for w in caught)
        assert "1 of 40 rows have no label" in said
        assert (f"read as missing: {missing!r} in 'y' (1)" in said) == bool(word)


def test_useless_columns_are_dropped_and_said(small):
    frame = small.assign(one=1, word="w", none=None, gaps=[1.0, None] * 20)
    with pytest.warns(DatakinWarning) as caught:
        dataset = read_table(frame, label="y", name="icu")
    assert [str(w.message) for w in caught] == [
        "icu: column(s) without any value dropped: 'none'",
        "icu: constant column(s) dropped: 'one', 'word'",
    ]
    assert dataset.columns == ("a", "b", "gaps")


def test_arrays_frames_and_lists_agree(small, same):
    X, y = small[["a", "b"]].to_numpy(), small.y.to_numpy()
    expected = as_dataset(X, y)
    assert expected.columns == ("x0", "x1")
    named = small[["a", "b"]].set_axis(["x0", "x1"], axis=1)
    ways = [
        (X.tolist(), y.tolist()),
        (named, small.y),
        (pl.from_pandas(named), pl.Series(y)),
        (pa.Table.from_pandas(named), pa.array(y)),
        (X.astype(object), y[:, None]),
        (X, y.astype(bool)),
    ]
    for way in ways:
        same(as_dataset(*way), expected)


def test_arrays_of_text_and_numbers_keep_their_kinds():
    X = np.array([[i, "uv"[i % 3 == 0]] for i in (3, 1, 4, 1, 5) * 6], dtype=object)
    dataset = as_dataset(X, [0, 1, 1] * 10)
    assert dataset.features.numeric_names == ("x0",)
    assert dataset.features.category_names == ("x1",)


def test_masked_values_are_missing(small):
    X = np.ma.masked_greater(small[["a", "b"]].to_numpy(), 1.0)
    dataset = as_dataset(X, small.y)
    assert np.isnan(dataset.features.numeric).sum() == X.mask.sum()


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.coo_array, sparse.csc_matrix])
def test_sparse_matrices_of_every_kind(small, kind):
    X = np.where(np.abs(small[["a", "b"]]) < 0.5, 0, small[["a", "b"]])
    dataset = as_dataset(kind(X), small.y)
    assert dataset.features.is_sparse
    np.testing.assert_array_equal(dataset.features.numeric.toarray(), X)
    assert dataset.fingerprint == as_dataset(sparse.csr_array(X), small.y).fingerprint


def test_sparse_and_dense_give_the_same_score(small):
    X, y = small[["a", "b"]].to_numpy(), small.y.to_numpy()
    dense = datakin.score((X[:20], y[:20]), (X[20:], y[20:]), models=["xgboost"], cv=3)
    thin = [(sparse.csr_array(X[rows]), y[rows]) for rows in (slice(20), slice(20, None))]
    assert datakin.score(*thin, models=["xgboost"], cv=3).score == pytest.approx(dense.score)


def test_the_fingerprint_follows_the_content_only(small):
    one = read_table(small, label="y", name="one")
    assert one.fingerprint == read_table(small[["y", "b", "a"]], label="y", name="two").fingerprint
    changed = small.assign(a=small.a + 1e-12)
    assert one.fingerprint != read_table(changed, label="y").fingerprint
    renamed = small.rename(columns={"a": "z"})
    assert one.fingerprint != read_table(renamed, label="y").fingerprint


def test_a_mapping_names_its_tables(small, write):
    tables = read_tables({"x": small, "y": write(small, "s.csv")}, label="y")
    assert [t.name for t in tables.values()] == ["x", "y"]


@pytest.mark.parametrize("reader", [read_table, read_tables])
def test_max_rows_is_an_option_of_scores(small, reader):
    with pytest.raises(
        DatakinError, match=rf"^{reader.__name__} has no option 'max_rows'. .*'read_rows'.* score"
    ):
        reader(small, label="y", max_rows=30)


def test_warnings_point_at_the_line_that_reads(small, write):
    constant = small.assign(one=1)
    for read in (
        lambda: read_table(constant, label="y"),
        lambda: read_tables({"t": constant}, label="y"),
        lambda: as_dataset(constant[["a", "one"]], small.y),
    ):
        with pytest.warns(DatakinWarning, match="constant column.s. dropped: 'one'") as caught:
            read()
        assert [w.filename for w in caught] == [__file__]


def test_the_user_may_change_arrays_and_frames_afterwards(small, same):
    frame = small[["a", "b"]].copy()
    X = frame.to_numpy().copy()
    made = [as_dataset(X, small.y), as_dataset(frame.set_axis(["x0", "x1"], axis=1), small.y)]
    expected = as_dataset(X.copy(), small.y)
    X[:] = 0
    frame.loc[:, :] = 0
    for dataset in made:
        same(dataset, expected)


def test_a_domain_of_which_one_value_reads_as_missing_says_so():
    frame = pd.DataFrame(
        {"x": np.sin(np.arange(80.0)), "site": ["NA", "EU"] * 40, "y": [0, 0, 1, 1] * 20}
    )
    with pytest.raises(DatakinError, match=r"Got 'EU'.*'NA' is read as missing in 40 of 80 rows"):
        read_tables(frame, label="y", domain="site")
