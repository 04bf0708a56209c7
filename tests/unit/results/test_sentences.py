"""Every sentence that a result can print: all branches, made by constructed results.

No sentence is longer than 30 words, none is spelled as code, none is said twice, and no number in one
contradicts another of the same result. The terminal, the notebook and the report say the same.
"""

import ast
import html
import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import datakin
from datakin import distances, synthetic
from datakin._core.exceptions import SERIOUS, URGENT, Note
from datakin.learners.metrics import Metrics
from datakin.learners.stack.records import Trial
from datakin.report.page import view_of
from datakin.results import (
    Choice,
    CurvePoint,
    Gain,
    MethodGain,
    Provenance,
    SourceChoice,
    Stability,
)
from datakin.results.zones import Zone, decide_by_paper, decide_by_trial, not_tried
from tests.unit.explain.planted import planted
from tests.unit.results.sentences import (
    check_form,
    check_numbers,
    check_reasons,
    quantities,
    sentences_of,
)

NOWHERE = Provenance(0, {}, {}, {})
PROBABILITIES = (0.3, 0.55, 0.7, 0.897, 0.9, 0.97, 0.9999)


def source(name, call, share, *, gain=0.05, p_gain=0.8, worth=12.4):
    pool = (-0.45, -0.6, -0.3) if call == "hurts" else (0.1, -0.1, 0.3)
    return SourceChoice(
        name, call, gain, gain - 0.04, gain + 0.04, p_gain, share, worth, 1300, *pool
    )


def make(used=("north", "south"), **changes):
    """Return a choice among five sources, each called differently."""
    kinds = {
        "north": ("helps", 0.04, 0.95),
        "south": ("harmless", 0.001, 0.897),
        "west": ("unclear", 0.01, 0.6),
        "east": ("hurts", -0.001, 0.4),
        "far": ("helps", 0.02, 0.91),
    }
    every = tuple(
        source(name, call, 0.2 if name in used else 0.0, gain=gain, p_gain=p)
        for name, (call, gain, p) in kinds.items()
    )
    often = dict.fromkeys(kinds, 0.5)
    known = {
        **{"target": "home", "label": "died", "task": "binary", "n_rows": 60, "used": tuple(used)},
        **{
            "choices": every,
            "loss": "zero_one",
            "error": 0.12,
            "interval": (0.05, 0.19),
        },
        **{
            "error_alone": 0.17,
            "error_all": 0.26,
            "gain": 0.3,
            "gain_interval": (0.1, 0.5),
            "p_gain": 0.97,
        },
        **{"tried": 0.42, "loss_alone": 0.13, "learners": ("linear",), "unusable": {}, "notes": ()},
        **{
            "stability": Stability(5, True, 1.0, 0.1, 0.14, 0.6, often, often),
            "provenance": NOWHERE,
        },
        **{"curve": (CurvePoint(30, 0.2, 0.16), CurvePoint(54, 0.17, 0.13))},
    }
    return Choice(**{**known, **changes})


def measures(ends, brier):
    """Return measures of the target alone, one source, the pool and the choice."""
    found = {
        "auc": 0.8, "calibration_slope": 1.1, "calibration_intercept": sum(ends) / 2, "accuracy": 0.88,
        "balanced_accuracy": 0.85,
    }  # fmt: skip
    losses = {"alone": 0.13, "best_single": brier, "all": brier, "choice": 0.12}
    return {
        name: Metrics(name, 60, {**found, "brier": loss}, {"calibration_intercept": ends}, "yes")
        for name, loss in losses.items()
    }


def choices():
    """Return choices that take every branch of their answer."""
    losses = [("binary", "zero_one"), ("binary", "balanced"), ("multiclass", "balanced")]
    losses += [("regression", "squared"), ("regression", "absolute"), ("binary", "log")]
    losses += [("binary", "brier")]
    for (task, loss), error, alone, tried in product(
        losses, (0.12, 0.17, 0.3), (0.17,), (-0.1, 0.0, 0.42)
    ):
        yield make(task=task, loss=loss, error=error, error_alone=alone, tried=tried)
    for p, gain in product(PROBABILITIES, (-0.01, 0.004, 0.0746, 0.3)):
        yield make(p_gain=p, gain=gain, gain_interval=(gain - 0.05, gain + 0.05))
    for used in ((), ("north",), ("south", "west"), ("north", "south", "west", "far", "east")):
        for pooled in (None, 0.1, 0.12, 0.5, float("nan")):
            yield make(used, error_all=pooled)
    yield make((), error=0.17)
    yield make(("north", "south", "far"))
    shaky = Stability(12, False, 0.5, 0.1, 0.14, 0.2, {}, {})
    yield make(stability=shaky)
    yield make(choices=(source("north", "helps", 0.5, worth=None),), used=("north",))
    yield make(choices=(source("north", "harmless", 0.5),), used=("north",))
    yield make(choices=(source("east", "hurts", 0.0),), used=())
    yield make(choices=(), used=(), unusable={"zip codes": "It has no column 'died'."})
    yield make(choices=(), used=())
    many = tuple(source(f"s{k:02}", "helps", 0.05) for k in range(20))
    yield make(choices=many, used=tuple(each.source for each in many))
    for ends, brier, best in product(
        ((-0.5, 0.5), (0.1, 0.9), (-0.9, -0.1)), (0.05, 0.12, 0.3), (None, 0.1, 0.12, 0.2)
    ):
        yield make(
            metrics=measures(ends, brier),
            error_best=best,
            best_source="" if best is None else "north",
        )
        yield make(
            loss="brier", metrics=measures(ends, brier), error_best=best, best_source="north"
        )
    yield make(n_rows=20)
    yield make(n_rows=5000, error=0.1701)
    yield make(notes=("north: 3 rows left out", "south: 5 rows left out", "made of 2 files"))


@pytest.mark.parametrize("k", range(len(list(choices()))))
def test_choices(k):
    choice = list(choices())[k]
    answer = choice.answer
    check_form(answer)
    check_numbers(answer, "home")
    check_reasons(answer)
    said = " ".join(sentences_of(answer))
    assert ("This should help" in said) <= (choice.p_gain >= 0.9)
    if choice.used and choice.error > 1.02 * choice.error_alone:
        assert answer.headline.startswith("No clear gain: ")
        assert answer.tone == "open"
        assert "should help" not in said
    if answer.headline.startswith("Use "):
        assert choice.error <= 1.02 * choice.error_alone
        assert choice.p_gain >= 0.6
    if answer.headline.startswith("No clear gain"):
        assert "Together" not in said
        assert "This should help" not in said
    if "the loss is lower" in said or "Together they" in said:
        assert choice.tried > 0
    if choice.loss == "brier":
        assert "moves the other way" not in said
        assert "Brier loss 0.26, Brier loss" not in said
    if not choice.used:
        assert "learn from home alone" in answer.headline
    rows = [] if answer.table is None else answer.table.rows
    for row in rows:
        is_used = row.cells[0] in choice.used
        assert row.cells[1] == "(target)" or (row.cells[4] == "not used") != is_used
        assert f"{row.cells[0]} hurts" not in said or row.call == "hurts"
    if choice.used:
        shares = [float(row.cells[4].rstrip("%")) for row in rows if row.cells[4] != "not used"]
        assert abs(sum(shares) - 100) <= 0.5 * len(shares)


def test_the_numbers_of_a_choice_are_those_of_its_fields():
    found = quantities(make().answer, "home")
    assert {name: next(iter(values)) for name, values in found.items()} == {
        "error": "12.0%",
        "interval": "5.0 to 19.0%",
        "alone": "17.0%",
        "p_gain": "97%",
        "gain": "30%",
        "gain interval": "10 to 50%",
        "pool": "26.0%",
    }
    squared = make(
        task="regression", loss="squared", error=4.0, interval=(1.0, 9.0), error_alone=16.0
    )
    found = quantities(squared.answer, "home")
    assert (found["error"], found["interval"], found["alone"]) == ({"2"}, {"1 to 3"}, {"4"})


@pytest.fixture(scope="module")
def ranking():
    target, sources = synthetic.make_demo(60, 60)
    return datakin.rank(target, [s.dataset for s in sources[:4]], models=["logistic"])


def trial(name, call, gain=0.02):
    p_gain = {"helps": 0.93, "harmless": 0.7, "unclear": 0.6, "hurts": 0.4}[call]
    pool = (-0.5, -0.7, -0.3) if call == "hurts" else (0.1, -0.1, 0.3)
    safe = {"harmless": 0.97, "helps": 0.99}.get(call, 0.5)
    return Trial(name, gain, gain - 0.05, gain + 0.05, p_gain, gain, 0.02, *pool, safe)


def called(comparison, call, name="", gain=0.02):
    """Return a comparison whose trial leads to a call."""
    name = name or comparison.source
    found = trial(name, call, gain)
    decision = decide_by_trial(found)
    assert decision.zone.call == call
    keep = comparison.source
    n_rows = {comparison.target: 60, name: 60}
    parts = {
        field: {
            name if key == keep else key: value for key, value in getattr(comparison, field).items()
        }
        for field in ("own_errors", "cross_errors", "losses", "curves", "facts", "model_weights")
    }
    return replace(
        comparison, source=name, trial=found, decision=decision, zone=decision.zone, n_rows=n_rows,
        loss_alone=0.2, **parts,
    )  # fmt: skip


def rankings(ranking):
    """Return rankings that take every branch of their answer."""
    calls = ["helps", "harmless", "unclear", "hurts"]
    first = ranking.comparisons[0]
    for mask in product((0, 1, 2), repeat=4):
        wanted = [call for call, n in zip(calls, mask, strict=True) for _ in range(n)]
        if wanted:
            names = [f"s{k}" for k in range(len(wanted))]
            yield _ranked(
                ranking, [called(first, c, n) for c, n in zip(wanted, names, strict=True)]
            )
    for call in calls:
        yield _ranked(ranking, [called(first, call, f"s{k}") for k in range(9)])
        yield _ranked(ranking, [called(first, call, "s0", gain=-0.001)])
    found = _ranked(ranking, [called(first, "helps", "a"), _renamed(first, "b")])
    yield found
    yield replace(found, complete=False)
    yield replace(found, groups={"a": 1, "b": 2})


def _renamed(comparison, name):
    decision = not_tried("It has too few rows.")
    found = called(comparison, "unclear", name)
    return replace(found, trial=None, decision=decision, zone=decision.zone)


def _ranked(ranking, comparisons):
    names = [c.source for c in comparisons]
    return replace(
        ranking,
        comparisons=tuple(comparisons),
        first=dict.fromkeys(names, 1 / len(names)),
        groups={name: 1 + k // 2 for k, name in enumerate(names)},
    )


def test_rankings(ranking):
    n = 0
    for found in rankings(ranking):
        n += 1
        answer = found.answer
        check_form(answer)
        check_reasons(answer)
        calls = {c.source: c.call for c in found}
        for name, call in calls.items():
            if f"leave out {name}" in answer.headline.lower():
                assert call == "hurts"
            if answer.headline.startswith(f"Use {name}"):
                assert call == "helps"
        assert ("none hurts" in answer.headline) <= ("hurts" not in calls.values())
        assert ("No source clearly helps" in answer.headline) <= ("helps" not in calls.values())
        k = answer.table.columns.index("call")
        assert [row.cells[k] for row in answer.table.rows] == list(calls.values())
    assert n > 80


def test_rankings_that_were_not_tried(ranking):
    target, sources = synthetic.make_demo(60, 60)
    few = [s.dataset for s in sources[:3]]
    paper = datakin.CrossLearningScore.as_in_paper(models=["logistic"]).rank(target, few)
    measured = datakin.CrossErrors.measure([target, *few], models=["logistic"])
    untried = measured.rank(target.name)
    alone = replace(untried, comparisons=untried.comparisons[:1], groups={})
    for found in (paper, untried, alone):
        assert not found.is_tried
        check_form(found.answer)
    for p in (0.2, 0.96, 0.999):
        first = {c.source: p if k == 0 else (1 - p) / 2 for k, c in enumerate(untried)}
        luck = " ".join(replace(untried, first=first).answer.evidence)
        assert ("luck" in luck) == (p < 0.95)


def test_comparisons(ranking):
    first = ranking.comparisons[0]
    for call, gain in product(("helps", "harmless", "unclear", "hurts"), (-0.01, 0.0, 0.02, 0.2)):
        found = called(first, call, gain=gain)
        check_form(found.answer)
        assert found.answer.tone == {"helps": "good", "hurts": "bad", "unclear": "open"}.get(
            call, "plain"
        )
        (size,) = {f"{abs(100 * gain):.{0 if abs(gain) > 0.0995 else 1}f}%"}
        size = "0%" if gain == 0 else size
        assert f"by {'50%' if call == 'hurts' else size}" in found.answer.evidence[0]
        squared = replace(
            found, losses=dict.fromkeys(found.losses, "squared"), standardised=0.1, facts={}
        )
        check_form(squared.answer)
        assert "squared error" in squared.answer.evidence[0]


def test_comparisons_by_the_other_rules(ranking):
    first = ranking.comparisons[0]
    score = first.sizes["matched"]
    for value in (-0.1, 0.01, 0.5):
        decision = decide_by_paper(replace(score, value=value), (0.2, 0.02))
        found = replace(first, trial=None, decision=decision, zone=decision.zone)
        check_form(found.answer)
        assert found.answer.headline.startswith("By the paper's rule:")
    for why in (None, "It has too few rows."):
        decision = not_tried(why)
        found = replace(first, trial=None, decision=decision, zone=decision.zone)
        check_form(found.answer)
        assert found.answer.headline.endswith("was not tried.")
        assert found.call == "not tried"


@pytest.fixture(scope="module")
def square():
    target, sources = synthetic.make_demo(60, 60)
    members = [target, *(s.dataset for s in sources)]
    return datakin.matrix(members, models=["logistic"])


def test_matrices(square):
    n = len(square)
    kinds = {
        "trial": list(Zone),
        "none": [Zone.UNTRIED],
        "paper": [z for z in Zone if z.value not in ("harmless", "not tried")],
    }
    rng = np.random.default_rng(0)
    for rule, zones in kinds.items():
        for case in (*[[zone] for zone in zones], *[zones] * 6):
            drawn = [[case[rng.integers(len(case))] for _ in range(n)] for _ in range(n)]
            if rule == "paper":
                drawn = [[drawn[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
            gains = rng.normal(size=(n, n)) if rule == "trial" else None
            found = replace(square, zones=tuple(map(tuple, drawn)), rule=rule, gains=gains)
            for each in (found, replace(found, complete=False)):
                answer = each.answer
                check_form(answer)
                apart = bool(found.are_apart.any())
                assert ("No pair" in answer.headline) == (not apart)
                n_groups = len(set(found.clusters().values()))
                if "form" in answer.headline:
                    assert f"form {n_groups} groups" in answer.headline


def test_scores_say_who_is_apart_where_no_pair_was_tried(square):
    none = np.full_like(square.scores, 9.0)
    assert replace(square, thresholds=none).answer.headline.startswith("No pair of the ")
    far = replace(square, scores=none - np.diag(np.diag(none)), thresholds=0.1 * none)
    assert far.answer.headline == f"Each of the {len(square)} datasets stands alone."
    near, apart = (np.arange(len(square)) < 3), square.scores.copy()
    apart[:] = np.where(near[:, None] == near, 0.0, 9.0)
    two = replace(square, scores=apart, thresholds=0.1 * none)
    assert "form 2 groups within which no pair is apart." in two.answer.headline
    for found in (far, two):
        check_form(found.answer)


def test_small_squares(square):
    few = square.names[:4]
    picked = datakin.matrix(
        [d for d in _members() if d.name in few], models=["logistic"], calls=True
    )
    answer = picked.answer
    check_form(answer)
    assert answer.table.columns == ("", *picked.names)


def _members():
    target, sources = synthetic.make_demo(60, 60)
    return [target, *(s.dataset for s in sources)]


def test_gains():
    for rer, se, several in product((-0.2, 0.0, 0.05, 0.4), (0.01, 0.2), (False, True)):
        back = (float("nan"),) * 4 if several else (0.1, 0.05, 0.1, 0.05)
        method = MethodGain(rer, se, *back, 0.2 * (1 - rer), 0.1)
        names = ("kin_stack", "concatenate")
        for methods in (dict.fromkeys(names, method), {"kin_stack": method}):
            found = Gain(
                *("home", "north", methods, 0.2, 0.3, "zero_one", 15, (), NOWHERE),
                sources=("north", "south") if several else (),
                source_loss="" if several else "balanced",
            )
            check_form(found.answer)
            lowers = "kin_stack lowers" in found.answer.headline
            assert lowers == (rer - 1.645 * se > 0)
    unknown = replace(found, methods={"kin_stack": replace(method, target_rer=float("nan"))})
    check_form(unknown.answer)


def test_distances():
    members = _members()
    for method in ("energy", "otdd"):
        check_form(distances.compare(*members[:2], method=method).answer)
    check_form(distances.rank(members[0], members[1:3], method="energy").answer)
    check_form(distances.matrix(members[:3], method="energy").answer)
    check_form(distances.matrix(members, method="energy").answer)


@pytest.fixture(scope="module")
def explanation():
    return replace(datakin.explain(*planted("rule", 0)), source="east", target="home")


def explanations(explanation):
    """Return explanations that take the branches of their answer: every set of parts, three sizes."""
    known = explanation.parts
    for mask, low in product(product((False, True), repeat=len(known)), (-0.1, 0.05)):
        parts = tuple(replace(p, flagged=f) for p, f in zip(known, mask, strict=True))
        yield replace(explanation, parts=parts, low=low)
    for slope, observed in product((-0.5, 0.4, 1.6, float("nan")), (0.1, 0.9, float("nan"))):
        yield replace(explanation, slope=slope, observed=observed, expected=observed)
    words = {"base rate": "level", "confidence": "scale"}
    for change in ({"learner": "trees"}, {"columns": ()}, {"n_target": 90, "n_source": 30}):
        yield replace(explanation, **change)
    parts = tuple(replace(p, name=words.get(p.name, p.name), flagged=True) for p in known)
    steps = tuple(replace(s, name=words.get(s.name, s.name)) for s in explanation.steps)
    yield replace(explanation, parts=parts, steps=steps, task="regression", loss="squared")


def test_explanations(explanation):
    for found in explanations(explanation):
        check_form(found.answer)
        assert ("Nothing to explain" in found.answer.headline) == (
            not found.causes and found.low <= 0
        )


def test_what_is_explained_stands_behind_the_reason(ranking, explanation):
    """In choices, rankings and comparisons: headline, size and first reason of the explanation."""
    first = ranking.comparisons[0]
    hurts = called(first, "hurts", "east")
    for each in explanations(explanation):
        answer = each.answer
        told = " ".join([answer.headline, *answer.evidence[:1], *answer.reasons[:1]])
        for result in (
            make(explanations=(each,)),
            _ranked(replace(ranking, explanations=(each,)), [called(first, "helps", "a"), hurts]),
            replace(hurts, explanations=(each,)),
        ):
            check_form(result.answer)
            check_reasons(result.answer)
            (reason,) = [r for r in result.answer.reasons if r.startswith("east hurts: ")]
            assert reason.endswith(told)
            assert sum(each.answer.headline in r for r in result.answer.reasons) == 1


def test_terminal_notebook_and_report_say_the_same(ranking, square, explanation):
    with_why = make(explanations=(explanation,))
    every = (make(), make(()), with_why, ranking, ranking.comparisons[0], square, explanation)
    for result in every:
        answer = result.answer
        text, page = " ".join(str(result).split()), result._repr_html_()
        card = view_of(result)["verdict"]
        assert (card["head"], tuple(card["lines"])) == (answer.headline, answer.evidence)
        for sentence in (answer.headline, *answer.evidence, *answer.caveats):
            assert " ".join(sentence.split()) in text
            assert html.escape(sentence) in page
        assert "<script" not in page
        again = type(result).from_json(result.to_json())
        assert again.answer == answer
        assert json.loads(result.to_json())


def test_notes_are_short():
    """Notes are made all over the package: each sentence of those that are written there is short."""
    seen = 0
    for path in Path(datakin.__file__).parent.rglob("*.py"):
        for text in _notes_in(ast.parse(path.read_text(encoding="utf-8"))):
            seen += 1
            for part in re.split(r"(?<=[.!?;]) +", text):
                assert len(part.split()) <= 30, (path.name, part)
    assert seen > 40


def _notes_in(tree):
    """Return the texts given to `Note` and `warn`, or added to notes; a value counts as a word."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        owner = getattr(getattr(node.func, "value", None), "id", "")
        if name in ("Note", "warn") or (name == "append" and "note" in owner):
            yield from filter(None, map(_text_of, node.args))


def _text_of(node):
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            getattr(part, "value", "x") if isinstance(part, ast.Constant) else "x"
            for part in node.values
        )
    return ""


def test_what_makes_another_question_of_it_stands_with_the_evidence():
    urgent = Note(
        "home: the label 'grade' was taken as classes; say --task regression if not", URGENT
    )
    serious = Note("home: 3 rows repeat", SERIOUS)
    found = make(notes=("north: 3 rows left out",)).answer.with_notes([urgent, serious, "plain"])
    assert found.evidence[-1].startswith("The label 'grade' was taken as classes")
    assert found.caveats[0] == serious
    assert found.notes == ("plain", "north: 3 rows left out")
