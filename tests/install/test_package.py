"""The package as users get it: built, installed elsewhere, light to import, rooms all guarded."""

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "datakin"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
VERSION = PYPROJECT["project"]["version"]
OPTIONAL = ("torch", "dask", "distributed", "matplotlib", "ot", "skops")


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Standard output of a command; a failure shows everything that it printed."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=inherited | variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from that sdist."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


class Environment:
    """A fresh virtual environment that sees this one's dependencies, but not its datakin.

    Python reads .pth files only in its own site folders, so the editable install of the
    environment that runs the tests, itself a .pth file, stays out of sight.
    """

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=os.name != "nt")
        self.folder = folder
        self.python = self._path("scripts") / "python"
        self.command = self._path("scripts") / "datakin"
        self.site = self._path("purelib")
        borrowed = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
        (self.site / "borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")

    def _path(self, name: str) -> Path:
        base = str(self.folder)
        return Path(sysconfig.get_path(name, "venv", vars={"base": base, "platbase": base}))

    def install(self, archive: Path) -> None:
        # Ignore what is installed: the borrowed folder lists the editable datakin too, and pip
        # would otherwise take the requirement as met or remove the wrong one.
        options = ["--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed"]
        pip = (sys.executable, "-m", "pip", "--python", self.python, "-q", "install")
        run(*pip, *options, archive, cwd=self.folder)


def only_file(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


@pytest.mark.long
def test_wheel_holds_the_code_the_type_marker_and_the_version(built: Path) -> None:
    wheel = only_file(built, "*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    expected = {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in PACKAGE.rglob("*")
        if path.suffix in (".py", ".js", ".json", ".css", ".html") or path.name == "py.typed"
    }
    assert "datakin/py.typed" in names
    assert expected <= names, f"not in the wheel: {sorted(expected - names)}"
    assert {name.split("/")[0] for name in names} == {"datakin", f"datakin-{VERSION}.dist-info"}
    assert wheel.name.startswith(f"datakin-{VERSION}-")


@pytest.mark.long
@pytest.mark.parametrize("pattern", ["*.whl", "*.tar.gz"], ids=["wheel", "sdist"])
def test_installed_package_imports_and_answers(built: Path, tmp_path: Path, pattern: str) -> None:
    environment = Environment(tmp_path / "environment")
    environment.install(only_file(built, pattern))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    code = "import datakin; print(datakin.__version__); print(datakin.__file__)"
    version, file = run(environment.python, "-c", code, cwd=elsewhere).splitlines()
    assert version == VERSION
    assert Path(file).resolve().is_relative_to(environment.site.resolve())

    answer = run(environment.command, "--version", cwd=elsewhere)
    assert re.search(rf"(?<![\w.]){re.escape(VERSION)}(?![\w.])", answer), answer


def test_import_loads_no_optional_package(tmp_path: Path) -> None:
    # Empty stand-ins, so that a guarded import is seen even where the real package is absent.
    for name in OPTIONAL:
        (tmp_path / f"{name}.py").touch()
    # Names are loaded on first use, so all of them are asked for.
    use = "[getattr(datakin, name) for name in datakin.__all__]"
    code = f"import sys, datakin; {use}; print(*(set({OPTIONAL!r}) & set(sys.modules)))"
    path = os.pathsep.join([str(tmp_path), str(PACKAGE.parent)])
    loaded = run(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=path).split()
    assert loaded == []


def test_import_rules_cover_every_room() -> None:
    contracts = PYPROJECT["tool"]["importlinter"]["contracts"]
    (rooms,) = (contract for contract in contracts if contract.get("exhaustive"))
    assert rooms["type"] == "layers"
    assert rooms["containers"] == ["datakin"]
    listed = {name for layer in rooms["layers"] for name in re.findall(r"\w+", layer)}

    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert modules | folders, "no room found: is the package still under src/datakin?"
    unguarded = (modules | folders) - listed
    assert not unguarded, f"add to the layers of [tool.importlinter]: {sorted(unguarded)}"
