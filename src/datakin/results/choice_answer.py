"""The answer of a choice: which sources to use, the error to expect, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from datakin._core.exceptions import counted
from datakin.learners.stack.records import COST, HELPS
from datakin.results import call_words, words
from datakin.results.answer import Answer, AnswerTable, Row, grouped
from datakin.results.metrics_table import metrics_table

if TYPE_CHECKING:
    from datakin.results.choice import Choice, SourceChoice

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
        legend=tuple(_legend(choice)) if choice.choices else (),
        caveats=tuple(_caveats(choice)),
        notes=grouped(choice.notes),
        remedies=call_words.mended_by(choice.explanations),
    )


def choice_headline(choice: Choice) -> str:
    """Return what to do, in one sentence; sources by name, so that it does not change with shares."""
    n, target = len(choice.choices), words.short(choice.target)
    if not n:
        why = "No source can be used" if choice.unusable else "There is no source"
        return f"{why}: learn from {target} alone."
    if not choice.used:
        which = "the one source" if n == 1 else f"any of the {n} sources"
        return f"Do not use {which}: learn from {target} alone."
    used = sorted(choice.used)
    which = ("both" if n == 2 else f"all {n}") if len(used) == n else f"{len(used)} of {n}"
    which = f"{which} sources" if n > 1 else "the one source"
    names = f": {words.named(used)}" if len(used) <= MOST_NAMED else ""
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


def _written(choice: Choice) -> tuple[str, str]:
    """Return the error to expect and that of the target alone, as both are written."""
    return words.amount(choice.loss, choice.error), words.amount(choice.loss, choice.error_alone)


def _expected(choice: Choice) -> str:
    """Say the error to expect beside that of the target alone."""
    error, error_alone = _written(choice)
    ends = words.interval_amount(choice.loss, *choice.interval)
    now = f"Expected {words.error_word(choice.loss)}: {error} (90% interval {ends})"
    alone = f"{error_alone} with {words.short(choice.target)} alone"
    if choice.used:
        return f"{now}, against {alone}."
    if not choice.choices or error == error_alone:
        return f"{now}."
    return f"{now}; {alone}, not choosing at all."


def _rises(choice: Choice) -> bool:
    """Return whether the error is larger than that of the target alone, as both are written."""
    error, alone = _written(choice)
    return choice.error > choice.error_alone and error != alone


def _sure(choice: Choice) -> tuple[str, ...]:
    """Say how sure a gain is, and in which loss."""
    if not choice.used:
        return ()
    sure = next((said for least, said in SURENESS if choice.p_gain >= least), SURENESS[-1][1])
    if is_open(choice) and choice.p_gain >= SURENESS[-2][0]:
        sure = "The loss may fall all the same"
    size = words.percent(choice.gain)
    change = f"fall by {size}%" if choice.gain > 0 and size != "0" else "hardly change"
    change = "not fall" if choice.gain <= 0 and size != "0" else change
    root = ""
    if choice.task == "regression" and 0 < choice.gain < 1:
        root = f"its root by {words.percent(1 - sqrt(1 - choice.gain))}%; "
    reach = words.percent_interval(*choice.gain_interval)
    return (
        f"{sure}: the {words.gain_loss(choice.task)} should {change} ({root}90% interval {reach}; "
        f"probability of a fall {words.probability(choice.p_gain)}).",
    )


def _stable(choice: Choice) -> tuple[str, ...]:
    if not choice.choices:
        return ()
    stable, same = choice.stability, "sources" if choice.used else "answer"
    chance = " Which sources are used is partly chance." if stable.sample < HALF else ""
    repeats = f"{stable.folds:.0%} of {counted(stable.repeats, 'repeat')}"
    samples = f"{stable.sample:.0%} of resampled versions of {words.short(choice.target)}"
    return (f"How stable: the same {same} in {repeats} and in {samples}.{chance}",)


def _table(choice: Choice) -> AnswerTable:
    rows = []
    for each in choice.choices:
        gain, bar = call_words.gain_cell(each, each.call)
        share, worth = (
            f"{words.percent(each.share, 0)}%" if each.share else "not used",
            worth_of(each),
        )
        last = (share, f"{each.n_rows:,}", "-" if worth is None else f"{worth:.0f}")
        rows.append(Row((each.source, each.call, gain, "", *last), each.call, bar))
    if choice.used:
        share = f"{words.percent(max(0.0, 1 - sum(each.share for each in choice.choices)), 0)}%"
        cells = (choice.target, "(target)", "", "", share, f"{choice.n_rows:,}", "")
        rows.append(Row(cells))
    right = ("gain", "share", "rows", "worth")
    return AnswerTable(COLUMNS, tuple(rows), right, bar_of=call_words.BAR_OF)


def worth_of(each: SourceChoice) -> float | None:
    """Return what a source is worth in rows of the target; nothing where it brings no gain."""
    return None if each.call == "hurts" or each.gain <= 0 else each.worth_rows


def _metrics(choice: Choice) -> AnswerTable | None:
    """Return the choice beside the target alone, in measures that people know."""
    titles = {"alone": "target alone", "choice": "the choice" if choice.used else "expected"}
    caption = f"In other measures, on held-out rows of {words.short(choice.target)}:"
    return metrics_table(choice.metrics, titles, caption, interval_of="choice")


def _legend(choice: Choice) -> Iterator[str]:
    calls = [each.call for each in choice.choices]
    yield from call_words.legend_of_calls(calls)
    yield from call_words.gain_legend(words.gain_loss(choice.task), calls)
    yield "Share: its part of the prediction."
    if any(each.worth_rows is not None for each in choice.choices):
        yield "Worth: as many further rows of the target would bring the same gain."


def _reasons(choice: Choice) -> Iterator[str]:
    """Say of each source why it is called what it is called, and why it is not used."""
    for each in sorted(choice.choices, key=lambda one: call_words.CALL_ORDER.index(one.call)):
        reason = call_words.reason_of(each, each.call, choice.target)
        if not each.share:
            helps = each.call == "helps"
            reason += f" It is not used{': beside the others it adds too little' if helps else ''}."
        yield call_words.explained(reason, choice.explanations, each.source)


def _caveats(choice: Choice) -> Iterator[str]:
    if choice.loss == "balanced":
        guess = "; guessing has 50%" if choice.task == "binary" else ""
        yield (
            f"Balanced error: the mean of the error rates of the classes{guess}. A rare class counts as much "
            f"as a common one."
        )
    if choice.loss == "squared":
        yield "Root mean squared error: how far predictions are off, in the unit of the label."
    if choice.choices:
        if choice.used:
            yield from _measured(choice)
        yield from _together(choice)
        yield from _odds(choice)
        yield from _pooled(choice)
        yield from _calibration(choice)
        if not choice.stability.settled and choice.stability.folds < 1:
            yield "More repeats might lead to other sources."
        low, high = CALIBRATED
        if not low <= choice.n_rows <= high:
            yield (
                f"Calls and intervals were calibrated on targets of {low} to {high} rows; this one has "
                f"{choice.n_rows:,}."
            )
    for name, why in choice.unusable.items():
        yield f"Not usable: {words.short(name)}. {why}"


def _measured(choice: Choice) -> Iterator[str]:
    """Say what was measured, and what the gain to expect rests on."""
    way = f"fell by {words.percent(choice.tried)}%" if choice.tried > 0 else "did not fall"
    cut = ", the largest changes of single rows cut," if choice.task == "regression" else ""
    yield (
        f"On held-out rows{cut} the {words.gain_loss(choice.task)} {way}. The fall to expect also rests on "
        f"what such choices brought on other data."
    )
    if len(choice.choices) == 1:
        yield "The choice may pool rows, which the trial of a source does not: their gains differ."
    yield from call_words.resting_elsewhere(choice.choices)


def _calibration(choice: Choice) -> Iterator[str]:
    """Say so if probabilities are clearly too high or too low on the whole."""
    found = choice.metrics.get("choice")
    ends = None if found is None else found.intervals.get("calibration_intercept")
    if found is None or ends is None or ends[0] <= 0 <= ends[1]:
        return
    way = "low" if ends[0] > 0 else "high"
    yield (
        f"Probabilities of {words.short(found.positive)} are too {way} on the whole: calibration intercept "
        f"{found.values['calibration_intercept']:.2f} (90% interval {ends[0]:.2f} to {ends[1]:.2f})."
    )


def _together(choice: Choice) -> Iterator[str]:
    """Say so if one source does as well as several, or if several help of which none surely does."""
    if _does_one(choice) and choice.error_best is not None:
        found = words.amount(choice.loss, choice.error_best)
        yield (
            f"One source does as well here, most often {words.short(choice.best_source)}: "
            f"{words.error_word(choice.loss)} {found}."
        )
    elif choice.used and not is_open(choice) and choice.tried > 0:
        if any(choice[name].call == "helps" for name in choice.used):
            return
        if len(choice.used) == 1:
            yield "The source is not sure to help by itself; the loss is lower with it all the same."
        else:
            yield "No source is sure to help by itself. Together they can bring what none shows alone."


def _does_one(choice: Choice) -> bool:
    """Return whether the best single source does as well as the choice, in the error and in the loss."""
    if choice.error_best is None or len(choice.used) < 2 or choice.error_best > choice.error:
        return False
    single, mix = (choice.metrics.get(name) for name in ("best_single", "choice"))
    if single is None or mix is None or "brier" not in single.values:
        return True
    return single.values["brier"] <= mix.values.get("brier", inf)


def _odds(choice: Choice) -> Iterator[str]:
    """Say why the error and the gain point in different directions, if they do."""
    name, word = words.gain_loss(choice.task), words.error_word(choice.loss)
    falls = choice.error < choice.error_alone
    differ = (_rises(choice) and choice.tried > 0) or (falls and choice.tried < 0)
    if not choice.used or choice.loss == "brier" or not differ:
        return
    if choice.loss in words.IN_POINTS:
        yield (
            f"On {counted(choice.n_rows, 'row')} the {word} is too coarse to tell; sources are chosen by the "
            f"{name}."
        )
    elif choice.loss == "squared" and choice.task == "regression":
        yield (
            "A few rows with large errors decide the mean. For the gain such changes are cut, so the two "
            "may differ."
        )
    else:
        yield f"Sources are chosen by the {name}, which moves the other way."


def _pooled(choice: Choice) -> Iterator[str]:
    """Say how a plain pool of all rows does, in the error and in the loss that decides."""
    if choice.error_all is None or not isfinite(choice.error_all):
        return
    said = f"{words.error_word(choice.loss)} {words.amount(choice.loss, choice.error_all)}"
    does_well = choice.error_all <= choice.error
    pool, mix = (
        choice.metrics[name].get("brier") if name in choice.metrics else None
        for name in ("all", "choice")
    )
    if pool is not None and mix is not None and choice.loss != "brier":
        said += f", Brier loss {words.number(pool)} (the choice: {words.number(mix)})"
        does_well = does_well and pool <= mix
    if does_well:
        yield (
            f"Everything in one pool does about as well here: {said}. On other data such pools did harm more "
            f"often than choices."
        )
    else:
        yield f"Everything in one pool: {said}."
