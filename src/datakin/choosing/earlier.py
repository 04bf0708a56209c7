"""What an earlier choice learned from its sources, to add new sources to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from datakin._core.exceptions import DatakinError, listed
from datakin.choosing.card import CardSource
from datakin.choosing.model import KinModel
from datakin.choosing.model_file import load_model
from datakin.data import Dataset
from datakin.learners.encoding import TableEncoder
from datakin.learners.learner import Predictor
from datakin.results.choice import Choice

ALL = "earlier sources together"


@dataclass(frozen=True, eq=False)
class Earlier:
    """Predictors of an earlier choice that never saw the target.

    Attributes
    ----------
    predictors : dict of (learner, source) to Predictor
    encoder : TableEncoder or None
    sources : tuple of CardSource
    fingerprint : str
        Of what was learned from; empty if there is nothing earlier.
    """

    predictors: dict[tuple[str, str], Predictor] = field(default_factory=dict)
    encoder: TableEncoder | None = None
    sources: tuple[CardSource, ...] = ()
    fingerprint: str = ""

    @classmethod
    def read(cls, given: Any, target: Dataset, sources: Sequence[Dataset]) -> Earlier:
        """Return what a choice, a model or the path of one holds; refuse one for other columns."""
        if given is None:
            return cls()
        model = given.model if isinstance(given, Choice) else given
        if isinstance(model, (str, os.PathLike)):
            model = load_model(model)
        if not isinstance(model, KinModel):
            raise DatakinError(
                f"The 'add_to' parameter must be a Choice, a KinModel or the path of a saved model. "
                f"Got {type(given).__name__}."
            )
        _check(model, target, sources)
        predictors = {
            (learner, ALL if rows == "all" else rows.removeprefix("source: ")): predictor
            for learner, rows, _, predictor in model.stack.parts
            if rows == "all" or rows.startswith("source: ")
        }
        known = tuple(source for source in model.card.sources if source.share > 0)
        together = CardSource(ALL, sum(source.n_rows for source in known), "", 0.0, "")
        about = repr((model.card.error, *sorted(predictors)))
        fingerprint = "+".join([about, *(source.fingerprint for source in known)])
        return cls(predictors, model.encoder, (*known, together), fingerprint)


def _check(model: KinModel, target: Dataset, sources: Sequence[Dataset]) -> None:
    """Refuse a model for another label, other classes or columns, or with sources of the same name."""
    if model.stack.classes != target.classes or model.card.label != target.label:
        raise DatakinError(
            f"The earlier model must predict what this target does: {target.label!r} with "
            f"{listed(target.classes) or 'numbers'}. It predicts {model.card.label!r} with "
            f"{listed(model.stack.classes) or 'numbers'}."
        )
    missing = [str(name) for name in model.feature_names_in_ if name not in target.columns]
    if missing:
        raise DatakinError(
            f"The target must have all columns of the earlier model. {target.name!r} lacks {listed(missing)}."
        )
    seen = [s.name for s in model.card.sources if s.fingerprint == target.fingerprint]
    if seen:
        raise DatakinError(
            f"The target must be new to what the earlier model learned from its sources. {target.name!r} "
            f"holds the rows of its source {seen[0]!r}: an error stated for them would be too low."
        )
    names = {source.name for source in model.card.sources}
    twice = [source.name for source in sources if source.name in names]
    if twice:
        raise DatakinError(
            f"Sources must be new to the earlier model. It knows {listed(twice)} already; leave them out."
        )
