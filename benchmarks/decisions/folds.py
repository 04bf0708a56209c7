"""How many draws of the folds does a trial need? What fewer of them change.

    python -m benchmarks.decisions.folds        writes benchmarks/results/folds.md; about five minutes

Made-up targets and sources of equal size. Each trial is measured with ten draws of the folds, and read again
from the first of them alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from datakin.learners.stack import gains
from datakin.learners.stack.records import call_of
from datakin.learners.stack.trials import measure_target
from datakin.synthetic import settings
from reproduction.harness import made_by, markdown

RESULTS = Path(__file__).parents[1] / "results"
SETTINGS, COSINES = ("lda", "logistic", "linear"), (1.0, 0.9, 0.6, -0.5)
SIZES, MOST, FEWER, REPLICATES = (60, 120, 200, 400, 1000), 10, (1, 2, 3, 5), 2


def read(found: Any, draws: int) -> gains.Trial:
    """Return the trial of the only source, from the first draws of the folds."""
    draw(draws)
    return gains.trials_of(found, gains.judge_of(found)).trials["source"]


def draw(n_draws: int) -> None:
    """Let trials of all sizes have this many draws of the folds."""
    gains.MOST_DRAWS, gains.ROWS_DRAWN = n_draws, 10**6


def rows_of(name: str, cosine: float, n: int, seed: int) -> list[dict[str, Any]]:
    """Return what one trial says with each number of draws."""
    pair = settings()[name](cosine).sample(n, n, random_state=seed)
    draw(MOST)
    found = measure_target(pair.target, [pair.source.renamed("source")], random_state=seed)
    made = {draws: read(found, draws) for draws in (*FEWER, MOST)}
    last = made[MOST]
    return [
        {
            "rows": n,
            "draws": draws,
            "off": (trial.tried - last.tried) / (gains.SPREAD * last.standard_error),
            "other": call_of(trial) != call_of(last),
            "gain": abs(trial.gain - last.gain),
        }
        for draws, trial in made.items()
    ]


def table_of(sizes: Sequence[int]) -> pd.DataFrame:
    """Return the lines of the page for targets of some sizes."""
    usual = gains.MOST_DRAWS, gains.ROWS_DRAWN
    cells = product(SETTINGS, COSINES, sizes, range(REPLICATES))
    frame = pd.DataFrame([row for cell in cells for row in rows_of(*cell)])
    gains.MOST_DRAWS, gains.ROWS_DRAWN = usual
    frame = frame[frame["draws"] < MOST]
    table = frame.groupby(["rows", "draws"]).agg(
        trials=("off", "size"),
        off=("off", lambda x: float(np.sqrt(np.mean(x**2)))),
        other=("other", "mean"),
        gain=("gain", "mean"),
    )
    found = table.reset_index()
    return pd.DataFrame(
        {
            "rows": found["rows"],
            "draws": found["draws"],
            "trials": found["trials"],
            "off": found["off"].map("{:.2f}".format),
            "other call": found["other"].map("{:.0%}".format),
            "change": (100 * found["gain"]).map("{:.2f}".format),
        }
    )


def main() -> None:
    argparse.ArgumentParser(
        prog="python -m benchmarks.decisions.folds", description=__doc__
    ).parse_args()
    lines = [
        "# folds",
        "",
        "How many draws of the folds does a trial need? Made-up targets and sources of equal size, "
        f"{len(SETTINGS)} settings, cosines {', '.join(map(str, COSINES))}, {REPLICATES} replicates each; "
        f"held against the same trial with {MOST} draws. Off: root mean square of the change of the measured "
        "gain, in units of the noise that it is read with (the standard error by rows, widened). Other "
        "call: share of the sources that are called otherwise. Change: mean change of the stated gain, in "
        "points.",
        "",
        markdown(table_of(SIZES)),
        "",
        made_by("python -m benchmarks.decisions.folds", f"Seeds 0 to {REPLICATES - 1}"),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    (RESULTS / "folds.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
