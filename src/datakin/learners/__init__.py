"""From a dataset to predictions: models, losses, the fold plan and the engine that runs it.

This room fits, predicts and measures losses row by row. It does not compute scores. `folds`,
`losses` and `ensemble` fit no model and import nothing that does.
"""
