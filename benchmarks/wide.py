"""Many datasets: time and memory of a whole matrix, each in a process of its own."""

import json
import subprocess
import sys

import numpy as np

N_KINDS = 3

CHILD = """
import json, resource, sys, time
import datakin
from threadpoolctl import threadpool_limits
from wide import family
k, n, p, n_jobs = map(int, sys.argv[1:5])
datasets = family(k, n, p)
before = time.perf_counter()
result = datakin.matrix(datasets, models=sys.argv[5] or None, n_jobs=n_jobs)
wall = time.perf_counter() - before
use = resource.getrusage(resource.RUSAGE_SELF)
def peak():  # in KiB, of this process alone; ru_maxrss starts with the parent's
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
print(json.dumps({"wall": wall, "cpu": use.ru_utime + use.ru_stime, "n_fits": result.n_fits,
    "memory": peak() / 2**20}))
"""
COLUMNS = [
    *("datasets", "rows x columns", "models", "threads", "fits", "pairs", "wall s", "CPU s"),
    *("CPU ms a pair", "peak memory, GiB", "asked for"),
]


def family(k, n_rows=500, n_columns=20):
    """Return k datasets of three kinds."""
    made = {}
    for i in range(k):
        rng = np.random.default_rng([i, 77])
        rule = np.random.default_rng(i % N_KINDS).standard_normal(n_columns)
        X = rng.standard_normal((n_rows, n_columns))
        value = X @ rule / np.sqrt(n_columns) + 0.3 * X[:, 0] * X[:, 1]
        made[f"d{i:03d}"] = X, (value + 0.4 * rng.standard_normal(n_rows) > 0).astype(int)
    return made


def measured(k, n, p, models, n_jobs, needed):
    call = [sys.executable, "-W", "ignore", "-c", CHILD, *map(str, (k, n, p, n_jobs)), models]
    done = subprocess.run(call, capture_output=True, text=True, cwd=sys.path[0], check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    f = json.loads(done.stdout)
    print(k, n, p, models, f, flush=True)
    pairs = k * (k - 1) // 2
    return (
        f"{k:,}",
        f"{n} x {p}",
        models or "default",
        n_jobs,
        f"{f['n_fits']:,}",
        f"{pairs:,}",
        f"{f['wall']:.0f}",
        f"{f['cpu']:.0f}",
        f"{1000 * f['cpu'] / pairs:.1f}",
        f"{f['memory']:.2f}",
        needed,
    )


def wide(quick=False):
    """Default and paper's models by turns; only the default on more datasets."""
    if quick:
        return [measured(12, 500, 20, models, 1, "-") for models in ("paper", "")], COLUMNS
    return [
        measured(100, 500, 20, "paper", 1, "-"),
        measured(100, 500, 20, "", 1, "95 s, 1.2 GiB"),
        measured(300, 500, 20, "", 1, "580 s, 1.2 GiB"),
        measured(1000, 200, 10, "", 2, "wall 3,600 s"),
    ], COLUMNS
