"""The learners of `choose` as models of the score: ``python -m benchmarks.successor``.

Is the score better measured with them than with the default's models? How far is it from the oracle in the
ten settings of the paper (Diff)? How well does it order sources by what they really bring to a small target
(the collections of ``benchmarks.decisions``)? Finished work is kept, and the same command goes on from there.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import datakin
from benchmarks.decisions.collection import load_collection
from benchmarks.decisions.collections import HELD_OUT, OPEN
from benchmarks.decisions.draws import SIZES, draw, plan
from benchmarks.zoos import (
    N_SOURCES,
    N_TARGETS,
    PLANS,
    RESULTS,
    SCORES,
    decision_tables,
    diff_table,
    realised,
)
from datakin import CrossErrors, DatakinWarning
from datakin.synthetic import settings
from reproduction.harness import Cache, default_data, key_of, made_by, markdown, run_missing
from reproduction.scores import draw_levels

VERSION = 1  # of what is kept; a new one starts a new cache
DEFAULT, LEARNERS = "default", "learners"
SETS = {DEFAULT: None, LEARNERS: "learners"}  # as the option models
BOTH = {"old": DEFAULT, "new": LEARNERS, "zoos": tuple(SETS)}
MOST_LEVELS = 4
SCORE_SIZES = ("paper", "matched", "limit")


def measured(target: Any, sources: list[Any], seed: int = 0) -> dict[str, CrossErrors]:
    """Fit both sets of models; return a table for each."""
    options = {"pairs": target.name, "random_state": seed}
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: CrossErrors.measure([target, *sources], models=models, **options)
            for name, models in SETS.items()
        }


def one_setting(task: tuple[str, int]) -> list[dict[str, Any]]:
    """Return the scores of both sets for one target and sources at several levels."""
    setting, seed = task
    step = max(1, (len(settings()[setting].levels) - 1) // (MOST_LEVELS - 1))
    drawn = draw_levels(setting, seed, step)
    target = drawn[0][2].target
    sources = [sample.source.renamed(f"source {i}") for i, (_, _, sample) in enumerate(drawn)]
    rows = []
    for name, errors in measured(target, sources, seed).items():
        for (level, made, _), source in zip(drawn, sources, strict=True):
            found = errors.score(target.name, source.name, zones="paper").sizes
            rows += [
                {"setting": setting, "seed": seed, "level": level, "zoo": name, "size": size,
                 "value": found[size].value, "oracle": made.oracle()}
                for size in SCORE_SIZES
            ]  # fmt: skip
    return rows


def one_draw(task: tuple[str, Path, Any]) -> list[dict[str, Any]]:
    """Return the scores of both sets for the sources of one target, and what each really brings."""
    spec, data, (target, n_target, sources, repeat) = task
    collection = load_collection(spec, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        made = draw(collection, target, n_target, sources, repeat)
        alone, errors = realised(made, collection.task)
        known = {"collection": collection.name, "target": target, "n_target": n_target,
                 "repeat": repeat, **{f"alone:{name}": e for name, e in alone.items()}}  # fmt: skip
        rows = []
        for name, table in measured(made.target, list(made.sources.values())).items():
            for source in made.sources:
                c = table.score(target, source, zones="paper")
                rows.append(
                    {**known, "source": source, "zoo": name, **errors[source],
                     "cls": c.sizes["matched"].value, "cls_limit": c.sizes["limit"].value,
                     "directional": c.source_to_target}
                )  # fmt: skip
    return rows


def pair_times(rounds: int = 5) -> pd.DataFrame:
    """Return CPU milliseconds of a pair without trials, with both sets in turn."""
    rows = []
    for n, p in PLANS:
        rng = np.random.default_rng(0)
        pairs = []
        for _ in range(2):
            X = rng.standard_normal((n, p))
            value = X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * rng.standard_normal(n)
            pairs.append((X, (value > 0).astype(int)))
        spent: dict[str, list[float]] = {name: [] for name in SETS}
        with threadpool_limits(limits=1):
            for _ in range(1 if n > 2000 else rounds):
                for name, models in SETS.items():
                    began = time.process_time()
                    datakin.score(*pairs, models=models, zones="paper")
                    spent[name].append(time.process_time() - began)
        rows.append({"rows": n, "columns": p} | {k: 1000 * min(v) for k, v in spent.items()})
    return pd.DataFrame(rows)


def findings(found: dict[str, pd.DataFrame]) -> str:
    """Return in short what the tables show."""
    lines = []
    for title, table in found.items():
        mean = table.iloc[-1]
        if "Diff" in title:
            lines.append(
                f"- {title}: on average {mean[LEARNERS]:.2f} times that of the default's models."
            )
            continue
        low, high = (mean["new - old"] + side * mean["se"] for side in (-2, 2))
        lines.append(
            f"- {title}: {mean[DEFAULT]:.3f} with the default's models, {mean[LEARNERS]:.3f} with the "
            f"learners: {mean['new - old']:+.3f}, 95% interval {low:+.3f} to {high:+.3f}."
        )
    for name in SETS:
        limit, paper = (found[f"Diff of the {size} score"][:-1] for size in ("limit", "paper"))
        is_half = (limit[name] <= paper[name] / 2).to_numpy()
        lines.append(
            f"- {name}: Diff of the limit at most half of that of the paper's size in {is_half.sum()} of "
            f"{len(is_half)} settings; not in {', '.join(limit['setting'][~is_half])}."
        )
    return "\n".join(lines)


def page(diffs: pd.DataFrame, decisions: pd.DataFrame, command: str) -> str:
    found = {
        f"Diff of the {size} score": diff_table(diffs, size, DEFAULT, LEARNERS, tuple(SETS))
        for size in SCORE_SIZES
    }
    about = dict.fromkeys(
        found, "Mean over levels of |mean score - oracle|; lower is better. `se`: bootstrap."
    )
    for score in SCORES:
        for measure, words in (("tau", "higher"), ("regret", "lower")):
            title = f"{measure} of `{score}`"
            found[title] = decision_tables(decisions, score, measure, **BOTH)
            about[title] = (
                f"Against the gain of concatenation, mean of two learners; {words} is better. `se`: over "
                f"targets, of which collections have two to five."
            )
    parts = [
        "# successor",
        "Is the score better measured with the learners of choose?",
        "`default`: logistic regression (for numbers least squares), the radial support vector machine and "
        "boosted trees sized for the data, folds by the order of rows. `learners`: penalised linear models, "
        "boosted trees and kernel ridge regression, folds by what rows hold.",
        findings(found),
    ]
    for title, table in found.items():
        parts += [f"## {title[0].upper()}{title[1:]}", about[title], markdown(table)]
    parts += [
        "## Time",
        'CPU milliseconds for a pair, trials left out (`zones="paper"`); least of several runs.',
        markdown(pair_times()),
        made_by(command, "Seeds from 0 on; those of draws follow from names"),
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.successor", description=__doc__)
    parser.add_argument("--replicates", type=int, default=40, help="of every setting")
    parser.add_argument("--repeats", type=int, default=1, help="of every target and size")
    parser.add_argument("--n-jobs", type=int, default=1, help="processes; changes no number")
    parser.add_argument("--data", type=Path, default=None, help="folder with the datasets")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where results and cache go")
    wanted = parser.parse_args(arguments)
    data = wanted.data or default_data()
    kept = Cache(wanted.folder / "cache" / "successor.jsonl")
    todo = [(name, seed) for seed in range(wanted.replicates) for name in settings()]
    tasks: list[Any] = [(kept, key_of(VERSION, *task), task) for task in todo]
    found = run_missing("settings", tasks, one_setting, n_jobs=wanted.n_jobs, unit="replicates")
    diffs = pd.DataFrame([row for rows in found for row in rows])
    tasks = []
    for spec in (*OPEN, *HELD_OUT):
        collection = load_collection(spec, data)
        for repeat in range(wanted.repeats):
            for target, n, sources in plan(collection, SIZES, N_TARGETS, N_SOURCES):
                task = (target, n, sources, repeat)
                key = key_of(VERSION, spec, collection.fingerprint, task)
                tasks.append((kept, key, (spec, data, task)))
    found = run_missing("collections", tasks, one_draw, n_jobs=wanted.n_jobs, unit="draws")
    decisions = pd.DataFrame([row for rows in found for row in rows])
    command = f"python -m benchmarks.successor --replicates {wanted.replicates} --repeats {wanted.repeats}"
    text = page(diffs, decisions, command)
    (wanted.folder / "successor.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
