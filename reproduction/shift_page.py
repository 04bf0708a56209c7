"""The page of the study of shift splits: two papers and explain, side by side."""

from __future__ import annotations

from math import isfinite
from typing import Any

import pandas as pd

from reproduction.harness import markdown
from reproduction.shift_designs import CAI, POLO

PARTS = ("base rate", "confidence", "rule", "rest")  # numbers: level, scale, rule, rest
KINDS = {"same_y_given_x": "same for Y given X", "same_x": "same for X"}
Record = dict[Any, Any]

INTRODUCTION = """\
Two papers split shift of the features (X) from shift of the label's rule (Y given X). Polo et al. test for
each. Cai et al. (DISDE) split a drop in performance: what lies in Y given X is compared over rows that both
tables have (S); the way from the source to these rows (P to S), and from them to the target (S to Q), is
due to X. Their cases are drawn here again, split by small versions of their methods, and given to
`explain`.

`explain` names a reason in Y given X if it names base rate (level), confidence (scale), rule or rest,
unless features explain the excess. It says that features moved if a
classifier tells the tables apart with an AUC of 0.55 or more. The direction is the same if at least 75% of
the draws say what the paper says, partly the same above 25%. One difference is meant: the papers ask
whether there is a shift, `explain` whether it is large enough to matter; parts below 1% of the loss are not
named."""

ORIGIN = """\
## What is theirs, and what is rebuilt

**Maia Polo, Izbicki, Lacerda, Ibieta-Jimenez and Vicente (2023), A unified framework for dataset shift
diagnostics.** Theirs: both designs, from the authors' published experiments (numbers: X is N(lambda, 1), Y
is N(theta + X, 1); classes: Y is 1 with chance 0.5 + delta, three X are N(Y + gamma, 1); the source has 0
everywhere; 5,000 rows each; settings up to 0.23 and 0.115; level 5%); the p-values at lambda = 1, theta =
1, gamma = 1 and delta = 0.4, and the 1,000 rows there, from their demonstrations (one draw each); that X is
rejected in 95% of draws at lambda = 0.1. Where no figure stands beside the verdict it follows from the
design, in which lambda moves X alone and theta Y given X alone: their picture of it was not at hand as
numbers. They show classes for shift of Y and of X given Y; by Bayes' rule either also shifts X and Y given
X, which their demonstrations test. Rebuilt: the tests, with logistic and ridge regression, 100 draws and
halves of the rows (theirs in the demonstrations: 500 draws, a tenth of the rows, partly boosted trees). The
test of Y given X draws labels from a model that is estimated itself, so that it rejects a little more than
5% where nothing changed.

**Cai, Namkoong and Yadlowsky (2023), Diagnosing Model Performance Under Distribution Shift.** Theirs: the
split and the shared density, pq / (p + q); forests of depth 2 as the predictor, cross-fitted forests that
tell the tables apart, and accuracy (their published code); three situations and what they are called there:
a missing column (Y given X), ages that training has not seen and more of what is hard (X). Their tables are
census data, and the paper's figures were not at hand. The simulation is ours (ages, a coin toss below 25, a
hidden column), and so are its sizes, the case without a change and the last case. Another rebuild of two of
the situations, by others on the Adult data of the UCI repository, has the same directions: -0.314 of -0.320
in log loss is Y given X with the column missing, -0.429 of -0.548 is S to Q with the ages new.
`learner="trees"` comes nearest to their forest; the linear learner, which cannot follow the age, is shown
beside it."""

NUMBERS = """\
## All numbers

Means over draws. `auc`: how well features tell the tables apart; `told_apart`: share of draws whose 90%
interval lies above 0.5; `outside`: share of the target's rows outside the source; `excess`, `part_` and
`mended`: shares of the loss of the target alone; `named_`: share of draws that name this part (numbers:
level, scale, rule, rest)."""


def make_page(frame: pd.DataFrame) -> str:
    """Return the page of the summary's frame."""
    page = [_flowed(INTRODUCTION), _counted(frame)]
    page += [_side_by_side(frame, paper) for paper in (POLO, CAI)]
    page += [_differences(frame), _flowed(ORIGIN), _flowed(NUMBERS), _numbers(frame)]
    return "\n\n".join(part for part in page if part)


def _flowed(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _counted(frame: pd.DataFrame) -> str:
    texts = []
    for paper, part in frame.groupby("paper", sort=False):
        counts = []
        for column, title in (("same_y_given_x", "Y given X"), ("same_x", "X")):
            shares = [
                f"{int((part[column] == key).sum())} {key}" for key in ("yes", "partly", "no")
            ]
            counts.append(f"{title} {', '.join(shares)}")
        texts.append(f"{paper}, {len(part)} rows of the table: {'; '.join(counts)}.")
    return f"**Same direction?** {' '.join(texts)}"


def _side_by_side(frame: pd.DataFrame, paper: str) -> str:
    rival = "tests rebuilt: reject X / Y given X" if paper == POLO else "DISDE rebuilt, points"
    table = [
        {
            "case": row["case"],
            "what was changed": row["changed"],
            "the paper": row["says"],
            rival: _rival(row, paper),
            "learner": row["learner"],
            "explain names Y given X": f"{row['names_rule']:.0%}",
            "explain says features moved": f"{row['moved']:.0%}",
            **{title: row[column] for column, title in KINDS.items()},
        }
        for row in frame[frame["paper"] == paper].to_dict("records")
    ]
    return f"## {paper}\n\n{markdown(pd.DataFrame(table))}"


def _rival(row: Record, paper: str) -> str:
    if paper == POLO:
        return f"{row['rejected_x']:.0%} / {row['rejected_y_given_x']:.0%}"
    if not isfinite(row["disde_y_given_x"]):
        return "as above"
    titles = {"p_to_s": "P to S", "y_given_x": "Y given X", "s_to_q": "S to Q"}
    return ", ".join(f"{title} {100 * row[f'disde_{name}']:+.1f}" for name, title in titles.items())


def _differences(frame: pd.DataFrame) -> str:
    lines = [
        f"- {row['case']}, {row['learner']}: {row['remark']}."
        for row in frame[frame["remark"] != ""].to_dict("records")
    ]
    return (
        "## Where it is not the same, or gives false alarms\n\n" + "\n".join(lines) if lines else ""
    )


def _numbers(frame: pd.DataFrame) -> str:
    shown = ["case", "learner", "draws", "auc", "told_apart", "outside", "excess"]
    shown += [f"part_{name}" for name in PARTS] + [f"named_{name}" for name in PARTS] + ["mended"]
    return markdown(frame[shown])
