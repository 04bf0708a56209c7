"""Pairs of tables with a planted cause, read, explained and mended by the options that are proposed."""

import warnings
from functools import cache

import datakin
from datakin.explaining.world import make_world
from datakin.learning.stack.learners import LEARNERS
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
    tables = frames(cause, seed, task)
    return (*tables, explained(*tables))


def world_of(target, source, loss=None, learner="linear", draws=1):
    """Return two datasets and what is learned on them."""
    loss = loss or ("log" if target.classes else "squared")
    return make_world(target, source, LEARNERS[learner], loss, draws, 0)


def add_up(found):
    """Check that parts add up exactly to the excess, and to the losses of the steps."""
    import pytest

    assert sum(part.value for part in found.parts) == pytest.approx(
        found.excess, abs=1e-12, rel=1e-12
    )
    assert len(found.steps) == len(found.parts) + 1
    losses = [step.loss for step in found.steps]
    later = [(b, a, p) for b, a, p in zip(losses, losses[1:], found.parts, strict=False)]
    # A mend of the target also changes what it has alone: the first part then counts both tables.
    is_same_target = all(m.table not in ("", found.target) for m in found.mends if m.flagged)
    for before, after, part in later if is_same_target else later[1:]:
        assert before - after == pytest.approx(part.value, abs=1e-12, rel=1e-9)
    for part in found.parts:
        assert part.low < part.value < part.high
