"""Why what is learned on one dataset does not hold on another.

- `world`: two tables and what is learned on each
- `ladder`, `climbing`: from the source's predictor to the target's own, step by step
- `evidence`: tests of the steps that know the noise of both tables
- `suspects`, `trying`: what in the columns may be the cause, and whether it is
- `shifts`: whether only the features shifted
- `effects`, `regions`, `remedies`: which columns, which rows, and what would fix it
- `act`: explain
- `sources`: explain_sources, for the sources of a result
"""

from datakin.explaining.act import explain
from datakin.explaining.sources import explain_sources

__all__ = ["explain", "explain_sources"]
