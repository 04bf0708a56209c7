"""The remedy loop: four spoiled copies of real tables, explained and mended by what explain proposes.

A source is spoiled in one of four ways: another unit, other codes, another base rate, a column that gives the
label away. Both tables are written as files. The command line explains them, the option of the first mend is
added to ``datakin score``, and the score is held against that of the unspoiled copy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from reproduction.command_line import run_datakin, write_pair
from reproduction.explain_tables import gusto, heart
from reproduction.harness import Array, Row, derive_seed, markdown
from reproduction.study import Study, Summary

TABLES = ("gusto", "heart")
SPOILS = ("units", "codes", "base rate", "leak")
LABELS = {"gusto": ("day30", "died"), "heart": ("num", "disease")}
REGION = 6  # of GUSTO-I: the highest mortality
N_SOURCE = 600  # of each class, from all other regions
HOSPITALS = ("cleveland", "hungarian")
KEPT = 0.25  # share of the rows of a class that are left where the base rate is spoiled
LEAK = "code"  # noise in the target, and in an unspoiled source
ADDED = 2.7  # to the leaking column where the label is positive, in standard deviations: AUC .97
UNITS = {
    "gusto": ("sysbp", 0.133322),
    "heart": ("thalach", 1 / 60),
}  # mmHg to kPa; a minute to a second
CODES = {"gusto": ("Killip", ("I", "II", "III", "IV")), "heart": ("cp", (1, 2, 3, 4))}

Spoil = Callable[[pd.DataFrame, str, np.random.Generator], pd.DataFrame]


def make_pair(table: str, seed: int, data: Path | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return target and source, both with a column of noise.

    The target is a region of GUSTO-I with a source from all others; or the patients of two hospitals
    are dealt into halves.
    """
    rng = np.random.default_rng(derive_seed(seed, "remedies", table))
    label, _ = LABELS[table]
    if table == "gusto":
        everyone = gusto(data)
        here = everyone["regl"] == REGION
        columns = [c for c in everyone.columns if c != "regl"]
        n = int((everyone.loc[here, label] == "died").sum())
        parts = [_even(everyone.loc[here, columns], label, n, rng)]
        parts.append(_even(everyone.loc[~here, columns], label, N_SOURCE, rng))
    else:
        patients = pd.concat([heart(data, h) for h in HOSPITALS], ignore_index=True)
        order = rng.permutation(len(patients))
        parts = [patients.iloc[np.sort(order[k::2])] for k in (0, 1)]
    target, source = (part.assign(**{LEAK: rng.normal(size=len(part)).round(2)}) for part in parts)
    return target, source


def _even(table: pd.DataFrame, label: str, n: int, rng: np.random.Generator) -> pd.DataFrame:
    kept = [rng.permutation(np.flatnonzero(table[label] == c))[:n] for c in table[label].unique()]
    return table.iloc[np.sort(np.concatenate(kept))]


def spoil(source: pd.DataFrame, how: str, table: str, seed: int) -> pd.DataFrame:
    """Return a source that is spoiled in one way."""
    rng = np.random.default_rng(derive_seed(seed, "spoil", table, how))
    label, positive = LABELS[table]
    is_positive: Array = (source[label] == positive).to_numpy()
    if how == "units":
        column, factor = UNITS[table]
        return source.assign(**{column: (source[column] * factor).round(4)})
    if how == "codes":
        column, levels = CODES[table]
        turned = dict(zip(levels, (*levels[1:], levels[0]), strict=True))
        return source.assign(**{column: source[column].map(turned)})
    if how == "base rate":
        return source[~is_positive | (rng.random(len(source)) < KEPT)]
    told = rng.normal(size=len(source)) + ADDED * is_positive
    return source.assign(**{LEAK: ((told - told.mean()) / told.std()).round(2)})


def _replicate(cell: Row, seed: int, data: Path | None = None) -> list[Row]:
    table = str(cell["table"])
    target, source = make_pair(table, seed, data)
    label, _ = LABELS[table]
    rows: list[Row] = []
    with TemporaryDirectory() as where:
        folder = Path(where)

        def score(files: str, option: str = "") -> Row:
            found = run_datakin(folder, "score", files, f"--label {label} --loss brier", option)
            return {"score": found.score, "low": found.interval[0], "high": found.interval[1]}

        fine = score(write_pair(folder, ("mine", target), ("theirs", source)))
        for how in SPOILS:
            files = write_pair(
                folder, ("mine", target), ("theirs", spoil(source, how, table, seed))
            )
            found = run_datakin(folder, "explain", files, f"--label {label}")
            option = next((mend.typed for mend in found.mends if mend.typed), "")
            rows.append(
                {
                    "spoiled by": how,
                    "first cause": found.causes[0] if found.causes else "",
                    "option": option,
                    "headline": found.answer.headline,
                    **fine,
                    "spoiled": score(files)["score"],
                    "mended": score(files, option)["score"] if option else float("nan"),
                }
            )
    return rows


READING = """\
The source is spoiled in one way, and both tables are written as files. `datakin explain mine.csv theirs.csv
--label ... --json` names the cause; the option of its first mend is typed behind `datakin score mine.csv
theirs.csv --label ... --loss brier`. Scores are Cross-Learning Scores in Brier loss, 0 for kin. "Inside" says
whether the mended score lies in the 95% interval of the unspoiled one."""


def _summary(rows: pd.DataFrame) -> Summary:
    frame = rows.assign(
        named=rows["first cause"] == rows["spoiled by"],
        was_inside=rows["spoiled"].between(rows["low"], rows["high"]),
        inside=rows["mended"].between(rows["low"], rows["high"]),
    )
    shown = pd.DataFrame(
        {
            "table": frame["table"],
            "spoiled by": frame["spoiled by"],
            "seed": frame["seed"],
            "named first": _words(frame["named"]),
            "option": [f"`{option}`" if option else "" for option in frame["option"]],
            "unspoiled": frame["score"],
            "interval": [
                f"{low:.3f} to {high:.3f}"
                for low, high in zip(frame["low"], frame["high"], strict=True)
            ],
            "spoiled": frame["spoiled"],
            "mended": frame["mended"],
            "inside": _words(frame["inside"]),
        }
    ).sort_values(["table", "seed"], kind="stable")
    n, hurt = len(frame), ~frame["was_inside"]
    findings = [
        f"The cause is named first in {int(frame['named'].sum())} of {n} copies, and the mended score lies "
        f"inside the interval of the unspoiled one in {int(frame['inside'].sum())}.",
        f"Spoiling moved the score out of that interval in {int(hurt.sum())}; of these, the mend brings "
        f"{int((hurt & frame['inside']).sum())} back.",
    ]
    tables = (
        f"gusto: region {REGION} of GUSTO-I, as many survivors as deaths; the source has {N_SOURCE} of each "
        f"from all other regions. heart: the patients of Cleveland and Hungary, dealt into halves. Units: "
        + ", ".join(f"{column} times {factor:g}" for column, factor in UNITS.values())
        + f". Codes: every level of {' or '.join(column for column, _ in CODES.values())} has the name of "
        f"the next. Base rate: {KEPT:.0%} of the deaths, or of the diseased, are left. Leak: a column of "
        f"noise tells the label of the source with AUC .97."
    )
    text = [" ".join(READING.split()), tables, *findings, markdown(shown)]
    return Summary(frame, "\n\n".join(text))


def _words(is_so: pd.Series) -> list[str]:
    return ["yes" if each else "no" for each in is_so]


EXPLAIN_REMEDIES = Study(
    "explain-remedies",
    "Four spoiled copies of real tables: does the option that explain proposes restore the score?",
    [{"table": table} for table in TABLES],
    _replicate,
    _summary,
    replicates=3,
)
