"""Transfer methods: scikit-learn estimators whose ``fit`` takes sources beside the target.

``fit(X, y, *, sources=())``. Without sources each is its base estimator. The estimators take arrays;
`transfer_gain` takes datasets and measures what the estimators bring.
"""

from datakin.transfer.art import ART
from datakin.transfer.boosting import DynamicTrAdaBoost, TrAdaBoost
from datakin.transfer.boosting_r2 import TrAdaBoostR2
from datakin.transfer.gain import transfer_gain
from datakin.transfer.kin import KinWeighted
from datakin.transfer.pooling import Concatenate

__all__ = [
    "ART",
    "Concatenate",
    "DynamicTrAdaBoost",
    "KinWeighted",
    "TrAdaBoost",
    "TrAdaBoostR2",
    "transfer_gain",
]
