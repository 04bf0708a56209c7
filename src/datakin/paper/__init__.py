"""The paper to the letter: its score, the transfer methods it compares, its settings and oracles.

A leaf: it uses the other rooms, and `import datakin` and its questions never load it.
"""

from datakin.paper.beyond_binary import (
    FourClass,
    LinearRegression,
    NonlinearRegression,
    settings,
)
from datakin.paper.binary import LDA, Logistic, Mixture, Probit
from datakin.paper.boosting import DynamicTrAdaBoost, TrAdaBoost
from datakin.paper.boosting_r2 import TrAdaBoostR2
from datakin.paper.curved import QDA, PolynomialLogistic, Radial
from datakin.paper.estimators import Concatenate
from datakin.paper.gain import transfer_gain
from datakin.paper.models import MODELS, OPTIONS, as_in_paper, score
from datakin.paper.models import choose_named as choose_named
from datakin.paper.models import named_models as named_models
from datakin.paper.oracles import SmallNoise, lda_cls, probit_cls, probit_small_noise
from datakin.paper.sampling import Sample, Setting, SettingClass
from datakin.paper.weighting import ART, KinWeighted
from datakin.results.gain import relative_reduction

__all__ = [
    "ART",
    "LDA",
    "MODELS",
    "OPTIONS",
    "QDA",
    "Concatenate",
    "DynamicTrAdaBoost",
    "FourClass",
    "KinWeighted",
    "LinearRegression",
    "Logistic",
    "Mixture",
    "NonlinearRegression",
    "PolynomialLogistic",
    "Probit",
    "Radial",
    "Sample",
    "Setting",
    "SettingClass",
    "SmallNoise",
    "TrAdaBoost",
    "TrAdaBoostR2",
    "as_in_paper",
    "lda_cls",
    "probit_cls",
    "probit_small_noise",
    "relative_reduction",
    "score",
    "settings",
    "transfer_gain",
]
