"""What looks odd about one table: ids, copies and leaks of the label, and how it is said."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from datakin import DatakinError, DatakinWarning, as_dataset, read_table, read_tables
from datakin.data.checks.leaks import _wrong_sides
from datakin.data.checks.suspicions import notes_of_facts
from datakin.data.dataset import ColumnFacts

N = 400
RNG = np.random.default_rng(3)
NOISE = RNG.normal(size=N)
Y = (RNG.random(N) < 0.2).astype(int)


def read(y=Y, label="died", **options):
    columns = {name: options.pop(name) for name in list(options) if name not in ("keep", "ignore")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        frame = pd.DataFrame({"noise": NOISE[: len(y)], **columns, label: y})
        return read_table(frame, label=label, **options)


IDS = {
    "part_no": RNG.permutation(N) * 3,
    "stayid": RNG.permutation(N) * 7 + 1000,
    "order": RNG.permutation(N) + 17,
    "Personalnummer": RNG.choice(10**6, N, replace=False),
    "Kundennr": RNG.choice(10**6, N, replace=False),
    "idnum": RNG.choice(10**6, N, replace=False),
    "record no": RNG.choice(10**6, N, replace=False),
    "Unnamed: 0": RNG.choice(10**6, N, replace=False),
    "identifier": RNG.integers(10_000, 10_800, N),
    "matricule": RNG.integers(10_000, 10_800, N),
    "name": [f"n{k}" for k in RNG.permutation(N)],
    "uniquepid": [f"0-{k}" for k in RNG.integers(0, 2 * N, N)],
    "patient_id": RNG.integers(10_000, 10_800, N),
}


@pytest.mark.parametrize("name", IDS)
def test_row_ids_are_not_used_unless_kept(name):
    found = read(**{name: IDS[name]})
    assert found.columns == ("noise",)
    assert found.left_out == {name: "looks like a row id"}
    kept = read(**{name: IDS[name]}, keep=[name])
    assert set(kept.columns) == {"noise", name}
    assert kept.notes == ()
    assert kept.keep == {name}


RISING = np.cumsum(RNG.integers(1, 9, N))


@pytest.mark.parametrize("values", [RISING, RISING[::-1]], ids=["rising", "falling"])
def test_numbers_that_only_rise_are_used_and_named(values):
    found = read(price=values)
    assert set(found.columns) == {"noise", "price"}
    assert found.notes == (
        "only rises or falls from row to row (a row number, or is the table sorted by it?): 'price' "
        "(to leave out: ignore=['price'] / --ignore price)",
    )
    assert read(price=values, keep=["price"]).notes == ()


@pytest.mark.parametrize("name", ["year", "age", "num_steps"])
def test_times_and_quantities_may_rise(name):
    assert read(**{name: RISING}).notes == ()
    assert read(**{name: np.arange(N) + 1600}).notes == ()


@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_dates_are_no_row_ids(order):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N), "D")
    seen = pd.Series(days if order == "sorted" else RNG.permutation(days))
    found = read(seen=seen)
    assert set(found.columns) == {"noise", "seen"}
    assert found.notes == ()


def test_the_order_of_rows_decides_nothing():
    repeats = np.concatenate([np.repeat(1, 60), np.arange(2, N - 58)])
    frame = pd.DataFrame({"patient_id": repeats, "price": RISING, "x": NOISE, "died": Y})
    mixed = frame.iloc[RNG.permutation(N)]
    with pytest.warns(DatakinWarning):
        one, other = (read_table(each, label="died") for each in (frame, mixed))
    assert one.columns == other.columns == ("price", "x")
    assert one.left_out == other.left_out == {"patient_id": "looks like a row id"}


def test_what_leaves_a_column_out_is_sought_in_all_rows():
    n = 12_000
    died = (RNG.random(n) < 0.2).astype(int)
    icu = np.where(died == 1, RNG.random(n) < 0.01, 0).astype(int)
    frame = pd.DataFrame({"icu_died": icu, "x": RNG.normal(size=n), "hosp_died": died})
    for rows in (np.argsort(icu), np.argsort(-icu), RNG.permutation(n)):
        with pytest.warns(DatakinWarning, match="'icu_died'"):
            assert read_table(frame.iloc[rows], label="hosp_died").columns == ("x",)


NO_IDS = {
    "amount_paid": RNG.integers(1, 100_000, N),
    "covid": RNG.integers(0, 50, N),
    "citric acid": RNG.permutation(N) * 7,
    "income": RNG.permutation(N) * 11,
    "town": RNG.choice([f"t{k}" for k in range(60)], N),
    "visits": np.sort(RNG.integers(0, 30, N)),
    "age": np.sort(RNG.normal(60, 9, N)),
    "num_steps": RNG.choice(20_000, N, replace=False),
    "number_of_inhabitants": RNG.choice(10**6, N, replace=False),
    "no_of_shares": RNG.choice(10**6, N, replace=False),
    "house_price_index": RNG.choice(10**6, N, replace=False),
    "price_inr": RNG.choice(10**6, N, replace=False),
    "record_temp": RNG.choice(10**6, N, replace=False),
    "comorbid": RNG.integers(0, 50, N),
    "year": RNG.permutation(N) + 1600,
    "gdp_rank": RNG.permutation(N) + 1,
}


@pytest.mark.parametrize("name", NO_IDS)
def test_measurements_are_no_row_ids(name):
    found = read(**{name: NO_IDS[name]})
    assert set(found.columns) == {"noise", name}
    assert found.notes == ()


ICU = np.where(Y == 1, RNG.random(N) < 0.6, 0).astype(int)


def test_a_column_that_implies_a_class_and_shares_its_word_is_left_out():
    found = read(label="hosp_expired", icu_expired=ICU)
    assert list(found.left_out) == ["icu_expired"]
    assert "tell the label of some rows and are named like it: 'icu_expired'" in found.notes[0]
    assert "keep=['icu_expired'] / --keep icu_expired" in found.notes[0]


SIGNS = [
    "mushroom_odor/mushroom_poisonous",
    "heart_sound/heart_disease",
    "engine_light/engine_failure",
]


@pytest.mark.parametrize("names", SIGNS)
def test_a_sign_that_shares_another_word_is_named_and_used(names):
    name, label = names.split("/")
    found = read(label=label, **{name: ICU})
    assert set(found.columns) == {"noise", name}
    assert found.notes == (
        "tells the label of some rows and is named like it (look whether it was known beforehand): "
        f"{name!r}",
    )


@pytest.mark.parametrize(
    "names", ["unitdischargestatus/hospitaldischargestatus", "pump_failed/motor_failed"]
)
def test_words_that_say_how_it_ended(names):
    name, label = names.split("/")
    assert list(read(label=label, **{name: ICU}).left_out) == [name]


def test_the_same_column_by_another_name_stays():
    assert read(label="hosp_expired", shock=ICU).notes == ()


def test_an_honest_column_that_shares_a_word_stays():
    honest = np.where(RNG.random(N) < 0.2, 1 - Y, Y) * 2 + RNG.integers(0, 2, N)
    found = read(label="heart_disease", heart_rhythm=honest)
    assert found.left_out == {}


GIVEAWAYS = {
    "finer than the label": Y * 2 + np.arange(N) % 2,
    "a text that tells": np.where(Y == 1, "bad", np.where(np.arange(N) % 2, "fine", "good")),
    "a number that separates": np.where(Y == 1, 5.0, 0.0) + RNG.random(N),
    "known only for one class": np.where(Y == 1, RNG.normal(size=N), np.nan),
}


@pytest.mark.parametrize("values", GIVEAWAYS.values(), ids=GIVEAWAYS)
def test_what_may_give_the_label_away_is_named_and_used(values):
    found = read(odor=values)
    assert set(found.columns) == {"noise", "odor"}
    assert found.notes == (
        "may give the label away (look whether it was known beforehand): 'odor'",
    )  # fmt: skip
    assert read(odor=values, keep=["odor"]).notes == ()


THREE = np.array(["low", "middle", "high"])[np.digitize(NOISE, [0, 1])]


def test_thresholds_tell_several_classes():
    shift = np.where(np.arange(N) < 3, 2.0, 0.0)  # three rows of 400 on the wrong side
    assert "away" in read(y=THREE, odor=NOISE + shift, noise=RNG.normal(size=N)).notes[0]
    shift = np.where(np.arange(N) < 30, 2.0, 0.0)
    assert read(y=THREE, odor=NOISE + shift, noise=RNG.normal(size=N)).notes == ()


@pytest.mark.parametrize("seed", range(20))
def test_rows_on_the_wrong_side_of_the_best_thresholds(seed):
    rng = np.random.default_rng(seed)
    values, y = np.sort(rng.integers(0, 9, 12)).astype(float), rng.permutation(np.arange(12) // 4)
    low, middle, high = sorted(np.unique(y), key=lambda c: values[y == c][2])
    expected = min(
        np.sum(y != np.where(values < a, low, np.where(values < b, middle, high)))
        for a in range(11) for b in range(a, 11)
    )  # fmt: skip
    assert _wrong_sides(values, y) == expected


def test_a_column_close_to_a_response_is_named():
    y = RNG.normal(size=N)
    assert "away" in read(y=y, x=y + RNG.normal(0, 0.01, N)).notes[0]
    assert "away" in read(y=y, x=np.exp(3 * y)).notes[0]
    assert read(y=y, x=y + RNG.normal(0, 0.3, N)).notes == ()


def test_grades_numbered_like_the_label_are_named():
    y = RNG.normal(12, 3, N)
    first = y + RNG.normal(0, 2, N)
    assert read(y=y, label="G3", G1=first).notes == (
        "named like the label and close to it (look whether it was known beforehand): 'G1'",
    )
    assert read(y=y, label="G3", motivation=first).notes == ()
    many = {f"G{k}": first + k for k in range(4, 12)}
    assert read(y=y, label="G3", **many).notes == ()


def test_random_tables_raise_no_alarm():
    rng = np.random.default_rng(0)
    for k in range(30):
        n = int(rng.integers(30, 300))
        X = np.column_stack([rng.normal(size=(n, 15)), rng.integers(0, 6, (n, 15))])
        y = rng.integers(0, 2, n) if k % 2 else rng.normal(size=n)
        assert as_dataset(X, y).notes == ()


def test_all_datasets_of_a_split_table_agree():
    frame = pd.DataFrame(
        {
            "row": np.tile(np.arange(200), 2),
            "code": np.where(np.arange(N) < 200, Y, RNG.integers(0, 2, N)),
            "x": NOISE,
            "site": np.repeat(["a", "b"], 200),
            "died": Y,
        }
    )
    with pytest.warns(DatakinWarning, match="^a, b: left out, look like row ids: 'row'"):
        found = read_tables(frame, label="died", domain="site")
    assert found["a"].columns == found["b"].columns == ("code", "x")


YEARS = pd.DataFrame(
    {
        "country": np.repeat(["a", "b"], 200),
        "year": np.tile(np.arange(1800, 2000), 2),
        "day": np.tile(pd.date_range("2020-01-01", periods=200), 2),
        "place": np.tile(np.arange(200), 2),
        "x": NOISE,
        "died": Y,
    }
)


def test_years_and_days_of_a_panel_are_used():
    for frame in (YEARS, YEARS.sample(frac=1, random_state=0)):
        with pytest.warns(
            DatakinWarning, match="counts the rows of each dataset.*'place'.*--ignore"
        ):
            found = read_tables(frame, label="died", domain="country")
        for each in found.values():
            assert each.columns == ("year", "day", "place", "x")


def test_a_small_domain_does_not_change_the_task():
    frame = pd.DataFrame({"x": NOISE, "score": RNG.normal(50, 9, N).round(), "school": "a"})
    frame.loc[200:, "school"] = "b"
    frame.loc[398:, "school"] = "tiny"
    frame.loc[100:199, "score"] = 40  # of two values only in one school
    frame.loc[:99, "score"] = 41
    with pytest.warns(DatakinWarning, match="1 of 3 values of 'school' were left out.*Got 2 in"):
        found = read_tables(frame, label="score", domain="school")
    assert [d.task for d in found.values()] == ["regression", "regression"]


def test_nothing_left_but_row_ids():
    with pytest.raises(DatakinError, match=r"none but 'key', which look like row ids.*--keep key"):
        read_table(pd.DataFrame({"key": range(N), "died": Y}), label="died")


def test_kept_columns_must_be_there():
    with pytest.raises(DatakinError, match=r"kept column 'nose' must be one.*mean 'noise'"):
        read(keep=["nose"])
    with pytest.raises(DatakinError, match=r"either kept or ignored. Got 'noise'.*--ignore"):
        read(keep=["noise"], ignore=["noise"])
    with pytest.raises(DatakinError, match="'died', which is the label"):
        read(keep=["died"])
    with pytest.raises(DatakinError, match="kept column 'x9' must be one of the columns: 'x0'"):
        as_dataset(NOISE[:, None], Y, keep=["x9"])


COUNT = np.where(RNG.random(N) < 0.5, 0, RNG.poisson(30, N)).astype(float)
SPARSE = {
    "two classes": Y,
    "three classes": np.digitize(COUNT, [1, 31]),
    "response": COUNT,
}


@pytest.mark.parametrize("y", SPARSE.values(), ids=SPARSE)
def test_sparse_and_dense_give_the_same_dataset(y):
    rare = RNG.random((N, 6)) < 0.1
    X = np.column_stack(
        [NOISE, np.arange(N), y, np.zeros(N), np.full(N, 2), RISING, y * 2.0 + (y > 0) * RNG.random(N),
         np.exp(y / 20) - 1, np.where(np.arange(N) % 50, COUNT, -999), rare * RNG.integers(1, 4, (N, 6))]
    )  # fmt: skip
    with pytest.warns(DatakinWarning):
        dense = as_dataset(X, y)
    with pytest.warns(DatakinWarning):
        thin = as_dataset(sparse.csr_array(X), y)
    assert dense.columns == thin.columns
    assert dense.left_out == thin.left_out
    assert {"x1", "x2", "x3", "x4"} <= set(thin.left_out)
    assert dense.notes == thin.notes
    assert "'x6'" in str(thin.notes)
    assert "-999" in str(thin.notes)
    assert dense.fingerprint == thin.fingerprint


def test_a_sparse_table_must_vary():
    with pytest.raises(DatakinError, match="0 without any value and 2 constant"):
        as_dataset(sparse.csr_array(np.zeros((N, 2))), Y)


def dependent(seed, n):
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(20, 90, n), rng.choice(["m", "f"], n)
    by_both = {"sex": sex, "weight": 2 * age + 7 * (sex == "m"), "decade": age // 10}
    label = {"died": rng.integers(0, 2, n)}
    for others in ({"born": 2024 - age, "sex": sex}, {"decade": age // 10, "sex": sex}, by_both):
        yield pd.DataFrame({"age": age, **others, **label})


@pytest.mark.parametrize("n", [100, 400, 1000])
def test_rows_of_columns_that_hang_together_coincide_by_chance(n):
    for seed in range(5):
        for frame in dependent(seed, n):
            notes = read_table(frame, label="died", keep=["born"] * ("born" in frame)).notes
            assert not any("have a copy" in note for note in notes)


@pytest.mark.filterwarnings("ignore:.*have a copy")
@pytest.mark.parametrize("n", [60, 400])
def test_copies_are_found_in_tables_whose_columns_hang_together(n):
    for frame in dependent(0, n):
        frame["bmi"] = np.random.default_rng(1).normal(26, 4, n).round(1)
        frame["risk"] = frame["bmi"] * 2
        twice, some = pd.concat([frame, frame]), frame.sample(frac=0.3, random_state=0)
        drawn = frame.sample(n, replace=True, random_state=0)
        for copied in (twice, pd.concat([frame, some]), drawn):
            assert any("have a copy" in note for note in read_table(copied, label="died").notes)


def test_copies_of_rows_in_a_discrete_table_are_chance():
    frame = {"age": RNG.integers(20, 70, N), "sex": RNG.integers(0, 2, N)}
    assert not any("have a copy" in note for note in read(**frame, noise=Y * 0).notes)


def test_notes_of_facts_are_one_line_for_each_kind():
    facts = {
        "bp": ColumnFacts("number", {".": 3}, "decimal comma"),
        "age": ColumnFacts("number", {"n.a.": 1}),
        "temp": ColumnFacts("number", converted="decimal comma"),
        "dose": ColumnFacts("category", doubt="text, although 97% of its values are numbers"),
    }
    assert notes_of_facts(facts) == [
        "look twice at 'dose': text, although 97% of its values are numbers",
        "read as missing: '.' in 'bp' (3), 'n.a.' in 'age' (1)",
        "decimal comma: 'bp', 'temp'",
    ]


def test_classes_that_one_table_spells_in_two_ways_are_a_question():
    words = np.where(Y == 1, "yes", np.where(np.arange(N) % 9, "no", "No"))
    with pytest.raises(
        DatakinError, match=r"recode=\{'died': \{'No': 'no'\}\} / --recode died:No=no, if not, task"
    ):
        read_table(pd.DataFrame({"x": NOISE, "died": words}), label="died")
    frame = pd.DataFrame({"x": NOISE, "died": words})
    with pytest.warns(DatakinWarning, match="differ in case only"):
        several = read_table(frame, label="died", task="multiclass")
    assert several.classes == ("No", "no", "yes")


def test_labels_in_memory_that_are_masked_are_missing():
    with pytest.warns(DatakinWarning, match="5 of 400 rows have no label"):
        found = as_dataset(NOISE[:, None], np.ma.MaskedArray(Y, np.arange(N) < 5))
    assert found.n_rows == N - 5


def test_labels_in_memory_that_are_dates_are_refused():
    dates = np.datetime64("2020-01-01") + np.arange(N)
    with pytest.raises(DatakinError, match=r"must hold numbers, booleans or text. Got dates"):
        as_dataset(NOISE[:, None], dates)


def test_large_group_numbers_stay_apart():
    groups = 2**60 + np.arange(N) // 2
    assert len(as_dataset(NOISE[:, None], Y, group=groups).group_names) == N / 2


def test_huge_responses_of_sparse_tables_raise_no_foreign_warning():
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, 5), density=0.5, rng=rng, format="csr")
    y = rng.uniform(0.5, 1, 60) * 1.7e308  # their sum is infinite
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DatakinWarning)
        assert as_dataset(X, y).n_rows == 60
