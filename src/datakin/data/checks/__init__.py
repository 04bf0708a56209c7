"""What should not be learned from, and what differs between two datasets.

- `suspicions`, `leaks`, `copies`, `folds`, `usable`: in one dataset
- `differences`, `units`, `spelling`: between two, with the option that mends it
"""
