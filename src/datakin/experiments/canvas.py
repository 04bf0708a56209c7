"""Blank figures and how they are saved; the only place here that imports matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from datakin._core.exceptions import require

__all__ = ["COLOURS", "INK", "blank_figure", "require_matplotlib", "save_figure"]

# Okabe and Ito's palette: told apart by the colour-blind, and in grey by their lightness.
COLOURS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
}
INK = "#222222"

_STYLE = {
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "text.color": INK,
    "axes.labelcolor": INK,
    "legend.frameon": False,
    "savefig.facecolor": "white",
}


def require_matplotlib(module: str = "matplotlib") -> Any:
    """Return matplotlib or a module of it, or say how to get it."""
    return require(module, "report", "Drawing")


def blank_figure(width: float, height: float) -> Any:
    """Return an empty figure of a size in inches; nothing global is touched."""
    return require_matplotlib("matplotlib.figure").Figure(
        figsize=(width, height), layout="constrained"
    )


def save_figure(draw: Callable[[pd.DataFrame], Any], frame: pd.DataFrame, stem: Path) -> None:
    """Draw a frame and save it as ``STEM.png``."""
    with require_matplotlib().rc_context(_STYLE):
        figure = draw(frame)
        # Without the version in the file, the same picture is the same file.
        options = {"metadata": {"Software": None}, "pil_kwargs": {"optimize": True}}
        figure.savefig(f"{stem}.png", dpi=150, **options)
