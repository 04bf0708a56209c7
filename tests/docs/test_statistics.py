"""What the page for statisticians says stands in the code and in the pages of results."""

import re
from math import log10
from pathlib import Path

import pytest
from scipy.special import stdtr

from datakin.explaining import (
    assembling,
    climbing,
    evidence,
    ladder,
    shifts,
    world,
)
from datakin.explaining.suspects import codes, one_sided, suspect, units
from datakin.learners import folds, kernel, linear, newton, trees
from datakin.learners.kernel import KernelLearner
from datakin.learners.stack import gains as calls
from datakin.learners.stack import passes as fitting
from datakin.learners.stack import records, weights
from datakin.learners.trees import TreeLearner
from datakin.results import call_words, choice_answer, zones
from datakin.scoring import rankings
from datakin.scoring import stated as summary

ROOT = Path(__file__).parents[2]


def words_of(name):
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


PAGE = words_of("docs/statistics.md")
STUDIES = re.findall(
    r"\| \[(?P<name>[\w-]+)\]\((?P<link>[^)]+)\) \| `(?P<command>[^`]+)` \| (?P<figure>[^|]+) \|",
    PAGE,
)
TREES, KERNEL = TreeLearner(), KernelLearner()

# Phrases of the page with their numbers in braces, and the numbers that the code has.
SAID = [
    ("({} SE)² + ({} $k^{{{}}}$ u / n)²", (ladder.SPREAD, ladder.NOISE, ladder.POWER)),
    (
        "({} for lines, {} for other learners, {} for trees of several classes",
        (climbing.MANY, climbing.HALVES, climbing.FEW),
    ),
    ("below {} (base rate), {} (confidence) or {} (rule)", climbing.ASKED),
    ("above 0, and {:.0%} of the loss alone", (climbing.LEAST,)),
    ("farther than for {:.0%} of", (shifts.NEAR,)),
    ("source's range by {:.0%} of it", (shifts.MARGIN,)),
    ("(from {:.0%} outside on)", (shifts.OUTSIDE,)),
    ("at most {:.0%} of it is left", (shifts.LEFT,)),
    ("correlation) of {} in one table and at most {} in", (one_sided.STRONG, one_sided.WEAK)),
    (
        "with {:.0%} missing values in one table and at most {:.0%}",
        (one_sided.LACKING, one_sided.HAVING),
    ),
    ("and at most {:.0%} in the other go along", (one_sided.HARDLY_ANY,)),
    ("for the rule {:g} times", (evidence.LEANING[2],)),
    ("(slopes from {} to {:g})", world.SLOPES),
    ("kept between $10^{{{:.0f}}}$", (log10(newton.CLIP),)),
    ("between the tables is below {}.", (assembling.ELSEWHERE,)),
    ("a ridge of {:g}, whichever is smaller", (evidence.STIFF,)),
    ("by {:.0%} of it (units that are known, codes)", (units.SURE,)),
    ("by {:.0%} of it (units that are known, codes)", (codes.ASKED,)),
    (
        "{:.0%} (a leak, columns that are lacking or under other names), {:.0%} (any other factor)",
        (suspect.ASKED, units.UNSURE),
    ),
    ("or {:.0%} (swapped classes)", (codes.ASKED_OF_CLASSES,)),
    ("{} degrees of freedom. With $r = ({}/n_t)", (calls.FREEDOM, calls.USUAL_ROWS)),
    ("n_t)^{{{}}}$, its middle is", (calls.POWER,)),
    ("its middle is ${}\\,r$ and its width ${}\\,r$", (calls.EXPECTED, calls.WIDTH)),
    ("\\sqrt{{({}\\,\\mathrm{{SE}})^2 + {}^2\\,r}}", (calls.SPREAD, calls.FLOOR)),
    (
        "mean of the first $\\min({}, \\lceil {}/n \\rceil)$ draws",
        (calls.MOST_DRAWS, calls.ROWS_DRAWN),
    ),
    ("by Student's t with {} standard errors", (calls.POOLED_SPREAD,)),
    ("P(\\mathrm{{gain}} > 0) \\ge {}$", (records.HELPS,)),
    ("P(\\mathrm{{gain}} > -{}) \\ge {}$", (records.COST, records.SURE)),
    ("n_t)^{{{}}}$, middle ${}\\,r$", (summary.POWER, summary.EXPECTED)),
    ("width ${}\\,r$, and ${:g}\\,\\mathrm{{SE}}$", (summary.WIDTH, summary.SPREAD)),
    ("The factor {} stands", (summary.ERROR_SPREAD,)),
    ("{} Bayesian bootstraps", (summary.REWEIGHTED,)),
    ("falls by less than {:.0%} between", (summary.FLAT,)),
    ("reaches the cut: {}, moved", (fitting.CUT,)),
    ("between the shares from {} to {}", fitting.WINDOW),
    ("every share lies {:g} standard errors or more", (fitting.CLEAR,)),
    ("{} folds, {} above {:,} rows", (folds.FOLDS, folds.FEWER, folds.MANY_ROWS)),
    ("one of {} by leave-one-out from", (", ".join(f"{p:g}" for p in linear.PENALTIES),)),
    ("one of {} by leave-one-out |", (", ".join(f"{p:g}" for p in kernel.PENALTIES),)),
    ("depth {} ({} above {} rows)", (TREES.depth, TREES.depth + 1, TREES.deeper)),
    ("rate {}, {} rounds", (TREES.rate, TREES.rounds)),
    ("more above {} rows, at most {}", (trees.SMALL, trees.MOST_ROUNDS)),
    ("$\\lambda = {:g}$ |", (TREES.penalty,)),
    ("at most {} rows of a source and {:,}", (KERNEL.most_rows, KERNEL.most_own)),
    ("count | {:g} | {} |", (weights.CHOOSING.ridge, weights.CHOOSING.kept)),
    ("those that count | {:g} | {} |", (weights.PREDICTING.ridge, weights.PREDICTING.kept)),
    ("{} on the pools, {} on all", (weights.PREDICTING.pooled, weights.PREDICTING.sources)),
    ("of one source | {:g} | {} |", (weights.ONE_SOURCE.ridge, weights.ONE_SOURCE.kept)),
    ("more than {} standard errors of the difference", (rankings.APART,)),
    ("differ by less than {} of what the measured gains do", (call_words.ALIKE,)),
    (
        'a probability of {} or more, "probably helps" for {}, "may help" for {}',
        tuple(least for least, _ in choice_answer.SURENESS[:-1]),
    ),
    ("= {:.3f}\\,\\mathrm{{SE}}(e_0)$", (zones.GAMMA_2,)),
]


@pytest.mark.parametrize(("phrase", "values"), SAID)
def test_constants_are_those_of_the_code(phrase, values):
    assert phrase.format(*values) in PAGE


def test_what_is_said_before_any_data():
    def above(least, n_rows):
        scale = (calls.USUAL_ROWS / n_rows) ** calls.POWER
        far = (least / scale - calls.EXPECTED) / calls.WIDTH
        return 1 - stdtr(calls.FREEDOM, far)

    assert f"$P(\\mathrm{{gain}} > 0)$ is {above(0.0, 40):.2f} for every size" in PAGE
    said = "is {:.2f} for 40 rows, {:.2f} for 80, {:.2f} for 160 and {:.2f} for 500"
    assert said.format(*(above(-records.COST, n_rows) for n_rows in (40, 80, 160, 500))) in PAGE


def test_large_targets_are_mostly_the_prior():
    low, none = (calls.posterior(tried, 0.01, 1000)[0] for tried in (-0.03, 0.0))
    assert (
        f"measured gains of -3% and of 0% have gains to expect of {low:.1%} and {none:.1%}" in PAGE
    )


def test_quantiles_of_numbers():
    low, high = calls.TAILS
    assert f"cut at their {low:.0%} and {high:.0%} quantiles" in PAGE


@pytest.mark.parametrize(("name", "link", "command", "figure"), STUDIES)
def test_studies_say_what_their_pages_say(name, link, command, figure):
    page = (ROOT / "docs" / link).read_text(encoding="utf-8")
    assert Path(link).stem in (name, "RESULTS")
    assert f"`{command}`" in page
    for number in re.findall(r"-?[\d,]*\.?\d+%?", figure):
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d%]|\.\d)", page), number


def test_every_study_has_its_row():
    assert len(STUDIES) == PAGE.split("## Studies")[1].count("](../")


def test_shares_of_the_final_half_are_those_of_its_page():
    half = (ROOT / "benchmarks" / "results" / "choices.md").read_text(encoding="utf-8")
    half = half.split("## Final half")[1]
    said = PAGE.split("On the final half")[1].split("[choices]")[0]
    found = re.findall(r"\d+\.\d%", said)
    assert len(found) == 5
    for number in found:
        assert number in half, number


def test_plain_pages_have_the_same_thresholds():
    assert records.HELPS == 0.9
    plain, score = words_of("docs/how-to-read.md"), words_of("docs/reading.md")
    assert "the loss should fall: at least nine chances in ten" in plain
    assert (
        f"costs at most {records.COST:.0%} of the loss, with {records.SURE:.0%} certainty" in plain
    )
    assert f"a gain is likely: probability {records.HELPS} or more" in score
    assert (
        f"with {records.SURE:.0%} certainty it costs at most {records.COST:.0%} of the loss"
        in score
    )


def test_how_well_choose_does_is_what_was_measured():
    said = words_of("docs/choosing.md")
    results = (ROOT / "benchmarks" / "results" / "choices.md").read_text(encoding="utf-8")
    whole, final = results.split("## Development half")[0], results.split("## Final half")[1]

    def found(pattern, text):
        return [float(number) for number in re.search(pattern, text).groups()]

    first, second, third = found(r"\| choose \| (0\.\d\d) \| (0\.\d\d) \| (0\.\d\d) \|\n", whole)
    assert f"the error was {first} times that of the target alone with 40 own rows" in said
    assert f"With 80 rows it was {second} times, with 160 rows {third} times" in said
    (ratio,) = found(r"error ratio against alone at most 0.89: ([\d.]+)", whole)
    assert f"The error is {ratio:.2f} times that of the same learners" in said
    harmed, noise = found(r"2%: ([\d.]+)% in error.*?; ([\d.]+)% in error beyond the noise", whole)
    assert (
        f"In {harmed}% of the draws the error is more than 2% higher than alone. In {noise}%"
        in said
    )
    (stated,) = found(r"stated / realised error from 0.96 to 1.04: ([\d.]+),", whole)
    (held,) = found(r"90% intervals of the error hold .*?: ([\d.]+)%,", whole)
    assert f"The stated error is {1 - stated:.0%} too low on average." in said
    assert f"Its 90% intervals hold in {held:.0f}% of the draws" in said
    right = {
        call: found(rf"{call} right at least \d+%: ([\d.]+)%", final)[0]
        for call in ("helps", "harmless")
    }
    assert (
        f'{right["harmless"]:.0f}% of "harmless" and {right["helps"]:.0f}% of "helps" were right'
        in said
    )
    (gains,) = found(r"90% intervals of the gain of a source hold .*?: ([\d.]+)%,", final)
    assert f"{gains:.0f}% of the 90% intervals of a source's gain held" in said
