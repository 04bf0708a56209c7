"""Reports of explanations, and explanations inside those of pairs, rankings and choices."""

import json
import re
from dataclasses import replace

import pytest

import datakin
from datakin.report.page import page, view_of
from datakin.results import EffectPair, LossPart

from .conftest import CHROMIUM, IMAGE, SCRIPT


def embedded(text):
    """Return what a page is drawn from."""
    return json.loads(re.search(r'id="datakin-view">(.*?)</script>', text).group(1))


def sections(result):
    return {part["id"]: part for part in view_of(result)["sections"]}


def test_parts_of_the_ladder_add_up(explanation):
    whole, *parts = sections(explanation)["ladder"]["rows"]
    share = 100 / explanation.loss_alone
    assert whole["to"] == whole["value"] == pytest.approx(share * explanation.excess)
    assert [row["what"] for row in parts] == ["Base rate", "Confidence", "Rule", "Rest"]
    at = whole["to"]
    for row, part in zip(parts, explanation.parts, strict=True):
        assert row["from"] == pytest.approx(at)
        assert row["value"] == pytest.approx(share * part.value)
        assert row["end_low"] <= row["to"] <= row["end_high"]
        assert row["flagged"] == part.flagged
        at = row["to"]
    assert at == pytest.approx(0, abs=1e-9)
    assert [row["loss"] for row in (whole, *parts)] == [step.loss for step in explanation.steps]


def test_a_further_part_is_drawn_as_it_comes(explanation):
    """What is mended in the tables comes before the base rate."""
    first = replace(explanation.parts[0], name="coding", flagged=False)
    step = replace(explanation.steps[1], name="mended")
    base = LossPart("base rate", 0.0, -0.1, 0.1, 0.5, False)
    made = replace(
        explanation,
        parts=(first, base, *explanation.parts[1:]),
        steps=(explanation.steps[0], step, *explanation.steps[1:]),
    )
    rows = sections(made)["ladder"]["rows"]
    assert [row["what"] for row in rows[1:3]] == ["Coding", "Base rate"]
    assert rows[1]["meaning"] == "values are written otherwise, or missing"


def test_every_section_is_there_where_its_part_is(explanation):
    assert list(sections(explanation)) == [
        *("ladder", "causes", "effects", "columns", "regions", "moved", "kept", "facts")
    ]
    bare = replace(explanation, mends=(), columns=(), regions=(), shift=None, kept=None)
    assert list(sections(bare)) == ["ladder", "facts"]
    page(bare)


def test_causes_have_the_option_that_mends_them(explanation):
    first, second = sections(explanation)["causes"]["rows"]
    assert first["cause"] == "Column: x0 *"
    assert (first["typed"], first["python"]) == ("--ignore x0", "ignore=['x0']")
    share = 100 / explanation.loss_alone
    assert first["before"] == pytest.approx(share * explanation.excess)
    assert first["after"] == pytest.approx(0.1 * first["before"])
    assert (second["cause"], second["before"], second["typed"]) == ("Copies", None, "")


def test_what_would_mend_it_stands_on_the_page(explanation):
    """Advice without an option, too: a report says what the terminal says."""
    texts = [each.text for each in explanation.answer.remedies]
    for command, option in ((None, "ignore=['x0']"), ("datakin explain", "--ignore x0")):
        found = embedded(page(explanation, command=command))["remedies"]
        assert [text for text, _ in found] == texts
        assert found[0][1] == option
    calm = tuple(replace(part, flagged=False) for part in explanation.parts)
    assert embedded(page(replace(explanation, mends=(), parts=calm)))["remedies"] == []


def test_effects_and_features(explanation):
    found = sections(explanation)
    pairs = [pair for each in explanation.columns for pair in each.effects]
    assert [row["name"] for row in found["effects"]["rows"]] == [pair.name for pair in pairs]
    assert found["effects"]["rows"][0]["there"] == pairs[0].there
    moved = found["moved"]
    assert f"AUC {explanation.shift.auc:.2f}" in moved["text"]
    assert [row["column"] for row in moved["rows"]] == [c.column for c in explanation.shift.columns]
    word = replace(explanation.shift.columns[0], kind="category", level="a", here=0.2, there=0.7)
    shift = replace(
        explanation.shift, columns=(word,), mended=0.1, mended_low=0.05, mended_high=0.2
    )
    part = sections(replace(explanation, shift=replace(shift, rows_left=40.0)))["moved"]
    assert (part["rows"][0]["here"], part["rows"][0]["there"]) == ("20% 'a'", "70% 'a'")
    assert "count like 40 rows" in part["text"]


def test_rows_worth_keeping(explanation):
    part = sections(explanation)["kept"]
    assert "left out: x0 > 1 and x1 <= 2; x2 > 3" in part["text"]
    alone, every = part["rows"]
    assert (alone["value"], alone["low"], alone["high"]) == pytest.approx((20, 10, 30))
    assert every["value"] == pytest.approx(60)


def test_numbers_and_a_loss_of_nothing(make_linear):
    lines = [make_linear(60, k, name=f"line {k}", angle=0.9 * k) for k in (0, 1)]
    made = datakin.explain(*lines)
    facts = {row["what"]: row["value"] for row in sections(made)["facts"]["rows"]}
    assert "Mean of the label in the target" in facts
    perfect = replace(made, steps=tuple(replace(step, loss=0.0) for step in made.steps))
    ladder = sections(perfect)["ladder"]
    assert ladder["chart"]["unit"] == ""
    assert ladder["rows"][0]["value"] == made.excess
    page(perfect)


def test_hostile_names(explanation):
    first = explanation.columns[0]
    effect = EffectPair(SCRIPT, *(0.1,) * 6)
    made = replace(
        explanation,
        source=IMAGE,
        columns=(replace(first, column=SCRIPT, effects=(effect,)),),
        mends=tuple(replace(each, seen=SCRIPT, typed=IMAGE) for each in explanation.mends),
    )
    text = page(made)
    assert text.count("<script") == 3
    assert not re.search(r"<img|alert\(1\)</|onerror=alert\(2\)>", text)


def test_why_sources_hurt(ranking, results, explanation):
    of_choice = replace(explanation, source="far")
    for result, each in (
        (replace(ranking, explanations=(explanation,)), explanation),
        (replace(results["choice"], explanations=(of_choice,)), of_choice),
    ):
        found = view_of(result)
        (row,) = sections(result)["why-hurts"]["rows"]
        assert row["source"] == each.source
        assert row["excess"] == pytest.approx(100 * each.excess / each.loss_alone)
        for part in each.parts:
            assert row[f"part {part.name}"] == pytest.approx(100 * part.value / each.loss_alone)
        ladder = found["details"][each.source]["ladder"]
        assert [step[0] for step in ladder] == [line.cells[0] for line in each.answer.table.rows]
        assert each.answer.headline in found["details"][each.source]["why"]
        told = [text for text in result.answer.reasons if text.startswith(f"{each.source} ")]
        assert each.answer.headline in told[0]
        assert each.answer.reasons[0] in told[0]
        assert datakin.from_json(result.to_json()) == result
    pair = replace(ranking["stranger"], explanations=(explanation,))
    assert {"why-parts", "why-effects"} < set(sections(pair))
    assert explanation.answer.headline in pair.answer.reasons[0]
    assert "why-hurts" not in sections(ranking)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_the_side_sheet_has_the_ladder(visit, ranking, explanation):
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    view = visit(replace(ranking, explanations=(explanation,)))
    assert view.locator("#why-hurts .chart svg .row").count() == 1
    view.locator('#why-hurts .row[data-name="stranger"] .hit').click()
    sheet = view.locator("#details").inner_text()
    assert "Why it fails, step by step" in sheet
    for line in explanation.answer.table.rows:
        assert line.cells[0] in sheet
    told = visit(explanation).locator("#mend")
    for each in explanation.answer.remedies:
        assert each.text in told.inner_text()
    assert told.locator("code").all_inner_texts() == ["ignore=['x0']"]
    bars = visit(explanation).locator("#ladder .chart svg .row > rect:not(.hit)")
    assert bars.count() == 1 + len(explanation.parts)
