"""A choice as a record: its words, its JSON, and what it says when two numbers disagree."""

import json
import re
from dataclasses import replace

import pytest

import datakin
import datakin.report
from datakin import DatakinError
from datakin.report.page import view_of
from datakin.results import Choice, CurvePoint, Provenance, SourceChoice, Stability
from tests.unit.damage import damaged_json

SCRIPT = "<script>alert(1)</script>"


def source(name, call, share, gain=0.05):
    reach = (gain - 0.04, gain + 0.04)
    return SourceChoice(name, call, gain, *reach, 0.8, share, 12.4, 1300, -0.2, -0.3, -0.1)


@pytest.fixture
def choice():
    found = (
        source("north", "helps", 0.5),
        source("south", "harmless", 0.2, 0.02),
        source("west", "unclear", 0.0, 0.01),
        source("east", "hurts", 0.0, -0.001),
    )
    names = [each.source for each in found]
    often = dict(zip(names, (1.0, 0.8, 0.2, 0.0), strict=True))
    return Choice(
        target="home",
        label="died",
        task="binary",
        n_rows=60,
        used=("north", "south"),
        fewest=("north",),
        choices=found,
        loss="zero_one",
        error=0.12,
        interval=(0.05, 0.19),
        error_alone=0.17,
        error_all=0.26,
        gain=0.3,
        gain_interval=(0.1, 0.5),
        p_gain=0.97,
        tried=0.42,
        loss_alone=0.13,
        stability=Stability(5, True, 1.0, 0.1, 0.14, 0.6, often, often),
        curve=(CurvePoint(30, 0.2, 0.16), CurvePoint(54, 0.17, 0.13)),
        learners=("linear", "trees"),
        unusable={"zip codes": "It has no column 'died'."},
        notes=("3 rows without a label were left out.",),
        provenance=Provenance(0, {"loss": "zero_one"}, {"datakin": "0"}, {"home": "ab"}),
    )


@pytest.fixture
def numbers(choice):
    changes = {"task": "regression", "loss": "squared", "error": 1071.0, "error_alone": 12345.0}
    return replace(choice, **changes, interval=(900.0, 1225.0), error_all=2e12)


def test_words(choice):
    lines = str(choice).splitlines()
    assert lines[0] == choice.headline == "Use 2 of 4 sources: north, south."
    assert tuple(lines[1:6]) == choice.evidence
    assert choice.evidence == (
        "Expected error: 12.0%, 90% interval 5.0% to 19.0%; home alone: 17.0%; everything pooled: 26.0%.",
        "On the rows of home, held out, the Brier loss falls by 42% against home alone.",
        "Read with what such choices brought elsewhere, it should fall by 30% (90% interval 10 to 50%; "
        "probability of a fall 97%).",
        "The fewest sources that keep nine tenths of the gain: north.",
        "Same sources in 100% of 5 draws of the folds and in 60% of reweighted samples of the target.",
    )
    row = next(line for line in lines if line.startswith("north"))
    assert row.split() == [
        "north",
        "helps",
        "+5.0%",
        "+1",
        "to",
        "+9%",
        "-20%",
        "50%",
        "1,300",
        "12",
    ]
    assert next(line for line in lines if line.startswith("east")).split()[2:4] == ["-0.1%", "-4"]
    assert lines[-2:] == [
        "Not usable: zip codes. It has no column 'died'.",
        "Note: 3 rows without a label were left out.",
    ]
    assert repr(choice) == "Choice('home': Use 2 of 4 sources: north, south. error 0.1200)"


def test_the_fewest_sources_are_named_where_they_are_fewer(choice):
    for changes in ({"fewest": ()}, {"fewest": choice.used}, {"tried": -0.1}):
        assert "fewest" not in str(replace(choice, **changes))


def test_a_source_whose_rows_are_not_there_is_not_said_to_be_pooled(choice):
    nan = float("nan")
    first = replace(choice.choices[0], pooled=nan, pooled_low=nan, pooled_high=nan)
    earlier = replace(choice, choices=(first, *choice.choices[1:]))
    row = next(line for line in str(earlier).splitlines() if line.startswith("north"))
    assert row.split()[6] == "-"
    facts = dict(view_of(earlier)["details"]["north"]["facts"])
    assert "If pooled" not in facts
    assert "nan" not in str(earlier) + earlier._repr_html_() + str(facts)
    assert "NaN" not in earlier.to_json()
    assert datakin.from_json(earlier.to_json()) == earlier


def test_the_legend_is_true_of_gains(choice):
    assert "It is a cautious number. Gains of several sources do not add up." in str(choice)


def test_squared_errors_have_their_root_beside_them(numbers):
    assert numbers.evidence[0] == (
        "Expected squared error: 1071 (root 32.7), 90% interval 900 to 1225 (root 30 to 35); home alone: "
        "12,345 (root 111); everything pooled: 2e+12 (root 1.41e+06)."
    )
    assert "the squared error falls by 42% against home alone" in numbers.evidence[1]


def test_other_losses_are_plain_numbers(choice):
    said = replace(choice, loss="log").evidence[0]
    assert said.startswith("Expected log loss: 0.12, 90% interval 0.05 to 0.19; home alone: 0.17;")


def test_headlines(choice):
    none = replace(choice, used=())
    assert none.headline == "Do not use any of the 4 sources: learn from home alone."
    assert "measured with choosing included" in none.evidence[1]
    assert "falls" not in str(none).split("Gain:")[0]
    same = replace(none, error=0.17)
    assert not any("choosing included" in line for line in same.evidence)
    one = replace(choice, choices=choice.choices[:1], used=("north",))
    assert one.headline == "Use north."
    assert replace(one, used=()).headline == "Do not use the one source: learn from home alone."
    every = replace(choice, used=tuple(c.source for c in choice.choices))
    assert every.headline.startswith("Use all of 4 sources: east, north, ")
    empty = replace(choice, choices=(), used=())
    assert empty.headline == "No source can be used: learn from home alone."
    assert empty.evidence == ("Expected error: 12.0%, 90% interval 5.0% to 19.0%.",)
    assert replace(empty, unusable={}).headline == "There is no source: learn from home alone."
    assert list(empty.frame) == list(choice.frame)


def test_many_names_and_odd_names_in_a_headline(choice):
    found = tuple(source(f"s{k:02d}", "helps", 0.05) for k in range(20))
    many = replace(choice, choices=found, used=tuple(c.source for c in found))
    assert many.headline.endswith("s06, s07 and 12 more.")
    odd = replace(choice, target="two\nlines\u202e")
    assert all("\n" not in line and "\u202e" not in line for line in odd.evidence)


def test_when_error_and_gain_disagree_it_is_said_why(choice, numbers):
    assert not any("coarse" in line for line in choice.evidence)
    worse = replace(choice, error=0.2)
    assert worse.evidence[3] == (
        "The share of wrong predictions rises while the Brier loss falls: on 60 rows that share is too "
        "coarse to tell, and the Brier loss decides."
    )
    lucky = replace(choice, tried=-0.02)
    assert lucky.evidence[1] == (
        "On the rows of home, held out, the Brier loss does not fall against home alone."
    )
    assert "it should fall by 30%" in lucky.evidence[2]
    assert "wrong predictions falls while the Brier loss rises" in lucky.evidence[3]
    assert replace(choice, gain=-0.02).evidence[2].startswith("A fall is not to be expected (90%")
    assert "because of few rows" in replace(numbers, error=13000.0).evidence[3]
    other = replace(choice, loss="log", error=0.2)
    assert other.evidence[3] == (
        "The log loss rises while the Brier loss falls; sources are chosen by the Brier loss."
    )
    assert len(replace(choice, error=0.17).evidence) == 5


def test_draws_that_did_not_agree(choice):
    wild = replace(choice, stability=replace(choice.stability, settled=False, folds=0.4))
    assert wild.evidence[-1] == "The last draws of the folds did not agree on the sources."


def test_json_round_trip(choice):
    found = datakin.from_json(choice.to_json())
    assert found == choice
    assert str(found) == str(choice)
    assert Choice.from_json(choice.to_json(indent=1)).frame.equals(choice.frame)
    with pytest.raises(DatakinError, match=r"read from JSON, which holds no model.*load_model"):
        _ = found.model
    with pytest.raises(KeyError, match="no source 'nowhere'; the sources are 'north'"):
        found["nowhere"]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"error": "low"}, "'error' of a Choice cannot be 'low'"),
        ({"choices": [1]}, "'choices' of a Choice cannot be"),
        ({"interval": [0.1]}, "'interval' of a Choice"),
        ({"stability": None}, "'stability' of a Choice"),
        ({"surprise": 1}, "has no 'surprise'"),
    ],
)
def test_damaged_json_is_refused(choice, change, match):
    text = json.dumps(json.loads(choice.to_json()) | change)
    with pytest.raises(DatakinError, match=match):
        datakin.from_json(text)


def test_a_call_that_is_none_is_refused(choice):
    with pytest.raises(DatakinError, match=r"A call must be one of 'helps'.*Got 'splendid'"):
        datakin.from_json(choice.to_json().replace('"unclear"', '"splendid"'))


def test_whatever_is_read_can_be_shown(choice):
    refused = 0
    for seed in range(300):
        try:
            found = datakin.from_json(damaged_json(choice.to_json(), seed))
            assert found._repr_html_()
            assert datakin.report.page.page(found)
        except DatakinError:
            refused += 1
    assert refused > 75


def test_html_for_notebooks(choice):
    hostile = (replace(choice.choices[0], source=SCRIPT), *choice.choices[1:])
    lost = {"<b>bold</b>": "<i>why</i>"}
    made = replace(choice, choices=hostile, used=(SCRIPT,), target="<u>", unusable=lost)
    text = made._repr_html_()
    assert not re.search(r"<script|<b>|<i>|<u>", text)
    assert "Use 1 of 4 sources: &lt;script&gt;" in text
    assert "Not usable: &lt;b&gt;bold&lt;/b&gt;" in text
    assert text.count("<circle") == 4
    assert "<svg" not in replace(choice, choices=(), used=())._repr_html_()
