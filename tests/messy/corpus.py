"""One known table in many forms; `VARIANTS` has them all."""

from tests.messy import (  # noqa: F401  (they register)
    blanks_and_dates,
    containers,
    objects,
    pairs,
    text_files,
    values,
)
from tests.messy.registry import VARIANTS, judge

__all__ = ["VARIANTS", "judge"]
