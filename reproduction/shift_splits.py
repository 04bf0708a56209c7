"""Shift of X or of Y given X? Verdicts of two papers beside those of explain, on their simulations."""

from __future__ import annotations

from math import isfinite

import pandas as pd
from threadpoolctl import threadpool_limits

from datakin import Explanation, explain
from reproduction.harness import Row, by_group
from reproduction.shift_designs import CAI, CASES, POLO, Case
from reproduction.shift_page import PARTS, make_page
from reproduction.shift_rivals import disde, shift_tests
from reproduction.study import Study, Summary

OF_NUMBERS = {"level": "base rate", "scale": "confidence"}
REJECTED = 0.05  # p-values of Polo's tests
MOST, FEW = 0.75, 0.25  # shares of draws that make a verdict; between them it is half-hearted
ALARMS = 0.05  # share of draws that may name something where nothing differs
MOVED, LEAST = 0.55, 0.01  # explain: AUC from which features moved, share of the loss that is named


def names_rule(found: Explanation) -> bool:
    """Return whether explain names a reason that lies in Y given X.

    Every part of the ladder is one. Where features explain the excess, none is named.
    """
    return bool(set(found.causes) - {"features"})


def _replicate(cell: Row, seed: int) -> list[Row]:
    case = CASES[str(cell["case"])]
    target, source = case.sample(seed)
    learner = str(cell["learner"])
    rival = disde if case.paper == CAI else shift_tests
    with threadpool_limits(limits=1):
        theirs = rival(target, source, seed) if cell["rival"] else {}
    found = explain(target, source, learner=learner, random_state=seed)
    shift = found.shift
    assert shift is not None
    parts = {OF_NUMBERS.get(part.name, part.name): part for part in found.parts}
    return [
        {
            "names_rule": names_rule(found),
            "told_apart": shift.low > 0.5,
            "moved": shift.has_moved,
            "auc": shift.auc,
            "outside": shift.outside,
            "mended": shift.mended / found.loss_alone,
            "excess": found.excess / found.loss_alone,
            **{f"part_{name}": parts[name].value / found.loss_alone for name in PARTS},
            **{f"named_{name}": parts[name].flagged for name in PARTS},
            **theirs,
        }
    ]


def _measures(rows: pd.DataFrame) -> Row:
    case = CASES[str(rows.iloc[0]["case"])]
    shares = ["names_rule", "moved", "told_apart", *(f"named_{name}" for name in PARTS)]
    means = ["auc", "outside", "excess", *(f"part_{name}" for name in PARTS), "mended"]
    found: Row = {
        "paper": case.paper,
        "changed": case.changed,
        "rows": case.n_rows,
        "draws": len(rows),
        "says": case.says,
        "x": case.x,
        "y_given_x": case.y_given_x,
        **{name: float(rows[name].astype(float).mean()) for name in [*shares, *means]},
    }
    for name in ("p_x", "p_y_given_x"):
        known = rows[name].dropna() if name in rows else rows["auc"][:0]
        found[f"rejected{name[1:]}"] = float((known < REJECTED).mean())
    for name in ("p_to_s", "y_given_x", "s_to_q"):
        found[f"disde_{name}"] = float(rows[name].mean()) if name in rows else float("nan")
    found["same_y_given_x"] = direction(found["names_rule"], case.y_given_x)
    found["same_x"] = direction(found["moved"], case.x)
    found["remark"] = _remark(found, case)
    return found


def direction(share: float, expected: bool) -> str:
    """Return whether a share of draws says the same as a paper: "yes", "partly" or "no"."""
    agreeing = share if expected else 1 - share
    return "yes" if agreeing >= MOST else "partly" if agreeing > FEW else "no"


def _remark(found: Row, case: Case) -> str:
    """Return why a verdict is not the paper's, as far as the numbers say so."""
    said = []
    if found["same_y_given_x"] != "yes" and case.y_given_x:
        said.append(
            f"what differs costs {found['excess']:.1%} of the loss, and a part is named from {LEAST:.0%} on"
        )
    elif not case.y_given_x and found["names_rule"] > ALARMS:
        said += _wrongly_named(found)
    if found["same_x"] != "yes" and case.x:
        said.append(
            f"features differ clearly in {found['told_apart']:.0%} of the draws, but AUC {found['auc']:.3f} "
            f"is less than the {MOVED} from which they are said to have moved"
        )
    elif found["same_x"] != "yes":
        said.append(f"it says that features moved, with AUC {found['auc']:.3f}")
    return "; ".join(said)


def _wrongly_named(found: Row) -> list[str]:
    """Return what is named where Y given X is the same, and what explain knows of the features there."""
    shares = {name: found[f"named_{name}"] for name in PARTS}
    often = [name for name in sorted(PARTS, key=lambda name: -shares[name]) if shares[name] > 0]
    said = [
        f"Y given X is the same, and yet it names {', '.join(f'{n} {shares[n]:.0%}' for n in often)}"
    ]
    if not found["x"]:
        return said
    if found["outside"] >= FEW:
        said.append(
            f"{found['outside']:.0%} of the rows lie outside what the source has seen, it adds"
        )
    if isfinite(found["mended"]):
        said.append(f"weighting the source mends {found['mended']:.1%} of the loss")
    else:
        said.append("weighting the source was not tried, as no rule was named")
    return said


def _summarise(rows: pd.DataFrame) -> Summary:
    frame = by_group(rows, ["case", "learner"], _measures)
    return Summary(frame, make_page(frame))


def _cells() -> list[Row]:
    found: list[Row] = []
    for case in CASES.values():
        for learner in ("linear",) if case.paper == POLO else ("trees", "linear"):
            first = case.paper == POLO or learner == "trees"
            found.append({"case": case.name, "learner": learner, "rival": first})
    return found


SHIFT_SPLITS = Study(
    "shift-splits",
    "Shift of X or of Y given X? Verdicts of two papers on their own cases, beside those of explain.",
    _cells(),
    _replicate,
    _summarise,
    20,
)
