"""choose: one answer, the same on every path, with bad input answered in words."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import datakin
from datakin import Choice, DatakinError, DatakinWarning, Dataset
from datakin.synthetic import make_demo, settings

QUICK: dict[str, Any] = {"repeats": 2, "learners": ["linear", "trees"]}


def task(name: str, n: int = 60, seed: int = 0) -> tuple[Dataset, dict[str, Dataset]]:
    """Return a target and three sources of one of the paper's settings."""
    make = settings()[name]
    values = (1.0, 0.9, 0.0 if name == "fourclass" else -1.0)
    target = make(values[0]).sample(n, 50, random_state=seed).target
    return target.renamed("mine"), {
        f"at {v}": make(v).sample(50, 150, random_state=seed + 1 + i).source
        for i, v in enumerate(values)
    }


@pytest.fixture(scope="module")
def demo() -> tuple[Dataset, list[Dataset]]:
    target, sources = make_demo()
    return target, [each.dataset for each in sources]


@pytest.fixture(scope="module")
def choice(demo: tuple[Dataset, list[Dataset]]) -> Choice:
    return datakin.choose(*demo, repeats=2)


def same(one: Choice, other: Choice) -> None:
    """Assert that two choices hold the same numbers."""
    assert one.headline == other.headline
    a, b = (json.loads(c.to_json()) for c in (one, other))
    for each in (a, b):
        each.pop("provenance")
    assert a == b


def test_the_demo_is_answered_right(choice: Choice) -> None:
    assert set(choice.used) <= {"twin", "shifted twin", "cousin"}
    assert "twin" in choice.used
    assert choice["opposite"].call == "hurts"
    assert choice["stranger"].share == 0
    assert choice.error < choice.error_alone < choice.error_all + 0.1
    assert choice.interval[0] <= choice.error <= choice.interval[1]
    assert choice.gain > 0
    fresh = make_demo(n_target=2000, draw=1)[0]
    assert choice.interval[0] <= choice.error_on(fresh) <= choice.interval[1]
    assert "within" in choice.tested_on(fresh)


def test_the_frame_has_the_promised_columns(choice: Choice) -> None:
    names = ["source", "call", "gain", "low", "high", "p_gain", "share", "worth_rows"]
    assert list(choice.sources.columns) == names
    assert set(choice.sources["call"]) <= {"helps", "harmless", "unclear", "hurts"}
    assert (choice.sources["low"] <= choice.sources["gain"]).all()
    assert (choice.sources["gain"] <= choice.sources["high"]).all()
    assert choice.sources["share"].sum() <= 1
    used = choice.sources[choice.sources["share"] > 0]
    assert set(used["source"]) == set(choice.used)
    assert "hurts" not in set(used["call"])


def test_it_comes_back_from_json(choice: Choice) -> None:
    again = datakin.from_json(choice.to_json())
    assert again == choice
    assert str(again) == str(choice)
    with pytest.raises(DatakinError, match="holds no model"):
        _ = again.model


@pytest.mark.parametrize(
    "name", ["lda", "linear", pytest.param("fourclass", marks=pytest.mark.long)]
)
def test_order_threads_and_processes_change_nothing(name: str, tmp_path: Path) -> None:
    target, sources = task(name)
    first = datakin.choose(target, sources, **QUICK)
    turned = dict(reversed(sources.items()))
    same(first, datakin.choose(target, turned, **QUICK))
    same(first, datakin.choose(target, sources, n_jobs=2, **QUICK))
    kept = tmp_path / "kept"
    same(first, datakin.choose(target, sources, checkpoint=kept, **QUICK))
    assert len(list(kept.glob("units/*.parquet"))) == 2
    same(first, datakin.choose(target, sources, checkpoint=kept, **QUICK))
    # One draw lost, one damaged: they are made again.
    one, two = sorted(kept.glob("units/*.parquet"))
    two.unlink()
    one.write_bytes(b"no array")
    same(first, datakin.choose(target, sources, checkpoint=kept, **QUICK))


def test_another_seed_draws_other_folds() -> None:
    target, sources = task("lda")
    one, two = (datakin.choose(target, sources, random_state=s, **QUICK) for s in (0, 1))
    assert one.stability.error_low != two.stability.error_low or one.gain != two.gain


def test_without_sources_it_is_the_stack_of_the_learners() -> None:
    from datakin.transfer import KinStack

    target, _ = task("lda")
    choice = datakin.choose(target, repeats=2)
    X, y = target.features.numeric, target.y
    stack = KinStack(repeats=2).fit(X, y)
    assert_allclose(choice.model.predict_proba(X), stack.predict_proba(X), atol=0.05)
    assert choice.headline == "There is no source: learn from mine alone."
    assert choice.used == ()
    assert choice.error == choice.error_alone
    assert choice.error_all is None


def test_unusable_sources_are_named(demo: tuple[Dataset, list[Dataset]]) -> None:
    target, _ = demo
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 12))
    numbers = datakin.as_dataset(X, rng.standard_normal(40), name="numbers", task="regression")
    others = datakin.as_dataset(X, np.repeat(["left", "right"], 20), name="other classes")
    columns = pd.DataFrame(X, columns=[f"z{i}" for i in range(12)])
    strange = datakin.as_dataset(columns, np.arange(40) % 2, name="other columns")
    with pytest.warns(DatakinWarning, match="cannot be used"):
        choice = datakin.choose(target, [numbers, others, strange, target.renamed("copy")], **QUICK)
    assert set(choice.unusable) == {"numbers", "other classes", "other columns", "copy"}
    assert "same rows" in choice.unusable["copy"]
    assert choice.choices == ()
    assert "Not usable: numbers" in str(choice)


def test_classes_and_rows_that_are_left_out_are_said() -> None:
    target, sources = task("lda")
    source = sources["at 1.0"]
    labels = np.where(np.arange(150) < 15, 2, source.y)
    third = datakin.as_dataset(source.features.numeric, labels, name="third", task="multiclass")
    copied = datakin.as_dataset(
        np.vstack([source.features.numeric, target.features.numeric[:20]]),
        np.append(source.y, target.y[:20]),
        name="copied",
    )
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        choice = datakin.choose(target, [third, copied], **QUICK)
    notes = " ".join(choice.notes)
    assert "15 rows left out, of classes that mine does not have" in notes
    assert "20 rows left out, which also stand in" in notes
    assert "cross errors" not in notes
    assert choice["third"].n_rows == 135
    assert choice["copied"].n_rows == 150


def test_a_source_may_lack_columns() -> None:
    target, sources = task("lda")
    source = sources["at 1.0"]
    part = datakin.as_dataset(
        pd.DataFrame(source.features.numeric, columns=list(source.columns)).iloc[:, :6],
        source.y,
        name="part",
    )
    own = datakin.as_dataset(
        pd.DataFrame(target.features.numeric, columns=list(target.columns)), target.y, name="mine"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        choice = datakin.choose(own, [part], **QUICK)
    assert len(choice.choices) == 1
    assert choice.model.n_features_in_ == len(target.columns)


def test_a_target_of_twenty_rows_and_constant_columns() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 3)), np.arange(20) % 2
    other = rng.standard_normal((60, 3)), np.arange(60) % 2
    choice = datakin.choose((X, y), [other], **QUICK)
    assert 0 <= choice.error <= 1
    constant = datakin.choose((X, np.append(np.zeros(18), [1, 1]).astype(int)), [other], **QUICK)
    assert constant.loss == "balanced"
    assert 0 <= constant.error <= 1


def test_groups_stay_together() -> None:
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(12), 5)
    X = rng.standard_normal((12, 4))[person] + 0.01 * rng.standard_normal((60, 4))
    y = rng.integers(0, 2, 12)[person]  # nothing but who it is tells the label
    table = pd.DataFrame(X, columns=list("abcd")).assign(who=person, y=y)
    grouped = datakin.read_table(table, label="y", group="who", name="grouped")
    alone = datakin.read_table(table.drop(columns="who"), label="y", name="rows")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        honest, flattered = (datakin.choose(d, **QUICK) for d in (grouped, alone))
    assert flattered.error < 0.1
    assert honest.error > 0.25


def test_learners_of_the_user() -> None:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.svm import LinearSVC

    target, sources = task("lda")
    mine = {"forest": RandomForestClassifier(20), "svc": LinearSVC()}
    with pytest.warns(DatakinWarning, match="svc has no probabilities"):
        choice = datakin.choose(target, sources, learners=mine, repeats=1)
    assert choice.learners == ("forest", "svc")
    assert choice.error < 0.5


def people(n: int, seed: int, name: str) -> Dataset:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"age": rng.normal(50, 10, n), "sex": rng.choice(["f", "m", None], n)})
    is_ill = (table["age"] - 50) / 10 + (table["sex"] == "f") + rng.normal(size=n) > 0
    table.loc[::7, "age"] = np.nan
    table = table.assign(weight=rng.normal(size=n), ill=is_ill)
    return datakin.read_table(table, label="ill", name=name)


@pytest.mark.parametrize("is_raw", [True, False])
def test_a_pipeline_by_names_is_fitted_saved_and_added_to(is_raw: bool, tmp_path: Path) -> None:
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    texts = (OneHotEncoder(handle_unknown="ignore"), ["sex"] if is_raw else ["sex=f"])
    pipeline = make_pipeline(
        make_column_transformer((SimpleImputer(), ["age"]), texts), LogisticRegression()
    )
    mine = {"mine": datakin.raw(pipeline) if is_raw else pipeline}
    target, source = people(60, 0, "here"), people(100, 1, "there")
    choice = datakin.choose(target, [source], learners=mine, repeats=1)
    path, later = tmp_path / "kin.datakin", people(20, 2, "later")
    choice.model.save(path)
    found = choice.model.predict_proba(later)
    assert_allclose(datakin.load_model(path).predict_proba(later), found)
    assert 0 <= choice.error_on(later) < 0.5
    again = datakin.choose(people(50, 3, "new"), add_to=path, learners=["linear"], repeats=1)
    assert again.choices
    if is_raw:
        with pytest.raises(DatakinError, match="must take encoded numbers"):
            datakin.explain(target, source, learner=mine["mine"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"repeats": 0}, "repeats"),
        ({"repeats": (5, 2)}, "least, most"),
        ({"random_state": "x"}, "random_state"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"learners": ["tree"]}, "trees"),
        ({"loss": "squared"}, "does not fit"),
        ({"add_to": 3}, "add_to"),
        ({"weights": {"mine": np.ones(3)}}, "one weight"),
        ({"weights": {"nobody": np.ones(3)}}, "Got 'nobody'; the datasets are 'mine', 'at 1.0'"),
        ({"weights": {"minee": np.ones(3)}}, "Did you mean 'mine'"),
        ({"checkpoint": __file__}, "folder .* must be one that can be written to"),
        ({"checkpoint": Path(__file__, "below")}, "must be one that can be written to"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], words: str) -> None:
    target, sources = task("lda")
    with pytest.raises(DatakinError, match=words):
        datakin.choose(target, sources, **options)


def test_a_source_is_added_to_a_saved_choice(tmp_path: Path) -> None:
    target, sources = task("lda")
    first = datakin.choose(target, {"near": sources["at 1.0"]}, **QUICK)
    first.save(tmp_path / "kin.datakin")
    later = datakin.choose(
        target, {"new": sources["at 0.9"]}, add_to=tmp_path / "kin.datakin", **QUICK
    )
    assert {"near", "new"} <= {each.source for each in later.choices}
    assert np.isnan(later["near"].pooled)
    assert later["near"].n_rows == 150
    same(later, datakin.choose(target, {"new": sources["at 0.9"]}, add_to=first, **QUICK))
    with pytest.raises(DatakinError, match="knows 'near' already"):
        datakin.choose(target, {"near": sources["at 0.9"]}, add_to=first, **QUICK)


def test_weights_of_rows() -> None:
    target, sources = task("lda")
    plain = datakin.choose(target, sources, **QUICK)
    twice = datakin.choose(target, sources, weights={"mine": np.full(60, 2.0)}, **QUICK)
    assert_allclose(twice.error, plain.error)
    half = np.where(np.arange(60) < 30, 1.0, 0.0)
    weighted = datakin.choose(target, sources, weights={"mine": half}, **QUICK)
    assert weighted.loss_alone != plain.loss_alone


def test_a_large_target_is_sampled_and_told_so() -> None:
    make = settings()["lda"](1.0)
    target, source = (make.sample(6000, 50, random_state=s).target for s in (0, 1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        choice = datakin.choose(
            target.renamed("mine"), [source.renamed("theirs")], max_rows=300, **QUICK
        )
    assert any("gains little" in str(each.message) for each in caught)
    assert choice.n_rows == 300
    assert any("300 of its 6,000 rows" in note for note in choice.notes)


def test_ctrl_c_gives_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from datakin.learners.stack.candidates import Stack

    target, sources = task("lda")
    true = Stack.held_out

    def stops(self: Any, folds: Any, repeat: int = 0, **more: Any) -> Any:
        if repeat == 1 and len(self.sources) == 3:
            raise KeyboardInterrupt
        return true(self, folds, repeat, **more)

    monkeypatch.setattr(Stack, "held_out", stops)
    with pytest.raises(datakin.Interrupted, match="after 1 of at least 2 draws") as stopped:
        datakin.choose(target, sources, **QUICK)
    assert stopped.value.partial.stability.repeats == 1
    monkeypatch.setattr(Stack, "held_out", true)
    same(stopped.value.partial, datakin.choose(target, sources, **(QUICK | {"repeats": 1})))


# What is stated is about rows that nothing has seen.


def noise_by_group(n_groups: int, each: int, seed: int = 0) -> Dataset:
    """Return rows whose label is random for each group, which the columns tell apart."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), each)
    X = rng.standard_normal((n_groups, 3))[groups] + 0.05 * rng.standard_normal((len(groups), 3))
    y = rng.integers(0, 2, n_groups)[groups]
    return datakin.as_dataset(X, y, name="mine", group=groups)


def test_groups_stay_together_in_samples_of_the_kernel_learner() -> None:
    target = noise_by_group(60, 20)
    found = datakin.choose(target, [], learners=["kernel"], repeats=1)
    assert found.n_rows > 1000
    assert found.error > 0.4, "a label that is random for each group cannot be predicted"


def test_two_groups_are_enough() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    y = (X[:, 0] + rng.standard_normal(40) > 0).astype(int)
    target = datakin.as_dataset(X, y, name="mine", group=np.arange(40) % 2)
    source = rng.standard_normal((100, 2))
    labels = (source[:, 0] + rng.standard_normal(100) > 0).astype(int)
    found = datakin.choose(target, {"twin": (source, labels)}, **QUICK)
    assert found["twin"].worth_rows is None


def test_few_groups_widen_what_is_said_of_a_source() -> None:
    from datakin.learners.stack.gains import few_units, posterior

    few, many = (few_units(60, np.arange(60) % n) for n in (3, 60))
    assert few == pytest.approx(2.92 / 1.671, abs=0.01)  # quantiles of t with 2 and 59 degrees
    assert many == few_units(60, None) == 1.0
    _, low, high, _, _ = posterior(0.05, 0.02 * few, 60)
    _, near, far, _, _ = posterior(0.05, 0.02, 60)
    assert high - low > far - near


def test_weights_and_classes_that_count_alike() -> None:
    """Weights that only undo a sampling of the classes change neither the error nor the model much."""
    rng = np.random.default_rng(0)
    y = (np.arange(400) < 40).astype(int)
    X = rng.standard_normal((400, 2)) + 1.2 * y[:, None]
    many = np.where(y == 1, 9.0, 1.0)
    plain = datakin.choose(datakin.as_dataset(X, y, name="mine"), [], loss="balanced", **QUICK)
    weighted = datakin.as_dataset(X, y, name="mine", weights=many)
    heavy = datakin.choose(weighted, [], loss="balanced", **QUICK)
    assert heavy.error == pytest.approx(plain.error, abs=0.04)
    fresh_y = np.repeat([0, 1], 500)
    fresh = (rng.standard_normal((1000, 2)) + 1.2 * fresh_y[:, None], fresh_y)
    assert heavy.error_on(fresh) == pytest.approx(plain.error_on(fresh), abs=0.04)


def test_an_earlier_source_cannot_be_the_target(tmp_path: Path) -> None:
    target, sources = task("lda")
    first = datakin.choose(target, sources, **QUICK)
    again = sources["at 1.0"].renamed("other name")
    with pytest.raises(DatakinError, match=r"holds the rows of its source 'at 1\.0'"):
        datakin.choose(again, [], add_to=first, **QUICK)


def test_a_checkpoint_is_of_one_learner(tmp_path: Path) -> None:
    from sklearn.tree import DecisionTreeClassifier

    target, _ = task("lda")
    errors = [
        datakin.choose(
            target,
            [],
            learners={"tree": DecisionTreeClassifier(max_depth=depth, random_state=0)},
            repeats=1,
            checkpoint=tmp_path if kept else None,
        ).loss_alone
        for depth, kept in ((1, True), (8, True), (8, False))
    ]
    assert errors[1] == errors[2] != errors[0]


def test_trials_are_of_the_first_draws_however_many_there_are() -> None:
    target, sources = task("lda")
    five = datakin.choose(target, sources, repeats=5, learners=["linear"])
    more = datakin.choose(target, sources, repeats=7, learners=["linear"])
    assert five.sources.gain.tolist() == more.sources.gain.tolist()


def test_noise_is_not_promised_to_be_predictable() -> None:
    """Sources of pure noise are chosen among; the stated error shows no gain from the choice."""
    errors = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        made = {f"s{i}": (rng.standard_normal((80, 4)), rng.integers(0, 2, 80)) for i in range(5)}
        target = (rng.standard_normal((60, 4)), np.arange(60) % 2)
        errors.append(datakin.choose(target, made, **QUICK).error)
    assert np.mean(errors) > 0.45


def test_nothing_pooled_has_no_error_of_a_pool() -> None:
    target, sources = task("lda")
    found = datakin.choose(target, sources, pools=False, **QUICK)
    assert found.error_all is None
    assert "pooled:" not in found.evidence[0]
    assert Choice.from_json(found.to_json()) == found
