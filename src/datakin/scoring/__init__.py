"""From errors to scores, intervals and zones: pure functions, no fit.

This room never sees features: it reads the losses that `datakin.errors` holds.
"""
