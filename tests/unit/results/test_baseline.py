"""One baseline: the error of the target alone is the same number in every result, text and JSON."""

import json

import numpy as np
import pytest

import datakin
from datakin.report.page import view_of
from datakin.results.words import amount

pytestmark = pytest.mark.whole_trials


def numbers(make_lda, **_):
    return [make_lda(90, seed, name=name) for seed, name in enumerate(("mine", "near", "far"))]


def amounts(make_linear, **_):
    return [make_linear(70, seed, name=name) for seed, name in enumerate(("mine", "near", "far"))]


def levels(make_mixed, read, **_):
    """Return tables with a level that is rare in the target and frequent in the sources."""
    tables = []
    for seed, name in enumerate(("mine", "near", "far")):
        frame = make_mixed(80, seed)
        colour = frame["colour"].to_numpy().copy()
        colour[: 3 if name == "mine" else 25] = f"violet of {name}" if name == "far" else "violet"
        tables.append(read(frame.assign(colour=colour), name))
    return tables


@pytest.mark.parametrize("tables", [numbers, amounts, levels])
def test_one_baseline(tables, make_lda, make_linear, make_mixed, read):
    made = {"make_lda": make_lda, "make_linear": make_linear, "make_mixed": make_mixed}
    mine, near, far = tables(**made, read=read)
    found = {
        "score": datakin.score(mine, near),
        "rank": datakin.rank(mine, [near, far]),
        "choose": datakin.choose(mine, [near, far]),
        "explain": datakin.explain(mine, near),
    }
    if tables is levels:  # the source at hand decides which levels are frequent
        found |= {
            "choose one": datakin.choose(mine, [far]),
            "score of the other": datakin.score(mine, far),
        }
    errors = {name: result.error_alone for name, result in found.items()}
    first = errors["choose"]
    assert np.allclose(list(errors.values()), first, rtol=0, atol=1e-12), errors
    said = amount(found["choose"].loss, first)
    for name, result in found.items():
        assert said in " ".join(str(result).split()), name
        content = json.loads(result.to_json())
        of = content["comparisons"][0] if name == "rank" else content
        assert of["error_alone"] == pytest.approx(first, abs=1e-12), name
        assert said in json.dumps(view_of(result), default=str), name
