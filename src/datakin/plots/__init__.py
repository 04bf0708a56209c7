"""Results as matplotlib pictures: each function takes a result and returns Axes.

No global setting is changed and no window is opened.
"""

from datakin.plots.canvas import save
from datakin.plots.explanations import effects, explanation
from datakin.plots.pictures import choice, gain, learning_curve, ranking, zones
from datakin.plots.squares import map, matrix

__all__ = [
    "choice",
    "effects",
    "explanation",
    "gain",
    "learning_curve",
    "map",
    "matrix",
    "ranking",
    "save",
    "zones",
]
