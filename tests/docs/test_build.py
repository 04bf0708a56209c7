"""The documentation builds without a warning, and no link inside it is broken."""

import runpy
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from generated import claims_page, forget_old_examples, results_page

from reproduction.stamps import is_stale

ROOT = Path(__file__).parents[2]
GALLERY = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))
TOOLS = ("sphinx", "furo", "myst_parser", "numpydoc", "sphinx_gallery")
MISSING = [name for name in TOOLS if find_spec(name) is None]


class Page(HTMLParser):
    """Collects the links and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.links += [found[key] for key in ("href", "src") if found.get(key)]
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}


@pytest.mark.long
@pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}: make docs installs them")
def test_documentation_builds_and_its_links_hold(tmp_path):
    leave = shutil.ignore_patterns("_build", "auto_examples", "generated", "__pycache__")
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=leave)
    for name in ("reproduction", "benchmarks", "CHANGELOG.md", "CONTRIBUTING.md"):
        (tmp_path / name).symlink_to(ROOT / name)
    out = tmp_path / "html"
    options = ["-q", "-W", "--keep-going", "-n", "-b", "html"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(tmp_path / "docs"), str(out)],
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in out.rglob("*.html")}
    assert len(pages) > 60
    assert broken(pages) == []
    pictures = list((out / "_images").glob("sphx_glr_plot_*"))
    assert len({path.name.split("_")[3] for path in pictures}) == len(GALLERY) == 8
    for path in pages:  # formulas and all else come from the files themselves
        assert "cdn" not in path.read_text(encoding="utf-8").lower()


def broken(pages: dict[Path, Page]) -> list[str]:
    """Return links to files or anchors that are not there; other sites are not visited."""
    found = []
    for path, page in pages.items():
        for link in page.links:
            if link.startswith(("http:", "https:", "mailto:", "data:")):
                continue
            name, anchor = urldefrag(link)
            target = (path.parent / unquote(name.split("?")[0])).resolve() if name else path
            if not target.exists() or (
                anchor and target in pages and unquote(anchor) not in pages[target].anchors
            ):
                found.append(f"{path.name}: {link}")
    return found


def test_a_broken_link_is_found(tmp_path):
    first, second = tmp_path / "a.html", tmp_path / "b.html"
    texts = '<a href="b.html#x"></a><a href="b.html#y"></a><a href="c.html"></a>', '<p id="x"></p>'
    for path, text in zip((first, second), texts, strict=True):
        path.write_text(text)
    pages = {path: Page(path.read_text()) for path in (first, second)}
    assert broken(pages) == ["a.html: b.html#y", "a.html: c.html"]


@pytest.mark.skipif(not MISSING, reason="the build runs the gallery")
@pytest.mark.parametrize("script", GALLERY, ids=lambda script: script.stem)
def test_gallery_runs(script, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    runpy.run_path(str(script))
    assert plt.get_fignums()
    plt.close("all")


def test_claims_page_counts_what_the_file_holds():
    text = (ROOT / "reproduction" / "claims.toml").read_text(encoding="utf-8")
    page = claims_page(text)
    groups = tomllib.loads(text)["group"]
    verdicts = Counter(claim["verdict"] for group in groups for claim in group["claims"])
    assert page.startswith(f"{verdicts.total()} claims: {verdicts['reproduced']} reproduced, ")
    for group in groups:
        assert group["statement"].replace("|", "\\|") in page
    differing = page.split("### What differs")[1].split("### Slips")[0]
    assert differing.count("\n| ") == verdicts["differs"] + 1


def test_results_page_lists_every_result():
    pages = sorted((ROOT / "reproduction" / "results").glob("*.md"))
    text = results_page(pages)
    for page in pages:
        mark = " (stale)" if is_stale(page.read_text(encoding="utf-8")) else ""
        assert f"[{page.stem}]({page.name}){mark}: " in text


def test_pages_of_examples_that_are_gone_are_removed(tmp_path):
    gallery, pages = tmp_path / "gallery", tmp_path / "auto_examples"
    for folder in (gallery, pages):
        folder.mkdir()
    (gallery / "plot_1_new.py").touch()
    for name in ("plot_1_new.rst", "plot_1_old.rst", "plot_1_old.codeobj.json", "index.rst"):
        (pages / name).touch()
    forget_old_examples(tmp_path)
    assert sorted(page.name for page in pages.iterdir()) == ["index.rst", "plot_1_new.rst"]
