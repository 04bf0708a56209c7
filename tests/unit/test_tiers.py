"""What only `make test-long` runs is named by patterns, and each of them names a test."""

import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_every_pattern_names_a_test():
    listed = (ROOT / "tests" / "long.txt").read_text(encoding="utf-8").splitlines()
    patterns = [line.replace("[", "[[]", 1) for line in listed if not line.startswith("#")]
    files = sorted({pattern.split("::")[0] for pattern in patterns})
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "long", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert [p for p in patterns if not any(fnmatchcase(name, p) for name in found)] == []
