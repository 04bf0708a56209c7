"""How large the package is, room by room: code proper, docstrings, comments, assets, record types.

    python -m benchmarks.size [--commit REV] [--write]

`--commit` shows an older state of the repository beside today's; `--write` also writes the page to
benchmarks/results/size.md.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tarfile
import tempfile
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from reproduction.stamps import stamp

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "benchmarks" / "results" / "size.md"
PACKAGE = "src/datakin"
WHOLE = f"all of {PACKAGE}"
BESIDE = ("tests", "reproduction", "benchmarks")  # where code may have gone
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
LAYOUT = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
RECORDS = ("dataclass", "NamedTuple", "TypedDict")
DEFINITIONS = """\
- room: the first folder below `src/datakin`; "." is what lies beside the rooms
- files, lines: Python alone
- code: lines that hold code, without docstrings, comments and blank lines
- docs: lines of docstrings
- comments: lines that hold a comment and no code
- assets: lines of files that are not Python
- records: dataclasses, NamedTuples and TypedDicts"""


@dataclass(frozen=True)
class Size:
    """The counts of one file or of several."""

    files: int = 0
    lines: int = 0
    code: int = 0
    docs: int = 0
    comments: int = 0
    assets: int = 0
    records: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


Sizes = Mapping[str, Size]
NAMES = [field.name for field in fields(Size)]


def size_of(path: Path) -> Size:
    """Return the counts of one file."""
    if path.suffix != ".py":
        return Size(assets=path.read_bytes().count(b"\n"))
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    docs = docstring_lines(tree)
    code: set[int] = set()
    comments: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in LAYOUT:
            code |= set(range(token.start[0], token.end[0] + 1))
    code -= docs
    return Size(
        files=1,
        lines=len(text.splitlines()),
        code=len(code),
        docs=len(docs),
        comments=len(comments - code),
        records=sum(isinstance(node, ast.ClassDef) and is_record(node) for node in ast.walk(tree)),
    )


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the numbers of all lines of docstrings."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            first = node.body[0]
            lines |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def is_record(node: ast.ClassDef) -> bool:
    """Return whether a class is a dataclass, a NamedTuple or a TypedDict."""
    marks = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return any(ast.unparse(each).split(".")[-1] in RECORDS for each in [*marks, *node.bases])


def total(sizes: Iterable[Size]) -> Size:
    return sum(sizes, Size())


def measure(root: Path) -> tuple[Sizes, Sizes]:
    """Return the sizes of the rooms and of the whole package, and of the Python code beside it."""
    package = root / PACKAGE
    rooms: dict[str, Size] = {}
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            parts = path.relative_to(package).parts
            room = parts[0] if len(parts) > 1 else "."
            rooms[room] = rooms.get(room, Size()) + size_of(path)
    beside = {name: total(map(size_of, (root / name).rglob("*.py"))) for name in BESIDE}
    return {**rooms, WHOLE: total(rooms.values())}, beside


def measure_commit(commit: str) -> tuple[Sizes, Sizes]:
    """Return the same of the repository as it was at a commit."""
    command = ["git", "archive", commit, PACKAGE, *BESIDE]
    packed = subprocess.run(command, cwd=ROOT, capture_output=True)
    if packed.returncode:
        raise SystemExit(packed.stderr.decode())
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        return measure(Path(folder))


def table(states: list[Sizes], names: list[str]) -> str:
    """Return a Markdown table with all states in every cell, the largest room first."""
    known = {room: size for state in states for room, size in state.items()}
    lines = [f"| {' | '.join(['', *names])} |", "|---|" + "---:|" * len(names)]
    for room in sorted(known, key=lambda room: (room == WHOLE, -known[room].lines)):
        sizes = [state.get(room, Size()) for state in states]
        cells = [" / ".join(f"{getattr(size, name):,}" for size in sizes) for name in names]
        lines.append(f"| {' | '.join([room, *cells])} |")
    return "\n".join(lines)


def page(commit: str | None) -> str:
    """Return the page, with the state of a commit before today's if one is given."""
    measured = [measure(ROOT)]
    if commit:
        measured.insert(0, measure_commit(commit))
    rooms, beside = [state[0] for state in measured], [state[1] for state in measured]
    shares = [f"{state[WHOLE].docs / state[WHOLE].lines:.1%}" for state in rooms]
    option = f" --commit {commit}" if commit else ""
    parts = [
        "# size",
        "How large is the package, room by room?" + (f" At {commit} / now." if commit else ""),
        DEFINITIONS,
        table(rooms, NAMES),
        f"Docstrings are {' / '.join(shares)} of the lines.",
        "Python beside the package:",
        table(beside, [name for name in NAMES if name != "assets"]),
        f"{stamp()} by `python -m benchmarks.size{option} --write`.",
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--commit", metavar="REV", help="the older state to show beside today's")
    parser.add_argument("--write", action="store_true", help=f"also write {PAGE.relative_to(ROOT)}")
    given = parser.parse_args()
    text = page(given.commit)
    print(text, end="")
    if given.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
