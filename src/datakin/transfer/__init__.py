"""Transfer methods: scikit-learn estimators whose ``fit`` takes sources beside the target.

``fit(X, y, *, sources=())``. Without sources each method is its base estimator. The estimators take
arrays; `transfer_gain` takes datasets and measures how much the methods reduce the error. All but
`KinStack` are those of `datakin.paper`, which is loaded when one of them is first used.
"""

from typing import TYPE_CHECKING, Any

from datakin.transfer.stacking import KinStack

if TYPE_CHECKING:
    from datakin.paper import *

__all__ = [
    "ART",
    "Concatenate",
    "DynamicTrAdaBoost",
    "KinStack",
    "KinWeighted",
    "TrAdaBoost",
    "TrAdaBoostR2",
    "transfer_gain",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from datakin import paper

    return getattr(paper, name)
