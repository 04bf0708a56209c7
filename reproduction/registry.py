"""The list of studies, and how to run one by name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.experiments.calibration import COVERAGE, LIMIT_BIAS, NULL_CALIBRATION
from datakin.experiments.canines import CANINES
from datakin.experiments.claims import refresh_claims
from datakin.experiments.digits import DIGITS
from datakin.experiments.eicu import EICU
from datakin.experiments.figures import FIGURES
from datakin.experiments.forecast_study import FORECAST
from datakin.experiments.gain_figures import GAINS
from datakin.experiments.gusto import GUSTO
from datakin.experiments.interval_study import GAIN_INTERVALS
from datakin.experiments.mushrooms import MUSHROOMS
from datakin.experiments.repair import REPAIR
from datakin.experiments.study import Study, Summary, run_study
from datakin.experiments.tables import TABLES

__all__ = ["STUDIES", "reproduce"]

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        NULL_CALIBRATION,
        COVERAGE,
        LIMIT_BIAS,
        *TABLES,
        *FIGURES,
        MUSHROOMS,
        *GAINS,
        FORECAST,
        GAIN_INTERVALS,
        REPAIR,
        DIGITS,
        CANINES,
        EICU,
        GUSTO,
    )
}


def reproduce(
    name: str,
    *,
    replicates: int | None = None,
    n_jobs: int = 1,
    folder: str | Path = "results",
    data: str | Path | None = None,
) -> Summary:
    """Run a study by name; write its table, page and figure to a folder.

    "claims" runs nothing: it fills ``claims.toml``, beside the folder, from the results in it.

    Parameters
    ----------
    name : str
        One of `STUDIES`, or "claims".
    replicates : int, optional
        Replicates per cell; the study's own number by default.
    n_jobs : int
        Processes; -1 for all cores. Changes no number.
    folder : path
        Where ``NAME.csv`` and ``NAME.md`` go. An interrupted run goes on from ``cache`` there.
    data : path, optional
        Where real data lie, for the studies that need some; by default what DATAKIN_DATA says.
    """
    if name == "claims":
        return refresh_claims(Path(folder))
    if name not in STUDIES:
        known = [*STUDIES, "claims"]
        raise DatakinError(
            f"Unknown study {name!r}. The studies are {listed(known, limit=99)}.{suggest(name, known)}"
        )
    with _data_in(data):
        return run_study(STUDIES[name], replicates=replicates, n_jobs=n_jobs, folder=Path(folder))


@contextmanager
def _data_in(folder: str | Path | None) -> Iterator[None]:
    """Let DATAKIN_DATA name a folder for a while: worker processes inherit it."""
    before = os.environ.get("DATAKIN_DATA")
    if folder is None:
        yield
        return
    if not Path(folder).is_dir():
        raise DatakinError(f"The data must be in a folder. {folder} is none.")
    os.environ["DATAKIN_DATA"] = str(Path(folder).resolve())
    try:
        yield
    finally:
        if before is None:
            del os.environ["DATAKIN_DATA"]
        else:
            os.environ["DATAKIN_DATA"] = before
