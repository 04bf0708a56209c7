"""
Old patients learn from younger ones
====================================

442 patients with diabetes, in five groups by age. The label says how far the illness has gone a year
later. There are 45 patients over 65: too few for a good model. Which of the younger groups should they
learn from? Each line shows by how much a group lowers the squared error of the oldest, with its 90% interval.
"""

import pandas as pd
from sklearn.datasets import load_diabetes

import datakin

patients = load_diabetes(as_frame=True, scaled=False).frame
edges = [0, 35, 45, 55, 65, 100]
groups = pd.cut(
    patients["age"], edges, labels=["under 35", "35 to 45", "45 to 55", "55 to 65", "over 65"]
)
tables = datakin.read_tables(dict(list(patients.groupby(groups))), label="target", ignore="age")

oldest = tables.pop("over 65")
choice = datakin.choose(oldest, tables)
datakin.plots.choice(choice)

# %%
# What to do, and what to expect: together the groups bring more than any of them alone.

print(choice.headline)
print(f"squared error {choice.error:.0f}, the oldest alone {choice.error_alone:.0f}")
print(choice.sources[["source", "call", "gain", "share"]].round(2).to_string(index=False))
