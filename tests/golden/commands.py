"""Recorded commands: what the command line prints for small files, and how it ends.

A command runs in this process, in a folder that holds the files of `folder`. What it writes there is gone
with the next one, except for a model that others are asked about.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from datakin import DatakinWarning
from tests.golden.data import draw, planted_frames, table
from tests.golden.words import laid_out, rounded, without

FAST = "--label y --models logistic"
LINES = "--label y --learners linear --repeats 1"


def files() -> dict[str, pd.DataFrame | str]:
    """Return the tables by name of file, and texts."""
    numbers = planted_frames("units", "regression", 60)
    sites = pd.concat([draw(50, k).assign(site=site) for k, site in enumerate(("a", "b", "c"))])
    made = {
        "mine": draw(70, 1),
        "near": draw(90, 2),
        "far": draw(80, 3, flip=-1),
        "units": planted_frames("units", n=70)[1],
        "codes": planted_frames("codes", n=70)[1],
        "fresh": draw(60, 9),
        "new": draw(12, 8).drop(columns="y").assign(id=np.arange(12) + 100),
        "odd": draw(12, 8).assign(c="purple", y="perhaps"),
        "numbers": numbers[0],
        "others": numbers[1],
        "sites": sites,
        "clinic": table(60, 1),
        "ward": table(70, 2, 0.5),
        "tiny": draw(9, 4),
        "single": draw(60, 4).assign(y="yes"),
        "strange": draw(60, 4).rename(columns={"a": "p", "b": "q", "c": "r"}),
        "yesno": draw(60, 4).assign(y=lambda d: d.y.map({"yes": 1, "no": 0})),
        "infinite": draw(60, 4).assign(a=np.inf),
        "three": draw(90, 4, "several"),
    }
    texts = {
        "empty.csv": "",
        "semicolons.csv": draw(60, 5).to_csv(index=False, sep=";"),
        "bad.toml": "label = [",
        "wrong.toml": 'lable = "y"\n',
        "study.toml": 'label = "y"\ntarget = "mine.csv"\nsources = ["near.csv", "far.csv"]\n'
        'models = ["logistic"]\n[choose]\nlearners = ["linear"]\nrepeats = 1\n',
        "no.datakin": "no model",
    }
    return {**{f"{name}.csv": frame for name, frame in made.items()}, **texts}


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with all files, models of choices, damaged ones, and a report."""
    place = tempfile.TemporaryDirectory(prefix="datakin-golden-")
    for name, content in files().items():
        text = content if isinstance(content, str) else content.to_csv(index=False)
        Path(place.name, name).write_text(text)
    here = Path(place.name)
    for words in (
        f"choose mine.csv near.csv far.csv {LINES} --model kin.datakin -q",
        f"choose numbers.csv others.csv {LINES} --model numbers.datakin -q",
        f"score mine.csv near.csv {FAST} -q --report there.html",
    ):
        assert run(words, here) == (0, "", ""), words
    model = (here / "kin.datakin").read_bytes()
    (here / "cut.datakin").write_bytes(model[: len(model) // 2])
    return place


def run(words: str, here: Path) -> tuple[int, str, str]:
    """Run a command in a folder; return exit code, standard output and standard error."""
    from datakin.cli import main

    out, err = io.StringIO(), io.StringIO()
    settings = {"COLUMNS": "80", "LINES": "24", "TERM": "dumb", "NO_COLOR": "1"}
    before = os.getcwd()
    os.chdir(here)
    try:
        with (
            mock.patch.dict(os.environ, settings),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", DatakinWarning)
            try:
                main(shlex.split(words))
                code: Any = 0
            except SystemExit as stop:
                code = stop.code
    finally:
        os.chdir(before)
    return int(code or 0), out.getvalue(), err.getvalue()


def out_of(text: str) -> str:
    """Return what was printed; JSON line by line, without versions."""
    return laid_out(without(json.loads(text))) if text.startswith("{") else text


def typed(words: str, *shown: str) -> Callable[[], str]:
    """Return the call of a command; `shown` are files that it writes, whose content is recorded."""

    def call() -> str:
        with tempfile.TemporaryDirectory(prefix="datakin-golden-") as place:
            here = Path(place, "here")
            shutil.copytree(folder().name, here)
            code, out, err = run(words, here)
            written = {name: Path(here, name).read_text() for name in shown}
            parts = {"out": out_of(out), "err": err, **written}
            text = "\n\n".join(
                f"== {name}\n{part.rstrip()}" for name, part in parts.items() if part
            )
            return rounded(f"$ datakin {words}\n== code\n{code}\n\n{text}".replace(place, "PLACE"))

    return call


COMMANDS: dict[str, str] = {
    "check": "check mine.csv near.csv far.csv --label y",
    "check_one": "check clinic.csv",
    "check_units": "check mine.csv units.csv --label y",
    "check_codes": "check mine.csv codes.csv yesno.csv --label y",
    "check_unusable": "check mine.csv tiny.csv single.csv strange.csv --label y",
    "check_domain": "check sites.csv --domain site --label y",
    "check_details": "check clinic.csv ward.csv --label y --details",
    "check_json": "check mine.csv units.csv --label y --json",
    "choose": "choose mine.csv near.csv far.csv --label y --repeats 2",
    "choose_details": f"choose mine.csv near.csv far.csv {LINES} --details",
    "choose_explain": f"choose mine.csv near.csv far.csv units.csv {LINES} --explain",
    "choose_model": f"choose mine.csv near.csv {LINES} --model new.datakin --test fresh.csv",
    "choose_test_known": f"choose mine.csv near.csv {LINES} --test mine.csv",
    "choose_add_to": f"choose mine.csv units.csv {LINES} --add-to kin.datakin",
    "choose_domain": f"choose sites.csv --domain site --target b {LINES}",
    "choose_numbers": f"choose numbers.csv others.csv {LINES}",
    "choose_three": f"choose three.csv mine.csv {LINES}",
    "choose_unusable": f"choose mine.csv near.csv tiny.csv strange.csv {LINES}",
    "choose_json": f"choose mine.csv near.csv {LINES} --json",
    "choose_fail_on": f"choose mine.csv near.csv far.csv {LINES} --fail-on hurts",
    "choose_study": "choose --config study.toml",
    "rank": f"rank mine.csv near.csv far.csv {FAST}",
    "rank_details": f"rank mine.csv near.csv far.csv {FAST} --details",
    "rank_screen": f"rank mine.csv near.csv far.csv units.csv {FAST} --screen",
    "rank_json": f"rank mine.csv near.csv {FAST} --json -q",
    "score": f"score mine.csv near.csv {FAST}",
    "score_details": f"score mine.csv far.csv {FAST} --details",
    "score_numbers": "score numbers.csv others.csv --label y --models linear",
    "score_paper": f"score mine.csv far.csv {FAST} --zones paper --size paper",
    "matrix": f"matrix mine.csv near.csv far.csv {FAST}",
    "explain": "explain mine.csv far.csv --label y",
    "explain_units": "explain mine.csv units.csv --label y --learner linear",
    "explain_codes": "explain mine.csv codes.csv --label y --learner linear --details",
    "explain_nothing": "explain mine.csv near.csv --label y --learner linear",
    "explain_numbers": "explain numbers.csv others.csv --label y --learner linear",
    "explain_domain": "explain sites.csv --domain site --target a --source b --label y --learner linear",
    "explain_json": "explain mine.csv far.csv --label y --learner linear --json",
    "gain": "gain mine.csv near.csv --label y --methods concatenate --repeats 2",
    "gain_several": "gain mine.csv near.csv far.csv --label y --methods concatenate,kin_weighted --repeats 2",
    "gain_numbers": "gain numbers.csv others.csv --label y --methods concatenate,tradaboost_r2 --repeats 2 "
    "--details",
    "predict": "predict kin.datakin new.csv",
    "predict_keep": "predict kin.datakin new.csv --keep id",
    "predict_labelled": "predict kin.datakin fresh.csv",
    "predict_known": "predict kin.datakin mine.csv",
    "predict_odd": "predict kin.datakin odd.csv",
    "predict_numbers": "predict numbers.datakin others.csv",
    "predict_json": "predict kin.datakin new.csv --keep all --json",
    "predict_card": "predict kin.datakin --card",
    "predict_card_json": "predict numbers.datakin --card --json",
    "distance": "distance energy mine.csv near.csv --label y",
    "distance_rank": "distance otdd mine.csv near.csv far.csv --label y --details",
    "distance_matrix": "distance js mine.csv near.csv far.csv --label y --matrix",
    "demo": "demo --seed 3",
}  # fmt: skip
WRITTEN: dict[str, tuple[str, tuple[str, ...]]] = {
    "check_fixes": ("check mine.csv units.csv --label y --out described.csv", ("described.csv",)),
    "choose_files": (
        f"choose mine.csv near.csv far.csv {LINES} --out c.csv --report c.html",
        ("c.csv",),
    ),
    "rank_files": (f"rank mine.csv near.csv {FAST} --out r.md --plot r.svg", ("r.md",)),
    "score_files": (f"score mine.csv near.csv {FAST} --out s.csv", ("s.csv",)),
    "matrix_files": (f"matrix mine.csv near.csv far.csv {FAST} --out m.csv", ("m.csv",)),
    "explain_files": (
        "explain mine.csv units.csv --label y --learner linear --out e.csv",
        ("e.csv",),
    ),
    "predict_files": ("predict kin.datakin new.csv --keep id --out p.csv", ("p.csv",)),
}
HELP = (
    *("check", "choose", "predict", "demo", "score", "rank", "matrix", "explain", "gain"),
    *("distance", "distance energy", "distance otdd", "distance mmd"),
)
TYPED: dict[str, Callable[[], str]] = {
    **{f"typed_{name}": typed(words) for name, words in COMMANDS.items()},
    **{f"typed_{name}": typed(words, *shown) for name, (words, shown) in WRITTEN.items()},
    "help": typed("--help"),
    **{
        f"help_{words.replace(' ', '_')}": typed(
            f"{words} {'--help' if words == 'distance' else '--help-all'}"
        )
        for words in HELP
    },
}
