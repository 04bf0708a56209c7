"""The file of a model: the same predictions after loading, and every hostile file refused."""

import copy
import io
import json
import os
import pickle
import re
import struct
import subprocess
import sys
import zipfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import datakin
from datakin import DatakinError
from datakin.choosing import KinModel, save_model
from datakin.choosing.archive import MEMBERS, Archive, packed
from datakin.choosing.model_file import FORMAT, model_bytes
from datakin.choosing.trees import FORMS, LARGEST, checked_trees, trees_of
from datakin.learners.foreign import ForeignPredictor
from datakin.learners.predictors import PlainTrees, StackPredictor, TreePredictor
from datakin.learners.trees import train_trees
from tests.unit.choose.models import model_of, quiet, ward, ward_model
from tests.unit.damage import damaged_bytes, damaged_json

TASKS = ("binary", "multiclass", "regression")
FORMAT_1 = Path(__file__).parent / "format_1"  # written by the last version of datakin that did


@pytest.fixture(scope="module")
def models():
    return {task: ward_model(task, constant=True) for task in TASKS}


@pytest.fixture(scope="module")
def sound(models):
    """The members of a sound file of three classes."""
    return members(model_bytes(models["multiclass"]))


@pytest.fixture(scope="module")
def old():
    """The members of a sound file of format 1."""
    return members((FORMAT_1 / "multiclass.datakin").read_bytes())


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def outputs(model, table):
    return model.predict_proba(table) if model.stack.classes else model.predict(table)


def load(path, content):
    """Load what somebody wrote: bytes, or members of a zip file."""
    path.write_bytes(content if isinstance(content, bytes) else packed(content))
    return datakin.load_model(path)


def refused(path, content, match="no model file that can be used"):
    with pytest.raises(DatakinError, match=match) as error:
        load(path, content)
    assert len(str(error.value)) < 1000


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kin.datakin"


# What is saved can be loaded.


@pytest.mark.parametrize("task", TASKS)
def test_round_trip(models, task, path):
    model = models[task]
    save_model(model, path)
    again = datakin.load_model(path)
    table = ward(7, task=task).drop(columns="died")
    table["town"] = [f"new {i}" if i % 4 == 0 else town for i, town in enumerate(table.town)]
    assert_allclose(quiet(outputs, again, table), quiet(outputs, model, table), rtol=0, atol=1e-12)
    assert again.schema == model.schema
    assert again.card == model.card
    assert [part[:3] for part in again.stack.parts] == [part[:3] for part in model.stack.parts]
    assert model_bytes(again) == model_bytes(model) == path.read_bytes()


def test_another_process_predicts_the_same(models, tmp_path):
    expected = {}
    for task, model in models.items():
        table = ward(7, n=50, task=task).drop(columns="died")
        table.to_csv(tmp_path / f"{task}.csv", index=False)
        model.save(tmp_path / f"{task}.datakin")
        expected[task] = np.asarray(outputs(model, tmp_path / f"{task}.csv"))
    code = (
        "import sys, json, datakin\n"
        "for task in ('binary', 'multiclass', 'regression'):\n"
        "    model = datakin.load_model(task + '.datakin')\n"
        "    give = model.predict_proba if model.stack.classes else model.predict\n"
        "    print(json.dumps(give(task + '.csv').tolist()))\n"
        "assert not {'skops', 'xgboost'} & {*sys.modules}\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for task, line in zip(expected, done.stdout.splitlines(), strict=True):
        assert np.abs(np.array(json.loads(line)) - expected[task]).max() < 1e-12


@pytest.mark.parametrize("name", [f"{task}{more}" for task in TASKS for more in ("", "_estimator")])
def test_files_of_format_1(name, path):
    if name.endswith("_estimator"):
        pytest.importorskip("skops")
    expected = json.loads((FORMAT_1 / "outputs.json").read_text())[name]
    model = datakin.load_model(FORMAT_1 / f"{name}.datakin")
    save_model(model, path)
    assert json.loads(members(path.read_bytes())["model.json"])["format"] == FORMAT == 2
    for each in (model, datakin.load_model(path)):
        found = quiet(outputs, each, FORMAT_1 / "rows.csv")
        assert_allclose(np.ravel(found), expected, rtol=0, atol=1e-9)


def test_sources_added_to_a_saved_model(path):
    target, source = (
        datakin.read_table(ward(seed, n=40), label="died", name=f"new {seed}") for seed in (5, 6)
    )
    fitted, second = ward_model(), path.with_name("second.datakin")
    fitted.save(path)
    datakin.load_model(FORMAT_1 / "binary.datakin").save(second)
    for given, same in ((fitted, path), (FORMAT_1 / "binary.datakin", second)):
        found, again = (
            quiet(datakin.choose, target, [source], add_to=each, repeats=1)
            for each in (given, same)
        )
        assert "theirs" in {each.name for each in found.model.card.sources}
        assert again.error == found.error
        assert_array_equal(again.model.predict_proba(ward(7)), found.model.predict_proba(ward(7)))
        again.model.save(path, overwrite=True)
        saved = datakin.load_model(path).predict_proba(ward(7))
        assert_allclose(saved, again.model.predict_proba(ward(7)), rtol=0, atol=1e-12)


def test_labels_keep_their_type(path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    for y in (X[:, 0] > 0, (X[:, 0] > 0) * 3):
        model = model_of(quiet(datakin.as_dataset, X, y, name="t"))
        model.save(path, overwrite=True)
        again = datakin.load_model(path)
        assert again.predict(X).dtype == y.dtype
        assert np.array_equal(again.predict(X), model.predict(X))


def test_corrections_are_kept(path):
    how = {
        "rename": {"age": "years"},
        "recode": {"town": {"Ulm": "", "Gent": "Ghent"}},
        "convert": {"dose": (2.5, 1)},
        "positive": "yes",
    }
    model = model_of(quiet(datakin.read_table, ward(0), label="died", name="mine", **how))
    model.save(path)
    again = datakin.load_model(path)
    assert again.schema == model.schema
    assert np.array_equal(again.predict_proba(ward(3)), model.predict_proba(ward(3)))
    assert again.error_on(ward(3)) == model.error_on(ward(3))


def test_a_file_that_is_there_stays(models, path):
    path.write_text("mine")
    with pytest.raises(DatakinError, match="already there"):
        models["binary"].save(path)
    assert path.read_text() == "mine"
    models["binary"].save(path, overwrite=True)
    assert datakin.load_model(path).classes_.tolist() == ["no", "yes"]
    assert [p.name for p in path.parent.iterdir()] == ["kin.datakin"]
    with pytest.raises(DatakinError, match="folder"):
        models["binary"].save(path.parent)


def test_no_pickle_in_a_file(sound):
    assert not any(content.startswith(b"\x80") for content in sound.values())


# Trees as arrays.


@pytest.mark.parametrize(
    ("task", "n_outputs"), [("binary", 1), ("multiclass", 3), ("regression", 1)]
)
@pytest.mark.parametrize("depth", [1, 3, 7])
def test_trees_add_up_as_in_xgboost(task, n_outputs, depth):
    rng = np.random.default_rng(depth)
    X = rng.normal(size=(700, 5)).round(1).astype(np.float32)
    X[rng.random(X.shape) < 0.2] = np.nan
    z = np.nan_to_num(X[:, 0] + X[:, 1] * X[:, 2])
    options = {
        "binary": {"objective": "binary:logistic", "base_score": 0.3},
        "multiclass": {"objective": "multi:softprob", "num_class": 3},
        "regression": {"objective": "reg:squarederror", "base_score": 7.0},
    }[task]
    y = {"binary": z > 0, "multiclass": np.digitize(z, [-0.5, 0.5]), "regression": z}[task]
    booster = train_trees({**options, "max_depth": depth, "nthread": 1}, 25, X[:400], y[:400])
    arrays = trees_of(booster.save_raw("json"), task, 5, n_outputs)
    assert arrays["left"].size > 25 * n_outputs
    trees = PlainTrees(arrays, task)
    margins = booster.inplace_predict(X, predict_type="margin", validate_features=False)
    assert_array_equal(trees._sums(X.T).T.squeeze(), margins)
    found, expected = (TreePredictor(each, task, 5.0, 2.0).predict(X) for each in (trees, booster))
    assert_allclose(found, expected, rtol=0, atol=0 if task == "regression" else 1.2e-7)


# A reader of the documented format that knows nothing of datakin.


PAGE = Path(__file__).parents[3] / "docs" / "model-format.md"


def documented_reader():
    """Return the function that the page shows; it may use a zip reader and numpy alone."""
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert set(re.findall(r"^import (.*)$", code, re.MULTILINE)) == {"json, zipfile", "numpy as np"}
    names = {}
    exec(code, names)
    return names["linear_parts"]


@pytest.mark.parametrize("task", TASKS)
def test_the_documented_format_is_enough(task, path):
    from datakin.learners.linear import LinearLearner

    model = ward_model(task, learners=[LinearLearner()])
    model.save(path)
    table = ward(7, task=task)
    columns = {
        "age": table.age.to_numpy(),
        "dose": table.dose.to_numpy(),
        "smokes": table.smokes.to_numpy(dtype=float),
        "seen": (table.seen - np.datetime64("1970-01-01")) / np.timedelta64(1, "D"),
        "town": [town if isinstance(town, str) else None for town in table.town],
    }
    found = documented_reader()(path, columns)
    expected = model.outputs_of(model._read(table).features)
    expected = expected[:, 1:] if task == "binary" else expected
    assert np.abs(found - expected).max() < 1e-12


@pytest.mark.parametrize("task", TASKS)
def test_the_documented_trees_and_kernels(task, models):
    """The formulas of the page, row by row."""
    model = models[task]
    X = model.encoder.apply(model._read(ward(7, n=20, task=task)).features)
    held = members(model_bytes(model))
    for i, part in enumerate(json.loads(held["model.json"])["parts"]):
        expected = model.stack.parts[i][3].predict(X)
        arrays = {
            name: np.frombuffer(held[each["member"]], AS[Path(each["member"]).suffix])
            for name, each in part.items()
            if isinstance(each, dict)
        }
        if part["type"] == "trees":
            found = [tree_output(arrays, np.float32(x), task, part) for x in X]
            assert_allclose(found, expected, atol=1e-6)
        if part["type"] == "kernel":
            Z = np.where(np.isnan(X), arrays["medians"], X)
            Z = np.clip((Z - arrays["centers"]) / arrays["scales"], -5, 5)
            points = arrays["points"].reshape(part["points"]["shape"])
            squares = ((Z[:, None] - points) ** 2).sum(axis=2)
            K = np.exp(-squares / part["width"]) + part["constant"]
            P = K @ arrays["coefficients"].reshape(part["coefficients"]["shape"])
            P = P if task == "regression" else P.clip(0, 1)
            P = P / P.sum(axis=1, keepdims=True) if task == "multiclass" else P
            assert_allclose(P, expected, atol=1e-9)


AS = {".f64": "<f8", ".f32": "<f4", ".i32": "<i4", ".u8": "u1"}


def tree_output(trees, x, task, part):
    """Return what trees give for one row, by the words of the page."""
    sums = trees["base"].copy()
    for i, node in enumerate([0, *trees["ends"][:-1]]):
        while trees["left"][node] >= 0:
            value, column = trees["value"][node], x[trees["column"][node]]
            goes_left = trees["default_left"][node] if np.isnan(column) else column < value
            node = trees["left" if goes_left else "right"][node]
        sums[i % len(sums)] += trees["value"][node]
    if task == "regression":
        return sums * part["scale"] + part["shift"]
    return 1 / (1 + np.exp(-sums)) if task == "binary" else np.exp(sums) / np.exp(sums).sum()


# Estimators of scikit-learn.


def with_estimator(estimator, task="binary"):
    """Return a model of one fitted estimator."""
    base = ward_model(task)
    X = base.encoder.apply(base._read(ward(0, task=task)).features)
    medians = np.nanmedian(X, axis=0)
    labels = ward(0, task=task).died
    classes = base.stack.classes
    y = labels.map({name: i for i, name in enumerate(classes)}) if classes else labels
    estimator.fit(np.where(np.isnan(X), medians, X), y)
    n_outputs = len(classes) if len(classes) > 2 else 1
    part = ForeignPredictor(estimator, np.arange(len(classes)), n_outputs, task, medians)
    stack = StackPredictor((("mine", "target", 1.0, part),), task, classes, np.zeros(0))
    return KinModel(base.schema, base.encoder, stack, base.card)


@pytest.mark.parametrize("task", TASKS)
def test_estimators_of_scikit_learn(task, path):
    pytest.importorskip("skops")
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    forest = RandomForestRegressor if task == "regression" else RandomForestClassifier
    model = with_estimator(make_pipeline(StandardScaler(), forest(3, random_state=0)), task)
    model.save(path)
    again = datakin.load_model(path)
    assert np.array_equal(outputs(again, ward(4)), outputs(model, ward(4)))
    assert model_bytes(model) == path.read_bytes()


def test_estimators_of_others_are_refused(path, sound):
    skops = pytest.importorskip("skops.io")
    from xgboost import XGBClassifier

    with pytest.raises(DatakinError, match=r"'mine' cannot be saved: it needs '.*XGBClassifier'"):
        with_estimator(XGBClassifier(n_estimators=2)).save(path)
    content = skops.dumps(XGBClassifier(n_estimators=2))
    refused(path, foreign(sound, content), "cannot be loaded: it needs .*XGBClassifier")
    for content in (b"", b"PK\x03\x04", pickle.dumps(print), packed({"schema.json": b"{}"})):
        refused(path, foreign(sound, content))


def test_a_tree_that_points_nowhere():
    skops = pytest.importorskip("skops.io")
    from sklearn.tree import DecisionTreeClassifier

    from datakin.choosing.estimators import load_estimator

    X = np.arange(40.0)[:, None]
    tree = DecisionTreeClassifier(max_depth=2).fit(X, X[:, 0] > 9)
    load_estimator(skops.dumps(tree))
    state = tree.tree_.__getstate__()
    for field, value in (
        *(("left_child", 0), ("left_child", -5), ("right_child", 999), ("right_child", -1)),
        *(("feature", 50), ("feature", -2)),
    ):
        nodes = state["nodes"].copy()
        nodes[field][0] = value
        broken = copy.deepcopy(tree)
        broken.tree_.__setstate__({**state, "nodes": nodes})
        with pytest.raises(DatakinError, match="points to no node or column"):
            load_estimator(skops.dumps(broken))


def test_without_skops(monkeypatch, path):
    from sklearn.linear_model import LogisticRegression

    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(DatakinError, match=r"pip install 'datakin\[models\]'"):
        with_estimator(LogisticRegression()).save(path)


def foreign(sound, content):
    """Return members with an estimator as the last part."""
    made = changed(sound, lambda about: about["parts"][-1].pop("values"))
    about = json.loads(made["model.json"])
    levels = [level for each in about["encoder"]["categories"] for level in each["levels"]]
    n = len([*about["encoder"]["numbers"], *levels])
    about["parts"][-1] |= {
        "type": "scikit-learn",
        "member": "parts/9/estimator.skops",
        "present": [0, 1, 2],
        "medians": {"member": "parts/9/medians.f64", "shape": [n]},
    }
    made |= {"parts/9/estimator.skops": content, "parts/9/medians.f64": bytes(8 * n)}
    return {**made, "model.json": json.dumps(about).encode()}


# Hostile files: what is done to the members of a sound one, and what is said of it.


GONE = object()


def changed(sound, change, name="model.json"):
    """Return members, of which one JSON text is another."""
    about = json.loads(sound[name])
    change(about)
    return {**sound, name: json.dumps(about).encode()}


def put(keys, value, about):
    """Change one field; a value of `GONE` removes it."""
    for key in keys[:-1]:
        about = about[key]
    if value is GONE:
        del about[keys[-1]]
    else:
        about[keys[-1]] = value


def field(*keys, value, name="model.json"):
    return lambda sound: changed(sound, partial(put, keys, value), name)


def member(name, content):
    return lambda sound: {**sound, name: content}


def entry(part, name, at, value):
    """Put one number of an array of a part."""

    def change(sound):
        name_of = next(each for each in sound if each.startswith(f"parts/{part}/{name}."))
        values = np.frombuffer(sound[name_of], AS[Path(name_of).suffix]).copy()
        values[at] = value
        return {**sound, name_of: values.tobytes()}

    return change


def zipped(more, kind=zipfile.ZIP_DEFLATED):
    """Write members as zipfile does, also two of one name."""

    def change(sound):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", kind) as file:
            for name, content in [*sound.items(), *more]:
                file.writestr(name, content)
        return made.getvalue()

    return change


def odd_name(name):
    place = "x" * len(name.encode())
    change = zipped([(place, b"evil")])
    return lambda sound: change(sound).replace(place.encode(), name.encode())


def encrypted(sound):
    whole = bytearray(packed(sound))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for found in re.finditer(re.escape(mark), bytes(whole)):
            whole[found.start() + at] |= 1
    return bytes(whole)


def bomb(name, size=1 << 25):
    return lambda sound: zipped([])({**sound, name: b" " * size})


def longer_than_it_says(sound):
    return bomb(MODEL)(sound).replace(struct.pack("<I", 1 << 25), struct.pack("<I", 100))


def with_zip64(sound):
    whole = packed(sound)
    return whole[:-22] + b"PK\x06\x07" + struct.pack("<IQI", 0, 0, 1) + whole[-22:]


class Evil:
    def __reduce__(self):
        return os.system, ("touch ran",)


EVIL = pickle.dumps(Evil())
MODEL, WEIGHTS = "model.json", "parts/0/coefficients.f64"
ODD_NAMES = (
    "../evil",
    "/etc/evil",
    "a\\..\\b",
    "C:evil",
    "parts/../x",
    "a//b",
    ".hid",
    "é",
    "a\0b",
)
FILES = [  # what is no sound zip file
    (lambda sound: b"", "it is empty"),
    (lambda sound: b"a,b\n1,2\n", "does not begin as a zip"),
    (lambda sound: EVIL, "does not begin as a zip"),
    (lambda sound: b"PK\x03\x04", "damaged"),
    (lambda sound: b"PK\x03\x04" + bytes(100), "damaged"),
    (lambda sound: packed(sound) + b"more", "damaged"),
    *((lambda sound, end=end: packed(sound)[:end], "damaged") for end in (5000, -1, 60)),
    (with_zip64, "damaged"),
    *((member(name, EVIL), "no model file") for name in (MODEL, WEIGHTS, "parts/2/left.i32")),
    (member("model.pkl", EVIL), "belong to nothing"),
    *((odd_name(name), "odd name|damaged") for name in ODD_NAMES),
    (zipped([(MODEL, b"{}")]), "two members 'model.json'"),
    *((zipped([], kind), "packed in an unknown way") for kind in (12, 14)),  # bzip2, lzma
    (encrypted, "encrypted"),
    *((bomb(name), "too large") for name in (MODEL, WEIGHTS, "parts/2/left.i32")),
    (longer_than_it_says, "damaged|not as long"),
    (zipped((f"m{i}", b"") for i in range(MEMBERS)), "too many members"),
    (lambda sound: {WEIGHTS: sound[WEIGHTS]}, "no member 'model.json'"),
]
TEXTS = [  # what is no model.json
    *(b"", b"[]", b"null", b"{", b"[" * 100_000, b'{"format": NaN}', b'{"format": 1e999}'),
    *(b'{"format": ' + b"9" * 10_000 + b"}", b'{"format": 1, "format": 1}', b"\xff\xfe"),
    *(b"\x80\x04K\x01.", b'{"format": 0, "datakin": ""}', b'{"format": "1", "datakin": ""}'),
    *(b'{"format": true, "datakin": ""}', b'{"format": 2.0, "datakin": ""}', b'{"datakin": "1"}'),
]
SAID = [  # fields of model.json, and what is said of them
    (("format",), FORMAT + 1, r"made by a newer version of datakin \(.*\); update"),
    (("parts", 0, "weight"), -0.1, "weight of parts 0"),
    (("parts", 0, "weight"), 0.9, "sum to 1"),
    (("parts", 0, "more"), 1, "unknown fields: 'more'"),
    (("more",), 1, "unknown fields"),
    (("card", "more"), 1, "unknown fields"),
    (("encoder", "scales", 0), 0.0, "scales of the encoder"),
    (("parts", 0, "coefficients", "shape"), [1, 1], "must have the shape 3 x "),
    (("parts", 1, "points", "shape"), [1, 8], "bytes|too large"),
    (("parts", 1, "width"), 0, "width"),
    (("parts", 2, "left", "shape"), [1 << 21], "1 to 1,048,576 rows"),
    (("parts", 2, "left", "shape"), [1, 1], "must have the shape n"),
    (("parts", 2, "base", "shape"), [2], "bytes|too large"),
    (("parts", 2, "shift"), None, "shift of parts 2"),
    (("classes",), ["a", "b"], "cannot have 2 classes"),
    (("classes", 0), "b", "task and classes|cannot"),
    (("schema", "encoding"), "../../x", "encoding of the schema"),
    (("parts", 3, "coefficients", "member"), WEIGHTS, "used twice"),
    (("parts", 0, "coefficients", "member"), "parts/0/none.f64", "is missing"),
    (("card", "interval"), [0.9, 0.1], r"a low and a high end. Got \[0.9, 0.1\]"),
    (("card", "interval"), [-0.9, 0.1], "low end of the card must be from 0 to 1"),
    (("card", "error"), -5, "error of the card must be from 0 to 1 for the zero_one loss. Got -5"),
    (("card", "error_alone"), 1.5, "error_alone of the card"),
    (("card", "sources", 0, "share"), 1.5, "share of sources 0"),
    (("card", "sources", 0, "share"), -0.5, "share of sources 0"),
    (("blocks",), GONE, "blocks of model.json is missing"),
    (("blocks",), [], "blocks of model.json must be an object"),
    (("blocks", "residuals"), True, "residuals of blocks of model.json must be an object"),
    (("blocks", "residuals"), {}, "required of residuals .* is missing"),
    (("blocks", "residuals"), {"required": 0}, "required of residuals .* must be true or false"),
    *(
        (("blocks", odd), {"required": False}, "odd name")
        for odd in ("", "../x", "A", "a/b", "a" * 41)
    ),
    (
        ("blocks",),
        {name: {"required": True} for name in ("intercepts", "fixes")},
        r"required blocks that .* does not know \('intercepts', 'fixes'\), .*; update: pip install -U",
    ),
]
NOWHERE = [  # array of trees, position, value
    *(
        ("left", 0, 0),
        ("left", 1, 0),
        ("right", 0, 1),
    ),  # a circle, a way back, two ways to one node
    *(("left", 0, far) for far in (99_999, 2**31 - 1, -1, -5, -(2**31))),
    *(("right", 0, far) for far in (99_999, -1)),
    *(("right", -1, far) for far in (0, -2, 2**31 - 1)),  # of a leaf
    *(("column", 0, far) for far in (8, -1, 2**31 - 1)),
    *(("ends", 0, far) for far in (0, -1, 1, 99_999, -(2**31))),
    *(("ends", -1, far) for far in (0, 1, 99_999, 2**31 - 1)),
    ("default_left", 0, 2),
]
ARRAYS = [  # numbers of a part that fit neither each other nor the columns
    *((entry(0, "coefficients", 0, bad), "finite") for bad in (np.nan, np.inf)),
    (member(WEIGHTS, b""), "bytes|too large"),
    (lambda sound: {**sound, WEIGHTS: sound[WEIGHTS][:-1]}, "bytes|too large"),
    (lambda sound: {**sound, WEIGHTS: sound[WEIGHTS] + b"\0"}, "bytes|too large"),
    (entry(0, "scales", 0, 0), "scales of parts 0"),
    *(
        (entry(2, name, 0, bad), "finite")
        for name in ("value", "base")
        for bad in (np.nan, -np.inf)
    ),
    *((entry(2, *where), "parts 2 .* points to no node") for where in NOWHERE),
]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("change", "match"),
    [
        *FILES,
        *((member(MODEL, text), "no model file that can be used") for text in TEXTS),
        *((field(*keys, value=value), match) for keys, value, match in SAID),
        *ARRAYS,
    ],
)
def test_refused(path, sound, change, match):
    refused(path, change(sound), match)
    assert not os.path.exists("ran")


def test_what_is_no_file(path, sound, monkeypatch):
    for given, match in ((path, "is not there"), (path.parent, "the folder"), (None, "NoneType")):
        with pytest.raises(DatakinError, match=match):
            datakin.load_model(given)
    size = len(packed(sound))  # less than all members together
    monkeypatch.setattr("datakin.choosing.model_file.Archive", lambda s: Archive(s, size))
    refused(path, sound, "too large")


FIELDS = [
    *(("task",), ("classes",), ("label_type",), ("shares",), ("schema",), ("encoder",), ("parts",)),
    *(("card",), ("schema", "columns"), ("schema", "columns", 0, "kind"), ("schema", "recode")),
    *(("schema", "label"), ("schema", "convert"), ("schema", "header"), ("schema", "encoding")),
    *(("schema", "rename"), ("schema", "delimiter"), ("schema", "columns", 0, "form")),
    *(("encoder", name) for name in ("numbers", "centers", "scales", "medians", "categories")),
    *(("encoder", "categories", 0, "levels"), ("parts", 0, "weight"), ("parts", 0, "type")),
    *(("parts", 0, "coefficients"), ("parts", 0, "coefficients", "shape")),
    *(("parts", 0, "coefficients", "member"), ("parts", 1, "width"), ("parts", 1, "points")),
    *(("parts", 1, "points", "shape"), ("parts", 2, "left"), ("parts", 2, "ends", "shape")),
    *(("parts", 2, "scale"), ("parts", 6, "values"), ("blocks",)),
    *(("card", name) for name in ("error", "interval", "sources", "versions", "classes", "n_rows")),
    ("card", "sources", 0, "share"),
]
VALUES = [
    *(GONE, None, True, -1, 0, 2.5, 1e308, 2**62, "", "x", "../x", "parts/0/scales.f64", [], [[]]),
    *([-1, 2], [2**40, 2**40], ["a", "a"], [None], {}, {"a": 1}, {"a": {"b": {"c": 1}}}, [{}]),
    [0, 9],
]


@pytest.mark.parametrize("keys", FIELDS, ids=lambda keys: "-".join(map(str, keys)))
def test_odd_fields(path, sound, keys):
    """A file with an odd value is refused; the few values that are fine give a model that works."""
    n_refused = 0
    for value in VALUES:
        try:
            model = load(path, field(*keys, value=value)(sound))
        except DatakinError:
            n_refused += 1
            continue
        str(model.card)
        with suppress(DatakinError):  # of a table that does not fit the new schema
            assert np.isfinite(quiet(model.predict_proba, ward(3, n=9))).all()
    assert n_refused >= 10


def test_blocks_that_are_optional_are_skipped(path, sound):
    block = {"required": False, "values": {"member": "blocks/residuals/values.f64"}, "more": [1]}
    made = field("blocks", value={"residuals": block})(sound)
    made = member("blocks/residuals/values.f64", b"any")(made)
    model, expected = load(path, made), load(path, sound)
    assert_array_equal(model.predict_proba(ward(3)), expected.predict_proba(ward(3)))
    assert model_bytes(model) == packed(sound)  # which does not keep what it does not know
    for name in (
        "blocks/residual/x.f64",
        "blocks/residuals",
        "blocks/residualsx/x.f64",
        "blocks/x",
    ):
        refused(path, {**made, name: b"any"}, "belong to nothing")


def test_trees_with_too_many_nodes():
    for n in (LARGEST - 1, LARGEST + 1):  # a chain: every other node is a leaf
        at = np.arange(n)
        is_inner = (at % 2 == 0) & (at < n - 1)
        arrays = dict.fromkeys(FORMS, np.zeros(n)) | {"ends": np.array([n]), "base": np.zeros(1)}
        arrays |= {"left": np.where(is_inner, at + 1, -1), "right": np.where(is_inner, at + 2, -1)}
        if n < LARGEST:
            found = PlainTrees(checked_trees(arrays, 1, 1, "they"), "regression")
            assert_array_equal(found.inplace_predict(np.zeros((2, 1), dtype=np.float32)), 0)
    with pytest.raises(DatakinError, match="a tree of more than 32,768 nodes"):
        checked_trees(arrays, 1, 1, "they")


# Trees of format 1.


OLD = "parts/2/trees.json"
TREE = ("learner", "gradient_booster", "model", "trees", 0)
PARAM = ("learner", "learner_model_param")
OLD_TREES = [
    *(((*TREE, name), bad) for name in ("left_children", "split_conditions") for bad in ([], GONE)),
    *(((*TREE, "left_children", 0), bad) for bad in (0, 99, -5, 2**31, 2**62, 1.5, True)),
    *(((*TREE, "left_children", 1), 0), ((*TREE, "right_children", 0), 1)),
    *(((*TREE, "right_children", 0), -1), ((*TREE, "default_left", 0), 2)),
    *(((*TREE, "split_indices", 0), bad) for bad in (8, -1, 2**31 - 1, 0.5)),
    *(((*TREE, "split_conditions", 0), bad) for bad in (None, 1e39, "0")),
    *(((*TREE[:-2], "tree_info"), bad) for bad in ([], [7] * 24)),
    *((TREE[:-1], bad) for bad in ([], [{}], "x")),
    *(((*PARAM, "num_feature"), "9"), ((*PARAM, "num_class"), "999999999")),
    ((*PARAM, "num_class"), 3),
    *(((*PARAM, "base_score"), bad) for bad in ("[0.5,0.5]", "NaN", "[" * 5000, "x", "1e39", 0.5)),
    *((("learner", "objective", "name"), bad) for bad in ("binary:logistic", "rank:ndcg")),
    (("learner", "gradient_booster", "name"), "dart"),
    (("learner",), None),
]


@pytest.mark.parametrize(("keys", "value"), OLD_TREES)
def test_odd_trees_of_format_1(path, old, keys, value):
    refused(path, field(*keys, value=value, name=OLD)(old))


def test_odd_shares_of_format_1(path):
    old = members((FORMAT_1 / "binary.datakin").read_bytes())
    for base in ("0", "1", "-1", "2", "1e-50", "[1.0]"):
        refused(path, field(*PARAM, "base_score", value=base, name=OLD)(old))


def test_bombs_of_format_1(path, old):
    refused(path, bomb(OLD, 1 << 27)(old), "too large")
    n = LARGEST + 1
    lists = dict.fromkeys(("left_children", "right_children"), [-1] * n)
    lists |= dict.fromkeys(("split_indices", "default_left", "split_conditions"), [0] * n)
    refused(path, field(*TREE, value=lists, name=OLD)(old))


def test_what_trees_do_not_need_is_dropped(path, old):
    made = old
    for keys, value in (
        (("version",), [-1, 2**40, 0]),
        (("learner", "attributes"), {"best_iteration": "-4"}),
        ((*TREE, "categories_segments"), [2**40]),
        ((*TREE, "tree_param"), {"num_nodes": "-1", "size_leaf_vector": "1000000000"}),
    ):
        made = field(*keys, value=value, name=OLD)(made)
    found, expected = (load(path, each).predict_proba(ward(3)) for each in (made, old))
    assert_array_equal(found, expected)


# Blind damage is refused, or does no harm.


@pytest.mark.parametrize("begin", range(0, 300, 60))
def test_blind_damage(path, sound, old, begin):
    for seed in range(begin, begin + 60):
        which = old if seed % 6 == 1 else sound
        name = sorted(which)[seed % len(which)]
        if seed % 3 == 0:
            content = damaged_bytes(packed(which), seed)
        elif seed % 3 == 1:
            name = MODEL if which is sound else OLD
            content = {**which, name: damaged_json(which[name].decode(), seed).encode()}
        else:
            content = {**which, name: damaged_bytes(which[name], seed)}
        with suppress(DatakinError):
            quiet(load(path, content).predict_proba, ward(3, n=5))
