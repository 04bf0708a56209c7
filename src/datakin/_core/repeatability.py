"""What makes numbers repeatable: seeds that follow from their purpose, and the versions in use."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("datakin", "numpy", "scipy", "scikit-learn", "pandas", "xgboost-cpu", "xgboost")


def derive_seed(root: int, *purpose: str | int | bytes) -> int:
    """Return a 32-bit seed that depends on the root seed and the purpose alone.

    It never depends on the order in which work is done.

    Examples
    --------
    >>> derive_seed(0, "fit", "logistic") == derive_seed(0, "fit", "logistic")
    True
    >>> derive_seed(0, "fit", "logistic") == derive_seed(1, "fit", "logistic")
    False
    """
    digest = hashlib.blake2b(str(int(root)).encode(), digest_size=4)
    for part in purpose:
        digest.update(b"\x00" + (part if isinstance(part, bytes) else str(part).encode()))
    return int.from_bytes(digest.digest(), "little")


def versions() -> dict[str, str]:
    """Return the versions of the packages that numbers depend on."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
