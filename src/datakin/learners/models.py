"""The models of scores: those of the default, any others by name, and any scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.data.features import Array
from datakin.learners.estimators import FittedLearner
from datakin.learners.fitters import Fitter, LeastSquaresFitter, NewtonFitter, start_fitter
from datakin.learners.kernel import KernelLearner
from datakin.learners.learner import PlanLearner
from datakin.learners.linear import LinearLearner
from datakin.learners.scaling import center_and_scale
from datakin.learners.trees import BoostingFitter, TreeLearner, tree_options

RESERVED = ("ensemble", "weighted", "unweighted", "average")
LEARNERS = "learners"  # the set of models that `choose` has
# Trees of a plan are fitted 16 times: fewer rounds with larger steps than those of `choose`.
PLANNED: tuple[PlanLearner, ...] = (
    LinearLearner(),
    TreeLearner(rounds=32, growth=0.5, deeper=None, rate=0.3),
    KernelLearner(),
)


@dataclass(frozen=True)
class Model:
    """A learner and the kind of matrix it takes.

    Parameters
    ----------
    name : str
    estimator : scikit-learn estimator
        Cloned for every fit. None for a learner.
    features : {"dense", "tree"}
        Standardised columns, or ranks with missing values left in place.
    scale_target : bool
        Regression: standardise y within the training rows, as kernel machines need.
    backend : class of Fitter, optional
        The fast fitter that gives the estimator's fit.
    sizing : callable, optional
        ``sizing(n_rows, n_columns)`` returns options that suit a dataset of that size.
    learner : PlanLearner, optional
        What makes all fits of a plan at once, in the place of an estimator; nothing else counts then.
    """

    name: str
    estimator: Any = None
    features: Literal["dense", "tree"] = "dense"
    scale_target: bool = False
    backend: Any = None
    sizing: Callable[[int, int], Mapping[str, Any]] | None = None
    learner: PlanLearner | None = None

    def sized(self, n_rows: int, n_columns: int) -> Model:
        """Return the model for a dataset of some size; an option that is set stays as it is."""
        if self.sizing is None:
            return self
        estimator = clone(self.estimator)
        unset = [name for name, value in estimator.get_params().items() if value is None]
        found = self.sizing(n_rows, n_columns)
        estimator.set_params(**{name: found[name] for name in found if name in unset})
        return replace(self, estimator=estimator, sizing=None)


def default_models(is_class: bool) -> dict[str, Model]:
    """Return the models of the default by name."""
    # Learners are imported where they are made, so that `import datakin` stays quick.
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.svm import SVC, SVR
    from xgboost import XGBClassifier, XGBRegressor

    from datakin.learners.svm import RadialSVMFitter

    machine, boosted = (SVC, XGBClassifier) if is_class else (SVR, XGBRegressor)
    if is_class:
        # C = 1000: an unpenalised fit diverges on separable data.
        logistic = LogisticRegression(C=1e3, max_iter=1000)
        first = Model("logistic", logistic, backend=NewtonFitter)
    else:
        first = Model("linear", LinearRegression(), backend=LeastSquaresFitter)
    radial = machine(kernel="rbf", gamma="auto")
    # XGBoost's least gain for a split is absolute, so the unit of y would matter.
    unit = not is_class
    found = (
        first,
        Model("rbf_svm", radial, scale_target=unit, backend=RadialSVMFitter),
        Model("trees", boosted(n_jobs=1), "tree", unit, BoostingFitter, tree_options),
    )
    return {model.name: model for model in found}


def choose_models(
    models: Any, is_class: bool, known: Mapping[str, Model] | None = None
) -> tuple[Model, ...]:
    """Return the models for an option of the user.

    None: the default's three. "learners": those of `choose`. Else a name, a list of names, or a mapping of
    name to estimator or options. A mapping of options changes one of the `known` models, by default
    those of the default. A user's own estimator gets imputed, standardised and one-hot encoded features. Its
    label is the class with the largest predict_proba or decision_function (for SVC that is
    ``break_ties=True``), or predict if it has neither.
    """
    if isinstance(models, str) and models == LEARNERS:
        return tuple(Model(learner.name, learner=learner) for learner in PLANNED)
    known = default_models(is_class) if known is None else known
    if models is None:
        models = list(known)
    if isinstance(models, str):
        models = [models]
    if not isinstance(models, (Mapping, list, tuple)):
        _known_model(models, known)
    if isinstance(models, Mapping):
        chosen = [
            _changed_model(name, found, known)
            if isinstance(found, Mapping)
            else _own_model(name, found, is_class)
            for name, found in models.items()
        ]
    else:
        chosen = [m if isinstance(m, Model) else _known_model(m, known) for m in models]
    names = [m.name for m in chosen]
    if not chosen:
        raise DatakinError("The 'models' parameter must name at least one model. Got none.")
    if len(set(names)) < len(names) or set(names) & set(RESERVED):
        raise DatakinError(
            f"Models must have different names, none of {listed(RESERVED)}. Got {listed(names)}."
        )
    return tuple(chosen)


def _changed_model(name: Any, options: Mapping[str, Any], known: Mapping[str, Model]) -> Model:
    """Return a built-in model with some options of the user's."""
    model = _known_model(name, known)
    estimator = clone(model.estimator)
    names = sorted(estimator.get_params())
    for option in options:
        if option not in names:
            raise DatakinError(
                f"The model {name!r} has no option {option!r}. It has {listed(names, limit=12)}."
                f"{suggest(str(option), names)}"
            )
    return replace(model, estimator=estimator.set_params(**options))


def _known_model(name: Any, known: Mapping[str, Model]) -> Model:
    if not isinstance(name, str) or name not in known:
        raise DatakinError(
            f"The 'models' parameter must be None, 'learners', 'paper', 'extended', a list of "
            f"{listed(known, limit=9)}, or a mapping of name to scikit-learn estimator, or to the options "
            f"of a built-in model. Got {name!r} instead."
            f"{suggest(name, [*known, LEARNERS, 'paper', 'extended']) if isinstance(name, str) else ''}"
        )
    return known[name]


def _own_model(name: str, estimator: Any, is_class: bool) -> Model:
    if isinstance(estimator, Model):
        return estimator
    if isinstance(estimator, type) or not all(
        hasattr(estimator, a) for a in ("fit", "predict", "get_params")
    ):
        raise DatakinError(
            f"The model {name!r} must be a scikit-learn estimator instance with fit and predict. "
            f"Got {estimator!r}."
        )
    kind = getattr(estimator, "_estimator_type", None)
    if hasattr(estimator, "__sklearn_tags__"):
        kind = estimator.__sklearn_tags__().estimator_type
    if kind in ("classifier", "regressor") and (kind == "classifier") != is_class:
        raise DatakinError(
            f"The model {name!r} must be a {'classifier' if is_class else 'regressor'} for this task. "
            f"Got the {kind} {type(estimator).__name__}."
        )
    return Model(str(name), estimator)


def fit_model(
    model: Model,
    X: Any,
    y: Array,
    n_classes: int,
    seed: int,
    *,
    fitter: Fitter | None = None,
    rows: Array | None = None,
) -> FittedLearner:
    """Fit the model on some rows: class codes, or numbers (`n_classes` 0).

    The plan's fitter does it, which may use the positions of the rows in the dataset, or scikit-learn.
    """
    fitter = fitter or start_fitter(model.estimator, None, False)
    if n_classes:
        # XGBoost needs labels 0..c-1 without gaps, even when a class is absent from X.
        present, local = np.unique(y, return_inverse=True)
        if len(present) < 2:
            raise ValueError("only one class in the training rows")
        return FittedLearner(fitter.fit(X, local, seed, rows), present, n_classes)
    center, scale = 0.0, 1.0
    if model.scale_target:
        centers, scales = center_and_scale(y[:, None])
        center, scale = float(centers[0]), float(scales[0])
    fitted = fitter.fit(X, (y - center) / scale, seed, rows)
    return FittedLearner(fitted, np.arange(0), 0, center, scale)
