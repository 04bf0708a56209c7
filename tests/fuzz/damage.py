"""Sound files and results, made once, and random damage to them."""

from __future__ import annotations

import copy
import gzip
import json
import sqlite3
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import feather

import datakin
from tests.fuzz.columns import Rng

TEXTS = ["csv", "csv.gz", "zip"]
BINARIES = ["parquet", "feather", "arrow", "xlsx", "ods", "xls", "sqlite", "duckdb"]
ODD_VALUES: list[Any] = [None, True, -1, 0, 1e308, 10**30, 2**62, "", "x", [], {}, [[]], [1, "a"]]
ODD_VALUES += [{"type": "float", "value": "nan"}, {"type": "array", "values": [[1], [2, 3]]}]
ODD_VALUES += [{"type": "nothing"}, {"type": []}, {"type": "dict", "items": [[[], 1]]}, "\ud800"]
ODD_VALUES += [{"type": "array", "shape": [2**20, 2**20], "values": []}, float("nan")]


def sound_frame(seed: int = 0, n: int = 60) -> pd.DataFrame:
    """Return a table that every format can hold."""
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(n) < 0.1, np.nan, rng.integers(20, 90, n))
    dose = rng.normal(size=n).round(3)
    frame = pd.DataFrame({"age": age, "dose": dose})
    frame["ward"] = pd.Series(rng.choice(["north", "Süd"], n), dtype=object)
    frame["day"] = pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 500, n), unit="D")
    return frame.assign(y=(dose + rng.normal(size=n) > 0).astype(int))


def make_sound(folder: Path) -> None:
    """Write one sound file of each format, results as JSON and a saved table."""
    frame = sound_frame()
    text = frame.to_csv(index=False)
    (folder / "t.csv").write_text(text)
    (folder / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    with zipfile.ZipFile(folder / "t.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", text)
    frame.to_parquet(folder / "t.parquet")
    feather.write_feather(pa.Table.from_pandas(frame), folder / "t.feather", compression="lz4")
    with pa.OSFile(str(folder / "t.arrow"), "wb") as file:
        table = pa.Table.from_pandas(frame, preserve_index=False)
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    _make_workbooks(folder, frame)
    connection = sqlite3.connect(folder / "t.sqlite")
    frame.assign(day=frame["day"].astype(str)).to_sql("t", connection, index=False)
    connection.close()
    import duckdb

    with duckdb.connect(str(folder / "t.duckdb")) as database:
        database.register("frame", table)
        database.execute("CREATE TABLE t AS SELECT * FROM frame")
    _make_results(folder)


def _make_workbooks(folder: Path, frame: pd.DataFrame) -> None:
    import xlwt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for suffix in ("xlsx", "ods"):
            frame.to_excel(folder / f"t.{suffix}", index=False)
    book = xlwt.Workbook()
    sheet = book.add_sheet("t")
    for j, name in enumerate(frame.columns):
        sheet.write(0, j, name)
        for i, value in enumerate(frame[name].astype(object), start=1):
            sheet.write(i, j, str(value) if isinstance(value, pd.Timestamp) else value)
    book.save(str(folder / "t.xls"))


def _make_results(folder: Path) -> None:
    wards = {
        name: datakin.read_table(sound_frame(seed), label="y", name=name)
        for seed, name in enumerate(("here", "there", "far"))
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", datakin.DatakinWarning)
        options = {"models": ["logistic"], "cv": 3}
        here, *others = wards.values()
        results = {
            "score": datakin.score(here, others[0], **options),
            "rank": datakin.rank(here, others, **options),
            "matrix": datakin.matrix(list(wards.values()), **options),
            "gain": datakin.transfer_gain(here, others[0], methods=["concatenate"], repeats=2),
            "distance": datakin.distances.compare(here, others[0], method="energy"),
        }
        datakin.CrossErrors.measure(wards, **options).save(folder / "saved")
    for name, result in results.items():
        (folder / f"{name}.json").write_text(result.to_json())


def damaged(rng: Rng, content: bytes) -> bytes:
    """Return bytes with a few of them flipped, lost, doubled or made up."""
    data = bytearray(content)
    for _ in range(int(rng.choice([1, 1, 1, 2, 5, 20]))):
        if not data:
            break
        start = int(rng.integers(len(data)))
        if rng.random() < 0.3:  # heads and feet hold what matters
            edge = min(len(data), 400)
            start = (
                int(rng.integers(edge))
                if rng.random() < 0.5
                else len(data) - 1 - int(rng.integers(edge))
            )
        _hurt(rng, data, start)
    return bytes(data)


def _hurt(rng: Rng, data: bytearray, start: int) -> None:
    length = int(rng.choice([1, 1, 4, 8, 64]))
    match int(rng.integers(8)):
        case 0 | 1:
            data[start] ^= 1 << int(rng.integers(8))
        case 2:
            data[start] = int(rng.integers(256))
        case 3:
            del data[start:]
        case 4:
            del data[start : start + length]
        case 5:
            data[start:start] = rng.bytes(length)
        case 6:
            data[start : start + length] = b"\xff" * length
        case 7:
            data[start:start] = data[start : start + 10 * length]


def damaged_json(rng: Rng, text: str) -> str:
    """Return a result with parts replaced, lost or moved; sometimes its text is hurt instead."""
    if rng.random() < 0.25:
        return damaged(rng, text.encode()).decode("utf-8", "replace")
    tree = json.loads(text)
    for _ in range(int(rng.choice([1, 1, 2, 4]))):
        places = list(_places(tree))
        if not places:
            break
        holder, key = places[int(rng.integers(len(places)))]
        match int(rng.integers(6)):
            case 0:
                del holder[key]
            case 1:
                other, where = places[int(rng.integers(len(places)))]
                holder[key] = copy.deepcopy(other[where])
            case 2 if isinstance(holder, dict):
                holder[f"{key}x"] = holder.pop(key)
            case _:
                holder[key] = copy.deepcopy(ODD_VALUES[int(rng.integers(len(ODD_VALUES)))])
    return json.dumps(tree)


def _places(tree: Any) -> Any:
    """Yield each list or mapping of a tree with one of its keys."""
    keys = (
        list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    )
    for key in keys:
        yield tree, key
        yield from _places(tree[key])
