"""
Which sources are kin?
======================

A target and six sources whose truth is known: some have the target's rule, one of them with other
features, some have another rule. Each source is shown with its score, its 95% interval and the zones
behind it. Left is kin.
"""

import datakin
from datakin.synthetic import make_demo

target, sources = make_demo()
ranking = datakin.rank(target, [s.dataset for s in sources])
datakin.plots.ranking(ranking)

# %%
# The same as a table, with what each source should bring if its rows were simply added.

print(ranking.frame[["source", "score", "low", "high", "zone", "gain"]].round(3).to_string())
