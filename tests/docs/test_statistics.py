"""What the page for statisticians says stands in the code and in the pages of results."""

import re
from pathlib import Path

import pytest

from datakin.choosing import summary
from datakin.learning.stack import calls, fitting, folds, kernel, linear, records, trees, weights
from datakin.learning.stack.kernel import KernelLearner
from datakin.learning.stack.trees import TreeLearner
from datakin.results import zones
from datakin.scoring import order

ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "statistics.md").read_text(encoding="utf-8").split())
STUDIES = re.findall(
    r"\| \[(?P<name>[\w-]+)\]\((?P<link>[^)]+)\) \| `(?P<command>[^`]+)` \| (?P<figure>[^|]+) \|",
    PAGE,
)
TREES, KERNEL = TreeLearner(), KernelLearner()

# Phrases of the page with their numbers in braces, and the numbers that the code has.
SAID = [
    ("{} degrees of freedom. With $r = ({}/n_t)", (calls.FREEDOM, calls.USUAL_ROWS)),
    ("n_t)^{{{}}}$, its middle is", (calls.POWER,)),
    ("its middle is ${}\\,r$ and its width ${}\\,r$", (calls.EXPECTED, calls.WIDTH)),
    ("\\sqrt{{({}\\,\\mathrm{{SE}})^2 + {}^2\\,r}}", (calls.SPREAD, calls.FLOOR)),
    ("mean of the first {} draws", (calls.REPEATS,)),
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
    ("more than {} standard errors of the difference", (order.APART,)),
    ("= {:.3f}\\,\\mathrm{{SE}}(e_0)$", (zones.GAMMA_2,)),
]


@pytest.mark.parametrize(("phrase", "values"), SAID)
def test_constants_are_those_of_the_code(phrase, values):
    assert phrase.format(*values) in PAGE


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
