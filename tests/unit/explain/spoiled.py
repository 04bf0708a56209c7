"""Pairs of tables with a planted cause, read, explained and mended by the options that are proposed."""

import warnings
from functools import cache

import pytest

import datakin
from datakin.explaining.world import make_world
from datakin.learners.named import LEARNERS
from reproduction.planted import make_pair


def frames(cause, seed=0, task="classes", n=150):
    """Return the two tables; the label is in column "y"."""
    return make_pair(cause, task=task, truth="linear", n_target=n, n_source=2 * n, seed=seed)[:2]


def read(target, source, **options):
    """Return both tables as they are read with some options."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", datakin.DatakinWarning)
        return tuple(
            datakin.read_tables({"mine": target, "theirs": source}, label="y", **options).values()
        )


@cache
def sets(cause, seed=0, task="classes"):
    """Return the two tables with a cause, read as they are."""
    return read(*frames(cause, seed, task))


def options_of(*mends):
    """Return the options that mends propose in Python, merged as a user would."""
    found = {}
    for mend in mends:
        for option, value in eval(f"dict({mend.python})").items():
            if option == "ignore":
                found.setdefault(option, []).extend(value)
                continue
            for table, columns in value.items():
                place = found.setdefault(option, {}).setdefault(table, {})
                for column, new in columns.items():
                    if isinstance(new, dict):
                        place.setdefault(column, {}).update(new)
                    else:
                        place[column] = new
    return found


def explained(target, source, **options):
    """Return the explanation of two tables."""
    return datakin.explain(*read(target, source, **options), learner="linear")


def excess_of(target, source, **options):
    """Return the excess that `explain` finds, without all that it looks into."""
    return world_of(*read(target, source, **options), draws=3).excess[0]


@cache
def planted_cause(cause, seed=0, task="classes"):
    """Return the two tables with a cause, and their explanation."""
    found = datakin.explain(*sets(cause, seed, task), learner="linear")
    return (*frames(cause, seed, task), found)


def world_of(target, source, loss=None, learner="linear", draws=1):
    """Return two datasets and what is learned on them."""
    loss = loss or ("log" if target.classes else "squared")
    return make_world(target, source, LEARNERS[learner], loss, draws, 0)


def add_up(found):
    """Check that parts add up exactly to the excess, and to the losses of the steps."""
    losses = [step.loss for step in found.steps]
    exact = 1e-12 * max(1.0, *losses)  # labels may be in the hundreds
    assert sum(part.value for part in found.parts) == pytest.approx(found.excess, abs=exact)
    assert len(found.steps) == len(found.parts) + 1
    falls = list(zip(losses, losses[1:], found.parts, strict=False))
    # A mend of the target also changes what it has alone: the first part then counts both tables.
    if not any(
        mend.is_of_both or mend.table == found.target for mend in found.mends if mend.flagged
    ):
        assert losses[0] - losses[-1] == pytest.approx(found.excess, abs=exact)
    else:
        falls = falls[1:]
    for before, after, part in falls:
        assert before - after == pytest.approx(part.value, abs=exact)
    for part in found.parts:
        assert part.low < part.value < part.high
