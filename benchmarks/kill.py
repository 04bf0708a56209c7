"""Kill -9 of a worker, of all workers, and of the run itself: are the numbers identical?"""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from distributed import Client, LocalCluster
from workloads import family

import datakin

SCRIPT = """
import sys
import datakin
from workloads import family
print(datakin.matrix(family(6, 500, 10), checkpoint=sys.argv[1]).to_json())
"""


def digest(text):
    return hashlib.blake2b(text.strip().encode(), digest_size=8).hexdigest()


def kill_when_fitting(client, pids):
    while not any("fit" in str(k) for keys in client.processing().values() for k in keys):
        time.sleep(0.02)
    time.sleep(0.5)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def on_cluster(datasets, n_victims):
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())[:n_victims]
        killer = threading.Thread(target=kill_when_fitting, args=(client, pids))
        killer.start()
        result = datakin.matrix(datasets, client=client)
        killer.join()
    return result.to_json(), f"{n_victims} of 2 workers"


def resumed():
    """Kill the run once two of six datasets are finished, then run it again."""
    with tempfile.TemporaryDirectory() as folder:
        call = [sys.executable, "-c", SCRIPT, folder]
        run = subprocess.Popen(call, stdout=subprocess.DEVNULL, cwd=sys.path[0])
        units = Path(folder) / "units"
        while len(list(units.glob("*.parquet"))) < 2:
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
        run.wait()
        kept = len(list(units.glob("*.parquet")))
        again = subprocess.run(call, capture_output=True, text=True, check=True, cwd=sys.path[0])
    return again.stdout, f"the run, with {kept} of 6 datasets finished; run again"


def kill():
    datasets = family(6, 500, 10)
    whole = digest(datakin.matrix(datasets).to_json())
    rows = [("nothing", whole, "-")]
    for text, what in (on_cluster(datasets, 1), on_cluster(datasets, 2), resumed()):
        rows.append((what, digest(text), "yes" if digest(text) == whole else "NO"))
        print(*rows[-1], sep="  ", flush=True)
    return rows, ["killed with signal 9", "digest of the result's JSON", "identical"]
