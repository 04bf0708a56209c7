"""Without torch: one sentence from datakin.deep, and all else works."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Hides torch from the interpreter, installed or not.
HIDE = """
import sys
from importlib.machinery import PathFinder
real = PathFinder.find_spec
def find_spec(name, *rest):
    return None if name.split(".")[0] == "torch" else real(name, *rest)
PathFinder.find_spec = find_spec
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HIDE + code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )


def test_deep_gives_one_sentence_with_the_command():
    done = run("import datakin.deep")
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last.endswith(
        "datakin.deep needs PyTorch, which is not installed: pip install 'datakin[deep]'."
    )


def test_it_can_be_caught_as_either():
    code = """
from datakin import DatakinError
for kind in (ImportError, DatakinError):
    try:
        import datakin.deep
    except kind:
        print("caught")
"""
    assert run(code).stdout.split() == ["caught", "caught"]


def test_all_else_works():
    code = """
import datakin
[getattr(datakin, name) for name in datakin.__all__]
from reproduction.studies import STUDIES
from datakin.synthetic import settings
pair = settings()["lda"](1.0).sample(60, 60, random_state=0)
print(datakin.score(pair.target, pair.source, models=["logistic"]).zone.value)
print("torch" in sys.modules)
"""
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "False"
