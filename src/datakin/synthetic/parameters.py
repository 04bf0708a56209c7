"""Parameter vectors of the paper's settings.

The paper states the law each vector was drawn from, not the draw. These vectors were recovered from
its tables: with them the oracle columns come out. The authors' code was not seen, so that they are
the authors' vectors is very probable and not proven.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "BETA",
    "GRAM_SCHMIDT_START",
    "LDA_MEAN",
    "MIXTURE_SOURCE",
    "MIXTURE_TARGET",
    "NONLINEAR_BETA",
    "UNIFORM_SOURCE",
    "UNIFORM_TARGET",
]

# One draw of N(1/4, 1/16) in ten dimensions: logistic, probit, linear regression and 4-class share it.
BETA = np.array(
    [
        0.425537841, 0.163758704, 0.2300026707, 0.3492779719, 0.2092864158,
        0.3427438583, 0.5681222714, 0.4432886211, 0.2589103509, 0.405189184,
    ]
)  # fmt: skip

LDA_MEAN = {"tables": 0.4, "text": 0.3}

MIXTURE_TARGET = np.full(10, 0.3)
# One draw of N(-0.3, 0.5^2) in ten dimensions.
MIXTURE_SOURCE = np.array(
    [
        0.0103783679, -0.2821792981, 0.0865772422, 0.3362445428, -0.1145122835,
        -0.3814271685, -0.1014440562, -0.3399946587, -0.472482592, 0.051075682,
    ]
)  # fmt: skip

# Two draws of Uniform(0, 1) in ten dimensions: class means in QDA, coefficients in PLR.
UNIFORM_TARGET = np.array(
    [
        0.732620155, 0.4757614324, 0.5142158547, 0.4984322565, 0.7802845237,
        0.5042521588, 0.8984002995, 0.1278526813, 0.6446720818, 0.5695310545,
    ]
)  # fmt: skip
UNIFORM_SOURCE = np.array(
    [
        0.4353165571, 0.9523264794, 0.654357529, 0.0238356546, 0.4681228751,
        0.8573431559, 0.3650602771, 0.3655749501, 0.758707619, 0.1075793512,
    ]
)  # fmt: skip

# The tables need a draw of N(1, I). The text's law is N(1/4, I/16), and 1/4 + (b - 1)/4 = b/4: the
# same normals under the stated law are a quarter of the vector.
_NONLINEAR = np.array([2.2724890855, 1.7731544843, 1.0356414037, 1.6207567359])
NONLINEAR_BETA = {"tables": _NONLINEAR, "text": _NONLINEAR / 4}

# Gram-Schmidt needs a vector to start from, which the paper leaves open; this one comes close.
GRAM_SCHMIDT_START = np.arange(1.0, 11.0)
