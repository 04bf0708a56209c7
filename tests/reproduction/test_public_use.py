"""Reproduction and benchmarks use datakin as users do: public rooms, names in their `__all__`."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "datakin"
ROOMS = ("deep", "distances", "paper", "plots", "report", "synthetic", "transfer")
FILES = sorted(
    path for folder in ("reproduction", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)


@cache
def names_of(module):
    """The `__all__` of a public room, read rather than imported: deep would need torch."""
    room = module.removeprefix("datakin").removeprefix(".")
    if room and room not in ROOMS:
        return None
    file = PACKAGE / room / "__init__.py" if (PACKAGE / room).is_dir() else PACKAGE / f"{room}.py"
    tree = ast.parse(file.read_text(encoding="utf-8"))
    (found,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    rooms = ROOMS if not room else ()
    return {*ast.literal_eval(found), *rooms, "__version__"}


# Of the module itself, and a pretrained network from elsewhere, which has no other names for its layers.
OTHERS = ("self", "net", "whole.net")


def private_uses(source):
    """Yield what a module uses of datakin that is not public."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "datakin":
            known = names_of(node.module)
            for name in node.names:
                if known is None or name.name not in known:
                    yield f"from {node.module} import {name.name}"
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] == "datakin" and names_of(name.name) is None:
                    yield f"import {name.name}"
        elif isinstance(node, ast.Attribute):
            of = ast.unparse(node.value)
            known = names_of(of) if of.split(".")[0] == "datakin" else None
            is_unknown = known is not None and node.attr not in known
            is_private = node.attr.startswith("_") and not node.attr.endswith("__")
            if is_unknown or (is_private and of not in OTHERS):
                yield f"{of}.{node.attr}"


# They measure parts of choose that have no public name: trials, and the factors of intervals.
INSIDE = {f"benchmarks/decisions/{name}.py" for name in ("inside", "calibrate", "folds")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_public_names_are_used(path):
    if path.relative_to(ROOT).as_posix() in INSIDE:
        assert any(private_uses(path.read_text(encoding="utf-8"))), "no exception needed any more"
        return
    assert list(private_uses(path.read_text(encoding="utf-8"))) == []


def test_there_is_something_to_check():
    assert len(FILES) > 40


@pytest.mark.parametrize(
    "line",
    [
        "from datakin._core.repeatability import derive_seed",
        "from datakin.scoring import run",
        "from datakin.transfer import relative_reduction",
        "from datakin import Options",
        "import datakin.learners.models",
        "import datakin; datakin.scoring",
        "import datakin; datakin.deep.fit_network",
        "found._hashes",
    ],
)
def test_private_uses_are_found(line):
    assert len(list(private_uses(line))) == 1


def test_public_uses_are_fine():
    source = """
import datakin, datakin.deep
from datakin import read_table, __version__
from datakin.transfer import KinWeighted
datakin.score, datakin.distances.OTDD, self._kept
"""
    assert list(private_uses(source)) == []
