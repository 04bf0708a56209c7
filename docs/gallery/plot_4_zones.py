"""
How sure is a zone?
===================

A zone is decided by an estimate. If the score were measured again on new rows, it might fall into
another one: the bars show how often.
"""

import datakin
from datakin.synthetic import make_demo

target, sources = make_demo()
ranking = datakin.rank(target, [s.dataset for s in sources], models=["logistic"])
datakin.plots.zones(ranking)
