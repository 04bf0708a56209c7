"""From fits and trials to the record of a choice, and its model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np

from datakin._core.repeatability import derive_seed, versions
from datakin.choosing.card import CardSource, ModelCard
from datakin.choosing.earlier import Earlier
from datakin.choosing.labels import label_type_of
from datakin.choosing.model import KinModel
from datakin.choosing.summary import (
    Stated,
    best_single,
    fewest_sources,
    mean_losses,
    metrics_of,
    stability_of,
    stated,
    total_gain,
    worth_of,
)
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.data.schema import TableSchema
from datakin.learners.folds import draw_folds
from datakin.learners.losses import Judge
from datakin.learners.metrics import Metrics
from datakin.learners.predictors import KernelPredictor, StackPredictor
from datakin.learners.stack.candidates import Run
from datakin.learners.stack.fitting import Fitted, held_out
from datakin.learners.stack.preparation import Prepared
from datakin.learners.stack.records import Trial, call_of
from datakin.learners.stack.trials import single_mixes, try_sources
from datakin.results.choice import Choice, CurvePoint, SourceChoice
from datakin.results.record import make_provenance

__all__ = ["group_codes", "make_choice"]


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
    passes, seed = fitted.passes, fitted.passes.stack.seed
    y, groups = prepared.target.y, group_codes(prepared.target.groups)
    weights = prepared.rows.weights
    singles = single_mixes(passes)
    trials = try_sources(passes, groups, run, singles)
    curve = _curve_of(fitted, judge, y, groups, seed)
    metrics: dict[str, Metrics] = {}

    def state(name: str, of: str, draws: Sequence[Array]) -> Stated:
        error = stated(draws, judge, y, weights, groups)
        metrics[name] = metrics_of(of, draws, error, judge, y, weights, groups)
        return error

    by_target = held_out(passes.alone)
    alone = state("alone", "the target alone", by_target)
    best = best_single(passes, singles)
    single = state("best_single", "the best single source", best[1]) if best else None
    has_pools = passes.stack.has_pools
    pooled = state("all", "everything pooled", held_out(passes.pooled)) if has_pools else None
    error = state("choice", "the choice", fitted.honest if fitted.used else by_target)
    gain, low, high, p_gain, tried = 0.0, 0.0, 0.0, 0.0, 0.0
    if fitted.used:  # Else the model is that of the target alone.
        gain, low, high, p_gain, tried = total_gain(passes, fitted.honest, groups)
    choices = []
    for trial in trials:
        n_rows = earlier.rows_of(trial.source) or len(prepared.sources[trial.source])
        choices.append(_source_choice(trial, fitted, curve, n_rows))
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
        loss_alone=float(np.average(mean_losses(passes, by_target), weights=weights)),
        stability=stability_of(passes, fitted.used, fitted.settled, error, seed),
        curve=curve,
        learners=tuple(options["learners"]),
        unusable=prepared.unusable,
        notes=tuple(notes),
        provenance=make_provenance(seed, options, prepared.fingerprints),
        metrics=metrics,
        error_best=single.error if single else None,
        best_source=best[0] if best else "",
    )
    return choice.with_model(_model(own, sources, prepared, earlier, fitted, judge, choice))


def _source_choice(
    trial: Trial, fitted: Fitted, curve: Sequence[CurvePoint], n_rows: int
) -> SourceChoice:
    names = ("source", "gain", "low", "high", "p_gain", "tried")
    pooled = ("pooled", "pooled_low", "pooled_high")
    return SourceChoice(
        call=call_of(trial, is_used=trial.source in fitted.used),
        share=fitted.shares[trial.source],
        worth_rows=worth_of(trial, curve, n_rows),
        n_rows=n_rows,
        **{name: getattr(trial, name) for name in (*names, *pooled)},
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
    used = versions()
    card = ModelCard(
        created=date.today().isoformat(),
        target=own.name,
        label=own.label,
        task=own.task,
        classes=own.classes,
        n_rows=own.n_rows,
        fingerprint=own.fingerprint,
        sources=tuple(
            CardSource(c.source, *known[c.source], c.share, c.call) for c in choice.choices
        ),
        loss=choice.loss,
        error=choice.error,
        interval=choice.interval,
        error_alone=choice.error_alone,
        error_all=choice.error_all,
        seed=choice.provenance.seed,
        datakin=used.get("datakin", ""),
        versions=used,
        notes=(*choice.notes, *_rows_held(fitted)),
    )
    parts = tuple(
        (c.learner, f"source: {c.source}" if c.source else c.rows, weight, predictor)
        for c, weight, predictor in fitted.parts
    )
    stack = StackPredictor(parts, judge.kind, judge.classes, judge.shares)
    encoder = prepared.encoder
    schema = TableSchema.of(own, (*encoder.numeric_names, *encoder.category_names))
    return KinModel(schema, encoder, stack, card, label_type=label_type_of(own))


def _rows_held(fitted: Fitted) -> list[str]:
    """Say that a model holds rows, which matters to whom it may be given."""
    if not any(isinstance(p, KernelPredictor) for _, _, p in fitted.parts):
        return []
    return [
        "the file holds rows of the tables (standardised, for the kernel learner): give it only to those who "
        "may see them. With the learners linear and trees alone it holds none"
    ]


def _curve_of(
    fitted: Fitted, judge: Judge, y: Array, groups: Array | None, seed: int
) -> tuple[CurvePoint, ...]:
    """Return the error of the target alone at half of its rows, and at nearly all of them."""
    passes = fitted.passes
    stack, target, n = passes.stack, passes.stack.target, len(y)
    n_folds = int(passes.folds[0].max()) + 1
    halves = []
    for repeat, mix in enumerate(passes.alone):
        state = derive_seed(seed, "half", repeat)
        folds = draw_folds(y, judge.kind != "regression", groups, state, n_folds=2)
        P = np.array([learner.held_out(target, folds)[0] for learner in stack.learners])
        # The weights of the whole: half of the rows is too little to find them too.
        halves.append(np.einsum("cnm,c->nm", P, mix.weights))
    counts = judge.row_weights(y, target.weights)

    def point(rows: int, draws: Sequence[Array]) -> CurvePoint:
        errors = np.mean([judge.rows(y, predictions) for predictions in draws], axis=0)
        error = float(np.average(errors, weights=counts))
        loss = float(np.average(mean_losses(passes, draws), weights=target.weights))
        return CurvePoint(rows, error, loss)

    nearly = round(n * (n_folds - 1) / n_folds)
    return point(round(n / 2), halves), point(nearly, held_out(passes.alone))


def group_codes(groups: Array | None) -> Array | None:
    """Return groups as 0, 1, 2, ... without gaps."""
    return None if groups is None else np.unique(groups, return_inverse=True)[1]
