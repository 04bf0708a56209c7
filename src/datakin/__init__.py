"""datakin: which labelled datasets are kin, and will learning from one help on another?"""

from importlib.metadata import version as _version

from datakin._core.exceptions import DatakinError, DatakinWarning, Interrupted
from datakin.compare import CrossLearningScore, matrix, rank, score
from datakin.data import Dataset, as_dataset, read_table, read_tables
from datakin.results import Comparison, Estimate, Matrix, Provenance, Ranking, from_json
from datakin.results.zones import Zone, ZoneDecision

__version__ = _version("datakin")

__all__ = [
    "Comparison",
    "CrossLearningScore",
    "DatakinError",
    "DatakinWarning",
    "Dataset",
    "Estimate",
    "Interrupted",
    "Matrix",
    "Provenance",
    "Ranking",
    "Zone",
    "ZoneDecision",
    "as_dataset",
    "from_json",
    "matrix",
    "rank",
    "read_table",
    "read_tables",
    "score",
]
