"""Threads against processes for the units of work."""

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from timing import clock
from workloads import family

import datakin
from datakin.data import collect
from datakin.scoring import units
from datakin.scoring.options import Options
from datakin.scoring.run import Run


def one_unit(unit, options):
    """Run a unit in a process of its own."""
    results, _ = units.run_units([unit], options.chosen_models(True), options)
    return results[0]


def with_processes(datasets, pairs):
    """What `Run` does, its units handed to joblib's processes."""

    def run_units(made, models, options):
        return Parallel(2)(delayed(one_unit)(unit, options) for unit in made), False

    members = collect(datasets, "dataset")
    original = Run.__init__.__globals__["run_units"]
    Run.__init__.__globals__["run_units"] = run_units
    try:
        Run(members, pairs, Options())
    finally:
        Run.__init__.__globals__["run_units"] = original


def parallel():
    rows = []
    for n, k in ((200, 2), (200, 8), (1000, 2), (1000, 8)):
        made = family(k, n, 10)
        pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
        walls = [
            min(clock(datakin.matrix, made, n_jobs=jobs)[1] for _ in range(3)) for jobs in (1, 2)
        ]
        get_reusable_executor().shutdown(wait=True)
        cold, *warm = (clock(with_processes, made, pairs)[1] for _ in range(3))
        row = (f"{k} datasets, n = {n}", *(f"{w:.2f}" for w in (*walls, min(warm), cold)))
        print(*row, sep="  ", flush=True)
        rows.append(row)
    return rows, [
        "workload",
        "one thread",
        "two threads",
        "two warm processes",
        "two new processes",
    ]
