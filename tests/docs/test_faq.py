"""Every answer of the page of questions is what the program does.

A test quotes the sentence that it checks; the last test sees that no question is without one.
"""

import inspect
import json
import re
import socket
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import datakin
from datakin import CrossErrors, CrossLearningScore, DatakinError
from datakin.learners.predictors import KernelPredictor
from datakin.synthetic import LDA, make_demo

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")
ANSWERS = {
    question: " ".join(answer.split())
    for question, answer in re.findall(r"^### (.+?)$(.*?)(?=^#|\Z)", TEXT, re.DOTALL | re.MULTILINE)
}
CHECKED = set()
pytestmark = pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")


def said(question, *sentences):
    """Mark a test of an answer: the sentences must stand there, word for word."""
    CHECKED.add(question)

    def decorate(test):
        def checked(*args, **options):
            for sentence in sentences:
                assert sentence in ANSWERS[question]
            return test(*args, **options)

        checked.__signature__ = inspect.signature(test)
        checked.__name__ = test.__name__
        return checked

    return decorate


@pytest.fixture(scope="module")
def demo():
    target, sources = make_demo()
    return target, [source.dataset for source in sources]


@pytest.fixture(scope="module")
def choice(demo):
    return datakin.choose(*demo)


# What a choice says of tables, columns and rows does not depend on its learners.
quick_choice = partial(datakin.choose, learners=["linear"], repeats=1)


def table(dataset):
    frame = pd.DataFrame(dataset.features.numeric).rename(columns="x{}".format)
    return frame.assign(y=np.where(dataset.y == 1, "yes", "no"))


def run(*arguments, folder):
    return subprocess.run(
        [sys.executable, "-m", "datakin", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
    )


def notes_of(call, *arguments, **options):
    """Return what a call returns, and all its notes in one text."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = call(*arguments, **options)
    return found, "\n".join(str(each.message) for each in heard)


@pytest.mark.long
@said(
    "How many rows do I need?",
    "Every table needs at least 20 rows with a label.",
    "A smaller target is refused.",
    "`datakin choose` leaves out a smaller source and says so.",
)
def test_rows_needed(demo, tmp_path):
    target, (twin, other, *_) = demo
    X, y = target.features.numeric, target.y
    with pytest.raises(DatakinError, match="at least 20 labelled rows"):
        quick_choice((X[:19], y[:19]), [twin])
    quick_choice((X[:20], y[:20]), [twin])
    table(target).to_csv(tmp_path / "mine.csv", index=False)
    table(twin)[:19].to_csv(tmp_path / "small.csv", index=False)
    table(other).to_csv(tmp_path / "large.csv", index=False)
    done = run(
        "choose", "mine.csv", "small.csv", "large.csv", "--label", "y", "--json", folder=tmp_path
    )
    found = json.loads(done.stdout)
    assert "at least 20 labelled rows" in found["unusable"]["small"]
    assert [each["source"] for each in found["choices"]] == ["large"]
    assert "small" in done.stderr


@said(
    "Do I need labels?",
    "Rows without a label are left out, and counted in a note.",
    "New rows that you only predict need none.",
    "compare features and do not look at the labels.",
)
def test_labels(demo, choice):
    target, (twin, *_) = demo
    frame = table(twin)
    frame.loc[:50, "y"] = None
    found, notes = notes_of(datakin.read_table, frame, label="y")
    assert found.n_rows == len(frame) - 51
    assert "51 of 300 rows have no label" in notes
    with pytest.raises(DatakinError, match="label column 'y' must be one of the columns"):
        datakin.read_table(frame.drop(columns="y"), label="y")
    assert len(choice.model.predict(twin.features.numeric)) == 300
    turned = datakin.as_dataset(twin.features.numeric, 1 - twin.y, name="turned")
    one, two = (datakin.distances.compare(target, each, method="energy") for each in (twin, turned))
    assert one.score == two.score


@said(
    "My tables have different columns.",
    "a column that a source lacks counts as missing there, and a column that only a source has is not used.",
    "A score uses the columns that both tables have.",
    "Notes name what was left out.",
)
def test_columns(demo):
    target, (twin, *_) = demo
    mine = datakin.read_table(table(target), label="y", name="mine")
    frame = table(twin).drop(columns="x3").assign(extra=twin.features.numeric[::-1, 3])
    less = datakin.read_table(frame, label="y", name="less")
    blank = datakin.read_table(table(twin).assign(x3=np.nan), label="y", name="less")
    first, notes = notes_of(quick_choice, mine, [less])
    second = quick_choice(mine, [blank])
    assert first.error == second.error
    assert first.frame.equals(second.frame)
    errors = CrossErrors.measure([mine, less], models=["logistic"])
    assert set(errors.frame["columns"]) == {11}
    _, more = notes_of(datakin.score, mine, less, models=["logistic"])
    for column in ("x3", "extra"):
        assert column in notes
        assert column in more


@said("Words, dates, gaps?", "They are taken as they are.")
def test_kinds_of_columns():
    rng = np.random.default_rng(0)

    def ward(n):
        age = rng.normal(60, 10, n)
        frame = pd.DataFrame({"age": age, "ward": rng.choice(["east", "west"], n)})
        frame["seen"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(
            rng.integers(0, 300, n), unit="D"
        )
        frame["died"] = np.where(age + rng.normal(0, 5, n) > 60, "yes", "no")
        frame.loc[rng.random(n) < 0.2, ["age", "ward"]] = None
        return frame

    mine = datakin.read_table(ward(80), label="died", name="mine")
    other = datakin.read_table(ward(200), label="died", name="other")
    assert mine.features.category_names == ("ward",)
    assert set(mine.features.numeric_names) == {"age", "seen"}
    found = quick_choice(mine, [other])
    assert found.error < 0.4
    assert len(found.model.predict(ward(5).drop(columns="died"))) == 5


@said(
    "A source lacks a class, or has one that I do not have.",
    "A class that a source lacks is allowed, with a note.",
    "`choose` leaves out rows of classes that your table does not have.",
    "A table with only one class cannot be used.",
)
def test_classes():
    def three(n, seed, name, other="c"):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, 3))
        y = np.array(["a", "b", other])[np.argmax(X + 0.5 * rng.standard_normal((n, 3)), axis=1)]
        return X, y, name

    X, y, _ = three(200, 2, "")
    mine = datakin.as_dataset(*three(90, 1, "")[:2], name="mine")
    lacks = datakin.as_dataset(X[y != "c"], y[y != "c"], name="lacks")
    other = datakin.as_dataset(*three(200, 3, "", other="d")[:2], name="other")
    _, notes = notes_of(quick_choice, mine, [lacks])
    assert "class missing from the source: 'c'" in notes
    found, notes = notes_of(quick_choice, mine, [other])
    n_known = int(np.sum(three(200, 3, "", other="d")[1] != "d"))
    assert found["other"].n_rows == n_known
    assert "does not have: 'd'" in notes
    with pytest.raises(DatakinError, match="at least two classes"):
        datakin.as_dataset(X[y == "a"], y[y == "a"])


@said(
    "The label is a number.",
    "Then the error that is shown is the root mean squared error, in the unit of your label.",
    "In Python `choice.error` is its square.",
    "A few different whole numbers are read as classes, and a note says so",
)
def test_numbers():
    rng = np.random.default_rng(0)

    def draw(n):
        X = rng.standard_normal((n, 3))
        return X, 100 + X @ [3.0, 2.0, 0.0] + rng.standard_normal(n)

    found = quick_choice(draw(60), {"other": draw(200)})
    assert (found.task, found.loss) == ("regression", "squared")
    X, y = draw(2000)
    squared = np.mean((found.model.predict(X) - y) ** 2)
    assert found.error_on((X, y)) == pytest.approx(squared)
    assert f"root mean squared error: {found.error**0.5:.3g} " in found.evidence[0]
    graded = pd.DataFrame(X, columns=["a", "b", "c"]).assign(grade=np.digitize(y, [97, 99, 101]))
    classes, notes = notes_of(datakin.read_table, graded, label="grade")
    assert classes.task == "multiclass"
    assert (
        "taken as classes; say task='regression' / --task regression if it is a quantity or a grade"
        in notes
    )
    assert datakin.read_table(graded, label="grade", task="regression").task == "regression"


@said(
    "Some rows stand in both tables.",
    "They are found and left out, and a note counts them.",
    "A row that differs in a single value is not recognised.",
)
def test_rows_in_common(demo):
    target, (twin, *_) = demo

    def with_rows(X):
        both = np.vstack([X, twin.features.numeric])
        return datakin.as_dataset(both, np.append(target.y[:20], twin.y), name="other")

    X = target.features.numeric[:20].copy()
    found, notes = notes_of(quick_choice, target, [with_rows(X)])
    assert found["other"].n_rows == 300
    assert "20 rows left out, which also stand in target" in notes
    score = datakin.score(target, with_rows(X), models=["logistic"])
    assert any("20 rows" in note for note in score.notes)
    X[:, 0] += 0.001
    found, notes = notes_of(quick_choice, target, [with_rows(X)])
    assert found["other"].n_rows == 320
    assert "also stand" not in notes


@said(
    "I compared a table with itself.",
    "A copy of your table scores 0 by definition, and a note says so.",
    "`choose` does not use a copy.",
    "Two tables with the same name are refused",
)
def test_a_table_with_itself(demo, tmp_path):
    target, (twin, *_) = demo
    copy = datakin.as_dataset(target.features.numeric.copy(), target.y.copy(), name="copy")
    found, notes = notes_of(datakin.score, target, copy)
    assert found.score == found.source_to_target == found.target_to_source == 0
    assert "hold the same rows: the score is 0 by definition" in notes
    choice = quick_choice(target, [copy, twin])
    assert choice.used == ("twin",)
    assert "same rows" in choice.unusable["copy"]
    table(target).to_csv(tmp_path / "mine.csv", index=False)
    done = run("score", "mine.csv", "mine.csv", "--label", "y", folder=tmp_path)
    assert done.returncode == 1
    assert "must have different names" in done.stderr


@pytest.mark.long
@said(
    "Does the order of the sources matter?",
    "The order in which named sources are given changes no number.",
)
def test_order(demo, choice):
    target, sources = demo
    turned = datakin.choose(target, sources[::-1])
    assert turned.error == choice.error
    assert turned.frame.equals(choice.frame)
    one, two = (
        datakin.rank(target, some, models=["logistic"]) for some in (sources, sources[::-1])
    )
    assert one.frame.equals(two.frame)


@said(
    "Does one more source change the numbers of the others?",
    "It changes no score and no gain of the others, if all columns are numbers.",
)
def test_one_more_source(demo):
    target, sources = demo
    few, more = (datakin.rank(target, sources[:n], models=["logistic"]) for n in (2, 4))
    columns = ["score", "low", "high", "gain", "gain_low", "gain_high"]
    first, second = (each.frame.set_index("source")[columns] for each in (few, more))
    assert first.equals(second.loc[first.index])


@said("Is the score the same both ways?", "Yes. The gain is not: it belongs to the target.")
def test_both_ways(demo):
    target, (twin, *_) = demo
    there, back = datakin.score(target, twin), datakin.score(twin, target)
    assert there.score == back.score
    assert there.trial.gain != back.trial.gain


@said(
    "The score is 0.05. Is that much?",
    "It is the mean of two differences between errors.",
    "With the usual loss, 0.05 is five more wrong rows in a hundred.",
)
def test_unit_of_the_score(demo):
    target, sources = demo
    found = datakin.score(target, sources[2])
    assert found.provenance.options["loss"] in ("auto", "zero_one")
    assert found.score == pytest.approx((found.source_to_target + found.target_to_source) / 2)
    rows = found.errors.frame.query("model == 'ensemble' and held_out == 'k'")
    errors = rows.set_index(["trained_on", "tested_on"])["error"]
    there = errors[sources[2].name, "target"] - errors["target", "target"]
    assert found.source_to_target == pytest.approx(there)


@said(
    "With more rows every difference becomes significant. Here too?",
    "The p-value becomes smaller, as everywhere.",
    "The score does not grow with the rows: it estimates a size, and its interval becomes narrower.",
)
def test_more_rows():
    few, many = (
        datakin.score(pair.target, pair.source, models=["logistic"], zones="paper")
        for pair in (LDA(0.8).sample(n, n, random_state=1) for n in (150, 1500))
    )
    assert many.p_value < few.p_value
    assert many.interval[1] - many.interval[0] < (few.interval[1] - few.interval[0]) / 2
    assert few.interval[0] < many.score < few.interval[1]


@pytest.mark.long
@said(
    "Yesterday's answer differs from today's.",
    "The same data, options, seed and versions give the same numbers, on any number of threads.",
    "it holds all four.",
    "the error moves a little, within its interval.",
)
def test_the_same_again(demo, choice):
    again = datakin.choose(*demo, n_jobs=2)
    assert again.error == choice.error
    assert again.frame.equals(choice.frame)
    kept = choice.provenance
    assert kept.seed == 0
    assert set(kept.fingerprints) == {"target", *(source.name for source in demo[1])}
    assert "datakin" in kept.versions
    assert "learners" in kept.options
    other = datakin.choose(*demo, random_state=1)
    assert other.error != choice.error
    assert choice.interval[0] < other.error < choice.interval[1]


@said("How long does it take?")
def test_times_are_those_of_the_benchmarks():
    results = (ROOT / "benchmarks" / "results" / "RESULTS.md").read_text(encoding="utf-8")
    answer = ANSWERS["How long does it take?"]
    measured = dict(re.findall(r"\| choose: (.+?) \| \d+ \| ([\d.]+) \|", results))
    first = measured["160 rows, 8 sources of 400, the default"]
    second = measured["160 rows, 50 sources of 2,000, the default"]
    assert f"for 160 rows among 8 sources of 400 rows takes {first} seconds of one core" in answer
    assert f"Among 50 sources of 2,000 rows it takes {second} seconds" in answer


@said("Can I use it on a million rows?")
def test_rows_that_are_drawn():
    answer = ANSWERS["Can I use it on a million rows?"]

    def default(function, name):
        return inspect.signature(function).parameters[name].default

    assert f"draws {default(datakin.choose, 'max_rows'):,} rows of each larger table" in answer
    most = CrossLearningScore().get_params()["max_rows"]
    assert f"samples of up to {most:,} rows" in answer
    assert f"more than {default(datakin.read_table, 'read_rows'):,} rows" in answer


class Counting(LogisticRegression):
    """Counts how often it is fitted."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


@said(
    "I compare 50 sites. Is that 1,225 comparisons?",
    "It is 50 sets of fits: each table is fitted once, however many others it is compared with.",
)
def test_a_table_is_fitted_once(demo):
    counts = []
    for n in (2, 4, 6):
        Counting.fits = 0
        datakin.matrix(demo[1][:n], models={"counting": Counting()})
        counts.append(Counting.fits)
    assert counts[0] == 2 * 16
    assert counts == [16 * n for n in (2, 4, 6)]
    assert 50 * 49 // 2 == 1225


@said(
    "I want the same scores in another way. Must everything be fitted again?",
    "`CrossErrors.measure` keeps the errors.",
    "Another estimate or another rule is then a look that takes no fit",
)
def test_looks_fit_nothing(demo):
    target, sources = demo
    errors = CrossErrors.measure([target, *sources[:2]], models={"counting": Counting()})
    Counting.fits = 0
    matched = errors.score("target", "twin")
    limit = errors.score("target", "twin", size="limit")
    paper = errors.score("target", "twin", zones="paper")
    assert Counting.fits == 0
    assert limit.score != matched.score
    assert paper.decision.rule == "paper" != matched.decision.rule


@pytest.mark.long
@said("Do I need a GPU, or PyTorch?", "Not for tables.")
def test_no_torch():
    code = (
        "import sys, datakin; from datakin.synthetic import make_demo;"
        "t, s = make_demo(); datakin.choose(t, [s[0].dataset]); datakin.score(t, s[0].dataset);"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


@said(
    "Does anything leave my machine?",
    "datakin opens no connection, unless you name a database or a cluster.",
    "Reports are single files that load nothing from the network.",
)
def test_no_connection(demo, tmp_path, monkeypatch):
    def refuse(*args):
        raise AssertionError(f"a connection to {args[1:]}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    target, (twin, *_) = demo
    choice = datakin.choose(target, [twin])
    choice.save(tmp_path / "kin.datakin")
    datakin.load_model(tmp_path / "kin.datakin").predict(twin.features.numeric)
    datakin.write_report(choice, tmp_path / "choice.html")
    page = (tmp_path / "choice.html").read_text(encoding="utf-8")
    assert not re.findall(
        r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//|@import|url\(\s*[\"']?http", page
    )


@said(
    "What is in the file of a model?",
    "With the default learners it may also hold rows of the tables",
    "and the card says so.",
    "With the learners `linear` and `trees` it holds none",
)
def test_rows_in_a_model(demo, choice):
    target, (twin, *_) = demo

    def held(model):
        predictors = [each for *_, each in model.stack.parts]
        return sum(len(p.centers) for p in predictors if isinstance(p, KernelPredictor))

    card = " ".join(str(choice.model.card).split())
    assert held(choice.model) > 0
    assert "holds rows of the tables" in card
    assert held(datakin.choose(target, [twin], learners=["linear", "trees"]).model) == 0


def test_every_question_has_a_test():
    assert len(ANSWERS) == TEXT.count("\n### ")
    assert set(ANSWERS) == CHECKED
