"""
Would more rows of my own help?
===============================

The fits of a comparison give each dataset's own error at two training sizes, and with it what more
rows of the same kind would bring. The dashed lines are the limits.
"""

import datakin
from datakin.synthetic import settings

pair = settings()["logistic"](0.9).sample(100, 400, random_state=1)
comparison = datakin.score(pair.target, pair.source, models=["logistic"])
datakin.plots.learning_curve(comparison)
