"""Datasets whose true similarity is known. This room draws data; it never fits or scores."""

from datakin.synthetic.binary import LDA, Logistic, Mixture, Probit
from datakin.synthetic.demo import DemoSource, make_demo
from datakin.synthetic.fixed_pairs import QDA, PolynomialLogistic, Radial
from datakin.synthetic.multiclass import FourClass
from datakin.synthetic.oracles import SmallNoise, lda_cls, probit_cls, probit_small_noise
from datakin.synthetic.regression import LinearRegression, NonlinearRegression
from datakin.synthetic.sampling import Sample, Setting, SettingClass
from datakin.synthetic.settings import settings

__all__ = [
    "LDA",
    "QDA",
    "DemoSource",
    "FourClass",
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
    "lda_cls",
    "make_demo",
    "probit_cls",
    "probit_small_noise",
    "settings",
]
