"""README quotes only pages of results that are not stale; documentation says where one is."""

import re
from pathlib import Path

import pytest

from reproduction import stamps
from reproduction.pages import all_pages

ROOT = Path(__file__).parents[2]
PAGES = all_pages()
LINK = re.compile(r"\]\((?:\.\./)?((?:reproduction|benchmarks)/results/[\w.-]+\.md(?:#[\w-]+)?)\)")
BENCHMARKS = "benchmarks/results/RESULTS.md"
DOCS = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


def stale_pages(root=ROOT):
    """Return what a link to a marked page looks like: also to a page of which a part is marked."""
    found = set()
    for name, page in PAGES.items():
        if page.is_stale(root):
            path, _, section = name.partition("#")
            heading = page.text(root).splitlines()[0]
            anchor = re.sub(r"[^\w ]", "", heading).lower().replace(" ", "-")
            found |= {path, f"{path}#{anchor}"} if section else {path}
    return found


def quotes_of_stale_pages(text, stale):
    """Return the links to stale pages in a text, but those whose paragraph says so."""
    paragraphs = re.split(r"\n(?=\n|\||-)", text)
    return [
        link
        for each in paragraphs
        for link in LINK.findall(each)
        if link in stale and "stale" not in each.lower()
    ]


def test_readme_quotes_only_pages_that_pass():
    links = LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(links) >= 3
    assert [link for link in links if link in stale_pages()] == []


def test_sections_that_are_stale_are_known_by_their_headings(tmp_path):
    folder = tmp_path / "benchmarks" / "results"
    folder.mkdir(parents=True)
    for path in PAGES:
        (tmp_path / path.partition("#")[0]).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path.partition("#")[0]).write_text("# page\n")
    text = (ROOT / BENCHMARKS).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(stamps.STALE)]
    place = lines.index("## Threads and processes")
    lines[place:place] = [lines[place], "", f"{stamps.STALE} too."]
    del lines[place + 3]
    (tmp_path / BENCHMARKS).write_text("\n".join(lines), encoding="utf-8")
    assert stale_pages(tmp_path) == {BENCHMARKS, f"{BENCHMARKS}#threads-and-processes"}


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_documentation_says_which_pages_are_stale(path):
    assert quotes_of_stale_pages(path.read_text(encoding="utf-8"), stale_pages()) == []


def test_a_quote_of_a_stale_page_is_found():
    page = "reproduction/results/eicu.md"
    quote = f"One.\n\nTwo ([eicu](../{page})).\n| a | [eicu]({page}) |\n| stale | [eicu]({page}) |"
    assert quotes_of_stale_pages(quote, {page}) == [page, page]
    assert quotes_of_stale_pages(quote, set()) == []
    part = f"Fast ([x]({BENCHMARKS}#choose), [y]({BENCHMARKS}#rivals-for-scale))."
    stale = {BENCHMARKS, f"{BENCHMARKS}#choose"}
    assert quotes_of_stale_pages(part, stale) == [f"{BENCHMARKS}#choose"]
    assert stamps.is_stale(f"# a\n\n{stamps.stale_words('x')}\n")


def test_figures_of_readme_are_those_of_the_pages():
    said = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    claims = (ROOT / "reproduction" / "results" / "claims.md").read_text(encoding="utf-8")
    counted = r"(\d+) claims: (\d+) reproduced, (\d+) differs, (\d+) better, (\d+) slip"
    n, reproduced, differs, better, slips = re.search(counted, claims).groups()
    assert f"{n} claims, {reproduced} reproduced, {differs} differ (each with a note)" in said
    assert f"{better} are nearer the oracle than the paper, {slips} are slips of the paper" in said


def test_figures_of_choosing_are_those_of_the_page():
    said = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    choices = (ROOT / "benchmarks" / "results" / "choices.md").read_text(encoding="utf-8")
    whole, final = choices.split("## Development half")[0], choices.split("## Final half")[1]

    def found(pattern, text):
        return float(re.search(pattern, text)[1])

    harmless = found(r"harmless right at least \d+%: ([\d.]+)%", final)
    helps = found(r"helps right at least \d+%: ([\d.]+)%", final)
    gains = found(r"90% intervals of the gain of a source hold .*?: ([\d.]+)%,", final)
    assert f'{harmless:.0f}% of "harmless" and {helps:.0f}% of "helps" were right' in said
    assert f"{gains:.0f}% of the 90% intervals of a source's gain held" in said
    stated = found(r"stated / realised error from 0.96 to 1.04: ([\d.]+),", whole)
    held = found(r"90% intervals of the error hold .*?: ([\d.]+)%,", whole)
    assert f"The stated error is {1 - stated:.0%} too low on average" in said
    assert f"Its 90% intervals hold in {held:.0f}% of the draws" in said
