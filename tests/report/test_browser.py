"""Reports as a reader meets them: in a browser, with a mouse, a keyboard and a small screen."""

import csv
import io
import json
import re
import shutil
import time

import pytest

from datakin import write_report
from datakin.report.page import unpack

from .conftest import renamed

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

# As root there is no sandbox; the rest keeps the browser itself from calling anywhere.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
KINDS = ["ranking", "comparison", "regression", "by gain", "matrix", "forecast", "joint forecast",
         "gain", "distance", "distances", "distance matrix", "itself", "copies",
         "choice", "choice of numbers", "choice of nothing"]  # fmt: skip
SCRIPT, IMAGE = "<script>alert(1)</script>", '"><img src=x onerror=alert(2)>'
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Open the report of a result; at the end no error, dialog or request may have been seen."""
    faults, contexts = [], []

    def opened(result, **options):
        path = write_report(result, tmp_path / "report.html", overwrite=True)
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (faults.append("dialog"), dialog.dismiss()))
        page.on(
            "request", lambda request: request.url == path.as_uri() or faults.append(request.url)
        )
        meter = context.new_cdp_session(page)
        meter.send("Performance.enable", {"timeDomain": "threadTicks"})
        start = time.perf_counter()
        page.goto(path.as_uri())
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]", state="attached", timeout=15_000)
        page.seconds, page.size = time.perf_counter() - start, path.stat().st_size
        found = {m["name"]: m["value"] for m in meter.send("Performance.getMetrics")["metrics"]}
        page.work = found["TaskDuration"]  # processor time of the page's main thread
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def column(page, section, n):
    return page.locator(f"#{section} tbody tr > :nth-child({n})").all_inner_texts()


@pytest.mark.parametrize("kind", KINDS)
def test_opens_without_errors_on_any_screen(visit, results, kind):
    page = visit(results[kind])
    assert page.locator("h1").inner_text()
    for box in page.locator("figure .chart").all():
        assert box.locator("svg, canvas").first.bounding_box()["height"] > 40
    text = page.locator("main").inner_text()
    assert not re.search(r"\b(NaN|undefined|null|Infinity)\b", text)
    assert nameless(page) == []
    for table in page.locator("main table").all():
        assert table.locator("caption").count() == 1
        assert table.locator("thead th:not([scope=col])").count() == 0
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(SMALL) == 0


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


def test_the_data_in_the_page_is_the_result(visit, results):
    for kind in ("ranking", "matrix"):
        page = visit(results[kind])
        tree = page.evaluate("JSON.parse(document.getElementById('datakin-result').textContent)")
        assert json.loads(unpack(tree)) == json.loads(results[kind].to_json())


def test_hovering_tells_the_numbers(visit, ranking):
    page = visit(ranking)
    page.locator('#scores .row[data-name="cousin"]').hover()
    tip = page.locator("#tip")
    assert tip.is_visible()
    assert "cousin" in tip.inner_text()
    assert f"{ranking['cousin'].score:.4f}" in tip.inner_text()
    page.mouse.move(5, 5)
    assert not tip.is_visible()


def test_hovering_over_a_heatmap_tells_the_pair(visit, results):
    matrix = results["matrix"]
    page = visit(matrix)
    box = page.locator("#heat canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] - 4)
    last = page.locator("#tip").inner_text()
    order = page.evaluate("JSON.parse(document.getElementById('datakin-view').textContent)")
    name = matrix.names[order["sections"][0]["chart"]["order"][-1]]
    i = matrix.names.index(name)
    assert last == f"{name}\nown error: {matrix.errors[i, i]:.4f}"


def test_selecting_shows_details_everywhere(visit, ranking):
    page = visit(ranking)
    page.locator('#gain .row[data-name="stranger"] .hit').click()
    details = page.locator("#details")
    assert details.locator("h2").inner_text() == "stranger"
    assert f"{ranking['stranger'].score:.4f}" in details.inner_text()
    assert ranking["stranger"].reason in details.inner_text()
    for section in ("scores", "gain", "directions", "weights", "models"):
        assert page.locator(f"#{section} .row.selected").get_attribute("data-name") == "stranger"
    assert page.locator("#scores tr.selected th").inner_text() == "stranger"
    page.locator("#scores").get_by_role("button", name="kin", exact=True).click()
    assert details.locator("h2").inner_text() == "kin"
    page.keyboard.press("Escape")
    assert page.locator(".selected").count() == 0


def test_selecting_a_dataset_of_a_matrix(visit, results):
    page, matrix = visit(results["matrix"]), results["matrix"]
    page.locator('#tree .row[data-name="set 3"] .hit').click()
    details = page.locator("#details")
    assert details.locator("h2").inner_text() == "set 3"
    nearest = matrix.square["set 3"].drop("set 3").idxmin()
    assert details.locator("tbody tr").first.inner_text().startswith(nearest)
    page.locator("#heat-mode").select_option("zones")
    page.locator("#heat-mode").select_option("discrepancies")


def test_the_keyboard_is_enough(visit, results):
    page = visit(results["ranking"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.locator("#scores .chart").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#details h2").inner_text() == results["ranking"].best.source
    assert "selected" in page.locator("#announce").inner_text()
    page = visit(results["matrix"])
    page.locator("#heat canvas").focus()
    page.keyboard.press("ArrowRight")
    assert "score" in page.locator("#announce").inner_text()
    page.keyboard.press("Enter")
    assert page.locator("#details h2").inner_text() in results["matrix"].names


def test_sorting(visit, many):
    page = visit(many)
    head = page.locator("#scores thead").get_by_role("button", name="score", exact=True)
    for order, sign in (("ascending", 1), ("descending", -1)):
        head.click()
        assert page.locator("#scores th[aria-sort]").get_attribute("aria-sort") == order
        shown = [float(text.replace("\N{MINUS SIGN}", "-")) for text in column(page, "scores", 2)]
        expected = sorted((c.score for c in many), reverse=sign < 0)[: len(shown)]
        assert shown == [round(value, 4) for value in expected]
    page.locator("#scores thead").get_by_role("button", name="source", exact=True).click()
    assert column(page, "scores", 1)[0] == "hospital 000"


def test_filtering_and_paging(visit, many, vast):
    page = visit(many)
    page.get_by_label("Filter the table: Who is kin").fill("HOSPITAL 19")
    assert len(column(page, "scores", 1)) == 12  # 019, 119 and 190 to 199
    assert "12 found of 200" in page.locator("#scores [role=status]").inner_text()
    page.get_by_label("Filter the table: Who is kin").fill("")
    page.locator("#scores").get_by_role("button", name="Next").click()
    assert page.locator("#scores [role=status]").inner_text() == "26 to 50 of 200"
    page = visit(vast)
    page.get_by_label("Filter the table: The pairs").fill("plant 007 plant 123")
    assert column(page, "pairs", 1) == ["plant 007"]
    assert column(page, "pairs", 3) == [f"{vast.scores[7, 123]:.4f}"]


def test_csv_of_every_chart(visit, ranking):
    page = visit(ranking)
    view = page.evaluate("JSON.parse(document.getElementById('datakin-view').textContent)")
    assert len(view["sections"]) == 8
    for section in view["sections"]:
        with page.expect_download() as started:
            page.locator(f"#{section['id']} a.download").first.click()
        assert started.value.suggested_filename == f"{section['id']}.csv"
        with open(started.value.path(), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row, wanted in zip(rows, section["rows"], strict=True):
            for key, value in wanted.items():
                assert float(row[key]) == value if isinstance(value, float) else key in row


def test_csv_of_a_matrix_and_of_hostile_names(visit, results, hostile):
    for result in (results["matrix"], hostile["matrix"]):
        page = visit(result)
        for section, file in (("heat", "pairs"), ("tree", "tree"), ("map", "map")):
            with page.expect_download() as started:
                page.locator(f"#{section} a.download").first.click()
            assert started.value.suggested_filename == f"{file}.csv"
            if section == "heat":
                with open(started.value.path(), encoding="utf-8", newline="") as text:
                    rows = list(csv.DictReader(io.StringIO(text.read(), newline="")))
                assert [row["target"] for row in rows] == list(result.frame["target"])
                assert [float(row["score"]) for row in rows] == list(result.frame["score"])


def test_names_in_a_csv_are_no_formulas(visit, ranking):
    formula = "=cmd|' /c calc'!A1"
    made = renamed(ranking, "cousin", formula)
    page = visit(made)
    with page.expect_download() as started:
        page.locator("#scores a.download").first.click()
    with open(started.value.path(), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    sources = [row["source"] for row in rows]
    assert f"'{formula}" in sources
    wanted = made.frame.set_index("source")["source_to_target"]
    assert (wanted < 0).any()  # and stays a number
    for row in rows:
        assert float(row["source_to_target"]) == wanted[row["source"].removeprefix("'")]


@pytest.mark.parametrize("kind", ["ranking", "matrix"])
def test_hostile_names_are_text(visit, hostile, kind):
    result = hostile[kind]
    page = visit(result)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 3
    shown = page.locator(
        "#scores tbody th button" if kind == "ranking" else "#datasets tbody th button"
    )
    names = [c.source for c in result] if kind == "ranking" else list(result.names)
    assert shown.evaluate_all("all => all.map(b => b.textContent)") == names
    for name in names:
        button = next(b for b in shown.all() if b.text_content() == name)
        button.click()
        assert page.locator("#details h2").text_content() == name
    for summary in page.locator("main details summary").all():
        summary.click()
    page.mouse.wheel(0, 4000)


def test_a_column_or_class_with_a_hostile_name_is_text(visit, hostile):
    page = visit(hostile["ranking"])
    facts = hostile["ranking"].best.facts
    left_out = page.locator("#facts tbody tr > :nth-child(8)").all_inner_texts()
    assert left_out == [SCRIPT, *[IMAGE] * (len(left_out) - 1)]
    assert [f.left_out for f in facts.values()] == [(SCRIPT,), (IMAGE,)]
    assert f"{SCRIPT}: " in page.locator("#facts tbody").inner_text()


@pytest.mark.parametrize("size", ["many", "vast"])
def test_large_results_open_quickly_and_stay_below_eight_megabytes(visit, request, size):
    page = visit(request.getfixturevalue(size))
    print(
        f"{size}: {page.seconds:.2f} s, of which {page.work:.2f} s work; {page.size / 1e6:.2f} MB"
    )
    # Where other programs take the processor the clock says little, and the page's own work all.
    assert page.work < 1.5
    assert page.seconds < 10
    assert page.size < 8e6


def contrast(page, selector):
    """Return the contrast of an element's text with the card it stands on (WCAG 2)."""
    ink, paper = page.evaluate(
        """selector => {
            const node = document.querySelector(selector);
            let box = node;
            while (getComputedStyle(box).backgroundColor === "rgba(0, 0, 0, 0)") box = box.parentElement;
            const style = getComputedStyle(node);
            return [node.namespaceURI.endsWith("svg") ? style.fill : style.color,
                    getComputedStyle(box).backgroundColor];
        }""",
        selector,
    )

    def light(text):
        parts = [int(p) / 255 for p in text[text.index("(") + 1 : -1].split(",")[:3]]
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    high, low = sorted((light(ink), light(paper)), reverse=True)
    return (high + 0.05) / (low + 0.05)


TEXTS = ["h1", ".lead", ".eyebrow", "#scores svg text", "#scores svg .tick", "#scores .legend li",
         "#trials td .zone[data-zone=helps]", "#trials td .zone[data-zone=hurts]",
         "#scores button.name", "#scores thead button", ".top nav a", ".download"]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_readable_in_both_themes_and_on_a_phone(visit, ranking, scheme):
    page = visit(ranking, color_scheme=scheme)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.locator("html").get_attribute("lang") == "en"
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for screen in (None, PHONE):
        if screen:
            page.set_viewport_size(screen)
        for selector in TEXTS:
            assert contrast(page, selector) >= 4.5, selector
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_hostile_names_do_not_widen_a_phone(visit, hostile):
    for result in hostile.values():
        page = visit(result, viewport=PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_paper_shows_the_whole_and_no_controls(visit, ranking):
    page = visit(ranking, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for selector in ("#theme", ".top nav", "#scores .bar"):
        assert not page.locator(selector).first.is_visible()
    assert page.locator("#scores table").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_scripts_the_verdict_is_there(visit, ranking):
    page = visit(ranking, java_script_enabled=False)
    text = page.locator("noscript").inner_text()
    assert ranking.caution in text
    assert "kin" in text
