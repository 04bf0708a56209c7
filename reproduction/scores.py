"""Scores and distances of every setting at every level, and the paper's values beside them.

What the paper's tables and figures are made of: the cells, one replicate of each, and the means over
replicates, level by level.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from datakin import CrossErrors
from datakin.distances import OTDD, KLDivergence, Wasserstein
from datakin.paper import Sample, Setting, settings
from reproduction.harness import Array, Row, markdown
from reproduction.study import Summary

# The seven settings with levels of similarity; QDA, PLR and radial are one fixed pair each.
LEVELLED = ("logistic", "probit", "lda", "mixture", "linear", "nonlinear", "fourclass")
FIXED = ("qda", "plr", "radial")
ESTIMATES = ("glm", "linear_svm", "rbf_svm", "xgboost", "unweighted", "weighted", "ensemble")
SCORES = ("unweighted", "weighted", "ensemble")
RIVALS = ("kl", "wasserstein", "otdd")
FURTHER = ("matched", "limit")  # sizes of the ensemble that the paper does not have
RESAMPLES = 2000
NOISE = 2 * np.sqrt(2)  # two standard errors of a difference: the paper's mean is as noisy as ours


@cache
def _paper_tables() -> pd.DataFrame:
    return pd.read_csv(Path(__file__).parent / "paper_tables.csv")


def paper_values(table: str, setting: str) -> pd.DataFrame:
    """Return level, column and value of one of the paper's tables for a setting.

    Parameters
    ----------
    table : {"estimates", "metrics", "diff", "spearman"}
    setting : str
    """
    whole = _paper_tables()
    part = whole[(whole["table"] == table) & (whole["setting"] == setting)]
    return part[["level", "column", "value"]].reset_index(drop=True)


def score_cell(setting: str) -> Row:
    """Return the cell of a setting's scores with the paper's four models."""
    return {"run": f"scores-{setting}", "setting": setting}


def extended_cell(setting: str) -> Row:
    """Return the cell of a setting's scores with the extended models, at three levels."""
    cell: Row = {"run": f"extended-{setting}", "setting": setting}
    if setting == "qda":  # half the paper's Diff is but two standard errors of 50 replicates
        cell["times"] = 4
    elif setting in ("logistic", "probit", "lda", "mixture", "fourclass"):
        cell["times"] = 0.4  # linear boundaries, which the default models have: a look must do
    return cell


def distance_cell(setting: str) -> Row:
    """Return the cell of a setting's rival distances."""
    return {"run": f"distances-{setting}", "setting": setting}


def draw_levels(
    setting: str, seed: int, step: int = 1
) -> list[tuple[float | None, Setting, Sample]]:
    """Draw one target and a source at each level; the target is the same throughout."""
    make = settings()[setting]
    made: list[tuple[float | None, Setting]] = [
        (level, make(level)) for level in make.levels[::step]
    ]
    if not make.levels:
        made = [(None, make())]
    n = make.n_rows
    return [(level, one, one.sample(n, n, random_state=seed)) for level, one in made]


def replicate(cell: Row, seed: int) -> list[Row]:
    """Run one replicate of a cell, whichever kind it is."""
    kind = str(cell["run"]).partition("-")[0]
    setting = str(cell["setting"])
    if kind == "distances":
        return _distances(setting, seed)
    if kind == "extended":
        n_levels = len(settings()[setting].levels)
        return _scores(setting, seed, _extended(setting), max(1, (n_levels - 1) // 2))
    return _scores(setting, seed, "paper", 1)


def measure_levels(
    samples: list[Sample], models: object = "paper", **options: object
) -> tuple[CrossErrors, list[str]]:
    """Measure one target with the source of each sample; return the names of the sources too."""
    sources = [sample.source.renamed(f"source {i}") for i, sample in enumerate(samples)]
    target = samples[0].target
    errors = CrossErrors.measure([target, *sources], pairs=target.name, models=models, **options)
    return errors, [source.name for source in sources]


def _extended(setting: str) -> list[str]:
    """Return the paper's models, a quadratic and a cubic one and, for classes, QDA."""
    both = ["linear_svm", "rbf_svm", "xgboost", "quadratic", "cubic"]
    if settings()[setting].task == "regression":
        return ["linear", *both]
    return ["logistic", *both, "qda"]


def _scores(setting: str, seed: int, models: object, step: int) -> list[Row]:
    drawn = draw_levels(setting, seed, step)
    samples = [sample for _, _, sample in drawn]
    errors, sources = measure_levels(samples, models=models, random_state=seed)
    rows = []
    for (level, made, sample), source in zip(drawn, sources, strict=True):
        oracle = made.oracle()
        for found in errors.estimates(sample.target.name, source).itertuples():
            column = "glm" if found.estimate in ("logistic", "linear") else found.estimate
            rows.append(
                {
                    "level": level,
                    "column": column,
                    "size": found.size,
                    "value": found.score,
                    "oracle": oracle,
                }
            )
    return rows


def _distances(setting: str, seed: int) -> list[Row]:
    methods = {"kl": KLDivergence(), "wasserstein": Wasserstein(), "otdd": OTDD()}
    if settings()[setting].task == "regression":
        del methods["otdd"]
    return [
        {
            "level": level,
            "column": name,
            "size": "paper",
            "value": float(method.compare(sample.target, sample.source).score),
            "oracle": made.oracle(),
        }
        for level, made, sample in draw_levels(setting, seed)
        for name, method in methods.items()
    ]


def means(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard error over replicates of every column at every level."""
    grouped = rows.groupby(["run", "setting", "level", "column", "size"], dropna=False, sort=False)
    table = grouped.agg(
        ours=("value", "mean"), sd=("value", "std"), n=("value", "size"), oracle=("oracle", "first")
    ).reset_index()
    table["se"] = table["sd"] / np.sqrt(table["n"])
    return table.drop(columns="sd")


def replicate_table(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Return values with a row per replicate and a column per level, and the oracle per level."""
    part = rows.fillna({"level": 0.0})  # a fixed pair has no levels
    values = part.pivot_table(index="seed", columns="level", values="value")
    oracle = part.groupby("level")["oracle"].first()
    return values, oracle.loc[values.columns]


def resampled_means(cube: Array) -> Array:
    """Return bootstrap means over replicates: a row per resample, a column per level."""
    n = len(cube)
    counts = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    drawn: Array = counts @ cube / n
    return drawn


def beside_paper(setting: str, kind: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Return oracle, estimates or metrics, and the further sizes, beside the paper's values."""
    table = means(rows)
    wanted = ESTIMATES if kind == "estimates" else (*SCORES, *RIVALS)
    ours = table[(table["size"] == "paper") & table["column"].isin(wanted)]
    oracle = ours.drop_duplicates("level").assign(column="oracle", se=np.nan)
    oracle["ours"] = oracle["oracle"]
    further = table[table["size"].isin(FURTHER) & (table["column"] == "ensemble")]
    further = further.assign(column=further["size"] + " ensemble")
    whole = pd.concat([oracle, ours, further], ignore_index=True)
    paper = paper_values(kind, setting).rename(columns={"value": "paper"})
    whole = whole.merge(paper, on=["level", "column"], how="left")
    whole["difference_in_se"] = (whole["ours"] - whole["paper"]) / whole["se"]
    return whole[["setting", "level", "column", "ours", "se", "paper", "difference_in_se", "n"]]


def summarise_levels(setting: str, kind: str, rows: pd.DataFrame) -> Summary:
    """Return the estimates or metrics of one setting, level by level."""
    frame = beside_paper(setting, kind, rows)
    text = [
        f"{setting}: mean over replicates / the paper's value (their difference, in standard errors "
        "of ours). Columns without a paper's value are ours alone.",
        _wide(frame),
        _agreement(frame),
    ]
    return Summary(frame, "\n\n".join(text))


def _wide(frame: pd.DataFrame) -> str:
    """Return a row per level and a cell per column, as Markdown."""

    def cell(row: pd.Series) -> str:
        text = f"{row['ours']:.4f}"
        if row["paper"] == row["paper"]:
            text += f" / {row['paper']:.4f}"
        if np.isfinite(row["difference_in_se"]):
            text += f" ({row['difference_in_se']:+.1f})"
        return text

    shown = frame.assign(cell=frame.apply(cell, axis=1), level=frame["level"].fillna(0.0))
    table = shown.pivot(index="level", columns="column", values="cell").fillna("")
    order = ("oracle", *ESTIMATES, *RIVALS, *(f"{size} ensemble" for size in FURTHER))
    table = table[[name for name in order if name in table]].reset_index()
    if frame["level"].isna().all():
        return markdown(table.drop(columns="level"))
    return markdown(table.assign(level=table["level"].map("{:g}".format)))


def _agreement(frame: pd.DataFrame) -> str:
    """Return sentences on the largest differences from the paper's values."""
    known = frame.dropna(subset="paper")
    gap = (known["ours"] - known["paper"]).abs()

    def largest(values: pd.Series, column: str, form: str) -> str:
        part = values[known["column"] == column]
        at = float(known.loc[part.index, "level"].iloc[int(part.argmax())])
        where = "" if np.isnan(at) else f" (at level {at:g})"
        return format(part.max(), form) + where

    found = [f"Largest difference from the paper's oracle: {largest(gap, 'oracle', '.2g')}."]
    names = set(known["column"])
    if "kl" in names:
        found.append(f"Largest difference of KL: {largest(gap, 'kl', '.2g')}.")
    for column, name in (("wasserstein", "Wasserstein"), ("otdd", "OTDD")):
        if column in names:
            ratio = gap / known["paper"].abs()
            found.append(f"Largest relative difference of {name}: {largest(ratio, column, '.2%')}.")
    scores = known[~known["column"].isin(["oracle", *RIVALS])]
    near = int((scores["difference_in_se"].abs() <= NOISE).sum())
    found.append(
        f"{near} of {len(scores)} estimates lie within two standard errors of the difference (2.8 of "
        "ours: the paper's means are as noisy)."
    )
    return "\n".join(f"- {sentence}" for sentence in found)
