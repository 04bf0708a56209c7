"""Small real results of every kind, results with hostile names, and very large ones."""

import json
import shutil
import time
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin import write_report
from datakin.results import CurvePoint, KeptRows, Mend, Region
from datakin.results.zones import Zone, decide_by_trial
from tests.unit.explain.planted import planted

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
# As root there is no sandbox; the rest keeps the browser itself from calling anywhere.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
KINDS = ["ranking", "comparison", "regression", "by gain", "by paper", "untried", "matrix",
         "gain", "distance", "distances", "distance matrix", "itself", "copies",
         "choice", "choice of numbers", "choice of nothing", "description", "explanation",
         "explanation of copies"]  # fmt: skip
WIDE = {"width": 1280, "height": 900}
FAST = {"models": ["logistic", "linear_svm"], "cv": 3}
SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
NAMES = {
    "script": SCRIPT,
    "lines": "first line\nsecond line",
    "emoji": "ward 🏥 é",
    "long": "x" * 300,
    "entity": "&lt;b&gt; \u2028 ${x} </textarea>",
    "proto": "__proto__",
}


def renamed(result, old: str, new: str):
    """Return a result in which a dataset has another name."""
    text = result.to_json().replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1])
    return datakin.from_json(text)


@pytest.fixture(scope="session")
def ranking(make_lda):
    """A source that helps, one that is unclear, and one that hurts."""
    options = {"p": 8, "shift": 1.2}
    sources = [
        make_lda(300, 2, name="kin", **options),
        make_lda(80, 3, name="cousin", angle=0.5, **options),
        make_lda(80, 4, name="stranger", angle=1.6, **options),
    ]
    made = datakin.rank(make_lda(60, 1, name="home", **options), sources, **FAST)
    changed = {
        "kin": {"gain": 0.08, "low": 0.01, "high": 0.15, "p_gain": 0.96},
        "cousin": {"p_gain": 0.7, "p_harmless": 0.9, "pooled_high": 0.1},
        "stranger": {"p_gain": 0.5, "pooled_high": -0.1},
    }
    found = []
    for c in made:
        trial = replace(c.trial, **changed[c.source])
        decision = decide_by_trial(trial)
        found.append(replace(c, trial=trial, decision=decision, zone=decision.zone))
    made = replace(made, comparisons=tuple(found))
    assert {c.source: c.call for c in made} == {
        "kin": "helps",
        "cousin": "unclear",
        "stranger": "hurts",
    }
    return made


@pytest.fixture(scope="session")
def explanation():
    """Why a stranger fails; with what would mend it, rows where it fails, and rows to keep."""
    (X, y), (other, z) = planted("rule", 0)
    home = datakin.as_dataset(X, y, name="home")
    made = datakin.explain(home, datakin.as_dataset(other, z, name="stranger"))
    parts = tuple(replace(part, flagged=part.name == "rule") for part in made.parts)
    nan, excess = float("nan"), made.excess
    mends = (
        Mend("column", "", ("x0",), "x0 has another effect.", "ignore=['x0']", "--ignore x0",
             excess, 0.1 * excess, 0.5 * excess, 1.2 * excess, "rule", True),
        Mend("copies", "stranger", (), "3 rows stand there several times.", "", "",
             nan, nan, nan, nan, "", False),
    )  # fmt: skip
    kept = KeptRows((("x0 > 1", "x1 <= 2"), ("x2 > 3",)), 0.6, 0.5, 0.7, 0.4, 0.05, 0.15, 0.1, 0.5)
    where = Region(("x0 > 1", "x1 <= 2"), 0.2, 0.6, 3 * excess, excess, 5 * excess, True)
    return replace(made, parts=parts, mends=mends, kept=kept, regions=(where,))


@pytest.fixture(scope="session")
def results(ranking, explanation, make_lda, make_linear, make_mixed):
    """One result of every kind, by a name for its test."""
    sets = [make_lda(60, k, name=f"set {k}", angle=0.5 * k) for k in range(1, 6)]
    numbers = [make_linear(60, k, name=f"line {k}", angle=0.4 * k) for k in (1, 2)]
    comparison = ranking["cousin"]
    with pytest.warns(datakin.DatakinWarning, match="same rows"):
        itself = datakin.score(sets[0], sets[0].renamed("copy"), **FAST)
    with pytest.warns(datakin.DatakinWarning, match="same rows"):
        copies = datakin.rank(sets[0], [sets[0].renamed("copy")], **FAST)
    near, far = (make_lda(120, k, name=n, angle=a) for k, n, a in ((7, "near", 0.5), (8, "far", 2)))
    other = numbers[0].renamed("numbers")
    with pytest.warns(datakin.DatakinWarning, match="numbers cannot be used"):
        choice = datakin.choose(sets[0], [near, far, other], learners=["linear"], repeats=2)
    odd = {k: make_mixed(60, k).assign(code=range(60)) for k in (1, 2)}
    odd = {f"table {k}": table for k, table in odd.items()}
    return {
        "choice": choice,
        "choice of numbers": datakin.choose(
            *numbers[:1], numbers[1:], learners=["linear"], repeats=1
        ),
        "choice of nothing": datakin.choose(sets[0], learners=["linear"], repeats=1),
        "ranking": ranking,
        "comparison": comparison,
        "regression": datakin.score(*numbers, models=["linear"], cv=3),
        "by gain": datakin.rank(sets[0], sets[1:3], zones="gain", **FAST),
        "by paper": datakin.rank(sets[0], sets[1:3], zones="paper", **FAST),
        "untried": datakin.CrossErrors.measure(sets[:3], **FAST).rank("set 1"),
        "matrix": datakin.matrix(sets, **FAST),
        "gain": datakin.transfer_gain(sets[0], sets[1], methods=["concatenate", "art"], repeats=3),
        "distance": datakin.distances.compare(sets[0], sets[1], method="energy"),
        "distances": datakin.distances.rank(sets[0], sets[1:], method="energy"),
        "distance matrix": datakin.distances.matrix(sets, method="energy"),
        "itself": itself,
        "copies": copies,
        "description": datakin.describe(odd, label="y"),
        "explanation": explanation,
        "explanation of copies": datakin.explain(sets[0], sets[0].renamed("copy")),
    }


@pytest.fixture(scope="session")
def curved(results):
    """Choices whose targets have learning curves that fall: of classes, and of numbers."""
    points = [CurvePoint(30, 0.26, 0.2), CurvePoint(54, 0.2, 0.15)]
    further = [CurvePoint(20, 4.0, 4.0), CurvePoint(30, 3.1, 3.1), CurvePoint(54, 2.5, 2.5)]
    return {
        "choice": replace(results["choice"], curve=tuple(points)),
        "choice of numbers": replace(results["choice of numbers"], curve=tuple(further)),
    }


@pytest.fixture(scope="session")
def hostile(ranking, make_lda):
    """A ranking and a matrix whose datasets, columns and classes have names that attack the page."""
    rng = np.random.default_rng(0)

    def make(name, angle, extra=IMAGE):
        X = rng.standard_normal((60, 2))
        y = X @ [np.cos(angle), np.sin(angle)] + 0.5 * rng.standard_normal(60) > 0
        frame = pd.DataFrame({"age": X[:, 0], "dose": X[:, 1], extra: rng.random(60)})
        frame["died"] = np.where(y, SCRIPT, "no")
        return datakin.read_table(frame, label="died", name=name)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", datakin.DatakinWarning)
        sets = [make(name, 0.3 * k) for k, name in enumerate(NAMES.values())]
        target = make(IMAGE, 0.0, extra=SCRIPT)
        return {
            "ranking": datakin.rank(target, sets, **FAST),
            "matrix": datakin.matrix([target, *sets], **FAST),
        }


@pytest.fixture(scope="session")
def many(ranking):
    """A ranking of 200 sources with the numbers of one of them, scores apart."""
    rng = np.random.default_rng(1)
    one, found = ranking["cousin"], []
    for k, score in enumerate(np.sort(np.abs(rng.normal(0, 0.1, 200)))):
        made = renamed(one, "cousin", f"hospital {k:03d}")
        zone = Zone.NEGATIVE if score > 0.06 else Zone.AMBIGUOUS
        reach = (float(score) - 0.03, float(score) + 0.03)
        found.append(replace(made, score=float(score), interval=reach, zone=zone))
    names = [c.source for c in found]
    first = dict.fromkeys(names, 1 / 200)
    groups = {name: 1 + k // 50 for k, name in enumerate(names)}
    return replace(ranking, comparisons=tuple(found), first=first, groups=groups)


@pytest.fixture(scope="session")
def vast(results):
    """A matrix of 300 datasets: five groups in five dimensions."""
    rng, n = np.random.default_rng(2), 300
    places = rng.normal(size=(n, 5)) + 4 * np.eye(5)[np.arange(n) % 5]
    scores = np.sqrt(((places[:, None] - places) ** 2).sum(-1)) / 30
    errors = rng.random((n, n)) / 50
    scores, errors = (scores + scores.T) / 2, (errors + errors.T) / 2
    np.fill_diagonal(scores, 0.0)
    loss = scores + rng.normal(size=(n, n)) / 100
    kinds = np.digitize(scores, [0.08, 0.16])
    shown = (Zone.POSITIVE, Zone.AMBIGUOUS, Zone.NEGATIVE)
    zones = tuple(tuple(shown[k] for k in row) for row in kinds)
    return replace(
        results["matrix"],
        names=tuple(f"plant {k:03d}" for k in range(n)),
        scores=scores,
        standard_errors=errors,
        lows=scores - 2 * errors,
        highs=scores + 2 * errors,
        discrepancies=loss,
        errors=loss + 0.2,
        zones=zones,
        thresholds=0.16 + errors,
        rule="paper",
    )


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests."""
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def tab(browser):
    """One page for all tests: to open another one takes half a second of the processor."""
    return browser.new_page()


@pytest.fixture
def visit(browser, tab, tmp_path):
    """Open the report of a result; at the end no error, dialog or request may have been seen."""
    path, faults, pages = tmp_path / "report.html", [], []
    watched = {
        "console": lambda message: faults.append(f"console: {message.text}"),
        "pageerror": lambda error: faults.append(f"error: {error}"),
        "dialog": lambda dialog: (faults.append("dialog"), dialog.dismiss()),
        "request": lambda request: request.url == path.as_uri() or faults.append(request.url),
    }

    def opened(result, *, viewport=WIDE, color_scheme="light", **options):
        write_report(result, path, overwrite=True)
        page = browser.new_context(**options).new_page() if options else tab
        page.set_viewport_size(viewport)
        page.emulate_media(media="null", color_scheme=color_scheme)
        page.mouse.move(0, 0)
        if page not in pages:
            pages.append(page)
            for event, heard in watched.items():
                page.on(event, heard)
        meter = page.context.new_cdp_session(page)
        meter.send("Performance.enable", {"timeDomain": "threadTicks"})
        start = time.perf_counter()
        page.goto(path.as_uri())
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]", state="attached", timeout=15_000)
        page.seconds, page.size = time.perf_counter() - start, path.stat().st_size
        found = {m["name"]: m["value"] for m in meter.send("Performance.getMetrics")["metrics"]}
        page.work = found["TaskDuration"]  # processor time of the page's main thread
        meter.detach()
        return page

    yield opened
    for page in pages:
        page.goto("about:blank")
        for event, heard in watched.items():
            page.remove_listener(event, heard)
        if page is not tab:
            page.context.close()
    assert faults == []
