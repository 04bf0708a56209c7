"""The process in which cases run: it may crash or hang, and its parent will know on which case.

It writes two lines of JSON for each case, before and after, to the file descriptor that it is given.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import signal
import sys
import time
import warnings
from dataclasses import asdict
from pathlib import Path

MEMORY = 8 << 30  # bytes; what asks for more is foreign


def main(arguments: dict[str, object]) -> None:
    from tests.fuzz.cases import Place, kind_of
    from tests.fuzz.damage import BINARIES, TEXTS
    from tests.fuzz.outcomes import keep_input, run_case

    place = Place(Path(str(arguments["folder"])), Path(str(arguments["sound"])))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.enable()
    if arguments["trial"] is None:  # a trial reads nothing
        _warm_up([place.sound / f"t.{suffix}" for suffix in TEXTS + BINARIES])
    seed, case = int(str(arguments["seed"])), int(str(arguments["first"]))
    last, only = arguments["last"], arguments["only"]
    with os.fdopen(int(str(arguments["to"])), "w", buffering=1) as pipe:
        while last is None or case < int(str(last)):
            kind = kind_of(seed, case)[0]
            if only is None or kind in str(only).split(","):
                shutil.rmtree(place.folder, ignore_errors=True)
                place.folder.mkdir(parents=True)
                print(json.dumps({"case": case, "kind": kind, "start": time.time()}), file=pipe)
                _fail(arguments["trial"])
                outcome = run_case(seed, case, place)
                if outcome.what == "foreign":
                    keep_input(seed, outcome, place.folder, Path(str(arguments["keep"])))
                print(json.dumps(asdict(outcome)), file=pipe)
            case += int(str(arguments["step"]))


def _fail(trial: object) -> None:
    """Crash or hang when asked to, for the test of the parent."""
    if trial == "crash":
        signal.raise_signal(signal.SIGSEGV)
    if trial == "hang":
        time.sleep(60)


def _warm_up(paths: list[Path]) -> None:
    """Load the readers, so that what libraries say when they are imported is no case's fault."""
    import datakin

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in paths:
            try:
                datakin.read_table(path, label="y")
            except datakin.DatakinError:
                continue  # a format that is not read


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
