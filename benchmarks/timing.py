"""CPU and wall time of calls that take turns in one process."""

import time
from statistics import median


def clock(call, *arguments, **options):
    """Return (CPU seconds of all threads, wall seconds) of a call."""
    cpu, wall = time.process_time(), time.perf_counter()
    call(*arguments, **options)
    return time.process_time() - cpu, time.perf_counter() - wall


def take_turns(calls, rounds):
    """Run all calls in every round; return a list of times for each name.

    Each round begins with another call, so that none always runs in the same one's wake.
    """
    times = {name: [] for name in calls}
    names = list(calls)
    for i in range(rounds):
        for name in names[i % len(names) :] + names[: i % len(names)]:
            times[name].append(clock(calls[name]))
    return times


def middle(times, which):
    return median(t[which] for t in times)


def ratio(peer, ours, which):
    """Median over rounds of the peer's time over ours."""
    return median(p[which] / o[which] for p, o in zip(peer, ours, strict=True))


def of_least(peer, ours):
    """Ratio of the least CPU times: what is left when others on the machine disturb no round."""
    return min(cpu for cpu, _ in peer) / min(cpu for cpu, _ in ours)
