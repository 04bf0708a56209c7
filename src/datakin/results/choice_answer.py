"""The answer of a choice: which sources to use, the error to expect, and how sure that is."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from datakin._core.exceptions import counted, together
from datakin.results.answer import Answer, AnswerTable, Bar, Row
from datakin.results.call_words import (
    BAR_OF,
    CALL_ORDER,
    gain_cell,
    gain_legend,
    legend_of_calls,
    reason_of,
)
from datakin.results.words import (
    IN_POINTS,
    amount,
    error_word,
    gain_loss,
    interval_amount,
    named,
    percent,
    percent_interval,
    probability,
    short,
)

if TYPE_CHECKING:
    from datakin.results.choice import Choice, SourceChoice

__all__ = ["choice_answer", "choice_headline"]

# How sure the gain of a whole choice is, in words.
SURENESS = (
    (0.95, "This should help"),
    (0.8, "This probably helps"),
    (0.6, "This may help"),
    (0.0, "Whether this helps is open"),
)
COLUMNS = ("source", "call", "gain", "interval", "share", "rows", "worth")


def choice_answer(choice: Choice) -> Answer:
    """Return the answer of a choice."""
    return Answer(
        tone=_tone(choice),
        headline=choice_headline(choice),
        evidence=(_expected(choice), *_stable(choice)),
        table=_table(choice) if choice.choices else None,
        reasons=tuple(_reasons(choice)),
        legend=_legend(choice) if choice.choices else (),
        caveats=tuple(_caveats(choice)),
        notes=_notes(choice),
    )


def _notes(choice: Choice) -> tuple[str, ...]:
    """Return the notes, those that say the same of several sources in one."""
    names = {choice.target, *(each.source for each in choice.choices)}
    parts = [note.partition(": ") for note in choice.notes]
    return tuple(
        together(
            (head, rest) if head in names else ("", note)
            for (head, _, rest), note in zip(parts, choice.notes, strict=True)
        )
    )


def choice_headline(choice: Choice) -> str:
    """Return what to do, in one sentence; sources by name, so that it does not change with shares."""
    n, target = len(choice.choices), short(choice.target)
    if not n:
        why = "No source can be used" if choice.unusable else "There is no source"
        return f"{why}: learn from {target} alone."
    if not choice.used:
        which = "the one source" if n == 1 else f"any of the {n} sources"
        return f"Do not use {which}: learn from {target} alone."
    used = sorted(choice.used)
    if n == 1:
        return f"Use {short(used[0])} beside {target}."
    which = f"all {n}" if len(used) == n else f"{len(used)} of {n}"
    names = f": {named(used)}" if len(used) <= 4 else ""
    return f"Use {which} sources beside {target}{names}."


def _tone(choice: Choice) -> str:
    if not choice.choices:
        return "plain"
    if not choice.used:
        return "bad"
    return "good" if choice.p_gain >= SURENESS[0][0] else "open"


def _in_words(choice: Choice, error: float) -> str:
    return amount(choice.loss, error)


def _expected(choice: Choice) -> str:
    """Say the error to expect beside that of the target alone, and how sure a gain is."""
    target, word = short(choice.target), error_word(choice.loss)
    now = f"{_in_words(choice, choice.error)} (90% interval {interval_amount(choice.loss, *choice.interval)})"
    if not choice.choices:
        return f"Expected {word}: {now}."
    alone = f"{_in_words(choice, choice.error_alone)} with {target} alone"
    if not choice.used:
        is_same = _in_words(choice, choice.error) == _in_words(choice, choice.error_alone)
        return f"Expected {word}: {now}{'' if is_same else f'; {alone}, not choosing at all'}."
    sure = next((words for least, words in SURENESS if choice.p_gain >= least), SURENESS[-1][1])
    if _rises(choice):
        return f"The {word} itself does not fall: {now} is to be expected, against {alone}."
    return f"{sure} (probability {probability(choice.p_gain)}): expected {word} {now}, against {alone}."


def _rises(choice: Choice) -> bool:
    return choice.error > choice.error_alone


def _stable(choice: Choice) -> tuple[str, ...]:
    if not choice.choices:
        return ()
    stable, same = choice.stability, "sources" if choice.used else "answer"
    return (
        f"How stable: the same {same} in {stable.folds:.0%} of {counted(stable.repeats, 'repeat')} and in "
        f"{stable.sample:.0%} of resampled versions of {short(choice.target)}.",
    )


def _table(choice: Choice) -> AnswerTable:
    rows = [
        Row(
            (
                each.source,
                each.call,
                gain_cell(each),
                "",
                f"{percent(each.share, 0)}%" if each.share else "not used",
                f"{each.n_rows:,}",
                "-" if each.worth_rows is None else f"{each.worth_rows:.0f}",
            ),
            each.call,
            Bar(each.pooled, each.pooled_low, each.pooled_high)
            if each.call == "hurts"
            else Bar(each.gain, each.low, each.high),
        )
        for each in choice.choices
    ]
    if choice.used:
        own = max(0.0, 1 - sum(each.share for each in choice.choices))
        share = f"{percent(own, 0)}%"
        cells = (choice.target, "(target)", "", "", share, f"{choice.n_rows:,}", "")
        rows.append(Row(cells, is_own=True))
    right = ("gain", "share", "rows", "worth")
    return AnswerTable(COLUMNS, tuple(rows), right, bar_of=BAR_OF)


def _legend(choice: Choice) -> tuple[str, ...]:
    calls = [each.call for each in choice.choices]
    worth = any(each.worth_rows is not None for each in choice.choices)
    return (
        *legend_of_calls(calls),
        *gain_legend(gain_loss(choice.task), calls),
        "Share: its part of the prediction.",
        *(
            ["Worth: as many further rows of the target would bring the same gain."]
            if worth
            else []
        ),
    )


def _reasons(choice: Choice) -> list[str]:
    """Say of each source why it is called what it is called, and why it is not used."""
    order = sorted(choice.choices, key=lambda each: CALL_ORDER.index(each.call))
    return [f"{reason_of(each, choice.target)} {_use(each)}".strip() for each in order]


def _use(each: SourceChoice) -> str:
    if not each.share and each.call == "helps":
        return "It is not used: beside the others it adds too little."
    return "" if each.share else "It is not used."


def _caveats(choice: Choice) -> list[str]:
    if not choice.choices:
        return [*_error_meaning(choice), *_unusable(choice)]
    return [
        *_error_meaning(choice),
        *(_gain(choice) if choice.used else []),
        *_together(choice),
        *_odds(choice),
        *_pooled(choice),
        *_fewest(choice),
        *_settled(choice),
        *_unusable(choice),
    ]


def _error_meaning(choice: Choice) -> list[str]:
    if choice.loss == "balanced":
        guess = "; guessing has 50%" if choice.task == "binary" else ""
        return [
            f"Balanced error: the mean of the error rates of the classes{guess}. A rare class counts as much "
            f"as a common one."
        ]
    if choice.loss == "squared":
        return ["Root mean squared error: how far predictions are off, in the unit of the label."]
    return []


def _gain(choice: Choice) -> list[str]:
    """Say by how much the loss falls: what to expect, and what was measured."""
    name = gain_loss(choice.task)
    what = f"The {name}" + (
        ", which also counts how sure a prediction is," if name == "Brier loss" else ""
    )
    reach = f"90% interval {percent_interval(*choice.gain_interval)}"
    if choice.gain > 0:
        first = f"{what} should fall by {percent(choice.gain)}% ({reach})."
    else:
        first = f"{what} is not expected to fall ({reach})."
    way = f"fell by {percent(choice.tried)}%" if choice.tried > 0 else "did not fall"
    return [
        f"{first} On held-out rows it {way}; the first number also rests on what such choices brought on "
        f"other data."
    ]


def _together(choice: Choice) -> list[str]:
    if not choice.used or any(choice[name].call == "helps" for name in choice.used):
        return []
    if len(choice.used) == 1:
        return ["The source is not sure to help by itself; the loss is lower with it all the same."]
    return ["No source is sure to help by itself. Together they can bring what none shows alone."]


def _odds(choice: Choice) -> list[str]:
    """Say why the error and the gain point in different directions, if they do."""
    name, word = gain_loss(choice.task), error_word(choice.loss)
    falls = choice.error < choice.error_alone
    if not choice.used or not (
        (_rises(choice) and choice.tried > 0) or (falls and choice.tried < 0)
    ):
        return []
    if choice.loss in IN_POINTS:
        return [
            f"On {counted(choice.n_rows, 'row')} the {word} is too coarse to tell; sources are chosen by the "
            f"{name}."
        ]
    if choice.loss == "squared" and choice.task == "regression":
        return [
            "A few rows with large errors decide the mean. For the gain such changes are cut, so the two "
            "may differ."
        ]
    return [f"Sources are chosen by the {name}, which moves the other way."]


def _pooled(choice: Choice) -> list[str]:
    if choice.error_all is None or not isfinite(choice.error_all):
        return []
    found = _in_words(choice, choice.error_all)
    if choice.error_all > choice.error:
        return [f"Everything in one pool: {error_word(choice.loss)} {found}."]
    return [
        f"Everything in one pool does no worse here: {error_word(choice.loss)} {found}. On other data such "
        f"pools did harm more often than choices."
    ]


def _fewest(choice: Choice) -> list[str]:
    if choice.tried <= 0 or not 0 < len(choice.fewest) < len(choice.used):
        return []
    return [f"Nine tenths of the gain come with {named(sorted(choice.fewest))} alone."]


def _settled(choice: Choice) -> list[str]:
    stable = choice.stability
    if stable.settled or stable.folds >= 1:
        return []
    return ["The last repeats did not agree on the sources."]


def _unusable(choice: Choice) -> list[str]:
    return [f"Not usable: {short(name)}. {why}" for name, why in choice.unusable.items()]
