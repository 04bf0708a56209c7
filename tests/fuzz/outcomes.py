"""Run one case, and say what came: a result, a warning, an error; or something foreign."""

from __future__ import annotations

import re
import shutil
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

from datakin import DatakinError, DatakinWarning
from tests.fuzz.cases import KINDS, Foreign, Place, kind_of

OUTCOMES = ("result", "warning", "error", "foreign")
PAGE = 3000  # characters of a sentence that nobody reads
LONGEST = 500  # characters: messages of libraries may quote a whole damaged buffer


@dataclass(frozen=True)
class Outcome:
    """What came of one case; `where` is the innermost line of datakin and what stands below."""

    case: int
    kind: str
    what: str
    text: str = ""
    where: str = ""


def run_case(seed: int, case: int, place: Place) -> Outcome:
    """Run one case in this process."""
    kind, rng = kind_of(seed, case)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            KINDS[kind].run(rng, place)
        except DatakinError as error:
            what, text, where = _of_error(error)
        except Foreign as found:
            what, text, where = "foreign", str(found)[:LONGEST], ""
        except Exception as error:
            text = f"{type(error).__name__}: {error}"[:LONGEST]
            what, where = "foreign", _where(error)
        else:
            what, text, where = "warning" if caught else "result", "", ""
    for each in caught:
        if not issubclass(each.category, DatakinWarning):
            text = f"{each.category.__name__}: {each.message}"[:LONGEST]
            return Outcome(case, kind, "foreign", text, f"{each.filename}:{each.lineno}")
    return Outcome(case, kind, what, text, where)


def keep_input(seed: int, outcome: Outcome, folder: Path, keep: Path) -> None:
    """Copy the input of a foreign outcome, with the command that makes it again."""
    kept = keep / f"seed-{seed}-case-{outcome.case}"
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(folder, kept)
    command = f"python -m tests.fuzz --seed {seed} --case {outcome.case}"
    lines = [command, outcome.kind, outcome.text, outcome.where]
    (kept / "OUTCOME.txt").write_text("\n".join(lines), errors="backslashreplace")


def _of_error(error: DatakinError) -> tuple[str, str, str]:
    """An error without a sentence, with a page of text or a traceback, is foreign all the same."""
    whole = str(error)
    text = whole[:LONGEST]
    if not whole.strip() or len(whole) > PAGE or re.search("Traceback|site-packages", whole):
        return "foreign", f"an error that says {text[:200]!r}", _where(error)
    return "error", text, ""


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [i for i, frame in enumerate(frames) if "/datakin/" in frame.filename]
    first = ours[-1] if ours else 0
    return " > ".join(
        f"{f.filename.rpartition('/datakin/')[2]}:{f.lineno} {f.name}" for f in frames[first:][:2]
    )
