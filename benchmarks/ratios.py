"""datakin against what a user would write: pairs, a ranking and a matrix of 200 and 1,000 rows."""

from itertools import combinations

from peer import careful_scores, plain_score
from timing import middle, of_least, ratio, take_turns
from workloads import family, pair

import datakin

SIZES = ("paper", "matched")
EVERY = ("plain", "LinearSVC", "careful")
COLUMNS = [
    *("workload", "rounds", "peer", "peer, CPU s", *(f"datakin {s}, CPU s" for s in SIZES)),
    *(f"CPU ratio, {s}" for s in SIZES),
    *("from least CPU times", "wall ratio, matched, n_jobs=2", "asked for"),
]


def record(name, times, needed, peers):
    """One line per peer: its time, ours for both sizes, and the ratios."""
    rows = []
    for peer in peers:
        cells = [f"{middle(times[size], 0):.2f}" for size in SIZES]
        cells += [f"{ratio(times[peer], times[size], 0):.1f}" for size in SIZES]
        cells.append(" / ".join(f"{of_least(times[peer], times[size]):.1f}" for size in SIZES))
        is_timed = "two threads" in times
        cells.append(f"{ratio(times[peer], times['two threads'], 1):.1f}" if is_timed else "-")
        goal = needed if peer == "plain" else "-"
        rows.append((name, len(times[peer]), peer, f"{middle(times[peer], 0):.2f}", *cells, goal))
        print(*rows[-1], sep="  ", flush=True)
    return rows


def pair_times(n, p, is_class, rounds, peers):
    data = pair(n, p, is_class)
    calls = {
        "plain": lambda: plain_score(*data, is_class),
        "LinearSVC": lambda: plain_score(*data, is_class, liblinear=True),
        "careful": lambda: careful_scores(data, [(0, 1)], is_class),
    }
    calls = {name: calls[name] for name in peers}
    calls |= {size: lambda size=size: datakin.score(*data, size=size) for size in SIZES}
    calls["two threads"] = lambda: datakin.score(*data, size="matched", n_jobs=2)
    return take_turns(calls, rounds)


def group_times(datasets, pairs, sample, run, rounds):
    """The plain script on a sample of the pairs, the careful one and datakin on all of them."""

    def plain():
        for i, j in sample:
            plain_score(datasets[i], datasets[j])

    calls = {"plain": plain, "careful": lambda: careful_scores(datasets, pairs)}
    calls |= {size: lambda size=size: run(size) for size in SIZES}
    calls["two threads"] = lambda: run("matched", n_jobs=2)
    times = take_turns(calls, rounds)
    share = len(pairs) / len(sample)
    return times | {"plain": [(share * cpu, share * wall) for cpu, wall in times["plain"]]}


def pairs(quick=False):
    rows = []
    for n, is_class, rounds, needed in (
        (200, True, 15, "3.5 / 3, wall 5"),
        (1000, True, 5, "-"),
        (1000, False, 5, "3.5 / 3"),
    ):
        name = f"{'pair' if is_class else 'regression pair'}, n = {n}, p = 10"
        times = pair_times(n, 10, is_class, 1 if quick else rounds, EVERY)
        rows += record(name, times, needed, EVERY)
    return rows, COLUMNS


def groups(quick=False):
    rounds, made = 1 if quick else 3, family(11, 1000, 10)
    star = [(0, j) for j in range(1, 11)]
    times = group_times(
        made,
        star,
        star[::5] if quick else star,
        lambda size, **o: datakin.rank(made[0], made[1:], size=size, **o),
        rounds,
    )
    both = ("plain", "careful")
    rows = record("ranking 1 x 10, n = 1000, p = 10", times, "5 / 4", both)
    square = list(combinations(range(10), 2))
    sample = square[::15] if quick else square[::5]
    times = group_times(
        made[:10],
        square,
        sample,
        lambda size, **o: datakin.matrix(made[:10], size=size, **o),
        rounds,
    )
    share = f"plain: {len(sample)} of 45 pairs, times {45 // len(sample)}"
    return rows + record(f"matrix 10 x 10, n = 1000 ({share})", times, "25 / 18", both), COLUMNS
