"""The answer of a choice: which sources to use, the error to expect, and how sure that is."""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from datakin._core.exceptions import counted
from datakin.learners.stack.records import COST, HELPS
from datakin.results.answer import Answer, AnswerTable, Bar, Row, grouped
from datakin.results.call_words import (
    BAR_OF,
    CALL_ORDER,
    gain_cell,
    gain_legend,
    legend_of_calls,
    reason_of,
    resting_elsewhere,
)
from datakin.results.explained import explained, mended_by
from datakin.results.metrics_table import metrics_table
from datakin.results.words import (
    IN_POINTS,
    amount,
    error_word,
    gain_loss,
    interval_amount,
    named,
    number,
    percent,
    percent_interval,
    probability,
    short,
)

if TYPE_CHECKING:
    from datakin.results.choice import Choice, SourceChoice

__all__ = ["choice_answer", "choice_headline", "worth_of"]

# How sure the gain of a whole choice is, in words.
SURENESS = (
    (HELPS, "This should help"),
    (0.75, "This probably helps"),
    (0.6, "This may help"),
    (0.0, "Whether this helps is open"),
)
HALF = 0.5
CALIBRATED = (40, 160)  # rows of the targets that calls and intervals were calibrated on
MOST_NAMED = 4  # sources that a headline names
COLUMNS = ("source", "call", "gain", "interval", "share", "rows", "worth")


def choice_answer(choice: Choice) -> Answer:
    """Return the answer of a choice."""
    return Answer(
        tone=_tone(choice),
        headline=choice_headline(choice),
        evidence=(_expected(choice), *_sure(choice), *_stable(choice)),
        table=_table(choice) if choice.choices else None,
        second=_metrics(choice),
        reasons=tuple(_reasons(choice)),
        legend=_legend(choice) if choice.choices else (),
        caveats=tuple(_caveats(choice)),
        notes=grouped(choice.notes),
        remedies=mended_by(choice.explanations),
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
    which = ("both" if n == 2 else f"all {n}") if len(used) == n else f"{len(used)} of {n}"
    which = f"{which} sources" if n > 1 else "the one source"
    names = f": {named(used)}" if len(used) <= MOST_NAMED else ""
    if is_open(choice):
        return f"No clear gain: {target} alone does about as well as with {which}{names}."
    return f"Use {which} beside {target}{names}."


def is_open(choice: Choice) -> bool:
    """Return whether the model uses sources although the error rises, or a gain is hardly likely."""
    clearly = choice.error > (1 + COST) * choice.error_alone
    rises = _rises(choice) and (clearly or not choice.p_gain >= HELPS)
    return bool(choice.used) and (rises or not choice.p_gain >= SURENESS[-2][0])


def _tone(choice: Choice) -> str:
    if not choice.choices:
        return "plain"
    if not choice.used:
        return "bad"
    return "good" if choice.p_gain >= SURENESS[0][0] and not is_open(choice) else "open"


def _in_words(choice: Choice, error: float) -> str:
    return amount(choice.loss, error)


def _expected(choice: Choice) -> str:
    """Say the error to expect beside that of the target alone."""
    target, word = short(choice.target), error_word(choice.loss)
    now = f"{_in_words(choice, choice.error)} (90% interval {interval_amount(choice.loss, *choice.interval)})"
    if not choice.choices:
        return f"Expected {word}: {now}."
    alone = f"{_in_words(choice, choice.error_alone)} with {target} alone"
    if not choice.used:
        is_same = _in_words(choice, choice.error) == _in_words(choice, choice.error_alone)
        return f"Expected {word}: {now}{'' if is_same else f'; {alone}, not choosing at all'}."
    return f"Expected {word}: {now}, against {alone}."


def _rises(choice: Choice) -> bool:
    """Return whether the error is larger than that of the target alone, as both are written."""
    written = [_in_words(choice, error) for error in (choice.error, choice.error_alone)]
    return choice.error > choice.error_alone and written[0] != written[1]


def _sure(choice: Choice) -> tuple[str, ...]:
    """Say how sure a gain is, and in which loss."""
    if not choice.used:
        return ()
    words = next((said for least, said in SURENESS if choice.p_gain >= least), SURENESS[-1][1])
    if is_open(choice) and choice.p_gain >= SURENESS[-2][0]:
        words = "The loss may fall all the same"
    size = percent(choice.gain)
    change = f"fall by {size}%" if choice.gain > 0 and size != "0" else "hardly change"
    change = "not fall" if choice.gain <= 0 and size != "0" else change
    root = ""
    if choice.task == "regression" and 0 < choice.gain < 1:
        root = f"its root by {percent(1 - sqrt(1 - choice.gain))}%; "
    reach = percent_interval(*choice.gain_interval)
    return (
        f"{words}: the {gain_loss(choice.task)} should {change} ({root}90% interval {reach}; probability of "
        f"a fall {probability(choice.p_gain)}).",
    )


def _stable(choice: Choice) -> tuple[str, ...]:
    if not choice.choices:
        return ()
    stable, same = choice.stability, "sources" if choice.used else "answer"
    chance = " Which sources are used is partly chance." if stable.sample < HALF else ""
    return (
        f"How stable: the same {same} in {stable.folds:.0%} of {counted(stable.repeats, 'repeat')} and in "
        f"{stable.sample:.0%} of resampled versions of {short(choice.target)}.{chance}",
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
                _worth(each),
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


def worth_of(each: SourceChoice) -> float | None:
    """Return what a source is worth in rows of the target; nothing where it brings no gain."""
    return None if each.call == "hurts" or each.gain <= 0 else each.worth_rows


def _worth(each: SourceChoice) -> str:
    found = worth_of(each)
    return "-" if found is None else f"{found:.0f}"


def _metrics(choice: Choice) -> AnswerTable | None:
    """Return the choice beside the target alone, in measures that people know."""
    titles = {"alone": "target alone", "choice": "the choice" if choice.used else "expected"}
    caption = f"In other measures, on held-out rows of {short(choice.target)}:"
    return metrics_table(choice.metrics, titles, caption, interval_of="choice")


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
    return [
        explained(
            f"{reason_of(each, choice.target)} {_use(each)}".strip(),
            choice.explanations,
            each.source,
        )
        for each in order
    ]


def _use(each: SourceChoice) -> str:
    if not each.share and each.call == "helps":
        return "It is not used: beside the others it adds too little."
    return "" if each.share else "It is not used."


def _caveats(choice: Choice) -> list[str]:
    if not choice.choices:
        return [*_error_meaning(choice), *_unusable(choice)]
    return [
        *_error_meaning(choice),
        *(_measured(choice) if choice.used else []),
        *_together(choice),
        *_single(choice),
        *_odds(choice),
        *_pooled(choice),
        *_calibration(choice),
        *_settled(choice),
        *_size(choice),
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


def _measured(choice: Choice) -> list[str]:
    """Say what was measured, and what the gain to expect rests on."""
    way = f"fell by {percent(choice.tried)}%" if choice.tried > 0 else "did not fall"
    cut = ", the largest changes of single rows cut," if choice.task == "regression" else ""
    said = [
        f"On held-out rows{cut} the {gain_loss(choice.task)} {way}. The fall to expect also rests on what "
        f"such choices brought on other data."
    ]
    if len(choice.choices) == 1:
        said.append(
            "The choice may pool rows, which the trial of a source does not: their gains differ."
        )
    return [*said, *resting_elsewhere(choice.choices)]


def _calibration(choice: Choice) -> list[str]:
    """Say so if probabilities are clearly too high or too low on the whole."""
    found = choice.metrics.get("choice")
    ends = None if found is None else found.intervals.get("calibration_intercept")
    if found is None or ends is None or ends[0] <= 0 <= ends[1]:
        return []
    way = "low" if ends[0] > 0 else "high"
    return [
        f"Probabilities of {short(found.positive)} are too {way} on the whole: calibration intercept "
        f"{found.values['calibration_intercept']:.2f} (90% interval {ends[0]:.2f} to {ends[1]:.2f})."
    ]


def _together(choice: Choice) -> list[str]:
    if not choice.used or is_open(choice) or not choice.tried > 0:
        return []
    if any(choice[name].call == "helps" for name in choice.used) or _does_one(choice):
        return []
    if len(choice.used) == 1:
        return ["The source is not sure to help by itself; the loss is lower with it all the same."]
    return ["No source is sure to help by itself. Together they can bring what none shows alone."]


def _does_one(choice: Choice) -> bool:
    """Return whether the best single source does as well as the choice, in the error and in the loss."""
    if choice.error_best is None or len(choice.used) < 2 or choice.error_best > choice.error:
        return False
    single, mix = (choice.metrics.get(name) for name in ("best_single", "choice"))
    if single is None or mix is None or "brier" not in single.values:
        return True
    return single.values["brier"] <= mix.values.get("brier", inf)


def _single(choice: Choice) -> list[str]:
    if not _does_one(choice) or choice.error_best is None:
        return []
    found = _in_words(choice, choice.error_best)
    return [
        f"One source does as well here, most often {short(choice.best_source)}: {error_word(choice.loss)} "
        f"{found}."
    ]


def _size(choice: Choice) -> list[str]:
    low, high = CALIBRATED
    if low <= choice.n_rows <= high:
        return []
    return [
        f"Calls and intervals were calibrated on targets of {low} to {high} rows; this one has "
        f"{choice.n_rows:,}."
    ]


def _odds(choice: Choice) -> list[str]:
    """Say why the error and the gain point in different directions, if they do."""
    name, word = gain_loss(choice.task), error_word(choice.loss)
    falls = choice.error < choice.error_alone
    if (
        not choice.used
        or choice.loss == "brier"
        or not ((_rises(choice) and choice.tried > 0) or (falls and choice.tried < 0))
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
    """Say how a plain pool of all rows does, in the error and in the loss that decides."""
    if choice.error_all is None or not isfinite(choice.error_all):
        return []
    said = f"{error_word(choice.loss)} {_in_words(choice, choice.error_all)}"
    pool, mix = (choice.metrics.get(name) for name in ("all", "choice"))
    both = [None if each is None else each.get("brier") for each in (pool, mix)]
    if both[0] is not None and both[1] is not None and choice.loss != "brier":
        said += f", Brier loss {number(both[0])} (the choice: {number(both[1])})"
        does_well = both[0] <= both[1] and choice.error_all <= choice.error
    else:
        does_well = choice.error_all <= choice.error
    if not does_well:
        return [f"Everything in one pool: {said}."]
    return [
        f"Everything in one pool does about as well here: {said}. On other data such pools did harm more "
        f"often than choices."
    ]


def _settled(choice: Choice) -> list[str]:
    stable = choice.stability
    if stable.settled or stable.folds >= 1:
        return []
    return ["More repeats might lead to other sources."]


def _unusable(choice: Choice) -> list[str]:
    return [f"Not usable: {short(name)}. {why}" for name, why in choice.unusable.items()]
