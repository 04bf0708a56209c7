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
from pathlib import Path

import numpy as np
import pytest

import datakin
from datakin import DatakinError
from datakin.choosing import KinModel, save_model
from datakin.choosing.archive import packed
from datakin.choosing.model_file import FORMAT, model_bytes
from datakin.learners.foreign import ForeignPredictor
from datakin.learners.predictors import StackPredictor
from tests.unit.choose.models import model_of, quiet, ward, ward_model
from tests.unit.damage import damaged_bytes, damaged_json

TASKS = ("binary", "multiclass", "regression")


@pytest.fixture(scope="module")
def models():
    return {task: ward_model(task, constant=True) for task in TASKS}


@pytest.fixture(scope="module")
def sound(models):
    """The members of a sound file of three classes."""
    return members(model_bytes(models["multiclass"]))


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def outputs(model, table):
    return model.predict_proba(table) if model.stack.classes else model.predict(table)


def refused(path, match):
    with pytest.raises(DatakinError, match=match) as error:
        datakin.load_model(path)
    assert len(str(error.value)) < 1000


# What is saved can be loaded.


@pytest.mark.parametrize("task", TASKS)
def test_round_trip(models, task, tmp_path):
    model, path = models[task], tmp_path / "kin.datakin"
    save_model(model, path)
    again = datakin.load_model(path)
    table = ward(7, task=task).drop(columns="died")
    table["town"] = [f"new {i}" if i % 4 == 0 else town for i, town in enumerate(table.town)]
    assert np.abs(quiet(outputs, again, table) - quiet(outputs, model, table)).max() < 1e-12
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
        "assert 'skops' not in sys.modules\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for task, line in zip(expected, done.stdout.splitlines(), strict=True):
        assert np.abs(np.array(json.loads(line)) - expected[task]).max() < 1e-12


def test_labels_keep_their_type(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    for y in (X[:, 0] > 0, (X[:, 0] > 0) * 3):
        model = model_of(quiet(datakin.as_dataset, X, y, name="t"))
        model.save(tmp_path / "t.datakin", overwrite=True)
        again = datakin.load_model(tmp_path / "t.datakin")
        assert again.predict(X).dtype == y.dtype
        assert np.array_equal(again.predict(X), model.predict(X))


def test_corrections_are_kept(tmp_path):
    how = {
        "rename": {"age": "years"},
        "recode": {"town": {"Ulm": "", "Gent": "Ghent"}},
        "convert": {"dose": (2.5, 1)},
        "positive": "yes",
    }
    target = quiet(datakin.read_table, ward(0), label="died", name="mine", **how)
    model = model_of(target)
    model.save(tmp_path / "t.datakin")
    again = datakin.load_model(tmp_path / "t.datakin")
    assert again.schema == model.schema
    assert np.array_equal(again.predict_proba(ward(3)), model.predict_proba(ward(3)))
    assert again.error_on(ward(3)) == model.error_on(ward(3))


def test_a_file_that_is_there_stays(models, tmp_path):
    path = tmp_path / "kin.datakin"
    path.write_text("mine")
    with pytest.raises(DatakinError, match="already there"):
        models["binary"].save(path)
    assert path.read_text() == "mine"
    models["binary"].save(path, overwrite=True)
    assert datakin.load_model(path).classes_.tolist() == ["no", "yes"]
    assert [p.name for p in tmp_path.iterdir()] == ["kin.datakin"]
    with pytest.raises(DatakinError, match="folder"):
        models["binary"].save(tmp_path)


def test_no_pickle_in_a_file(models):
    for content in members(model_bytes(models["binary"])).values():
        assert not content.startswith(b"\x80")


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
def test_the_documented_format_is_enough(task, tmp_path):
    from datakin.learners.linear import LinearLearner

    model = ward_model(task, learners=[LinearLearner()])
    model.save(tmp_path / "kin.datakin")
    table = ward(7, task=task)
    columns = {
        "age": table.age.to_numpy(),
        "dose": table.dose.to_numpy(),
        "smokes": table.smokes.to_numpy(dtype=float),
        "seen": (table.seen - np.datetime64("1970-01-01")) / np.timedelta64(1, "D"),
        "town": [town if isinstance(town, str) else None for town in table.town],
    }
    found = documented_reader()(tmp_path / "kin.datakin", columns)
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
        if part["type"] == "trees":
            found = [tree_output(json.loads(held[part["member"]]), x, task, part) for x in X]
            assert np.allclose(found, expected, atol=1e-6)
        if part["type"] == "kernel":
            arrays = {
                name: np.frombuffer(held[each["member"]], "<f8").reshape(each["shape"])
                for name, each in part.items()
                if isinstance(each, dict)
            }
            Z = np.where(np.isnan(X), arrays["medians"], X)
            Z = np.clip((Z - arrays["centers"]) / arrays["scales"], -5, 5)
            squares = ((Z[:, None] - arrays["points"]) ** 2).sum(axis=2)
            K = np.exp(-squares / part["width"]) + part["constant"]
            P = K @ arrays["coefficients"]
            P = P if task == "regression" else P.clip(0, 1)
            P = P / P.sum(axis=1, keepdims=True) if task == "multiclass" else P
            assert np.allclose(P, expected, atol=1e-9)


def tree_output(about, x, task, part):
    """Return what trees give for one row, by the words of the page."""
    learner = about["learner"]
    base = np.array(json.loads(learner["learner_model_param"]["base_score"]))
    sums = np.zeros(3 if task == "multiclass" else 1)
    for i, tree in enumerate(learner["gradient_booster"]["model"]["trees"]):
        node = 0
        while tree["left_children"][node] >= 0:
            value = np.float32(x[tree["split_indices"][node]])
            below = value < np.float32(tree["split_conditions"][node])
            left = tree["default_left"][node] if np.isnan(value) else below
            node = tree["left_children" if left else "right_children"][node]
        sums[i % len(sums)] += tree["split_conditions"][node]
    if task == "regression":
        return (base + sums) * part["scale"] + part["shift"]
    if task == "binary":
        return 1 / (1 + np.exp(-np.log(base / (1 - base)) - sums))
    return np.exp(base + sums) / np.exp(base + sums).sum()


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
def test_estimators_of_scikit_learn(task, tmp_path):
    pytest.importorskip("skops")
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    forest = RandomForestRegressor if task == "regression" else RandomForestClassifier
    linear = Ridge() if task == "regression" else LogisticRegression()
    for estimator in (forest(3, random_state=0), make_pipeline(StandardScaler(), linear)):
        model = with_estimator(estimator, task)
        model.save(tmp_path / "kin.datakin", overwrite=True)
        again = datakin.load_model(tmp_path / "kin.datakin")
        assert np.array_equal(outputs(again, ward(4)), outputs(model, ward(4)))
        assert model_bytes(model) == (tmp_path / "kin.datakin").read_bytes()


def test_estimators_of_others_are_refused(tmp_path, sound):
    skops = pytest.importorskip("skops.io")
    from xgboost import XGBClassifier

    with pytest.raises(DatakinError, match=r"'mine' cannot be saved: it needs '.*XGBClassifier'"):
        with_estimator(XGBClassifier(n_estimators=2)).save(tmp_path / "kin.datakin")
    path = tmp_path / "bad.datakin"
    write(path, foreign(sound, skops.dumps(XGBClassifier(n_estimators=2))))
    refused(path, "cannot be loaded: it needs .*XGBClassifier")
    for content in (b"", b"PK\x03\x04", pickle.dumps(print), packed({"schema.json": b"{}"})):
        write(path, foreign(sound, content))
        refused(path, "no model file that can be used")


def test_a_tree_that_points_nowhere(tmp_path):
    skops = pytest.importorskip("skops.io")
    from sklearn.tree import DecisionTreeClassifier

    from datakin.choosing.estimators import load_estimator

    X = np.arange(40.0)[:, None]
    tree = DecisionTreeClassifier(max_depth=2).fit(X, X[:, 0] > 9)
    load_estimator(skops.dumps(tree))
    state = tree.tree_.__getstate__()
    for field, value in (("left_child", 0), ("right_child", 999), ("feature", 50)):
        nodes = state["nodes"].copy()
        nodes[field][0] = value
        broken = copy.deepcopy(tree)
        broken.tree_.__setstate__({**state, "nodes": nodes})
        with pytest.raises(DatakinError, match="points to no node or column"):
            load_estimator(skops.dumps(broken))


def test_without_skops(monkeypatch, tmp_path):
    from sklearn.linear_model import LogisticRegression

    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(DatakinError, match=r"pip install 'datakin\[models\]'"):
        with_estimator(LogisticRegression()).save(tmp_path / "kin.datakin")


def foreign(sound, content):
    """Return members with an estimator as the last part."""
    made = changed(sound, lambda about: about["parts"][-1].pop("values"))
    about = json.loads(made["model.json"])
    n = len(encoded(about))
    about["parts"][-1] |= {
        "type": "scikit-learn",
        "member": "parts/9/estimator.skops",
        "present": [0, 1, 2],
        "medians": {"member": "parts/9/medians.f64", "shape": [n]},
    }
    made |= {"parts/9/estimator.skops": content, "parts/9/medians.f64": bytes(8 * n)}
    return {**made, "model.json": json.dumps(about).encode()}


def encoded(about):
    levels = [level for each in about["encoder"]["categories"] for level in each["levels"]]
    return [*about["encoder"]["numbers"], *levels]


# Hostile files.


def write(path, parts):
    path.write_bytes(packed(parts))


def changed(sound, change):
    """Return members with another model.json."""
    about = json.loads(sound["model.json"])
    change(about)
    return {**sound, "model.json": json.dumps(about).encode()}


def put(*keys, value):
    """Return a change of one field; a value of None-like `gone` removes it."""

    def change(about):
        for key in keys[:-1]:
            about = about[key]
        if value is GONE:
            del about[keys[-1]]
        else:
            about[keys[-1]] = value

    return change


GONE = object()


def test_what_is_no_zip(tmp_path, models):
    path = tmp_path / "kin.datakin"
    refused(path, "is not there")
    refused(tmp_path, "Got the folder")
    refused(None, "Got NoneType")
    whole = model_bytes(models["binary"])
    for content, match in (
        (b"", "it is empty"),
        (b"a,b\n1,2\n", "does not begin as a zip"),
        (pickle.dumps({"a": 1}), "does not begin as a zip"),
        (whole[: len(whole) // 2], "damaged"),
        (whole[:-1], "damaged"),
        (whole[:60], "damaged"),
        (b"PK\x03\x04", "damaged"),
        (b"PK\x03\x04" + bytes(100), "damaged"),
        (whole + b"more", "damaged"),
    ):
        path.write_bytes(content)
        refused(path, match)


def test_pickle_inside(tmp_path, sound):
    class Evil:
        def __reduce__(self):
            return os.system, ("touch ran",)

    path = tmp_path / "kin.datakin"
    evil = pickle.dumps(Evil())
    for name in ("model.json", "parts/0/coefficients.f64", "parts/2/trees.json"):
        write(path, {**sound, name: evil})
        refused(path, "no model file")
    write(path, {**sound, "model.pkl": evil})
    refused(path, "belong to nothing")
    assert not os.path.exists("ran")


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/evil", "a\\..\\b", "C:evil", "parts/../x", "a//b", ".hidden", "é", "a\0b"],
)
def test_odd_names(tmp_path, sound, name):
    path = tmp_path / "kin.datakin"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for each, content in sound.items():
            file.writestr(each, content)
        info = zipfile.ZipInfo("x" * len(name.encode()))
        file.writestr(info, b"evil")
    content = made.getvalue().replace(b"x" * len(name.encode()), name.encode())
    path.write_bytes(content)
    refused(path, "odd name|damaged")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(tmp_path, sound):
    path = tmp_path / "kin.datakin"
    with zipfile.ZipFile(path, "w") as file:
        for name, content in [*sound.items(), ("model.json", sound["model.json"])]:
            file.writestr(name, content)
    refused(path, "two members 'model.json'")


def test_odd_packing(tmp_path, sound):
    path = tmp_path / "kin.datakin"
    for kind in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(path, "w", kind) as file:
            for name, content in sound.items():
                file.writestr(name, content)
        refused(path, "packed in an unknown way")
    whole = bytearray(packed(sound))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for found in re.finditer(re.escape(mark), bytes(whole)):
            whole[found.start() + at] |= 1
    path.write_bytes(whole)
    refused(path, "encrypted")


def test_zip_bombs(tmp_path, sound, monkeypatch):
    path = tmp_path / "kin.datakin"

    def pack(name, content):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for each, held in {**sound, name: content}.items():
                file.writestr(each, held)

    pack("model.json", b" " * (1 << 25))
    refused(path, "too large")
    pack("parts/2/trees.json", b" " * (1 << 27))
    refused(path, "too large")
    pack("parts/0/coefficients.f64", bytes(1 << 25))
    refused(path, "too large")
    # A header that says less than there is.
    pack("model.json", b" " * (1 << 25))
    whole = bytearray(path.read_bytes())
    size = struct.pack("<I", 1 << 25)
    path.write_bytes(bytes(whole).replace(size, struct.pack("<I", 100)))
    refused(path, "damaged|not as long")
    # More members than any model has; and all of them together.
    with zipfile.ZipFile(path, "w") as file:
        for i in range(13_000):
            file.writestr(f"m{i}", b"")
    refused(path, "too many members")
    monkeypatch.setattr("datakin.choosing.model_file.Archive", lambda s: Small(s))
    write(path, sound)
    refused(path, "too large")


class Small:
    def __new__(cls, stream):
        from datakin.choosing.archive import Archive

        size = stream.seek(0, 2)
        return Archive(stream, size)


def test_zip64_is_not_needed(tmp_path, sound):
    path = tmp_path / "kin.datakin"
    whole = packed(sound)
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, 0, 1)
    path.write_bytes(whole[:-22] + locator + whole[-22:])
    refused(path, "damaged")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"[" * 100_000,
        b'{"format": NaN}',
        b'{"format": 1e999}',
        b'{"format": ' + b"9" * 10_000 + b"}",
        b'{"format": 1, "format": 1}',
        b"\xff\xfe",
        b"\x80\x04K\x01.",
        b'{"format": 0, "datakin": ""}',
        b'{"format": "1", "datakin": ""}',
        b'{"format": true, "datakin": ""}',
        b'{"datakin": "1"}',
    ],
)
def test_odd_json(tmp_path, sound, text):
    path = tmp_path / "kin.datakin"
    write(path, {**sound, "model.json": text})
    refused(path, "no model file that can be used")


def test_a_newer_format(tmp_path, sound):
    path = tmp_path / "kin.datakin"

    def newer(about):
        about["format"], about["datakin"], about["more"] = FORMAT + 1, "9.9", {}

    write(path, changed(sound, newer))
    refused(path, r"made by a newer version of datakin \(9.9\); update")


FIELDS = [
    *(("task",), ("classes",), ("label_type",), ("shares",), ("schema",), ("encoder",), ("parts",)),
    *(("card",), ("schema", "columns"), ("schema", "columns", 0, "kind"), ("schema", "recode")),
    *(("schema", "label"), ("schema", "convert"), ("schema", "header"), ("schema", "encoding")),
    *(("schema", "rename"), ("schema", "delimiter"), ("schema", "columns", 0, "form")),
    *(
        ("encoder", "numbers"),
        ("encoder", "centers"),
        ("encoder", "scales"),
        ("encoder", "medians"),
    ),
    *(("encoder", "categories"), ("encoder", "categories", 0, "levels"), ("parts", 0, "weight")),
    *(("parts", 0, "type"), ("parts", 0, "coefficients"), ("parts", 0, "coefficients", "shape")),
    *(("parts", 0, "coefficients", "member"), ("parts", 1, "width"), ("parts", 1, "points")),
    *(("parts", 1, "points", "shape"), ("parts", 2, "member"), ("parts", 2, "scale")),
    *(("parts", 6, "values"), ("card", "error"), ("card", "interval"), ("card", "sources")),
    *(
        ("card", "sources", 0, "share"),
        ("card", "versions"),
        ("card", "classes"),
        ("card", "n_rows"),
    ),
]
VALUES = [
    *(GONE, None, True, -1, 0, 2.5, 1e308, 2**62, "", "x", "../x", "parts/0/scales.f64", [], [[]]),
    *([-1, 2], [2**40, 2**40], ["a", "a"], [None], {}, {"a": 1}, {"a": {"b": {"c": 1}}}, [{}]),
    [0, 9],
]


@pytest.mark.parametrize("keys", FIELDS, ids=lambda keys: "-".join(map(str, keys)))
def test_odd_fields(tmp_path, sound, keys):
    """A file with an odd value is refused; the few values that are fine give a model that works."""
    path, n_refused = tmp_path / "kin.datakin", 0
    for value in VALUES:
        write(path, changed(sound, put(*keys, value=value)))
        try:
            model = datakin.load_model(path)
        except DatakinError:
            n_refused += 1
            continue
        str(model.card)
        with suppress(DatakinError):  # of a table that does not fit the new schema
            assert np.isfinite(quiet(model.predict_proba, ward(3))).all()
    assert n_refused >= 10


@pytest.mark.parametrize(
    ("keys", "value", "match"),
    [
        (("parts", 0, "weight"), -0.1, "weight of parts 0"),
        (("parts", 0, "weight"), 0.9, "sum to 1"),
        (("parts", 0, "more"), 1, "unknown fields: 'more'"),
        (("more",), 1, "unknown fields"),
        (("card", "more"), 1, "unknown fields"),
        (("encoder", "scales", 0), 0.0, "scales of the encoder"),
        (("parts", 0, "coefficients", "shape"), [1, 1], "must have the shape 3 x "),
        (("parts", 1, "points", "shape"), [1, 8], "bytes|too large"),
        (("parts", 1, "width"), 0, "width"),
        (("classes",), ["a", "b"], "cannot have 2 classes"),
        (("classes", 0), "b", "task and classes|cannot"),
        (("schema", "encoding"), "../../x", "encoding of the schema"),
        (("parts", 3, "coefficients", "member"), "parts/0/coefficients.f64", "used twice"),
        (("parts", 0, "coefficients", "member"), "parts/0/none.f64", "is missing"),
        (("card", "interval"), [0.9, 0.1], r"a low and a high end. Got \[0.9, 0.1\]"),
        (("card", "interval"), [-0.9, 0.1], "low end of the card must be from 0 to 1"),
        (
            ("card", "error"),
            -5,
            "error of the card must be from 0 to 1 for the zero_one loss. Got -5",
        ),
        (("card", "error_alone"), 1.5, "error_alone of the card"),
        (("card", "sources", 0, "share"), 1.5, "share of sources 0"),
        (("card", "sources", 0, "share"), -0.5, "share of sources 0"),
    ],
)
def test_what_is_said(tmp_path, sound, keys, value, match):
    path = tmp_path / "kin.datakin"
    write(path, changed(sound, put(*keys, value=value)))
    refused(path, match)


def test_odd_arrays(tmp_path, sound):
    path, name = tmp_path / "kin.datakin", "parts/0/coefficients.f64"
    good = np.frombuffer(sound[name], "<f8")
    for bad in (np.where(good == good[0], np.nan, good), np.where(good == good[0], np.inf, good)):
        write(path, {**sound, name: bad.tobytes()})
        refused(path, "finite")
    for content in (b"", sound[name][:-1], sound[name] + b"\0"):
        write(path, {**sound, name: content})
        refused(path, "bytes|too large")
    write(path, {**sound, "parts/0/scales.f64": bytes(len(sound["parts/0/scales.f64"]))})
    refused(path, "scales of parts 0")


def tree(about, number=0):
    return about["learner"]["gradient_booster"]["model"]["trees"][number]


def set_node(name, node, value):
    def change(about):
        tree(about)[name][node] = value

    return change


def set_in(value, *keys):
    def change(about):
        for key in keys[:-1]:
            about = about[key]
        about[keys[-1]] = value

    return change


MODEL = ("learner", "gradient_booster", "model")
PARAM = ("learner", "learner_model_param")


@pytest.mark.parametrize(
    "change",
    [
        set_node("left_children", 0, 0),  # a circle of one
        set_node("left_children", 1, 0),  # a way back
        set_node("right_children", 0, 1),  # two ways to one node
        set_node("left_children", 0, 99),
        set_node("right_children", 0, -1),
        set_node("left_children", 0, -5),
        set_node("left_children", 0, 2**31),
        set_node("left_children", 0, 2**62),
        set_node("left_children", 0, 1.0),
        set_node("left_children", 0, True),
        set_node("split_indices", 0, 8),
        set_node("split_indices", 0, -1),
        set_node("split_indices", 0, 2**31 - 1),
        set_node("split_conditions", 0, None),
        set_node("split_conditions", 0, 1e39),
        set_node("split_conditions", 0, "0"),
        set_node("default_left", 0, 2),
        lambda about: tree(about)["left_children"].append(-1),
        lambda about: tree(about).update(left_children=[], right_children=[]),
        lambda about: tree(about).pop("split_conditions"),
        set_in([], *MODEL, "tree_info"),
        set_in([7] * 24, *MODEL, "tree_info"),
        set_in([{}], *MODEL, "trees"),
        set_in("x", *MODEL, "trees"),
        set_in("9", *PARAM, "num_feature"),
        set_in("999999999", *PARAM, "num_class"),
        set_in(3, *PARAM, "num_class"),
        set_in("[0.5,0.5]", *PARAM, "base_score"),
        set_in("NaN", *PARAM, "base_score"),
        set_in("[" * 5000, *PARAM, "base_score"),
        set_in("x", *PARAM, "base_score"),
        set_in(0.5, *PARAM, "base_score"),
        set_in("binary:logistic", "learner", "objective", "name"),
        set_in("rank:ndcg", "learner", "objective", "name"),
        set_in("dart", "learner", "gradient_booster", "name"),
        set_in(None, "learner"),
    ],
)
def test_odd_trees(tmp_path, sound, change):
    path, name = tmp_path / "kin.datakin", "parts/2/trees.json"
    about = json.loads(sound[name])
    change(about)
    write(path, {**sound, name: json.dumps(about).encode()})
    refused(path, "no model file that can be used")


def test_what_trees_do_not_need_is_dropped(tmp_path, sound):
    """Fields that XGBoost would read, and datakin does not, never reach it."""
    path, name = tmp_path / "kin.datakin", "parts/2/trees.json"
    write(path, sound)
    expected = datakin.load_model(path).predict_proba(ward(3))
    about = json.loads(sound[name])
    tree(about).update(
        categories=[1] * 10, categories_nodes=[0], categories_segments=[2**40], parents=[-7]
    )
    tree(about)["tree_param"] = {"num_nodes": "-1", "size_leaf_vector": "1000000000"}
    about["learner"]["attributes"] = {"best_iteration": "-4"}
    about["learner"]["feature_names"] = ["a"] * 3
    about["version"] = [-1, 2**40, 0]
    write(path, {**sound, name: json.dumps(about).encode()})
    assert np.array_equal(datakin.load_model(path).predict_proba(ward(3)), expected)


def test_millions_of_nodes(tmp_path, sound):
    path, name = tmp_path / "kin.datakin", "parts/2/trees.json"
    about = json.loads(sound[name])
    n = (1 << 19) + 1
    tree(about).update(
        left_children=[-1] * n, right_children=[-1] * n, split_indices=[0] * n, default_left=[0] * n
    )
    write(path, {**sound, name: json.dumps(about).encode()})
    refused(path, "at most|too large")


@pytest.mark.parametrize("seed", range(300))
def test_blind_damage(tmp_path, sound, seed):
    """Damaged bytes are refused, or do no harm."""
    path = tmp_path / "kin.datakin"
    if seed % 3 == 0:
        path.write_bytes(damaged_bytes(packed(sound), seed))
    elif seed % 3 == 1:
        name = ("model.json", "parts/2/trees.json")[seed % 2]
        write(path, {**sound, name: damaged_json(sound[name].decode(), seed).encode()})
    else:
        name = sorted(sound)[seed % len(sound)]
        write(path, {**sound, name: damaged_bytes(sound[name], seed)})
    try:
        model = datakin.load_model(path)
    except DatakinError:
        return
    with suppress(DatakinError):
        quiet(model.predict_proba, ward(3, n=5))
