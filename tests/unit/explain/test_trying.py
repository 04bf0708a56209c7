"""Suspects are tried: what is named mends, what is proposed does what was tried, harm is not done."""

from dataclasses import replace

import pytest

import datakin
from datakin.explaining import trying
from datakin.explaining.suspects import Suspect
from datakin.explaining.suspects.suspect import converted
from datakin.explaining.trying import fix_tables, reported, try_one
from tests.unit.explain.spoiled import (
    add_up,
    excess_of,
    explained,
    frames,
    options_of,
    planted_cause,
    sets,
    world_of,
)
from tests.unit.results.sentences import check_form

CASES = [
    (cause, seed, task)
    for cause in ("units", "codes", "blanks", "leak", "classes")
    for seed in (0, 1)  # one in the source, one in the target
    for task in ("classes", "numbers")
    if task == "classes" or (seed == 0 and cause != "classes")
]


@pytest.mark.parametrize(("cause", "seed", "task"), CASES)
def test_the_option_brings_what_the_trial_brought(cause, seed, task):
    target, source, found = planted_cause(cause, seed, task)
    assert found.causes == (cause,)
    (mend,) = [each for each in found.mends if each.part]
    assert (mend.part, mend.flagged) == ("coding", True)
    assert mend.before == pytest.approx(found.excess, rel=1e-12)
    assert mend.low < mend.before - mend.after < mend.high
    again = excess_of(target, source, **options_of(mend))
    assert again == pytest.approx(mend.after, rel=1e-9, abs=1e-12)
    add_up(found)
    check_form(found.answer)
    assert found.parts[0].name == "coding"
    assert [step.name for step in found.steps][:2] == ["source", "mended"]


@pytest.mark.parametrize("cause", ["units", "codes", "leak"])
def test_nothing_is_left_to_explain(cause):
    target, source, found = planted_cause(cause)
    (mend,) = [each for each in found.mends if each.part]
    again = explained(target, source, **options_of(mend))
    assert again.excess == pytest.approx(mend.after, rel=1e-9, abs=1e-12)
    assert again.causes == ()
    assert again.answer.headline.startswith("Nothing to explain")


def two_units(n=150):
    target, source = frames("nothing", 0, "numbers", n)
    return target, source.assign(b=source["b"] * 1.8 + 32, c=source["c"] * 1000)


def test_mends_are_made_one_after_the_other():
    target, source = two_units()
    found = explained(target, source)
    assert found.causes == ("units",)
    first, second = found.mends
    assert {first.columns, second.columns} == {("b",), ("c",)}
    assert second.before == first.after
    assert found.parts[0].value == pytest.approx(first.before - second.after)
    add_up(found)
    check_form(found.answer)
    for mends in ((first,), (first, second)):
        again = excess_of(target, source, **options_of(*mends))
        assert again == pytest.approx(mends[-1].after, rel=1e-9)


def test_names_come_before_what_is_seen_under_them():
    target, source = frames("nothing", 0, "numbers")
    source = source.rename(columns={"a": "b", "b": "a"}).assign(c=1000 * source["c"])
    found = explained(target, source)
    assert found.causes == ("names", "units")
    again = excess_of(target, source, **options_of(*found.mends))
    assert again == pytest.approx(found.mends[-1].after, rel=1e-9)
    assert "columns look to stand under other names" in found.answer.headline


def test_there_is_an_end(monkeypatch):
    monkeypatch.setattr(trying, "MOST_FIXES", 1)
    found = explained(*two_units())
    assert len([mend for mend in found.mends if mend.part == "coding"]) == 1


def test_what_was_mended_is_not_mended_again(monkeypatch):
    """Even if it still looks so."""
    world = world_of(*sets("nothing"))
    idle = harm(world, edit=lambda table: converted(table, "b", 1.01, 0.0))
    monkeypatch.setattr(trying, "suspects_of", lambda _: iter([replace(idle, is_plain=True)]))
    assert len(fix_tables(world, only_plain=False)[1]) == 1


def harm(world, **about):
    """Return a suspect whose mend spoils a column that is right: it turns its effect, around its mean."""
    made = Suspect(
        cause="units",
        table="theirs",
        columns=("b",),
        seen="b looks odd.",
        python="",
        typed="",
        edit=lambda table: converted(table, "b", -3.0, 148.0),
    )
    return replace(made, **about)


@pytest.mark.parametrize("is_plain", [False, True])
def test_a_mend_that_does_harm_is_not_made(monkeypatch, is_plain):
    world = world_of(*sets("effect", task="numbers"))
    monkeypatch.setattr(trying, "suspects_of", lambda _: iter([harm(world, is_plain=is_plain)]))
    trial = try_one(world, harm(world))
    assert trial.fall < 0
    same, mends = fix_tables(world, only_plain=False)
    assert same is world
    assert mends == ()


def test_what_is_plain_is_made_if_it_does_no_harm(monkeypatch):
    world = world_of(*sets("nothing"))
    idle = harm(world, edit=lambda table: converted(table, "b", 1.01, 0.0))
    for is_plain in (False, True):
        one = replace(idle, is_plain=is_plain)
        monkeypatch.setattr(trying, "suspects_of", lambda _, one=one: iter([one]))
        assert len(fix_tables(world, only_plain=False)[1]) == is_plain
    monkeypatch.setattr(trying, "suspects_of", lambda _: iter([idle]))
    assert fix_tables(world, only_plain=True)[1] == ()


def test_a_mend_that_leaves_nothing_to_compare_is_left_out():
    world = world_of(*sets("nothing"))

    def fail(table):
        raise datakin.DatakinError("no column is left.")

    assert try_one(world, harm(world, edit=fail)) is None


def test_a_share_of_the_excess_is_asked_for(monkeypatch):
    world = world_of(*sets("units", task="numbers"))
    units = next(trying.suspects_of(world))
    for asked, n_mends in ((0.5, 1), (2.0, 0)):
        one = replace(units, asked=asked, is_plain=False)
        monkeypatch.setattr(trying, "suspects_of", lambda _, one=one: iter([one]))
        assert len(fix_tables(world, only_plain=False)[1]) == n_mends


def test_what_is_reported_is_not_tried():
    for cause in ("range", "copies"):
        _, _, found = planted_cause(cause)
        (mend,) = found.mends
        assert (mend.cause, mend.part, mend.typed, mend.flagged) == (cause, "", "", False)
        assert mend.before != mend.before
        assert mend.seen in found.answer.reasons
        assert found.answer.remedies == ()
        assert found.causes == ()


def test_ranges_are_those_of_the_mended_tables():
    """A code for missing values lies outside the range of all others."""
    for seed in (0, 1):
        _, _, found = planted_cause("blanks", seed)
        assert [mend.cause for mend in found.mends] == ["blanks"]


def test_two_worlds_of_one_table_report_nothing():
    target, source = sets("nothing")
    assert reported(world_of(target, source)) == ()
