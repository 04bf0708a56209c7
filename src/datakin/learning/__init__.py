"""From a dataset to predictions: models, losses, the fold plan and the engine that runs it.

This room knows nothing of scores: it fits, predicts and measures losses row by row.
"""
