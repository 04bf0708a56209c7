"""A choice as a record: its words, its JSON, and what it says when two numbers disagree."""

import json
import re
from dataclasses import replace

import pytest

import datakin
import datakin.report
from datakin import DatakinError
from datakin.learners.metrics import Metrics
from datakin.report.page import view_of
from datakin.results import Choice, CurvePoint, Provenance, SourceChoice, Stability
from tests.unit.damage import damaged_json
from tests.unit.results.sentences import sentences_of

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


def row_of(choice, name):
    return next(line for line in str(choice).splitlines() if line.startswith(f"{name} ")).split()


def test_words(choice):
    lines = str(choice).splitlines()
    assert lines[0] == choice.headline == "Use 2 of 4 sources beside home: north and south."
    assert choice.evidence == (
        "Expected error: 12.0% (90% interval 5.0 to 19.0%), against 17.0% with home alone.",
        "This should help: the Brier loss should fall by 30% (90% interval 10 to 50%; probability of a fall "
        "97%).",
        "How stable: the same sources in 100% of 5 repeats and in 60% of resampled versions of home.",
    )
    assert " ".join(choice.evidence) in " ".join(str(choice).split())
    assert choice.answer.caveats == (
        "On held-out rows the Brier loss fell by 42%. The fall to expect also rests on what such choices "
        "brought on other data.",
        "Everything in one pool: error 26.0%.",
        "Not usable: zip codes. It has no column 'died'.",
    )
    assert row_of(choice, "north")[:3] == ["north", "helps", "+5.0%"]
    assert row_of(choice, "north")[-3:] == ["50%", "1,300", "12"]
    assert row_of(choice, "home")[-2:] == ["30%", "60"]
    # Of a source that hurts, the number is that of the pool, which decides.
    assert row_of(choice, "east")[1:3] == ["hurts", "-20%*"]
    assert any(line.startswith("east hurts: ") for line in choice.answer.reasons)
    assert lines[-2:] == [
        "What was done to the data",
        "- 3 rows without a label were left out.",
    ]
    assert repr(choice) == (
        "Choice('home': Use 2 of 4 sources beside home: north and south. error 0.1200)"
    )


def test_gains_that_rest_on_other_data_are_said_to(choice):
    mostly = "On these rows the trials tell little of single sources: their gains rest mostly on other data."
    assert mostly not in choice.answer.caveats
    tried = [replace(c, tried=0.5 * k) for k, c in enumerate(choice.choices)]
    assert mostly in replace(choice, choices=tuple(tried)).answer.caveats


def test_a_pool_is_held_against_the_choice_in_the_loss_that_decides(choice):
    said = "Everything in one pool: error 26.0%, Brier loss 0.2 (the choice: 0.1)."
    measured = {
        name: Metrics(name, 60, {"brier": b}) for name, b in (("all", 0.2), ("choice", 0.1))
    }
    assert said in replace(choice, metrics=measured).answer.caveats
    good = {**measured, "all": Metrics("all", 60, {"brier": 0.1})}
    said = " ".join(replace(choice, metrics=good).answer.caveats)
    assert "Everything in one pool: error 26.0%, Brier loss 0.1" in said  # its error is larger
    said = " ".join(replace(choice, metrics=good, error_all=0.11).answer.caveats)
    assert "Everything in one pool does about as well here: error 11.0%, Brier loss 0.1" in said


def test_probabilities_that_are_off_on_the_whole_are_said_to_be(choice):
    for ends, way in (((0.1, 0.4), "low"), ((-0.4, -0.1), "high"), ((-0.1, 0.1), "")):
        found = Metrics(
            *(
                "the choice",
                60,
                {"calibration_intercept": 0.2},
                {"calibration_intercept": ends},
                "yes",
            )
        )
        said = " ".join(replace(choice, metrics={"choice": found}).answer.caveats)
        assert ("Probabilities of yes are too" in said) == bool(way)
        assert f"too {way} on the whole" in said or not way


def test_a_source_whose_rows_are_not_there_is_not_said_to_be_pooled(choice):
    nan = float("nan")
    first = replace(choice.choices[0], pooled=nan, pooled_low=nan, pooled_high=nan)
    earlier = replace(choice, choices=(first, *choice.choices[1:]))
    assert row_of(earlier, "north") == row_of(choice, "north")
    facts = dict(view_of(earlier)["details"]["north"]["facts"])
    assert "If pooled" not in facts
    assert "nan" not in str(earlier) + earlier._repr_html_() + str(facts)
    assert "NaN" not in earlier.to_json()
    assert datakin.from_json(earlier.to_json()) == earlier


def test_the_legend_says_what_is_in_the_table(choice):
    said = " ".join(choice.answer.legend)
    assert (
        "Gain: how much the Brier loss of the target should fall with this source beside it" in said
    )
    assert "* of one pool with the target's rows, which decides this call." in said
    assert "Worth: " in said
    kind = replace(choice, choices=(replace(choice.choices[0], worth_rows=None),), used=("north",))
    said = " ".join(kind.answer.legend)
    assert all(word not in said for word in ("hurts", "harmless", "unclear", "* of", "Worth"))


def test_squared_errors_are_said_in_the_unit_of_the_label(numbers):
    assert numbers.evidence[0] == (
        "Expected root mean squared error: 32.7 (90% interval 30 to 35), against 111 with home alone."
    )
    said = "the squared error should fall by 30% (its root by 16%; 90% interval 10 to 50%;"
    assert said in numbers.evidence[1]
    said = " ".join(numbers.answer.caveats)
    assert "in the unit of the label" in said
    assert "Everything in one pool: root mean squared error 1,414,214." in said


def test_other_losses_are_plain_numbers(choice):
    said = replace(choice, loss="log").evidence[0]
    assert (
        said == "Expected log loss: 0.12 (90% interval 0.05 to 0.19), against 0.17 with home alone."
    )


def test_headlines(choice):
    none = replace(choice, used=())
    assert none.headline == "Do not use any of the 4 sources: learn from home alone."
    assert none.evidence[0] == (
        "Expected error: 12.0% (90% interval 5.0 to 19.0%); 17.0% with home alone, not choosing at all."
    )
    assert "should fall" not in " ".join((*none.evidence, *none.answer.caveats))
    same = replace(none, error=0.17)
    assert same.evidence[0] == "Expected error: 17.0% (90% interval 5.0 to 19.0%)."
    one = replace(choice, choices=choice.choices[:1], used=("north",))
    assert one.headline == "Use the one source beside home: north."
    assert replace(one, used=()).headline == "Do not use the one source: learn from home alone."
    every = replace(choice, used=tuple(c.source for c in choice.choices))
    assert every.headline == "Use all 4 sources beside home: east, north, south and west."
    empty = replace(choice, choices=(), used=())
    assert empty.headline == "No source can be used: learn from home alone."
    assert empty.evidence == ("Expected error: 12.0% (90% interval 5.0 to 19.0%).",)
    assert replace(empty, unusable={}).headline == "There is no source: learn from home alone."
    assert list(empty.frame) == list(choice.frame)


def test_how_sure_a_gain_is_said_to_be(choice):
    words = {
        0.9: "This should help: ",
        0.89: "This probably helps: ",
        0.74: "This may help: ",
        0.59: "Whether this helps is open: ",
    }
    for p_gain, said in words.items():
        made = replace(choice, p_gain=p_gain)
        assert made.evidence[1].startswith(said)
        assert made.headline.startswith("No clear gain" if p_gain < 0.6 else "Use")
    unknown = replace(choice, p_gain=float("nan"))
    assert unknown.evidence[1].startswith("Whether this helps is open: ")
    assert "probability of a fall not known)" in unknown.evidence[1]


def test_many_names_and_odd_names_in_a_headline(choice):
    found = tuple(source(f"s{k:02d}", "helps", 0.05) for k in range(20))
    many = replace(choice, choices=found, used=tuple(c.source for c in found))
    assert many.headline == "Use all 20 sources beside home."
    odd = replace(choice, target="two\nlines\u202e", unusable={"zip": "odd \x1b[31m words"})
    assert all("\n" not in line and "\u202e" not in line for line in sentences_of(odd.answer))
    assert "two\\nlines\\u202e alone" in str(odd)
    assert all(line.isprintable() for line in str(odd).splitlines())


def test_when_error_and_gain_disagree_it_is_said_why(choice, numbers):
    assert "coarse" not in str(choice)
    worse = replace(choice, error=0.2)
    assert worse.headline == (
        "No clear gain: home alone does about as well as with 2 of 4 sources: north and south."
    )
    assert worse.evidence[1].startswith(
        "The loss may fall all the same: the Brier loss should fall by 30%"
    )
    coarse = "On 60 rows the error is too coarse to tell; sources are chosen by the Brier loss."
    assert coarse in worse.answer.caveats
    lucky = replace(choice, tried=-0.02)
    assert coarse in lucky.answer.caveats
    assert "should fall by 30%" in lucky.evidence[1]
    assert "On held-out rows the Brier loss did not fall." in lucky.answer.caveats[0]
    assert "the Brier loss should not fall (90%" in replace(choice, gain=-0.02).evidence[1]
    few = "A few rows with large errors decide the mean."
    assert few not in " ".join(numbers.answer.caveats)
    assert few in " ".join(replace(numbers, error=13000.0).answer.caveats)
    other = replace(choice, loss="log", error=0.2)
    assert "Sources are chosen by the Brier loss, which moves the other way." in (
        other.answer.caveats
    )
    assert "coarse" not in str(replace(choice, error=0.17))


def test_repeats_that_did_not_agree(choice):
    said = "More repeats might lead to other sources."
    assert said not in choice.answer.caveats
    wild = replace(choice, stability=replace(choice.stability, settled=False, folds=0.4))
    assert said in wild.answer.caveats


def test_json_round_trip(choice):
    found = datakin.from_json(choice.to_json())
    assert found == choice
    assert str(found) == str(choice)
    assert Choice.from_json(choice.to_json(indent=1)).frame.equals(choice.frame)
    with pytest.raises(DatakinError, match=r"holds no model: it was read from JSON.*load_model"):
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
    assert "Use 1 of 4 sources beside &lt;u&gt;: &lt;script&gt;" in text
    assert "Not usable: &lt;b&gt;bold&lt;/b&gt;" in text
    # An arrow stands for the pool that hurts, beyond the end of the axis.
    assert (text.count("<circle"), text.count("<path")) == (3, 1)
    assert "<svg" not in replace(choice, choices=(), used=())._repr_html_()


def test_json_with_the_fewest_sources_of_earlier_versions_is_read(choice):
    old = json.loads(choice.to_json()) | {"fewest": ["north"]}
    assert datakin.from_json(json.dumps(old)) == choice
