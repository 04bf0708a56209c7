"""One small call of each capability: what it runs, line by line, and what it gives.

    python fault_calls.py rank --package /tmp/copy/src/datakin     prints {"lines": ..., "gave": ...}

It uses public names alone, so that it works however the code is laid out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import datakin

FUNCTION = 0x1  # of the flags of a code: a function's, not a class's or a module's


def table(n: int, seed: int, turn: float, *, is_class: bool = True) -> pd.DataFrame:
    """Numbers with gaps, text, a date and a label, whose rule turns by an angle."""
    rng = np.random.default_rng([seed, n])
    X = np.round(rng.standard_normal((n, 3)), 3)
    along = np.cos(turn) * X[:, 0] + np.sin(turn) * X[:, 1] + 0.5 * rng.standard_normal(n)
    X[rng.random(n) < 0.05, 1] = np.nan
    frame = pd.DataFrame(X, columns=["age", "dose", "rate"])
    frame["colour"] = np.where(rng.random(n) < 0.3 + 0.4 * (along > 0), "red", "blue")
    frame["seen"] = pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    return frame.assign(y=np.where(along > 0, "ill", "well") if is_class else np.round(along, 3))


def data(is_class: bool = True) -> list[datakin.Dataset]:
    """A target, a kin source, a half and a stranger."""
    tables = [(60, 1, 0.0), (90, 2, 0.2), (80, 3, 1.0), (80, 4, 2.8)]
    return [
        datakin.read_table(table(n, seed, turn, is_class=is_class), label="y", name=f"d{seed}")
        for n, seed, turn in tables
    ]


def files() -> Path:
    """Tables as files of several kinds."""
    folder = Path(tempfile.mkdtemp())
    table(70, 1, 0.0).to_csv(folder / "a.csv", index=False)
    other = table(80, 2, 0.2).rename(columns={"age": "years"})
    other["colour"] = other["colour"].replace("red", "rd")
    other["dose"] = (other["dose"] * 1000).map("{:.1f}".format).replace("nan", "unknown")
    other["seen"] = other["seen"].dt.strftime("%d/%m/%Y")
    other["id"] = [f"p{k // 2}" for k in range(80)]
    other.to_csv(folder / "b.csv", index=False, sep=";", encoding="cp1252")
    table(60, 3, 1.0).to_excel(folder / "c.xlsx", index=False)
    table(60, 4, 2.8).to_parquet(folder / "d.parquet")
    os.chdir(folder)  # what is said of files names them without a folder that is another every time
    return folder


def door(_: Path) -> list[Any]:
    paths = [Path(name) for name in ("a.csv", "b.csv", "c.xlsx", "d.parquet")]
    options: dict[str, Any] = {
        "label": "y",
        "rename": {"years": "age"},
        "recode": {"b": {"colour": {"rd": "red"}}},
        "convert": {"b": {"dose": (0.001, 0)}},
        "read_rows": 65,
    }
    read = datakin.read_tables(paths, positive="ill", **options)
    grouped = datakin.read_table(paths[1], label="y", group="id")
    matched = datakin.match_classes(read["b"], read["a"])
    found = [*read.values(), grouped, matched]
    told = [[repr(each), *each.notes, each.fingerprint] for each in found]
    return [*told, datakin.describe(paths, label="y"), datakin.describe(paths[0])]


def score(given: Any) -> list[Any]:
    binary, measured = given
    return [
        datakin.score(binary[0], binary[2]),
        datakin.score(measured[0], measured[1], size="limit"),
        datakin.score(binary[0], binary[1], models=["logistic"], zones="paper"),
    ]


def rank(given: Any) -> list[Any]:
    binary, measured = given
    square = datakin.matrix(binary[:3], models=["logistic"])
    return [
        datakin.rank(binary[0], binary[1:]),
        datakin.rank(measured[0], measured[1:], models=["linear"]),
        square,
        square.clusters(),
    ]


def choose(given: Any) -> list[Any]:
    binary, measured = given
    quick: dict[str, Any] = {"repeats": 1, "max_rows": 70}
    return [
        datakin.choose(binary[0], binary[1:], **quick),
        datakin.choose(measured[0], measured[1:], learners=["linear", "trees"], **quick),
    ]


def saved() -> tuple[Path, pd.DataFrame]:
    """A saved model and later rows."""
    target, *sources = data()
    path = Path(tempfile.mkdtemp(), "kin.datakin")
    datakin.choose(target, sources, repeats=1).save(path)
    return path, table(50, 9, 0.1)


def predict(given: Any) -> list[Any]:
    path, rows = given
    model = datakin.load_model(path)
    later = rows.drop(columns="y")
    return [
        model.predict(later).tolist(),
        model.predict_proba(later).tolist(),
        model.score(later, rows["y"]),
        model.card,
    ]


def explain(given: Any) -> list[Any]:
    binary, measured = given
    rates = table(80, 5, 0.1).assign(rate=lambda frame: 3 * frame["rate"] + 1)
    shifted = datakin.read_table(rates, label="y", name="d5")
    return [
        datakin.explain(binary[0], binary[3]),
        datakin.explain(binary[0], shifted, learner="linear"),
        datakin.explain(measured[0], measured[2]),
    ]


def results() -> list[Any]:
    """A result of each kind that reports show."""
    target, *sources = data()
    quick: dict[str, Any] = {"models": ["logistic"]}
    chosen = datakin.choose(target, sources, repeats=1, learners=["linear"])
    return [
        datakin.score(target, sources[0], **quick),
        datakin.rank(target, sources, **quick),
        datakin.matrix([target, *sources], **quick),
        datakin.explain_sources(chosen, target, sources),
        datakin.explain(target, sources[2], learner="linear"),
        datakin.describe(table(60, 1, 0.0), label="y"),
    ]


def report(given: Any) -> list[Any]:
    folder = Path(tempfile.mkdtemp())
    paths = [datakin.write_report(each, folder / f"{k}.html") for k, each in enumerate(given)]
    return [path.read_text(encoding="utf-8") for path in paths]


def both() -> Any:
    return data(), data(is_class=False)


# What comes first is not looked at, what follows is.
CALLS: dict[str, tuple[Callable[[], Any], Callable[[Any], list[Any]]]] = {
    "door": (files, door),
    "predict": (saved, predict),
    "choose": (both, choose),
    "score": (both, score),
    "rank": (both, rank),
    "explain": (both, explain),
    "report": (results, report),
}


def told(result: Any) -> str:
    """Return all that a result says."""
    return str(result) + (result.to_json() if hasattr(result, "to_json") else "")


def run(name: str, package: str) -> dict[str, Any]:
    """Make a call; return the lines of the package's functions that it runs, and what it gives."""
    lines: dict[str, set[int]] = {}

    def at_line(frame: Any, event: str, _: Any) -> Any:
        if event == "line":
            lines[frame.f_code.co_filename].add(frame.f_lineno)
        return at_line

    def at_call(frame: Any, *_: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(package) or not code.co_flags & FUNCTION:
            return None
        lines.setdefault(code.co_filename, set())
        return at_line

    before, act = CALLS[name]
    given = before()
    sys.settrace(at_call)
    threading.settrace(at_call)
    try:
        gave = [told(result) for result in act(given)]
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    return {
        "lines": {str(Path(f).relative_to(package)): sorted(x) for f, x in sorted(lines.items())},
        "gave": hashlib.sha256("\n".join(gave).encode()).hexdigest(),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=CALLS)
    parser.add_argument("--package", required=True)
    typed = parser.parse_args()
    warnings.simplefilter("ignore")
    found = run(typed.name, typed.package)
    assert found["lines"], "datakin is that of another folder"
    print(json.dumps(found))
