"""Is the score a measurement? Null calibration, coverage of intervals, bias against the oracle."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from datakin import as_dataset
from datakin.paper import Sample, settings
from reproduction.harness import Row, by_group, derive_seed, markdown
from reproduction.scores import measure_levels
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


def score_levels(cell: Row, seed: int) -> list[Row]:
    """Score one target against a source at each level: the target is fitted once."""
    make = NoSignal if cell["setting"] == "no signal" else settings()[cell["setting"]]
    samples = [
        make(cosine=level).sample(cell["n_target"], cell["n_source"], random_state=seed)
        for level in cell["levels"]
    ]
    stratify = cell.get("stratify", True)
    errors, sources = measure_levels(samples, random_state=seed, stratify=stratify)
    rows: list[Row] = []
    for level, sample, source in zip(cell["levels"], samples, sources, strict=True):
        pair = sample.target.name, source
        zone = errors.score(*pair, zones="paper").zone.code
        oracle = make(cosine=level).oracle()
        for found in errors.estimates(*pair).itertuples():
            rows.append(
                {
                    "level": level,
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
    noise = frame[(frame["size"] == "matched") & ~signal & (frame["estimate"] == "ensemble")]
    parts = [
        "`mean` is the mean score over replicates with its standard error, `z` their ratio; `p<a` the "
        "share of p-values below a, at most a if the p-value is calibrated or conservative; "
        "`worst_excess` is the largest excess of such a share over a, in binomial standard errors, for "
        "a up to one half (up to about 2.5 is chance).",
        f"LDA: the largest |z| of the matched score over all estimates and sizes is "
        f"{matched['z'].abs().max():.2f}, the largest excess of its p-values "
        f"{matched['worst_excess'].max():.2f}; at most {matched['p<0.05'].max():.1%} of its p-values lie "
        f"below .05: the p-value is conservative here.",
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
    ratios = ", ".join(f"{name} {r['limit'] / r['paper']:.2f}" for name, r in wide.iterrows())
    cosines = ", ".join(f"{level:g}" for level in sorted(rows["level"].unique()))
    text = (
        f"Ensemble, n = 200 + 200, cosines {cosines}. The limit's mean absolute bias over the paper's: "
        f"{ratios}. The price is noise: single runs of the limit err more (`rmse`).\n\n"
        "Bias against the oracle, averaged in absolute value over the levels; `noise_floor` is what "
        "an unbiased estimate would show from replication noise alone; `rmse` is the error of single "
        "runs.\n\n" + markdown(shown)
    )
    return Summary(frame, text)


def _cells(
    names: tuple[str, ...], levels: list[float], sizes: tuple[tuple[int, int], ...]
) -> list[Row]:
    return [
        {"setting": name, "levels": levels, "n_target": t, "n_source": s}
        for name in names
        for t, s in sizes
    ]


NULL_CALIBRATION = Study(
    "null-calibration",
    "Two samples of one distribution: is the mean score 0, and is the p-value honest?",
    [
        *_cells(("lda",), [1.0], ((200, 200), (60, 200))),
        *_cells(("no signal",), [1.0], ((80, 80),)),
        *({**cell, "stratify": False} for cell in _cells(("no signal",), [1.0], ((80, 80),))),
    ],
    score_levels,
    _null_summary,
    300,
)
COVERAGE = Study(
    "coverage",
    "Do 95% intervals cover in 95% of the cases?",
    _cells(("lda", "probit"), [1.0, 0.8, 0.5, 0.0, -0.5], ((200, 200),)),
    score_levels,
    _coverage_summary,
    400,
)
LIMIT_BIAS = Study(
    "limit-bias",
    "How far are the paper's, the matched and the limit score from the oracle?",
    _cells(("lda", "probit"), [1.0, 0.7, 0.3, 0.0, -0.3, -0.7, -1.0], ((200, 200),)),
    score_levels,
    _bias_summary,
    100,
)
