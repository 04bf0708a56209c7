"""CPU and wall time of calls that take turns in one process."""

import time
from statistics import median


def clock(call, *arguments, **options):
    """Return (CPU seconds, wall seconds) of a call."""
    cpu, wall = time.process_time(), time.perf_counter()
    call(*arguments, **options)
    return time.process_time() - cpu, time.perf_counter() - wall


def take_turns(calls, rounds):
    """Run all calls in every round; return a list of times for each name."""
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(clock(call))
    return times


def middle(times, which):
    return median(t[which] for t in times)


def ratio(peer, ours, which):
    """Median over rounds of the peer's time over ours."""
    return median(p[which] / o[which] for p, o in zip(peer, ours, strict=True))
