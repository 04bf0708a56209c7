"""What the studies and the decision benchmark share: kept rows, processes, seeds, pages.

Nothing here knows what is studied. Work that is finished is kept at once, so that a run that was
killed goes on where it stopped; seeds follow from names, so that the order of work changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from datakin import DatakinError, Interrupted
from reproduction.stamps import stamp

Array = NDArray[Any]
Row = dict[str, Any]
PACKAGES = ("datakin", "numpy", "scipy", "scikit-learn", "pandas", "xgboost-cpu", "xgboost")


class Cache:
    """Finished pieces of work, one JSON line each; a torn last line is dropped and done again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, Any] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8") if path.exists() else ""
        except OSError as error:
            raise DatakinError(
                f"The results must go to a folder that can be written. {path.parent.parent} cannot "
                f"({error.strerror})."
            ) from None
        for line in text.splitlines():
            try:
                entry = json.loads(line)
                self.done[entry["key"]] = entry["value"]
            except (json.JSONDecodeError, KeyError, TypeError):
                continue
        # What is added must not become part of a torn line, or it would be lost with it.
        self._before = "" if not text or text.endswith("\n") else "\n"

    def add(self, key: str, value: Any) -> None:
        """Keep a piece of work, as a later run will read it."""
        line = json.dumps({"key": key, "value": value})
        self.done[key] = json.loads(line)["value"]
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self._before + line + "\n")
        self._before = ""


def key_of(*what: Any) -> str:
    """Return a short key for plain values."""
    text = json.dumps(what, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def run_missing(
    title: str,
    tasks: Sequence[tuple[Cache, str, Any]],
    work: Callable[[Any], Any],
    *,
    n_jobs: int = 1,
    unit: str = "piece(s) of work",
) -> list[Any]:
    """Do the tasks that are not kept yet, in processes; return what was found for all of them.

    Parameters
    ----------
    title : str
        Shown beside the progress bar.
    tasks : sequence of (Cache, key, task)
    work : callable
        ``work(task)`` returns plain values.
    n_jobs : int
        Processes; -1 for all cores. Changes no number.
    unit : str
        What a piece of work is called, for whoever interrupts the run.
    """
    if n_jobs == 0:
        raise DatakinError("n_jobs must not be 0: say how many processes, or -1 for all cores.")
    missing = [task for task in tasks if task[1] not in task[0].done]
    # Processes: below a few thousand rows the learners spend most of their time under the
    # interpreter's lock.
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    try:
        results = parallel(delayed(_numbered)(work, i, task[2]) for i, task in enumerate(missing))
        for place, value in _shown(results, f"{title}: {len(missing)} {unit}", len(missing)):
            cache, key, _ = missing[place]
            cache.add(key, value)
    except KeyboardInterrupt:
        kept = sum(len(cache.done) for cache in {id(c): c for c, _, _ in tasks}.values())
        raise Interrupted(
            f"Interrupted with {kept} {unit} kept; the same command goes on from there."
        ) from None
    return [cache.done[key] for cache, key, _ in tasks]


def _numbered(work: Callable[[Any], Any], place: int, task: Any) -> tuple[int, Any]:
    return place, work(task)


def _shown(results: Any, title: str, total: int) -> Iterable[Any]:
    """Show progress on a terminal."""
    if not sys.stderr.isatty():
        return results
    return track(results, title, total, transient=True, console=Console(stderr=True))


def derive_seed(root: int, *purpose: str | int) -> int:
    """Return a 32-bit seed that depends on the root seed and the purpose alone."""
    digest = hashlib.blake2b(str(int(root)).encode(), digest_size=4)
    for part in purpose:
        digest.update(b"\x00" + str(part).encode())
    return int.from_bytes(digest.digest(), "little")


def data_folder(data: Path | None, name: str, what: str) -> Path:
    """Return a folder of data that are not part of the repository, or say where it was expected."""
    path = (data or default_data()) / name
    if not path.is_dir():
        raise DatakinError(
            f"The {what} were expected in {path}. Say in DATAKIN_DATA which folder holds {name}/, or "
            f"give it as --data."
        )
    return path


def default_data() -> Path:
    """Return where real data lie: DATAKIN_DATA, or ``data`` here."""
    return Path(os.environ.get("DATAKIN_DATA", "data"))


def listed(items: Iterable[object], limit: int = 5) -> str:
    """Return the first few items, quoted, and how many more there are."""
    texts = [repr(str(item)) for item in items]
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'x'?" for the closest known name, or an empty string."""
    close = get_close_matches(wanted, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def by_group(
    rows: pd.DataFrame, keys: list[str], measure: Callable[[pd.DataFrame], Row]
) -> pd.DataFrame:
    """Return one line per group of rows: its keys, and what is measured of it."""
    return pd.DataFrame(
        [
            {**dict(zip(keys, key, strict=True)), **measure(part)}
            for key, part in rows.groupby(keys, sort=False)
        ]
    )


def markdown(frame: pd.DataFrame) -> str:
    """Return a frame as a Markdown table."""

    def show(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.4f}" if value == value else ""  # NaN: nothing to show
        return str(value)

    head = [f"| {' | '.join(map(str, frame.columns))} |", "|" + "---|" * frame.shape[1]]
    body = [f"| {' | '.join(map(show, row))} |" for row in frame.itertuples(index=False)]
    return "\n".join(head + body)


def made_by(command: str, seeds: str, more: str = "") -> str:
    """Return what made a page, and when: command, commit, seeds and versions."""
    return f"{stamp()} by `{command}`{more}. {seeds}. {versions()}."


def versions(packages: Sequence[str] = PACKAGES) -> str:
    """Return the versions of Python and of some packages, those that are installed."""
    found = [f"python {platform.python_version()}"]
    for name in packages:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
