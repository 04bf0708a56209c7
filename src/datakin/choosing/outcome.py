"""From fits and trials to the record of a choice, and its model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.choosing.card import CardSource, ModelCard
from datakin.choosing.earlier import Earlier
from datakin.choosing.labels import label_type_of
from datakin.choosing.model import KinModel
from datakin.choosing.summary import (
    JudgedRows,
    Stated,
    best_single,
    fewest_sources,
    mean_loss,
    stability_of,
    total_gain,
    worth_of,
)
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.data.schema import TableSchema
from datakin.learners.folds import draw_folds
from datakin.learners.losses import Judge
from datakin.learners.metrics import Metrics
from datakin.learners.predictors import KernelPredictor
from datakin.learners.stack.candidates import Run
from datakin.learners.stack.fitting import Fitted, held_out
from datakin.learners.stack.preparation import Prepared
from datakin.learners.stack.records import Trial, call_of
from datakin.learners.stack.trials import single_mixes, try_sources
from datakin.results.choice import Choice, CurvePoint, SourceChoice
from datakin.results.record import make_provenance


def make_choice(
    own: Dataset,
    sources: Sequence[Dataset],
    prepared: Prepared,
    earlier: Earlier,
    fitted: Fitted,
    judge: Judge,
    options: dict[str, Any],
    run: Run,
) -> Choice:
    """Try each source, and put together what the fits say."""
    passes, groups = fitted.passes, prepared.groups.get(own.name)
    judged = JudgedRows(judge, prepared.target.y, prepared.rows.weights, groups)
    singles = single_mixes(passes)
    trials = try_sources(passes, groups, run, singles)
    curve = _curve_of(fitted, judged)
    metrics: dict[str, Metrics] = {}

    def state(name: str, of: str, draws: Sequence[Array]) -> Stated:
        error = judged.stated(draws)
        metrics[name] = judged.metrics(of, draws, error)
        return error

    by_target = held_out(passes.alone)
    alone = state("alone", "the target alone", by_target)
    best = best_single(passes, singles)
    single = state("best_single", "the best single source", best[1]) if best else None
    has_pools = passes.stack.has_pools
    pooled = state("all", "everything pooled", held_out(passes.pooled)) if has_pools else None
    error = state("choice", "the choice", fitted.honest if fitted.used else by_target)
    # Without sources the model is that of the target alone.
    gains = total_gain(passes, fitted.honest, groups) if fitted.used else (0.0,) * 5
    gain, low, high, p_gain, tried = gains
    n_rows = {name: len(rows) for name, rows in prepared.sources.items()}
    n_rows |= {card.name: card.n_rows for card in earlier.sources}
    choices = [_source_choice(trial, fitted, curve, n_rows[trial.source]) for trial in trials]
    choices.sort(key=lambda choice: (-choice.share, -choice.gain, choice.source))
    notes = [f"{table.name}: {note}" for table in (own, *sources) for note in table.notes]
    notes += [note for note in prepared.notes if note not in notes]
    choice = Choice(
        target=own.name,
        label=own.label,
        task=own.task,
        n_rows=len(prepared.rows),
        used=fitted.used,
        fewest=fewest_sources(passes, fitted.shares),
        choices=tuple(choices),
        loss=judge.loss.name,
        error=error.error,
        interval=(error.low, error.high),
        error_alone=alone.error,
        error_all=pooled.error if pooled else None,
        gain=gain,
        gain_interval=(low, high),
        p_gain=p_gain,
        tried=tried,
        loss_alone=mean_loss(passes, by_target),
        stability=stability_of(fitted, error),
        curve=curve,
        learners=tuple(options["learners"]),
        unusable=prepared.unusable,
        notes=tuple(notes),
        provenance=make_provenance(passes.stack.seed, options, prepared.fingerprints),
        metrics=metrics,
        error_best=single.error if single else None,
        best_source=best[0] if best else "",
    )
    return choice.with_model(_model(own, sources, prepared, earlier, fitted, judge, choice))


def _source_choice(
    trial: Trial, fitted: Fitted, curve: Sequence[CurvePoint], n_rows: int
) -> SourceChoice:
    gains = ("gain", "low", "high", "p_gain", "tried", "pooled", "pooled_low", "pooled_high")
    return SourceChoice(
        source=trial.source,
        call=call_of(trial, is_used=trial.source in fitted.used),
        share=fitted.shares[trial.source],
        worth_rows=worth_of(trial, curve, n_rows),
        n_rows=n_rows,
        **{name: getattr(trial, name) for name in gains},
    )


def _model(
    own: Dataset,
    sources: Sequence[Dataset],
    prepared: Prepared,
    earlier: Earlier,
    fitted: Fitted,
    judge: Judge,
    choice: Choice,
) -> KinModel:
    """Return the fitted model with its card."""
    known = {source.name: (source.n_rows, source.fingerprint) for source in sources}
    known |= {source.name: (source.n_rows, source.fingerprint) for source in earlier.sources}
    same = ("target", "label", "task", "loss", "error", "interval", "error_alone", "error_all")
    used = choice.provenance.versions
    card = ModelCard(
        created=date.today().isoformat(),
        classes=own.classes,
        n_rows=own.n_rows,
        fingerprint=own.fingerprint,
        sources=tuple(
            CardSource(c.source, *known[c.source], c.share, c.call) for c in choice.choices
        ),
        seed=choice.provenance.seed,
        datakin=used.get("datakin", ""),
        versions=used,
        notes=(*choice.notes, *_rows_held(fitted)),
        **{name: getattr(choice, name) for name in same},
    )
    encoder = prepared.encoder
    schema = TableSchema.of(own, (*encoder.numeric_names, *encoder.category_names))
    stack = fitted.predictor(judge)
    return KinModel(schema, encoder, stack, card, label_type=label_type_of(own))


def _rows_held(fitted: Fitted) -> list[str]:
    """Say that a model holds rows, which matters to whom it may be given."""
    if not any(isinstance(p, KernelPredictor) for _, _, p in fitted.parts):
        return []
    return [
        "the file holds rows of the tables (standardised, for the kernel learner): give it only to those who "
        "may see them. With the learners linear and trees alone it holds none"
    ]


def _curve_of(fitted: Fitted, judged: JudgedRows) -> tuple[CurvePoint, ...]:
    """Return the error of the target alone at half of its rows, and at nearly all of them."""
    passes, judge, y = fitted.passes, judged.judge, judged.y
    stack, target, n = passes.stack, passes.stack.target, len(y)
    n_folds = int(passes.folds[0].max()) + 1
    halves = []
    for repeat, mix in enumerate(passes.alone):
        state = derive_seed(stack.seed, "half", repeat)
        folds = draw_folds(y, judge.kind != "regression", judged.groups, state, n_folds=2)
        P = np.array([learner.held_out(target, folds)[0] for learner in stack.learners])
        # The weights of the whole: half of the rows is too little to find them too.
        halves.append(np.einsum("cnm,c->nm", P, mix.weights))

    def point(rows: int, draws: Sequence[Array]) -> CurvePoint:
        error = judge.error(draws, y, judged.weights)
        return CurvePoint(rows, error, mean_loss(passes, draws))

    nearly = round(n * (n_folds - 1) / n_folds)
    return point(round(n / 2), halves), point(nearly, held_out(passes.alone))
