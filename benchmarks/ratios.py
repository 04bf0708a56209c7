"""datakin against what a user would write: pairs, a ranking and a matrix of 200 and 1,000 rows."""

from itertools import combinations

from peer import careful_scores, plain_score
from timing import middle, of_least, ratio, take_turns
from workloads import family, pair

from datakin import CrossLearningScore

OURS = {
    "default": CrossLearningScore(),
    "paper's models": CrossLearningScore("paper"),  # the default until November 2026
    "as_in_paper": CrossLearningScore.as_in_paper(),
}
PEERS = ("plain", "careful")
COLUMNS = [
    *("workload", "rounds", "peer", "peer, CPU s", *(f"{name}, CPU s" for name in OURS)),
    *(f"CPU ratio, {name}" for name in OURS),
    *("default, from least CPU times", "default, wall ratio, n_jobs=2", "asked for"),
]


def record(name, times, needed):
    """One line per peer: its time, ours in three ways, and the ratios."""
    rows = []
    for peer in PEERS:
        cells = [f"{middle(times[way], 0):.2f}" for way in OURS]
        cells += [f"{ratio(times[peer], times[way], 0):.1f}" for way in OURS]
        cells.append(f"{of_least(times[peer], times['default']):.1f}")
        cells.append(f"{ratio(times[peer], times['two threads'], 1):.1f}")
        goal = needed if peer == "plain" else "-"
        rows.append((name, len(times[peer]), peer, f"{middle(times[peer], 0):.2f}", *cells, goal))
        print(*rows[-1], sep="  ", flush=True)
    return rows


def turns(calls, run, rounds):
    """Time the peers' calls and ours, which take turns; ``run(way)`` makes one of ours."""
    calls |= {name: lambda way=way: run(way) for name, way in OURS.items()}
    calls["two threads"] = lambda: run(OURS["default"].replace(n_jobs=2))
    return take_turns(calls, rounds)


def pairs(quick=False):
    rows = []
    for n, is_class, rounds, needed in (
        (200, True, 11, "6.5; paper's models 4.7"),
        (1000, True, 5, "7; paper's models 3.3"),
        (1000, False, 3, "-"),
    ):
        data = pair(n, 10, is_class)
        calls = {
            "plain": lambda data=data, is_class=is_class: plain_score(*data, is_class),
            "careful": lambda data=data, c=is_class: careful_scores(data, [(0, 1)], c),
        }
        times = turns(calls, lambda way, data=data: way.compare(*data), 1 if quick else rounds)
        name = f"{'pair' if is_class else 'regression pair'}, n = {n}, p = 10"
        rows += record(name, times, needed)
    return rows, COLUMNS


def group_times(datasets, pairs, sample, run, rounds):
    """The plain script on a sample of the pairs, the careful one and datakin on all of them."""

    def plain():
        for i, j in sample:
            plain_score(datasets[i], datasets[j])

    times = turns({"plain": plain, "careful": lambda: careful_scores(datasets, pairs)}, run, rounds)
    share = len(pairs) / len(sample)
    return times | {"plain": [(share * cpu, share * wall) for cpu, wall in times["plain"]]}


def groups(quick=False):
    rounds, made = 1 if quick else 3, family(11, 1000, 10)
    star = [(0, j) for j in range(1, 11)]
    sample = star[::5] if quick else star[::2]
    times = group_times(made, star, sample, lambda way: way.rank(made[0], made[1:]), rounds)
    share = f"plain: {len(sample)} of 10 pairs, times {10 // len(sample)}"
    rows = record(f"ranking 1 x 10, n = 1000 ({share})", times, "11; paper's models 6")
    square = list(combinations(range(10), 2))
    sample = square[::15] if quick else square[::9]
    times = group_times(made[:10], square, sample, lambda way: way.matrix(made[:10]), rounds)
    share = f"plain: {len(sample)} of 45 pairs, times {45 // len(sample)}"
    name = f"matrix 10 x 10, n = 1000 ({share})"
    return rows + record(name, times, "50; paper's models 27"), COLUMNS
