"""Packages that only some uses need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from datakin._core.exceptions import DatakinError

__all__ = ["require"]


def require(module: str, extra: str, purpose: str, *, package: str | None = None) -> Any:
    """Import a module, or say in one sentence how to get it.

    `package` is what users know it by, where that is not what is imported.

    Examples
    --------
    >>> require("no_such_package", "deep", "Flying")
    Traceback (most recent call last):
    datakin._core.exceptions.DatakinError: Flying needs the package 'no_such_package'. It is not
    installed: pip install 'datakin[deep]'.
    """
    try:
        return import_module(module)
    except ImportError:
        raise DatakinError(
            f"{purpose} needs the package {package or module.partition('.')[0]!r}. It is not installed: "
            f"pip install 'datakin[{extra}]'."
        ) from None
