"""Screened against full rankings: CPU time, and whether the best sources are kept."""

import numpy as np
from timing import clock

import datakin

P, TARGET, SOURCE = 10, 200, 300  # columns, rows
DRAWS = range(10)  # the reach of screening was chosen on draws from 1,000 on
COLUMNS = [
    *("truth", "draws", "full, CPU s", "screened, CPU s", "ratio", "kept, mean"),
    *("first five kept, %", "calls of kept equal, %"),
]


def turned(first, angle, rng):
    """Return a direction at an angle to another one."""
    other = rng.standard_normal(P)
    other -= other @ first * first
    return np.cos(angle) * first + np.sin(angle) * other / np.linalg.norm(other)


def linear(direction):
    return lambda X: X @ direction


def quadratic(direction):
    return lambda X: 1.5 * ((X @ direction) ** 2 - 0.45)


def waves(direction, along):
    return lambda X: X @ direction + 1.5 * np.sin(1.5 * (X @ along))


def make(truth, seed, n_sources):
    """Return a target and its sources: rules and shifts of features by the kind of truth."""
    rng = np.random.default_rng([seed, TRUTHS.index(truth)])
    first = turned(np.eye(P)[0], rng.uniform(0, np.pi), rng)
    along = turned(first, np.pi / 2, rng)

    def draw(n, rule, shift=0.0):
        X = rng.standard_normal((n, P)) + shift * along
        return X, (rule(X) + 0.5 * rng.standard_normal(n) > 0).astype(int)

    def angles(low, high, n=n_sources):
        return [turned(first, angle, rng) for angle in rng.uniform(low, high, n)]

    if truth == "linear":  # from the target's rule to its opposite
        return draw(TARGET, linear(first)), [draw(SOURCE, linear(w)) for w in angles(0, np.pi)]
    if truth == "quadratic":  # invisible to linear models
        return (
            draw(TARGET, quadratic(first)),
            [draw(SOURCE, quadratic(w)) for w in angles(0, np.pi / 2)],
        )
    if truth == "shifted features":  # one rule, features up to three standard deviations away
        rule = waves(first, along)
        shifts = rng.uniform(0, 3, n_sources)
        return draw(TARGET, rule), [draw(SOURCE, rule, shift) for shift in shifts]
    if truth == "many equal":  # a quarter follows the target's rule
        equal = n_sources // 4
        rules = angles(0, 0, equal) + angles(np.pi / 6, np.pi, n_sources - equal)
        return draw(TARGET, linear(first)), [draw(SOURCE, linear(w)) for w in rules]
    rules = angles(np.pi / 3, 2 * np.pi / 3)  # none helps
    return draw(TARGET, linear(first)), [draw(SOURCE, linear(w)) for w in rules]


TRUTHS = ("linear", "quadratic", "shifted features", "many equal", "none helps")


def screen(quick=False, draws=DRAWS, truths=TRUTHS, **options):
    n_sources, draws = (12, draws[:1]) if quick else (50, draws)
    rows, every = [], []
    for truth in truths:
        found = [compare(truth, seed, n_sources, options) for seed in draws]
        every += found
        rows.append(record(truth, found))
        print(*rows[-1], sep="  ", flush=True)
    rows.append(record("all", every))
    print(*rows[-1], sep="  ", flush=True)
    return rows, COLUMNS


def compare(truth, seed, n_sources, options):
    """Return both times and what became of the first five; the two take turns in being first."""
    target, sources = make(truth, seed, n_sources)
    named = {f"s{k:02d}": source for k, source in enumerate(sources)}
    times, made = {}, {}

    def run(is_screened):
        made[is_screened] = datakin.rank(target, named, screen=is_screened, **options)

    for is_screened in (False, True) if seed % 2 else (True, False):
        times[is_screened] = clock(run, is_screened)[0]
    full, screened = made[False], made[True]
    kept = {c.source for c in screened}
    first = [c.source in kept for c in full.comparisons[:5]]
    equal = [(c.zone, c.trial) == (full[c.source].zone, full[c.source].trial) for c in screened]
    return times[False], times[True], len(kept), np.mean(first), np.mean(equal)


def record(truth, found):
    full, screened, kept, first, equal = np.mean(found, axis=0)
    ratio = sum(f[0] for f in found) / sum(f[1] for f in found)
    cells = f"{full:.2f}", f"{screened:.2f}", f"{ratio:.2f}", f"{kept:.1f}"
    return truth, len(found), *cells, f"{100 * first:.1f}", f"{100 * equal:.1f}"
