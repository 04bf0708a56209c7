"""Versions of the packages that numbers depend on."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

__all__ = ["versions"]

PACKAGES = ("datakin", "numpy", "scipy", "scikit-learn", "pandas", "xgboost-cpu", "xgboost")


def versions() -> dict[str, str]:
    """Return the versions of the packages that numbers depend on."""
    return dict(_versions())


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return tuple(found.items())
