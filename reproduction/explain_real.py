"""Explanations of real tables, beside what the tables say: for docs/explained-real.md.

Each pair is explained with several seeds. With the first one its figures are worked out again with pandas and
scikit-learn, and every option that is proposed is typed behind the command line. Parts of one table that
stand as its source show how often something is named where nothing differs.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from datakin import DatakinWarning, Dataset, Explanation, explain, read_tables
from reproduction.command_line import run_datakin, write_pair
from reproduction.explain_checks import check
from reproduction.explain_page import explained_page
from reproduction.explain_tables import eicu, gusto, heart, pupils, wine
from reproduction.harness import Row, derive_seed
from reproduction.study import Study, Summary

LABELS = {
    "heart": "num",
    "wine": "good",
    "gusto": "day30",
    "eicu": "died",
    "por": "G3",
    "mat": "G3",
}
PAIRS = (
    ("heart", "switzerland", "cleveland"),
    ("heart", "cleveland", "switzerland"),
    ("heart", "va", "cleveland"),
    ("heart", "cleveland", "va"),
    ("heart", "hungarian", "cleveland"),
    ("heart", "cleveland", "hungarian"),
    ("wine", "red", "white"),
    ("wine", "white", "red"),
    ("gusto", "region 16", "region 12"),
    ("gusto", "region 12", "region 16"),
    ("gusto", "region 13", "region 6"),
    ("gusto", "region 6", "region 13"),
    ("eicu", "South", "Midwest"),
    ("eicu", "Midwest", "South"),
    ("eicu", "West", "South"),
    ("eicu", "South", "West"),
    ("por", "MS", "GP"),
    ("por", "GP", "MS"),
    ("mat", "MS", "GP"),
    ("mat", "GP", "MS"),
)
# What a reader would try, too, though it is not proposed.
BESIDE = {
    ("red", "white"): "--match-classes white",
}
# Rows of one table that stand as a source of the others.
PARTS = (("mat", "GP", 46), ("heart", "cleveland", 60), ("gusto", "region 12", 150))
MORE = 4  # times as many draws of these


def table_of(collection: str, name: str, data: Path | None) -> pd.DataFrame:
    """Return one table of a pair, as a user has it."""
    if collection == "heart":
        return heart(data, name)
    if collection == "wine":
        return wine(data, name)
    if collection == "gusto":
        return gusto(data, int(name.split()[1]))
    if collection == "eicu":
        return eicu(data, name)
    return pupils(data, collection, name)


def options_of(collection: str) -> tuple[dict[str, Any], str]:
    """Return how tables of a collection are read, in Python and as it is typed."""
    label = LABELS[collection]
    if collection == "eicu":
        return {"label": label, "group": "uniquepid"}, f"--label {label} --group uniquepid"
    if collection in ("por", "mat"):
        return {"label": label, "task": "regression"}, f"--label {label} --task regression"
    return {"label": label}, f"--label {label}"


def read_pair(collection: str, tables: dict[str, pd.DataFrame]) -> list[Dataset]:
    """Return target and source as datasets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        return list(read_tables(tables, **options_of(collection)[0]).values())


def _replicate(cell: Row, seed: int, data: Path | None = None) -> list[Row]:
    collection, target = str(cell["collection"]), str(cell["target"])
    if "n_source" in cell:
        return [_part(collection, target, int(cell["n_source"]), seed, data)]
    source = str(cell["source"])
    tables = {name: table_of(collection, name, data) for name in (target, source)}
    found = explain(*read_pair(collection, tables), random_state=seed)
    rows = [{"kind": "explained", **_figures(found)}]
    if seed == 0:
        label = LABELS[collection]
        plain = [each.drop(columns="uniquepid", errors="ignore") for each in tables.values()]
        rows[0] |= check(plain[0], plain[1], label, found)
        rows += _typed(collection, tables, found)
    return rows


def _figures(found: Explanation) -> Row:
    answer, alone = found.answer, found.loss_alone
    row: Row = {
        "learner": found.learner,
        "n_target": found.n_target,
        "n_source": found.n_source,
        "positive": found.positive,
        "causes": ", ".join(found.causes),
        "headline": answer.headline,
        "evidence": " ".join(answer.evidence),
        "reasons": "\n".join(answer.reasons),
        "remedies": "\n".join(each.text for each in answer.remedies),
        "caveats": "\n".join((*answer.caveats, *answer.notes)),
        "alone": alone,
        "excess": found.excess / alone,
        "low": found.low / alone,
        "high": found.high / alone,
        "observed": found.observed,
        "expected": found.expected,
        "slope": found.slope,
    }
    if found.shift is not None:
        row |= {"auc": found.shift.auc, "outside": found.shift.outside}
    return row | {f"part: {part.name}": part.value / alone for part in found.parts}


def _typed(collection: str, tables: dict[str, pd.DataFrame], found: Explanation) -> list[Row]:
    """Type every option that is proposed, one after the other, and explain again."""
    loss = found.steps[0].loss
    rows: list[Row] = []
    options, before = "", (loss, loss - found.excess)
    with TemporaryDirectory() as where:
        files = write_pair(Path(where), *tables.items())

        def tried(option: str, promised: float) -> tuple[float, float]:
            words = f"{options} {option}".strip()
            again = run_datakin(Path(where), "explain", files, options_of(collection)[1], words)
            loss = again.steps[0].loss
            row: Row = {"kind": "typed", "option": option, "promised": promised}
            row |= {"came": again.excess, "causes after": ", ".join(again.causes)}
            row |= {"loss before": before[0], "loss after": loss}
            row |= {"alone before": before[1], "alone after": loss - again.excess}
            rows.append(row)
            return loss, loss - again.excess

        for mend in found.mends:
            if mend.typed:
                after = tried(mend.typed, mend.after)
                # What mends the tables stays; what mends a part of the ladder is tried beside it.
                if mend.flagged:
                    options, before = f"{options} {mend.typed}", after
        if tuple(tables) in BESIDE:
            options, before = "", (loss, loss - found.excess)
            tried(BESIDE[found.target, found.source], float("nan"))
    return rows


def _part(collection: str, name: str, n_source: int, seed: int, data: Path | None) -> Row:
    """Explain a table with a random part of itself as the source: nothing differs."""
    table = table_of(collection, name, data)
    rng = np.random.default_rng(derive_seed(seed, "part", collection, name))
    order = rng.permutation(len(table))[: 10 * n_source + 300]
    rows = {"rest": order[n_source:], "part": order[:n_source]}
    tables = {each: table.iloc[np.sort(at)] for each, at in rows.items()}
    return {"kind": "part", **_figures(explain(*read_pair(collection, tables), random_state=seed))}


def _summary(rows: pd.DataFrame) -> Summary:
    return Summary(rows, explained_page(rows))


EXPLAIN_REAL = Study(
    "explain-real",
    "Real tables explained, beside what the tables say: do the sentences stand up?",
    [
        *({"collection": c, "target": target, "source": source} for c, target, source in PAIRS),
        *(
            {"collection": c, "target": target, "n_source": n, "times": MORE}
            for c, target, n in PARTS
        ),
    ],
    _replicate,
    _summary,
    replicates=5,
)
