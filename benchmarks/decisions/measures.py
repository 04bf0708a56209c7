"""How well scores decide: rank correlation, regret and the rightness of zones, with intervals.

Everything is averaged in the same order: over the draws of a target, over the targets of a
collection, over collections; so that no collection counts more because it has more rows. Intervals
are of the bootstrap over the targets of every collection, widened for their small number (but for the
rates of zones); the collections are taken as given.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from benchmarks.decisions.gains import LEARNERS, METHODS
from benchmarks.decisions.scores import HIGH_IS_GOOD, SCORES

DRAW = ["collection", "target", "n_target", "repeat"]
WORST = -1.0  # losses are cut here: an error doubled is bad enough, and one explosion is no average
LEAST_ERROR = 0.01  # unit of gains where the target alone hardly errs
N_BOOT = 1000
LEAST_SOURCES = 3


def add_gains(frame: pd.DataFrame) -> pd.DataFrame:
    """Add gains relative to the mean error alone (of target and size), by learner and over both.

    The mean error rather than that of the draw: it is not 0 where one draw makes no error.
    """
    frame = frame.copy()
    for method in METHODS:
        parts = []
        for learner in LEARNERS:
            column = f"{learner}:{method}"
            if column not in frame:
                continue
            alone = frame[f"alone:{learner}"]
            mean = alone.groupby([frame[c] for c in DRAW[:3]]).transform("mean")
            gain = (alone - frame[column]) / mean.clip(lower=LEAST_ERROR)
            frame[f"gain:{column}"] = gain.clip(lower=WORST)
            parts.append(frame[f"gain:{column}"])
        if parts:
            frame[f"gain:{method}"] = pd.concat(parts, axis=1).mean(axis=1, skipna=False)
    return frame


def oriented(
    frame: pd.DataFrame, score: str, high_is_good: Sequence[str] = HIGH_IS_GOOD
) -> pd.Series:
    """Return a score with high values for good sources."""
    values = frame[score].astype(float)
    return values if score in high_is_good else -values


def draw_table(
    frame: pd.DataFrame,
    gain: str = "gain:concatenate",
    scores: Sequence[str] = SCORES,
    high_is_good: Sequence[str] = HIGH_IS_GOOD,
) -> pd.DataFrame:
    """Return one row per draw and score: Kendall's tau with the gain, and the regret."""
    rows = []
    for key, part in frame.groupby(DRAW, sort=False):
        realised = part[gain].to_numpy(float)
        if len(part) < LEAST_SOURCES or not np.isfinite(realised).all():
            continue
        for score in scores:
            if score not in part:
                continue
            values = oriented(part, score, high_is_good).to_numpy(float)
            if not np.isfinite(values).all():
                continue
            known = dict(zip(DRAW, key, strict=True))
            rows.append({**known, "score": score, **_judge(values, realised)})
        best = float(realised.max())
        chance = {"tau": 0.0, "regret": best - float(realised.mean()), "picked": realised.mean()}
        rows.append({**dict(zip(DRAW, key, strict=True)), "score": "chance", **chance})
    return pd.DataFrame(rows)


def _judge(values: np.ndarray, realised: np.ndarray) -> dict[str, float]:
    """Return tau (0 where a constant tells nothing), regret and gain of the top source.

    Of several top sources one is as likely as the other: their mean.
    """
    tau = 0.0
    if np.ptp(values) > 0 and np.ptp(realised) > 0:
        tau = float(kendalltau(values, realised).statistic)
    picked = float(realised[values == values.max()].mean())
    return {"tau": tau, "regret": float(realised.max()) - picked, "picked": picked}


def by_target(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Average draws within targets: first over repeats, then over sizes."""
    keys = ["collection", "target", "score"]
    return table.groupby(keys, sort=False)[list(columns)].mean().reset_index()


def mean_over_collections(
    targets: pd.DataFrame, column: str, n_boot: int = N_BOOT, seed: int = 0
) -> pd.DataFrame:
    """Return by score the mean over collections of the mean over targets, with its 95% interval.

    A score counts on the collections where it is defined.
    """
    wide = targets.pivot_table(
        index=["collection", "target"], columns="score", values=column, sort=False
    )
    parts = [part.to_numpy() for _, part in wide.groupby(level=0, sort=False)]
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a score not defined in a collection
        value = np.nanmean([np.nanmean(part, axis=0) for part in parts], axis=0)
        draws = np.nanmean([_resampled(part, n_boot, rng) for part in parts], axis=0)
    low, high = np.nanpercentile(draws, [2.5, 97.5], axis=0)
    return pd.DataFrame({"value": value, "low": low, "high": high}, index=wide.columns)


def _resampled(part: np.ndarray, n_boot: int, rng: np.random.Generator) -> np.ndarray:
    """Return means of targets drawn again, each moved away from theirs by sqrt(n / (n - 1)).

    The plain bootstrap spreads as if the variance were divided by n: with three to five targets its
    intervals are a tenth to a fifth too narrow.
    """
    n = len(part)
    mean = np.nanmean(part, axis=0)
    again = np.nanmean(part[rng.integers(n, size=(n_boot, n))], axis=1)
    return mean + (again - mean) * np.sqrt(n / max(n - 1, 1))


def difference(
    targets: pd.DataFrame, ours: str, rival: str, column: str, n_boot: int = N_BOOT, seed: int = 0
) -> dict[str, float]:
    """Compare two scores on the collections where both are defined: ours minus the rival's."""
    wide = targets.pivot_table(index=["collection", "target"], columns="score", values=column)
    if ours not in wide or rival not in wide:
        return {"value": np.nan, "low": np.nan, "high": np.nan, "collections": 0}
    gap = (wide[ours] - wide[rival]).dropna()
    parts = [part.to_numpy() for _, part in gap.groupby(level=0)]
    rng = np.random.default_rng(seed)
    draws = np.mean([_resampled(part, n_boot, rng) for part in parts], axis=0)
    low, high = np.percentile(draws, [2.5, 97.5])
    means = np.array([part.mean() for part in parts])
    return {
        "value": float(means.mean()),
        "low": float(low),
        "high": float(high),
        "collections": len(parts),
        "above": int((means > 0).sum()),
        "below": int((means < 0).sum()),
    }


def zone_table(frame: pd.DataFrame, rule: str, n_boot: int = N_BOOT, seed: int = 0) -> pd.DataFrame:
    """Return, per collection and overall, how often a rule speaks and how often it is right.

    Positive is right where concatenation gains (mean of both learners); "useful" also where
    KinWeighted does. Negative is right where concatenation loses. "all" counts all calls, "mean" is the
    mean over collections with a call. "chance": what calls on any pair of the collection would give.
    """
    frame = frame.dropna(subset=["gain:concatenate", rule])
    gain, kin = frame["gain:concatenate"], frame["gain:kin_weighted"]
    calls = pd.DataFrame(
        {
            "collection": frame["collection"],
            "target": frame["target"],
            "positive": frame[rule] == "positive",
            "negative": frame[rule] == "negative",
            "ambiguous": frame[rule] == "ambiguous",
        }
    )
    calls["positive_right"] = calls["positive"] & (gain > 0)
    calls["positive_useful"] = calls["positive"] & ((gain > 0) | (kin > 0))
    calls["negative_right"] = calls["negative"] & (gain < 0)
    calls["gains"], calls["loses"] = gain > 0, gain < 0
    calls["n"] = 1
    counts = calls.groupby(["collection", "target"], sort=False).sum()
    rows = [
        {"collection": name, **_rates(part.to_numpy(float).sum(axis=0))}
        for name, part in counts.groupby(level=0, sort=False)
    ]
    overall = _rates(counts.to_numpy(float).sum(axis=0))
    mean = {"collection": "mean", **pd.DataFrame(rows).drop(columns="collection").mean().to_dict()}
    for kind in ("positive", "negative"):  # chance keeps the collections' shares of the calls
        made = [(r[kind], r[f"{kind}_chance"]) for r in rows if r[kind]]
        total = sum(n for n, _ in made)
        overall[f"{kind}_chance"] = sum(n * c for n, c in made) / total if total else np.nan
        mean[kind] = total
    rng = np.random.default_rng(seed)
    parts = [part.to_numpy(float) for _, part in counts.groupby(level=0)]
    sums = sum(p[rng.integers(len(p), size=(n_boot, len(p)))].sum(axis=1) for p in parts)
    draws = pd.DataFrame([_rates(drawn) for drawn in sums])
    for name in ("positive_right", "positive_useful", "negative_right", "ambiguous"):
        known = draws[name].dropna()
        ends = np.percentile(known, [2.5, 97.5]) if len(known) else (np.nan, np.nan)
        overall |= {f"{name}_low": ends[0], f"{name}_high": ends[1]}
    return pd.DataFrame(
        [*rows, {"collection": "all", **overall}, mean | {"calls": overall["calls"]}]
    )


def _rates(sums: np.ndarray) -> dict[str, float]:
    positive, negative, ambiguous, right, useful, wrong, gains, loses, n = sums
    return {
        "calls": n,
        "positive": positive,
        "positive_right": right / positive if positive else np.nan,
        "positive_useful": useful / positive if positive else np.nan,
        "positive_chance": gains / n if positive else np.nan,
        "negative": negative,
        "negative_right": wrong / negative if negative else np.nan,
        "negative_chance": loses / n if negative else np.nan,
        "ambiguous": ambiguous / n,
    }
