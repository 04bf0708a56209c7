"""The settings of the paper by name."""

from __future__ import annotations

from datakin.synthetic.binary import LDA, Logistic, Mixture, Probit
from datakin.synthetic.fixed_pairs import QDA, PolynomialLogistic, Radial
from datakin.synthetic.multiclass import FourClass
from datakin.synthetic.regression import LinearRegression, NonlinearRegression
from datakin.synthetic.sampling import SettingClass

__all__ = ["settings"]


def settings() -> dict[str, SettingClass]:
    """Return the ten settings by name.

    Examples
    --------
    >>> [name for name, setting in settings().items() if not setting.levels]
    ['qda', 'plr', 'radial']
    """
    return {
        "logistic": Logistic,
        "probit": Probit,
        "lda": LDA,
        "mixture": Mixture,
        "qda": QDA,
        "plr": PolynomialLogistic,
        "radial": Radial,
        "linear": LinearRegression,
        "nonlinear": NonlinearRegression,
        "fourclass": FourClass,
    }
