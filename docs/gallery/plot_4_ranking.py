"""
Which sources are kin?
======================

A target and six sources whose truth is known. Some have the target's rule, one of them with features that
lie elsewhere. Others have another rule. Each source is shown with its Cross-Learning Score and its 95%
interval: small means kin.
"""

import datakin
from datakin.synthetic import make_demo

target, sources = make_demo()
ranking = datakin.rank(target, [s.dataset for s in sources])
datakin.plots.ranking(ranking)

# %%
# The same as a table, with the call and the gain to expect of each source.

print(ranking.frame[["source", "score", "low", "high", "call", "gain"]].round(3).to_string())
