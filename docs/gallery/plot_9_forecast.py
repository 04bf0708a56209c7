"""
What would pooling bring?
=========================

The forecast needs no further fit: it comes from the target's own error, from what the target still
lacks and from how far each source's predictor is behind. Right of 0 the source should help.
"""

import datakin
from datakin.synthetic import make_demo

target, sources = make_demo(n_target=60)
ranking = datakin.rank(target, [s.dataset for s in sources], models=["logistic"])
datakin.plots.forecast(ranking)

# %%
# For one source, against the share that it has in the pooled predictor. The dashed line is the best
# share: its kinship.

datakin.plots.forecast(ranking["cousin"])
