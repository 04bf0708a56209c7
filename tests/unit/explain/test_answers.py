"""What an explanation says of causes in the tables: sentences, options, and that nothing is lost in JSON."""

from dataclasses import replace

import pytest

from datakin import explain, from_json
from datakin.results.answer_html import answer_html
from datakin.results.words import number
from tests.unit.explain.planted import planted
from tests.unit.explain.spoiled import add_up, explained, frames, planted_cause
from tests.unit.results.sentences import check_form

HEADS = {
    "units": "b looks to be in other units",
    "codes": "the levels of e look recoded",
    "blanks": "missing values of a look coded as a value",
    "leak": "g looks to give the label away in one of them",
    "classes": "the classes look swapped",
    "base rate": "the base rate differs",
}


@pytest.mark.parametrize("cause", list(HEADS))
def test_the_headline_names_the_cause(cause):
    found = planted_cause(cause)[2]
    answer = found.answer
    assert answer.headline.endswith(f"{HEADS[cause]}.")
    mend = found.mends[0]
    if mend.flagged:
        assert answer.reasons[0] == mend.seen
        assert any("only who made the tables can say" in text for text in answer.caveats)
        row = answer.table.rows[1]
        assert row.cells[0] == "+ tables mended"
        assert row.cells[4] == "yes"


@pytest.mark.parametrize("cause", list(HEADS))
def test_json_and_frame_hold_everything(cause):
    found = planted_cause(cause)[2]
    again = from_json(found.to_json())
    assert again == found
    assert again.mends == found.mends
    assert again.shift.explains == found.shift.explains
    assert again.kept == found.kept
    assert str(again) == str(found)
    assert list(found.frame["part"]) == [part.name for part in found.parts]
    assert repr(found).endswith(f"{cause})")


def test_options_are_those_of_where_they_are_read():
    found = planted_cause("codes")[2]
    (mend,) = found.mends
    python, typed = found.answer, found.answer.said_as(str)
    for answer, shown, other in (
        (python, mend.python, mend.typed),
        (typed, mend.typed, mend.python),
    ):
        (block,) = [lines for name, lines in answer.blocks() if name == "remedies"]
        assert block[0] == "What would mend it"
        assert f"    {shown}" in block  # on one line, to be copied
        assert other not in answer.text()
    assert mend.python in str(found)


def test_the_remedy_says_what_it_brings():
    found = planted_cause("units", task="numbers")[2]
    (mend,), (remedy,) = found.mends, found.answer.remedies
    assert remedy.text.startswith("Convert b of theirs: the excess of the loss goes from ")
    share = 100 * mend.before / found.loss_alone
    assert f"{share:.0f}%" in remedy.text
    bare = replace(found, steps=tuple(replace(step, loss=0.0) for step in found.steps))
    assert bare.answer.remedies[0].text == "Convert b of theirs."


def test_names_cannot_act_in_html():
    found = planted_cause("units")[2]
    (mend,) = found.mends
    bad = replace(
        mend, seen="<b>seen</b>.", python="<i>&python", typed="<u>typed", columns=("<s>",)
    )
    made = replace(found, mends=(bad,))
    for text in (made._repr_html_(), answer_html(made.answer.said_as(str))):
        assert not any(tag in text for tag in ("<b>", "<i>", "<u>", "<s>"))
    assert "&lt;i&gt;&amp;python" in made._repr_html_()
    assert "&lt;u&gt;typed" in answer_html(made.answer.said_as(str))


def test_control_characters_stay_out_of_options():
    found = planted_cause("units")[2]
    bad = replace(found.mends[0], typed="--convert a\x1b[31m\nb", python="a\x1b\nb")
    text = replace(found, mends=(bad,)).answer.text()
    assert "\x1b" not in text
    assert "a\nb" not in text


@pytest.mark.parametrize(("cause", "seed"), [("leak", 0), ("leak", 1), ("blanks", 1)])
def test_a_mended_target_is_told(cause, seed):
    found = planted_cause(cause, seed)[2]
    (said,) = [
        text for text in found.answer.caveats if text.startswith("The target is mended, too")
    ]
    alone, before = number(found.loss_alone), number(found.steps[0].loss - found.excess)
    assert f"the loss of its own predictor is {alone}" in said
    assert ("as before" if alone == before else f"instead of {before}") in said
    assert "of the loss of the mended target" in found.answer.evidence[0]
    add_up(found)
    # The source's predictor in the mended tables, against the target alone in them:
    rest = sum(part.value for part in found.parts[1:])
    assert found.steps[1].loss - found.steps[-1].loss == pytest.approx(rest, abs=1e-12)
    check_form(found.answer)


def test_a_source_that_is_mended_leaves_the_target():
    for cause in ("units", "codes", "classes"):
        found = planted_cause(cause)[2]
        assert not any("target is mended" in text for text in found.answer.caveats)
        assert found.steps[0].loss - found.steps[-1].loss == pytest.approx(found.excess, abs=1e-12)


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_errors_are_in_the_users_unit(task):
    target, _, found = planted_cause("units", task=task)
    first, last = found.steps[0].error, found.steps[-1].error
    table = found.answer.table
    if task == "classes":
        assert 0 < last < first <= 1
        assert table.columns[1] == "error"
        assert table.rows[0].cells[1] == f"{100 * first:.1f}%"
        assert round(first * 3 * len(target)) == pytest.approx(first * 3 * len(target), abs=1e-9)
    else:
        assert first == pytest.approx(found.steps[0].loss ** 0.5)
        assert table.columns[1] == "RMSE"


def test_little_is_lost_and_a_cause_is_plain():
    """Missing values coded as a value are named although they cost next to nothing."""
    found = planted_cause("blanks")[2]
    assert found.low <= 0
    assert "loses little on mine, but missing values of a look coded" in found.answer.headline
    assert found.answer.tone == "open"


def test_remedies_are_sentences():
    for cause in HEADS:
        for remedy in planted_cause(cause)[2].answer.remedies:
            assert remedy.text.endswith(".")
            assert len(remedy.text.split()) <= 30
            assert "=" not in remedy.text


def test_levels_that_only_one_table_has_are_not_called_missing():
    target, source = frames("nothing")
    found = explained(target, source.assign(f=source["f"].str.upper() + " of them"))
    moved = next(text for text in found.answer.reasons if "moved most is f" in text)
    assert moved.endswith(" are missing or unknown.") or "are 'u'" in moved
    assert "'missing'" not in found.answer.text(details=True)
    check_form(found.answer)


def test_tables_that_hardly_overlap_do_not_differ_where_both_lie():
    """The two sentences would contradict each other."""
    found = explain(*planted("rule", 0), learner="linear")
    for auc, is_said in ((0.8, True), (0.97, False)):
        ends = {"low": auc, "high": auc, "mended_low": 0.0, "mended_high": 0.0}
        shift = replace(found.shift, auc=auc, mended=0.0, **ends)
        answer = replace(found, shift=shift).answer
        assert any("differ where both lie" in text for text in answer.reasons) == is_said
        assert any("hardly overlap" in text for text in answer.caveats) == (not is_said)


def test_a_mended_scale_mends_the_level():
    found = planted_cause("confidence", 2, "numbers")[2]
    assert found.causes[0] == "scale"
    level = replace(found.parts[0], name="level", value=found.excess, flagged=True)
    parts = (level, *(part for part in found.parts if part.name != "level"))
    both = replace(found, parts=parts)
    assert "level" in both.causes
    assert not any("learns the level" in each.text for each in both.answer.remedies)
