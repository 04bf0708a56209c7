"""Threads against processes for the units of work.

The processes are workers of a Dask cluster on this machine, which is how a user of datakin gets some.
(Measured before with joblib's processes, by putting them in the place of a private function.)
"""

from statistics import median

from distributed import Client, LocalCluster
from timing import clock
from workloads import family

import datakin


def start():
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    return Client(cluster), cluster


def in_new_processes(datasets):
    client, cluster = start()
    with cluster, client:
        datakin.matrix(datasets, client=client)


def parallel(quick=False):
    rows = []
    rounds = 1 if quick else 5
    client, cluster = start()
    with cluster, client:
        for n, k in ((200, 2), (200, 8), (1000, 2), (1000, 8)):
            made = family(k, n, 10)
            found = {"one": [], "two": [], "warm": [], "new": []}
            datakin.matrix(made, client=client)  # the workers' imports count for nobody
            for _ in range(rounds):  # by turns
                found["one"].append(clock(datakin.matrix, made, n_jobs=1)[1])
                found["two"].append(clock(datakin.matrix, made, n_jobs=2)[1])
                found["new"].append(clock(in_new_processes, made)[1])
                found["warm"].append(clock(datakin.matrix, made, client=client)[1])
            row = (f"{k} datasets, n = {n}", rounds, *(f"{median(w):.2f}" for w in found.values()))
            print(*row, sep="  ", flush=True)
            rows.append(row)
    columns = ["workload", "rounds", "one thread", "two threads", "two warm processes"]
    return rows, [*columns, "two new processes"]
