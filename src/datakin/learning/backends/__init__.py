"""Faster ways to the fits that scikit-learn and XGBoost would give, for the built-in models.

A plan fits each model 16 times on nearly the same rows. What a single fit spends on copying
estimators, checking input and starting from nothing is then most of the time on small data, and
libsvm's linear kernel is most of it on large data. A *fitter* serves one model throughout one plan
and may keep what helps the next fit. Models of a user's own, and whatever a fitter cannot serve,
take scikit-learn's path. The result says which fitter served each model.

What was weighed and left out: sums of Gram matrices over folds (a plan's least squares take less
than 1% of a pair either way), warm starts of the interior point method (the same), quantile
matrices shared by fits (other bins, another model), the active set method for classes (no quicker
than libsvm), a compiled solver or compiled trees of our own (a compiler at install), and
LinearSVC, fewer bins or the exact tree method in XGBoost (other models). What each fitter gains is
in benchmarks/RESULTS.md.
"""

from datakin.learning.backends.choice import Fitter, start_fitter

__all__ = ["Fitter", "start_fitter"]
