"""Flat in n: scores of large datasets from samples, in memory and from Parquet files.

Each file pair runs in a process of its own, whose CPU time and peak memory count everything from
the import on. Files are sorted by label, so that whoever reads their beginning reads one class.
"""

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from timing import clock
from workloads import draw, pair

import datakin

CHUNK = 100_000

CHILD = """
import json, resource, sys, warnings
warnings.simplefilter("ignore")
import datakin
tables = [datakin.read_table(path, label="y") for path in sys.argv[1:]]
c = datakin.score(*tables)
table = c.errors.frame
use = resource.getrusage(resource.RUSAGE_SELF)
def peak():  # in KiB, of this process alone; ru_maxrss starts with the parent's
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
print(json.dumps({"score": c.score, "se": c.standard_error, "zone": c.zone.value,
    "n_train": table["n_train"].max(), "cpu": use.ru_utime + use.ru_stime,
    "memory": peak() / 2**20, "shares": [float(t.y.mean()) for t in tables]}))
"""


def write_sorted(path, n, p, seed, angle):
    """Write n rows of one dataset, class 0 first, in pieces."""
    names = [f"x{j:02d}" for j in range(p)]
    writer = None
    for label in (0, 1):
        for piece in range(n // CHUNK):
            X, y = draw(CHUNK, p, [seed, piece], angle)
            rows = X[y == label]
            columns = {name: rows[:, j] for j, name in enumerate(names)}
            table = pa.table({**columns, "y": np.full(len(rows), label)})
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
    writer.close()


def from_files(n, p=50):
    """Return what a process needs for a pair of files with n rows each."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("target.parquet", "source.parquet")]
        for path, seed, angle in zip(paths, (1, 2), (0.0, 0.5), strict=True):
            write_sorted(path, n, p, seed, angle)
        size = sum(os.path.getsize(path) for path in paths) / 2**30
        call = [sys.executable, "-c", CHILD, *map(str, paths)]
        done = subprocess.run(call, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    print(n, found, flush=True)
    return found | {"gib": size}


def in_memory(p=50):
    """Time and standard error of the whole plan against samples, both sides of the default."""
    rows = []
    for n in (2500, 5000, 10_000, 20_000, 100_000):
        data = pair(n, p)
        for name, limit in (("all rows", None), ("samples", 2000 if n < 5000 else n // 2)):
            if limit is None and n > 10_000:
                continue
            options = {} if name == "samples" and n > 10_000 else {"max_rows": limit}
            found = []
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                seconds = clock(
                    lambda d, o, f: f.append(datakin.score(*d, **o)), data, options, found
                )[0]
            c = found[0]
            table = c.errors.frame
            n_train = int(table["n_train"].max())
            row = (f"{n:,}", name, f"{n_train:,}", f"{seconds:.1f}", f"{c.score:.4f}")
            rows.append((*row, f"{c.standard_error:.4f}"))
            print(*rows[-1], sep="  ", flush=True)
    return rows, ["n", "estimate from", "trained on", "CPU s", "score", "standard error"]


def files():
    """Table of the file pairs."""
    truth = datakin.score(*pair(400_000, 50), precision=0.002)
    rows = []
    for n in (10**6, 10**7):
        f = from_files(n)
        gap = abs(f["score"] - truth.score) / np.hypot(f["se"], truth.standard_error)
        rows.append(
            (
                f"{n:,}",
                f"{f['gib']:.1f}",
                f"{f['cpu']:.1f}",
                f"{f['memory']:.2f}",
                f"{f['score']:.4f}",
                f"{f['se']:.4f}",
                f"{truth.score:.4f} ({truth.standard_error:.4f})",
                f"{gap:.1f}",
            )
        )
    columns = ["rows a file", "GiB, both files", "CPU s", "peak memory, GiB", "score"]
    columns += ["standard error", "from 400,000 rows in memory", "difference, standard errors"]
    return rows, columns
