"""Reading large files: CPU time and peak memory, beside another version of the package.

    python benchmarks/reading.py [--beside FOLDER] [--rounds 3] [--rows 1000000]

`--beside` takes the `src` folder of another commit. Each reading runs in a process of its own;
versions take turns, and the least CPU time of the rounds counts. What imports cost is taken
off: a small table is read first, since modules are imported when they are needed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

HERE = Path(__file__).resolve().parent.parent / "src"
CHUNK = 50_000

CHILD = """
import json, resource, sys, warnings
warnings.simplefilter("ignore")
import datakin, pyarrow.parquet, pyarrow.csv, narwhals
def cpu():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime
def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
datakin.read_table(sys.argv[3], label="y")
before = cpu()
rows = None if sys.argv[2] == "all" else int(sys.argv[2])
table = datakin.read_table(sys.argv[1], label="y", read_rows=rows)
print(json.dumps({"cpu": cpu() - before, "memory": peak() / 2**20, "print": table.fingerprint}))
"""


def write(folder: Path, n: int) -> dict[str, tuple[Path, str]]:
    """Write the files; return them with the rows to read."""
    rng = np.random.default_rng(1)
    wide = folder / "wide.parquet"
    with pq.ParquetWriter(wide, _piece(rng, 10, 50).schema) as writer:
        for _ in range(n // CHUNK):
            writer.write_table(_piece(rng, CHUNK, 50))
    pq.write_table(_piece(rng, 100, 50), folder / "warm.parquet")
    pa.csv.write_csv(_piece(rng, 100, 25), folder / "warm.csv")
    long, small = folder / "long.csv", folder / "small.csv"
    for path, rows in ((long, 2 * n // 5), (small, n // 20)):
        with pa.csv.CSVWriter(str(path), _piece(rng, 10, 25).schema) as writer:
            for _ in range(max(1, rows // CHUNK)):
                writer.write_table(_piece(rng, min(CHUNK, rows), 25))
    return {
        f"Parquet, {n:,} x 50, 200,000 rows drawn": (wide, "200000"),
        f"CSV, {os.path.getsize(long) / 1e6:.0f} MB, 200,000 rows drawn": (long, "200000"),
        f"CSV, {os.path.getsize(small) / 1e6:.0f} MB, all rows": (small, "all"),
    }


def _piece(rng: np.random.Generator, n: int, p: int) -> pa.Table:
    columns = {f"x{j:02d}": rng.normal(size=n) for j in range(p - 2)}
    columns["count"] = rng.integers(0, 1000, n)
    columns["ward"] = pa.array(rng.choice(["north", "south", "east"], n))
    return pa.table({**columns, "y": rng.integers(0, 2, n)})


def read(source: Path, path: Path, rows: str) -> dict[str, float | str]:
    """Read a file in a process that uses the package of a folder."""
    env = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    warm = path.with_name(f"warm{path.suffix}")
    call = [sys.executable, "-c", CHILD, str(path), rows, str(warm)]
    done = subprocess.run(call, capture_output=True, text=True, env=env, check=True)
    found: dict[str, float | str] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print a line for each file and version."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    versions = {"this": HERE} | ({} if given.beside is None else {"beside": given.beside})
    with tempfile.TemporaryDirectory() as folder:
        for title, (path, rows) in write(Path(folder), given.rows).items():
            found = {name: [] for name in versions}
            for _ in range(given.rounds):
                for name, source in versions.items():
                    found[name].append(read(source, path, rows))
            for name, runs in found.items():
                seconds = min(run["cpu"] for run in runs)
                memory = min(run["memory"] for run in runs)
                print(f"{title:<46} {name:<7} {seconds:6.2f} CPU s  {memory:5.2f} GiB", flush=True)


if __name__ == "__main__":
    main()
