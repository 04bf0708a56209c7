"""The API reference has every public name, once."""

import ast
import re
from collections import Counter
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("transfer", "distances", "synthetic", "paper", "plots", "deep")


def public(module: str) -> list[str]:
    """Return __all__ without importing: datakin.deep needs torch."""
    path = ROOT / "src" / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return list(ast.literal_eval(node.value))
    raise AssertionError(f"{module} has no __all__")


def documented() -> list[str]:
    pages = (ROOT / "docs" / "api").glob("*.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    return re.findall(r"^\.\. auto\w+:: (\S+)", text, re.MULTILINE)


def home(path: str) -> object:
    """Return what a path stands for, so that two paths of one object count as one name."""
    module, _, name = path.rpartition(".")
    if module == "datakin.deep" or path == "datakin.deep":
        return path
    return getattr(import_module(module), name)


def key(path: str) -> object:
    found = home(path)
    return found if isinstance(found, str) else id(found)


def test_every_public_name_is_documented_once():
    paths = [f"datakin.{name}" for name in public("datakin")]
    paths += [f"datakin.{room}.{name}" for room in ROOMS for name in public(f"datakin.{room}")]
    rooms = {f"datakin.{room}" for room in ROOMS}  # may have a heading of their own
    found = [path for path in documented() if path not in rooms]
    assert Counter(map(key, found)).most_common(1)[0][1] == 1
    wanted = {key(path): path for path in paths if path not in rooms}
    assert sorted(set(wanted) - set(map(key, found)), key=str) == []
    assert [path for path in found if key(path) not in wanted] == []
    assert set(found) <= set(paths)
    assert Counter(p for p in documented() if p in rooms).most_common(1)[0][1] == 1
    assert "datakin.plots" in documented()
