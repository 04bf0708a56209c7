"""Groups that stand in two domains of one table: said when the table is read."""

import numpy as np
import pandas as pd
import pytest

from datakin import DatakinWarning, read_tables
from datakin.data import SharedGroups


def wards(patient):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    frame = pd.DataFrame(X, columns=["age", "dose"]).assign(died=rng.permutation(80) % 2)
    return frame.assign(ward=np.repeat(["north", "south"], 40), patient=patient)


def test_groups_of_their_own_are_fine():
    found = read_tables(wards(np.arange(80) // 2), label="died", domain="ward", group="patient")
    assert [d.n_rows for d in found.values()] == [40, 40]


def test_a_patient_in_two_wards_is_named():
    patient = [f"p{k // 2}" for k in range(80)]
    patient[79] = "p0"
    with pytest.warns(
        DatakinWarning, match="1 of 40 stand in several: 'p0'; drop their rows"
    ) as seen:
        read_tables(wards(patient), label="died", domain="ward", group="patient")
    assert seen[0].filename == __file__


def test_rows_without_a_group_stand_for_themselves():
    patient = np.where(np.arange(80) % 5 == 0, np.nan, np.arange(80))
    assert len(read_tables(wards(patient), label="died", domain="ward", group="patient")) == 2


def test_what_is_left_out_leaks_nothing():
    # p0 is also in a ward that has too few rows, and in the south without a label.
    patient = [f"p{k // 2}" for k in range(80)]
    patient[79] = "p0"
    frame = wards(patient)
    frame["died"] = frame["died"].astype(float)
    frame.loc[79, "died"] = np.nan
    few = frame[:5].assign(ward="west", patient="p30")
    with pytest.warns(DatakinWarning) as seen:
        read_tables(pd.concat([frame, few]), label="died", domain="ward", group="patient")
    assert not any(issubclass(w.category, SharedGroups) for w in seen)


def test_one_number_in_two_spellings_is_one_group():
    patient = [str(k) for k in range(40)] + [f"{k}.0" for k in range(39, 79)]
    with pytest.warns(SharedGroups, match="1 of 79 stand in several: '39'"):
        read_tables(wards(patient), label="died", domain="ward", group="patient")
