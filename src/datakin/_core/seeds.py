"""Seeds derived from their purpose, never from the order in which work is done."""

from __future__ import annotations

import hashlib

__all__ = ["derive_seed"]


def derive_seed(root: int, *purpose: str | int | bytes) -> int:
    """Return a 32-bit seed that depends on the root seed and the purpose alone.

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
