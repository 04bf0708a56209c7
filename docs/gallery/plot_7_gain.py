"""
What do transfer methods bring?
===============================

Each method is trained on random splits, with target and source in both roles. Here the two rules stand at
right angles. Adding the rows of one to the other harms both; `KinWeighted` finds that out and leaves them
alone.
"""

import datakin
from datakin.synthetic import settings

pair = settings()["lda"](0.0).sample(200, 200, random_state=0)
gain = datakin.transfer_gain(
    pair.target, pair.source, methods=["concatenate", "kin_weighted"], repeats=8
)
datakin.plots.gain(gain)
