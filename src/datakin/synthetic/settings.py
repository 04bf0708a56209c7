"""The settings of the paper by name."""

from __future__ import annotations

from datakin.synthetic.linear import LDA, Logistic, Probit
from datakin.synthetic.mixture import Mixture
from datakin.synthetic.multiclass import FourClass
from datakin.synthetic.polynomial import PolynomialLogistic
from datakin.synthetic.quadratic import QDA, Radial
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
