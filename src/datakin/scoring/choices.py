"""A look at the evidence of a target: what its sources bring, which are used, and the error to expect."""

from __future__ import annotations

from collections.abc import Sequence

from datakin.data.features import Array
from datakin.learners.losses import Judge
from datakin.learners.metrics import Metrics
from datakin.learners.stack.evidence import TargetEvidence
from datakin.learners.stack.gains import draws_of, read_trials
from datakin.learners.stack.passes import StackReading, held_out
from datakin.learners.stack.records import Trial, call_of
from datakin.results.choice import Choice, CurvePoint, SourceChoice
from datakin.results.record import make_provenance
from datakin.scoring.stated import (
    JudgedRows,
    Stated,
    best_single,
    curve_of,
    mean_loss,
    stability_of,
    total_gain,
    worth_of,
)


def read_choice(measured: TargetEvidence, judge: Judge, reading: StackReading) -> Choice:
    """Put together what the evidence says; the choice has no model yet."""
    judged = JudgedRows(judge, measured.y, measured.whole.weights, measured.whole.groups)
    passes, n_draws = reading.passes, draws_of(len(measured.y))
    evidence, honest = passes.evidence, reading.honest[:n_draws]
    curve = curve_of(passes, judged)
    metrics: dict[str, Metrics] = {}

    def state(name: str, of: str, draws: Sequence[Array]) -> Stated:
        error = judged.stated(draws[:n_draws])
        metrics[name] = judged.metrics(of, draws[:n_draws], error)
        return error

    by_target = held_out(passes.alone)[:n_draws]
    alone = state("alone", "the target alone", by_target)
    best = best_single(passes)
    single = state("best_single", "the best single source", best[1]) if best else None
    has_pools = evidence.in_pools.any()
    pooled = state("all", "everything pooled", held_out(passes.pooled)) if has_pools else None
    error = state("choice", "the choice", honest if reading.used else by_target)
    # Without sources the model is that of the target alone.
    gains = total_gain(passes, honest) if reading.used else (0.0,) * 5
    gain, low, high, p_gain, tried = gains
    choices = [
        _source_choice(trial, reading, curve, measured.n_rows[trial.source])
        for trial in read_trials(passes)
    ]
    choices.sort(key=lambda choice: (-choice.share, -choice.gain, choice.source))
    return Choice(
        target=measured.target,
        label=measured.label,
        task=measured.task,
        n_rows=len(evidence.Y),
        used=reading.used,
        choices=tuple(choices),
        loss=judged.judge.loss.name,
        error=error.error,
        interval=(error.low, error.high),
        error_alone=alone.error,
        error_all=pooled.error if pooled else None,
        gain=gain,
        gain_interval=(low, high),
        p_gain=p_gain,
        tried=tried,
        loss_alone=mean_loss(evidence, by_target),
        stability=stability_of(reading, error, measured.seed),
        curve=curve,
        learners=tuple(measured.options["learners"]),
        unusable=dict(measured.unusable),
        notes=measured.notes,
        provenance=make_provenance(
            measured.seed, dict(measured.options), dict(measured.fingerprints)
        ),
        metrics=metrics,
        error_best=single.error if single else None,
        best_source=best[0] if best else "",
    )


def _source_choice(
    trial: Trial, reading: StackReading, curve: Sequence[CurvePoint], n_rows: int
) -> SourceChoice:
    gains = ("gain", "low", "high", "p_gain", "tried", "pooled", "pooled_low", "pooled_high")
    return SourceChoice(
        source=trial.source,
        call=call_of(trial, is_used=trial.source in reading.used),
        share=reading.shares[trial.source],
        worth_rows=worth_of(trial, curve, n_rows),
        n_rows=n_rows,
        **{name: getattr(trial, name) for name in gains},
    )
