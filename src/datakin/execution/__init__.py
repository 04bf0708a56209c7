"""How a measurement is run: units of work, samples, threads or a cluster, checkpoints.

A unit is one dataset: its fits, its held-out predictions, its predictions elsewhere. Finished units
come one by one; where they run changes no number. This room knows nothing of scores.
"""
