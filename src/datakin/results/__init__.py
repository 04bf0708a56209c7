"""Results: plain frozen records with a frame, JSON, a one-line repr, a table and simple HTML.

Nothing is computed here that could not be recomputed from the record's own fields.
"""

from datakin.learners.metrics import Metrics
from datakin.results.choice import Choice, CurvePoint, SourceChoice, Stability
from datakin.results.comparison import Comparison, DataFacts, Estimate, LearningCurve
from datakin.results.description import Description, describe
from datakin.results.explanation import Explanation
from datakin.results.explanation_parts import (
    ColumnEffect,
    ColumnShift,
    EffectPair,
    FeatureShift,
    KeptRows,
    LadderStep,
    LossPart,
    Mend,
    Region,
)
from datakin.results.gain import Gain, MethodGain
from datakin.results.matrix import Matrix, Square
from datakin.results.ranking import SCREENED, Ordered, Ranking, Screened, Screening
from datakin.results.record import Provenance, from_json

__all__ = [
    "SCREENED",
    "Choice",
    "ColumnEffect",
    "ColumnShift",
    "Comparison",
    "CurvePoint",
    "DataFacts",
    "Description",
    "EffectPair",
    "Estimate",
    "Explanation",
    "FeatureShift",
    "Gain",
    "KeptRows",
    "LadderStep",
    "LearningCurve",
    "LossPart",
    "Matrix",
    "Mend",
    "MethodGain",
    "Metrics",
    "Ordered",
    "Provenance",
    "Ranking",
    "Region",
    "Screened",
    "Screening",
    "SourceChoice",
    "Square",
    "Stability",
    "describe",
    "from_json",
]
