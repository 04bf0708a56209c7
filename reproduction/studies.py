"""The list of studies, and how to run one by name."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path

from datakin import DatakinError
from reproduction.calibration import CALIBRATION
from reproduction.canines import CANINES
from reproduction.claims import refresh_claims
from reproduction.digits import DIGITS
from reproduction.explain_real import EXPLAIN_REAL
from reproduction.explain_remedies import EXPLAIN_REMEDIES
from reproduction.figures import FIGURES
from reproduction.gains import GAINS
from reproduction.harness import did_you_mean, listed
from reproduction.hospital_tables import EICU, GUSTO
from reproduction.mushrooms import MUSHROOMS
from reproduction.part_intervals import PART_INTERVALS
from reproduction.planted_causes import PLANTED_CAUSES
from reproduction.repair import REPAIR
from reproduction.replicates import REPLICATES
from reproduction.shift_splits import SHIFT_SPLITS
from reproduction.study import RESULTS, Study, Summary, run_study
from reproduction.tables import TABLES

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        *CALIBRATION,
        *TABLES,
        *FIGURES,
        MUSHROOMS,
        *GAINS,
        PLANTED_CAUSES,
        PART_INTERVALS,
        REPAIR,
        SHIFT_SPLITS,
        EXPLAIN_REAL,
        EXPLAIN_REMEDIES,
        DIGITS,
        CANINES,
        EICU,
        GUSTO,
    )
}
CLAIMS = "Every number of the paper that is checked, beside ours: filled in from the results."
# What can be run, with one line each.
ABOUT = {name: study.about for name, study in STUDIES.items()} | {
    "claims": CLAIMS,
    "replicates": REPLICATES,
}


def reproduce(
    name: str,
    *,
    replicates: int | None = None,
    n_jobs: int = 1,
    folder: str | Path = RESULTS,
    data: str | Path | None = None,
) -> Summary:
    """Run a study by name; write its table, page and figure to a folder.

    "claims" runs nothing: it fills ``claims.toml``, beside the folder, from the results in it.
    "replicates" runs nothing either: it lists what each page of results is checked by. Any other study
    keeps the rows that its page is checked by, in ``replicates.json``.

    Parameters
    ----------
    name : str
        One of `ABOUT`.
    replicates : int, optional
        Replicates per cell; the study's own number by default.
    n_jobs : int
        Processes; -1 for all cores. Changes no number.
    folder : path
        Where ``NAME.csv`` and ``NAME.md`` go. An interrupted run goes on from ``cache`` there.
    data : path, optional
        Where real data lie, for the studies that need some; by default what DATAKIN_DATA says.
    """
    if name not in ABOUT:
        raise DatakinError(
            f"Unknown study {name!r}. The studies are {listed(ABOUT, limit=99)}."
            f"{did_you_mean(name, ABOUT)}"
        )
    if name == "claims":
        return refresh_claims(Path(folder))
    place = None if data is None else Path(data).resolve()
    if name == "replicates":
        found: Summary = import_module("reproduction.checking").write_list(Path(folder))
        return found
    keep_run = import_module("reproduction.keeping").keep_run  # it knows all studies
    return run_study(
        STUDIES[name],
        replicates=replicates,
        n_jobs=n_jobs,
        folder=Path(folder),
        data=place,
        keep=partial(keep_run, STUDIES[name], Path(folder), place),
    )
