"""Runs units on a Dask cluster: one task for each, its datasets loaded by tasks of their own.

A loading task can be repeated, so that a lost worker costs the time of its tasks and nothing else:
the numbers are those of a run on one machine. Dask schedules; nothing here does. joblib's own Dask
backend would not do: it sends the data with the tasks instead of loading files on the workers, gives
tasks no names, cannot cancel those under way, and waits without end where no worker is left.
"""

from __future__ import annotations

import re
import socket
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from threadpoolctl import threadpool_limits

from datakin._core.exceptions import DatakinError, require
from datakin._core.progress import progress
from datakin._core.repeatability import versions
from datakin._core.warned import heard
from datakin.cross_errors.options import Options
from datakin.cross_errors.records import Piece
from datakin.data import Dataset, Origin
from datakin.execution.threads import Told
from datakin.execution.units import Unit, run_unit
from datakin.learners.models import Model

__all__ = ["run_on_cluster"]

CONNECT = 8  # seconds to wait for a scheduler
PROTOCOLS = ("tcp", "tls", "ucx", "ws", "wss")
PATIENCE = 120  # seconds without any worker before giving up
Messages = list[tuple[type[Warning], str]]


def run_on_cluster(
    units: Sequence[Unit], models: tuple[Model, ...], options: Options, client: Any
) -> Iterator[tuple[int, Piece]]:
    """Run all units on a cluster; yield the position and the piece of each as it is finished.

    `client` is a client, or the address of a scheduler. Ctrl-C cancels the tasks under way.
    """
    told = Told()
    with (
        told.passed_on(),
        _connected(client) as client,
        progress(f"fitting {len(units)} dataset(s)", len(units)) as advance,
    ):
        with heard(told.add):
            tasks = _submit(units, models, options, client)
        place = {future: i for i, future in enumerate(tasks)}
        try:
            for future in _as_they_come(tasks, client):
                piece, messages = _result(future, units[place[future]].dataset.name)
                for category, text in messages:
                    told.add(category, text)
                told.failures += [failure for own in piece.own for failure in own.failures]
                yield place[future], piece
                future.release()
                advance()
        finally:
            client.cancel([f for f in tasks if not f.done()], force=True)


@contextmanager
def _connected(client: Any) -> Iterator[Any]:
    """Yield a client for an address, closed in the end; one that was given stays open."""
    distributed = require("distributed", "cluster", "Running on a cluster")
    if not isinstance(client, str):
        if getattr(client, "asynchronous", False):
            raise DatakinError("The 'client' parameter must be a synchronous client.")
        yield client
        return
    place = _place(client)
    try:
        if place is not None:
            _knock(*place)
        made = distributed.Client(client, timeout=CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise DatakinError(
            f"No Dask scheduler answered at {client!r} ({type(error).__name__}). Start one (dask "
            f"scheduler), or correct the address, such as tcp://10.0.0.1:8786."
        ) from None
    try:
        yield made
    finally:
        made.close()


def _place(address: str) -> tuple[str, int] | None:
    """Return host and port; None where only a client can tell (encrypted, or within the process)."""
    place = re.fullmatch(r"(?:(\w+)://)?\[?([^/]+?)\]?:(\d+)", address)
    if address.startswith("inproc://"):
        return None
    if place is None or place[1] not in (None, *PROTOCOLS):
        raise DatakinError(
            f"The address of a Dask scheduler must be a host and a port, such as tcp://10.0.0.1:8786. "
            f"Got {address!r}."
        )
    return (place[2], int(place[3])) if place[1] in (None, "tcp") else None


def _knock(host: str, port: int) -> None:
    """Raise OSError where no scheduler listens.

    Dask's own connection waits its whole time where nobody listens, and takes the first bytes of
    another service for a size: it fails for want of exabytes of memory.
    """
    with socket.create_connection((host, port), timeout=CONNECT) as line:
        greeting = line.recv(8)  # a scheduler speaks first: how many frames will follow
    if len(greeting) < 8 or int.from_bytes(greeting, "little") > 1000:
        raise ConnectionError


def _submit(
    units: Sequence[Unit], models: tuple[Model, ...], options: Options, client: Any
) -> list[Any]:
    """Submit a loading task for each dataset and a fitting task for each unit."""
    run = uuid.uuid4().hex[:8]
    loads: dict[int, Any] = {}

    def load(dataset: Dataset) -> Any:
        if id(dataset) not in loads:
            key = ("load", dataset.name, f"{run}-{len(loads)}")
            what = dataset if dataset.origin is None else dataset.origin
            loads[id(dataset)] = client.submit(
                _load, what, dataset.name, dataset.fingerprint, key=key
            )
        return loads[id(dataset)]

    def submit(number: int, unit: Unit) -> Any:
        datasets = [unit.dataset, *(t.other for t in unit.tests)]
        if unit.held_out is not None:
            datasets.append(unit.held_out)
        empty: Any = None
        tests = [replace(t, other=empty) for t in unit.tests]
        bare = replace(unit, dataset=empty, held_out=None, tests=tests)
        key = ("fit", unit.dataset.name, f"{run}-{number}")
        return client.submit(_run, bare, list(map(load, datasets)), shared, versions(), key=key)

    shared = client.submit(_same, (tuple(models), options), key=("models", run))
    return [submit(number, unit) for number, unit in enumerate(units)]


def _same(value: Any) -> Any:
    return value


def _load(what: Dataset | Origin, name: str, fingerprint: str) -> Dataset:
    """Return a dataset on a worker: read from its file, or as it was sent."""
    return what.read(name, fingerprint) if isinstance(what, Origin) else what


def _run(
    bare: Unit,
    datasets: list[Dataset],
    shared: tuple[tuple[Model, ...], Options],
    wanted: dict[str, str],
) -> tuple[Piece, Messages]:
    """Run one unit on a worker."""
    _must_equal(wanted, versions())
    n = len(bare.tests)
    unit = replace(
        bare,
        dataset=datasets[0],
        tests=[replace(t, other=d) for t, d in zip(bare.tests, datasets[1 : 1 + n], strict=True)],
        held_out=datasets[1 + n] if len(datasets) > 1 + n else None,
    )
    messages: Messages = []
    with heard(lambda *message: messages.append(message)), threadpool_limits(limits=1):
        return run_unit(unit, *shared), messages


def _must_equal(wanted: dict[str, str], here: dict[str, str]) -> None:
    """Refuse a worker whose packages could give other numbers than the client's."""
    client, worker = _by_package(wanted), _by_package(here)
    if wrong := [name for name in client if worker.get(name) != client[name]]:
        found = ", ".join(f"{name} {worker.get(name, 'missing')}" for name in wrong)
        needed = " ".join(f"{name}=={client[name]}" for name in wrong)
        raise DatakinError(
            f"All workers must have the client's versions of datakin and its learners, or numbers would "
            f"differ. The worker on {socket.gethostname()!r} has {found}; install there: "
            f"pip install {needed}."
        )


def _by_package(found: dict[str, str]) -> dict[str, str]:
    """Return the versions that numbers depend on; XGBoost is one package under two names."""
    names = {name: name.removesuffix("-cpu") for name in found if name not in ("python", "pandas")}
    return {names[name]: found[name] for name in names}


def _as_they_come(tasks: Sequence[Any], client: Any) -> Iterator[Any]:
    """Yield finished tasks; raise when there has been no worker for too long."""
    from distributed import wait

    pending, alone_since = set(tasks), None
    while pending:
        try:
            with client.as_current():  # Dask waits with the client of the thread, not of the task
                done = wait(pending, timeout=1, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            done = set()
        pending -= done
        yield from sorted(done, key=tasks.index)
        if done or client.scheduler_info()["workers"]:
            alone_since = None
        elif alone_since is None:
            alone_since = time.monotonic()
        elif time.monotonic() - alone_since > PATIENCE:
            raise DatakinError(
                f"The cluster has had no worker for {PATIENCE} seconds, with {len(pending)} of "
                f"{len(tasks)} datasets to go. Start workers (dask worker ADDRESS) and run again; "
                f"with checkpoint= nothing is computed twice."
            )


def _result(future: Any, name: str) -> tuple[Piece, Messages]:
    from distributed import KilledWorker

    try:
        result: tuple[Piece, Messages] = future.result()
        return result
    except (DatakinError, KeyboardInterrupt):
        raise
    except KilledWorker:
        raise DatakinError(
            f"Workers died again and again while running {name!r}, perhaps for want of memory. "
            f"Give them more, or fewer threads each."
        ) from None
    except ModuleNotFoundError as error:
        raise DatakinError(
            f"Workers must have the same packages as the client. One has no {error.name!r}: install "
            f"datakin there too."
        ) from None
    except Exception as error:  # lost scheduler, cancelled tasks, unpicklable estimators
        raise DatakinError(
            f"The cluster could not run {name!r} ({type(error).__name__}: {str(error)[:160]})."
        ) from None
