"""What all pictures share: colours, blank axes, labels, titles, legends and saving."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from datakin._core.exceptions import DatakinError, require
from datakin.results.words import COLOURS as CALLS
from datakin.results.zones import CALLS as CALL_OF

CLUSTERS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7A6FC0", "#666666")
DIM = "#999999"  # of sources that were not tried, or screened out
COLOURS = {**{zone: CALLS[call] for zone, call in CALL_OF.items()}, "not tried": DIM}
WHOLE = "#333333"  # of a choice or an excess as a whole
LONGEST = 32  # characters of a name beside an axis
LABELLED = 60  # most names beside a heatmap or on a map; more would overlap
ARGUMENTS = """

    Parameters
    ----------
    result : {kinds}
    ax : Axes, optional
        Where to draw; by default on new axes.

    Returns
    -------
    Axes
"""


def picture(*kinds: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a picture what all pictures share: a check of the result and the rest of the docstring."""
    *others, last = (kind.__name__ for kind in kinds)
    wanted = f"{', '.join(others)} or {last}" if others else last

    def decorate(draw: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(draw)
        def checked(result: Any, *, ax: Any = None) -> Any:
            if not isinstance(result, kinds):
                got = type(result).__name__
                raise DatakinError(f"plots.{draw.__name__} draws a {wanted}. Got {got}.")
            return draw(result, ax=ax)

        checked.__doc__ = f"{draw.__doc__}{ARGUMENTS.format(kinds=wanted)}"
        return checked

    return decorate


def axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    """Return the given axes, or new ones."""
    if ax is not None:
        return ax
    # Imported here only: it is an optional package.
    require("matplotlib", "report", "Drawing")
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def label(name: object) -> str:
    r"""Return a name as a label: on one line, not too long, with $ escaped for matplotlib.

    Examples
    --------
    >>> label("price in $\nand €")
    'price in \\$ and €'
    """
    line = " ".join(str(name).split())
    line = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return line.replace("$", r"\$")


def save(ax: Any, path: str | os.PathLike[str], *, dpi: int = 150) -> Path:
    """Save the figure of some axes; the ending of the file name decides the format.

    Parameters
    ----------
    ax : Axes
        As returned by any function of `datakin.plots`.
    path : str or path
        Such as "ranking.png", "ranking.svg" or "ranking.pdf".
    dpi : int
        Dots per inch of a PNG file.
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


def name_rows(ax: Any, names: Any, n: int) -> None:
    """Put names beside rows, the first on top."""
    ax.set_yticks(range(n), [label(name) for name in names])
    ax.set_ylim(n - 0.4, -0.6)


def dot(
    ax: Any, y: float, value: float, ends: Any, ink: str, marker: str = "o", size: int = 6
) -> None:
    """Draw a number and the line of its interval."""
    ax.plot(list(ends), [y, y], color=ink, linewidth=1.6)
    ax.plot(value, y, marker, color=ink, markersize=size)


def beside(ax: Any, texts: Iterable[str]) -> None:
    """Write a text for each row beside the axes, where no line reaches."""
    for k, text in enumerate(texts):
        ax.text(1.01, k, text, transform=ax.get_yaxis_transform(), va="center", fontsize="small")


def zero_line(ax: Any) -> None:
    """Draw a line at 0."""
    ax.axvline(0, color="#555555", linewidth=0.8)


def entitle(ax: Any, text: str, inks: dict[str, str] | None = None) -> None:
    """Give a picture its title and a legend of its colours and of what its axes hold a label for."""
    for name, ink in (inks or {}).items():
        ax.plot([], [], "o", color=ink, label=name)
    has_legend = bool(ax.get_legend_handles_labels()[0])
    if has_legend:
        ax.legend(
            loc="lower left", bbox_to_anchor=(0, 1.0), ncols=5, frameon=False, fontsize="small",
            borderaxespad=0.2, columnspacing=1.2, handletextpad=0.4,
        )  # fmt: skip
    pad = 24 if has_legend else 8
    ax.set_title(text, loc="left", fontsize="medium", fontweight="bold", pad=pad)
