"""Optimal transport dataset distances, for scale."""

import numpy as np
import ot
from timing import clock
from workloads import pair

import datakin
from datakin import DatakinError
from datakin.distances import OTDD


def pot_otdd(target, source):
    """Gaussian OTDD as a user of POT would write it."""
    (X, y), (Z, w) = target, source
    labels = np.zeros((2, 2))
    for a in range(2):
        for b in range(2):
            A, B = X[y == a], Z[w == b]
            labels[a, b] = (
                ot.gaussian.bures_wasserstein_distance(
                    A.mean(axis=0), B.mean(axis=0), np.cov(A.T), np.cov(B.T)
                )
                ** 2
            )
    cost = (ot.dist(X, Z) + labels[np.ix_(y, w)]) / 2
    return ot.emd2(ot.unif(len(X)), ot.unif(len(Z)), cost, numItermax=10_000_000)


def rivals(quick):
    rows = []
    for n in (200, 1000) if quick else (200, 1000, 5000, 20_000):
        data = pair(n, 10)
        calls = {
            "datakin.score": lambda d=data: datakin.score(*d),
            "POT": lambda d=data: pot_otdd(*d),
            "OTDD gaussian": lambda d=data: OTDD(inner="gaussian").between(*d),
            "OTDD exact": lambda d=data: OTDD().between(*d),
        }
        cells = []
        for name, call in calls.items():
            if n > 5000 and name != "datakin.score":
                cells.append(f"not run: {8 * n * n / 2**30:.0f} GiB a cost matrix")
                continue
            try:
                cells.append(f"{clock(call)[0]:.3g}")
            except DatakinError as error:
                cells.append(str(error).split(".")[0])
        print(n, *cells, sep="  ", flush=True)
        rows.append((n, *cells))
    return rows, ["n", "CLS", "OTDD by POT", "OTDD, Gaussian labels", "OTDD, exact labels"]
