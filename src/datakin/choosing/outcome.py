"""From fits and trials to the record of a choice, and its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.choosing.card import CardSource, ModelCard
from datakin.choosing.earlier import Earlier
from datakin.choosing.ladder import best_single, measured
from datakin.choosing.model import KinModel, label_type_of
from datakin.choosing.summary import (
    Stated,
    fewest_sources,
    mean_losses,
    stability_of,
    stated,
    total_gain,
    worth_of,
)
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.data.schema import TableSchema
from datakin.learners.folds import draw_folds
from datakin.learners.losses import Judge, squared
from datakin.learners.metrics import Metrics
from datakin.learners.predictors import KernelPredictor, StackPredictor
from datakin.learners.stack.fitting import Fitted, held_out
from datakin.learners.stack.preparation import Prepared
from datakin.learners.stack.trials import call_of
from datakin.learners.stack.weights import Mix
from datakin.results.choice import Choice, CurvePoint, SourceChoice
from datakin.results.record import make_provenance

__all__ = ["curve_of", "group_codes", "make_choice"]


def make_choice(
    own: Dataset,
    sources: Sequence[Dataset],
    prepared: Prepared,
    earlier: Earlier,
    fitted: Fitted,
    trials: Sequence[Any],
    singles: Mapping[str, Sequence[Mix]],
    curve: tuple[CurvePoint, ...],
    judge: Judge,
    options: dict[str, Any],
) -> Choice:
    """Put together what was found."""
    seed = fitted.passes.stack.seed
    y, groups = prepared.target.y, group_codes(prepared.target.groups)
    passes = fitted.passes
    user_weights = prepared.rows.weights
    metrics: dict[str, Metrics] = {}

    def state(name: str, of: str, draws: Sequence[Array]) -> Stated:
        found = stated(draws, judge, y, user_weights, groups)
        metrics[name] = measured(of, draws, found, judge, y, user_weights, groups)
        return found

    by_target = held_out(passes.alone)
    alone = state("alone", "the target alone", by_target)
    best = best_single(passes, singles)
    single = state("best_single", "the best single source", best[1]) if best else None
    has_pools = passes.stack.has_pools
    pooled = state("all", "everything pooled", held_out(passes.pooled)) if has_pools else None
    gain, low, high, p_gain, tried = total_gain(passes, fitted.honest, groups)
    base = float(np.average(mean_losses(passes, by_target), weights=user_weights))
    if not fitted.used:  # the model is that of the target alone
        gain, low, high, p_gain, tried = 0.0, 0.0, 0.0, 0.0, 0.0
    error = state("choice", "the choice", fitted.honest if fitted.used else by_target)
    choices = []
    for trial in trials:
        n_rows = earlier.rows_of(trial.source) or len(prepared.sources[trial.source])
        share = fitted.shares[trial.source]
        choices.append(
            SourceChoice(
                trial.source,
                call_of(trial, is_used=trial.source in fitted.used),
                trial.gain,
                trial.low,
                trial.high,
                trial.p_gain,
                share,
                worth_of(trial, curve, n_rows),
                n_rows,
                trial.pooled,
                trial.pooled_low,
                trial.pooled_high,
                trial.tried,
            )
        )
    choices.sort(key=lambda each: (-each.share, -each.gain, each.source))
    notes = [f"{each.name}: {note}" for each in (own, *sources) for note in each.notes]
    notes += [note for note in prepared.notes if note not in notes]
    made = Choice(
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
        loss_alone=base,
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
    return made.with_model(_model(own, sources, prepared, earlier, fitted, judge, made))


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
    named = {each.name: (each.name, each.n_rows, each.fingerprint) for each in sources}
    named |= {each.name: (each.name, each.n_rows, each.fingerprint) for each in earlier.sources}
    card = ModelCard.of(
        own,
        [CardSource(*named[c.source], c.share, c.call) for c in choice.choices],
        loss=choice.loss,
        error=choice.error,
        interval=choice.interval,
        error_alone=choice.error_alone,
        error_all=choice.error_all,
        seed=choice.provenance.seed,
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


def curve_of(
    fitted: Fitted, judge: Judge, y: Array, groups: Array | None, seed: int
) -> tuple[CurvePoint, ...]:
    """Return the error of the target alone at half of its rows, and at nearly all of them."""
    passes = fitted.passes
    stack, n = passes.stack, len(y)
    n_folds = int(passes.folds[0].max()) + 1
    full = passes.alone
    halves = []
    for repeat in range(len(full)):
        state = derive_seed(seed, "half", repeat)
        folds = draw_folds(y, judge.kind != "regression", groups, state, n_folds=2)
        P = np.array([each.held_out(stack.target, folds)[0] for each in stack.learners])
        # The weights of the whole: half of the rows is too little to find them too.
        found = np.einsum("cnm,c->nm", P, full[repeat].weights)
        halves.append(found)
    counts = judge.row_weights(y, stack.target.weights)

    def point(rows: int, predictions: Sequence[Array]) -> CurvePoint:
        errors = np.mean([judge.rows(y, each) for each in predictions], axis=0)
        losses = np.mean(
            [squared(stack.target.Y, each, stack.target.kind) for each in predictions], axis=0
        )
        return CurvePoint(
            rows,
            float(np.average(errors, weights=counts)),
            float(np.average(losses, weights=stack.target.weights)),
        )

    nearly = round(n * (n_folds - 1) / n_folds)
    return (
        point(round(n / 2), halves),
        point(nearly, [each.predictions for each in full]),
    )


def group_codes(groups: Array | None) -> Array | None:
    """Return groups as 0, 1, 2, ... without gaps."""
    return None if groups is None else np.unique(groups, return_inverse=True)[1]
