"""Does an explanation name the cause that was planted, and nothing where nothing was?

``python -m reproduction.planted_causes --quick units classes linear 300 20`` counts a few draws with seeds
of its own, for whoever changes the method; "all" stands for every cause, task or truth.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter

import pandas as pd
from threadpoolctl import threadpool_limits

from datakin import DatakinWarning, Dataset, Explanation, explain, read_table
from reproduction.harness import Row
from reproduction.planted import CAUSES, About, make_pair
from reproduction.planted_page import NO_CAUSE, REPORTED, summarise
from reproduction.population import LABEL, TASKS, TRUTHS
from reproduction.study import Study

SIZES = (150, 300, 1000)
SAME = {"level": "base rate", "scale": "confidence"}  # of numbers
OWN_SEEDS = 1_000_000  # from here on: for those who change the method


def dataset(frame: pd.DataFrame, name: str, task: str) -> Dataset:
    """Return a table as the door reads it."""
    kind = "binary" if task == "classes" else "regression"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)  # of what was planted
        return read_table(frame, label=LABEL, name=name, task=kind)


def judge(found: Explanation, about: About) -> Row:
    """Return what an explanation names, and whether it is what was planted."""
    causes = [SAME.get(cause, cause) for cause in found.causes]
    first = causes[0] if causes else ""
    column = _named_column(found, first)
    reported = [mend.cause for mend in found.mends if not mend.flagged]
    top = found.columns[0] if found.columns else None
    return {
        "causes": "+".join(causes),
        "first": first,
        "column": column,
        "is_first": first == ("rule" if about.cause == "effect" else about.cause),
        "is_column": bool(column) and column == about.column,
        "named": bool(causes) or any(mend.flagged for mend in found.mends),
        "reported": "+".join(reported),
        "is_reported": about.cause in (*causes, *reported),
        "top_column": top.column if top else "",
        "top_flagged": bool(top and top.flagged),
        "learner": found.learner,
        "side": about.side,
        "planted_column": about.column,
        "what": about.what,
    }


def is_right(cause: str, said: Row) -> bool:
    """Return whether an explanation said what was to be said."""
    if cause in NO_CAUSE:
        return not said["named"]
    if cause in REPORTED:
        return bool(said["is_reported"])
    return bool(said["is_first"] and (said["is_column"] or cause != "effect"))


def _named_column(found: Explanation, first: str) -> str:
    """Return the column that the first cause is about."""
    for mend in found.mends:
        if mend.flagged and mend.cause == first and mend.columns:
            return mend.columns[0]
    if first == "rule" and found.columns and found.columns[0].flagged:
        return found.columns[0].column
    return ""


def measure(found: Explanation) -> Row:
    """Return the parts of an explanation, their intervals and what they leave of the excess."""
    parts = [
        [SAME.get(part.name, part.name), part.value, part.low, part.high] for part in found.parts
    ]
    total = sum(part.value for part in found.parts)
    return {
        "excess": found.excess,
        "left_over": total - found.excess,
        "parts": parts,
    }


def replicate(cell: Row, seed: int) -> list[Row]:
    """Explain one planted pair."""
    task = str(cell["task"])
    target, source, about = make_pair(
        cell["cause"], task=task, truth=cell["truth"], n_target=cell["n_target"], seed=seed
    )
    tables = dataset(target, "target", task), dataset(source, "source", task)
    with threadpool_limits(limits=1):
        started = time.process_time()
        found = explain(*tables, learner=cell.get("learner", "auto"), random_state=seed)
        seconds = time.process_time() - started
    said = judge(found, about)
    right = is_right(about.cause, said)
    return [{**said, "right": right, **measure(found), "seconds": seconds}]


def tally(
    cause: str,
    task: str,
    truth: str,
    n: int,
    draws: int = 20,
    first_seed: int = OWN_SEEDS,
    *,
    learner: str = "auto",
) -> pd.DataFrame:
    """Count how often the planted cause is named first; print it, and return one row per draw."""
    cell = {"cause": cause, "task": task, "truth": truth, "n_target": n, "learner": learner}
    rows = pd.DataFrame([replicate(cell, first_seed + k)[0] for k in range(draws)])
    named = ", ".join(f"{v} x {k or 'nothing'}" for k, v in Counter(rows["causes"]).most_common())
    column = f", column {rows['is_column'].mean():.0%}" if rows["planted_column"].any() else ""
    print(
        f"{cause}, {task}, {truth}, {n} rows: right {rows['right'].mean():.0%} (first "
        f"{rows['is_first'].mean():.0%}{column}), anything {rows['named'].mean():.0%}, "
        f"{rows['seconds'].mean():.2f} CPU s; named: {named}",
        flush=True,
    )
    return rows


def _cells() -> list[Row]:
    """Return the cells; where nothing may be named, most draws, as 5% is to be told from 8%."""
    more = {300: 5, 150: 2, 1000: 2}
    return [
        {"cause": cause, "task": task, "truth": truth, "n_target": n}
        | ({"times": more[n]} if cause in NO_CAUSE else {})
        for cause in CAUSES
        for task in TASKS
        for truth in TRUTHS
        for n in SIZES
        if cause != "classes" or task == "classes"
    ]


PLANTED_CAUSES = Study(
    "planted-causes",
    "Does an explanation name the cause that was planted, and nothing where nothing was?",
    _cells(),
    replicate,
    summarise,
    30,
)


def main(arguments: list[str] | None = None) -> int:
    """Print the tally of one cause, or of all ("all"), and each draw that went wrong."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.planted_causes")
    add = parser.add_argument
    add("--quick", nargs=5, metavar=("CAUSE", "TASK", "TRUTH", "ROWS", "DRAWS"), required=True)
    add("--first-seed", type=int, default=OWN_SEEDS)
    add("--learner", default="auto")
    add("--wrong", action="store_true", help="also list the draws that went wrong")
    options = parser.parse_args(arguments)
    cause, task, truth, n, draws = options.quick
    for each in CAUSES if cause == "all" else (cause,):
        for of in TASKS if task == "all" else (task,):
            for rule in TRUTHS if truth == "all" else (truth,):
                if each == "classes" and of == "numbers":
                    continue
                seed, learner = options.first_seed, options.learner
                rows = tally(each, of, rule, int(n), int(draws), seed, learner=learner)
                if options.wrong:
                    titles = ["side", "what", "causes", "column", "reported", "excess"]
                    print(rows.loc[~rows["right"], titles].to_string(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
