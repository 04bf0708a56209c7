"""Reports on any screen and on paper: the slider, the side sheet, nothing cut off, readable by all."""

import re

import pytest

from datakin.report.page import view_of

from .conftest import CHROMIUM, KINDS, renamed

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

# Kinds that look different.
DIFFERENT = [
    "ranking",
    "by paper",
    "comparison",
    "matrix",
    "gain",
    "distances",
    "choice",
    "explanation",
]
LONG = "Measurements of the northern cooperative, second half of 2026 (checked, final version)"

# Elements whose content is wider than they are. What scrolls on purpose, and what is only for those who
# listen, may be.
CUT = """() => [...document.querySelectorAll("body *")].filter((node) => {
    const style = getComputedStyle(node);
    if (node.closest(".wrap, .scroll, .unseen, svg, noscript, [hidden]")) return false;
    if (style.display === "inline") return false;
    return node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1;
}).map((node) => node.outerHTML.slice(0, 120))"""
# Texts of charts that leave the picture, at any side.
OUTSIDE = """() => [...document.querySelectorAll(".chart svg")].filter((svg) => svg.getClientRects().length)
    .flatMap((svg) => { const frame = svg.getBoundingClientRect();
        return [...svg.querySelectorAll("text")].filter((text) => { const box = text.getBoundingClientRect();
            return box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
        }).map((text) => text.textContent); })"""
# Numbers along the axis of each chart with one row per source.
LABELS = """() => [...document.querySelectorAll("main > section .chart svg, .sections .chart svg")]
    .filter((svg) => svg.querySelector(".grid"))
    .map((svg) => svg.querySelectorAll('.tick[text-anchor="middle"]').length)"""
# Leaves of the page whose letters are too small to read.
SMALL = """[...document.querySelectorAll("main *")].filter(n => n.children.length === 0 &&
    n.textContent.trim() && parseFloat(getComputedStyle(n).fontSize) < 10.5).length"""


def nameless(page):
    """Return what takes focus, or is a picture, and has no name for those who cannot see it."""
    return page.evaluate(
        """() => [...document.querySelectorAll("a, button, input, select, [role=img], [tabindex='0']")]
            .filter(n => !(n.getAttribute("aria-label") || n.textContent.trim() ||
                (n.labels && n.labels.length) || n.hidden)).map(n => n.outerHTML.slice(0, 80))"""
    )


def section(page, key):
    view = page.evaluate("JSON.parse(document.getElementById('datakin-view').textContent)")
    return next(part for part in view["sections"] if part["id"] == key)


@pytest.mark.parametrize("kind", ["choice", "choice of numbers"])
def test_slider_says_what_python_computed(visit, curved, kind):
    choice = curved[kind]
    part = next(s for s in view_of(choice)["sections"] if s["id"] == "rows")
    steps = part["chart"]["steps"]
    page = visit(choice)
    slider, output = page.get_by_label(part["chart"]["label"]), page.locator("#rows-output")
    assert output.inner_text() == steps[part["chart"]["start"]]["text"]
    assert f"{choice.curve[-1].n_rows:,} rows" in output.inner_text()
    for at in (0, len(steps) // 3, len(steps) - 1):
        slider.fill(str(at))
        assert output.inner_text() == steps[at]["text"]
        assert slider.get_attribute("aria-valuetext") == steps[at]["text"]


def test_slider_moves_by_keyboard_and_mouse(visit, curved):
    page = visit(curved["choice"])
    steps, start = (section(page, "rows")["chart"][key] for key in ("steps", "start"))
    slider, output = page.locator("#rows-slider"), page.locator("#rows-output")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert output.inner_text() == steps[start + 1]["text"]
    page.keyboard.press("Home")
    assert output.inner_text() == steps[0]["text"]
    page.keyboard.press("End")
    assert output.inner_text() == steps[-1]["text"]
    before = page.locator("#rows .chart svg").inner_html()
    slider.click()  # in its middle
    assert output.inner_text() not in (steps[0]["text"], steps[-1]["text"])
    assert page.locator("#rows .chart svg").inner_html() != before


def test_sheet_opens_on_demand_and_gives_focus_back(visit, results):
    page = visit(results["choice"])
    sheet = page.locator("#details")
    assert not sheet.is_visible()
    name = results["choice"].choices[0].source
    button = page.locator(f'#gains tbody button[data-name="{name}"]')
    focus = "document.activeElement"
    for close in ("Escape", "Close"):
        button.focus()
        page.keyboard.press("Enter")
        assert sheet.is_visible()
        assert sheet.get_attribute("role") == "dialog"
        assert page.get_by_role("dialog", name=name).is_visible()
        assert page.evaluate(f"{focus}.closest('#details') !== null")
        if close == "Escape":
            page.keyboard.press("Escape")
        else:
            sheet.get_by_role("button", name="Close").click()
        assert not sheet.is_visible()
        assert page.evaluate(f"{focus}.dataset.name") == name
    page.locator(f'#gains .row[data-name="{name}"] .hit').click()
    assert sheet.is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate(f"{focus}.className") == "chart"


def test_sheet_on_a_phone_leaves_the_page_in_sight(visit, ranking):
    page = visit(ranking, viewport={"width": 390, "height": 844})
    page.locator('#gains tbody button[data-name="kin"]').click()
    box = page.locator("#details").bounding_box()
    assert box["width"] == 390
    assert box["y"] > 100
    assert box["y"] + box["height"] == pytest.approx(844, abs=1)


def unfold(page):
    page.evaluate(
        "document.querySelectorAll('main details').forEach((fold) => { fold.open = true; })"
    )
    page.wait_for_timeout(50)  # folds tell of it later


def resize(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("kind", KINDS)
def test_opens_without_errors_on_any_screen(visit, results, curved, kind):
    page = visit(curved.get(kind, results[kind]))
    assert page.locator("h1").inner_text()
    text = page.locator("main").inner_text()
    assert not re.search(r"\b(NaN|undefined|null|Infinity)\b", text)
    unfold(page)
    for box in page.locator("figure .chart").all():
        assert box.locator("svg, canvas").first.bounding_box()["height"] > 40
    assert nameless(page) == []
    for table in page.locator("main table").all():
        assert table.locator("caption").count() == 1
        assert table.locator("thead th:not([scope=col])").count() == 0
    for width in (1280, 390):
        resize(page, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT) == []
        assert page.evaluate(OUTSIDE) == []
        assert all(n >= 3 for n in page.evaluate(LABELS))
    assert page.evaluate(SMALL) == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_long_names_are_shortened_and_whole_in_the_title(visit, results, width):
    for kind, old in (("choice", "near"), ("choice of numbers", "line 1"), ("matrix", "set 3")):
        page = visit(renamed(results[kind], old, LONG), viewport={"width": width, "height": 900})
        assert page.evaluate(CUT) == []
        assert page.evaluate(OUTSIDE) == []
        if kind == "choice":
            button = page.locator("#gains tbody button").first
            assert "…" in button.inner_text()
            assert button.get_attribute("title") == LONG


def test_navigation_shows_every_section(visit, results):
    page = visit(results["choice"])
    links = page.locator("#nav a")
    boxes = [link.bounding_box() for link in links.all()]
    assert len(boxes) >= 8
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 1280 for box in boxes)
    resize(page, 390)
    assert not links.first.is_visible()
    page.get_by_role("button", name="Contents").click()
    assert all(link.is_visible() for link in links.all())
    links.first.click()
    assert not links.first.is_visible()


def test_paper_shows_the_whole_and_no_controls(visit, curved):
    page = visit(curved["choice"], color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    page.locator("#rows table").wait_for()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for selector in (
        "#theme",
        ".top nav",
        "#gains .bar",
        "#rows-slider",
        "#rows-output",
        "#details",
    ):
        assert not page.locator(selector).first.is_visible()
    tables = page.locator("main table")
    assert tables.count() == len(view_of(curved["choice"])["sections"])
    assert all(table.is_visible() for table in tables.all())
    assert page.locator("#rows tbody tr").count() == len(section(page, "rows")["rows"])
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert paper.count(b"/Type /Page\n") > 0
    page.emulate_media(media="screen")
    page.locator("#rows table").wait_for(state="hidden")
    assert page.locator("#rows-slider").is_visible()


def test_paper_has_long_tables_and_folded_sections(visit, many):
    page = visit(many)
    assert page.locator("#scores tbody tr").count() == 25
    page.emulate_media(media="print")
    page.locator("#curve .chart svg").wait_for()
    assert page.locator("#scores tbody tr").count() == 200
    page.emulate_media(media="screen")
    page.locator("#curve").wait_for(state="hidden")
    assert page.locator("#scores tbody tr").count() == 25


COLOURS = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}


def barriers(page, axe, **options):
    """Return what axe finds serious or critical, with the first elements that have it."""
    found = axe.run(page, **options).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    return [(v["id"], [node["html"][:100] for node in v["nodes"][:3]]) for v in serious]


@pytest.mark.parametrize(
    "kind",
    [
        k if k in ("choice", "explanation", "matrix") else pytest.param(k, marks=pytest.mark.long)
        for k in DIFFERENT
    ],
)
def test_no_serious_barrier(visit, results, curved, kind):
    sync = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    page, axe = visit(curved.get(kind, results[kind])), sync.Axe()
    unfold(page)
    if page.locator("tbody button.name").count():
        page.locator("tbody button.name").first.click()
    assert barriers(page, axe) == []
    page.keyboard.press("Escape")
    page.locator("#theme").click()
    assert barriers(page, axe, options=COLOURS) == []
