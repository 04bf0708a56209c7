"""Planted pairs: alike where nothing was planted, and different in just the way that is said."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from datakin import DatakinError
from reproduction import part_intervals, planted_causes
from reproduction.part_intervals import PART_INTERVALS
from reproduction.planted import BLANK, CAUSES, CODES, UNITS, make_pair, plant
from reproduction.planted_causes import PLANTED_CAUSES, is_right, tally
from reproduction.population import LABEL, LEVELS, NUMBERS, TASKS, TRUTHS, Population
from reproduction.study import run_study

N = 4000


def pair(cause, seed, task="classes", truth="linear", n=N):
    """Return the table that differs, the other one, and what was planted."""
    target, source, about = make_pair(
        cause, task=task, truth=truth, n_target=n, n_source=n, seed=seed
    )
    return (target, source, about) if about.side == "target" else (source, target, about)


def differing(one, other):
    """Return the columns whose distributions differ."""
    numbers = {
        name: stats.ks_2samp(one[name].dropna(), other[name].dropna(), method="asymp").pvalue
        for name in (*NUMBERS, "g", LABEL)
    }
    levels = {
        name: stats.chi2_contingency(
            pd.concat([one[name].value_counts(), other[name].value_counts()], axis=1)
        ).pvalue
        for name in ("e", "f")
    }
    return {name for name, chance in (numbers | levels).items() if chance < 1e-4}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("truth", TRUTHS)
def test_strength_of_the_rule(task, truth):
    frame = Population(task, truth).draw(40_000, 0)
    weak = Population(task, truth, slope=0.0).draw(40_000, 0)
    assert frame.drop(columns=LABEL).equals(weak.drop(columns=LABEL)), "the same rows"
    if task == "classes":
        assert frame[LABEL].mean() == pytest.approx(0.5, abs=0.01)
        best = Population("numbers", truth).draw(40_000, 0)[LABEL]
        assert roc_auc_score(frame[LABEL], best) > 0.65
    else:
        left = frame[LABEL] - 120 - (weak[LABEL] - 120)  # the same noise in both
        assert left.var() / frame[LABEL].var() == pytest.approx(0.51, abs=0.02)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("truth", TRUTHS)
def test_nothing_is_nothing(task, truth):
    target, source, about = make_pair(
        "nothing", task=task, truth=truth, n_target=N, n_source=N, seed=5
    )
    assert differing(target, source) == set()
    assert (about.side, about.column) == ("", "")
    assert not target.isna().any().any()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("cause", "columns"),
    [("confidence", {LABEL}), ("effect", {LABEL}), ("copies", set()), ("classes", {LABEL})],
)
def test_features_stay_where_only_the_label_is_touched(cause, columns, seed):
    changed, other, about = pair(cause, seed)
    assert differing(changed, other) <= columns
    assert about.side == ("target" if seed % 2 and cause != "copies" else "source")


@pytest.mark.parametrize("seed", range(4))
def test_features_move_and_nothing_else(seed):
    changed, other, about = pair("features", seed, task="numbers")
    moved = {part.split()[0] for part in about.what.split(", ")}
    assert differing(changed, other) - {LABEL} == {*moved, "e"}


@pytest.mark.parametrize("kind", range(len(UNITS)))
def test_units_are_exactly_linear(kind):
    made = plant("units", task="numbers", truth="trees", seed=2 * kind)
    column, times, plus = UNITS[kind]
    assert (made.about.column, made.about.side) == (column, "source")
    spoiled, plain = (each.draw(500, 1) for each in (made.source, made.target))
    assert np.allclose(spoiled[column], times * plain[column] + plus, rtol=1e-12)
    assert spoiled.drop(columns=column).equals(plain.drop(columns=column))


@pytest.mark.parametrize("seed", range(8))
def test_codes_leave_no_level_its_name(seed):
    made = plant("codes", task="classes", truth="linear", seed=seed)
    mapping, column = made.about.mapping, made.about.column
    assert sorted(mapping) == sorted(mapping.values())
    assert all(old != new for old, new in mapping.items())
    met = [next(iter(mapping))]
    while mapping[met[-1]] != met[0]:
        met.append(mapping[met[-1]])
    assert len(met) == len(mapping) == (4 if column == "e" else 2), "one cycle of all of them"
    changed, plain = (made.target, made.source) if seed % 2 else (made.source, made.target)
    spoiled, true = changed.draw(500, 1), plain.draw(500, 1)
    assert (true[column].map(mapping) == spoiled[column]).all()
    assert set(true["e"]) == set(LEVELS)


@pytest.mark.parametrize("seed", range(4))
def test_base_rate_moves(seed):
    changed, other, about = pair("base rate", seed)
    up = about.what == "higher"
    assert changed[LABEL].mean() == pytest.approx(0.7 if up else 0.3, abs=0.03)
    assert other[LABEL].mean() == pytest.approx(0.5, abs=0.03)
    changed, other, _ = pair("base rate", seed, task="numbers")
    moved = (changed[LABEL].mean() - other[LABEL].mean()) / other[LABEL].std()
    assert moved == pytest.approx(0.6 if up else -0.6, abs=0.08)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("truth", TRUTHS)
def test_leak(seed, truth):
    changed, other, about = pair("leak", seed, truth=truth)
    assert about.column == "g"
    assert roc_auc_score(changed[LABEL], changed["g"]) == pytest.approx(0.97, abs=0.01)
    assert roc_auc_score(other[LABEL], other["g"]) == pytest.approx(0.5, abs=0.04)
    changed, other, _ = pair("leak", seed, task="numbers", truth=truth)
    assert changed["g"].corr(changed[LABEL]) == pytest.approx(0.97, abs=0.01)
    assert changed["g"].mean() == pytest.approx(other["g"].mean(), abs=1.5)
    assert changed["g"].std() == pytest.approx(other["g"].std(), abs=1)


@pytest.mark.parametrize("seed", range(8))
def test_blanks_are_codes_in_one_table_and_empty_in_the_other(seed):
    coded, empty, about = pair("blanks", seed)
    column, code = about.column, float(about.what.split()[-1])
    assert code in CODES[column]
    assert empty[column].isna().mean() == pytest.approx(BLANK, abs=0.02)
    assert (coded[column] == code).mean() == pytest.approx(BLANK, abs=0.02)
    assert not coded.isna().any().any()
    known = empty[column].dropna()
    assert not known.min() <= code <= known.max()


@pytest.mark.parametrize("seed", range(4))
def test_effect_is_turned_or_missing(seed):
    changed, other, about = pair("effect", seed, task="numbers")
    here, there = (each[about.column].corr(each[LABEL]) for each in (changed, other))
    assert here == pytest.approx(-there if "turned" in about.what else 0, abs=0.06)
    assert abs(there) > 0.2


def test_range_and_copies():
    short, full, about = pair("range", 0)
    column = about.column
    inside = full[column].between(short[column].min(), short[column].max()).mean()
    assert inside == pytest.approx(0.6, abs=0.03)
    assert len(short) == len(full) == N
    copied, _, _ = pair("copies", 1)
    assert copied.duplicated().mean() == pytest.approx(0.3, abs=0.005)


def test_confidence_and_classes():
    plain, noisy = (
        plant("confidence", task="classes", truth="linear", seed=3).source.draw(N, 1),
        plant("confidence", task="classes", truth="linear", seed=3).target.draw(N, 1),
    )
    assert (plain[LABEL] != noisy[LABEL]).mean() == pytest.approx(0.25, abs=0.02)
    halved = plant("confidence", task="numbers", truth="linear", seed=3)
    assert np.allclose(
        halved.target.draw(99, 1)[LABEL] - 120, (halved.source.draw(99, 1)[LABEL] - 120) / 2
    )
    swapped = plant("classes", task="classes", truth="trees", seed=1)
    assert (swapped.target.draw(99, 1)[LABEL] + swapped.source.draw(99, 1)[LABEL] == 1).all()


def test_same_seed_same_tables():
    one, again, other = (
        make_pair("units", task="classes", truth="trees", n_target=60, seed=seed)
        for seed in (4, 4, 5)
    )
    assert one[0].equals(again[0])
    assert one[1].equals(again[1])
    assert not one[0].equals(other[0])
    assert (len(one[0]), len(one[1])) == (60, 120)
    large = make_pair("nothing", task="classes", truth="linear", n_target=1500, seed=0)
    assert len(large[1]) == 2000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cause": "unit"}, "Expected one of 'nothing'.* Got 'unit'"),
        ({"task": "binary"}, "Expected one of 'classes', 'numbers'"),
        ({"cause": "classes", "task": "numbers"}, "needs the task 'classes'"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(DatakinError, match=message):
        make_pair(
            **{"cause": "units", "task": "classes", "truth": "linear"} | given, n_target=50, seed=0
        )


@pytest.mark.parametrize(
    ("cause", "said", "right"),
    [
        ("nothing", {"named": True}, False),
        ("features", {"named": False}, True),
        ("copies", {"is_reported": True}, True),
        ("units", {"is_first": True, "is_column": False}, True),
        ("effect", {"is_first": True, "is_column": False}, False),
        ("effect", {"is_first": True, "is_column": True}, True),
    ],
)
def test_what_counts_as_right(cause, said, right):
    assert is_right(cause, said) is right


def test_study_of_causes(tmp_path):
    cells = [
        cell
        for cell in PLANTED_CAUSES.cells
        if (cell["task"], cell["truth"], cell["n_target"]) == ("numbers", "linear", 300)
    ]
    assert len(cells) == len(CAUSES) - 1, "classes cannot be swapped in numbers"
    cells = [cell for cell in cells if cell["cause"] in ("nothing", "base rate", "effect", "units")]
    summary = run_study(replace(PLANTED_CAUSES, cells=cells), replicates=1, folder=tmp_path)
    found = summary.frame.set_index("cause")
    assert found.loc["base rate", "right"] == 1
    assert found["left_over"].max() < 1e-9, "parts add up"
    assert found.loc["nothing", "draws"] == 5
    page = (tmp_path / "planted-causes.md").read_text()
    assert "1,000,000 and above" in page
    for told in CAUSES.values():
        assert told in page


def test_tally_has_seeds_of_its_own(capsys):
    rows = tally("base rate", "numbers", "linear", 100, 2)
    assert len(rows) == 2
    assert "base rate, numbers, linear, 100 rows: right " in capsys.readouterr().out
    assert planted_causes.OWN_SEEDS > 100_000
    assert planted_causes.main(["--quick", "classes", "all", "trees", "100", "1"]) == 0
    assert capsys.readouterr().out.count("\n") == 1, "numbers have no classes to swap"


@pytest.mark.long
def test_study_of_intervals(tmp_path, monkeypatch):
    monkeypatch.setattr(part_intervals, "TARGETS", 4)
    monkeypatch.setattr(part_intervals, "FEWEST", 4)
    cells = [cell for cell in PART_INTERVALS.cells if cell["n_target"] == 150][1::14]
    study = replace(PART_INTERVALS, cells=cells)
    found = run_study(study, replicates=2, folder=tmp_path).frame
    assert len(cells) == 2
    assert (found["intervals"] == 8).all()
    assert found["holds"].mean() > 0.6
    assert (found["holds"] + found["mean_above"] + found["mean_below"]).round(9).eq(1).all()
    assert found["left_over"].max() < 1e-9
    assert "add up to the excess" in (tmp_path / "part-intervals.md").read_text()


def test_intervals_can_be_tallied(monkeypatch, capsys):
    monkeypatch.setattr(part_intervals, "TARGETS", 3)
    monkeypatch.setattr(part_intervals, "FEWEST", 3)
    assert part_intervals.main(["--quick", "nothing", "numbers", "linear", "150", "1"]) == 0
    assert capsys.readouterr().out.count("| nothing | numbers |") == 5
