"""Why what is learned on one dataset does not hold on another.

- `offset`: regressions that start from another predictor
- `ladder`: from the source's predictor to the target's own, step by step
- `evidence`: tests of the steps that know the noise of both tables
- `moved`: where the features lie
- `effects`: which columns
- `regions`: which rows
- `act`: explain
"""

from datakin.explaining.act import explain

__all__ = ["explain"]
