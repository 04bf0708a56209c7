"""A Dask cluster gives the numbers of one machine, also when its workers die."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings

import pytest

import datakin
from datakin import DatakinError, DatakinWarning, Interrupted
from datakin.execution import cluster
from datakin.synthetic import make_demo

distributed = pytest.importorskip("distributed", reason="needs dask: pip install datakin[cluster]")

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("cluster"),
    # Dask's own warnings, and sockets it leaves to the garbage collector.
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as made,
        distributed.Client(made) as client,
    ):
        yield client


FAST = {"models": ["logistic", "linear_svm"], "cv": 3}


def test_a_choice_is_the_same(client):
    target, sources = make_demo(n_source=100)
    some = [each.dataset for each in sources[::2]]
    options = {"repeats": 1, "learners": ["linear", "trees", "kernel"]}
    here, there = (datakin.choose(target, some, client=c, **options) for c in (None, client))
    assert here == there
    fresh = sources[0].dataset.features.numeric
    assert (here.model.predict_proba(fresh) == there.model.predict_proba(fresh)).all()


def test_the_same_numbers(client, family):
    assert datakin.matrix(family(4), client=client, **FAST) == datakin.matrix(family(4), **FAST)
    datasets = family(4)
    target = datasets.pop("d0")
    come = []
    ranking = datakin.rank(target, datasets, client=client, on_result=come.append, **FAST)
    assert ranking == datakin.rank(target, datasets, **FAST)
    assert {c.source for c in come} == set(datasets)


def test_by_address_with_a_checkpoint(client, tmp_path, family):
    address = client.scheduler.address
    made = datakin.matrix(family(3), client=address, checkpoint=tmp_path, **FAST)
    assert made == datakin.matrix(family(3), **FAST)
    assert len(list((tmp_path / "units").glob("*.parquet"))) == 3
    again = datakin.matrix(family(3), checkpoint=tmp_path, **FAST)  # resumed without the cluster
    assert again == made


SCHEDULER = """
import sys
import distributed

if __name__ == "__main__":
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as made:
        print(made.scheduler_address, flush=True)
        sys.stdin.read()  # until the test closes it
"""


@pytest.fixture
def address(tmp_path):
    """The address of a cluster that another process runs, as users have it."""
    script = tmp_path / "cluster.py"
    script.write_text(SCHEDULER)
    process = subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(timeout=60)
        process.stdout.close()


def test_the_address_of_a_cluster_elsewhere_on_the_command_line(address, tmp_path, family):
    import pandas as pd

    assert address.startswith("tcp://127.0.0.1:")
    for name, (X, y) in family(2).items():
        pd.DataFrame(X, columns=list("abc")).assign(y=y).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    command = [sys.executable, "-m", "datakin", "score", tmp_path / "d0.csv", tmp_path / "d1.csv"]
    command += ["--label", "y", "--models", "logistic", "--cv", "3", "--json"]
    # No client exists in these processes but the one that datakin makes.
    there, here = (
        subprocess.run([*command, *more], capture_output=True, text=True, timeout=120)
        for more in (["--cluster", address], [])
    )
    assert there.returncode == here.returncode == 0, there.stderr
    assert datakin.from_json(there.stdout) == datakin.from_json(here.stdout)


def _report(**changes):
    """Let a worker say that it has other versions; without any, the true ones."""
    from datakin._core.repeatability import versions

    cluster.versions = lambda: {**versions(), **changes}


def test_workers_with_other_versions_are_refused(client, family):
    client.run(_report, datakin="0.0.1", numpy="1.0")
    try:
        with pytest.raises(
            DatakinError, match=r"has datakin 0\.0\.1, numpy 1\.0; install there: pip"
        ):
            datakin.matrix(family(3), client=client, **FAST)
        client.run(_report, pandas="1.0", python="3.99")  # what no number depends on
        datakin.matrix(family(3), client=client, **FAST)
    finally:
        client.run(_report)


def test_xgboost_is_the_same_under_both_of_its_names():
    cluster._must_equal({"xgboost": "3.0"}, {"xgboost-cpu": "3.0"})
    with pytest.raises(
        DatakinError, match=r"has xgboost 2\.9; install there: pip install xgboost==3"
    ):
        cluster._must_equal({"xgboost": "3.0"}, {"xgboost-cpu": "2.9"})


def test_sampled_datasets(client, family):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        pair = [family(1, 900)["d0"], family(2, 300)["d1"]]
        options = {"models": ["logistic"], "max_rows": 400}
        there = datakin.score(*pair, client=client, **options)
        assert there == datakin.score(*pair, **options)


def test_files_are_loaded_inside_tasks(client, tmp_path, family):
    import pandas as pd

    for name, (X, y) in family(3).items():
        pd.DataFrame(X, columns=list("abc")).assign(y=y).to_csv(tmp_path / f"{name}.csv")
    datasets = datakin.read_tables(str(tmp_path / "*.csv"), label="y", ignore="Unnamed: 0")
    assert all(d.origin is not None for d in datasets.values())
    there = datakin.matrix(datasets, client=client, **FAST)
    assert there == datakin.matrix(datasets, **FAST)
    (tmp_path / "d1.csv").write_text((tmp_path / "d2.csv").read_text())
    with pytest.raises(DatakinError, match=r"of 'd1' must be on every worker, as it was"):
        datakin.matrix(datasets, client=client, **FAST)


def test_what_went_wrong_is_told(client, family):
    from sklearn.linear_model import LogisticRegression

    models = {"fine": LogisticRegression(), "bad": LogisticRegression(C=-1.0)}
    with pytest.warns(DatakinWarning, match=r"bad: \d+ fit.s. failed on 3 dataset"):
        datakin.matrix(family(3), client=client, models=models, cv=3)


@pytest.mark.parametrize("victims", ["one worker", "all workers"])
def test_workers_that_die_change_no_number(client, victims, family):
    datasets = family(5, n=400, p=6)
    expected = datakin.matrix(datasets, n_jobs=2)
    client.wait_for_workers(2, timeout=60)  # those killed before are back
    pids, killed = list(client.run(os.getpid).values()), []

    def kill():
        while not any("fit" in str(key) for key in _running(client)):
            time.sleep(0.02)
        for pid in pids[: 1 if victims == "one worker" else None]:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    result = datakin.matrix(datasets, client=client)
    killer.join()
    assert len(killed) == (1 if victims == "one worker" else 2)
    assert result == expected


def _running(client):
    return [key for keys in client.processing().values() for key in keys]


def test_ctrl_c_cancels_the_tasks_and_keeps_what_is_finished(client, family):
    seen = []

    def press(comparison):
        seen.append(comparison)
        if len(seen) == 2:
            raise KeyboardInterrupt

    datasets = family(7, n=100)
    target = datasets.pop("d0")
    with pytest.raises(Interrupted, match="of 6 sources finished") as caught:
        datakin.rank(target, datasets, client=client, on_result=press, **FAST)
    whole = datakin.rank(target, datasets, **FAST)
    assert len(caught.value.partial) >= 2
    assert all(c == whole[c.source] for c in caught.value.partial)
    give_up = time.monotonic() + 20
    while _running(client) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert not _running(client)


def test_a_dead_address_is_said_at_once(family):
    with socket.socket() as free:  # a port where nobody listens
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.monotonic()
    with pytest.raises(
        DatakinError, match=f"No Dask scheduler answered at 'tcp://127.0.0.1:{port}'"
    ):
        datakin.matrix(family(2), client=f"tcp://127.0.0.1:{port}", **FAST)
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    "address", ["nonsense", "localhost", "tcp://localhost", "http://localhost:9", "tcp://a:b"]
)
def test_an_address_that_is_none(family, address):
    began = time.monotonic()
    with pytest.raises(DatakinError, match=r"must be a host and a port, such as tcp.* Got '"):
        datakin.matrix(family(2), client=address, **FAST)
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("greeting", [b"", b"SSH-2.0-OpenSSH_9.2p1\r\n"])
def test_a_port_where_someone_else_listens(monkeypatch, greeting, family):
    monkeypatch.setattr(cluster, "CONNECT", 1)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"tcp://127.0.0.1:{other.getsockname()[1]}"

        def answer():
            line, _ = other.accept()
            line.sendall(greeting)
            time.sleep(1.5)
            line.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(DatakinError, match="No Dask scheduler answered"):
            datakin.matrix(family(2), client=address, **FAST)
        thread.join()


def test_a_cluster_without_workers_is_said(monkeypatch, family):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None, processes=False) as empty,
        distributed.Client(empty) as client,
        pytest.raises(DatakinError, match=r"no worker for 1 seconds, with 2 of 2 datasets to go"),
    ):
        datakin.matrix(family(2), client=client, **FAST)


@pytest.mark.parametrize("value", [3, ["a"], True])
def test_client_must_be_one(value):
    with pytest.raises(DatakinError, match=r"'client' parameter must be a dask\.distributed"):
        datakin.CrossLearningScore(client=value)
