"""Transfer methods: scikit-learn estimators whose ``fit`` takes sources beside the target.

``fit(X, y, *, sources=())``. Without sources each method is its base estimator. The estimators take
arrays; `transfer_gain` takes datasets and measures how much the methods reduce the error.
"""

from datakin.transfer.base import Concatenate
from datakin.transfer.boosting import DynamicTrAdaBoost, TrAdaBoost
from datakin.transfer.boosting_r2 import TrAdaBoostR2
from datakin.transfer.gain import transfer_gain
from datakin.transfer.stacking import KinStack
from datakin.transfer.weighting import ART, KinWeighted

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
