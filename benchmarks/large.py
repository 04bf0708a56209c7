"""datakin against what a user would write, on 5,000 and 20,000 rows of 50 columns."""

from functools import cache

import numpy as np
from peer import learners, plain_score
from ratios import COLUMNS, SIZES, pair_times, record
from timing import clock, take_turns
from workloads import pair

import datakin

GROWTH = (1250, 2500, 5000)
MODELS = ("logistic", "linear_svm", "rbf_svm", "xgboost")


def pairs(quick=False):
    """The pair of 5,000 rows: minutes a round."""
    n = 1250 if quick else 5000
    both = ("plain", "LinearSVC")
    times = pair_times(n, 50, True, 1 if quick else 3, both)
    return record(f"pair, n = {n}, p = 50", times, "4.5", both), COLUMNS


@cache
def growth(quick=False, p=50, n=20_000):
    """Fit a power law to the plain script's CPU time, model by model, and read it at n."""
    rows, total = [], 0.0
    sizes = (300, 600, 1200) if quick else GROWTH
    for name, model in zip(MODELS, learners(True), strict=True):
        seconds = [clock(plain_score, *pair(m, p), models=[model])[0] for m in sizes]
        power, start = np.polyfit(np.log(sizes), np.log(seconds), 1)
        at = float(np.exp(start + power * np.log(n)))
        total += at
        rows.append((name, *(f"{s:.1f}" for s in seconds), f"{power:.2f}", f"{at:.0f}"))
        print(*rows[-1], sep="  ", flush=True)
    rows.append(("all", *("-" for _ in sizes), "-", f"{total:.0f}"))
    return rows, ["model", *(f"n = {m}" for m in sizes), "power", f"n = {n}, extrapolated"]


def sampled(quick=False, p=50, n=20_000):
    """The default on 20,000 rows: the score from samples, with its standard error."""
    data, found = pair(n, p), []
    seconds = clock(lambda: found.append(datakin.score(*data)))[0]
    expected = float(growth(quick=quick)[0][-1][-1])
    score, error = found[0].score, found[0].standard_error
    cells = (f"{expected:.0f}", f"{seconds:.1f}", f"{expected / seconds:.0f}")
    row = (f"pair, n = {n}, p = {p}", *cells, f"{score:.4f}", f"{error:.4f}", "100")
    print(*row, sep="  ", flush=True)
    columns = ["workload", "plain, extrapolated, CPU s", "datakin, CPU s", "ratio", "score"]
    return [row], [*columns, "standard error", "asked for"]


def exact(quick=False, p=50, n=20_000):
    """All rows of 20,000: about an hour."""
    n = 2000 if quick else n
    data = pair(n, p)
    calls = {
        size: lambda size=size: datakin.score(*data, size=size, max_rows=None) for size in SIZES
    }
    expected = float(growth(quick, p, n)[0][-1][-1])
    times = take_turns(calls, 1) | {"plain": [(expected, expected)]}
    return record(f"pair, n = {n}, p = {p} (plain: extrapolated)", times, "9", ("plain",)), COLUMNS
