"""Columns that look like row ids or copies of the label are left out, others are not."""

import warnings

import numpy as np
import pandas as pd
import pytest

from datakin import DatakinError, DatakinWarning, read_table, read_tables
from datakin._core.exceptions import URGENT
from datakin.data.columns.labels import response

N = 60
RNG = np.random.default_rng(1)
NOISE = RNG.normal(size=N)
Y = RNG.integers(0, 2, N)


def notes(y=Y, task="auto", **columns):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        frame = pd.DataFrame({"noise": NOISE, **columns, "y": y})
        return read_table(frame, label="y", task=task).notes


def quietly(reader, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        return reader(*args, **options)


IDS = {
    "running number": {"row": range(N)},
    "shuffled numbers": {"row": RNG.permutation(N) + 1000},
    "called an id": {"patient_id": RNG.permutation(N) * 17},
    "text keys": {"key": [f"p{i}" for i in range(N)]},
    "text keys with a repeat": {"key": ["p0", *(f"p{i}" for i in range(N - 1))]},
}


@pytest.mark.parametrize("columns", IDS.values(), ids=IDS)
def test_row_ids_are_left_out(columns):
    (name,) = columns
    assert notes(**columns) == (
        f"left out, look like row ids: {name!r} (to learn from them: keep=[{name!r}] / --keep {name})",
    )


@pytest.mark.parametrize("name", ["hospitalid", "ward_id", "unitId", "teamid"])
def test_numbers_that_are_called_ids_are_codes(name):
    assert notes(**{name: RNG.integers(0, 12, N)}) == (
        f"left out, look like codes, as they are called ids: {name!r} "
        f"(to learn from them: keep=[{name!r}] / --keep {name})",
    )
    (few,) = notes(**{name: RNG.integers(0, 4, N)})
    assert few == (
        f"called an id, but used as a number (or is it a code?): {name!r} "
        f"(to leave out: ignore=[{name!r}] / --ignore {name})"
    )


@pytest.mark.parametrize("name", ["chlorid", "lipid", "fluid", "covid_days", "acid", "thyroid"])
def test_words_that_end_like_ids_are_quantities(name):
    assert notes(**{name: RNG.integers(0, 12, N)}) == ()
    assert notes(ward_id=RNG.integers(0, 2, N)) == ()
    assert notes(ward_id=RNG.normal(size=N)) == ()


COPIES = {
    "the same": {"copy": Y},
    "as floats": {"copy": Y * 2.5 - 1},
    "turned round": {"copy": 1 - Y},
    "as text": {"copy": np.where(Y, "dead", "alive")},
    "with gaps": {"copy": np.where(np.arange(N) % 5, Y, np.nan)},
}


@pytest.mark.parametrize("columns", COPIES.values(), ids=COPIES)
def test_copies_of_the_label_are_left_out(columns):
    assert notes(**columns) == (
        "left out, look like copies of the label: 'copy' (to learn from them: keep=['copy'] / --keep copy)",
    )


def test_a_linear_copy_of_a_response_is_named():
    y = RNG.normal(size=N)
    (note,) = notes(y=y, fahrenheit=1.8 * y + 32)
    assert "copies of the label" in note
    assert "fahrenheit" in note


def part_of_label(n, n_positive, n_known):
    """Return a label, and a column that has it in some rows."""
    y = (np.arange(n) < n_positive).astype(int)
    known = RNG.permutation(n) < n_known
    known[[0, n - 1]] = True
    return y, np.where(known, y, np.nan)


SMALL = {
    "few rows": (30, 15, 30),
    "few of a class": (60, 7, 60),
    "often missing": (60, 30, 45),
}


@pytest.mark.parametrize("sizes", SMALL.values(), ids=SMALL)
def test_a_small_copy_is_named_and_used(sizes):
    y, copy = part_of_label(*sizes)
    frame = pd.DataFrame({"noise": NOISE[: len(y)], "copy": copy, "y": y})
    with pytest.warns(DatakinWarning, match=r"may be a copy of the label \(look.*: 'copy'"):
        assert read_table(frame, label="y").columns == ("noise", "copy")


CHANCE = {
    "few rows known": (60, 30, 15),
    "hardly one of a class": (60, 3, 60),
}


@pytest.mark.parametrize("sizes", CHANCE.values(), ids=CHANCE)
def test_a_copy_in_hardly_any_row_is_chance(sizes):
    y, copy = part_of_label(*sizes)
    assert notes(y=y, copy=copy) == ()


def test_a_small_copy_of_a_response():
    y = RNG.normal(size=N)
    assert (
        "left out, look like copies" in notes(y=y, copy=np.where(np.arange(N) < 50, y, np.nan))[0]
    )
    assert "may be a copy" in notes(y=y, copy=np.where(np.arange(N) < 45, y, np.nan))[0]
    assert notes(y=y, copy=np.where(np.arange(N) < 15, y, np.nan)) == ()
    # One far value, or one value that is not zero, makes a correlation of 1.
    far = np.where(np.arange(N) == 7, 1e9, 0)
    assert "copies" not in str(notes(y=y + far, x=RNG.normal(size=N) + far))
    assert notes(y=far / 1e9, task="regression", x=2.0 * far) == ()


INNOCENT = {
    "measurements": {"x": RNG.normal(size=N)},
    "counts": {"x": RNG.poisson(3, N)},
    "distinct amounts": {"x": RNG.permutation(N) * 17},
    "a good predictor": {"x": np.where(np.arange(N) < 3, 1 - Y, Y)},
    "categories": {"x": RNG.choice(["u", "v", "w"], N)},
    "two rows known": {"x": ["u" if i == Y.argmin() else "v" if i == Y.argmax() else None
                             for i in range(N)]},
}  # fmt: skip


@pytest.mark.parametrize("columns", INNOCENT.values(), ids=INNOCENT)
def test_innocent_columns_are_not_named(columns):
    assert notes(**columns) == ()


def test_a_column_of_one_value_and_gaps_beside_a_response():
    # A correlation with a constant is undefined: it must not leak a numpy warning.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = np.where(np.arange(N) % 3, 1.0, np.nan)
        read_table(pd.DataFrame({"noise": NOISE, "x": x, "y": RNG.normal(size=N)}), label="y")


def test_huge_numbers_leak_no_overflow():
    x = np.where(np.arange(N) % 2, 1e308, -1e308)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for y in (Y, RNG.normal(size=N)):
            read_table(pd.DataFrame({"noise": NOISE, "x": x, "y": y}), label="y")


def test_ignored_columns_are_not_named():
    frame = pd.DataFrame({"noise": NOISE, "id": range(N), "copy": Y, "y": Y})
    assert read_table(frame, label="y", ignore=["id", "copy"]).notes == ()


def test_one_warning_names_all_datasets():
    frame = pd.DataFrame({"noise": np.tile(NOISE, 2), "copy": np.tile(Y, 2), "y": np.tile(Y, 2)})
    with pytest.warns(DatakinWarning, match=r"^a, b: left out, look like copies.*'copy'") as caught:
        read_tables(frame.assign(site=["a"] * N + ["b"] * N), label="y", domain="site")
    assert len(caught) == 1


def test_a_task_that_tables_would_not_have_alone_is_an_urgent_note():
    rng = np.random.default_rng(0)

    def table(top):
        return pd.DataFrame({"x": rng.normal(size=60), "y": rng.integers(1, top + 1, 60)})

    few = quietly(read_tables, {"a": table(5), "b": table(5)}, label="y")
    assert {d.task for d in few.values()} == {"multiclass"}
    more = {"a": table(5), "b": table(5), "c": table(14)}
    found = quietly(read_tables, more, label="y")
    assert {d.task for d in found.values()} == {"regression"}
    note = next(note for note in found["a"].notes if "together" in note)
    assert note.rank == URGENT
    assert "'a', 'b' alone would have classes" in note
    assert "task='regression' / --task regression if that is right" in note
    for task in ("regression", "multiclass"):
        said = quietly(read_tables, more, label="y", task=task)["a"].notes
        assert not any("together" in note for note in said)


def test_long_names_are_cut_in_messages():
    table = pd.DataFrame({"n" * 500: range(30), "y": [0, 1] * 15})
    with pytest.raises(DatakinError) as caught:
        read_tables({"a": table}, label="z")
    assert len(str(caught.value)) < 200


def test_a_missing_label_in_a_file_without_header_asks_for_it(tmp_path):
    (tmp_path / "t.csv").write_text("63,1,2.5,7\n" * 40)
    with pytest.raises(DatakinError, match=r"'died' must be one of.*header=False \(--no-header\)"):
        read_tables([tmp_path / "t.csv"], label="died")


def test_a_response_of_both_ends_of_the_floats_varies_without_overflow():
    y = np.where(np.arange(40) % 3, 1.7e308, -1.7e308)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert response(y, "y", "the dataset").max() == 1.7e308
