"""The answer of a comparison: does the source help, and what is lost in each direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from datakin.results import words
from datakin.results.answer import Answer, AnswerTable, Bar, Row, said
from datakin.results.call_words import explained, mended_by, reason_of, rise_if_pooled
from datakin.results.metrics_table import metrics_table

if TYPE_CHECKING:
    from datakin.results.comparison import Comparison

COLUMNS = ("learned on", "tested on", "error", "difference", "interval")


def is_copy(comparison: Comparison) -> bool:
    """Return whether both datasets hold the same rows: their score is 0 by definition."""
    return comparison.trial is None and not comparison.cross_errors


def same_rows(comparison: Comparison) -> str:
    """Say that there is nothing to learn from a copy."""
    names = f"{words.short(comparison.source)} and {words.short(comparison.target)}"
    return f"Nothing to learn: {names} hold the same rows."


def comparison_answer(comparison: Comparison) -> Answer:
    """Return the answer of a comparison."""
    if is_copy(comparison):
        return Answer("plain", same_rows(comparison), ("Their score is 0 by definition.",))
    trial, (tone, head) = comparison.trial, comparison.decision.headline
    why = "" if trial is None else reason_of(trial, comparison.call, comparison.target)
    names = {"source": words.short(comparison.source), "target": words.short(comparison.target)}
    return Answer(
        tone=tone,
        headline=said(head.format(**names)),
        evidence=(_gain(comparison), _score(comparison)),
        table=_table(comparison),
        second=_metrics(comparison),
        reasons=tuple(filter(None, [explained(why, comparison.explanations, comparison.source)])),
        legend=_legend(comparison),
        caveats=tuple(_caveats(comparison)),
        notes=comparison.notes,
        remedies=mended_by(comparison.explanations),
    )


def loss_alone(comparison: Comparison) -> str:
    """Return what gains are shares of, with the error that `choose` states of the target alone."""
    loss, error = words.gain_loss(comparison.task), ""
    if comparison.error_alone is not None:
        of = comparison.losses[comparison.target]
        error = f"; {words.error_word(of)} {words.amount(of, comparison.error_alone)}"
    alone = words.number(comparison.loss_alone or 0.0)
    return f"{loss} of {words.short(comparison.target)} alone ({alone}{error})"


def _gain(comparison: Comparison) -> str:
    trial, source = comparison.trial, words.short(comparison.source)
    if trial is None:
        return said(comparison.reason)
    loss = f"the {words.gain_loss(comparison.task)} of {words.short(comparison.target)}"
    if comparison.call == "hurts":  # decided by the pool: a stack could leave the source out
        return f"In one pool with {source}, {loss} {rise_if_pooled(trial)}."
    change, reach = words.fall_or_rise(trial.gain), words.percent_interval(trial.low, trial.high)
    return f"With {source} beside it, {loss} should {change} (90% interval of the gain {reach})."


def _score(comparison: Comparison) -> str:
    score, low, high = map(words.number, (comparison.score, *comparison.interval))
    return f"Cross-Learning Score {score} (95% interval {low} to {high}); 0 means kin."


def _table(comparison: Comparison) -> AnswerTable:
    rows = []
    for learned, tested, way in (
        (comparison.source, comparison.target, "source_to_target"),
        (comparison.target, comparison.source, "target_to_source"),
    ):
        loss = comparison.losses.get(tested, "")
        error = "-"
        if learned in comparison.cross_errors:
            error = words.amount(loss, comparison.cross_errors[learned])
        cells = (learned, tested, error, words.number(getattr(comparison, way)), "")
        found = comparison.directions.get(way)
        bar = None if found is None else Bar(found.value, found.low, found.high)
        rows.append(Row(cells, bar=bar))
    losses = dict.fromkeys(words.error_word(loss) for loss in comparison.losses.values())
    return AnswerTable(
        COLUMNS,
        tuple(rows),
        ("error", "difference"),
        caption=f"Both directions, {' / '.join(losses)}:",
        bar_of="95% interval of the difference",
        unit="",
    )


def _metrics(comparison: Comparison) -> AnswerTable | None:
    """Return both directions, in measures that people know."""
    titles = {
        "alone": "target alone",
        "with_source": "with source",
        "source_to_target": "from source",
        "target_to_source": "from target",
    }
    caption = "In other measures: the target alone, with the source, and both directions, on held-out rows:"
    return metrics_table(comparison.metrics, titles, caption)


def _legend(comparison: Comparison) -> tuple[str, ...]:
    losses = set(comparison.losses.values())
    scale = "in shares of rows" if losses <= set(words.IN_POINTS) else "in units of the loss"
    squared = " (squared)" if "squared" in losses else ""
    return (
        f"Difference: what predictors from the other table lose more than its own in this comparison, "
        f"{scale}{squared}; line: 95% interval.",
        "The score is the mean of both differences.",
    )


def _caveats(comparison: Comparison) -> Iterator[str]:
    if comparison.trial is not None and comparison.loss_alone is not None:
        yield f"The gain is in percent of the {loss_alone(comparison)}."
    models = list(comparison.model_scores)
    if models and comparison.estimate not in comparison.model_scores:
        yield f"The score is that of an {comparison.estimate} of {', '.join(models)}."
    if comparison.standardised is not None:
        score = words.number(comparison.standardised)
        yield f"In units of the loss of the best constant, the score is {score}."
