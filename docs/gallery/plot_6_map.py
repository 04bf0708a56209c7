"""
A map of many datasets
======================

Nine sites follow three rules. The matrix of all scores finds the three families, and the map shows
them; each site is fitted once, however many others it is compared with.
"""

import numpy as np

import datakin


def site(number):
    rng = np.random.default_rng(number)
    turn = np.deg2rad((0, 60, 120)[number % 3])
    X = rng.standard_normal((200, 4))
    signal = X @ [np.cos(turn), np.sin(turn), 0.0, 0.0]
    y = (signal + 0.3 * rng.standard_normal(200) > 0).astype(int)
    return datakin.as_dataset(X, y, name=f"site {number}")


matrix = datakin.matrix([site(number) for number in range(9)], models=["logistic"])
datakin.plots.map(matrix)

# %%
# The scores themselves, sites in the order of their tree.

datakin.plots.matrix(matrix)
