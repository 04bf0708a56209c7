"""Every figure in the README is what the code prints today."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.strip()


def test_demo_output_is_current():
    shown = re.search(r"```console\n\$ datakin demo\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    assert run("-m", "datakin", "demo") == shown.group(1).strip()


EXAMPLES = re.findall(r"```python\n(.*?)```\s*```text\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("example", range(3))
def test_python_example_output_is_current(example):
    assert len(EXAMPLES) >= 3
    code, shown = EXAMPLES[example]
    assert run("-c", code) == shown.strip()
