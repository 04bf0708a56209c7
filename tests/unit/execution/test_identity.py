"""A checkpoint is used again only where the same code would run: content counts, not names."""

import functools
import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import datakin
from datakin import DatakinError

FAST = {"models": ["logistic"], "cv": 3}
FACTOR = 10.0


def once(truth, found):
    return (truth != found) * 1.0


def with_a_global(truth, found):
    return (truth != found) * FACTOR


def with_numpy(truth, found):
    return np.asarray(truth != found, dtype=float) * max(1.0, 0.5)


def nested(factor):
    def loss(truth, found):
        return (truth != found) * 10.0

    def closed(truth, found):
        return (truth != found) * factor

    return closed if factor else loss


class Callable:
    def __call__(self, truth, found):
        return (truth != found) * 1.0


UNKNOWN_LOSSES = {
    "lambda": lambda a, b: (a != b) * 10.0,
    "partial": functools.partial(once),
    "inside a function": nested(0),
    "with a closure": nested(2.0),
    "callable object": Callable(),
    "uses a global": with_a_global,
    "ufunc": np.not_equal,
}


@pytest.fixture
def pair(family):
    return list(family(2).values())


@pytest.mark.parametrize("name", UNKNOWN_LOSSES)
def test_losses_that_cannot_be_identified(pair, tmp_path, name):
    loss = UNKNOWN_LOSSES[name]
    fine = datakin.score(*pair, loss=loss, **FAST)
    assert fine.score != 0
    said = r"The loss cannot be identified by its content \(.*Leave out checkpoint, or use a named"
    with pytest.raises(DatakinError, match=said):
        datakin.score(*pair, loss=loss, checkpoint=tmp_path / "kept", **FAST)
    assert not (tmp_path / "kept").exists()


def test_no_lambda_returns_the_numbers_of_another(pair, tmp_path):
    for factor, loss in (
        (1.0, lambda a, b: (a != b) * 1.0),
        (10.0, lambda a, b: (a != b) * 10.0),
    ):
        expected = factor * datakin.score(*pair, loss=once, **FAST).score
        assert datakin.score(*pair, loss=loss, **FAST).score == pytest.approx(expected)
        with pytest.raises(DatakinError, match="a lambda or stands inside another function"):
            datakin.score(*pair, loss=loss, checkpoint=tmp_path, **FAST)


def inside():
    class Local(LogisticRegression):
        pass

    return Local()


class Holder:
    """An object that says nothing of what it holds."""


UNKNOWN_MODELS = {
    "array": lambda: Weighted(costs=np.ones(2)),
    "object": lambda: Weighted(costs=Holder()),
    "random state": lambda: LogisticRegression(random_state=np.random.RandomState(0)),
    "lambda": lambda: Weighted(costs=lambda x: x),
    "class in a function": inside,
    "deep inside": lambda: make_pipeline(StandardScaler(), Weighted(costs=[{"a": np.ones(1)}])),
    "ufunc": lambda: make_pipeline(FunctionTransformer(np.tanh), LogisticRegression()),
    "generator": lambda: Weighted(costs=np.random.default_rng(0)),
}


class Weighted(LogisticRegression):
    """Takes a parameter of any kind, and makes nothing of it."""

    def __init__(self, costs=None, C=1.0):
        super().__init__(C=C)
        self.costs = costs


@pytest.mark.parametrize("name", UNKNOWN_MODELS)
def test_estimators_that_cannot_be_identified(pair, tmp_path, name):
    options = {"models": {"mine": UNKNOWN_MODELS[name]()}, "cv": 3}
    assert datakin.score(*pair, **options).model_scores.keys() == {"mine"}
    said = r"The model 'mine' cannot be identified by its content \(.*plain parameters"
    with pytest.raises(DatakinError, match=said):
        datakin.score(*pair, checkpoint=tmp_path / "kept", **options)
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    "options",
    [
        {**FAST, "loss": once},
        {**FAST, "loss": with_numpy},
        {"models": {"mine": LogisticRegression(C=0.5)}},
        {"models": {"mine": make_pipeline(StandardScaler(), LogisticRegression())}},
        {"models": {"mine": Weighted(costs=[1, (2.0, "a"), {"b": None}])}},
    ],
    ids=["loss", "loss with numpy", "model", "pipeline", "plain parameters"],
)
def test_what_can_be_identified_is_found_again(pair, tmp_path, options):
    first = datakin.score(*pair, checkpoint=tmp_path, **{"cv": 3, **options})
    units = {f: f.stat().st_mtime_ns for f in (tmp_path / "units").iterdir()}
    assert datakin.score(*pair, checkpoint=tmp_path, **{"cv": 3, **options}) == first
    assert units == {f: f.stat().st_mtime_ns for f in (tmp_path / "units").iterdir()}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (Weighted(costs=[1.0]), Weighted(costs=[2.0])),
        (Weighted(costs=1), Weighted(costs="1")),
        (Weighted(costs={"a": 1}), Weighted(costs={"a": 2})),
        (Weighted(costs=[*range(3000)]), Weighted(costs=[*range(2999), 0])),
        (LogisticRegression(), LogisticRegression(C=1.0000001)),
        (
            LogisticRegression(class_weight=dict.fromkeys(range(90), 1.0)),
            LogisticRegression(class_weight={i: 1.0 + (i == 89) for i in range(90)}),
        ),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            make_pipeline(StandardScaler(with_mean=False), LogisticRegression()),
        ),
        (Weighted(), LogisticRegression()),
    ],
    ids=["list", "kind", "mapping", "long list", "number", "long mapping", "inside", "class"],
)
def test_estimators_that_differ_are_told_apart(pair, tmp_path, one, two):
    datakin.score(*pair, checkpoint=tmp_path, models={"mine": one}, cv=3)
    with pytest.raises(DatakinError, match=r"belongs to another run: .*mine was"):
        datakin.score(*pair, checkpoint=tmp_path, models={"mine": two}, cv=3)


def load(folder, text):
    """Return the module that a file holds now."""
    place = folder / "mine.py"
    place.write_text(text)
    spec = importlib.util.spec_from_file_location("mine", place)
    module = importlib.util.module_from_spec(spec)
    exec(compile(text, str(place), "exec"), module.__dict__)
    return module


LOSS = "def loss(truth, found{default}):\n    return {before}(truth != found) * {factor}\n"


@pytest.mark.parametrize(
    "change",
    [
        {"factor": 10.0},
        {"default": ", power=2"},
        {"default": ", *, power=2"},
        {"before": "-"},
        {"factor": "[1.0, 2.0][0]"},
        {"factor": "(lambda: 1.0)()"},
    ],
    ids=lambda change: " ".join(map(str, change.values())),
)
def test_a_function_whose_body_changes_is_noticed(pair, tmp_path, change):
    before = {"default": "", "before": "", "factor": 1.0}
    first = load(tmp_path, LOSS.format(**before)).loss
    kept = tmp_path / "kept"
    score = datakin.score(*pair, loss=first, checkpoint=kept, **FAST)
    second = load(tmp_path, LOSS.format(**before | change)).loss
    with pytest.raises(DatakinError, match=r"belongs to another run: loss was 'mine\.loss"):
        datakin.score(*pair, loss=second, checkpoint=kept, **FAST)
    # A comment or another line number changes nothing.
    third = load(tmp_path, "# a comment\n\n" + LOSS.format(**before)).loss
    assert datakin.score(*pair, loss=third, checkpoint=kept, **FAST) == score


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import numpy as np
import datakin, costs
X = np.random.default_rng(0).standard_normal((100, 2))
y = (X[:, 0] + np.random.default_rng(1).standard_normal(100) > 0).astype(int)
pair = (X[:50], y[:50]), (X[50:], y[50:])
try:
    kept = sys.argv[1] + "/kept"
    print(datakin.score(*pair, models=["logistic"], cv=3, loss=costs.loss, checkpoint=kept).score)
except datakin.DatakinError as error:
    print(error)
"""


@pytest.mark.long
def test_a_module_that_changes_between_two_processes(tmp_path):
    said = []
    for factor in (1.0, 10.0):
        text = LOSS.format(default="", before="", factor=factor)
        (tmp_path / "costs.py").write_text(text)
        call = [sys.executable, "-c", SCRIPT, str(tmp_path)]
        said.append(subprocess.run(call, capture_output=True, check=True, text=True).stdout)
    assert "belongs to another run: loss was 'costs.loss" in said[1]
    float(said[0])
