"""Why what is learned on one dataset does not hold on another.

- `offset`: regressions that start from another predictor
- `ladder`: from the source's predictor to the target's own, step by step
- `evidence`: tests of the steps that know the noise of both tables
- `moved`: where the features lie
- `effects`: which columns
- `regions`: which rows
- `act`: explain
- `sources`: explain_sources, for the sources of a result
"""

from datakin.explaining.act import explain
from datakin.explaining.sources import explain_sources

__all__ = ["explain", "explain_sources"]
