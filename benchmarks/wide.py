"""Many datasets: time and memory of a whole matrix, one thread, each in a process of its own."""

import json
import subprocess
import sys

import numpy as np

N_ROWS, N_COLUMNS = 500, 20

CHILD = """
import json, resource, sys, time
import datakin
from wide import family
datasets = family(int(sys.argv[1]))
before = time.perf_counter()
result = datakin.matrix(datasets)
wall = time.perf_counter() - before
use = resource.getrusage(resource.RUSAGE_SELF)
def peak():  # in KiB, of this process alone; ru_maxrss starts with the parent's
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
print(json.dumps({"wall": wall, "cpu": use.ru_utime + use.ru_stime, "n_fits": result.n_fits,
    "memory": peak() / 2**20, "groups": len(set(result.clusters().values()))}))
"""


def family(k):
    """Return k datasets of three kinds."""
    made = {}
    for i in range(k):
        rng = np.random.default_rng([i, 77])
        rule = np.random.default_rng(i % 3).standard_normal(N_COLUMNS)
        X = rng.standard_normal((N_ROWS, N_COLUMNS))
        value = X @ rule / np.sqrt(N_COLUMNS) + 0.3 * X[:, 0] * X[:, 1]
        made[f"d{i:03d}"] = X, (value + 0.4 * rng.standard_normal(N_ROWS) > 0).astype(int)
    return made


def wide(sizes=(100, 300)):
    rows = []
    for k in sizes:
        call = [sys.executable, "-W", "ignore", "-c", CHILD, str(k)]
        done = subprocess.run(call, capture_output=True, text=True, cwd=sys.path[0], check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        f = json.loads(done.stdout)
        print(f, flush=True)
        cells = k * (k - 1) // 2
        rows.append(
            (
                k,
                f"{f['n_fits']:,}",
                f"{cells:,}",
                f"{f['wall']:.0f}",
                f"{f['cpu']:.0f}",
                f"{1000 * f['cpu'] / f['n_fits']:.1f}",
                f"{f['memory']:.2f}",
                f"{8 * 6 * 2 * 2 * cells * N_ROWS / 2**30:.1f}",
            )
        )
    columns = ["datasets", "fits", "pairs", "wall s", "CPU s", "CPU ms a fit", "peak memory, GiB"]
    return rows, [*columns, "all errors at once would be, GiB"]
