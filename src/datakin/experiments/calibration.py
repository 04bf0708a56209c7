"""Is the score a measurement? Null calibration, coverage of intervals, bias against the oracle."""

from __future__ import annotations

import numpy as np
import pandas as pd

from datakin.experiments.study import Row, Study, Summary, markdown
from datakin.scoring.options import Options
from datakin.scoring.pairs import all_estimates
from datakin.scoring.run import Run
from datakin.synthetic import settings

__all__ = ["COVERAGE", "LIMIT_BIAS", "NULL_CALIBRATION"]


def score_levels(cell: Row, seed: int) -> list[Row]:
    """Score one target against a source at each level: the target is fitted once."""
    make = settings()[cell["setting"]]
    samples = [
        make(cosine=level).sample(cell["n_target"], cell["n_source"], random_state=seed)
        for level in cell["levels"]
    ]
    sources = [s.source.renamed(f"source {i}") for i, s in enumerate(samples)]
    options = Options(random_state=seed)
    run = Run([samples[0].target, *sources], [(0, j + 1) for j in range(len(sources))], options)
    rows: list[Row] = []
    for j, level in enumerate(cell["levels"]):
        comparison = run.comparisons[0, j + 1]
        oracle = make(cosine=level).oracle()
        for (estimate, size), found in all_estimates(*run.sides(0, j + 1), options).items():
            rows.append(
                {
                    "level": level,
                    "estimate": estimate,
                    "size": size,
                    "value": found.value,
                    "error": found.standard_error,
                    "low": found.low,
                    "high": found.high,
                    "p_value": found.p_value,
                    "oracle": oracle,
                    "zone": comparison.zone.code,
                }
            )
    return rows


LEVELS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def _null_summary(rows: pd.DataFrame) -> Summary:
    """Mean score, its standard error over replicates, and how often the p-value is small."""
    table = []
    keys = ["setting", "n_target", "n_source", "estimate", "size"]
    for key, part in rows.groupby(keys, sort=False):
        n = len(part)
        mean, error = part["value"].mean(), part["value"].std(ddof=1) / np.sqrt(n)
        shares = {a: float((part["p_value"] < a).mean()) for a in LEVELS}
        small = {f"p<{a:g}": shares[a] for a in (0.01, 0.05, 0.1, 0.5)}
        # Too many small p-values is what would be wrong; above one half they decide nothing.
        excess = max((shares[a] - a) / np.sqrt(a * (1 - a) / n) for a in LEVELS)
        table.append(
            dict(zip(keys, key, strict=True))
            | {"replicates": n, "mean": mean, "se": error, "z": mean / error}
            | small
            | {"worst_excess": excess}
        )
    frame = pd.DataFrame(table)
    matched = frame[frame["size"] == "matched"]
    worst = matched["z"].abs().max()
    shown = frame[frame["size"] != "limit"].drop(columns=["setting"])
    text = (
        "Two samples of one distribution (LDA). `mean` is the mean score over replicates with its "
        "standard error, `z` their ratio; `p<a` the share of p-values below a, at most a if the "
        "p-value is calibrated or conservative; `worst_excess` is the largest excess of such a share "
        "over a, in binomial standard errors, for a up to one half.\n\n"
        f"Largest |z| of the matched score over all rows: {worst:.2f}; largest excess of its p-values: "
        f"{matched['worst_excess'].max():.2f}.\n\n" + markdown(shown)
    )
    return Summary(frame, text)


def _coverage_summary(rows: pd.DataFrame) -> Summary:
    """Share of intervals that cover the expectation of the score and the oracle."""
    table = []
    keys = ["setting", "level", "estimate", "size"]
    for key, part in rows.groupby(keys, sort=False):
        mean, n = part["value"].mean(), len(part)
        target = 0.0 if key[1] == 1.0 and key[3] == "matched" else mean
        covers = float(((part["low"] <= target) & (target <= part["high"])).mean())
        oracle = part["oracle"].iloc[0]
        table.append(
            dict(zip(keys, key, strict=True))
            | {
                "replicates": n,
                "mean": mean,
                "oracle": oracle,
                "coverage": covers,
                "coverage_se": np.sqrt(max(covers * (1 - covers), 1 / n) / n),
                "coverage_of_oracle": float(
                    ((part["low"] <= oracle) & (oracle <= part["high"])).mean()
                ),
                "spread": part["value"].std(ddof=1),
                "mean_se": part["error"].mean(),
            }
        )
    frame = pd.DataFrame(table)
    shown = frame[(frame["estimate"] == "ensemble") & (frame["size"] != "paper")].drop(
        columns="estimate"
    )
    text = (
        "95% intervals of the ensemble score, n = 200 + 200. `coverage` is the share of replicates "
        "whose interval holds the expectation of the score (its mean over replicates; 0 at the null, "
        "cosine 1, for the matched score), `coverage_of_oracle` the share that holds the population "
        "score. `spread` is the standard deviation over replicates, `mean_se` the mean standard error "
        "claimed.\n\n" + markdown(shown)
    )
    return Summary(frame, text)


def _bias_summary(rows: pd.DataFrame) -> Summary:
    """Mean absolute bias over levels against the oracle, and error of single runs."""
    table = []
    keys = ["setting", "estimate", "size"]
    for key, part in rows.groupby(keys, sort=False):
        levels = part.groupby("level")
        bias = levels["value"].mean() - levels["oracle"].first()
        noise: pd.Series[float] = levels["value"].std(ddof=1) / np.sqrt(levels["value"].count())
        squared = (part["value"] - part["oracle"]) ** 2
        table.append(
            dict(zip(keys, key, strict=True))
            | {
                "levels": len(bias),
                "replicates": int(levels["value"].count().min()),
                "mean_absolute_bias": bias.abs().mean(),
                # What the mean absolute bias would be if every bias were 0: E|N(0, s)|.
                "noise_floor": np.sqrt(2 / np.pi) * noise.mean(),
                "rmse": float(np.sqrt(squared.mean())),
            }
        )
    frame = pd.DataFrame(table)
    shown = frame[frame["estimate"] == "ensemble"].drop(columns="estimate")
    text = (
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
    _cells(("lda",), [1.0], ((200, 200), (60, 200))),
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
