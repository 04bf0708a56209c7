"""From fits to the record of a choice, and its model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from datakin.choosing.card import CardSource, ModelCard
from datakin.choosing.earlier import Earlier
from datakin.choosing.labels import label_type_of
from datakin.choosing.model import KinModel
from datakin.data import Dataset
from datakin.data.schema import TableSchema
from datakin.learners.losses import Judge
from datakin.learners.predictors import KernelPredictor
from datakin.learners.stack.fitting import Fitted
from datakin.learners.stack.preparation import Prepared
from datakin.learners.stack.trials import evidence_of
from datakin.results.choice import Choice
from datakin.scoring.choices import read_choice


def make_choice(
    own: Dataset,
    sources: Sequence[Dataset],
    prepared: Prepared,
    earlier: Earlier,
    fitted: Fitted,
    judge: Judge,
    options: dict[str, Any],
    seed: int,
) -> Choice:
    """Read the evidence, and put the model beside what it says."""
    reading = fitted.reading
    evidence = reading.passes.evidence, reading.chosen.evidence
    measured = evidence_of(own, sources, prepared, judge, options, seed, *evidence)
    known = {card.name: card.n_rows for card in earlier.sources}
    measured = replace(measured, n_rows={**measured.n_rows, **known})
    choice = read_choice(measured, judge, reading)
    return choice.with_model(_model(own, sources, prepared, earlier, fitted, judge, choice))


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
