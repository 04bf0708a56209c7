"""Write docs/images: reports of the demonstration as a browser shows them.

Usage: python docs/screenshots.py (needs Playwright and Chromium: make browser)
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import datakin
from datakin.synthetic import make_demo

IMAGES = Path(__file__).parent / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SCREENS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 1280}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 1280}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 1700}},
}
SELECTED = {"ranking": "shifted twin", "matrix": "cousin"}  # whose details are open in the dark


def make_results() -> dict[str, object]:
    """Return the results that are shown."""
    target, sources = make_demo()
    ranking = datakin.rank(target, [s.dataset for s in sources])
    matrix = datakin.matrix([target, *(s.dataset for s in sources)])
    choice = datakin.choose(target, [s.dataset for s in sources])
    found = {"choice": choice, "ranking": ranking, "matrix": matrix}
    stranger = next(s.dataset for s in sources if s.dataset.name == "stranger")
    why = datakin.explain(target, stranger)
    return {**found, "comparison": ranking["cousin"], "explanation": why}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for kind, result in make_results().items():
            path = datakin.write_report(result, Path(folder) / f"{kind}.html", command=None)
            for screen, options in SCREENS.items():
                page = browser.new_context(**options).new_page()
                page.goto(path.as_uri())
                page.wait_for_selector("html[data-ready]", state="attached")
                if kind in SELECTED and screen == "dark":
                    page.get_by_role("button", name=SELECTED[kind], exact=True).first.click()
                    page.evaluate(
                        "scrollTo({top: 0, behavior: 'instant'}); document.activeElement.blur()"
                    )
                    page.mouse.move(2, 2)
                page.screenshot(path=IMAGES / f"report-{kind}-{screen}.png")
        browser.close()


if __name__ == "__main__":
    main()
