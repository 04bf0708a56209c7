"""One seeded part of a study or benchmark, named by plain values, so that any commit can run it.

As a program it reads place, arguments and folder of data as JSON, and prints what came out: that is how
rows of an older commit are made. It imports nothing of ours before it runs.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

DATA = "DATA"  # among the arguments: the folder of real data
OF_STUDY = "study "


def run(place: str, arguments: list[Any], data: str | None) -> Any:
    """Return what a function gives.

    Parameters
    ----------
    place : str
        "module:function"; or "study NAME", whose arguments are a cell and a seed.
    arguments : list
        Plain values.
    data : str, optional
        The folder of real data.
    """
    folder = None if data is None else Path(data)
    if place.startswith(OF_STUDY):
        studies = import_module("reproduction.studies").STUDIES
        call = studies[place.removeprefix(OF_STUDY)].with_data(folder).replicate
    else:
        module, name = place.split(":")
        call = getattr(import_module(module), name)
    known = folder or Path(os.environ.get("DATAKIN_DATA", "data"))
    return call(*(known if each == DATA else each for each in arguments))


if __name__ == "__main__":
    print(json.dumps(run(**json.load(sys.stdin))))
