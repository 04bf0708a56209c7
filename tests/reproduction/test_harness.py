"""The harness: kept rows, processes that change nothing, small sentences and tables."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from datakin import DatakinError
from datakin.paper import relative_reduction
from reproduction.harness import (
    Cache,
    by_group,
    did_you_mean,
    key_of,
    listed,
    made_by,
    run_missing,
)


def tasks_in(path, n=4):
    cache = Cache(path)
    return cache, [(cache, key_of("task", i), i) for i in range(n)]


def test_only_what_is_missing_is_done(tmp_path):
    _, tasks = tasks_in(tmp_path / "cache" / "a.jsonl")
    assert run_missing("squares", tasks[:2], lambda i: {"square": i * i}) == [
        {"square": 0},
        {"square": 1},
    ]
    _, tasks = tasks_in(tmp_path / "cache" / "a.jsonl")
    done = []
    found = run_missing("squares", tasks, lambda i: done.append(i) or {"square": i * i})
    assert done == [2, 3]
    assert [value["square"] for value in found] == [0, 1, 4, 9]


def test_what_is_kept_is_what_a_later_run_reads(tmp_path):
    cache = Cache(tmp_path / "a.jsonl")
    cache.add("k", {"pair": (1, 2), "x": 0.1 + 0.2})
    assert cache.done["k"] == {"pair": [1, 2], "x": 0.1 + 0.2}
    assert Cache(tmp_path / "a.jsonl").done == cache.done


def test_torn_lines_are_dropped_and_lose_nothing_after_them(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"key": "a", "value": 1}) + '\n{"key": "b", "va')
    cache = Cache(path)
    cache.add("c", 3)
    assert cache.done == Cache(path).done == {"a": 1, "c": 3}


def test_no_processes_is_an_error(tmp_path):
    with pytest.raises(DatakinError, match="n_jobs must not be 0"):
        run_missing("nothing", [], print, n_jobs=0)


def test_relative_reduction():
    base, errors = np.array([0.2, 0.4]), np.array([0.1, 0.3])
    found, error = relative_reduction(base, errors)
    assert found == pytest.approx(1 / 3)
    # Residuals .1 - 2/3 .2 = -1/30 and +1/30: variance 2/900, of the mean 1/900; over .3.
    assert error == pytest.approx((1 / 30) / 0.3)
    wider = relative_reduction(base, errors, overlap=1.0)[1]
    assert wider == pytest.approx(error * np.sqrt(3))
    assert np.isnan(relative_reduction(np.zeros(2), errors)).all()
    assert np.isnan(relative_reduction(base[:1], errors[:1])[1])


def test_groups_keep_their_order():
    rows = pd.DataFrame({"a": ["y", "x", "y"], "b": [1, 1, 1], "v": [1.0, 2.0, 3.0]})
    table = by_group(rows, ["a", "b"], lambda part: {"mean": part["v"].mean()})
    assert table.to_dict("records") == [
        {"a": "y", "b": 1, "mean": 2.0},
        {"a": "x", "b": 1, "mean": 2.0},
    ]


def test_words():
    assert listed("abc", limit=2) == "'a', 'b' and 1 more"
    assert listed("ab") == "'a', 'b'"
    assert did_you_mean("coverag", ["coverage", "digits"]) == " Did you mean 'coverage'?"
    assert did_you_mean("xyz", ["coverage"]) == ""
    text = made_by("python -m x", "Seeds 0 to 1")
    assert re.match(
        r"Made on \d{4}-\d\d-\d\d with commit .+ by `python -m x`\. Seeds 0 to 1\. python 3", text
    )
    assert ", datakin " in text
