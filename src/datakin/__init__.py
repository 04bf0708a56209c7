"""datakin: which labelled datasets are kin, and will learning from one help on another?

Names are loaded when they are first used: the libraries beneath take more than a second.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datakin import distances, plots
    from datakin._core.exceptions import DatakinError, DatakinWarning, Interrupted
    from datakin.choosing import choose, load_model
    from datakin.cross_learning import CrossErrors, CrossLearningScore, matrix, rank, score
    from datakin.data import Dataset, as_dataset, match_classes, read_table, read_tables
    from datakin.explaining import explain, explain_sources
    from datakin.learners.foreign import raw
    from datakin.report import write_report
    from datakin.results import (
        Choice,
        Comparison,
        Description,
        Estimate,
        Explanation,
        Gain,
        LearningCurve,
        Matrix,
        Metrics,
        Provenance,
        Ranking,
        describe,
        from_json,
    )
    from datakin.results.zones import Zone, ZoneDecision
    from datakin.transfer import transfer_gain

    __version__: str

_HOMES = {
    "datakin._core.exceptions": ("DatakinError", "DatakinWarning", "Interrupted"),
    "datakin.choosing": ("choose", "load_model"),
    "datakin.cross_learning": ("CrossErrors", "CrossLearningScore", "matrix", "rank", "score"),
    "datakin.data": ("Dataset", "as_dataset", "match_classes", "read_table", "read_tables"),
    "datakin.explaining": ("explain", "explain_sources"),
    "datakin.learners.foreign": ("raw",),
    "datakin.report": ("write_report",),
    "datakin.results": (
        "Choice",
        "Comparison",
        "Description",
        "Estimate",
        "Explanation",
        "Gain",
        "LearningCurve",
        "Matrix",
        "Metrics",
        "Provenance",
        "Ranking",
        "describe",
        "from_json",
    ),
    "datakin.results.zones": ("Zone", "ZoneDecision"),
    "datakin.transfer": ("transfer_gain",),
}
_ROOMS = ("distances", "plots")  # modules that are names of their own
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Choice",
    "Comparison",
    "CrossErrors",
    "CrossLearningScore",
    "DatakinError",
    "DatakinWarning",
    "Dataset",
    "Description",
    "Estimate",
    "Explanation",
    "Gain",
    "Interrupted",
    "LearningCurve",
    "Matrix",
    "Metrics",
    "Provenance",
    "Ranking",
    "Zone",
    "ZoneDecision",
    "as_dataset",
    "choose",
    "describe",
    "distances",
    "explain",
    "explain_sources",
    "from_json",
    "load_model",
    "match_classes",
    "matrix",
    "plots",
    "rank",
    "raw",
    "read_table",
    "read_tables",
    "score",
    "transfer_gain",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(_import_module(_HOME_OF[name]), name)
    elif name in _ROOMS:
        value = _import_module(f"datakin.{name}")
    elif name == "__version__":
        from importlib.metadata import version

        value = version("datakin")
    else:
        raise AttributeError(f"module 'datakin' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
