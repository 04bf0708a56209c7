"""explain: why what is learned on a source does not hold on a target."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from datakin._core.checks import check_choice, check_count, check_seed
from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin._core.warned import filters_kept
from datakin.data import Dataset, check_names, coerce
from datakin.data.features import Array
from datakin.data.pairing import pair
from datakin.explaining.effects import column_effects
from datakin.explaining.evidence import Evidence, evidence_of, holm
from datakin.explaining.ladder import (
    PARTS,
    STEPS,
    Judged,
    calibrated,
    climb,
    mean_with_error,
    reach,
    step_error,
)
from datakin.explaining.moved import feature_shift, matrix_columns
from datakin.explaining.regions import failing_regions
from datakin.learning.stack.candidates import Learner
from datakin.learning.stack.foreign import ForeignLearner
from datakin.learning.stack.learners import make_learners
from datakin.learning.stack.preparation import MOST_ROWS, Prepared, prepare
from datakin.learning.stack.rows import Rows
from datakin.learning.stack.trials import folds_of
from datakin.results.explanation import (
    ColumnEffect,
    Explanation,
    LadderStep,
    LossPart,
    Region,
)
from datakin.results.record import make_provenance

__all__ = ["explain"]

REPEATS = 3  # draws of the folds
HALVES = 20  # of the source, which tell how much its predictor moves by chance
ASKED = 0.03  # chance, corrected for the three tests, below which a part may be named
LEAST = 0.01  # share of the loss alone that a part must have to be named
FEWEST = 20  # rows that may be drawn of a large table
NAN = float("nan")


@filters_kept()
def explain(
    target: Any,
    source: Any,
    *,
    learner: Any = "linear",
    loss: str = "auto",
    max_rows: int | None = MOST_ROWS,
    random_state: int = 0,
) -> Explanation:
    """Explain why what is learned on a source does not hold on a target.

    The source's predictor is mended step by step, on held-out rows of the target: it gets a new base rate, a
    new slope (it may be over- or under-confident), new effects for the columns; the last step is the
    target's own predictor. What each step brings is how much of the excess loss is due to base rate,
    confidence and rule. A part is named if its 90% interval lies above 0, if it is at least 1% of the
    loss alone, and if a test that also knows the noise of the source says that the tables differ.

    Parameters
    ----------
    target : Dataset or (X, y)
    source : Dataset or (X, y)
        The target's columns are used. Rows that also stand in the target are left out.
    learner : str or scikit-learn estimator
        "linear", "trees" or "kernel"; what predicts on both sides. Classifiers must give probabilities.
    loss : {"auto", "log", "brier", "squared"}
        "auto" is the log loss for classes and the squared error for numbers.
    max_rows : int or None
        Of a table with more rows, this many are drawn at random.
    random_state : int
        Seed of folds and samples.

    Returns
    -------
    Explanation

    Notes
    -----
    With several classes each class is mended against the rest, and the probabilities are divided by their
    sum.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, other = rng.normal(size=(200, 3)), rng.normal(size=(400, 3))
    >>> y = X[:, 0] + 2.0 + rng.normal(size=200)
    >>> explain((X, y), (other, other[:, 0] + rng.normal(size=400))).causes
    ('level',)
    """
    own, other = coerce(target, "target"), coerce(source, "source")
    check_seed(random_state)
    if max_rows is not None:
        check_count("max_rows", max_rows, FEWEST)
    if own.name == other.name and pair(own, other).identical:
        other = other.renamed(f"{other.name} (again)")
    check_names([own, other])
    judged_in = _loss(loss, bool(own.classes))
    made = _learner(learner, bool(own.classes), random_state)
    options = {"learner": made.name, "loss": judged_in, "max_rows": max_rows}
    prepared = prepare(own, [other], max_rows=max_rows, random_state=random_state)
    if other.name in prepared.unusable:
        if not pair(own, other).identical:
            raise DatakinError(prepared.unusable[other.name])
        return _copy(own, other, prepared, options, random_state)
    with threadpool_limits(limits=1):
        return _explained(prepared, other, made, judged_in, options, random_state)


def _loss(loss: Any, is_class: bool) -> str:
    check_choice("loss", loss, ("auto", "log", "brier", "squared"))
    known = ("log", "brier") if is_class else ("squared",)
    if loss == "auto":
        return known[0]
    if loss not in known:
        task = "classes" if is_class else "numbers"
        raise DatakinError(
            f"The 'loss' of {task} must be {' or '.join(map(repr, known))}. Got {loss!r}; leave it out, or "
            f"give one of these."
        )
    return str(loss)


def _learner(given: Any, is_class: bool, seed: int) -> Learner:
    made = make_learners(given, is_class, seed)
    if len(made) != 1 or given is None:
        raise DatakinError(
            f"The 'learner' parameter must be one learner, such as 'linear' or 'trees'. Got {given!r}."
        )
    only = made[0]
    if is_class and isinstance(only, ForeignLearner) and not hasattr(given, "predict_proba"):
        raise DatakinError(
            f"The learner must give probabilities (predict_proba) to be mended step by step. Got "
            f"{type(given).__name__}, which has none; use 'linear' or 'trees'."
        )
    return only


def _explained(
    prepared: Prepared,
    source: Dataset,
    learner: Learner,
    loss: str,
    options: dict[str, Any],
    seed: int,
) -> Explanation:
    rows, there = prepared.rows, prepared.sources[source.name]
    groups = prepared.target.groups
    groups = None if groups is None else np.unique(groups, return_inverse=True)[1]
    draw = folds_of(prepared.target, seed)
    judged = Judged.make(rows, groups, [draw(k) for k in range(REPEATS)], loss)
    on_target = learner.fit(there)[0].predict(rows.X)
    losses = climb(judged, on_target, _own(judged, learner, rows))
    evidence = evidence_of(judged, on_target, _from_halves(learner, there, rows.X, seed))
    parts = _parts(judged, losses, evidence, _rest(judged, learner, losses, len(there), seed))
    named = {part.name for part in parts if part.flagged}
    rule = losses[2] - losses[3] if "rule" in named else None
    shift = feature_shift(judged, there, prepared.encoder, learner, rule, seed)
    columns: tuple[ColumnEffect, ...] = ()
    regions: tuple[Region, ...] = ()
    if named:
        places, names = matrix_columns(prepared.encoder), prepared.encoder.names
        columns = column_effects(judged, there, on_target, evidence, places, names)
        if "rule" not in named:
            columns = tuple(replace(each, flagged=False) for each in columns)
        tree_seed = derive_seed(seed, "regions")
        regions = failing_regions(judged, losses[0] - losses[-1], prepared.encoder, tree_seed)
    excess, error = mean_with_error(losses[0] - losses[-1], rows.weights, groups)
    far = reach(judged.n_units) * step_error(judged, losses[-1], error, 2 + judged.n_fitted)
    observed, expected, slope = calibrated(judged, on_target)
    classes = prepared.target.classes
    return Explanation(
        target=prepared.target.name,
        source=source.name,
        task=rows.kind,
        loss=loss,
        learner=learner.name,
        n_target=len(rows),
        n_source=len(there),
        steps=tuple(
            LadderStep(name, float(np.average(each, weights=rows.weights)))
            for name, each in zip(STEPS[rows.kind == "regression"], losses, strict=True)
        ),
        parts=parts,
        excess=excess,
        low=excess - far,
        high=excess + far,
        observed=observed,
        expected=expected,
        slope=slope,
        positive=classes[1] if len(classes) == 2 else "",
        shift=shift,
        columns=columns,
        regions=regions,
        mends=(),
        kept=None,
        notes=prepared.notes,
        provenance=make_provenance(seed, options, prepared.fingerprints),
    )


def _own(judged: Judged, learner: Learner, rows: Rows) -> list[Array]:
    """Return held-out predictions of the target's own predictor, for each draw of the folds."""
    return [learner.held_out(rows, folds)[0] for folds in judged.folds]


def _from_halves(learner: Learner, source: Rows, X: Array, seed: int) -> list[Array]:
    """Return predictions from random halves of the source.

    They are not drawn by class: equal shares of the classes would hide how much the base rate moves by
    chance.
    """
    rng = np.random.default_rng(derive_seed(seed, "halves of the source"))
    halves = [np.sort(rng.permutation(len(source))[: len(source) // 2]) for _ in range(HALVES)]
    return [learner.fit(source.take(half))[0].predict(X) for half in halves]


def _rest(judged: Judged, learner: Learner, losses: Array, n_source: int, seed: int) -> Array:
    """Return losses of the own predictor that says whether there is a rest.

    A source with fewer rows than the target would leave a rest for that reason alone; the own predictor
    then learns from no more rows than the source has.
    """
    rows = judged.rows
    folds = judged.folds[0]
    n_learned = len(rows) * (1 - 1 / (int(folds.max()) + 1))
    if n_source >= n_learned:
        return np.asarray(losses[-1])
    rng = np.random.default_rng(derive_seed(seed, "fewer rows"))
    P = np.empty_like(rows.Y)
    for k in range(int(folds.max()) + 1):
        outside = rng.permutation(np.flatnonzero(folds != k))[:n_source]
        P[folds == k] = learner.fit(rows.take(outside))[0].predict(rows.X[folds == k])
    return judged.losses(P)


def _parts(judged: Judged, losses: Array, evidence: Evidence, own: Array) -> tuple[LossPart, ...]:
    """Return the parts of the excess, and which of them are named."""
    weights = judged.rows.weights
    alone = float(np.average(losses[-1], weights=weights))
    chances = [*holm(evidence.chances), NAN]
    fitted = judged.rows.Y.shape[1] * np.array([1, 1, 0, 0]) + judged.n_fitted * np.array(
        [0, 0, 1, 1]
    )
    found = []
    for k, name in enumerate(PARTS[judged.rows.kind == "regression"]):
        interval = partial(_interval, judged, n_fitted=int(fitted[k]))
        value, far = interval(losses[k], losses[k + 1])
        is_clear = value - far > 0 and value > LEAST * alone
        if k < 3:
            is_clear = is_clear and chances[k] < ASKED
        else:
            least, reached = interval(losses[k], own)
            is_clear = is_clear and least - reached > 0
        found.append(LossPart(name, value, value - far, value + far, chances[k], bool(is_clear)))
    return tuple(found)


def _interval(judged: Judged, before: Array, after: Array, n_fitted: int) -> tuple[float, float]:
    """Return by how much a loss falls, and how far its 90% interval reaches."""
    value, error = mean_with_error(before - after, judged.rows.weights, judged.groups)
    return value, reach(judged.n_units) * step_error(judged, after, error, n_fitted)


def _copy(
    own: Dataset, other: Dataset, prepared: Prepared, options: dict[str, Any], seed: int
) -> Explanation:
    """Return the explanation of two copies: there is nothing to explain."""
    return Explanation(
        target=own.name,
        source=other.name,
        task=prepared.rows.kind,
        loss=options["loss"],
        learner=options["learner"],
        n_target=len(prepared.rows),
        n_source=other.n_rows,
        steps=(),
        parts=(),
        excess=0.0,
        low=0.0,
        high=0.0,
        observed=NAN,
        expected=NAN,
        slope=NAN,
        positive="",
        shift=None,
        columns=(),
        regions=(),
        mends=(),
        kept=None,
        notes=prepared.notes,
        provenance=make_provenance(seed, options, prepared.fingerprints),
    )
