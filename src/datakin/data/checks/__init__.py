"""What should not be learned from, and what differs between two datasets.

- `suspicions`, `leaks`, `copies`, `folds`: in one dataset
- `differences`, `units`, `spelling`, `grades`: between several, with the option that mends it
"""
