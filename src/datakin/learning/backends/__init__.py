"""Fast fits for the built-in models, equal to those of scikit-learn and XGBoost.

A plan fits each model 16 times on nearly the same rows. On small data most of the time then goes
into copying estimators, checking input and starting from zero; on large data most of it goes into
libsvm's linear kernel. A *fitter* serves one model throughout one plan and may keep what helps the
next fit. A user's own models, and anything a fitter cannot handle, are fitted by scikit-learn. The
result names the fitter of each model.

Tried and left out: sums of Gram matrices over folds and warm starts of the interior point method
(least squares take less than 1% of a pair as it is), quantile matrices shared by fits (other bins
give another model), the active set method for classes (no faster than libsvm), compiled solvers or
trees of our own (they need a compiler at install), LinearSVC, and fewer bins or the exact tree
method in XGBoost (other models). benchmarks/RESULTS.md has the speed-up of each fitter.
"""

from datakin.learning.backends.fitter import Fitter, GenericFitter, start_fitter

__all__ = ["Fitter", "GenericFitter", "start_fitter"]
