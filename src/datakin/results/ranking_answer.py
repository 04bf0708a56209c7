"""The answer of a ranking: which sources to use for a target, which to leave out, and in what order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from datakin._core.exceptions import counted, together
from datakin.results import words
from datakin.results.answer import Answer, AnswerTable, Bar, Row, said
from datakin.results.call_words import (
    BAR_OF,
    CALL_ORDER,
    explained,
    gain_cell,
    gain_legend,
    legend_of_calls,
    mended_by,
    reason_of,
    resting_elsewhere,
)
from datakin.results.comparison_answer import is_copy, loss_alone, same_rows

if TYPE_CHECKING:
    from datakin.results.comparison import Comparison
    from datakin.results.ranking import Ranking

SURE = 0.95  # from this probability on a first place is not called luck
INTERRUPTED = "The run was interrupted: sources are missing."
TRIED = ("source", "call", "gain", "interval", "score", "group", "rows")
UNTRIED = ("source", "call", "score", "interval", "to target", "to source", "rows")


def ranking_answer(ranking: Ranking) -> Answer:
    """Return the answer of a ranking."""
    return _tried(ranking) if ranking.is_tried else _untried(ranking)


def _tried(ranking: Ranking) -> Answer:
    calls = [c.call for c in ranking if not is_copy(c)]
    loss = words.gain_loss(ranking.task)
    tried = [(c.trial, c.call) for c in ranking if c.trial is not None]
    tried.sort(key=lambda found: CALL_ORDER.index(found[1]))
    reasons = [(trial.source, reason_of(trial, call, ranking.target)) for trial, call in tried]
    reasons += [(c.source, _untried_reason(c)) for c in ranking if c.trial is None]
    group = ["Group: the data do not support an order within one."] if ranking.groups else []
    return Answer(
        tone=_tone(calls),
        headline=_headline(ranking),
        evidence=(_best(ranking, loss), _order(ranking)),
        table=_table_tried(ranking),
        reasons=tuple(explained(why, ranking.explanations, source) for source, why in reasons),
        legend=(
            *legend_of_calls(calls),
            *gain_legend(loss, calls),
            "Score: the Cross-Learning Score; 0 means kin.",
            *group,
        ),
        caveats=tuple(_caveats(ranking)),
        notes=_notes(ranking),
        remedies=mended_by(ranking.explanations),
    )


def _word(comparison: Comparison) -> str:
    """Return the call; of a copy of the target, that it is one."""
    return "same rows" if is_copy(comparison) else comparison.decision.word


def _untried_reason(comparison: Comparison) -> str:
    if is_copy(comparison):
        return same_rows(comparison)
    return f"{words.short(comparison.source)}: {said(comparison.reason)}"


def _tone(calls: list[str]) -> str:
    if "helps" in calls:
        return "good"
    return "bad" if calls and set(calls) == {"hurts"} else "open"


def _headline(ranking: Ranking) -> str:
    """Return what to do with the sources, by their calls."""
    target = words.short(ranking.target)
    helps = [c.source for c in ranking if c.call == "helps" and not is_copy(c)]
    hurts = [c.source for c in ranking if c.call == "hurts"]
    if helps:
        rest = f"; leave out {_those(hurts, 'hurt')}" if hurts else f" for {target}"
        return f"Use {_those(helps, 'help')}{rest}."
    if len(hurts) == len(ranking) > 1:
        return f"Leave out all {len(hurts)} sources: each hurts {target}."
    if hurts and len(ranking) == 1:
        return f"Leave out {words.short(hurts[0])}: it hurts {target}."
    if hurts:
        return f"Leave out {_those(hurts, 'hurt')}; no other source clearly helps {target}."
    if all(map(is_copy, ranking)):
        return same_rows(ranking.best)
    if len(ranking) == 1:
        return f"{words.short(ranking.best.source)} does not clearly help {target}, and it does not hurt."
    return f"No source clearly helps {target}, and none hurts."


def _those(names: list[str], does: str) -> str:
    return words.named(names) if len(names) <= 4 else f"the {len(names)} sources that {does}"


def _best(ranking: Ranking, loss: str) -> str:
    first = next((c for c in ranking if not is_copy(c)), ranking.best)
    trial = first.trial
    if trial is None or first.call == "hurts":
        alone = words.number(ranking.loss_alone or 0.0)
        return f"The {loss} of {words.short(ranking.target)} alone is {alone}."
    return (
        f"Best first: {words.short(first.source)}. With it the {loss} should "
        f"{words.fall_or_rise(trial.gain)} (90% interval of the gain "
        f"{words.percent_interval(trial.low, trial.high)}; probability of a gain "
        f"{words.probability(trial.p_gain)})."
    )


def _order(ranking: Ranking) -> str:
    n = len(ranking)
    if n == 1 and not ranking.screened:
        return "One source was compared."
    few = f", {len(ranking.screened)} more screened out" if ranking.screened else ""
    if not ranking.groups:
        return f"{n} sources were compared{few}."
    n_groups = max(ranking.groups.values())
    within = f", in {n_groups} groups. The data do not support the order within a group"
    ends = {
        1: "; the data do not support an order among them",
        n: ", and the data support their order",
    }
    return f"{n} sources{few}{ends.get(n_groups, within)}."


def _table_tried(ranking: Ranking) -> AnswerTable:
    rows = []
    for c in ranking:
        (gain, bar), group = gain_cell(c.trial, c.call), str(ranking.groups.get(c.source, "-"))
        cells = (_word(c), gain, "", words.number(c.score), group, f"{c.n_rows[c.source]:,}")
        rows.append(Row((c.source, *cells), c.call, bar))
    for each in ranking.screened:
        gain, bar = gain_cell(each.trial, "")
        cells = ("screened", gain, "", "-", "-", f"{each.n_rows:,}")
        rows.append(Row((each.source, *cells), bar=bar))
    return AnswerTable(TRIED, tuple(rows), ("gain", "score", "group", "rows"), bar_of=BAR_OF)


def _caveats(ranking: Ranking) -> Iterator[str]:
    first = next(c for c in ranking if c.trial is not None)
    yield f"Gains are in percent of the {loss_alone(first)}."
    yield "Each is with one source only; they do not add up."
    if len(ranking) > 1 or ranking.screened:
        yield "Each interval is for one source. The first of several flatters itself a little."
        yield "To use several at once, choose weighs them together and fits the model."
    yield from resting_elsewhere(c.trial for c in ranking if c.trial is not None)
    if left := [c.source for c in ranking if c.trial is None and not is_copy(c)]:
        yield f"Not tried, so that there is no call: {words.named(left)}."
    if not ranking.complete:
        yield INTERRUPTED


def _notes(ranking: Ranking) -> tuple[str, ...]:
    notes = together((c.source, note) for c in ranking for note in c.notes)
    return (*([] if ranking.screening is None else [ranking.screening.note]), *notes)


def _untried(ranking: Ranking) -> Answer:
    is_paper = not ranking.best.decision.is_about_gain
    return Answer(
        tone=_tone([c.call for c in ranking if not is_copy(c)]),
        headline=_headline_by_paper(ranking) if is_paper else _headline_untried(ranking),
        evidence=(_least(ranking), _luck(ranking)),
        table=_table_untried(ranking),
        reasons=tuple(
            same_rows(c)
            if is_copy(c)
            else explained(_untried_reason(c), ranking.explanations, c.source)
            for c in ranking
        ),
        legend=(
            "Score: the Cross-Learning Score; 0 means kin; line: 95% interval.",
            "To target: by how much the source's predictors lose more on the target than its own.",
        ),
        caveats=(
            "Zones by the paper's rule."
            if is_paper
            else "No source was tried, so that none is called.",
            *([] if ranking.complete else [INTERRUPTED]),
        ),
        notes=_notes(ranking),
        remedies=mended_by(ranking.explanations),
    )


def _headline_by_paper(ranking: Ranking) -> str:
    zones = [c.decision.word for c in ranking]
    kin = [c.source for c in ranking if c.decision.word == "positive"]
    if kin:
        are = "is" if len(kin) == 1 else "are"
        return f"By the paper's rule {words.named(kin)} {are} positive, of {counted(len(ranking), 'source')}."
    n = zones.count("negative")
    return f"By the paper's rule no source is positive; {n} of {len(ranking)} are negative."


def _headline_untried(ranking: Ranking) -> str:
    if all(map(is_copy, ranking)):
        return same_rows(ranking.best)
    what = "The source was not" if len(ranking) == 1 else "No source was"
    return f"{what} tried with {words.short(ranking.target)}."


def _least(ranking: Ranking) -> str:
    first = ranking.best
    return (
        f"First: {words.short(first.source)}. On {words.short(ranking.target)} its predictors lose "
        f"{words.number(first.source_to_target)} more than the target's own; Cross-Learning Score "
        f"{words.number(first.score)}."
    )


def _luck(ranking: Ranking) -> str:
    if len(ranking) == 1 and not ranking.screened:
        return "One source was compared."
    first = ranking.best.source
    sure = ranking.first[first]
    luck = "" if sure >= SURE else "; the first place is partly luck"
    return f"{words.short(first)} loses least with probability {words.probability(sure)}{luck}."


def _table_untried(ranking: Ranking) -> AnswerTable:
    rows = []
    for c in ranking:
        ways = (words.number(c.source_to_target), words.number(c.target_to_source))
        cells = (c.source, _word(c), words.number(c.score), "", *ways, f"{c.n_rows[c.source]:,}")
        rows.append(Row(cells, c.call, Bar(c.score, *c.interval)))
    rows += [
        Row((s.source, "screened", "-", "", words.number(s.source_to_target), "-", f"{s.n_rows:,}"))
        for s in ranking.screened
    ]
    right = ("score", "to target", "to source", "rows")
    return AnswerTable(UNTRIED, tuple(rows), right, bar_of="95% interval of the score", unit="")
