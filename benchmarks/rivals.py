"""Optimal transport dataset distances beside the score, in CPU seconds."""

import json
import subprocess
import sys

import numpy as np
import ot
from timing import clock
from workloads import pair

import datakin
from datakin.distances import OTDD

MOST_HERE = 5000  # rows; beyond, a call runs in a process of its own, with bounds
BYTES_A_CELL = 45  # the cost matrix, POT's copy of it, and its network's arcs
MOST_SECONDS = 3 * 3600

CHILD = """
import json, resource, sys, time
limit = int(float(sys.argv[3]))
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from rivals import CALLS
from workloads import pair
data, call = pair(int(sys.argv[2]), 10), CALLS[sys.argv[1]]
before = time.process_time()
call(*data)
print(json.dumps({"cpu": time.process_time() - before,
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}))
"""


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
    cost = ot.dist(X, Z)
    cost += labels[np.ix_(y, w)]
    cost /= 2
    return ot.emd2(ot.unif(len(X)), ot.unif(len(Z)), cost, numItermax=10**9)


CALLS = {
    "CLS": lambda target, source: datakin.score(target, source),
    "OTDD by POT": pot_otdd,
    "OTDD, Gaussian labels": lambda t, s: OTDD(inner="gaussian").compare(t, s),
    "OTDD, exact labels": lambda t, s: OTDD().compare(t, s),
}


def free_bytes():
    with open("/proc/meminfo", encoding="ascii") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if "MemAvailable" in line)


def bounded(name, n):
    """Run a call in a process that may not take more memory than there is."""
    needed, free = BYTES_A_CELL * n**2, free_bytes()
    if needed > 0.9 * free:
        return f"not run: about {needed / 2**30:.0f} GiB needed, {free / 2**30:.0f} free"
    call = [sys.executable, "-W", "ignore", "-c", CHILD, name, str(n), str(0.95 * free)]
    try:
        done = subprocess.run(
            call, capture_output=True, text=True, cwd=sys.path[0], timeout=MOST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"not finished in {MOST_SECONDS // 3600} h"
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["killed"])[-1]
        return f"failed: {last.split(':')[-1].strip().split('. ')[0][:80]}"
    found = json.loads(done.stdout)
    return f"{found['cpu']:.4g} ({found['memory']:.1f} GiB)"


def rivals(quick=False):
    rows = []
    for n in (200, 1000) if quick else (200, 1000, 5000, 20_000):
        data = pair(n, 10)
        cells = []
        for name, call in CALLS.items():
            if n > MOST_HERE and name != "CLS":
                cells.append(bounded(name, n))
            else:
                rounds = 1 if n == 5000 or quick else 3
                seconds = np.median([clock(call, *data)[0] for _ in range(rounds)])
                cells.append(f"{seconds:.3g}")
            print(n, name, cells[-1], sep="  ", flush=True)
        rows.append((f"{n:,}", *cells))
    return rows, ["n", *CALLS]
