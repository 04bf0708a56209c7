"""Groups that stand in two domains of one table: said when the table is read."""

import numpy as np
import pandas as pd
import pytest

from datakin import DatakinWarning, read_tables


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
