"""The command line of datakin as users type it, for studies of what it says and proposes."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from datakin import DatakinError, from_json


def run_datakin(folder: Path, *words: str) -> Any:
    """Run a command in a folder and return its result.

    Parameters
    ----------
    folder : Path
        Where the tables lie.
    words : str
        What stands behind ``datakin``, as options are typed; ``--json`` is added.
    """
    command = [sys.executable, "-m", "datakin", *shlex.split(" ".join(words)), "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DatakinError(f"datakin {' '.join(words)} must end well. It says: {done.stderr}")
    return from_json(done.stdout)


def write_pair(
    folder: Path, target: tuple[str, pd.DataFrame], source: tuple[str, pd.DataFrame]
) -> str:
    """Write two tables and return their names of files, as they are typed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in (target, source):
        table.to_csv(folder / f"{name}.csv", index=False)
    return shlex.join(f"{name}.csv" for name, _ in (target, source))
