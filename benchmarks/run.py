"""Times datakin against what a user would write, and writes benchmarks/RESULTS.md.

``python benchmarks/run.py`` (``make bench``) takes about 40 minutes on two cores; ``--quick``
leaves out the workloads with 5,000 and more rows. Everything a workload compares takes turns in
one process, every library with one thread, so that ratios hold also on a busy machine.
"""

import os
import platform
import sys
import warnings
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import numpy as np
from exactness import exactness
from parallel import parallel
from peer import careful_scores, learners, plain_score
from rivals import rivals
from threadpoolctl import threadpool_limits
from timing import clock, middle, ratio, take_turns
from workloads import draw, family, pair

import datakin

RESULTS = Path(__file__).with_name("RESULTS.md")
SIZES = ("paper", "matched")


def table(rows, columns):
    lines = [f"| {' | '.join(columns)} |", f"|{'|'.join('---' for _ in columns)}|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def record(name, times, needed, peers):
    """One line per peer: its time, ours for both sizes, and the ratios."""
    rows = []
    for peer in peers:
        cells = [f"{middle(times[size], 0):.2f}" for size in SIZES]
        ratios = [f"{ratio(times[peer], times[size], 0):.1f}" for size in SIZES]
        wall = "-"
        if "two threads" in times:
            wall = f"{ratio(times[peer], times['two threads'], 1):.1f}"
        goal = needed if peer == "plain" else "-"
        rows.append((name, peer, f"{middle(times[peer], 0):.2f}", *cells, *ratios, wall, goal))
        print(*rows[-1], sep="  ", flush=True)
    return rows


def ours(data, size, **options):
    return lambda: datakin.score(*data, size=size, **options)


def pair_times(n, p, is_class, rounds, peers):
    data = pair(n, p, is_class)
    calls = {
        "plain": lambda: plain_score(*data, is_class),
        "LinearSVC": lambda: plain_score(*data, is_class, liblinear=True),
        "careful": lambda: careful_scores(data, [(0, 1)], is_class),
    }
    calls = {name: calls[name] for name in peers}
    calls |= {size: ours(data, size) for size in SIZES}
    calls["two threads"] = ours(data, "matched", n_jobs=2)
    return take_turns(calls, rounds)


def wide_times(datasets, pairs, sample, run):
    """The plain script on a sample of the pairs, the careful one and datakin on all of them."""

    def plain():
        for i, j in sample:
            plain_score(datasets[i], datasets[j])

    calls = {"plain": plain, "careful": lambda: careful_scores(datasets, pairs)}
    calls |= {size: lambda size=size: run(size) for size in SIZES}
    calls["two threads"] = lambda: run("matched", n_jobs=2)
    return take_turns(calls, 1)


def small():
    every = ("plain", "LinearSVC", "careful")
    rows = record(
        "pair, n = 200, p = 10", pair_times(200, 10, True, 9, every), "3.5 / 3, wall 5", every
    )
    rows += record("pair, n = 1000, p = 10", pair_times(1000, 10, True, 3, every), "-", every)
    rows += record(
        "regression pair, n = 1000, p = 10",
        pair_times(1000, 10, False, 3, every),
        "3.5 / 3",
        every,
    )
    made = family(11, 1000, 10)
    star = [(0, j) for j in range(1, 11)]
    times = wide_times(
        made, star, star, lambda size, **o: datakin.rank(made[0], made[1:], size=size, **o)
    )
    rows += record("ranking 1 x 10, n = 1000, p = 10", times, "5 / 4", ("plain", "careful"))
    made = made[:10]
    square = list(combinations(range(10), 2))
    times = wide_times(
        made, square, square[::5], lambda size, **o: datakin.matrix(made, size=size, **o)
    )
    scaled = {**times, "plain": [(5 * cpu, 5 * wall) for cpu, wall in times["plain"]]}
    return rows + record(
        "matrix 10 x 10, n = 1000, p = 10 (plain: 9 of 45 pairs, times 5)",
        scaled,
        "25 / 18",
        ("plain", "careful"),
    )


def large():
    rows = record(
        "pair, n = 5000, p = 50",
        pair_times(5000, 50, True, 1, ("plain", "LinearSVC")),
        "4.5",
        ("plain", "LinearSVC"),
    )
    data = pair(20_000, 50)
    expected, growth = extrapolated(20_000, 50)
    calls = {size: ours(data, size) for size in SIZES}
    calls["two threads"] = ours(data, "matched", n_jobs=2)
    times = take_turns(calls, 1) | {"plain": [(expected, expected)]}
    rows += record("pair, n = 20000, p = 50 (plain: extrapolated)", times, "9", ("plain",))
    return rows, growth


def extrapolated(n, p, sizes=(1250, 2500, 5000)):
    """Fit a power law to the plain script's time, model by model, and read it at n."""
    names = ("logistic", "linear_svm", "rbf_svm", "xgboost")
    found, lines = 0.0, []
    for name, model in zip(names, learners(True), strict=True):
        seconds = [clock(plain_score, *pair(m, p), models=[model])[0] for m in sizes]
        power, start = np.polyfit(np.log(sizes), np.log(seconds), 1)
        at = float(np.exp(start + power * np.log(n)))
        found += at
        lines.append((name, *(f"{s:.1f}" for s in seconds), f"{power:.2f}", f"{at:.0f}"))
        print(*lines[-1], sep="  ", flush=True)
    return found, table(lines, ["model", *(f"n = {m}" for m in sizes), "power", f"n = {n}"])


def versions():
    names = ("datakin", "numpy", "scipy", "scikit-learn", "xgboost-cpu", "POT", "joblib")
    return ", ".join([f"python {platform.python_version()}", *(f"{n} {version(n)}" for n in names)])


def main(quick):
    warnings.simplefilter("ignore")
    for is_class in (True, False):  # imports and first calls count for nobody
        data = draw(60, 10, 1, 0.0, is_class), draw(60, 10, 2, 0.5, is_class)
        datakin.score(*data, n_jobs=2)
        plain_score(*data, is_class)
    columns = ["workload", "peer", "peer, CPU s", *(f"datakin {s}, CPU s" for s in SIZES)]
    columns += [*(f"CPU ratio, {s}" for s in SIZES), "wall ratio, matched, n_jobs=2", "asked for"]
    rows, growth = small(), "left out (--quick)"
    if not quick:
        more, growth = large()
        rows += more
    text = TEXT.format(
        machine=f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}; {versions()}",
        ratios=table(rows, columns),
        growth=growth,
        exactness=table(*exactness()),
        parallel=table(*parallel()),
        rivals=table(*rivals(quick)),
    )
    RESULTS.write_text(text, encoding="utf-8")


TEXT = """# Benchmarks

Written by `make bench`. {machine}.

## Against what a user would write

Ratios are the peer's time over ours, from calls that take turns in one process; medians over rounds.
`plain`: algorithm 2 with scikit-learn and XGBoost, 36 fits per dataset and model, every pair anew.
`LinearSVC`: the same with liblinear for the linear machine, which is another model. `careful`: every
dataset once, 31 fits. CPU times are with one thread. Numbers asked for are CPU ratios, paper / matched.

{ratios}

Growth of the plain script at p = 50, CPU seconds, and the power law fitted to it:

{growth}

## Exactness

Twenty random problems a task, 120 to 900 training rows, 2,000 rows predicted; scikit-learn's and XGBoost's
own fits against ours. Classes: share of rows with another label. Regression: largest difference in
standard deviations of y. libsvm stops at a tolerance of 1e-3, so that its linear machines stand further
from the optimum than ours: "objective" is ours minus libsvm's, relative (negative: ours is lower).

{exactness}

## Threads and processes

Wall seconds of a matrix of 8 datasets and of a pair. Processes are joblib's, one unit of work each, the
pool already warm / started for the call. Threads are what `n_jobs` uses.

{parallel}

## Rivals, for scale

CPU seconds of one pair, p = 10. The optimal transport dataset distance is exact; by POT as a user would
write it with Gaussian label distances, and by `datakin.distances.OTDD`.

{rivals}
"""

if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main("--quick" in sys.argv)
