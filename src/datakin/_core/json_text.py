"""JSON as datakin writes it, read with care: anybody may have written what is read.

A text that datakin cannot have written is refused, and each value is checked when it is taken.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

from datakin._core.exceptions import DatakinError, listed

LARGEST = 2**63  # a whole number beyond is none of ours, and may have millions of digits
LONGEST = 60  # characters of a value in a message
T = TypeVar("T")


def parse_json(text: str | bytes | bytearray) -> Any:
    """Return the value of a JSON text.

    Keys that come twice, NaN and Infinity, numbers that 64 bits cannot hold, and lists within lists
    without end are refused. Our own files have none of them.

    Examples
    --------
    >>> parse_json('{"score": 0.5}')
    {'score': 0.5}
    >>> parse_json('{"score": 1e400}')
    Traceback (most recent call last):
    datakin._core.exceptions.DatakinError: This is not JSON that datakin wrote (the number 1e400).
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_float,
            parse_int=_int,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise DatakinError(f"This is not JSON (line {error.lineno}: {error.msg}).") from None
    except UnicodeDecodeError:
        raise DatakinError("This is not JSON (it is not UTF-8 text).") from None
    except RecursionError:
        raise _refusal("parts within parts without end") from None
    except TypeError:
        raise DatakinError(f"JSON must be a text. Got {type(text).__name__}.") from None


def _refusal(what: str) -> DatakinError:
    return DatakinError(f"This is not JSON that datakin wrote ({what}).")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _refusal("a key comes twice")
    return made


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise _refusal(f"the number {digits[:40]}")
    return value


def _int(digits: str) -> int:
    value = int(digits) if len(digits) < 40 else LARGEST
    if not -LARGEST <= value < LARGEST:
        raise _refusal(f"the number {digits[:40]}")
    return value


def _constant(word: str) -> NoReturn:
    raise _refusal(word)


class PlainFields:
    """The fields of a JSON object; each is taken once, by what it must be.

    Parameters
    ----------
    value : object
        As `parse_json` returns it.
    where : str
        How messages call it.

    Examples
    --------
    >>> fields = PlainFields({"name": "age", "weight": -1}, "part 0")
    >>> fields.text("name")
    'age'
    >>> fields.number("weight", low=0.0)
    Traceback (most recent call last):
    datakin._core.exceptions.DatakinError: weight of part 0 must be a number of at least 0. Got -1.
    """

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise DatakinError(f"{where} must be an object with fields. Got {_short(value)}.")
        self.left = dict(value)
        self.where = where

    def take(self, name: str) -> Any:
        """Return a field as it is; it must be there."""
        if name not in self.left:
            raise DatakinError(f"{name} of {self.where} is missing.")
        return self.left.pop(name)

    def done(self) -> None:
        """Refuse fields that nobody took."""
        if self.left:
            raise DatakinError(f"{self.where} has unknown fields: {listed(self.left)}.")

    def text(self, name: str) -> str:
        """Return a text."""
        return self._checked(name, self.take(name), str, "a text")

    def text_or_none(self, name: str) -> str | None:
        """Return a text or None."""
        value = self.take(name)
        return None if value is None else self._checked(name, value, str, "a text or null")

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Return one of some words."""
        value = self.text(name)
        if value not in choices:
            raise self._wrong(name, f"one of {listed(choices, limit=10)}", value)
        return value

    def truth(self, name: str) -> bool:
        """Return True or False."""
        return self._checked(name, self.take(name), bool, "true or false")

    def number(self, name: str, low: float | None = None, high: float | None = None) -> float:
        """Return a finite number, between two ends."""
        return self._number(name, self.take(name), low, high)

    def number_or_none(self, name: str) -> float | None:
        """Return a finite number or None."""
        value = self.take(name)
        return None if value is None else self._number(name, value)

    def whole(self, name: str, low: int, high: int) -> int:
        """Return a whole number between two ends."""
        value = self.take(name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self._wrong(name, f"a whole number from {low} to {high}", value)
        return value

    def items(self, name: str, most: int | None = None) -> list[Any]:
        """Return a list, of so many items at most."""
        value = self._checked(name, self.take(name), list, "a list")
        if most is not None and len(value) > most:
            raise self._wrong(name, f"a list of at most {most} items", f"{len(value)} items")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self._checked(name, v, str, "a list of texts") for v in self.items(name))

    def different_texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, none of which comes twice."""
        found = self.texts(name)
        if len(set(found)) < len(found):
            raise self._wrong(name, "a list of different texts", list(found))
        return found

    def numbers(self, name: str, size: int | None = None) -> list[float]:
        """Return a list of finite numbers, of so many if `size` is given."""
        found = [self._number(name, value) for value in self.items(name)]
        if size is not None and len(found) != size:
            raise self._wrong(name, f"a list of {size} numbers", f"{len(found)} numbers")
        return found

    def object(self, name: str) -> PlainFields:
        """Return an object."""
        return PlainFields(self.take(name), f"{name} of {self.where}")

    def objects(self, name: str, most: int | None = None) -> list[PlainFields]:
        """Return a list of objects."""
        found = self.items(name, most)
        return [PlainFields(v, f"{name} {i} of {self.where}") for i, v in enumerate(found)]

    def mapping(self, name: str) -> dict[str, Any]:
        """Return an object with keys of any name."""
        return self._checked(name, self.take(name), dict, "an object")

    def _number(
        self, name: str, value: Any, low: float | None = None, high: float | None = None
    ) -> float:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        too_low = is_number and low is not None and value < low
        too_high = is_number and high is not None and value > high
        if not is_number or too_low or too_high:
            ends = "" if low is None else f" of at least {low:g}"
            ends += "" if high is None else f" and at most {high:g}"
            raise self._wrong(name, f"a number{ends}", value)
        return float(value)

    def _checked(self, name: str, value: Any, kind: type[T], what: str) -> T:
        if not isinstance(value, kind):
            raise self._wrong(name, what, value)
        return value

    def _wrong(self, name: str, what: str, value: Any) -> DatakinError:
        return DatakinError(f"{name} of {self.where} must be {what}. Got {_short(value)}.")


def _short(value: Any) -> str:
    # Not repr of the whole: a list may hold millions of items.
    if isinstance(value, (list, dict)):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    text = value if isinstance(value, str) else repr(value)
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    return repr(text) if isinstance(value, str) else text
