"""
A table whose labels went wrong
===============================

Cells from 569 breast tumours, benign or malignant. 60 of them are "mine". The rest is dealt into three
tables, two of which are spoiled: in one the diagnoses were shuffled, in the other "benign" and "malignant"
were exchanged. The features of all three are the same kind, so that a distance between features
cannot tell them apart.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

import datakin

cells = load_breast_cancer(as_frame=True).frame.sample(frac=1, random_state=0)
cells = cells[[name for name in cells if name.startswith("mean")]].assign(
    diagnosis=np.where(cells["target"] == 0, "malignant", "benign")
)
mine, sound, shuffled, exchanged = (
    cells.iloc[rows] for rows in np.split(np.arange(569), [60, 230, 400])
)
rng = np.random.default_rng(0)
shuffled = shuffled.assign(diagnosis=rng.permutation(shuffled["diagnosis"]))
exchanged = exchanged.assign(
    diagnosis=np.where(exchanged["diagnosis"] == "benign", "malignant", "benign")
)
tables = {"mine": mine, "sound": sound, "shuffled": shuffled, "exchanged": exchanged}
tables = datakin.read_tables(tables, label="diagnosis")

mine = tables.pop("mine")
choice = datakin.choose(mine, tables)
datakin.plots.choice(choice)

# %%
# The choice uses the sound table and no other. By the energy distance of the features it is not even
# the nearest.

print(choice.headline)
for name, table in tables.items():
    distance = datakin.distances.compare(mine, table, method="energy").score
    print(
        f"{name:10} {choice[name].call:9} share {choice[name].share:.2f}  energy distance {distance:.3f}"
    )
