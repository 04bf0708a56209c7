"""Spots of the pages of benchmarks: what of each comes out again in seconds.

Times depend on the machine. Where a section has little else, one ratio or time is measured again and may
be off by a factor of `TIMES`: so this finds what became several times as slow or quick, and nothing less.
"""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.decisions.choice_tables import policy_frame, source_frame
from benchmarks.decisions.folds import SIZES, table_of
from benchmarks.decisions.policies import act_on_draw
from benchmarks.dialects import answers
from benchmarks.size import WHOLE, measure
from benchmarks.stability import clinic_line, saved_line
from reproduction.harness import markdown
from reproduction.pages import OTHERS, Page, command_of
from reproduction.replicates import Columns, Spot
from reproduction.spot import DATA
from reproduction.stamps import ROOT, STALE, stale_words, stamp_of_rows

HERE = Path(__file__).parent
TIMES = 2.5
ROUGHLY = 1 - 1 / TIMES
PRINTED = 1e-5  # tables have six digits
GROWN = 0.05  # the package may have so many more or fewer lines than its page says
# Draws of the collections as they are planned: target, rows, sources, repeat.
DIALS = ("30 degrees", "45 degrees", "45 degrees, shifted", "90 degrees", "180 degrees")
TWIN = ("twin", 40, ("shifted twin", "noisy twin", "15 degrees", *DIALS), 0)
HOSPITALS = ("cleveland b", "hungarian a", "hungarian b", "switzerland", "va a", "va b")
HEART = ("cleveland a", 40, HOSPITALS, 0)
ONLY_TIME = "It has nothing but wall times, which other work on the machine changes."
OF_ONE_COMMIT = "Its faults are lines of one commit, which the page names."


def pages() -> list[Page]:
    """Return the pages of benchmarks; a page that is not there yet has no place among them."""
    found = [_page(name, spots) for name, spots in _spots().items()]
    found += [
        Page(f"{OTHERS}/{path.name}", "python -m benchmarks.faults", reason=OF_ONE_COMMIT)
        for path in sorted((ROOT / OTHERS).glob("faults*.md"))
    ]
    sections = _flat("sections").SECTIONS
    return found + [_section(each.name) for each in sections if _place(ROOT, each.name).exists()]


def _page(name: str, spots: tuple[Spot, ...], reason: str = "") -> Page:
    path = ROOT / OTHERS / f"{name}.md"
    command = command_of(path.read_text(encoding="utf-8"), f"python -m benchmarks.{name}")
    return Page(f"{OTHERS}/{name}.md", command, spots, reason)


def _spots() -> dict[str, tuple[Spot, ...]]:
    decisions, draw = "benchmarks.decisions", ("synthetic", DATA, TWIN)
    label = "synthetic, twin, 40 rows; repeat 0"
    return {
        "calibration": (
            Spot(f"calibration: {label}", f"{decisions}.calibrate:calibrate_draw", draw),
        ),
        "choices": (
            _of_choice("synthetic", TWIN),
            _of_choice("synthetic", (TWIN[0], 160, *TWIN[2:])),
            _of_choice("uci_heart", HEART),
        ),
        "decisions": (Spot(f"decisions: {label}", f"{decisions}.runs:run_draw", draw),),
        "dialects": (_direct("dialects: answers", "dialects_now", dialects_said),),
        "folds": (_direct("folds: targets of 60 rows", "folds_now", folds_said),),
        "models": (Spot("models: lda; seed 0", "benchmarks.zoos:one_setting", (("lda", 0),)),),
        "size": (_direct("size: within 5% of today", "size_now", size_said, GROWN),),
        "successor": (
            Spot("successor: lda; seed 0", "benchmarks.successor:one_setting", (("lda", 0),)),
        ),
        "stability": (_direct("stability: first lines", "stability_now", stability_said),),
    }


def _direct(
    label: str, name: str, said: Callable[[Path], Columns], equal: float = 0.0, *arguments: Any
) -> Spot:
    return Spot(label, f"{__name__}:{name}", arguments, said, equal)


# Draws of choices, beside their rows in both tables.


def _of_choice(spec: str, task: tuple[Any, ...]) -> Spot:
    said, label = (
        partial(choice_said, spec, task),
        f"choices: {spec}, {task[0]}, {task[1]} rows; repeat 0",
    )
    return _direct(label, "choice_now", said, PRINTED, spec, DATA, task)


def choice_now(spec: str, data: Path, task: Any) -> Columns:
    """Return what a draw of choices gives, as its tables print it."""
    record = act_on_draw(spec, data, task)
    policies = policy_frame([record]).rename(columns={"score": "policy"})
    return _columns_of(policies, source_frame([record]))


def choice_said(spec: str, task: Any, root: Path) -> Columns:
    """Return what the tables say of a draw."""
    frames = []
    for name in ("choices.csv", "choices-sources.csv"):
        frame = pd.read_csv(root / OTHERS / name)
        known = {"collection": spec, "target": task[0], "n_target": task[1], "repeat": task[3]}
        frames.append(frame[(frame[list(known)] == pd.Series(known)).all(axis=1)])
    return _columns_of(*frames)


def _columns_of(policies: pd.DataFrame, sources: pd.DataFrame) -> Columns:
    found = {}
    for title, frame in (("policy", policies), ("source", sources)):
        text = frame.drop(columns="seconds", errors="ignore").to_csv(
            index=False, float_format="%.6g"
        )
        again = pd.read_csv(io.StringIO(text))
        found |= {f"{title} {name}": again[name].tolist() for name in again}
    return found


# Pages whose lines come out again.


def dialects_now() -> Columns:
    """Return what datakin says of every file."""
    return {"answers": answers()}


def dialects_said(root: Path) -> Columns:
    """Return the column of datakin."""
    table = (root / OTHERS / "dialects.md").read_text(encoding="utf-8").split("|---|---|---|---|")
    return {"answers": [line.split(" | ")[2] for line in table[-1].splitlines() if " | " in line]}


def folds_now() -> Columns:
    """Return the lines of the smallest targets."""
    return {"lines": markdown(table_of(SIZES[:1])).splitlines()[2:]}


def folds_said(root: Path) -> Columns:
    """Return these lines of the page."""
    text = (root / OTHERS / "folds.md").read_text(encoding="utf-8")
    return {"lines": [line for line in text.splitlines() if line.startswith(f"| {SIZES[0]} |")]}


def size_now() -> Columns:
    """Return how large the package is."""
    whole = measure(ROOT)[0][WHOLE]
    return {"files": [whole.files], "lines": [whole.lines], "code": [whole.code]}


def size_said(root: Path) -> Columns:
    """Return how large it is by its page, where an older state may stand before today's."""
    text = (root / OTHERS / "size.md").read_text(encoding="utf-8")
    (row,) = (line for line in text.splitlines() if line.startswith(f"| {WHOLE} |"))
    cells = [int(cell.split("/")[-1].replace(",", "")) for cell in row.split("|")[2:5]]
    return {name: [n] for name, n in zip(("files", "lines", "code"), cells, strict=True)}


def stability_now() -> Columns:
    """Return the first clinic, and what the first saved model states."""
    return {"clinic": [clinic_line(0)[0]], "saved": [saved_line(0)[0]]}


def stability_said(root: Path) -> Columns:
    """Return both lines of the page."""
    text = (root / OTHERS / "stability.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| 0 |")]
    return {"clinic": lines[:1], "saved": lines[1:]}


# Sections of RESULTS.md: each is kept in a file of its own, which has the mark.


def _section(name: str) -> Page:
    spots = ()
    if name in SECTIONS:
        equal, _ = SECTIONS[name]
        said = partial(section_said, name)
        spots = (_direct(f"benchmarks: {name}", "section_now", said, equal, name),)
    command = f"python benchmarks/run.py --only {name}"
    reason = "" if spots else ONLY_TIME
    return Page(
        f"{OTHERS}/RESULTS.md#{name}", command, spots, reason, mark=partial(mark_section, name)
    )


def _place(root: Path, name: str) -> Path:
    return root / OTHERS / f"{name}.json"


def _flat(name: str) -> Any:
    """Return a module of this folder, whose modules import each other without its name."""
    if str(HERE) not in sys.path:
        sys.path.append(str(HERE))
    return import_module(name)


def mark_section(name: str, root: Path, command: str) -> None:
    """Write into the file of a section, and so into the page, that it is stale."""
    _say(name, root, "stale", stale_words(command).removeprefix(STALE).strip())


def stamp_sections(root: Path) -> list[str]:
    """Give sections without a stamp that of the commit that last changed their rows."""
    places = [_place(root, each.name) for each in _flat("sections").SECTIONS]
    new = [
        place for place in places if place.exists() and '"stamp": ' not in place.read_text("utf-8")
    ]
    for place in new:
        _say(place.stem, root, "stamp", stamp_of_rows(place))
    return [f"{OTHERS}/{place.name}" for place in new]


def _say(name: str, root: Path, key: str, words: str) -> None:
    place = _place(root, name)
    found = json.loads(place.read_text(encoding="utf-8"))
    found.setdefault(key, words)
    place.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    page = _flat("run").assemble(root / OTHERS)
    (root / OTHERS / "RESULTS.md").write_text(page, encoding="utf-8")


def section_said(name: str, root: Path) -> Columns:
    """Return what a section says of its spot."""
    tables = json.loads(_place(root, name).read_text(encoding="utf-8"))["tables"]
    rows = [dict(zip(each["columns"], row, strict=True)) for each in tables for row in each["rows"]]
    return SAID[name](rows)


def section_now(name: str) -> Columns:
    """Return the same, measured now."""
    return SECTIONS[name][1]()


def _ratio_now() -> Columns:
    ratios, timing, peer = map(_flat, ("ratios", "timing", "peer"))
    data = ratios.pair(200, 10)
    calls = {
        "peer": lambda: peer.plain_score(*data),
        "ours": lambda: ratios.OURS["default"].compare(*data),
    }
    timing.take_turns(calls, 1)  # first calls count for nobody
    times = timing.take_turns(calls, 2)
    return {"ratio": [timing.ratio(times["peer"], times["ours"], 0)]}


def _sampled(n: int, **options: Any) -> Columns:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = import_module("datakin").score(*_flat("workloads").pair(n, 50), **options)
    return {"score": [f"{found.score:.4f}"], "standard error": [f"{found.standard_error:.4f}"]}


def _gain_now() -> Columns:
    gains, data = _flat("gains"), _flat("workloads").pair(1000, 10, False)
    data = [import_module("datakin").as_dataset(*one) for one in data]
    found = gains.gain(data, "linear_svm", gains.models(False)["linear_svm"], 2)
    return {"gain": [float(found[-1])]}


def _exactness_now() -> Columns:
    """Return the first models whose difference is larger than the largest of the page."""
    known = section_said("exactness", ROOT)["largest"]
    largest = dict(known)
    found = islice(_flat("exactness").differences("regression", 0), 2)
    wrong = [name for name, fitter, gaps in found if gaps[1] > largest[f"{name}, {fitter}"]]
    return {"largest": known, "beyond the largest": wrong}


def _explained_now() -> Columns:
    tables, explain = _flat("explaining").tables, import_module("datakin").explain
    causes = _flat("explaining").CAUSES
    found = [
        explain(*tables(cause, "linear", 1000, 2), learner="linear").causes for cause in causes
    ]
    return {"named": [", ".join(each) or "nothing" for each in found]}


def _rival_now() -> Columns:
    rivals, timing = _flat("rivals"), _flat("timing")
    data = rivals.pair(1000, 10)
    calls = {name: partial(rivals.CALLS[name], *data) for name in ("CLS", "OTDD by POT")}
    timing.take_turns(calls, 1)
    times = timing.take_turns(calls, 2)
    return {"ratio": [timing.ratio(times["CLS"], times["OTDD by POT"], 0)]}


def _choice_time() -> Columns:
    choosing, timing, choose = (
        _flat("choosing"),
        _flat("timing"),
        import_module("datakin").choose,
    )
    target, sources = choosing.tables(160, 400, 8)
    choose(target, sources, repeats=1)
    return {"CPU s": [timing.clock(choose, target, sources, repeats=1)[0]]}


def _fits_now() -> Columns:
    matrix = import_module("datakin").matrix(_flat("wide").family(4, 60, 5))
    return {"fits a dataset": [matrix.n_fits / 4]}


def _fits_said(rows: list[dict[str, Any]]) -> Columns:
    row = _row(rows, models="default")
    return {"fits a dataset": [int(row["fits"].replace(",", "")) / int(row["datasets"])]}


def _ranking_now() -> Columns:
    target, sources = _flat("screen").make("linear", 0, 8)
    named = {f"s{k}": source for k, source in enumerate(sources)}
    seconds = _flat("timing").clock(import_module("datakin").rank, target, named)[0]
    return {"full ranking, CPU ms a source": [1000 * seconds / 8]}


def _digest_now() -> Columns:
    kill = _flat("kill")
    whole = import_module("datakin").matrix(kill.family(6, 500, 10)).to_json()
    return {"digest": [kill.digest(whole)]}


def _row(rows: list[dict[str, Any]], **known: str) -> dict[str, Any]:
    return next(row for row in rows if all(row.get(name) == value for name, value in known.items()))


def _largest(rows: list[dict[str, Any]]) -> Columns:
    found = [
        [
            f"{row['model']}, {row['fitted by']}",
            float(re.findall(r"\((.+)\)", row["ours against the library run to the end"])[0]),
        ]
        for row in rows
        if row["task"] == "regression" and "model" in row
    ]
    return {"largest": found, "beyond the largest": []}


# By section: how far the numbers may be apart, and what comes out now.
SECTIONS: dict[str, tuple[float, Callable[[], Columns]]] = {
    "ratios": (ROUGHLY, _ratio_now),
    "large": (0.0, partial(_sampled, 20_000)),
    "gains": (ROUGHLY, _gain_now),
    "exactness": (0.0, _exactness_now),
    "sampling": (0.0, partial(_sampled, 2500, max_rows=2000)),
    "wide": (0.0, _fits_now),
    "screen": (ROUGHLY, _ranking_now),
    "choosing": (ROUGHLY, _choice_time),
    "explaining": (0.0, _explained_now),
    "kill": (0.0, _digest_now),
    "rivals": (ROUGHLY, _rival_now),
}
SAID: dict[str, Callable[[list[dict[str, Any]]], Columns]] = {
    "ratios": lambda rows: {"ratio": [float(rows[0]["CPU ratio, default"])]},
    "large": lambda rows: {
        name: [_row(rows, workload="pair, n = 20000, p = 50")[name]]
        for name in ("score", "standard error")
    },
    "gains": lambda rows: {
        "gain": [
            float(
                _row(
                    rows,
                    task="regression",
                    model="linear_svm",
                    **{"rows x columns": "1000 x 10"},
                )["gain"]
            )
        ]
    },
    "exactness": _largest,
    "sampling": lambda rows: {
        name: [_row(rows, n="2,500", **{"estimate from": "samples"})[name]]
        for name in ("score", "standard error")
    },
    "wide": _fits_said,
    "screen": lambda rows: {
        "full ranking, CPU ms a source": [1000 * float(rows[0]["full, CPU s"]) / 50]
    },
    "choosing": lambda rows: {"CPU s": [float(rows[0]["CPU s"])]},
    "explaining": lambda rows: {"named": [row["named"] for row in rows[:3]]},
    "kill": lambda rows: {"digest": [rows[0]["digest of the result's JSON"]]},
    "rivals": lambda rows: {
        "ratio": [float(_row(rows, n="1,000")["CLS"]) / float(_row(rows, n="1,000")["OTDD by POT"])]
    },
}
