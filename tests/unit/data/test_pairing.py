"""What two datasets share: columns, classes and rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import datakin
from datakin import DatakinError, DatakinWarning, as_dataset, read_table, read_tables
from datakin._core.exceptions import MINOR, SERIOUS
from datakin.data.pairing import pair


def frame(n=60, seed=0, **columns):
    rng = np.random.default_rng(seed)
    base = pd.DataFrame({"a": rng.normal(size=n), "b": rng.choice(["u", "v"], n)})
    return base.assign(y=(base.a + rng.normal(size=n) > 0).astype(int)).assign(**columns)


def dataset(table, name, **options):
    return read_table(table, label="y", name=name, **options)


def test_equal_columns_need_no_word():
    pairing = pair(dataset(frame(), "t"), dataset(frame(seed=1), "s"))
    assert pairing.columns == ("a", "b")
    assert pairing.classes == ("0", "1")
    assert pairing.notes == ()
    assert not pairing.identical
    assert not pairing.shared_target.any()


def test_shared_columns_are_used_and_the_others_named():
    rng = np.random.default_rng(5)
    target = dataset(frame(extra=rng.normal(size=60)), "t")
    source = dataset(frame(seed=1, more=rng.normal(size=60)), "s")
    pairing = pair(target, source)
    assert pairing.columns == ("a", "b")
    assert "not used, absent from the source: 'extra'" in pairing.notes
    assert "not used, absent from the target: 'more'" in pairing.notes


def test_the_order_of_columns_does_not_matter():
    one, other = frame(), frame(seed=1)
    straight = datakin.score(dataset(one, "t"), dataset(other, "s"), models=["logistic"], cv=3)
    turned = datakin.score(
        dataset(one[["b", "y", "a"]], "t"), dataset(other, "s"), models=["logistic"], cv=3
    )
    assert turned.score == straight.score


def test_no_shared_column():
    other = frame(seed=1).rename(columns={"a": "c", "b": "d"})
    with pytest.raises(DatakinError, match=r"share at least one column. 't' has 'a', 'b'; 's' has"):
        pair(dataset(frame(), "t"), dataset(other, "s"))


def test_numbers_here_and_text_there():
    other = frame(seed=1, a=["low", "high", "3"] * 20)
    with pytest.raises(DatakinError, match=r"'a' must be of one kind.*'s' \('high', 'low'\).*igno"):
        pair(dataset(frame(), "t"), dataset(other, "s"))


CODINGS = {
    "floats": lambda y: y.astype(float),
    "booleans": lambda y: y.astype(bool),
    "text": lambda y: y.astype(str),
    "text of floats": lambda y: y.astype(float).astype(str),
    "categories": lambda y: y.astype("category"),
}


@pytest.mark.parametrize("coding", CODINGS.values(), ids=CODINGS)
def test_one_class_in_several_spellings(coding):
    other = frame(seed=1)
    pairing = pair(dataset(frame(), "t"), dataset(other.assign(y=coding(other.y)), "s"))
    assert pairing.classes == ("0", "1")
    assert pairing.notes == ()


def test_a_class_missing_from_one_side_is_noted():
    three = frame(seed=1, y=["0", "1", "2"] * 20)
    pairing = pair(dataset(frame(), "t"), dataset(three, "s", task="multiclass"))
    assert pairing.classes == ("0", "1", "2")
    assert pairing.notes == ("class missing from the target: '2'",)


def test_codings_that_share_no_class():
    other = frame(seed=1)
    words = dataset(other.assign(y=np.where(other.y, "yes", "no")), "s")
    with pytest.raises(
        DatakinError, match=r"'0', '1', 's' has 'no', 'yes'.*label_map=.*--label-map.*positive"
    ):
        pair(dataset(frame(), "t"), words)
    mapped = dataset(other.assign(y=np.where(other.y, "yes", "no")), "s",
                     label_map={"no": 0, "yes": 1})  # fmt: skip
    assert pair(dataset(frame(), "t"), mapped).classes == ("0", "1")


def test_classes_here_and_a_quantity_there():
    other = frame(seed=1)
    with pytest.raises(DatakinError, match=r"same task. 's' looks like regression.*task"):
        pair(dataset(frame(), "t"), dataset(other.assign(y=other.a**2), "s"))


def test_sparse_here_and_dense_there():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    with pytest.raises(DatakinError, match="sparse, or neither"):
        pair(as_dataset(sparse.csr_array(X), y, name="t"), as_dataset(X, y, name="s"))


def test_rows_in_common_are_found_counted_and_left_out():
    target = frame()
    source = pd.concat([frame(seed=1), target.iloc[5:20]], ignore_index=True)
    t, s = dataset(target, "t"), dataset(source, "s")
    pairing = pair(t, s)
    assert np.flatnonzero(pairing.shared_target).tolist() == list(range(5, 20))
    assert np.flatnonzero(pairing.shared_source).tolist() == list(range(60, 75))
    assert pairing.notes == (
        "15 rows of the target also stand in the source: left out of the cross errors",
    )  # fmt: skip
    with pytest.warns(
        DatakinWarning, match="15 rows of the target also stand in the source: left out"
    ):
        result = datakin.score(t, s, models=["logistic"], cv=3)
    assert result.n_shared_rows == 15
    rows = result.errors.frame.groupby(["trained_on", "tested_on"])["rows"].first()
    assert rows["s", "t"] == 45
    assert rows["t", "s"] == 60


def test_rows_in_common_need_the_same_label():
    target = frame()
    pairing = pair(dataset(target, "t"), dataset(target.assign(y=1 - target.y), "s"))
    assert not pairing.shared_target.any()


def test_rows_in_common_of_sparse_matrices():
    rng = np.random.default_rng(0)
    X, y = sparse.random_array((60, 8), density=0.4, rng=rng).tocsr(), np.arange(60) % 2
    t = as_dataset(X[:40], y[:40], name="t")
    s = as_dataset(X[20:], y[20:], name="s")
    assert np.flatnonzero(pair(t, s).shared_target).tolist() == list(range(20, 40))


def test_rows_that_coincide_by_chance_are_kept():
    rng = np.random.default_rng(2)

    def discrete(name):
        table = pd.DataFrame(rng.integers(0, 2, (200, 3)), columns=list("abc"))
        return dataset(table.assign(y=rng.integers(0, 2, 200)), name)

    pairing = pair(discrete("t"), discrete("s"))
    assert not pairing.shared_target.any()
    assert "about as many as chance gives: kept" in pairing.notes[0]


def test_the_same_rows_are_identical_whatever_the_name():
    pairing = pair(dataset(frame(), "t"), dataset(frame(), "s"))
    assert pairing.identical
    with pytest.warns(DatakinWarning, match="hold the same rows: the score is 0 by definition"):
        assert datakin.score(dataset(frame(), "t"), dataset(frame(), "s")).score == 0.0


def test_missing_values_take_part_in_the_comparison_of_rows():
    target = frame(c=np.linspace(0, 1, 60))
    target.loc[:9, ["a", "b"]] = None
    source = frame(seed=1, c=np.linspace(2, 3, 60))
    source = pd.concat([source, target.iloc[:5]], ignore_index=True)
    assert pair(dataset(target, "t"), dataset(source, "s")).shared_target.sum() == 5


def few_values(n, seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 2, (n, 3)), columns=list("abc"))
    return table.assign(y=rng.integers(0, 2, n))


def frames_with_rows_in_common():
    target = frame()
    return target, pd.concat([frame(seed=1), target.iloc[5:20], target.iloc[5:9]])


BOTH_WAYS = {
    "nothing to say": lambda: (frame(), frame(seed=1)),
    "columns on both sides": lambda: (
        frame(c=np.sqrt(np.arange(60))),
        frame(seed=1, d=np.sqrt(np.arange(60)), e=np.cos(np.arange(60))),
    ),
    "columns on one side": lambda: (frame(c=np.arange(60) % 7), frame(seed=1)),
    "codes": lambda: (frame(c=np.arange(60) % 2), frame(seed=1, c=np.arange(60) % 2 + 5)),
    "classes on one side": lambda: (frame(), frame(seed=1, y=["0", "1", "2"] * 20)),
    "classes on both sides": lambda: (
        frame(y=["a", "b", "c"] * 20),
        frame(seed=1, y=["b", "c", "d"] * 20),
    ),
    "rows left out": frames_with_rows_in_common,
    "rows kept": lambda: (few_values(200, 0), few_values(150, 1)),
    "identical": lambda: (frame(), frame()),
}


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
@pytest.mark.parametrize("tables", BOTH_WAYS.values(), ids=BOTH_WAYS)
def test_notes_with_the_roles_swapped(tables):
    one, other = (dataset(t, n, task="multiclass") for t, n in zip(tables(), "ts", strict=True))
    there, back = pair(one, other), pair(other, one)
    assert bool(there.notes) == (tables is not BOTH_WAYS["nothing to say"])
    assert there.back_notes == back.notes
    assert there.notes == back.back_notes


def test_a_column_that_is_left_out_says_why():
    rng = np.random.default_rng(0)
    target = frame(c=rng.normal(size=60), d=rng.normal(size=60), key=rng.normal(size=60))
    with pytest.warns(DatakinWarning):
        source = dataset(frame(seed=1, c=1.0, key=[f"k{i}" for i in range(60)]), "s")
    assert pair(dataset(target, "t"), source).notes == (
        "not used, left out of the source (constant): 'c'",
        "not used, absent from the source: 'd'",
        "not used, left out of the source (looks like a row id): 'key'",
    )


def test_rows_without_any_value_of_a_column():
    def mostly_missing(seed, name):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 2))
        X[2:, 1] = np.nan
        return as_dataset(X, np.arange(80) % 2, name=name)

    pairing = pair(mostly_missing(0, "t").take(np.arange(40, 80)), mostly_missing(1, "s"))
    assert pairing.columns == ("x0", "x1")
    assert pairing.notes == ()


def repeated(rows, times):
    return pd.concat([rows] * times, ignore_index=True)


def noise(n, seed, kind):
    rng = np.random.default_rng(seed)
    draw = {
        "continuous": lambda: rng.normal(size=(n, 4)),
        "answers": lambda: rng.integers(1, 6, (n, 12)),
        "one continuous": lambda: np.column_stack([rng.normal(size=n), rng.integers(0, 2, (n, 3))]),
    }[kind]
    return pd.DataFrame(draw()).add_prefix("x").assign(y=rng.integers(0, 2, n))


@pytest.mark.filterwarnings("ignore:.*have a copy")
@pytest.mark.parametrize("kind", ["continuous", "answers", "one continuous"])
@pytest.mark.parametrize("n_others", [0, 9, 60])
def test_copied_rows_are_left_out_where_all_rows_stand_twice(kind, n_others):
    own, others = noise(60, 0, kind), noise(n_others, 1, kind)
    target = dataset(repeated(own, 2), "t")
    source = dataset(repeated(pd.concat([own, others]), 2), "s")
    for one, other in ((target, source), (source, target)):
        pairing = pair(one, other)
        assert pairing.shared_target.sum() == pairing.shared_source.sum() == 120
        assert "120 rows of the target also stand in the source: left out" in pairing.notes[0]


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
def test_rows_repeat_in_both_tables_and_some_are_copied():
    own, others, more = (noise(60, seed, "continuous") for seed in range(3))
    target = dataset(pd.concat([own, others, others[:20]]), "t")
    source = dataset(pd.concat([own, more, more[:30]]), "s")
    assert pair(target, source).shared_target.sum() == 60


@pytest.mark.parametrize("seed", range(5))
def test_dependent_codes_coincide_by_chance(seed):
    """Twelve columns that all follow a few types of patient."""
    rng = np.random.default_rng(seed)
    types = rng.integers(0, 3, (30, 12))

    def patients(n, name):
        kind = rng.choice(30, n, p=rng.dirichlet(np.ones(30)))
        table = pd.DataFrame(types[kind]).add_prefix("x")
        return dataset(table.assign(y=(kind + (rng.random(n) < 0.1)) % 2), name)

    for n in (60, 400):
        pairing = pair(patients(120, "t"), patients(n, "s"))
        assert not pairing.shared_target.any()


NAMES = ["ward no", "Ward No", "WARD_NO", "year", "temp", "sex", "when"]
VALUES = {
    "numbers": lambda rng, n: rng.normal(20, 5, n),
    "others": lambda rng, n: rng.normal(68, 9, n),
    "skewed": lambda rng, n: rng.exponential(3, n) * 50 + 900,
    "few": lambda rng, n: rng.integers(0, 2, n),
    "shifted": lambda rng, n: rng.integers(1, 3, n),
    "truths": lambda rng, n: rng.integers(0, 2, n).astype(bool),
    "codes": lambda rng, n: rng.integers(10, 13, n),
    "words": lambda rng, n: rng.choice(["m", "f"], n),
    "spelled": lambda rng, n: rng.choice(["male", "Male", "f"], n),
    "constant": lambda rng, n: np.ones(n),
    "dates": lambda rng, n: pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D"),
    "durations": lambda rng, n: pd.to_timedelta(rng.integers(0, 90, n), "h"),
}  # fmt: skip
CLASSES = [
    ["0", "1"],
    ["1", "2"],
    ["no", "yes"],
    ["No", "yes", "Yes"],
    ["f", "x", "z"],
    ["f", "no"],
]


def messy(rng, name):
    n = int(rng.choice([24, 60, 150]))
    table = pd.DataFrame({"x": rng.normal(size=n)})
    for column in rng.permutation(NAMES)[: rng.integers(0, 6)]:
        table[column] = VALUES[rng.choice(list(VALUES))](rng, n)
    classes = CLASSES[0 if rng.random() < 0.7 else rng.integers(len(CLASSES))]
    table["y"] = np.array(classes)[np.arange(n) % len(classes)]
    return dataset(table, name, task="multiclass", keep=["year"] if "year" in table else [])


def outcome(target, source):
    try:
        return pair(target, source)
    except DatakinError:
        return None


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
@pytest.mark.parametrize("draws", [50, pytest.param(300, marks=pytest.mark.long)])
def test_a_pair_is_the_same_from_either_side(draws):
    n_pairs = 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        one, other = messy(rng, "t"), messy(rng, "s")
        there, back = outcome(one, other), outcome(other, one)
        assert (there is None) == (back is None)
        if there is None:
            continue
        n_pairs += 1
        assert (there.columns, there.classes) == (back.columns, back.classes)
        assert (there.notes, there.back_notes) == (back.back_notes, back.notes)
        assert (there.shared_target == back.shared_source).all()
    assert n_pairs > draws / 3


def test_rows_that_were_stored_in_single_precision_are_recognised():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    more = rng.normal(size=(40, 3)), rng.normal(size=40)
    ours = as_dataset(X, y, name="ours")
    theirs = as_dataset(
        np.vstack([X, more[0]]).astype(np.float32),
        np.append(y, more[1]).astype(np.float32),
        name="theirs",
    )
    shared = pair(ours, theirs)
    assert shared.shared_target.all()
    assert shared.shared_source.sum() == 80
    assert not pair(ours, as_dataset(*more, name="more")).shared_target.any()


def test_one_row_in_both_is_chance_where_a_third_of_a_row_is_expected():
    """A coincidence is named, but it is nothing to look at; in numbers with many digits it is a copy."""
    rng = np.random.default_rng(0)
    frames = {
        name: pd.DataFrame(
            {
                "age": rng.integers(18, 90, 200),
                "x": rng.normal(size=200).round(2),
                "los": rng.integers(1, 15, 200),
            }
        )
        for name in ("a", "b")
    }
    frames["b"].loc[0] = frames["a"].loc[0]
    for digits, rank in ((2, MINOR), (9, SERIOUS)):
        if digits == 9:
            frames = {
                name: f.assign(x=f["x"] + rng.normal(0, 1e-4, 200)) for name, f in frames.items()
            }
            frames["b"].loc[0] = frames["a"].loc[0]
        found = read_tables(frames, label="los", task="regression")
        common = pair(found["a"], found["b"])
        (note,) = (n for n in common.notes if "also stand" in n)
        assert note.rank == rank
        assert bool(common.shared_target.any()) == (rank == SERIOUS)


def test_two_classes_of_which_one_is_called_differently_are_asked_about():
    rng = np.random.default_rng(5)

    def ward(name, other):
        y = np.where(rng.integers(0, 2, 60), "died", other)
        return as_dataset(rng.normal(size=(60, 2)), y, name=name)

    ours, theirs = ward("ours", "alive"), ward("theirs", "survived")
    note, *_ = pair(ours, theirs).notes
    assert "beside the class 'died' 'ours' has 'alive' and 'theirs' 'survived'" in note
    assert "--recode theirs::y:survived=alive" in note
    assert pair(ours, ward("more", "alive")).notes == ()
