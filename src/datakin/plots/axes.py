"""Blank axes, colours, and saving; the only place here that imports matplotlib."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from datakin._core.exceptions import DatakinError, require

__all__ = ["CLUSTERS", "COLOURS", "axes", "label", "save"]

# From Okabe and Ito's palette: told apart by the colour-blind.
COLOURS = {"positive": "#009E73", "ambiguous": "#E69F00", "negative": "#D55E00"}
CLUSTERS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7A6FC0", "#666666")
LONGEST = 32  # characters of a name beside an axis


def axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    """Return the given axes, or new ones."""
    if ax is not None:
        return ax
    require("matplotlib", "report", "Drawing")
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def label(name: object) -> str:
    r"""Return a name as a label: one line, not too long, and no mathematics.

    Examples
    --------
    >>> label("price in $\nand €")
    'price in \\$ and €'
    """
    line = " ".join(str(name).split())
    line = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return line.replace("$", r"\$")


def save(ax: Any, path: str | os.PathLike[str], *, dpi: int = 150) -> Path:
    """Save the figure of some axes; the ending of the name says in which format.

    Parameters
    ----------
    ax : Axes
        What a function of this room returned.
    path : str or path
        Such as "ranking.png", "ranking.svg" or "ranking.pdf".
    dpi : int
        Dots per inch of a png.
    """
    where = Path(path)
    try:
        ax.figure.savefig(where, dpi=dpi)
    except ValueError:
        known = ", ".join(sorted(ax.figure.canvas.get_supported_filetypes()))
        raise DatakinError(f"A picture must end in one of {known}. Got {str(where)!r}.") from None
    except OSError as error:
        raise DatakinError(
            f"The picture could not be written to {str(where)!r}: {error.strerror}."
        ) from None
    return where
