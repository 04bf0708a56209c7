"""Data with known truth. This room makes datasets; it never fits or scores anything."""

from datakin.synthetic.demo import DemoSource, make_demo
from datakin.synthetic.settings import LDA, Probit, Sample, Setting, settings
from datakin.synthetic.theorems import lda_cls, probit_cls

__all__ = [
    "LDA",
    "DemoSource",
    "Probit",
    "Sample",
    "Setting",
    "lda_cls",
    "make_demo",
    "probit_cls",
    "settings",
]
