"""The tables of the study of choices: policies, what is stated, calls, order, stability.

Averages go as in `measures`: over the draws of a target, over targets, over collections; of ratios the
geometric mean. Intervals are of the bootstrap over targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.decisions.collections import DEVELOPMENT, FINAL
from benchmarks.decisions.measures import (
    DRAW,
    LEAST_ERROR,
    N_BOOT,
    by_target,
    difference,
    draw_table,
    mean_over_collections,
)
from benchmarks.decisions.policies import POLICIES

HARM = 0.02
SURE = 1.645  # standard errors of the test rows that a harm must exceed to be more than their noise
ALONE = POLICIES.index("alone")
CALLS = ("helps", "harmless", "unclear", "hurts")
ORDERS = ("trial", "combined", "directional", "source_error")  # ours first
HIGH_IS_GOOD = ("trial", "combined")
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.875, 0.95, 1.0)
COLUMNS = ("collection", "task", "target", "n_target", "repeat", "n_test")


@dataclass(frozen=True)
class ChoiceFindings:
    """All tables of one set of collections."""

    policies: pd.DataFrame
    collections: pd.DataFrame
    sizes: pd.DataFrame
    against: dict[str, dict[str, float]]
    stated: pd.DataFrame
    calls: pd.DataFrame
    intervals: pd.DataFrame
    calibration: pd.DataFrame
    order: pd.DataFrame
    order_pairs: pd.DataFrame
    stability: pd.DataFrame


def half_of(collection: str) -> str:
    """Return which half a collection belongs to."""
    return "development" if collection in DEVELOPMENT else "final" if collection in FINAL else "own"


def policy_frame(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return one row per draw and policy; what choose states stands in its own rows."""
    rows = []
    for record in records:
        known = _known(record) | {"loss_name": record["loss"]}
        for policy in POLICIES:
            row = {
                **known,
                "score": policy,
                "error": record["errors"][policy],
                "loss": record["losses"][policy],
                "ratio": _ratio(record["errors"], policy, record["loss"]),
                "loss_ratio": _ratio(record["losses"], policy, "squared"),
            }
            if policy == "choose":
                stated = {k: v for k, v in record["stated"].items() if not isinstance(v, list)}
                row |= {f"stated_{name}": value for name, value in stated.items()}
                row["used"] = len(record["stated"]["used"])
                row["seconds"] = record["seconds_choose"]
            row["noise"] = record["noise"] if policy == "choose" else np.nan
            rows.append(row)
    return pd.DataFrame(rows)


def source_frame(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return one row per draw and source."""
    rows = [_known(record) | source for record in records for source in record["sources"]]
    return pd.DataFrame(rows)


def _known(record: dict[str, Any]) -> dict[str, Any]:
    return {"half": half_of(record["collection"]), **{name: record[name] for name in COLUMNS}}


def _ratio(values: dict[str, float], policy: str, loss: str) -> float:
    """Return an error against that of the target alone; shares of wrong rows are at least 1%."""
    least = 1e-12 if loss == "squared" else LEAST_ERROR
    return max(values[policy], least) / max(values["alone"], least)


def find_choices(records: Sequence[dict[str, Any]]) -> ChoiceFindings:
    """Compute every table."""
    frame, sources = policy_frame(records), source_frame(records)
    frame["log_ratio"] = np.log(frame["ratio"])
    frame["harmed"] = (frame["ratio"] > 1 + HARM).astype(float)
    frame["harmed_loss"] = (frame["loss_ratio"] > 1 + HARM).astype(float)
    alone = frame.groupby(DRAW, sort=False)["error"].transform(lambda each: each.iloc[ALONE])
    frame["harmed_surely"] = frame["harmed"] * (frame["error"] - alone > SURE * frame["noise"])
    targets = by_target(frame, ("log_ratio", "harmed", "harmed_loss", "harmed_surely"))
    order, pairs = _order(sources)
    return ChoiceFindings(
        _policies(targets),
        _geometric(frame, "collection"),
        _geometric(frame, "n_target"),
        {
            rival: _exp(difference(targets, "choose", rival, "log_ratio"))
            for rival in POLICIES
            if rival != "choose"
        },
        _stated(frame),
        _calls(sources),
        _intervals(frame, sources),
        _calibration(sources),
        order,
        pairs,
        _stability(frame),
    )


def _policies(targets: pd.DataFrame) -> pd.DataFrame:
    found = np.exp(mean_over_collections(targets, "log_ratio")).add_prefix("ratio_")
    for column in ("harmed", "harmed_loss", "harmed_surely"):
        found[column] = mean_over_collections(targets, column, n_boot=2)["value"]
    by = targets.groupby(["score", "collection"], sort=False)["log_ratio"].mean()
    found["below"] = (by < -1e-12).groupby(level=0).sum()
    found["collections"] = by.groupby(level=0).size()
    worst = targets.loc[targets.groupby("score")["log_ratio"].idxmax()].set_index("score")
    found["worst"] = np.exp(worst["log_ratio"])
    found["worst_target"] = worst["collection"] + ": " + worst["target"]
    best = 1 - found.loc["afterwards_best", "ratio_value"]
    found["share_of_best"] = (1 - found["ratio_value"]) / best if best > 0 else np.nan
    return found.loc[list(POLICIES)].rename_axis("policy").reset_index()


def _exp(found: dict[str, float]) -> dict[str, float]:
    ends = {name: float(np.exp(found[name])) for name in ("value", "low", "high")}
    return {**found, **ends}


def _geometric(frame: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the mean ratio of every policy within collections, or over them at every size."""
    keys = list(dict.fromkeys(["score", by, "collection"]))
    per_target = frame.groupby([*keys, "target"], sort=False)["log_ratio"].mean()
    per_collection = per_target.groupby(keys, sort=False).mean()
    means = per_collection.groupby(["score", by], sort=False).mean()
    wide = np.exp(means).unstack(by)
    columns = sorted(wide) if by == "n_target" else frame[by].unique()
    return wide.loc[list(POLICIES), list(columns)].rename_axis("policy").reset_index()


def _stated(frame: pd.DataFrame) -> pd.DataFrame:
    """Return by collection what choose states against what comes true, and the coverage."""
    ours = frame[frame["score"] == "choose"]
    rows = []
    for name, part in ours.groupby("collection", sort=False):
        held = (part["stated_low"] <= part["error"]) & (part["error"] <= part["stated_high"])
        rows.append(
            {
                "collection": name,
                "draws": len(part),
                "stated": part["stated_error"].mean(),
                "realised": part["error"].mean(),
                "ratio": part["stated_error"].mean() / max(part["error"].mean(), 1e-12),
                "held": held.mean(),
                "below": (part["error"] < part["stated_low"]).mean(),
                "above": (part["error"] > part["stated_high"]).mean(),
            }
        )
    table = pd.DataFrame(rows)
    real = table[table["collection"] != "synthetic"]
    columns = ["ratio", "held", "below", "above"]
    for name, part in (("mean of real", real), ("mean", table)):
        means = part[columns].mean().to_dict()
        rows.append({"collection": name, "draws": int(part["draws"].sum()), **means})
    return pd.DataFrame(rows)


def rate(frame: pd.DataFrame, hits: Any, n_boot: int = N_BOOT, seed: int = 0) -> dict[str, float]:
    """Return how often something holds: of all rows with a 95% interval, and as mean of collections."""
    if not len(frame):
        return {"n": 0, **dict.fromkeys(("all", "low", "high", "mean"), np.nan)}
    counted = frame[["collection", "target"]].assign(hits=np.asarray(hits, dtype=float), n=1.0)
    sums = counted.groupby(["collection", "target"], sort=False).sum()
    parts = [part.to_numpy() for _, part in sums.groupby(level=0, sort=False)]
    rng = np.random.default_rng(seed)
    again = sum(p[rng.integers(len(p), size=(n_boot, len(p)))].sum(axis=1) for p in parts)
    low, high = np.percentile(again[:, 0] / again[:, 1], [2.5, 97.5])
    whole = sums.sum()
    mean = float(np.mean([part[:, 0].sum() / part[:, 1].sum() for part in parts]))
    found = {"all": whole["hits"] / whole["n"], "low": low, "high": high, "mean": mean}
    return {"n": int(whole["n"]), **{name: float(value) for name, value in found.items()}}


def is_right(sources: pd.DataFrame) -> pd.Series:
    """Return whether each call came true; an unclear one says nothing, and is never right."""
    gain, call = sources["true_gain"], sources["call"]
    return (
        ((call == "helps") & (gain > 0))
        | ((call == "harmless") & (gain > -HARM))
        | ((call == "hurts") & (sources["true_pooled"] < 0))
    )


def _calls(sources: pd.DataFrame) -> pd.DataFrame:
    """Return how often each call is made, and how often it is right."""
    right = is_right(sources)
    chance = {
        "helps": sources["true_gain"] > 0,
        "harmless": sources["true_gain"] > -HARM,
        "hurts": sources["true_pooled"] < 0,
    }
    rows = []
    for call in CALLS:
        made = sources["call"] == call
        share = rate(sources, made)
        row = {"call": call, "calls": int(made.sum()), "share": share["all"]}
        row["share_mean"] = share["mean"]
        if call != "unclear":
            found = rate(sources[made], right[made])
            row |= {f"right_{name}": found[name] for name in ("all", "low", "high", "mean")}
            row["chance"] = float(chance[call].mean())
        rows.append(row)
    return pd.DataFrame(rows)


def _intervals(frame: pd.DataFrame, sources: pd.DataFrame) -> pd.DataFrame:
    """Return how often 90% intervals hold what comes true."""
    ours = frame[frame["score"] == "choose"]
    gain = 1 - ours["loss_ratio"]
    real = ours["collection"] != "synthetic"
    error = _within(ours["error"], ours["stated_low"], ours["stated_high"])
    whole = _within(gain, ours["stated_gain_low"], ours["stated_gain_high"])
    single = _within(sources["true_gain"], sources["low"], sources["high"])
    pool = _within(sources["true_pooled"], sources["pooled_low"], sources["pooled_high"])
    found = {
        "error of the choice": (ours, error),
        "error of the choice, real collections": (ours[real], error[real]),
        "gain of the choice": (ours, whole),
        "gain of a source": (sources, single),
        "gain of a pool": (sources, pool),
    }
    return pd.DataFrame([{"interval": name, **rate(*pair)} for name, pair in found.items()])


def _within(values: pd.Series, low: pd.Series, high: pd.Series) -> pd.Series:
    return (low <= values) & (values <= high)


def _calibration(sources: pd.DataFrame) -> pd.DataFrame:
    """Return how often a source gains, by the probability that was said."""
    bins = pd.cut(sources["p_gain"], BINS, include_lowest=True)
    rows = [
        {
            "p_gain": f"{place.left:g} to {place.right:g}".replace("-0.001", "0"),
            "sources": len(part),
            "said": part["p_gain"].mean(),
            "came true": (part["true_gain"] > 0).mean(),
            "gain said": part["gain"].mean(),
            "gain that came": part["true_gain"].mean(),
        }
        for place, part in sources.groupby(bins, observed=True)
    ]
    return pd.DataFrame(rows)


def _order(sources: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return tau and regret of each order of the sources, and ours minus each other."""
    frame = sources.assign(trial=sources["gain"] - (sources["call"] == "hurts"))  # these come last
    draws = draw_table(frame, "true_gain", ORDERS, HIGH_IS_GOOD)
    if draws.empty:
        return pd.DataFrame(), pd.DataFrame()
    targets = by_target(draws, ("tau", "regret", "picked"))
    parts = [
        mean_over_collections(targets, column).add_prefix(f"{column}_")
        for column in ("tau", "regret", "picked")
    ]
    table = pd.concat(parts, axis=1).loc[[*ORDERS, "chance"]].rename_axis("order").reset_index()
    rows = []
    for rival in ORDERS[1:]:
        for column in ("tau", "regret"):
            rows.append(
                {"rival": rival, "measure": column, **difference(targets, ORDERS[0], rival, column)}
            )
    return table, pd.DataFrame(rows)


def _stability(frame: pd.DataFrame) -> pd.DataFrame:
    """Return by collection how stable choices are, and what they cost."""
    ours = frame[frame["score"] == "choose"].assign(
        spread=lambda f: (
            (f["stated_error_high"] - f["stated_error_low"]) / f["stated_error"].clip(lower=1e-12)
        )
    )
    names = {
        "used": "sources used",
        "stated_folds": "same in draws of the folds",
        "stated_sample": "same in reweighted targets",
        "stated_settled": "settled",
        "stated_repeats": "draws of the folds",
        "spread": "range of stated error",
        "seconds": "CPU seconds",
    }
    table = ours.groupby("collection", sort=False)[list(names)].mean().astype(float)
    table.loc["mean"] = table.mean()
    return table.rename(columns=names).reset_index()
