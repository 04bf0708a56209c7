"""Is the score a measurement? Null calibration, coverage of intervals, bias against the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from datakin import as_dataset
from datakin.paper import Sample, settings
from reproduction.harness import Row, by_group, derive_seed, markdown
from reproduction.scores import FIXED, LEVELLED, measure_levels
from reproduction.study import Study, Summary


@dataclass(frozen=True)
class NoSignal:
    """Labels that do not depend on the features: a coin toss for every row."""

    cosine: float
    name: str = field(default="no signal", init=False)

    def sample(self, n_target: int, n_source: int, *, random_state: int = 0) -> Sample:
        """Draw two samples of the one distribution."""
        drawn = []
        for name, n in (("target", n_target), ("source", n_source)):
            rng = np.random.default_rng(derive_seed(random_state, self.name, name))
            X, y = rng.standard_normal((n, 10)), rng.integers(0, 2, n)
            drawn.append(as_dataset(X, y, name=name, task="binary"))
        return Sample(drawn[0], drawn[1], None, None)

    def oracle(self) -> float:
        """Return the population CLS: every rule errs half of the time."""
        return 0.0


def learner_levels(cell: Row, seed: int) -> list[Row]:
    """Return what `score_levels` does with the learners of `choose`."""
    return score_levels(cell, seed, "learners")


def score_levels(cell: Row, seed: int, models: str = "paper") -> list[Row]:
    """Score one target against a source at each level: the target is fitted once."""
    make: Any = NoSignal if cell["setting"] == "no signal" else settings()[cell["setting"]]
    made = [make() if level is None else make(level) for level in cell["levels"]]
    samples = [one.sample(cell["n_target"], cell["n_source"], random_state=seed) for one in made]
    stratify = cell.get("stratify", True)
    errors, sources = measure_levels(samples, models, random_state=seed, stratify=stratify)
    rows: list[Row] = []
    for level, one, sample, source in zip(cell["levels"], made, samples, sources, strict=True):
        pair = sample.target.name, source
        zone = errors.score(*pair, zones="paper").zone.code
        oracle = one.oracle()
        for found in errors.estimates(*pair).itertuples():
            rows.append(
                {
                    "level": 0.0 if level is None else level,
                    "estimate": found.estimate,
                    "size": found.size,
                    "value": found.score,
                    "error": found.standard_error,
                    "low": found.low,
                    "high": found.high,
                    "p_value": found.p_value,
                    "oracle": oracle,
                    "zone": zone,
                }
            )
    return rows


MOST_LEVELS = 4
LEVELS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def _null_measures(part: pd.DataFrame) -> Row:
    n = len(part)
    mean, error = part["value"].mean(), part["value"].std(ddof=1) / np.sqrt(n)
    shares = {a: float((part["p_value"] < a).mean()) for a in LEVELS}
    return {
        "replicates": n,
        "mean": mean,
        "se": error,
        "z": mean / error if error else np.nan,
        **{f"p<{a:g}": shares[a] for a in (0.01, 0.05, 0.1, 0.5)},
        # Too many small p-values is what would be wrong; above one half they decide nothing.
        "worst_excess": max((shares[a] - a) / np.sqrt(a * (1 - a) / n) for a in LEVELS),
    }


def _null_summary(rows: pd.DataFrame) -> Summary:
    """Mean score, its standard error over replicates, and how often the p-value is small."""
    rows = rows.assign(stratify=rows["stratify"].fillna(True) if "stratify" in rows else True)
    keys = ["setting", "stratify", "n_target", "n_source", "estimate", "size"]
    frame = by_group(rows, keys, _null_measures)
    signal = frame["setting"] != "no signal"
    matched = frame[(frame["size"] == "matched") & signal]
    ensemble = matched[matched["estimate"] == "ensemble"]
    noise = frame[(frame["size"] == "matched") & ~signal & (frame["estimate"] == "ensemble")]
    parts = [
        "`mean` is the mean score over replicates with its standard error, `z` their ratio; `p<a` the "
        "share of p-values below a, at most a if the p-value is calibrated or conservative; "
        "`worst_excess` is the largest excess of such a share over a, in binomial standard errors, for "
        "a up to one half (up to about 2.5 is chance).",
        f"The matched ensemble: the largest |z| over all settings and sizes is "
        f"{ensemble['z'].abs().max():.2f}, the largest excess of its p-values "
        f"{ensemble['worst_excess'].max():.2f}; at most {ensemble['p<0.05'].max():.1%} of its p-values lie "
        f"below .05: the p-value is conservative here.",
        f"All {len(matched)} matched estimates, of single models too: the largest |z| is "
        f"{matched['z'].abs().max():.2f}, of so many independent ones about "
        f"{norm.isf(0.25 / len(matched)):.1f} by chance.",
    ]
    for _, row in noise.iterrows():
        folds = "stratified folds" if row["stratify"] else "folds drawn without strata"
        parts.append(
            f"Labels without signal (a coin toss for every row), {folds}: mean of the matched ensemble "
            f"score {row['mean']:.4f} (standard error {row['se']:.4f}), {row['p<0.05']:.1%} of its "
            f"p-values below .05."
        )
    parts.append(
        "Stratified folds give training and test rows the same class shares, which another dataset does "
        "not have. Where features say next to nothing about the label, that is all there is to learn: "
        "the score then lies above 0. `stratify=False` is calibrated there."
    )
    parts.append(markdown(frame[frame["size"] != "limit"]))
    return Summary(frame, "\n\n".join(parts))


def _coverage_measures(part: pd.DataFrame) -> Row:
    def covered(value: float) -> float:
        return float(((part["low"] <= value) & (value <= part["high"])).mean())

    first, mean, n = part.iloc[0], part["value"].mean(), len(part)
    covers = covered(0.0 if first["level"] == 1.0 and first["size"] == "matched" else mean)
    return {
        "replicates": n,
        "mean": mean,
        "oracle": first["oracle"],
        "coverage": covers,
        "coverage_se": np.sqrt(max(covers * (1 - covers), 1 / n) / n),
        "coverage_of_oracle": covered(first["oracle"]),
        "spread": part["value"].std(ddof=1),
        "mean_se": part["error"].mean(),
    }


def _coverage_summary(rows: pd.DataFrame) -> Summary:
    """Share of intervals that cover the expectation of the score and the oracle."""
    frame = by_group(rows, ["setting", "level", "estimate", "size"], _coverage_measures)
    shown = frame[(frame["estimate"] == "ensemble") & (frame["size"] != "paper")].drop(
        columns="estimate"
    )
    matched = shown[shown["size"] == "matched"]
    null = matched[matched["level"] == 1.0]["coverage"].min()
    others = matched[matched["level"] != 1.0]["coverage"]
    text = (
        f"Matched score: coverage at least {null:.1%} at the null, between {others.min():.1%} and "
        f"{others.max():.1%} at the other levels.\n\n"
        "95% intervals of the ensemble score, n = 200 + 200. `coverage` is the share of replicates "
        "whose interval holds the expectation of the score (its mean over replicates; 0 at the null, "
        "cosine 1, for the matched score), `coverage_of_oracle` the share that holds the population "
        "score. `spread` is the standard deviation over replicates, `mean_se` the mean standard error "
        "claimed.\n\n" + markdown(shown)
    )
    return Summary(frame, text)


def _bias_measures(part: pd.DataFrame) -> Row:
    levels = part.groupby("level")
    bias = levels["value"].mean() - levels["oracle"].first()
    noise: pd.Series[float] = levels["value"].std(ddof=1) / np.sqrt(levels["value"].count())
    return {
        "levels": len(bias),
        "replicates": int(levels["value"].count().min()),
        "mean_absolute_bias": bias.abs().mean(),
        # What the mean absolute bias would be if every bias were 0: E|N(0, s)|.
        "noise_floor": np.sqrt(2 / np.pi) * noise.mean(),
        "rmse": float(np.sqrt(((part["value"] - part["oracle"]) ** 2).mean())),
    }


def _bias_summary(rows: pd.DataFrame) -> Summary:
    """Mean absolute bias over levels against the oracle, and error of single runs."""
    frame = by_group(rows, ["setting", "estimate", "size"], _bias_measures)
    shown = frame[frame["estimate"] == "ensemble"].drop(columns="estimate")
    wide = shown.pivot(index="setting", columns="size", values="mean_absolute_bias")
    ratio = (wide["limit"] / wide["paper"]).loc[shown["setting"].unique()]
    ratios = ", ".join(f"{name} {value:.2f}" for name, value in ratio.items())
    text = (
        f"Ensemble, n = 200 + 200 (plr and radial 1,000 + 1,000), at most {MOST_LEVELS} levels from one "
        f"end to the other. The limit's mean absolute bias over that of the paper's size: {ratios}: at most "
        f"half in {int((ratio <= 0.5).sum())} of {len(ratio)} settings. The price is noise: single runs of "
        "the limit err more (`rmse`).\n\n"
        "Bias against the oracle, averaged in absolute value over the levels; `noise_floor` is what "
        "an unbiased estimate would show from replication noise alone; `rmse` is the error of single "
        "runs.\n\n" + markdown(shown)
    )
    return Summary(frame, text)


def _cell(name: str, levels: Sequence[float | None], sizes: tuple[int, int], **more: object) -> Row:
    return {
        "setting": name,
        "levels": list(levels),
        "n_target": sizes[0],
        "n_source": sizes[1],
        **more,
    }


def _spread(name: str) -> list[float | None]:
    """Return a few levels of a setting, both ends among them."""
    levels = settings()[name].levels
    step = max(1, (len(levels) - 1) // (MOST_LEVELS - 1))
    return list(levels[::step]) or [None]


# The level at which target and source are two samples of one distribution.
EQUAL = {name: 0.0 if name == "mixture" else 1.0 for name in LEVELLED}
NO_SIGNAL = [
    _cell("no signal", [1.0], (80, 80)),
    _cell("no signal", [1.0], (80, 80), stratify=False),
]
NULL_CALIBRATION = Study(
    "null-calibration",
    "Two samples of one distribution: is the mean score 0, and is the p-value honest?",
    [_cell("lda", [1.0], (200, 200)), _cell("lda", [1.0], (60, 200)), *NO_SIGNAL],
    score_levels,
    _null_summary,
    300,
)
LEARNERS_NULL = Study(
    "learners-null",
    "The learners of choose, two samples of one distribution: is the mean score 0, the p-value honest?",
    [
        *(_cell(name, [level], (200, 200)) for name, level in EQUAL.items()),
        _cell("lda", [1.0], (60, 200)),
        *NO_SIGNAL,
    ],
    learner_levels,
    _null_summary,
    300,
)
COVERAGE = Study(
    "coverage",
    "Do 95% intervals cover in 95% of the cases?",
    [_cell(name, [1.0, 0.8, 0.5, 0.0, -0.5], (200, 200)) for name in ("lda", "probit")],
    score_levels,
    _coverage_summary,
    400,
)
LEARNERS_COVERAGE = replace(
    COVERAGE,
    name="learners-coverage",
    about="The learners of choose: do 95% intervals cover in 95% of the cases?",
    replicate=learner_levels,
)
LIMIT_BIAS = Study(
    "limit-bias",
    "How far are the paper's, the matched and the limit score from the oracle?",
    [_cell(name, [1.0, 0.7, 0.3, 0.0, -0.3, -0.7, -1.0], (200, 200)) for name in ("lda", "probit")],
    score_levels,
    _bias_summary,
    100,
)
LEARNERS_BIAS = Study(
    "learners-bias",
    "The learners of choose: how far are the paper's size, the matched and the limit score from the oracle?",
    [
        # Fewer where the bias is plain, or where one pair has 2,000 rows.
        _cell(
            name,
            _spread(name),
            (settings()[name].n_rows,) * 2,
            times=0.25 if name in ("probit", "fourclass", "plr", "radial") else 1,
        )
        for name in (*LEVELLED, *FIXED)
    ],
    learner_levels,
    _bias_summary,
    160,
)
CALIBRATION = (
    *(NULL_CALIBRATION, COVERAGE, LIMIT_BIAS),
    *(LEARNERS_NULL, LEARNERS_COVERAGE, LEARNERS_BIAS),
)
