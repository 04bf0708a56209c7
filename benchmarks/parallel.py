"""Threads against processes for the units of work."""

from statistics import median
from unittest.mock import patch

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from timing import clock
from workloads import family

import datakin
from datakin.scoring.units import run_unit


def in_processes(units, models, options, finished):
    """Do what `run_in_threads` does, one unit at a time in each of joblib's processes."""
    results = Parallel(2)(delayed(run_unit)(unit, models, options) for unit in units)
    for position, result in enumerate(results):
        finished(position, result)
    return False


def with_processes(datasets):
    with patch("datakin.scoring.store.run_in_threads", in_processes):
        datakin.matrix(datasets)


def parallel(quick=False):
    rows = []
    rounds = 1 if quick else 5
    for n, k in ((200, 2), (200, 8), (1000, 2), (1000, 8)):
        made = family(k, n, 10)
        found = {"one": [], "two": [], "warm": [], "new": []}
        for _ in range(rounds):  # by turns
            found["one"].append(clock(datakin.matrix, made, n_jobs=1)[1])
            found["two"].append(clock(datakin.matrix, made, n_jobs=2)[1])
            get_reusable_executor().shutdown(wait=True)
            found["new"].append(clock(with_processes, made)[1])
            found["warm"].append(clock(with_processes, made)[1])
        row = (f"{k} datasets, n = {n}", rounds, *(f"{median(w):.2f}" for w in found.values()))
        print(*row, sep="  ", flush=True)
        rows.append(row)
    columns = ["workload", "rounds", "one thread", "two threads", "two warm processes"]
    return rows, [*columns, "two new processes"]
