"""Looks at the cross-error table: scores, intervals, zones, forecasts, rankings, matrices.

Pure functions: this room never sees a feature and never fits anything.
"""
