"""What is looked up once for each dataset changes nothing of what a pair finds."""

import numpy as np
import pandas as pd
import pytest

from datakin.data import pair
from datakin.data.checks.differences import differences


def table(rng, i, n=80):
    """Columns of many kinds; those of some tables lie elsewhere, are codes, or have few values."""
    frame = pd.DataFrame(
        {
            "plain": rng.standard_normal(n),
            "moved": rng.standard_normal(n) + 3 * (i % 3),
            "temperature": rng.normal(20, 5, n) * (1.8 if i % 2 else 1) + (32 if i % 2 else 0),
            "grade": rng.integers(0, 3, n) + (i % 2),
            "far": rng.normal(1000 * (i % 4), 1, n),
            "gaps": np.where(rng.random(n) < (0.9 if i == 3 else 0.2), np.nan, rng.normal(size=n)),
            "word": rng.choice(["a", "b", f"c{i % 2}"], n),
            "y": rng.choice(["no", "yes"], n),
        }
    )
    if i == 4:
        frame["grade"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(n) % 9, unit="D")
    if i == 5:
        frame = frame.drop(columns="far").rename(columns={"plain": "Plain "})
    return frame


@pytest.fixture
def frames():
    rng = np.random.default_rng(8)
    made = [table(rng, i) for i in range(7)]
    made[6] = pd.concat([made[0][:30], made[6]], ignore_index=True)  # rows of the first
    return made


def outcome(target, source):
    try:
        found = pair(target, source)
    except ValueError as error:
        return str(error)
    rows = found.shared_target.tolist(), found.shared_source.tolist()
    words = found.columns, found.classes, found.notes, found.back_notes, found.asides
    return rows, words, found.identical


def test_pairs_of_datasets_that_were_paired_before_are_the_same(frames, read):
    known = [read(frame, name=f"d{i}") for i, frame in enumerate(frames)]
    for a, one in enumerate(frames):
        for b, other in enumerate(frames):
            fresh = read(one, name=f"d{a}"), read(other, name=f"d{b}")
            assert outcome(known[a], known[b]) == outcome(*fresh)
    assert sum(outcome(known[0], known[6])[0][0]) == 30
    assert outcome(known[1], known[1])[2]
    kinds = {each.kind for one in known for other in known for each in differences(one, other)}
    assert {"units", "levels", "range"} <= kinds
