"""The paper's hospital study: one target, up to ten sources, zones beside what transfer brings.

Here is what the study on eICU and the one on GUSTO-I share: undersampling, the choice of target and
sources, the random splits and the table in the paper's form.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from datakin import CrossLearningScore, DatakinError, DatakinWarning, Dataset
from datakin.paper import (
    ART,
    Concatenate,
    DynamicTrAdaBoost,
    KinWeighted,
    TrAdaBoost,
    relative_reduction,
    transfer_gain,
)
from reproduction.harness import Row, derive_seed, listed
from reproduction.study import Summary

N_SOURCES = 10
LEAST_OF_CLASS = 10  # rows of each class that a domain needs, so that folds and splits have some
OVERLAP = 0.3 / 0.7  # test rows for each training row
# Small forests, few rounds and splits: fifty splits of ten sources, both ways, stay within hours. Five
# rows a leaf, for a forest of pure leaves makes no training error and boosting ends where it begins.
FOREST: dict[str, Any] = {"n_estimators": 30, "min_samples_leaf": 5}
ROUNDS, SPLITS = 10, 5
METHODS: dict[str, Any] = {
    "Direct Concat": Concatenate(),
    "ART": ART(repeats=SPLITS),
    "TrAdaBoost": TrAdaBoost(rounds=ROUNDS),
    "DTrAdaBoost": DynamicTrAdaBoost(rounds=ROUNDS),
    "KinWeighted": KinWeighted(cv=3),
}
ENOUGH = ("Direct Concat", "KinWeighted")


def balance(dataset: Dataset, seed: int = 0) -> Dataset:
    """Draw as many rows of the common class as there are of the rare one.

    Parameters
    ----------
    dataset : Dataset
        Of two classes.
    seed : int
    """
    counts = np.bincount(dataset.y, minlength=max(2, len(dataset.classes)))
    least = int(counts.min())
    if len(counts) > 2 or least < LEAST_OF_CLASS:
        raise DatakinError(
            f"Undersampling needs two classes with at least {LEAST_OF_CLASS} rows each. "
            f"{dataset.name!r} has {listed([str(n) for n in counts])} row(s) of its classes."
        )
    rng = np.random.default_rng(derive_seed(seed, "undersample", dataset.name))
    kept = [rng.permutation(np.flatnonzero(dataset.y == c))[:least] for c in (0, 1)]
    return dataset.take(np.sort(np.concatenate(kept)))


def choose_domains(
    domains: Mapping[str, Dataset], positive: str
) -> tuple[str, tuple[str, ...]] | None:
    """Return the domain with the highest share of positives, and ten others with the most negatives.

    None where there are not three domains with enough rows of both classes.
    """
    shares, negatives = {}, {}
    for name, dataset in domains.items():
        died = int(np.sum(np.array(dataset.classes)[dataset.y] == positive))
        if min(died, dataset.n_rows - died) >= LEAST_OF_CLASS:
            shares[name] = died / dataset.n_rows
            negatives[name] = dataset.n_rows - died
    if len(shares) < 3:
        return None
    target = max(shares, key=lambda name: (shares[name], name))
    others = sorted((n for n in shares if n != target), key=lambda n: (-negatives[n], n))
    return target, tuple(others[:N_SOURCES])


def hospital_rows(domains: Mapping[str, Dataset], positive: str, seed: int) -> list[Row]:
    """Return one random split of the target with every source; with seed 0 also scores and zones."""
    chosen = choose_domains(domains, positive)
    if chosen is None:
        return []
    target = balance(domains[chosen[0]])
    sources = {name: balance(domains[name]) for name in chosen[1]}
    whole = domains[chosen[0]]
    known: Row = {
        "target": target.name,
        "n_target": target.n_rows,
        "rate": float(np.mean(np.array(whole.classes)[whole.y] == positive)),
        "fingerprint": target.fingerprint,
    }
    rows: list[Row] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)  # columns that are constant in one of them
        if seed == 0:
            rows += [{**known, **row} for row in _scored(target, sources)]
        for source in sources.values():
            rows += [{**known, **row} for row in _split(target, source, seed)]
    return rows


def _scored(target: Dataset, sources: Mapping[str, Dataset]) -> list[Row]:
    ranking = CrossLearningScore("paper", zones="paper").rank(target, dict(sources))
    return [
        {
            "method": "score",
            "source": c.source,
            "n_source": c.n_rows[c.source],
            "cls": c.sizes["paper"].value,
            "matched": c.score,
            "zone": c.zone.code,
        }
        for c in ranking
    ]


def _split(target: Dataset, source: Dataset, seed: int) -> list[Row]:
    forest = RandomForestClassifier(**FOREST)
    gain = transfer_gain(
        target,
        source,
        methods=METHODS,
        estimator=forest,
        loss="zero_one",
        repeats=1,
        random_state=seed,
    )
    alone = {"target_alone": gain.target_error, "source_alone": gain.source_error}
    return [
        {
            "method": name,
            "source": source.name,
            **alone,
            "target_error": found.target_error,
            "source_error": found.source_error,
        }
        for name, found in gain.methods.items()
    ]


READING = f"""\
RER: relative error reduction by transfer, mean of both directions; random forests of
{FOREST["n_estimators"]} trees with {FOREST["min_samples_leaf"]} rows a leaf, {ROUNDS} rounds of boosting
(the paper: 100), {SPLITS} splits of ART, 70/30 splits (the rows that undersampling keeps are the same in
all); bold: above 0.
Zone: by the paper's rule, from the ensemble score with the default models. PT, AZ, NT: positive transfer,
ambiguous, negative transfer. KinWeighted is not the paper's."""


def hospital_summary(rows: pd.DataFrame, intro: str, absent: Mapping[str, str]) -> Summary:
    """Return the tables in the paper's form, one for each way to make domains, and what they show.

    Parameters
    ----------
    rows : DataFrame
    intro : str
    absent : mapping of str to str
        For a way to make domains, what is said of those that have too few rows of a class.
    """
    if rows.empty:
        raise DatakinError(
            f"No grouping has three domains with {LEAST_OF_CLASS} deaths and survivors each: there is "
            f"nothing to study."
        )
    frames, parts = [], [intro, " ".join(READING.split())]
    for grouping, part in rows.groupby("domains", sort=False):
        if part["fingerprint"].nunique() > 1:
            raise DatakinError(
                f"The replicates kept for {grouping!r} are of other data than these. Remove the cache of "
                f"this study, or give another folder (--folder)."
            )
        frame = _table(part)
        frame.insert(0, "domains", grouping)
        frames.append(frame)
        parts.append(_page(str(grouping), part, frame, absent.get(str(grouping), "")))
    return Summary(pd.concat(frames, ignore_index=True), "\n\n".join(parts))


def _table(part: pd.DataFrame) -> pd.DataFrame:
    """Return one line per source: score, zone, and RER of every method with standard errors."""
    scores = part[part["method"] == "score"].set_index("source")
    found = []
    for source in scores.sort_values("n_source", ascending=False).index:
        score = scores.loc[source]
        row: Row = {name: score[name] for name in ("n_source", "cls", "matched", "zone")}
        for method in METHODS:
            lines = part[(part["source"] == source) & (part["method"] == method)]
            (to, to_se), (back, back_se) = (
                relative_reduction(
                    lines[f"{side}_alone"].to_numpy(), lines[f"{side}_error"].to_numpy(), OVERLAP
                )
                for side in ("target", "source")
            )
            row |= {
                f"{method} average": (to + back) / 2,
                f"{method} average se": float(np.hypot(to_se, back_se) / 2),
                f"{method} target": to,
                f"{method} target se": to_se,
            }
        found.append({"target": score["target"], "source": source, **row})
    return pd.DataFrame(found)


def absent_domains(sizes: pd.DataFrame) -> str:
    """Say which domains have too few rows of a class.

    Parameters
    ----------
    sizes : DataFrame
        One row per domain: rows of the common and of the rare class.
    """
    few = sizes[sizes.min(axis=1) < LEAST_OF_CLASS]
    if few.empty:
        return ""
    names = [f"{name} ({row.min()})" for name, row in few.iterrows()]
    return (
        f"{len(few)} of {len(sizes)} domains have fewer than {LEAST_OF_CLASS} deaths or survivors and are "
        f"left out: {listed(names)}."
    )


def _page(grouping: str, part: pd.DataFrame, frame: pd.DataFrame, absent: str) -> str:
    first = part.iloc[0]
    n_splits = part["seed"].nunique()
    head = ["Src.", "rows", *METHODS, "Zone"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for _, row in frame.iterrows():
        cells = [_percent(row[f"{method} average"]) for method in METHODS]
        names = [str(row["source"]), f"{row['n_source']:.0f}"]
        lines.append(f"| {' | '.join([*names, *cells, row['zone']])} |")
    return "\n".join(
        [
            f"## Domains: {grouping}",
            "",
            f"Target: {first['target']!r}, mortality {first['rate']:.2%}, {first['n_target']} rows after "
            f"undersampling. {len(frame)} source(s), {n_splits} random split(s). {absent}".rstrip(),
            "",
            *lines,
            "",
            *(f"- {line}" for line in (_finding(frame), *_errors(frame))),
        ]
    )


def _percent(value: float) -> str:
    text = f"{value:+.1%}"
    return f"**{text}**" if value > 0 else text


def _finding(frame: pd.DataFrame) -> str:
    """Say whether positives gain and negatives do not."""
    positive, negative = (frame[frame["zone"] == code] for code in ("PT", "NT"))
    text = (
        f"The paper's rule: {len(positive)} PT, {(frame['zone'] == 'AZ').sum()} AZ, "
        f"{len(negative)} NT."
    )
    if len(positive):
        gains = [
            (positive[[f"{m} {kind}" for m in ENOUGH]] > 0).any(axis=1).sum()
            for kind in ("average", "target")
        ]
        text += (
            f" Of the {len(positive)} PT, {gains[0]} gain on average and {gains[1]} on the target with "
            f"concatenation or KinWeighted."
        )
    if len(negative) and frame[f"{ENOUGH[0]} target se"].isna().all():
        text += " One split gives no interval to hold the NT against."
    elif len(negative):
        low = [negative[f"{m} target"] - 1.96 * negative[f"{m} target se"] for m in ENOUGH]
        above = int((pd.concat(low, axis=1) > 0).any(axis=1).sum())
        text += f" Of the {len(negative)} NT, {above} have a 95% interval of target RER above 0."
    return text


def _errors(frame: pd.DataFrame) -> list[str]:
    """Say how sure the table is; the numbers themselves are in the csv."""
    errors = frame[[f"{method} average se" for method in ENOUGH]].to_numpy()
    if np.isnan(errors).all():
        return []
    return [
        f"Standard errors of average RER with concatenation and KinWeighted: {np.nanmin(errors):.1%} "
        f"to {np.nanmax(errors):.1%}, widened for the overlap of the splits."
    ]
