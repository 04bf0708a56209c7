"""``python -m benchmarks.decisions.calibrate``: where the numbers in choose's calls and intervals come from.

Draws of the development half, and of two more collections with numbers as labels, are tried and tested.
From them come what to expect of a source's gain, how much wider than rows say intervals must be, and how
much of the target alone is kept in the model. Nothing of the final half is read.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from benchmarks.decisions.collection import load_collection
from benchmarks.decisions.collections import CALIBRATION, DEVELOPMENT
from benchmarks.decisions.draws import draw
from benchmarks.decisions.inside import Inside, fall
from benchmarks.decisions.judging import loss_of
from benchmarks.decisions.measures import LEAST_ERROR
from benchmarks.decisions.runs import Settings, Study, Task, run_collection
from datakin import DatakinError, DatakinWarning
from datakin.learners.losses import Judge as TargetJudge
from datakin.learners.losses import resolve_loss
from datakin.learners.stack import gains as calls
from datakin.learners.stack.passes import Passes, held_out
from datakin.learners.stack.records import call_of
from datakin.learners.stack.weights import PREDICTING, Style
from datakin.scoring import stated as summary
from reproduction.harness import default_data, made_by, markdown

RESULTS = Path(__file__).parents[1] / "results"
VERSION = 2
KEPT = (0.05, 0.2, 0.4)
STYLES = {
    **{f"{kept:.0%} of the target alone kept": replace(PREDICTING, kept=kept) for kept in KEPT},
    "weaker ridge": replace(PREDICTING, ridge=PREDICTING.ridge / 3),
    "stronger ridge": replace(PREDICTING, ridge=PREDICTING.ridge * 2),
    "from the target alone": Style(PREDICTING.ridge, PREDICTING.kept),
}
ERROR_SPREADS = (1.0, 1.2, 1.3, 1.35, 1.4, 1.6)
LEVELS = np.array([0.05, 0.95])
INTRO = """\
# calibration

What is in the code of `choose`, and what the draws say. Collections: the development half ({development})
and {more}, which are used for this page only. Everything here was looked at while choosing; how `choose`
does elsewhere is on the page of [choices](choices.md), final half.

{made_by}
"""


def calibrate_draw(spec: str, data: Path, task: Task) -> dict[str, Any]:
    """Try and test everything that one draw can tell."""
    collection = load_collection(spec, data)
    target, n_target, sources, repeat = task
    began = time.process_time()
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        made = draw(collection, target, n_target, sources, repeat)
        inside = Inside(made)
        found = {"stated": _stated(inside, loss_of(made.target)), "styles": _styles(inside)}
        truth = inside.gains()
        tried = [
            {
                "source": trial.source,
                "tried": trial.tried,
                "standard_error": trial.standard_error,
                "pooled": trial.pooled,
                "pooled_low": trial.pooled_low,
                "pooled_high": trial.pooled_high,
                **truth[trial.source],
            }
            for trial in inside.trials
        ]
    known = {"collection": collection.name, "target": target, "n": n_target, "repeat": repeat}
    return {**known, **found, "sources": tried, "seconds_all": time.process_time() - began}


def _stated(inside: Inside, loss: str) -> dict[str, float]:
    """Return what is said of the whole before any factor, and what comes true."""
    fitted, prepared, judge = inside.fitted.reading, inside.prepared, inside.judge
    y, groups = prepared.target.y, prepared.groups.get(prepared.target.name)
    own = TargetJudge.make(resolve_loss(loss), prepared.rows.kind, prepared.target.classes, y)
    passes = fitted.passes
    draws = fitted.honest if fitted.used else held_out(passes.alone)
    said = summary.JudgedRows(own, y, prepared.rows.weights, groups).stated(draws)
    before = summary.mean_losses(passes.evidence, held_out(passes.alone))
    after = summary.mean_losses(passes.evidence, draws)
    gain, error = calls.gain_of(before, after, passes.evidence)
    alone = inside.alone
    chosen = inside.outputs(fitted.chosen, fitted.chosen.mixes) if fitted.used else alone
    return {
        "error": said.error,
        "standard_error": said.standard_error,
        "n_units": said.n_units,
        "is_share": bool(prepared.target.classes),
        "realised": judge.error(chosen),
        "is_used": bool(fitted.used),
        "gain": gain,
        "gain_error": error,
        "true_gain": fall(judge.loss(alone), judge.loss(chosen)),
    }


def _styles(inside: Inside) -> dict[str, dict[str, float]]:
    """Return what other strengths of the weights bring, relative to the target alone."""
    judge, fitted = inside.judge, inside.fitted.reading
    alone = inside.alone
    errors, losses = judge.error(alone), judge.loss(alone)
    least = LEAST_ERROR if inside.prepared.target.classes else 1e-12
    found = {}
    for name, style in STYLES.items():
        outputs = alone
        if fitted.used:
            outputs = inside.outputs(fitted.chosen, _mixes(fitted.chosen, style))
        found[name] = {
            "ratio": max(judge.error(outputs), least) / max(errors, least),
            "loss_ratio": judge.loss(outputs) / max(losses, 1e-12),
        }
    return found


def _mixes(passes: Passes, style: Style) -> list[Any]:
    everything = np.ones(len(passes.evidence.candidates), dtype=bool)
    return [passes.mix_of(draw, everything, style) for draw in range(passes.n_draws)]


STUDY = Study("calibration", VERSION, calibrate_draw)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.decisions.calibrate", description=__doc__
    )
    parser.add_argument("--repeats", type=int, default=4, help="of each target and size (4)")
    parser.add_argument("--n-jobs", type=int, default=1, help="processes; changes no number")
    parser.add_argument(
        "--data", type=Path, help="folder with the datasets (DATAKIN_DATA, or data)"
    )
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where results and cache go")
    options = parser.parse_args(arguments)
    settings = Settings(repeats=options.repeats)
    try:
        records = []
        for spec in (*DEVELOPMENT, *CALIBRATION):
            records += run_collection(
                spec,
                options.data or default_data(),
                settings,
                folder=options.folder,
                n_jobs=options.n_jobs,
                study=STUDY,
            )
    except DatakinError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    page = write_calibration(records, options.repeats)
    (options.folder / "calibration.md").write_text(page, encoding="utf-8")
    print(page)
    return 0


def write_calibration(records: list[dict[str, Any]], repeats: int) -> str:
    """Return the page."""
    frame = trial_frame(records)
    hours = sum(r["seconds_all"] for r in records) / 3600
    command = f"python -m benchmarks.decisions.calibrate --repeats {repeats}"
    more = (
        f" ({len(records)} draws, {len(frame):,} trials of sources, {hours:.1f} hours of one core)"
    )
    intro = INTRO.format(
        development=", ".join(DEVELOPMENT),
        more=" and ".join(CALIBRATION),
        made_by=made_by(command, "Seeds follow from names", more),
    )
    return "\n".join([intro, *_gains(frame), *_wholes(records), *_of_styles(records)]) + "\n"


def trial_frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Return one row per trial."""
    rows = [
        {"collection": r["collection"], "n": r["n"], **source}
        for r in records
        for source in r["sources"]
    ]
    return pd.DataFrame(rows)


def fit_gains(frame: pd.DataFrame) -> tuple[float, float, float, float]:
    """Return what to expect of gains and by how much standard errors are too small.

    They make the gains that came true most likely, every collection counting the same.
    """
    weights = 1 / frame.groupby("collection")["n"].transform("size")
    columns = frame[["tried", "standard_error", "n", "true_gain"]].to_numpy()
    step = calls.GRID[1] - calls.GRID[0]

    def unlikely(values: Any) -> float:
        expected, width, power, spread = values
        total = 0.0
        for (tried, error, n, truth), weight in zip(columns, weights, strict=True):
            density = calls.gain_density(tried, error, n, expected, np.exp(width), power, spread)
            at = int(np.clip(np.searchsorted(calls.GRID, truth), 4, len(density) - 5))
            total -= weight * np.log(density[at - 4 : at + 5].mean() / step + 1e-6)
        return float(total)

    start = [calls.EXPECTED, np.log(calls.WIDTH), calls.POWER, calls.SPREAD]
    found = minimize(unlikely, start, method="Nelder-Mead", options={"maxiter": 120, "xatol": 0.02})
    expected, width, power, spread = found.x
    return float(expected), float(np.exp(width)), float(power), float(spread)


def read_trials(frame: pd.DataFrame, values: tuple[float, float, float, float]) -> pd.DataFrame:
    """Add the interval, the probabilities and the call that some values lead to."""
    rows = []
    for row in frame.itertuples():
        below = np.cumsum(calls.gain_density(row.tried, row.standard_error, row.n, *values))
        low, high = np.interp(LEVELS, below, calls.GRID)
        p_gain, p_harmless = 1 - np.interp([0.0, -calls.COST], calls.GRID, below)
        trial = calls.Trial(
            row.source, row.tried, low, high, p_gain, row.tried, row.standard_error,
            row.pooled, row.pooled_low, row.pooled_high, p_harmless,
        )  # fmt: skip
        rows.append({"low": low, "high": high, "p_gain": p_gain, "call": call_of(trial)})
    return frame.join(pd.DataFrame(rows, index=frame.index))


def _gains(frame: pd.DataFrame) -> list[str]:
    now = (calls.EXPECTED, calls.WIDTH, calls.POWER, calls.SPREAD)
    names = list(frame["collection"].unique())
    fitted = {name: fit_gains(frame[frame["collection"] != name]) for name in names}
    table = [
        {"without": "nothing", **_values(fit_gains(frame))},
        {"without": "(in the code)", **_values(now)},
    ]
    table += [{"without": name, **_values(values)} for name, values in fitted.items()]
    unseen = pd.concat(
        [read_trials(frame[frame["collection"] == name], fitted[name]) for name in names]
    )
    return [
        "## What to expect of a source's gain",
        "",
        "Gains have a t distribution before their trial, with this middle and width for a target of 40 rows; "
        "both fall with the rows to a power. A trial's noise is normal, its standard error that of the rows "
        "times a factor. Most likely values, from all collections and with one of them left out:",
        "",
        markdown(pd.DataFrame(table)),
        "",
        "Each collection read with the values that the others give:",
        "",
        markdown(_rates(unseen)),
        "",
        "All read with the values in the code:",
        "",
        markdown(_rates(read_trials(frame, now))),
        "",
    ]


def _values(values: tuple[float, float, float, float]) -> dict[str, str]:
    names = ("middle", "width", "power", "factor")
    return {name: f"{value:.3f}" for name, value in zip(names, values, strict=True)}


def _rates(read: pd.DataFrame) -> pd.DataFrame:
    """Return by collection how often intervals hold, and calls are right."""
    read = read.assign(
        held=(read["low"] <= read["true_gain"]) & (read["true_gain"] <= read["high"]),
        unclear=read["call"] == "unclear",
        helps=np.where(read["call"] == "helps", read["true_gain"] > 0, np.nan),
        harmless=np.where(read["call"] == "harmless", read["true_gain"] > -calls.COST, np.nan),
        hurts=np.where(read["call"] == "hurts", read["true_pooled"] < 0, np.nan),
        gained=read["true_gain"] > 0,
    ).astype({"helps": float, "harmless": float, "hurts": float})
    columns = ["held", "unclear", "helps", "harmless", "hurts", "p_gain", "gained"]
    table = read.groupby("collection", sort=False)[columns].mean()
    table.loc["all trials"] = read[columns].mean()
    table.insert(0, "trials", [*read.groupby("collection", sort=False).size(), len(read)])
    shown = table.reset_index().rename(
        columns={"helps": "helps right", "harmless": "harmless right", "hurts": "hurts right"}
    )
    return shown.map(lambda v: ("-" if np.isnan(v) else f"{v:.3f}") if isinstance(v, float) else v)


def _wholes(records: list[dict[str, Any]]) -> list[str]:
    said = pd.DataFrame(
        [{"collection": r["collection"], "n": r["n"], **r["stated"]} for r in records]
    )
    errors = []
    for spread in ERROR_SPREADS:
        ends = [
            summary.error_interval(
                row.error, row.standard_error, row.n_units, is_share=row.is_share, spread=spread
            )
            for row in said.itertuples()
        ]
        low, high = np.array(ends).T
        realised = said["realised"]
        errors.append(_held(said, spread, low, high, realised))
    by = said.groupby("collection", sort=False)
    ratio = by["error"].mean() / by["realised"].mean()
    return [
        "## Intervals of the whole",
        "",
        "How often 90% intervals hold what came true, as a mean of collections, by the factor on the "
        "standard error of rows (below, above: on which side it fell).",
        "",
        f"Error (in the code: {summary.ERROR_SPREAD}):",
        "",
        markdown(pd.DataFrame(errors)),
        "",
        f"Stated over realised error: {ratio.mean():.3f} as a mean of collections ("
        + ", ".join(f"{name} {value:.3f}" for name, value in ratio.items())
        + ").",
        "",
        *_whole_gains(said),
    ]


def _whole_gains(said: pd.DataFrame) -> list[str]:
    """Return how well the gain of the whole is read, where any source is used."""
    frame = said[said["is_used"]].rename(columns={"gain": "tried", "gain_error": "standard_error"})
    frame = frame.loc[:, ~frame.columns.duplicated(keep="last")]
    now = (summary.EXPECTED, summary.WIDTH, summary.POWER, summary.SPREAD)
    table = [
        {"": "most likely", **_values(fit_gains(frame))},
        {"": "(in the code)", **_values(now)},
    ]
    rows = []
    for row in frame.itertuples():
        density = calls.gain_density(row.tried, row.standard_error, row.n, *now)
        below = np.cumsum(density)
        low, high = np.interp(LEVELS, below, calls.GRID)
        p_gain = 1 - float(np.interp(0.0, calls.GRID, below))
        rows.append((calls.GRID @ density, low <= row.true_gain <= high, p_gain))
    read = frame.assign(**dict(zip(("said", "held", "p"), np.array(rows).T, strict=True)))
    read["quarter"] = pd.qcut(
        read["tried"].rank(method="first"), 4, labels=["lowest", "second", "third", "highest"]
    )
    read["gained"] = read["true_gain"] > 0
    columns = ["tried", "said", "true_gain", "held", "p", "gained"]
    shown = read.groupby("quarter", observed=True)[columns].mean()
    shown.loc["all"] = read[columns].mean().to_numpy()
    return [
        "The gain of a choice is read like that of a source, with values of its own. Here what is measured "
        "hardly tells what comes, and the most likely factor is large. With a width of 0.075 and a factor of "
        "2.5 too few intervals held on the final half, where some choices gain far more. Both were set anew "
        "after that was seen.",
        "",
        markdown(pd.DataFrame(table)),
        "",
        "By what was measured, in quarters:",
        "",
        markdown(shown.map("{:.3f}".format).reset_index()),
        "",
    ]


def _held(
    said: pd.DataFrame, spread: float, low: Any, high: Any, truth: pd.Series
) -> dict[str, str]:
    parts = {"held": (low <= truth) & (truth <= high), "below": truth < low, "above": truth > high}
    means = {k: v.groupby(said["collection"]).mean().mean() for k, v in parts.items()}
    return {"factor": f"{spread}", **{name: f"{value:.3f}" for name, value in means.items()}}


def _of_styles(records: list[dict[str, Any]]) -> list[str]:
    rows = [
        {"weights": name, "collection": r["collection"], "target": r["target"], **values}
        for r in records
        if r["collection"] in DEVELOPMENT
        for name, values in r["styles"].items()
    ]
    frame = pd.DataFrame(rows)
    frame["log"], frame["log_loss"] = np.log(frame["ratio"]), np.log(frame["loss_ratio"])
    frame["harmed"], frame["harmed_loss"] = frame["ratio"] > 1.02, frame["loss_ratio"] > 1.02
    columns = ["log", "log_loss", "harmed", "harmed_loss"]
    targets = frame.groupby(["weights", "collection", "target"], sort=False)[columns].mean()
    means = targets.groupby(level=[0, 1], sort=False).mean().groupby(level=0, sort=False).mean()
    table = pd.DataFrame(
        {
            "error ratio": np.exp(means["log"]).map("{:.3f}".format),
            "loss ratio": np.exp(means["log_loss"]).map("{:.3f}".format),
            "harmed": means["harmed"].map("{:.1%}".format),
            "harmed (loss)": means["harmed_loss"].map("{:.1%}".format),
            "worst target": np.exp(targets["log"].groupby(level=0).max()).map("{:.3f}".format),
        }
    )
    return [
        "## Weights",
        "",
        f"Error of the model against that of the target alone, development half, for other strengths of its "
        f"weights. In the code: {PREDICTING.kept:.0%} of the target alone kept, ridge {PREDICTING.ridge:g}.",
        "",
        markdown(table.reset_index()),
    ]


if __name__ == "__main__":
    sys.exit(main())
