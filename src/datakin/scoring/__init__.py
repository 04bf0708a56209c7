"""Looks at the cross-error table: scores, intervals, zones, rankings, matrices.

Pure functions: this room never sees a feature and never fits anything.
"""
