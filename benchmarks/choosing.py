"""What an answer of choose costs: small tables, many sources, and tables too large to learn from in full."""

from statistics import median

from timing import clock
from workloads import draw

import datakin
from datakin.transfer import transfer_gain


def tables(n_target, n_source, n_sources, p=10):
    """Return a target and sources whose rules differ more and more from its own."""
    target = datakin.as_dataset(*draw(n_target, p, 0, 0.0, True), name="target")
    sources = [
        datakin.as_dataset(*draw(n_source, p, 1 + i, i / n_sources, True), name=f"source {i}")
        for i in range(n_sources)
    ]
    return target, sources


def choosing(quick=False):
    """CPU seconds with one thread; medians over rounds."""
    plan = (
        (
            "160 rows, 8 sources of 400, one draw of the folds",
            (160, 400, 8),
            {"repeats": 1},
            5,
            "1.5",
        ),
        ("160 rows, 8 sources of 400, the default", (160, 400, 8), {}, 5, "5"),
        ("160 rows, 50 sources of 2,000, the default", (160, 2000, 50), {}, 1, "90"),
        ("100,000 rows, 3 sources of 1,000,000, the default", (100_000, 1_000_000, 3), {}, 1, "60"),
    )
    rows = []
    for name, sizes, options, rounds, asked in plan[:1] if quick else plan:
        target, sources = tables(*sizes)
        times = [clock(datakin.choose, target, sources, **options) for _ in range(rounds)]
        rows.append(_row(f"choose: {name}", times, asked))
    target, sources = tables(138, 458, 1)
    times = [clock(transfer_gain, target, sources[0]) for _ in range(1)]
    rows.append(_row("transfer_gain: 138 + 458 rows, the default", times, "60"))
    return rows, ["call", "rounds", "CPU s", "asked for, at most"]


def _row(name, times, asked):
    row = (name, len(times), f"{median(t[0] for t in times):.1f}", asked)
    print(*row, sep="  ", flush=True)
    return row
