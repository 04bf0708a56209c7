"""What all results share: JSON both ways, HTML, tables as text, and where a number came from."""

from __future__ import annotations

import enum
import html
import json
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin._core.json_text import parse_json
from datakin._core.repeatability import versions
from datakin._core.warned import unheard
from datakin.results.reading import are_numbers, as_now, check_fields, short

if TYPE_CHECKING:
    from datakin.results.answer import Answer

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # how cells begin that spreadsheets compute
LONGEST = 60  # characters of a name in a table
# What wrong values raise, wherever they are first used.
DAMAGE = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError),
    *(TypeError, ValueError),
)
FORMAT = 1  # raised when a result written earlier can no longer be read
# Results of rooms that lie above this one; their module is loaded when a JSON text names them.
ELSEWHERE = dict.fromkeys(("Distance", "DistanceMatrix", "DistanceRanking"), "datakin.distances")
ELSEWHERE |= dict.fromkeys(("CardSource", "ModelCard", "Predictions"), "datakin.choosing")


class Record:
    """Base of the results: knows how to become JSON and come back."""

    _types: ClassVar[dict[str, type]] = {}
    is_text: ClassVar[bool] = False  # whether it is shown as text of its own, and has no answer

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Record._types[cls.__name__] = cls

    @property
    def frame(self) -> pd.DataFrame:
        """The result as a tidy data frame."""
        raise NotImplementedError

    def to_json(self, indent: int | None = None) -> str:
        """Return the whole result as JSON text."""
        return json.dumps({"format": FORMAT, **encoded(self)}, indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a result of this type back from `to_json`'s text."""
        result = from_json(text)
        if not isinstance(result, cls):
            raise DatakinError(f"Expected a {cls.__name__}. Got a {type(result).__name__}.")
        return result

    @property
    def answer(self) -> Answer:
        """What the result says: what to do, why, what to know."""
        from datakin.results.answer import Answer

        return Answer("plain", repr(self))

    def __str__(self) -> str:
        return self.answer.text()

    def _repr_html_(self) -> str:
        from datakin.results.answer_html import answer_html

        if not self.is_text:
            return answer_html(self.answer)
        head = html.escape(repr(self))
        return f"<p>{head}</p>" + self.frame.to_html(
            index=False, escape=True, float_format="{:.4f}".format
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and encoded(self) == encoded(other)

    def __hash__(self) -> int:
        return hash(self.to_json())


def register(cls: type) -> type:
    """Let a plain dataclass or enum be part of a result's JSON."""
    Record._types[cls.__name__] = cls
    return cls


def encoded(value: Any) -> Any:
    """Return a value as JSON holds it: parts of results with their types, NaN and infinity by name."""
    if is_dataclass(value) and not isinstance(value, type):
        inner = {f.name: encoded(getattr(value, f.name)) for f in fields(value)}
        return {"type": type(value).__name__, **inner}
    if isinstance(value, enum.Enum):
        return {"type": type(value).__name__, "value": value.value}
    if isinstance(value, dict):
        if "type" not in value and all(isinstance(k, str) for k in value):
            return {k: encoded(v) for k, v in value.items()}
        return {"type": "dict", "items": [[encoded(k), encoded(v)] for k, v in value.items()]}
    if isinstance(value, (tuple, list)):
        return [encoded(item) for item in value]
    if isinstance(value, np.ndarray):
        return {"type": "array", "values": encoded(value.tolist())}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return {"type": "float", "value": str(value)}
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decode(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "type" not in value:
        return {k: _decode(v) for k, v in value.items()}
    value = as_now(value)
    kind = value["type"]
    if kind == "dict":
        return {_decode(k): _decode(v) for k, v in value["items"]}
    if kind == "array":
        values = _decode(value["values"])
        if not are_numbers(values):
            raise DatakinError("This datakin result is damaged: an array must hold numbers.")
        return np.array(values)
    if kind == "float":
        return float(value["value"])
    if str(kind) in ELSEWHERE:
        import_module(ELSEWHERE[kind])
    cls = Record._types.get(str(kind))
    if cls is None:
        raise DatakinError(f"This is not a datakin result: it holds an unknown part {short(kind)}.")
    if issubclass(cls, enum.Enum):
        return cls(value["value"])
    held = {k: _decode(v) for k, v in value.items() if k not in ("type", "format")}
    parts = fields(cast(Any, cls))
    known = {f.name: f.default is MISSING and f.default_factory is MISSING for f in parts}
    if wrong := [k for k in held if k not in known]:
        raise DatakinError(
            f"This datakin result is damaged, or of a newer version: a {kind} has no {listed(wrong)} here. "
            f"Update datakin, or compute the result again."
        )
    if lacking := [k for k, is_needed in known.items() if is_needed and k not in held]:
        raise DatakinError(
            f"This datakin result is damaged: {listed(lacking)} of a {kind} is missing."
        )
    made = cls(**held)
    check_fields(made)
    return made


def from_json(text: str) -> Any:
    """Read any result back from its JSON text.

    Nothing is executed: only the record types of datakin are rebuilt, from plain values.
    """
    data = parse_json(text)
    if not isinstance(data, dict) or "format" not in data:
        raise DatakinError("This is not a datakin result: the field 'format' is missing.")
    if data["format"] != FORMAT:
        raise DatakinError(
            f"This result has format {short(data['format'])}; this version reads format {FORMAT}. "
            f"Compute it again, or read it with the version that wrote it."
        )
    try:
        with unheard():
            result = _decode(data)
            if not isinstance(result, Record):
                raise DatakinError(f"This is not a datakin result but a {short(data.get('type'))}.")
            # Names and shapes must go together: a result that cannot be shown is of no use.
            result.frame, str(result), repr(result)
        return result
    except DatakinError:
        raise
    except DAMAGE as error:
        raise DatakinError(
            f"This datakin result is damaged ({type(error).__name__}: {str(error)[:120]}). Compute it again."
        ) from None


@register
@dataclass(frozen=True)
class Provenance:
    """Where a number came from: seed, options, versions, and fingerprints of the data.

    Attributes
    ----------
    backends : dict of str to str
        What fitted each model.
    """

    seed: int
    options: dict[str, Any]
    versions: dict[str, str]
    fingerprints: dict[str, str]
    backends: dict[str, str] = field(default_factory=dict)


def make_provenance(seed: int, options: dict[str, Any], fingerprints: dict[str, str]) -> Provenance:
    """Record the versions in use now."""
    return Provenance(seed, options, versions(), fingerprints)


def plain(name: str) -> str:
    r"""Return a name that stays on its line: control characters as escapes, the end cut off.

    Examples
    --------
    >>> plain("two\nlines")
    'two\\nlines'
    """
    text = escaped(name)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def escaped(text: str) -> str:
    """Return a text with control characters as escapes; none of them can act on a terminal."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def cell(value: Any) -> str:
    """Format one value of a table; "-" stands for what is not known."""
    if isinstance(value, float):
        return f"{value:.4f}" if value == value else "-"
    return plain(str(value))


def for_spreadsheet(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose texts no spreadsheet takes for formulas: an apostrophe stands before them.

    Numbers stay numbers. A name such as ``=cmd|'/c calc'!A1`` would otherwise run where a CSV file is
    opened.

    Examples
    --------
    >>> for_spreadsheet(pd.DataFrame({"source": ["=1+1", "north"], "score": [-0.1, 0.2]}))
      source  score
    0  '=1+1   -0.1
    1  north    0.2
    """

    def harmless(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value

    safe = frame.copy()
    for column in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = [harmless(value) for value in safe[column]]
    return safe.rename(columns=harmless)


def table(frame: pd.DataFrame, limit: int = 60) -> str:
    """Return a frame as aligned text, numbers to the right."""
    shown = frame.head(limit)
    columns = [[plain(str(name)), *map(cell, shown[name])] for name in shown.columns]
    numeric = [pd.api.types.is_numeric_dtype(shown[name]) for name in shown.columns]
    more = [f"... and {len(frame) - limit} more rows"] if len(frame) > limit else []
    return "\n".join([*aligned(columns, numeric), *more])


def aligned(columns: Sequence[Sequence[str]], right: Iterable[bool]) -> list[str]:
    """Return columns of texts as lines; `right` says which of them end, and do not begin, together."""
    padded = []
    for column, is_right in zip(columns, right, strict=True):
        width = max(map(len, column))
        padded.append([text.rjust(width) if is_right else text.ljust(width) for text in column])
    return ["  ".join(texts).rstrip() for texts in zip(*padded, strict=True)]


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Return a text as lines of at most so many characters, with what stands before them."""
    return textwrap.wrap(
        " ".join(text.split()),
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
