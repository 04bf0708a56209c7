"""The answer of transfer methods that were tried."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING

from datakin._core.exceptions import counted
from datakin.results.answer import Answer, AnswerTable, Bar, Row
from datakin.results.words import (
    amount,
    error_word,
    named,
    percent,
    percent_interval,
    short,
    signed,
)

if TYPE_CHECKING:
    from datakin.results.gain import Gain

__all__ = ["gain_answer"]

NORMAL = 1.645  # half of a 90% interval, in standard errors


def gain_answer(gain: Gain) -> Answer:
    """Return the answer of transfer methods that were tried."""
    name = _best(gain)
    best = gain.methods[name]
    low, high = _ends(best.target_rer, best.target_se)
    is_known = isfinite(best.target_rer)
    tone = "good" if is_known and low > 0 else "bad" if is_known and high < 0 else "open"
    return Answer(
        tone=tone,
        headline=_headline(gain, name, tone),
        evidence=tuple(_evidence(gain, name)),
        table=_table(gain),
        legend=(
            f"Change: by how much the {'squared ' if gain.loss == 'squared' else ''}error falls against "
            f"learning alone (relative error reduction); line: 90% interval.",
        ),
        caveats=tuple(_caveats(gain)),
        notes=gain.notes,
    )


def _best(gain: Gain) -> str:
    """Return the method that lowers the error of the target most."""
    known = {name: m.target_rer for name, m in gain.methods.items() if isfinite(m.target_rer)}
    return max(known, key=lambda name: known[name]) if known else gain.best


def _ends(value: float, error: float) -> tuple[float, float]:
    spread = NORMAL * error if isfinite(error) else nan
    return value - spread, value + spread


def _from(gain: Gain) -> str:
    return f"the {counted(len(gain.sources), 'source')}" if gain.sources else short(gain.source)


def _headline(gain: Gain, best: str, tone: str) -> str:
    target, source = short(gain.target), _from(gain)
    if tone == "good":
        return f"{best} lowers the error of {target} with {source}."
    if tone == "bad":
        return f"No method lowers the error of {target} with {source}."
    return f"No method clearly lowers the error of {target} with {source}."


def _evidence(gain: Gain, name: str) -> list[str]:
    best = gain.methods[name]
    word, target = error_word(gain.loss), short(gain.target)
    alone, now = (amount(gain.loss, error) for error in (gain.target_error, best.target_error))
    found = [f"Best method, {name}: {word} {now}, against {alone} with {target} alone."]
    if isfinite(best.target_rer) and isfinite(best.target_se):
        reach = percent_interval(*_ends(best.target_rer, best.target_se))
        way = "fall" if best.target_rer >= 0 else "rise"
        scale = " in squared error" if gain.loss == "squared" else ""
        size = percent(abs(best.target_rer))
        found.append(f"That is a {way} of {size}%{scale} (90% interval of the fall {reach}).")
    return found


def _table(gain: Gain) -> AnswerTable:
    both = not gain.sources
    columns = (
        "method",
        "error",
        "change",
        "interval",
        *(["back: error", "back: change"] if both else []),
    )
    rows = []
    for name, found in gain.methods.items():
        back = (
            (amount(gain.source_loss or gain.loss, found.source_error), _share(found.source_rer))
            if both
            else ()
        )
        rows.append(
            Row(
                (name, amount(gain.loss, found.target_error), _share(found.target_rer), "", *back),
                bar=Bar(found.target_rer, *_ends(found.target_rer, found.target_se)),
            )
        )
    return AnswerTable(
        columns,
        tuple(rows),
        tuple(title for title in columns if title not in ("method", "interval")),
        bar_of="90% interval of the change",
    )


def _share(value: float) -> str:
    return signed(value) if isfinite(value) else "-"


def _caveats(gain: Gain) -> list[str]:
    n = len(gain.methods)
    found = [f"Means over {counted(gain.repeats, gain.split)}."]
    if n > 1:
        found.append(f"The best of {n} methods was picked afterwards, so its gain flatters.")
    if gain.sources:
        found.append(f"Learned from {named(gain.sources, 6)} at once.")
    else:
        alone = amount(gain.source_loss or gain.loss, gain.source_error)
        word = error_word(gain.source_loss or gain.loss)
        found.append(f"Back: the roles swapped; {short(gain.source)} alone has {word} {alone}.")
    return found
