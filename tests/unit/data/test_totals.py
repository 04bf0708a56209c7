"""A last row of totals or means is named."""

import numpy as np
import pandas as pd
import pytest

from datakin import DatakinWarning, read_table
from datakin._core.exceptions import SERIOUS
from datakin.data import Origin
from datakin.data.columns.tables import RawTable, frame_of
from datakin.data.drafts import make_draft


def table(n=30):
    """Rows of numbers and texts."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "crp": np.round(rng.gamma(2, 3, n), 2),
            "ward": rng.choice(["north", "south"], n),
            "sex": rng.choice(["f", "m"], n),
            "los": np.round(rng.gamma(3, 2, n), 1),
        }
    )


def notes(frame, label="los"):
    draft = make_draft(RawTable("t", frame_of(frame), tuple(frame.columns)), Origin(label))
    return [note for note in draft.notes if "the last row" in note]


def with_row(frame, **values):
    return pd.concat([frame, pd.DataFrame([values])], ignore_index=True)


def test_a_row_of_totals_is_said_first():
    frame = table()
    total = with_row(frame, **frame[["age", "crp", "los"]].sum())
    (note,) = notes(total)
    assert note == (
        "the last row (row 31) looks like totals, with the sum of the rows above in 'age', 'crp', "
        "'los'; delete that line from the file"
    )
    assert note.rank == SERIOUS
    with pytest.warns(DatakinWarning, match=r"the last row \(row 31\) looks like totals"):
        read_table(total, label="los")


def test_a_word_beside_the_totals_is_no_text_of_a_row():
    frame = table()
    assert len(notes(with_row(frame, ward="Total", crp=frame["crp"].sum()))) == 1


@pytest.mark.parametrize("kind", [int, str])
def test_totals_of_labels_alone_are_seen(kind):
    frame = table()
    frame["died"] = (np.arange(30) % 2).astype(int)
    total = with_row(frame.astype({"died": kind}), died=kind(15))
    assert len(notes(total, "died")) == 1


def test_other_last_rows_are_no_totals():
    frame = table()
    assert not notes(frame)
    assert not notes(with_row(frame, age=50, los=3.0))  # texts are missing, numbers no sums
    sums = frame[["age", "crp", "los"]].sum()
    assert not notes(with_row(frame, ward="north", sex="f", **sums))  # a row with all its texts
    frame["falls"] = 0
    frame.loc[[3, 8], "falls"] = 1
    assert not notes(with_row(frame, falls=2))  # a sum of two values may be chance
    few = table(19)
    assert not notes(with_row(few, **few[["age", "crp", "los"]].sum()))


@pytest.mark.parametrize("digits", [1, 2, 12])
def test_a_row_of_means_is_said_as_such(digits):
    frame = table()
    frame["died"] = np.arange(30) % 2
    line = with_row(frame, **frame[["age", "crp", "los", "died"]].mean().round(digits))
    (note,) = notes(line, "died")
    assert note == (
        "the last row (row 31) looks like means, with the mean of the rows above in 'age', 'crp', "
        "'los', 'died'; its label 0.5 lies between 0 and 1, which all others are, and would be learnt "
        "as a number; delete that line from the file"
    )
    assert note.rank == SERIOUS


def test_means_with_the_digits_of_their_columns_are_seen_if_all_are_means():
    frame = table()[["crp", "los"]].assign(age=lambda f: f["crp"] * 2 + 30.1)
    frame = frame.round({"age": 2})
    assert len(notes(with_row(frame, **frame.mean().round(2)))) == 1
    line = {**frame.mean().round(2), "crp": 17.25}
    assert not notes(with_row(frame.drop(columns="los"), **line), "age")


def test_a_label_between_two_classes_is_named_alone():
    frame = table().assign(died=np.arange(30) % 2)
    (note,) = notes(with_row(frame, age=20, died=0.7), "died")
    assert note.startswith(
        "the last row (row 31) looks like means; its label 0.7 lies between 0 and 1"
    )
    assert not notes(with_row(frame.assign(died=frame["died"] * 2), age=20, died=1), "died")


MAKERS = {
    "scores": lambda rng, n: rng.integers(0, 5, (n, 12)),
    "rounded": lambda rng, n: rng.normal(5, 1, (n, 12)).round(1),
    "three columns": lambda rng, n: rng.normal(137, 2, (n, 3)).round(1),
    "shares": lambda rng, n: rng.random((n, 12)).round(2),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_ordinary_last_rows_are_hardly_ever_means(make):
    rng = np.random.default_rng(5)
    named = 0
    for _ in range(200):
        frame = pd.DataFrame(make(rng, 40)).add_prefix("x")
        named += len(notes(frame, "x0"))
    assert named <= 1
