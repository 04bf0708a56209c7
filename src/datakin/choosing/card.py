"""The card of a model: what it was learned from, and what error it should have."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin._core.json_text import PlainFields
from datakin.data.dataset import TASKS
from datakin.learners.losses import LOSSES
from datakin.results.record import Record, cell, plain, register, table
from datakin.results.words import amount, error_word, interval_amount

__all__ = ["CardSource", "ModelCard"]

SHOWN = 12  # Sources in the text of a card.
NOTES = 5  # Notes in the text of a card.
WIDTH = 79  # Characters of a line of a note.
LONGEST = 600  # Characters of a note.
EPS = 1e-6


@register
@dataclass(frozen=True)
class CardSource:
    """A source of a model.

    Parameters
    ----------
    name : str
    n_rows : int
    fingerprint : str
    share : float
        Of the prediction that comes from it.
    call : str
        What was said of it: helps, harmless, unclear or hurts.
    """

    name: str
    n_rows: int
    fingerprint: str
    share: float
    call: str


@dataclass(frozen=True, eq=False)
class ModelCard(Record):
    """What a model was learned from, and the error that it should have on new rows of the target.

    Parameters
    ----------
    created : str
        The day, as 2026-01-31.
    target, label, task : str
    classes : tuple of str
        Empty for regression.
    n_rows : int
        Of the target.
    fingerprint : str
        Of the target.
    sources : tuple of CardSource
    loss : str
        What errors are measured in, such as "zero_one".
    error : float
        Expected on new rows of the target.
    interval : tuple of float
        Low and high end of the error.
    level : float
        How often such intervals hold.
    error_alone, error_all : float or None
        Of the target alone, and of all tables in one.
    seed : int
    datakin : str
        The version that made it.
    versions : dict of str to str
        Of the packages that numbers depend on.
    notes : tuple of str
    """

    created: str
    target: str
    label: str
    task: str
    classes: tuple[str, ...]
    n_rows: int
    fingerprint: str
    sources: tuple[CardSource, ...]
    loss: str
    error: float
    interval: tuple[float, float]
    level: float = 0.9
    error_alone: float | None = None
    error_all: float | None = None
    seed: int = 0
    datakin: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """The sources, one row each."""
        names = ("name", "n_rows", "share", "call", "fingerprint")
        return pd.DataFrame([asdict(source) for source in self.sources], columns=list(names))

    @property
    def says(self) -> str:
        """The error and its interval in one line."""
        return f"{cell(self.error)} [{cell(self.interval[0])}, {cell(self.interval[1])}]"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for a file."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, given: PlainFields) -> ModelCard:
        """Return the card of a file; refuse what `to_dict` cannot have written."""
        sources = tuple(map(_source_of, given.objects("sources")))
        interval = given.numbers("interval", 2)
        used: Mapping[str, Any] = given.mapping("versions")
        if not all(isinstance(v, str) for v in used.values()):
            raise DatakinError("versions of the card must be texts.")
        card = cls(
            given.text("created"), given.text("target"), given.text("label"),
            given.choice("task", TASKS), given.different_texts("classes"),
            given.whole("n_rows", 0, 2**60), given.text("fingerprint"), sources,
            given.text("loss"), given.number("error"), (interval[0], interval[1]),
            given.number("level", 0, 1), given.number_or_none("error_alone"),
            given.number_or_none("error_all"), given.whole("seed", -(2**63), 2**63 - 1),
            given.text("datakin"), dict(used), given.texts("notes"),
        )  # fmt: skip
        given.done()
        card._check()
        return card

    def _check(self) -> None:
        """Refuse numbers that no model can have."""
        low, high = self.interval
        if low > high:
            raise DatakinError(
                f"interval of the card must be a low and a high end. Got [{low:g}, {high:g}]."
            )
        total = sum(source.share for source in self.sources)
        if total > 1 + EPS:
            raise DatakinError(
                f"shares of the card's sources must sum to at most 1. Got {total:g}."
            )
        if self.loss not in LOSSES:  # A user's own may take any value.
            return
        most = 1.0 if self.loss in ("zero_one", "balanced") else inf
        errors = {"error": self.error, "low end": low, "high end": high}
        errors |= {"error_alone": self.error_alone or 0.0, "error_all": self.error_all or 0.0}
        for name, error in errors.items():
            if not -EPS <= error <= most + EPS:
                what = "at least 0" if most == inf else "from 0 to 1"
                raise DatakinError(
                    f"{name} of the card must be {what} for the {self.loss} loss. Got {error:g}."
                )

    def __repr__(self) -> str:
        return (
            f"ModelCard({plain(self.target)!r} with {len(self.sources)} sources, error {self.says})"
        )

    is_text = True

    def __str__(self) -> str:
        classes = f" ({', '.join(map(plain, self.classes[:6]))}{', ...' * (len(self.classes) > 6)})"
        lines = [
            f"Model of {plain(self.target)}: predicts {plain(self.label)}, {self.task}"
            f"{classes if self.classes else ''}",
            f"made on {plain(self.created)} by datakin {plain(self.datakin)}, seed {self.seed}",
            f"target: {self.n_rows:,} rows, fingerprint {plain(self.fingerprint)}",
            "",
            f"Expected {error_word(self.loss)} on new rows of the target: {amount(self.loss, self.error)} "
            f"({self.level:.0%} interval {interval_amount(self.loss, *self.interval)})",
        ]
        for what, error in (
            ("the target alone", self.error_alone),
            ("all tables in one", self.error_all),
        ):
            lines += [] if error is None else [f"  {what}: {amount(self.loss, error)}"]
        if self.sources:
            most = self.frame.sort_values("share", ascending=False, kind="stable")
            lines += ["", table(most, SHOWN)]
        # What matters to whom the file may be given is never among those left out.
        ordered = sorted(self.notes, key=lambda note: not note.startswith("the file holds"))
        shown = [_note(note) for note in ordered[:NOTES]]
        more = len(self.notes) - NOTES
        lines += [""] * bool(shown) + shown + [f"... and {more} more notes"] * (more > 0)
        return "\n".join(lines)


def _source_of(given: PlainFields) -> CardSource:
    """Return a source of the card of a file."""
    source = CardSource(
        given.text("name"),
        given.whole("n_rows", 0, 2**60),
        given.text("fingerprint"),
        given.number("share", -1e-9, 1 + 1e-9),
        given.text("call"),
    )
    given.done()
    return source


def _note(text: str) -> str:
    """Return a note as lines of a page, whole unless it is very long."""
    text = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text[:LONGEST])
    text = text if len(text) < LONGEST else f"{text[: LONGEST - 1]}…"
    return textwrap.fill(f"Note: {text}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)
