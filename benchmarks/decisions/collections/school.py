"""Exam scores of pupils, by school: the twelve largest of 139. Held out."""

from pathlib import Path

import numpy as np
from scipy.io import loadmat

from datakin import Dataset, as_dataset

ABOUT = "exam score (ILEA), the twelve largest schools"
N_SCHOOLS = 12


def load(data: Path) -> dict[str, Dataset]:
    file = loadmat(data / "school" / "school.mat")
    X, Y = file["X"][0], file["Y"][0]
    order = np.argsort([-len(y) for y in Y], kind="stable")[:N_SCHOOLS]
    return {
        f"school {i + 1}": as_dataset(
            X[i][:, :-1].astype(float),  # the last column is 1 throughout
            Y[i].ravel().astype(float),
            name=f"school {i + 1}",
            task="regression",
        )
        for i in order
    }
