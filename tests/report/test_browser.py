"""Reports as a reader meets them: in a browser, with a mouse, a keyboard and a small screen."""

import csv
import io
import json

import pytest

import datakin
from datakin.report.page import unpack
from datakin.results.call_words import reason_of

from .conftest import CHROMIUM, renamed

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

SCRIPT, IMAGE = "<script>alert(1)</script>", '"><img src=x onerror=alert(2)>'
PHONE = {"width": 390, "height": 844}


def column(page, section, n):
    return page.locator(f"#{section} tbody tr > :nth-child({n})").all_inner_texts()


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
    page.locator('#gains .row[data-name="stranger"] .hit').click()
    details = page.get_by_role("dialog", name="stranger")
    assert details.locator("h2").inner_text() == "stranger"
    found = ranking["stranger"]
    assert f"{found.score:.4f}" in details.inner_text()
    assert reason_of(found.trial, found.call, "home") in details.inner_text()
    for section in ("gains", "scores", "models"):
        assert page.locator(f"#{section} .row.selected").get_attribute("data-name") == "stranger"
    assert page.locator("#scores tr.selected th").inner_text() == "stranger"
    page.locator("#scores").get_by_role("button", name="kin", exact=True).click()
    assert page.get_by_role("dialog").locator("h2").inner_text() == "kin"
    page.keyboard.press("Escape")
    assert page.locator(".selected").count() == 0


def test_selecting_a_dataset_of_a_matrix(visit, results):
    page, matrix = visit(results["matrix"]), results["matrix"]
    page.locator('#tree .row[data-name="set 3"] .hit').click()
    details = page.locator("#details")
    assert details.locator("h2").inner_text() == "set 3"
    nearest = matrix.square["set 3"].drop("set 3").idxmin()
    assert details.locator("tbody tr").first.inner_text().startswith(nearest)
    # Nothing was tried: there are no calls to colour by.
    assert page.locator("#heat-mode option").count() == 2
    page.locator("#heat-mode").select_option("discrepancies")


@pytest.mark.parametrize("rule", ["call", "zone"])
def test_a_matrix_can_be_coloured_by_its_calls(visit, make_lda, rule):
    sets = [make_lda(60, k, name=f"set {k}", angle=0.9 * k) for k in range(3)]
    options = {"models": ["logistic"], "cv": 3}
    if rule == "call":
        names = [each.name for each in sets]
        matrix = datakin.CrossErrors.measure(sets, trials=names, **options).matrix()
    else:
        matrix = datakin.matrix(sets, zones="paper", **options)
    page = visit(matrix)
    mode = page.locator("#heat-mode")
    shown = f"{rule} (row as source for column)"
    assert shown in mode.locator("option").all_inner_texts()
    mode.select_option("zones")
    words = {(z.call if rule == "call" else z.value) for row in matrix.zones for z in row if z}
    key = page.locator("#heat .bar > .legend").inner_text()
    assert any(word in key for word in words)


def test_the_keyboard_is_enough(visit, results):
    page = visit(results["ranking"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.locator("#scores .chart").focus()
    page.keyboard.press("ArrowDown")
    assert f"{results['ranking'].best.source} selected" in page.locator("#announce").inner_text()
    assert not page.locator("#details").is_visible()
    page.keyboard.press("Enter")
    assert page.locator("#details h2").inner_text() == results["ranking"].best.source
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
    page.get_by_label("Filter the table: Who is kin: scores in both directions").fill("HOSPITAL 19")
    assert len(column(page, "scores", 1)) == 12  # 019, 119 and 190 to 199
    assert "12 found of 200" in page.locator("#scores [role=status]").inner_text()
    page.get_by_label("Filter the table: Who is kin: scores in both directions").fill("")
    page.locator("#scores").get_by_role("button", name="Next").click()
    assert page.locator("#scores [role=status]").inner_text() == "26 to 50 of 200"
    page = visit(vast)
    page.get_by_label("Filter the table: The pairs").fill("plant 007 plant 123")
    assert column(page, "pairs", 1) == ["plant 007"]
    assert column(page, "pairs", 3) == [f"{vast.scores[7, 123]:.4f}"]


def test_csv_of_every_chart(visit, ranking):
    page = visit(ranking)
    view = page.evaluate("JSON.parse(document.getElementById('datakin-view').textContent)")
    assert len(view["sections"]) == 5
    page.locator("#more > summary").click()
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
    # Long names are shortened, and whole in the title.
    assert shown.evaluate_all("all => all.map(b => b.dataset.name)") == names
    assert shown.evaluate_all("all => all.map(b => b.title || b.textContent)") == names
    for name in names:
        button = next(b for b in shown.all() if b.get_attribute("data-name") == name)
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
         "#gains td .zone[data-zone=helps]", "#gains td .zone[data-zone=hurts]",
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


def test_without_scripts_the_verdict_is_there(visit, ranking):
    page = visit(ranking, java_script_enabled=False)
    text = page.locator("noscript").inner_text()
    assert ranking.answer.headline in text
    assert all(line in text for line in ranking.answer.evidence)
