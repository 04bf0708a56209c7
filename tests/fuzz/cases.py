"""The kinds of cases: each draws an input, lets datakin work on it, and looks at what came."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import datakin
from tests.fuzz.columns import Rng
from tests.fuzz.damage import BINARIES, TEXTS, damaged, damaged_json
from tests.fuzz.doors import draw_portable, each_door
from tests.fuzz.tables import LABEL, draw_arrays, draw_frame, draw_options, in_library
from tests.fuzz.texts import write_text

QUICK: dict[str, Any] = {"cv": 3, "estimate": "unweighted"}


@dataclass(frozen=True)
class Place:
    """Where a case works: an empty folder for its input, and the sound files."""

    folder: Path
    sound: Path


@dataclass(frozen=True)
class Kind:
    """One kind of case, and how often it is drawn."""

    run: Callable[[Rng, Place], None]
    weight: float


class Foreign(Exception):
    """An outcome that is neither a result nor a sentence."""


KINDS: dict[str, Kind] = {}


def kind(name: str, weight: float) -> Callable[[Any], Any]:
    def register(run: Callable[[Rng, Place], None]) -> Callable[[Rng, Place], None]:
        KINDS[name] = Kind(run, weight)
        return run

    return register


def look_at(data: datakin.Dataset) -> None:
    """Refuse a dataset that breaks its own promises."""
    numeric = data.features.numeric
    if np.isinf(numeric.data if data.features.is_sparse else numeric).any():
        raise Foreign("a dataset holds infinite numbers")
    if not len(data.columns) or data.n_rows < 20 or not len(data.fingerprint) == 16:
        raise Foreign(f"a dataset without columns or rows: {data!r}")
    if not np.isfinite(np.asarray(data.y, dtype=float)).all():
        raise Foreign("labels that are not finite")


def look_at_score(score: float) -> None:
    if not math.isfinite(score):
        raise Foreign(f"the score is {score}")


@kind("table", 24)
def read_object(rng: Rng, place: Place) -> None:
    frame = draw_frame(rng)
    options = draw_options(rng, frame)
    look_at(datakin.read_table(in_library(rng, frame), **options))


@kind("tables", 6)
def read_objects(rng: Rng, place: Place) -> None:
    frame = draw_frame(rng, oddity=0.2)
    options = draw_options(rng, frame)
    options.pop("name", None)
    if rng.random() < 0.5:
        domain = str(rng.choice(np.array([str(name) for name in frame.columns], dtype=object)))
        found = datakin.read_tables(in_library(rng, frame), domain=domain, **options)
    else:
        both = {"here": in_library(rng, frame), "there": draw_frame(rng, oddity=0.2)}
        skip = bool(rng.random() < 0.5)
        found = datakin.read_tables(both, skip_unusable=skip, **options)
    for data in found.values():
        look_at(data)


@kind("arrays", 10)
def read_arrays(rng: Rng, place: Place) -> None:
    X, y = draw_arrays(rng)
    group = list(y) if rng.random() < 0.1 else None
    look_at(datakin.as_dataset(X, y, group=group))


@kind("text file", 20)
def read_text(rng: Rng, place: Place) -> None:
    path = write_text(rng, place.folder)
    options: dict[str, Any] = {"label": LABEL}
    if rng.random() < 0.15:
        options |= [
            {"header": False, "label": "x1"},
            {"delimiter": str(rng.choice([",", ";", "\t", "||", "", "\n"]))},
            {"encoding": str(rng.choice(["utf-8", "cp1252", "utf-16", "nothing", "base64"]))},
            {"table": "a.csv"},
            {"read_rows": 25},
            {"query": "SELECT 1"},
        ][int(rng.integers(6))]
    look_at(datakin.read_table(path, **options))


@kind("damaged text", 6)
def read_damaged_text(rng: Rng, place: Place) -> None:
    _read_damaged(rng, place, TEXTS)


@kind("damaged file", 14)
def read_damaged_file(rng: Rng, place: Place) -> None:
    _read_damaged(rng, place, BINARIES)


def _read_damaged(rng: Rng, place: Place, suffixes: list[str]) -> None:
    name = f"t.{suffixes[int(rng.integers(len(suffixes)))]}"
    path = place.folder / name
    path.write_bytes(damaged(rng, (place.sound / name).read_bytes()))
    if rng.random() < 0.03:  # under the name of another format
        path = path.rename(place.folder / f"t.{rng.choice(TEXTS + BINARIES)}")
    look_at(datakin.read_table(path, label=LABEL))


@kind("damaged result", 12)
def read_result(rng: Rng, place: Place) -> None:
    names = ["score", "rank", "matrix", "gain", "distance"]
    text = (place.sound / f"{names[int(rng.integers(5))]}.json").read_text()
    hurt = damaged_json(rng, text)
    (place.folder / "result.json").write_text(hurt, errors="surrogatepass")
    result = datakin.from_json(hurt)
    str(result), repr(result), result.frame, result.to_json()
    if rng.random() < 0.03:
        datakin.write_report(result, place.folder / "r.html")


@kind("damaged folder", 4)
def load_folder(rng: Rng, place: Place) -> None:
    folder = place.folder / "saved"
    shutil.copytree(place.sound / "saved", folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = files[int(rng.integers(len(files)))]
    if rng.random() < 0.1:
        path.unlink()
    else:
        path.write_bytes(damaged(rng, path.read_bytes()))
    errors = datakin.CrossErrors.load(folder)
    str(errors.matrix()), errors.frame if rng.random() < 0.5 else None


def _models(data: datakin.Dataset) -> list[str]:
    return ["logistic"] if data.classes else ["linear"]


@kind("score", 2)
def score(rng: Rng, place: Place) -> None:
    n = int(rng.choice([30, 60, 100]))
    oddity = float(rng.choice([0.0, 0.3]))
    frame = draw_frame(rng, oddity, n)
    if rng.random() < 0.7:  # the same columns, drawn again from another place of the stream
        again = np.random.default_rng(int(rng.integers(2**32)))
        other = frame.iloc[again.permutation(n)].reset_index(drop=True)
        for name in other.columns[:-1] if other.columns.is_unique else ():
            if other[name].dtype.kind == "f":
                with np.errstate(over="ignore"):
                    other[name] = other[name].to_numpy() * again.choice([1.0, 1.0, 1.8, 1e3])
    else:
        other = draw_frame(rng, oddity, n)
    ours = datakin.read_table(frame, label=LABEL, name="ours")
    theirs = datakin.read_table(other, label=LABEL, name="theirs")
    look_at_score(datakin.score(ours, theirs, models=_models(ours), **QUICK).score)


@kind("describe", 2)
def describe(rng: Rng, place: Place) -> None:
    frame = draw_frame(rng)
    tables = {"ours": in_library(rng, frame)}
    if rng.random() < 0.5:
        tables["theirs"] = in_library(rng, draw_frame(rng))
    options = draw_options(rng, frame)
    options.pop("name", None)
    found = datakin.describe(tables, **options)
    str(found), found.to_json()


@kind("doors", 2)
def doors(rng: Rng, place: Place) -> None:
    """The same table, through each door, is the same dataset, or is refused by all."""
    frame = draw_portable(rng)
    group = str(frame.columns[0]) if rng.random() < 0.3 and frame.shape[1] > 2 else None
    found: dict[str, str] = {}
    for name, table in each_door(frame, place.folder):
        try:
            found[name] = datakin.read_table(table, label=LABEL, group=group).fingerprint
        except datakin.DatakinError as error:
            found[name] = "refused"
            said = str(error)
    odd = {name: value for name, value in found.items() if value != found["pandas"]}
    if odd:
        raise Foreign(f"doors differ: {found['pandas']} through pandas, {odd}")
    if found["pandas"] == "refused":
        raise datakin.DatakinError(said)


@kind("command line", 2)
def command_line(rng: Rng, place: Place) -> None:
    from datakin.cli import main

    paths = [str(write_text(rng, place.folder, stem)) for stem in ("ours", "theirs")]
    if rng.random() < 0.6:
        for i, path in enumerate(paths):
            draw_frame(rng, 0.15, n=60).to_csv(path, index=False)
            if not path.endswith(".csv"):
                paths[i] = f"{path}.csv"
                os.replace(path, paths[i])
    model = ["--models", str(rng.choice(["logistic", "linear"])), "--cv", "3", "--json"]
    command = [
        ["score", *paths, *model],
        ["rank", *paths, *model, "--skip-unusable"],
        ["check", *paths, "--json"],
        ["check", paths[0]],
        ["distance", "energy", *paths, "--json"],
    ][int(rng.choice(5, p=[0.3, 0.1, 0.25, 0.25, 0.1]))]
    code, out, err = called(main, [*command, "--label", LABEL])
    if code not in (0, 1) or "Traceback" in err:
        raise Foreign(f"exit code {code}: {err[-300:]}")
    if code == 0 and "--json" in command and command[0] == "score":
        look_at_score(json.loads(out)["score"])
    if code == 1:
        raise datakin.DatakinError(err or "the table cannot be used, as the output says")


def called(main: Callable[[list[str]], None], arguments: list[str]) -> tuple[Any, str, str]:
    """Run a command in this process; return its exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as stop:
            code = stop.code or 0
    return code, out.getvalue(), err.getvalue()


def kind_of(seed: int, case: int) -> tuple[str, Rng]:
    """Return the kind of a case and its stream of random numbers: nothing else decides its input."""
    rng = np.random.default_rng([seed, case])
    weights = np.array([each.weight for each in KINDS.values()])
    chosen = int(rng.choice(len(KINDS), p=weights / weights.sum()))
    return list(KINDS)[chosen], rng
