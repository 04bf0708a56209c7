"""Random columns, most of them plain, some of them as odd as users' tables have them."""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

Rng = np.random.Generator

WORDS = ["a", "b", "red", "green", "Süd", unicodedata.normalize("NFD", "Süd"), "yes", "Yes", "no "]
WORDS += ["", " ", "NA", "n.a.", ".", "-", "?", "NULL", "007", "7", "1E5", "1_000", "0x1F", "inf"]
WORDS += [
    "nan",
    "True",
    "=1+1",
    "日本",
    "🙂",
    "\u202eabc",
    "a\nb",
    'q"q',
    "x,y",
    "\x00",
    "\ufeff",
    "½",
]
NAMES = [
    "age",
    "dose",
    "id",
    "y2",
    "Age",
    "age ",
    " ",
    "x0",
    "=cmd|'/C calc'!A0",
    "größe",
    "a\nb",
    "🙂",
]
NAMES += ["Unnamed: 0", "index", "label", "None", "nan", "0", "1e5", "a,b", 'q"q', "\t", "x" * 300]
NAMES += ["__nw_row", "select", "a::b", "a:b=c", "\x00", "%s", "{}", "<script>", "\u202e", "date"]
FORMS = [
    "{:.2f}",
    "{:,.1f}",
    "{:.0f}%",
    "${:.2f}",
    "{:.1e}",
    " {:.1f} ",
    "+{:.1f}",
    "{:05.0f}",
    "{:.1f} mg",
]
DAYS = [
    "{:%Y-%m-%d}",
    "{:%d.%m.%Y}",
    "{:%m/%d/%Y}",
    "{:%Y-%m-%dT%H:%M:%S}",
    "{:%Y%m%d}",
    "{:%d-%b-%y}",
]


def normal(rng: Rng, n: int) -> Any:
    return rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)


def whole(rng: Rng, n: int) -> Any:
    kind = rng.choice(["int64", "int32", "int8", "uint8", "float32"])
    return rng.integers(0, rng.integers(2, 100), n).astype(kind)


def with_gaps(rng: Rng, n: int) -> Any:
    return np.where(rng.random(n) < rng.random() * 0.6, np.nan, rng.normal(size=n))


def extreme(rng: Rng, n: int) -> Any:
    sizes = [1e-320, 1e-300, 1e-160, 1e-154, 1e-20, 1e100, 1e154, 1e200, 1e300, 1.7e308, 0.0]
    drawn = rng.uniform(-1, 1, n)
    return drawn * (rng.choice(sizes, n) if rng.random() < 0.3 else rng.choice(sizes))


def infinite(rng: Rng, n: int) -> Any:
    values = rng.normal(size=n)
    values[rng.random(n) < 0.05] = rng.choice([np.inf, -np.inf])
    return values


def large_whole(rng: Rng, n: int) -> Any:
    if rng.random() < 0.3:
        return rng.integers(2**63, 2**64 - 1, n, dtype=np.uint64)
    return 2**53 + rng.integers(0, 50, n) * rng.choice([-1, 1])


def truth(rng: Rng, n: int) -> Any:
    return rng.random(n) < 0.5


def words(rng: Rng, n: int) -> Any:
    some = rng.choice(np.array(WORDS, dtype=object), rng.integers(1, 8))
    return rng.choice(some, n)


def plain_words(rng: Rng, n: int) -> Any:
    return rng.choice(np.array(["red", "green", "blue"], dtype=object), n)


def written(rng: Rng, n: int) -> Any:
    form = str(rng.choice(FORMS))
    texts = [form.format(v) for v in rng.normal(50, 2000 * rng.random(), n)]
    if rng.random() < 0.3:
        texts = [t.replace(",", "_").replace(".", ",").replace("_", ".") for t in texts]
    return np.array([str(rng.choice(WORDS)) if rng.random() < 0.03 else t for t in texts], object)


def days(rng: Rng, n: int) -> Any:
    unit = rng.choice(["s", "ms", "us", "ns"])
    stamps = np.datetime64("2020-01-01", "D") + rng.integers(-4000, 4000, n)
    values = pd.Series(stamps.astype(f"datetime64[{unit}]"))
    if rng.random() < 0.3:
        values[rng.random(n) < 0.2] = pd.NaT
    if rng.random() < 0.3:
        values = values.dt.tz_localize(str(rng.choice(["UTC", "Europe/Berlin"])), ambiguous="NaT")
    return values


def far_days(rng: Rng, n: int) -> Any:
    years = rng.choice([1, 1500, 1677, 2020, 2021, 2262, 9999], n)
    kind = dt.date if rng.random() < 0.5 else dt.datetime
    values = [kind(int(y), 12, int(d)) for y, d in zip(years, rng.integers(1, 31, n), strict=True)]
    if rng.random() < 0.3:
        return pd.Series(np.array(values, dtype="datetime64[s]"))
    return pd.Series(values, dtype=object)


def written_days(rng: Rng, n: int) -> Any:
    form, start = str(rng.choice(DAYS)), dt.datetime(2020, 1, 1)
    texts = [form.format(start + dt.timedelta(int(d))) for d in rng.integers(0, 3000, n)]
    odd = ["9999-12-31", "0000-00-00", "31.02.2020", "", "2020-13-01", "12:30"]
    return np.array([str(rng.choice(odd)) if rng.random() < 0.02 else t for t in texts], object)


def spans(rng: Rng, n: int) -> Any:
    return pd.Series(rng.integers(0, 10**9, n).astype(f"timedelta64[{rng.choice(['s', 'ns'])}]"))


def categories(rng: Rng, n: int) -> Any:
    values = words(rng, n) if rng.random() < 0.5 else rng.integers(0, 4, n)
    return pd.Series(values).astype("category")


def nullable(rng: Rng, n: int) -> Any:
    kind = str(rng.choice(["Int64", "Float64", "boolean", "string", "UInt8"]))
    values = pd.Series(rng.integers(0, 2, n)).astype("string" if kind == "string" else "Int64")
    values[rng.random(n) < 0.2] = pd.NA
    return values.astype(kind)


ODD: list[Any] = [None, np.nan, pd.NA, pd.NaT, 0, 1, -1, 2**70, 1.5, True, "1", "x", "", b"x", 1j]
ODD += [Decimal("1.10"), Decimal("NaN"), Fraction(1, 3), dt.date(2020, 1, 1), dt.time(1), [1], (1,)]
ODD += [{"a": 1}, {1}, np.array([1, 2]), object, float("inf"), np.float32(2), np.str_("s"), ...]


def mixed(rng: Rng, n: int) -> Any:
    some = [ODD[i] for i in rng.integers(0, len(ODD), rng.integers(1, 5))]
    values = np.empty(n, dtype=object)
    for i in range(n):
        values[i] = some[int(rng.integers(len(some)))]
    return pd.Series(values, dtype=object)


def constant(rng: Rng, n: int) -> Any:
    value = ODD[int(rng.integers(len(ODD)))]
    return pd.Series([value] * n, dtype=object)


def row_numbers(rng: Rng, n: int) -> Any:
    return np.arange(n) if rng.random() < 0.5 else np.array([f"r{i}" for i in range(n)], object)


def odd_types(rng: Rng, n: int) -> Any:
    made: list[Callable[[], Any]] = [
        lambda: rng.normal(size=n).astype(np.float16),
        lambda: rng.normal(size=n) + 1j,
        lambda: pd.Series(pd.period_range("2020", periods=n, freq="D")),
        lambda: pd.Series(pd.interval_range(0, periods=n)),
        lambda: pd.Series(pd.arrays.SparseArray(rng.integers(0, 2, n).astype(float))),
        lambda: np.array([b"ab", b"c"])[rng.integers(0, 2, n)],
        lambda: pd.Series([Decimal(int(v)) / 8 for v in rng.integers(0, 99, n)], dtype=object),
    ]
    return made[int(rng.integers(len(made)))]()


PLAIN = [normal, whole, with_gaps, truth, plain_words, days]
STRANGE = [extreme, infinite, large_whole, words, written, far_days, written_days, spans]
STRANGE += [categories, nullable, mixed, constant, row_numbers, odd_types]


def draw_column(rng: Rng, n: int, oddity: float) -> Any:
    """Return values of one column, strange ones with the probability `oddity`."""
    makers = STRANGE if rng.random() < oddity else PLAIN
    return makers[int(rng.integers(len(makers)))](rng, n)


def draw_label(rng: Rng, n: int, oddity: float) -> Any:
    """Return labels: two classes most of the time."""
    if rng.random() < oddity:
        return draw_column(rng, n, 0.7)
    two = rng.integers(0, 2, n)
    makers: list[Callable[[], Any]] = [
        lambda: two,
        lambda: np.array(["no", "yes"], object)[two],
        lambda: two.astype(bool),
        lambda: np.where(rng.random(n) < 0.1, np.nan, two),
        lambda: rng.normal(size=n),
        lambda: rng.integers(0, 3, n),
    ]
    return makers[int(rng.choice(6, p=[0.4, 0.2, 0.1, 0.1, 0.1, 0.1]))]()


def draw_names(rng: Rng, count: int, oddity: float) -> list[Any]:
    """Return names of columns, strange or doubled ones with the probability `oddity`."""
    if rng.random() >= oddity:
        return [f"c{j}" for j in range(count)]
    names: list[Any] = [str(v) for v in rng.choice(NAMES, count, replace=rng.random() < 0.2)]
    if count and rng.random() < 0.1:
        names[0] = [None, 3, 2.5, ("a", "b"), True][int(rng.integers(5))]
    return names
