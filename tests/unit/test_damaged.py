"""Damaged results, reports and saved tables: a result or a sentence, never anything else.

Quick by default; DAMAGES=5000 tries as many of each kind.
"""

import json
import os
import shutil
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest

import datakin
from datakin import DatakinError, DatakinWarning, distances
from datakin._core.json_text import parse_json
from datakin.report import page as pages
from datakin.report import read_report, write_report
from tests.unit.damage import damaged_bytes, damaged_json

N = int(os.environ.get("DAMAGES", "150"))
FAST = {"models": ["logistic"], "cv": 3}


def tables(n):
    rng = np.random.default_rng(0)
    made = {}
    for i in range(n):
        X = rng.normal(size=(30, 2))
        made[f"d{i}"] = (X, (X[:, 0] + i * X[:, 1] + rng.normal(size=30) > 0).astype(int))
    return made


@pytest.fixture(scope="module")
def results():
    """One result of each kind; a square that is large enough to be packed in a report."""
    some = tables(3)
    target, sources = some["d0"], {name: some[name] for name in ("d1", "d2")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        ranking = datakin.rank(target, sources, **FAST)
        made = {
            "ranking": ranking,
            "comparison": ranking.best,
            "matrix": datakin.matrix(some, **FAST),
            "gain": datakin.transfer_gain(target, some["d1"], methods=["concatenate"], repeats=2),
            "distances": distances.rank(target, sources, method="energy"),
            "distance": distances.compare(target, some["d1"], method="energy"),
        }
        square = distances.matrix(some, method="energy")
    names = tuple(f"n{i}" for i in range(21))
    scores = np.abs(np.subtract.outer(np.arange(21.0), np.arange(21.0)))
    return {**made, "square": replace(square, names=names, scores=scores)}


KINDS = ("ranking", "comparison", "matrix", "gain", "distances", "distance", "square")


def use(result):
    """Look at a result as a reader would; a damage that was not noticed must not show here."""
    assert result.to_json()
    assert str(result)
    assert repr(result)
    assert len(result.frame) >= 0
    assert pages.page(result)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_json_of_a_result(results, kind):
    text = results[kind].to_json()
    sentences = []
    for seed in range(N):
        if seed % 2:
            broken = damaged_json(text, seed)
        else:
            broken = damaged_bytes(text.encode(), seed).decode("utf-8", "surrogateescape")
        try:
            use(datakin.from_json(broken))
        except DatakinError as error:
            sentences.append(str(error))
    assert len(sentences) > N // 4
    assert all(10 < len(sentence) < 600 for sentence in sentences)


@pytest.mark.parametrize("kind", ["ranking", "square"])
def test_damaged_reports(results, kind, tmp_path):
    path = write_report(results[kind], tmp_path / "r.html")
    content = path.read_bytes()
    head = f'id="{pages.DATA_ID}">'.encode()
    start = content.index(head) + len(head)
    end = content.index(b"</script>", start)
    refused = 0
    for seed in range(N):
        inner = content[start:end]
        if seed % 2:
            inner = damaged_json(inner.decode(), seed).encode()
        else:
            inner = damaged_bytes(inner, seed)
        path.write_bytes(content[:start] + inner + content[end:])
        try:
            use(read_report(path))
        except DatakinError:
            refused += 1
    assert refused > N // 4


def test_a_report_that_asks_for_gigabytes_is_refused(results, tmp_path):
    path = write_report(results["square"], tmp_path / "r.html")
    text = path.read_text(encoding="utf-8")
    assert '"n":21,' in text
    path.write_text(text.replace('"n":21,', '"n":35000,'), encoding="utf-8")
    with pytest.raises(DatakinError, match="231 numbers where 612517500 were expected"):
        read_report(path)


def test_damaged_cross_errors(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        saved = datakin.CrossErrors.measure(tables(3), **FAST)
        expected = saved.score("d0", "d1").score
    saved.save(tmp_path / "whole")
    files = sorted(p.relative_to(tmp_path / "whole") for p in (tmp_path / "whole").rglob("*.*"))
    assert len(files) == 5
    refused = 0
    for seed in range(N):
        folder, file = tmp_path / "broken", files[seed % len(files)]
        shutil.copytree(tmp_path / "whole", folder)
        content = (folder / file).read_bytes()
        broken = damaged_bytes(content, seed)
        if file.suffix == ".json" and seed % 2:
            broken = damaged_json(content.decode(), seed).encode()
        (folder / file).write_bytes(broken)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DatakinWarning)
                assert datakin.CrossErrors.load(folder).score("d0", "d1").score == expected
                datakin.CrossErrors.measure(tables(3), checkpoint=folder, **FAST)
        except DatakinError:
            refused += 1
        shutil.rmtree(folder)
    assert refused > N // 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', "a key comes twice"),
        ('{"a": NaN}', r"wrote \(NaN\)"),
        ('{"a": 1e400}', "the number 1e400"),
        (f'{{"a": {"9" * 5000}}}', "the number 9999"),
        ("[" * 100_000, "parts within parts without end"),
        ('{"a"', "not JSON"),
        (b"\xff\xfe\xfa", "not JSON"),
        (3, "JSON must be a text. Got int."),
    ],
)
def test_json_that_datakin_cannot_have_written(text, message):
    with pytest.raises(DatakinError, match=message):
        parse_json(text)


def test_a_wrong_type_is_named(results):
    text = results["distance"].to_json()
    with pytest.raises(DatakinError, match="'score' of a Distance cannot be 'near'"):
        datakin.from_json(text.replace(f'"score": {results["distance"].score}', '"score": "near"'))


def test_a_long_text_in_an_array_does_not_fill_the_memory():
    values = json.dumps(["x" * 100_000, *[""] * 6000])
    text = f'{{"format": 1, "type": "DistanceMatrix", "values": {{"type": "array", "values": {values}}}}}'
    tracemalloc.start()
    try:
        with pytest.raises(DatakinError, match="an array must hold numbers"):
            datakin.from_json(text)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
