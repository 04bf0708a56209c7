"""KinModel: tables in, predictions out; what it refuses, what it says, and how scikit-learn takes it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score, get_scorer
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

import datakin
from datakin import DatakinError, DatakinWarning
from datakin.choosing import KinModel, label_type_of
from datakin.data.schema import TableSchema
from tests.unit.choose.models import card_of, model_of, quiet, ward, ward_model


@pytest.fixture(scope="module")
def binary():
    return ward_model("binary")


@pytest.fixture
def new():
    return ward(7).drop(columns="died")


def points(n=60, seed=0, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)


def one_column(values, name="x", label=None, **options):
    """Return a model of one column beside another that varies."""
    n = len(values)
    rng = np.random.default_rng(0)
    label = np.where(rng.random(n) < 0.5, "a", "b") if label is None else label
    frame = pd.DataFrame({name: values, "z": rng.normal(size=n), "y": label})
    return model_of(datakin.read_table(frame, label="y", name="t", **options))


def column(model, values, name="x"):
    """Return how a model reads a column of new rows."""
    from datakin.data.new_rows import read_new_rows

    frame = pd.DataFrame({name: values, "z": 0.0})
    features = read_new_rows(frame, model.schema).features.select([name])
    if features.category_names:
        return [None if c < 0 else features.levels[0][c] for c in features.codes[:, 0]]
    return features.numeric[:, 0].tolist()


# Predictions.


def test_classes_probabilities_and_numbers(binary, new):
    found = binary.predict_proba(new)
    assert found.shape == (80, 2)
    assert np.allclose(found.sum(axis=1), 1)
    assert binary.classes_.tolist() == ["no", "yes"]
    assert np.array_equal(binary.predict(new), binary.classes_[found.argmax(axis=1)])
    truth = ward(7).died
    assert binary.score(new, truth) > 0.8
    assert binary.score(new, truth) == accuracy_score(truth, binary.predict(new))
    several = ward_model("multiclass")
    assert several.predict_proba(new).shape == (80, 3)
    assert set(several.predict(new)) <= {"low", "mid", "high"}
    numbers = ward_model("regression")
    assert numbers.predict(new).dtype == float
    assert numbers.score(new, ward(7, task="regression").died) > 0.7
    assert not hasattr(numbers, "predict_proba")
    assert not hasattr(numbers, "classes_")


def test_every_kind_of_table_gives_the_same(binary, new, tmp_path):
    expected = binary.predict_proba(new)
    new.to_csv(tmp_path / "new.csv", index=False)
    new.to_parquet(tmp_path / "new.parquet")
    arrow = pa.Table.from_pandas(new, preserve_index=False)
    tables = [tmp_path / "new.csv", str(tmp_path / "new.parquet"), arrow, pl.from_arrow(arrow)]
    tables += [new[new.columns[::-1]], new.to_numpy()]
    for table in tables:
        assert np.allclose(binary.predict_proba(table), expected, atol=1e-12)
    dataset = datakin.read_table(ward(7), label="died")
    assert np.allclose(binary.predict_proba(dataset), expected, atol=1e-12)


def test_a_label_column_is_ignored(binary, new):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(binary.predict(new.assign(died="?")), binary.predict(new))


def test_blocks_of_rows_change_nothing(binary, new, monkeypatch):
    expected = binary.predict_proba(new)
    monkeypatch.setattr("datakin.choosing.model.ROWS", 7)
    assert np.allclose(binary.predict_proba(new), expected, atol=1e-12)


def test_one_row_and_none(binary, new):
    expected = binary.predict_proba(new)[:1]
    assert np.allclose(binary.predict_proba(new[:1]), expected, atol=1e-12)
    assert binary.predict(new[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (np.arange(60) % 2, "i"),
        (np.arange(60) % 2 == 1, "b"),
        (np.arange(60) % 3 + 4, "i"),
        (np.array(["u", "v"])[np.arange(60) % 2], "U"),
    ],
)
def test_classes_have_the_type_of_the_labels(y, kind):
    X, _ = points()
    model = model_of(datakin.as_dataset(X, y, name="t", task="multiclass"))
    assert model.classes_.dtype.kind == kind
    assert set(model.predict(X)) <= set(y)
    assert model.score(X, y) == accuracy_score(y, model.predict(X))


def test_labels_of_a_file_are_text(tmp_path):
    frame = ward(0).assign(died=np.arange(80) % 2)
    frame.to_csv(tmp_path / "mine.csv", index=False)
    file = datakin.read_table(tmp_path / "mine.csv", label="died")
    assert label_type_of(file) == "text"
    assert label_type_of(datakin.read_table(frame, label="died")) == "int"
    assert label_type_of(datakin.read_table(frame, label="died", positive=1)) == "text"
    for low, kind in ((-2, "int"), (0.5, "float"), ("x", "text")):
        other = frame.assign(died=[low if died else 1 for died in frame.died])
        assert label_type_of(datakin.read_table(other, label="died")) == kind
    model = model_of(file)
    assert model.classes_.tolist() == ["0", "1"]
    assert 0 <= model.score(frame.drop(columns="died"), frame.died) <= 1  # 1 is the class "1"


# Columns.


def test_missing_columns_are_named(binary, new):
    wrong = new.rename(columns={"age": "ages"}).drop(columns="town")
    with pytest.raises(DatakinError, match=r"Missing 2 columns: 'age', 'town'") as error:
        binary.predict(wrong)
    assert "Did you mean 'ages'?" in str(error.value)


def test_other_columns_are_named(binary, new):
    with pytest.warns(DatakinWarning, match="not used: 'a', 'b'"):
        binary.predict(new.assign(a=1, b="x"))


def test_new_levels_are_counted(binary, new):
    expected = binary.predict_proba(new)
    towns = ["Rome", "Bonn", *new.town[2:]]
    with pytest.warns(DatakinWarning, match=r"'town' in 2 of 80 rows \('Bonn', 'Rome'\)"):
        found = binary.predict_proba(new.assign(town=towns))
    assert np.isfinite(found).all()
    assert np.allclose(found[2:], expected[2:], atol=1e-12)


def test_text_among_numbers_is_refused(binary, new):
    ages = ["old", *map(str, new.age[1:])]
    with pytest.raises(
        DatakinError, match=r"'age' must hold numbers.*Got 'old' in 1 row, first in row 0"
    ):
        binary.predict(new.assign(age=ages))


def test_kinds_that_differ_are_refused(binary, new):
    with pytest.raises(DatakinError, match=r"'age' must hold numbers.*Got dates"):
        binary.predict(new.assign(age=pd.Timestamp("2024-01-01")))
    with pytest.raises(DatakinError, match=r"'seen' must hold dates.*Got numbers"):
        binary.predict(new.assign(seen=3.5))
    with pytest.raises(DatakinError, match=r"'smokes' must hold truth values.*'7'"):
        binary.predict(new.assign(smokes=7))
    with pytest.raises(DatakinError, match=r"'town' must hold text.*Got dates"):
        binary.predict(new.assign(town=pd.Timestamp("2024-01-01")))
    with pytest.raises(DatakinError, match=r"'age' must hold finite numbers"):
        binary.predict(new.assign(age=np.inf))


def test_a_column_without_values_is_missing(binary, new):
    for nothing in (np.nan, None, "", "NA"):
        table = new.assign(age=nothing, town=nothing, seen=nothing, smokes=nothing)
        assert np.isfinite(binary.predict_proba(table)).all()


def test_truth_values_in_any_spelling():
    model = one_column([True, False] * 20)
    assert column(model, ["True", "FALSE"]) == [1, 0]
    assert column(model, [1, 0]) == [1, 0]
    assert column(model, [True, None]) == [1, pytest.approx(np.nan, nan_ok=True)]
    with pytest.raises(DatakinError, match=r"'x' must hold truth values.*'no', 'yes'"):
        column(model, ["yes", "no"])


def test_codes_stay_text_though_they_are_digits():
    model = one_column(["A1", "7", "12", "B"] * 10)
    assert column(model, ["7", "12"]) == ["7", "12"]
    assert column(model, [7, 12]) == ["7", "12"]
    assert column(model, [7.0, np.nan]) == ["7", None]
    assert column(one_column(["True", "maybe"] * 20), [True, False]) == ["True", "False"]


def test_numbers_stay_numbers_though_they_look_like_codes():
    model = one_column(np.arange(40) * 1.5)
    assert column(model, ["007", "012"]) == [7, 12]
    assert column(model, pd.Categorical(["7", "1.5"])) == [7, 1.5]
    assert np.isnan(column(model, ["-", "unknown"])).all()


def test_dates_are_read_in_the_spelling_of_the_target(tmp_path):
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(40) * 7, "D")
    frame = pd.DataFrame({"x": days.strftime("%d/%m/%Y"), "z": np.arange(40) % 7})
    frame.assign(y=["a", "b"] * 20).to_csv(tmp_path / "t.csv", index=False)
    model = model_of(quiet(datakin.read_table, tmp_path / "t.csv", label="y"))
    april = (pd.Timestamp("2024-04-03") - pd.Timestamp(0)).days
    assert column(model, ["03/04/2024"]) == [april]
    assert column(model, ["2024-04-03"]) == [april]
    assert column(model, [pd.Timestamp("2024-04-03")]) == [april]
    assert np.isnan(column(model, ["", "-"])).all()
    with pytest.raises(DatakinError, match=r"'x' must hold dates.*Got 'soon'"):
        column(model, ["soon"])


def test_the_decimal_sign_of_the_target(tmp_path):
    lines = [f"{i},{i % 7}5;{i % 3};{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["x;z;y", *lines]))
    model = model_of(quiet(datakin.read_table, tmp_path / "t.csv", label="y"))
    assert model.schema.decimal == ","
    assert column(model, ["1,234"]) == [1.234]
    assert column(model, [1234.0]) == [1234]


def test_corrections_of_the_target_are_made_again(tmp_path):
    rng = np.random.default_rng(0)
    raw = pd.DataFrame(
        {
            "Temp": rng.normal(98, 2, 40).round(2),
            "sex": ["male", "f"] * 20,
            "day": ["03.04.2024", "05.04.2024"] * 20,
            "y": rng.choice([2, 3], 40),
        }
    )
    how = {
        "rename": {"Temp": "temp"},
        "recode": {"sex": {"male": "m"}},
        "convert": {"temp": (0.5, -1), "day": "%m.%d.%Y"},
        "label_map": {2: "no", 3: "yes"},
    }
    raw.to_csv(tmp_path / "t.csv", index=False)
    for source in (raw, tmp_path / "t.csv"):
        dataset = quiet(datakin.read_table, source, label="y", name="t", **how)
        model = model_of(dataset)
        assert np.allclose(model.predict_proba(raw), model.predict_proba(dataset), atol=1e-12)
        assert model.classes_.tolist() == ["no", "yes"]
        assert model.error_on(raw) == pytest.approx(model.error_on(dataset))
        assert model.schema == TableSchema.of(dataset)
    # A table that is corrected already keeps its names and codes.
    model.predict(raw.rename(columns={"Temp": "temp"}).assign(sex="m"))


def test_corrections_for_one_value_of_the_domain():
    frame = pd.concat([ward(0), ward(1)]).assign(site=["a"] * 80 + ["b"] * 80)
    how = {"domain": "site", "convert": {"dose": (2, 0), "b": {"dose": (3, 0)}}}
    both = quiet(datakin.read_tables, frame, label="died", **how)
    assert TableSchema.of(both["a"]).convert == {"dose": (2, 0)}
    assert TableSchema.of(both["b"]).convert == {"dose": (3, 0)}
    assert TableSchema.of(both["b"]).beside == ("site",)


def test_a_dataset_that_left_a_column_out(binary):
    constant = quiet(datakin.read_table, ward(3).assign(town="Gent"), label="died")
    with pytest.raises(DatakinError, match=r"without 'town' \(constant\)"):
        binary.predict(constant)


def test_arrays():
    X, y = points()
    model = model_of(datakin.as_dataset(X, y, name="t"))
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2"]
    expected = model.predict_proba(X)
    assert np.allclose(model.predict_proba(sparse.csr_array(X)), expected)
    assert np.allclose(model.predict_proba(X.tolist()), expected)
    with pytest.raises(DatakinError, match="'x2'"):
        model.predict(X[:, :2])
    with pytest.raises(DatakinError, match="two dimensions"):
        model.predict(X[0])
    gap = np.column_stack([X[:, 0], np.ones(60), X[:, 1:]])
    model = model_of(quiet(datakin.as_dataset, gap, y, name="t"))
    assert model.feature_names_in_.tolist() == ["x0", "x2", "x3"]
    with pytest.warns(DatakinWarning, match="not used: 'x1'"):
        assert np.allclose(model.predict_proba(gap), expected)
    named = model_of(datakin.read_table(ward(0), label="died", name="t"))
    with pytest.raises(
        DatakinError, match="must have the 5 columns of the model, in this order: 'age'"
    ):
        named.predict(np.zeros((2, 4)))


def test_a_model_of_a_sparse_table():
    X, y = points(p=30)
    X = np.where(np.abs(X) > 1, X, 0)
    model = model_of(datakin.as_dataset(sparse.csr_array(X), y, name="t"))
    assert np.allclose(model.predict_proba(X), model.predict_proba(sparse.csr_array(X)))
    dataset = datakin.as_dataset(sparse.csr_array(X), y, name="t")
    assert np.allclose(model.predict_proba(dataset), model.predict_proba(X))


# Errors on labelled rows.


def test_error_in_the_loss_of_the_card(new):
    table = ward(7)
    for loss, shares in (("zero_one", ()), ("balanced", (0.5, 0.5)), ("brier", ()), ("log", ())):
        model = ward_model("binary", loss=loss, shares=shares)
        y, p = (table.died == "yes").to_numpy(), model.predict_proba(new)[:, 1]
        wrong = y != (p > 0.5)
        expected = {
            "zero_one": wrong.mean(),
            "balanced": (wrong[y].mean() + wrong[~y].mean()) / 2,
            "brier": np.mean((y - p) ** 2),
            "log": -np.mean(np.log(np.where(y, p, 1 - p).clip(1e-3))),
        }[loss]
        assert model.error_on(table) == pytest.approx(expected)
        assert model.error_on((new, table.died)) == pytest.approx(expected)
    with pytest.raises(DatakinError, match="a column 'died'"):
        model.error_on(new)
    with pytest.raises(DatakinError, match=r"'mine' was judged|judged by 'mine'"):
        ward_model("binary", loss="mine").error_on(table)


def test_unknown_classes_are_errors(binary):
    table = ward(7).assign(died="other")
    assert binary.error_on(table) == 1
    assert ward_model("binary", loss="brier").error_on(table) > 0.5


def test_rule_of_the_shares(new):
    even, odd = ward_model(shares=(0.5, 0.5)), ward_model(shares=(0.0, 1.0))
    assert len(set(even.predict(new))) == 2
    assert set(odd.predict(new)) == {"yes"}


# scikit-learn.


def test_scikit_learn_knows_what_it_is(binary):
    assert is_classifier(binary)
    assert is_regressor(ward_model("regression"))
    assert get_tags(binary).classifier_tags is not None
    check_is_fitted(binary)
    assert clone(binary) is binary
    assert binary.n_features_in_ == 5
    assert "KinModel(binary" in repr(binary)
    with pytest.raises(DatakinError, match=r"call\s+datakin.choose again"):
        binary.fit(None, None)


def test_scikit_learn_uses_it():
    X, y = points(120)
    model = model_of(datakin.as_dataset(X[:60], y[:60], name="t"))
    frozen = FrozenEstimator(model)
    assert np.array_equal(frozen.fit(X, y).predict(X), model.predict(X))
    calibrated = CalibratedClassifierCV(frozen, cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (120, 2)
    assert calibrated.score(X, y) > 0.7
    assert np.array_equal(cross_val_predict(frozen, X, y, cv=3), model.predict(X))
    pipe = make_pipeline(FunctionTransformer(), frozen).fit(X, y)
    assert np.array_equal(pipe.predict(X), model.predict(X))
    assert get_scorer("roc_auc")(model, X, y) > 0.8
    assert get_scorer("accuracy")(model, X, y) == model.score(X, y)


def test_pickle_for_other_processes(binary, new):
    again = pickle.loads(pickle.dumps(binary))
    assert np.array_equal(again.predict_proba(new), binary.predict_proba(new))


# Parts that must fit, and the card.


def test_parts_must_fit(binary):
    stack = binary.stack
    short = type(stack)(stack.parts[1:], stack.kind, stack.classes, stack.shares)
    with pytest.raises(DatakinError, match="sum to 1"):
        KinModel(binary.schema, binary.encoder, short, binary.card)
    some = TableSchema(binary.schema.columns[1:], "died")
    with pytest.raises(DatakinError, match="columns of its encoder"):
        KinModel(some, binary.encoder, stack, binary.card)
    with pytest.raises(DatakinError, match="task and classes"):
        KinModel(binary.schema, binary.encoder, stack, ward_model("multiclass").card)
    with pytest.raises(DatakinError, match="cannot be of the type 'int'"):
        KinModel(binary.schema, binary.encoder, stack, binary.card, label_type="int")


def test_card_of_classes_that_only_a_source_has():
    target = datakin.read_table(ward(0), label="died", name="mine")
    card = card_of(
        target, [], loss="brier", error=0.1, interval=(0, 1), classes=["no", "other", "yes"]
    )
    assert (card.task, card.classes) == ("multiclass", ("no", "other", "yes"))


def test_card():
    card = ward_model().card
    text = str(card)
    assert "Expected error on new rows of the target: 18.0% (90% interval 16.5 to 19.6%)" in text
    assert "theirs" in text
    assert len(text.splitlines()) <= 30
    assert datakin.from_json(card.to_json()) == card
    assert card.to_dict()["sources"][0]["share"] == 0.25
    assert card.frame.loc[0, "call"] == "helps"
    target = datakin.read_table(ward(0), label="died", name="mine")
    many = [(target, 0.01, "unclear")] * 60
    long = card_of(target, many, loss="zero_one", error=0.1, interval=(0, 1), notes=["n"] * 40)
    assert len(str(long).splitlines()) <= 30


def test_notes_of_a_card_are_whole():
    note = (
        "the file holds 1,040 rows of the tables, standardised, for the kernel learner; "
        "learners=['linear', 'trees'] holds none"
    )
    target = datakin.read_table(ward(0), label="died", name="mine")

    def said(note):
        made = card_of(target, [], loss="zero_one", error=0.1, interval=(0, 1), notes=[note])
        return str(made)

    assert f"Note: {note}" in " ".join(said(note).split())
    assert all(len(line) < 80 for line in said(note).partition("Note")[2].splitlines())
    many = [*"abcdefgh", note]
    made = card_of(target, [], loss="zero_one", error=0.1, interval=(0, 1), notes=many)
    assert "1,040 rows" in str(made)
    assert len(said("x" * 10_000)) < 2000
    assert "\x1b" not in said("a\x1b[2J")
