"""The decision benchmark: what loaders may return, what draws keep apart, how a run goes on."""

import json
import textwrap

import numpy as np
import pandas as pd
import pytest

import datakin
from benchmarks.decisions import draws, gains, runs, scores
from benchmarks.decisions.__main__ import main
from benchmarks.decisions.collection import load_collection, make_collection
from benchmarks.decisions.collections import HELD_OUT, OPEN
from benchmarks.decisions.draws import draw, plan
from benchmarks.decisions.gains import error_on
from benchmarks.decisions.runs import Settings, frame_of, run_collection
from datakin import DatakinError, DatakinWarning, as_dataset, read_tables
from datakin.distances import Energy
from datakin.transfer import Concatenate


def make_domain(name, n=300, *, seed=0, angle=0.0, share=0.5, group=None):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    signal = X @ [np.cos(angle), np.sin(angle), 0.0] + 0.5 * rng.standard_normal(n)
    y = signal > np.quantile(signal, 1 - share)
    return as_dataset(X, y.astype(int), name=name, group=group)


def make_domains(n_domains=5, **options):
    return {
        f"d{i}": make_domain(f"d{i}", seed=i, angle=0.3 * i, **options) for i in range(n_domains)
    }


# Loaders.


def write_loader(folder, body):
    path = folder / "mine.py"
    path.write_text("import numpy as np\nimport datakin\n\n" + textwrap.dedent(body))
    return str(path)


def test_eleven_collections_two_of_them_held_out():
    assert len({*OPEN, *HELD_OUT}) == 11
    assert len(HELD_OUT) == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "def load(data):\n"
            "    X = np.random.default_rng(0).normal(size=(60, 2))\n"
            "    return datakin.as_dataset(X, np.arange(60) % 2, name='only')",
            r"returned 1 dataset\(s\): 'only'",
        ),
        ("def load():\n    return {'a': 1, 'b': 2, 'c': 3}", "'a' is int"),
        ("def load():\n    return 7", "must return a mapping of name to Dataset"),
        ("def load():\n    return 1 / 0", "failed: ZeroDivisionError"),
        ("def load(data):\n    return open(data / 'nothing.csv')", r"nothing\.csv is missing"),
        ("x = 1", "must have a function load"),
        ("x = ", "cannot be run: SyntaxError"),
    ],
)
def test_bad_loaders(tmp_path, body, message):
    with pytest.raises(DatakinError, match=message):
        load_collection(write_loader(tmp_path, body), tmp_path)


def test_unknown_collection(tmp_path):
    with pytest.raises(DatakinError, match="Did you mean 'gusto'"):
        load_collection("gusta", tmp_path)


def test_a_domain_without_features_is_refused():
    made = make_domains(3)
    X = np.full((60, 3), np.nan)
    with pytest.raises(DatakinError, match="must have a column that varies beside the label"):
        made["empty"] = as_dataset(X, np.arange(60) % 2, name="empty")
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(240, 2)), columns=["a", "b"])
    frame = frame.assign(y=np.arange(240) % 2, place=np.repeat(["u", "v", "w", "x"], 60))
    frame.loc[frame["place"] == "x", ["a", "b"]] = np.nan
    with pytest.warns(DatakinWarning, match="1 of 4 values of 'place' were left out"):
        assert len(read_tables(frame, domain="place", label="y")) == 3


def test_domains_with_a_rare_class_are_left_out():
    made = make_domains(6)
    made["rare"] = make_domain("rare", share=0.01)  # 3 of 300
    with pytest.warns(DatakinWarning, match=r"'rare' \(3\)\. They are left out"):
        assert "rare" not in make_collection("toy", made).domains
    rare = {f"r{i}": make_domain(f"r{i}", seed=i, share=0.01) for i in range(3)}
    with pytest.raises(DatakinError, match="That leaves 0: too few to compare"):
        make_collection("toy", rare)


def test_groups_that_leak_are_refused(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(120, 2)), columns=["a", "b"])
    frame = frame.assign(y=np.arange(120) % 2, place=np.repeat(["u", "v", "w"], 40))
    frame["patient"] = np.arange(120)
    frame.to_csv(tmp_path / "apart.csv", index=False)
    frame.loc[[3, 90], "patient"] = 999
    frame.to_csv(tmp_path / "leaking.csv", index=False)
    for name in ("apart", "leaking"):
        table = f"read_tables(data / '{name}.csv', domain='place', label='y', group='patient')"
        text = f"from datakin import read_tables\ndef load(data):\n    return {table}\n"
        (tmp_path / f"{name}.py").write_text(text)
    with pytest.warns(DatakinWarning, match="fewer than four sources"):
        assert len(load_collection(str(tmp_path / "apart.py"), tmp_path).domains) == 3
    with pytest.raises(DatakinError, match="1 of 119 stand in several: '999'"):
        load_collection(str(tmp_path / "leaking.py"), tmp_path)


def test_rows_that_leak_are_refused():
    made = make_domains(4)
    made["copy"] = made["d0"].take(np.arange(100)).renamed("copy")
    with pytest.raises(DatakinError, match="Domains must not share rows"):
        make_collection("toy", made)


def test_one_task():
    made = make_domains(4)
    X = np.random.default_rng(0).normal(size=(60, 3))
    made["numbers"] = as_dataset(X, X.sum(axis=1), name="numbers", task="regression")
    with pytest.raises(DatakinError, match="'numbers' pose regression"):
        make_collection("toy", made)
    with pytest.raises(DatakinError, match="TARGETS of 'toy' names 'd9'"):
        make_collection("toy", make_domains(), targets=("d9",))


def test_few_sources_are_said():
    with pytest.warns(DatakinWarning, match="fewer than four sources"):
        make_collection("toy", make_domains(4))


# Draws.


@pytest.mark.parametrize("balance", [False, True])
def test_draws_keep_target_and_test_apart(balance):
    made = make_domains(6, share=0.3)
    collection = make_collection("toy", made, balance=balance)
    for target, n, sources in plan(collection, n_targets=2, n_sources=3):
        assert len(sources) == 3
        assert target not in sources
        drawn = draw(collection, target, n, sources, repeat=0)
        assert drawn.target.n_rows == n
        columns = drawn.target.columns
        everything = made[target].row_hashes(columns)
        ours, rest = (d.row_hashes(columns) for d in (drawn.target, drawn.test))
        assert not np.isin(ours, rest).any()
        assert len(ours) + len(rest) == len(everything)
        assert drawn.target.class_shares[1] == pytest.approx(0.5 if balance else 0.3, abs=0.02)
        for source in drawn.sources.values():
            assert source.n_rows in ((100, 180) if balance else (100, 200, 300))


def test_a_draw_follows_from_its_names():
    collection = make_collection("toy", make_domains())
    task = ("d1", 40, ("d0", "d2"))
    first, again, other = (draw(collection, *task, repeat) for repeat in (0, 0, 1))
    assert first.target.fingerprint == again.target.fingerprint != other.target.fingerprint
    assert first.sources["d2"].fingerprint == again.sources["d2"].fingerprint


def test_groups_stay_on_one_side():
    group = np.arange(300) // 4
    collection = make_collection("toy", make_domains(group=group), balance=True)
    domain = collection.domains["d0"]
    drawn = draw(collection, "d0", 40, ("d1", "d2"), 0)
    used = np.isin(domain.row_hashes(domain.columns), drawn.target.row_hashes(domain.columns))
    tested = np.isin(domain.row_hashes(domain.columns), drawn.test.row_hashes(domain.columns))
    assert used.sum() == 40
    assert not np.isin(group[used], group[tested]).any()


def test_targets_that_leave_nothing_to_test():
    collection = make_collection("toy", make_domains(n=80))
    with pytest.raises(DatakinError, match="can spare 40 rows of a target and 50 test rows"):
        plan(collection)
    bigger = make_collection("toy", make_domains(n=140))
    assert {n for _, n, _ in plan(bigger)} == {40, 80}


def make_classes(name, counts, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([f"c{i}" for i in range(len(counts))], counts)
    return as_dataset(rng.standard_normal((len(y), 2)), y, name=name, task="multiclass")


@pytest.mark.parametrize(
    ("counts", "n", "quotas"),
    [
        ([300, 300, 300], 40, [14, 13, 13]),  # what is left over goes to the largest
        ([940, 30, 30], 40, [30, 5, 5]),
        ([20, 20, 8, 8, 8, 8, 7, 7, 7, 7], 50, [5] * 10),
        ([20, 20, 8, 8, 8, 8, 7, 7, 7, 7], 55, [5, 10] + [5] * 8),
    ],
)
def test_quotas_sum_to_the_size(counts, n, quotas):
    found = draws._quotas(make_classes("many", counts), n, balance=False)
    assert found.sum() == n
    assert found.tolist() == quotas


def test_a_size_too_small_for_the_classes_is_skipped(capsys):
    made = {f"d{i}": make_classes(f"d{i}", [60] * 10, seed=i) for i in range(5)}
    for balance in (False, True):
        collection = make_collection("ten", made, balance=balance)
        assert {n for _, n, _ in plan(collection)} == {80, 160}
        said = "ten: a target of 40 rows cannot hold 5 of each of 10 classes; that size is skipped."
        assert capsys.readouterr().err.strip() == said
        with pytest.raises(DatakinError, match="a target of 40 rows cannot hold 5 of each of 10"):
            plan(collection, sizes=(40,))
        drawn = draw(collection, "d0", 80, ("d1", "d2"), 0)
        assert np.bincount(drawn.target.y).tolist() == [8] * 10
    with pytest.raises(DatakinError, match="40 rows of 'd0' cannot hold 5 of each of 10 classes"):
        draws._quotas(made["d0"], 40, balance=False)


class Always:
    """Predicts one class."""

    def predict(self, X):
        return np.full(len(X), "1")


def test_errors_count_classes_as_the_target_does():
    X, y = np.zeros((10, 1)), np.array(["0"] * 8 + ["1"] * 2)
    even = make_domain("even", share=0.5)
    assert error_on(Always(), X, y, even) == pytest.approx(0.5)
    assert error_on(Always(), X, y, make_domain("third", share=0.25)) == pytest.approx(0.75)
    rare = make_domain("rare", share=0.1)  # every class counts the same
    assert error_on(Always(), X, y, rare) == pytest.approx(0.5)


# The whole of it.

LOADER = """
ABOUT = "made up"

def load():
    found = {}
    for i in range(5):
        rng = np.random.default_rng(i)
        X = rng.standard_normal((150, 3))
        y = (X[:, 0] + 0.4 * i * X[:, 1] + 0.3 * rng.standard_normal(150) > 0).astype(int)
        found[f"d{i}"] = datakin.as_dataset(X, y, name=f"d{i}")
    return found
"""


@pytest.fixture
def quick(monkeypatch):
    """Two methods with one learner, one distance and one model: the harness, not the numbers."""
    monkeypatch.setattr(scores, "DISTANCES", {"energy": Energy(scaling="pooled")})
    monkeypatch.setattr(scores, "OPTIONS", {"models": ["logistic"], "cv": 3})
    monkeypatch.setattr(
        gains,
        "methods",
        lambda task, base: {m: Concatenate(base) for m in ("concatenate", "kin_weighted")},
    )
    return Settings(repeats=1, sizes=(40,), n_targets=2, n_sources=4)


def test_a_run_goes_on_where_it_stopped(tmp_path, quick, monkeypatch):
    spec = write_loader(tmp_path, LOADER)
    first = run_collection(spec, tmp_path, quick, folder=tmp_path)
    assert [r["target"] for r in first] == ["d0", "d4"]
    frame = frame_of(first)
    assert len(frame) == 8
    found = ["cls", "trial", "energy", "source_error", "glm:concatenate"]
    assert frame[found].notna().all(axis=None)
    store = tmp_path / "cache" / "decisions-mine.jsonl"
    lines = store.read_text().splitlines()
    store.write_text(lines[0] + "\n" + lines[1][:50])  # torn
    calls = []
    whole = runs.run_draw
    monkeypatch.setattr(runs, "run_draw", lambda *task: calls.append(task) or whole(*task))
    again = run_collection(spec, tmp_path, quick, folder=tmp_path)
    assert len(calls) == 1

    def plain(record):
        return json.dumps({k: v for k, v in record.items() if "seconds" not in k})

    assert [plain(r) for r in again] == [plain(r) for r in first]
    assert runs.kept_records(spec, tmp_path, quick, folder=tmp_path) == again


def test_command(tmp_path, quick, monkeypatch, capsys):
    monkeypatch.setattr("benchmarks.decisions.__main__.QUICK", quick)
    spec = write_loader(tmp_path, LOADER)
    options = ["--collection", spec, "--quick", "--folder", str(tmp_path / "out")]
    assert main(options) == 0
    page = (tmp_path / "out" / "decisions-mine.md").read_text()
    said = capsys.readouterr()
    assert said.out.strip() == page.strip()
    assert "decisions-mine.md and decisions-mine.csv" in said.err
    for heading in ("Scores", "Regret by collection", "Zones"):
        assert f"### {heading}" in page
    table = pd.read_csv(tmp_path / "out" / "decisions-mine.csv")
    assert {"scores", "zones", "pairs", "methods"} == set(table["table"])
    taus = table[(table["measure"] == "tau") & (table["collection"] == "mine")]
    assert taus["value"].between(-1, 1).all()
    assert main([*options, "--report"]) == 0
    assert main(["--collection", "nothing.py"]) == 1
    assert "is one of 'synthetic'" in capsys.readouterr().err
    assert main(["--repeats", "11"]) == 1


def test_tables_become_numbers_as_the_first_dataset_says():
    numbers = [1.0, 3.0, np.nan, 5.0, 7.0, 3.0] * 4
    words = [*"ab" * 11, "rare", None]
    frame = pd.DataFrame({"size": numbers, "word": words, "y": [0, 1] * 12})
    other = frame.assign(size=[np.nan, *np.arange(23.0)], word=[*"abc" * 8])
    own, there = (datakin.read_table(f, label="y", name=n) for f, n in ((frame, "o"), (other, "t")))
    table = gains.Table.make(own, [there])
    filled = np.nan_to_num(numbers, nan=3.0)
    columns = [(filled - filled.mean()) / filled.std(), frame["word"] == "a", frame["word"] == "b"]
    # The rare level and the missing one, once each, have no column.
    np.testing.assert_allclose(table.own[0], np.column_stack(columns).astype(float))
    np.testing.assert_allclose(table.others[0][0][0], [(3 - filled.mean()) / filled.std(), 1, 0])
    np.testing.assert_allclose(table.others[0][0][2, 1:], [0, 0])
    assert table.own[1].tolist() == ["0", "1"] * 12


def test_rows_that_coincide_by_chance_are_kept():
    made = {}
    for i in range(5):
        rng = np.random.default_rng(i)
        X = rng.integers(0, 3, (200, 2)).astype(float)
        made[f"d{i}"] = as_dataset(X, (X.sum(axis=1) > 2).astype(int), name=f"d{i}")
    assert len(make_collection("discrete", made).domains) == 5
