"""Results as matplotlib pictures: each function takes a result and returns Axes.

Nothing global is set and nothing is shown. `pair` alone takes datasets, because a result does not
keep their rows.
"""

from datakin.plots.axes import save
from datakin.plots.boundaries import pair
from datakin.plots.pictures import (
    forecast,
    gain,
    learning_curve,
    map,
    matrix,
    ranking,
    zones,
)

__all__ = [
    "forecast",
    "gain",
    "learning_curve",
    "map",
    "matrix",
    "pair",
    "ranking",
    "save",
    "zones",
]
