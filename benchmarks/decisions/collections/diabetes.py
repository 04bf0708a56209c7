"""Progress of diabetes by sex and age, a table that scikit-learn ships."""

import numpy as np
from sklearn.datasets import load_diabetes

from datakin import Dataset, as_dataset

ABOUT = "progress of diabetes after a year, by sex and age (scikit-learn)"


def load() -> dict[str, Dataset]:
    X, y = load_diabetes(return_X_y=True)
    names = load_diabetes().feature_names
    age, sex = X[:, 0], X[:, 1]
    rest = [j for j, name in enumerate(names) if name != "sex"]
    old = np.where(age > np.median(age), "older", "younger")
    found = {}
    for one, value in (("women", sex > 0), ("men", sex <= 0)):
        for part in ("younger", "older"):
            rows = value & (old == part)
            name = f"{part} {one}"
            found[name] = as_dataset(X[np.ix_(rows, rest)], y[rows], name=name, task="regression")
    return found
