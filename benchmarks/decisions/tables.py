"""The tables of the benchmark: scores overall and by collection, zones, pairs, methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from benchmarks.decisions.gains import LEARNERS, METHODS
from benchmarks.decisions.measures import (
    add_gains,
    by_target,
    difference,
    draw_table,
    mean_over_collections,
    zone_table,
)
from benchmarks.decisions.runs import frame_of, seconds_of
from benchmarks.decisions.scores import RIVALS, SCORES

RULES = {"gain": "zone_gain", "paper": "zone_paper"}  # the default (trials), and the paper's
# Half of what rank sorts by, the score, and what calls are decided by.
DEFAULTS = ("directional", "cls", "trial")


@dataclass(frozen=True)
class Findings:
    """All tables of one set of collections."""

    frame: pd.DataFrame
    targets: pd.DataFrame
    overall: pd.DataFrame
    collections: pd.DataFrame
    zones: pd.DataFrame
    pairs: pd.DataFrame
    methods: pd.DataFrame


def find(records: Sequence[dict[str, Any]]) -> Findings:
    """Compute every table."""
    frame = add_gains(frame_of(records))
    draws = draw_table(frame)
    targets = by_target(draws, ("tau", "regret", "picked"))
    return Findings(
        frame,
        targets,
        _overall(targets, seconds_of(records)),
        _by_collection(targets),
        pd.concat(
            [zone_table(frame, column).assign(rule=rule) for rule, column in RULES.items()],
            ignore_index=True,
        ),
        _pairs(targets),
        _by_method(frame),
    )


def _overall(targets: pd.DataFrame, seconds: pd.DataFrame) -> pd.DataFrame:
    tables = [
        mean_over_collections(targets, column).add_prefix(f"{column}_")
        for column in ("tau", "regret", "picked")
    ]
    found = pd.concat(tables, axis=1)
    found["collections"] = targets.groupby("score")["collection"].nunique()
    costs = seconds.groupby("collection").mean().mean()
    found["seconds"] = costs.reindex(found.index)
    found["first"] = [_times_first(targets, score) for score in found.index]
    order = [s for s in (*SCORES, "chance") if s in found.index]
    return found.loc[order].rename_axis("score").reset_index()


def _times_first(targets: pd.DataFrame, score: str) -> int:
    """Count collections where no score is better than this one by more than noise."""
    times = 0
    for _, part in targets.groupby("collection", sort=False):
        means = part.groupby("score")["tau"].mean().drop("chance", errors="ignore")
        if score not in means:
            continue
        best = means.idxmax()
        wide = part.pivot_table(index="target", columns="score", values="tau")
        gaps = (wide[score] - wide[best]).dropna()
        times += bool(best == score or gaps.mean() + _reach(gaps) >= 0)
    return times


def _reach(values: pd.Series) -> float:
    """Return half the width of the 95% interval of a mean; endless for a single value."""
    n = len(values)
    return float(student.ppf(0.975, n - 1) * values.sem()) if n > 1 else np.inf


def _by_collection(targets: pd.DataFrame) -> pd.DataFrame:
    means = targets.groupby(["score", "collection"], sort=False)[["tau", "regret"]].mean()
    errors = targets.groupby(["score", "collection"], sort=False)["tau"].sem()
    return means.assign(tau_se=errors).reset_index()


def _pairs(targets: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for ours in DEFAULTS:
        for rival in (*RIVALS, *(["cls"] if ours == "directional" else [])):
            tau, regret = (difference(targets, ours, rival, c) for c in ("tau", "regret"))
            if tau["collections"]:
                rows.append(
                    {
                        "ours": ours,
                        "rival": rival,
                        "collections": tau["collections"],
                        **{f"tau_{k}": tau[k] for k in ("value", "low", "high")},
                        "tau_ahead": tau["above"],
                        **{f"regret_{k}": regret[k] for k in ("value", "low", "high")},
                        "regret_ahead": regret["below"],
                    }
                )
    return pd.DataFrame(rows)


def _by_method(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean tau of every score with the gain of every method and learner."""
    rows = []
    for method in METHODS:
        for learner in (*LEARNERS, None):
            gain = f"gain:{learner}:{method}" if learner else f"gain:{method}"
            if gain not in frame:
                continue
            draws = draw_table(frame.dropna(subset=[gain]), gain)
            if draws.empty:
                continue
            means = mean_over_collections(by_target(draws, ("tau",)), "tau", n_boot=1)
            for score, tau in means["value"].items():
                rows.append(
                    {"method": method, "learner": learner or "both", "score": score, "tau": tau}
                )
    return pd.DataFrame(rows)


def tidy(found: Findings) -> pd.DataFrame:
    """Return everything as one long table: table, collection, score, measure, value, low, high."""
    rows: list[dict[str, Any]] = []

    def add(table: str, collection: str, score: str, measure: str, *values: float) -> None:
        named = dict(zip(("value", "low", "high"), values, strict=False))
        rows.append(
            {"table": table, "collection": collection, "score": score, "measure": measure} | named
        )

    for r in found.overall.to_dict("records"):
        for measure in ("tau", "regret", "picked"):
            add("scores", "all", r["score"], measure, *_with_ends(r, measure))
        for measure in ("first", "collections", "seconds"):
            add("scores", "all", r["score"], measure, r[measure])
    for r in found.collections.to_dict("records"):
        for measure in ("tau", "tau_se", "regret"):
            add("scores", r["collection"], r["score"], measure, r[measure])
    for r in found.zones.to_dict("records"):
        for measure in ("calls", "positive", "negative"):
            add("zones", r["collection"], r["rule"], measure, r[measure])
        for measure in ("positive_chance", "negative_chance"):
            add("zones", r["collection"], r["rule"], measure, r[measure])
        for measure in ("positive_right", "positive_useful", "negative_right", "ambiguous"):
            ends = (r.get(f"{measure}_{k}", np.nan) for k in ("low", "high"))
            add("zones", r["collection"], r["rule"], measure, r[measure], *ends)
    for r in found.pairs.to_dict("records"):
        for measure in ("tau", "regret"):
            names = f"{r['ours']} - {r['rival']}"
            add("pairs", "all", names, measure, *_with_ends(r, measure))
    for r in found.methods.to_dict("records"):
        add("methods", "all", r["score"], f"tau {r['learner']}:{r['method']}", r["tau"])
    return pd.DataFrame(rows)


def _with_ends(row: dict[str, Any], measure: str) -> list[float]:
    return [row[f"{measure}_{end}"] for end in ("value", "low", "high")]
