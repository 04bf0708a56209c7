"""Data with known truth. This room makes datasets; it never fits or scores anything."""

from datakin.synthetic.demo import DemoSource, make_demo
from datakin.synthetic.linear import LDA, Logistic, Probit
from datakin.synthetic.mixture import Mixture
from datakin.synthetic.multiclass import FourClass
from datakin.synthetic.polynomial import PolynomialLogistic
from datakin.synthetic.quadratic import QDA, Radial
from datakin.synthetic.regression import LinearRegression, NonlinearRegression
from datakin.synthetic.sampling import Sample, Setting, SettingClass
from datakin.synthetic.settings import settings
from datakin.synthetic.theorems import SmallNoise, lda_cls, probit_cls, probit_small_noise

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
