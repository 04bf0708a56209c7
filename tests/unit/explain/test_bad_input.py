"""Tables that are small, empty in places, huge, sparse, grouped, weighted, or oddly named."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import datakin
from datakin import DatakinError, explain, from_json
from tests.unit.explain.planted import planted
from tests.unit.explain.spoiled import (
    add_up,
    excess_of,
    explained,
    frames,
    options_of,
    read,
    world_of,
)
from tests.unit.explain.test_suspects import several
from tests.unit.results.sentences import check_form


def checked(found):
    add_up(found)
    check_form(found.answer)
    assert from_json(found.to_json()) == found
    assert found._repr_html_()
    return found


def arrays(frame):
    return frame.drop(columns="y"), frame["y"].to_numpy()


@pytest.fixture
def units():
    return frames("units")


def test_identical_tables_have_no_causes():
    target, _ = frames("nothing", n=60)
    found = explained(target, target)
    assert found.is_copy
    assert found.causes == found.mends == ()
    assert found.answer.remedies == ()


def test_no_difference_worth_explaining_stops():
    found = checked(explained(*frames("nothing")))
    assert found.causes == ()
    assert found.columns == found.regions == found.mends == ()
    assert found.kept is None
    assert found.answer.headline.startswith("Nothing to explain")
    assert found.answer.remedies == ()


def test_one_column(units):
    found = checked(explained(*(each[["b", "y"]] for each in units)))
    assert found.causes == ("units",)


def test_rows_that_are_alike_by_chance_are_no_copies():
    """One column of few values: chance alone makes most rows alike, and they still count one by one."""
    tables = []
    for seed, n, share in ((0, 300, 0.5), (1, 500, 0.75)):
        rng = np.random.default_rng(seed)
        x = rng.poisson(4, n)
        y = np.where(rng.random(n) < share, "yes", "no")
        tables.append(pd.DataFrame({"x": x, "y": y}))
    found = checked(explained(*tables))
    assert found.causes == ("base rate",)
    assert not any("have a copy" in text for text in found.answer.reasons)


def test_thirty_rows(units):
    checked(explained(*(each.head(30) for each in units)))
    checked(explained(*(each.head(30) for each in frames("leak"))))
    found = checked(explained(*(each.head(30) for each in frames("nothing"))))
    assert found.headline.startswith("Nothing to explain")
    (said,) = (text for text in found.answer.caveats if "tell little" in text)
    assert said.startswith(f"{found.n_target} rows tell little: a loss that is up to ")
    assert f"{100 * found.high / found.loss_alone:.0f}% higher" in said
    wide = explained(*frames("nothing"))
    assert not any("tell little" in text for text in wide.answer.caveats)


def test_disjoint_levels_that_are_kept():
    tables = []
    for k, levels in enumerate((("a", "b"), ("c", "d"))):
        rng = np.random.default_rng(k)
        words = rng.choice(levels, size=(200, 2), p=(0.7, 0.3))
        y = ((words[:, 0] == levels[0]) ^ (rng.random(200) < 0.1)).astype(int)
        tables.append(pd.DataFrame({"first": words[:, 0], "second": words[:, 1], "y": y}))
    with pytest.raises(DatakinError, match="must share a column with values in common"):
        explained(*tables)
    kept = {"keep": ["first", "second"]}
    found = checked(explained(*tables, **kept))
    assert found.causes == ("codes",)
    again = excess_of(*tables, **kept, **options_of(*found.mends))
    assert again == pytest.approx(found.mends[-1].after, rel=1e-9)


def test_no_column_is_left_that_can_be_learned_from():
    rng = np.random.default_rng(0)
    tables = [
        pd.DataFrame({"k": [f"{name}{i % n}" for i in range(60)], "y": rng.integers(0, 2, 60)})
        for name, n in (("a", 60), ("b", 30))
    ]
    assert explained(*tables, keep=["k"]).headline.startswith("Nothing to explain")


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("value", [np.nan, 1.0])
def test_a_column_without_values_or_of_one_value(units, side, value):
    tables = list(units)
    tables[side] = tables[side].assign(g=value)
    assert checked(explained(*tables)).causes == ("units",)


@pytest.mark.parametrize(("size", "in_both"), [(1e12, False), (1e300, True)])
def test_huge_numbers(units, size, in_both):
    target, source = units
    source = source.assign(c=size * source["c"])
    target = target.assign(c=size * target["c"]) if in_both else target
    assert "units" in checked(explained(target, source)).causes


def test_huge_and_tiny_labels():
    tables = frames("base rate", task="numbers")
    for size in (1e30, 1e-30):
        made = [each.assign(y=size * each["y"]) for each in tables]
        found = explained(*made)
        assert found.causes == ("level",)
        again = excess_of(*made, **options_of(*found.mends))
        assert again == pytest.approx(found.mends[0].after, rel=1e-6)


def test_labels_of_one_class(units):
    target, source = units
    for tables in ((target, source.assign(y=1)), (target.assign(y=1), source)):
        with pytest.raises(DatakinError, match="at least two classes"):
            explain(*map(arrays, tables), learner="linear")


@pytest.mark.parametrize("cause", ["units", "base rate"])
def test_groups_and_weights(cause):
    rng = np.random.default_rng(0)
    tables = [
        each.assign(person=np.arange(len(each)) // 3, weight=rng.choice([1.0, 2.0], len(each)))
        for each in frames(cause)
    ]
    for options in (
        {"group": "person", "ignore": ["weight"]},
        {"weight": "weight", "ignore": ["person"]},
    ):
        found = checked(explained(*tables, **options))
        assert found.causes == (cause,)
        if cause != "base rate":
            more = {**options, **options_of(*found.mends)}
            assert excess_of(*tables, **more) == pytest.approx(found.mends[0].after, rel=1e-9)


def test_a_base_rate_of_weights():
    """Only the weights differ: rows are drawn to the shares of the weights."""
    target, source = frames("nothing")
    target = target.assign(w=np.where(target["y"] == 1, 4.0, 1.0))
    found = checked(explained(target, source.assign(w=1.0), weight="w"))
    assert found.causes == ("base rate",)
    (mend,) = found.mends
    assert mend.after < 0.5 * mend.before


def test_mends_of_several_classes():
    swapped = several(1, (1, 2, 0), n=200)
    warm = several(1, n=200)
    warm = warm.assign(a=warm["a"] * 1.8 + 32)
    for source, cause in ((swapped, "classes"), (warm, "units")):
        found = checked(explained(several(0, n=120), source))
        assert found.causes == (cause,)
        again = excess_of(several(0, n=120), source, **options_of(*found.mends))
        assert again == pytest.approx(found.mends[0].after, rel=1e-9)


def test_sparse_tables_have_mends_of_the_label_only():
    (X, y), (other, z) = planted("base rate", 0, 150, 300)
    here, there = sparse.csr_matrix(X), sparse.csr_matrix(other)
    found = checked(explain((here, y), (there, z), learner="linear"))
    assert [mend.cause for mend in found.mends] == ["base rate"]
    (X, y), (other, z) = planted("nothing", 0, 150, 300)
    here, there = sparse.csr_matrix(X), sparse.csr_matrix(other)
    swapped = checked(explain((here, y), (there, 1 - z), learner="linear"))
    assert swapped.causes == ("classes",)


@pytest.mark.parametrize("cause", ["units", "classes"])
def test_tables_that_came_from_arrays(cause):
    """The options are those that read the same columns under the same names."""
    tables = frames(cause)
    found = explain(*map(arrays, tables), learner="linear")
    assert found.causes == (cause,)
    named = dict(zip(("target", "source"), tables, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", datakin.DatakinWarning)
        sets = datakin.read_tables(named, label="y", **options_of(*found.mends))
    again = world_of(*sets.values(), draws=3)
    assert again.excess[0] == pytest.approx(found.mends[0].after, rel=1e-9)


def test_dates_are_no_numbers_in_other_units():
    target, source = frames("nothing", task="numbers")
    for k, table in enumerate((target, source)):
        days = np.random.default_rng(k).integers(0, 900, len(table))
        table["seen"] = (
            pd.Timestamp("2015-01-01") + pd.to_timedelta(days + 2000 * k, unit="D")
        ).strftime("%Y-%m-%d")
        table["y"] += 0.05 * days
    found = checked(explained(target, source))
    assert not {mend.cause for mend in found.mends} & {"units", "blanks", "range", "codes"}


def test_a_source_without_one_class():
    source = several(1, n=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", datakin.DatakinWarning)
        found = checked(
            explain(*read(several(0, n=120), source[source["y"] != "two"]), learner="linear")
        )
    assert not any(mend.cause == "base rate" for mend in found.mends)
