"""explain: why what is learned on a source does not hold on a target."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from datakin._core.checks import check_choice, check_count, check_seed
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin._core.warned import filters_kept
from datakin.data import Dataset, check_names, coerce
from datakin.data.pairing import pair
from datakin.explaining.assembling import explanation_of, fixed_tables
from datakin.explaining.climbing import climbed
from datakin.explaining.world import World, make_world, pick_learner
from datakin.learners.foreign import ForeignLearner, RawLearner
from datakin.learners.learner import Learner
from datakin.learners.named import LEARNERS, make_learners
from datakin.learners.stack.preparation import MOST_ROWS, sampled
from datakin.learners.stack.trials import error_alone
from datakin.results.explanation import Explanation
from datakin.results.record import Provenance, make_provenance

REPEATS = 3  # Repeats of the folds, where they are cheap.
FEWEST = 20  # Rows that may be drawn of a large table.


@dataclass(frozen=True)
class ExplainOptions:
    """Options of `explain`.

    Parameters
    ----------
    learner : str
        What predicts on both sides: auto, linear, trees or kernel.
    loss : str
        What is explained: auto, log or brier for classes, squared for numbers.
    max_rows : int or None
        Rows to draw from a table with more; 0 for all.
    random_state : int
        Seed of folds and samples.
    """

    learner: str = "auto"
    loss: str = "auto"
    max_rows: int | None = field(default=MOST_ROWS, metadata={"none": 0})
    random_state: int = 0


@filters_kept()
def explain(
    target: Any,
    source: Any,
    *,
    learner: Any = "auto",
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

    Where something is to be explained, the columns of both tables are searched for what may be the cause:
    other units, recoded or swapped levels, missing values coded as a value, a column that gives the label
    away, swapped classes, other names. Each is mended and tried. What takes a good share of the excess away
    is named, with the option that mends it, and the steps go on from the mended tables.

    Parameters
    ----------
    target : Dataset or (X, y)
    source : Dataset or (X, y)
        The target's columns are used. Rows that also stand in the target are left out.
    learner : str or scikit-learn estimator
        What predicts on both sides: "linear", "trees", "kernel", or an estimator; classifiers must give
        probabilities. "auto" is "trees" where they predict held-out rows of the source clearly better than
        "linear", and else "linear".
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
    common = pair(own, other)
    if own.name == other.name and common.identical:
        other = other.renamed(f"{other.name} (again)")
    check_names([own, other])
    loss = _loss(loss, bool(own.classes))
    is_auto = isinstance(learner, str) and learner == "auto"
    made = None if is_auto else _learner(learner, bool(own.classes), random_state)
    options = {
        "learner": learner if made is None else made.name,
        "loss": loss,
        "max_rows": max_rows,
    }
    fingerprints = {table.name: table.fingerprint for table in (own, other)}
    provenance = make_provenance(random_state, options, fingerprints)
    if common.identical:
        return _copy(own, other, provenance)
    notes: list[str] = []
    few, some = (sampled(table, max_rows, random_state, notes)[0] for table in (own, other))
    if some.groups is not None and len(np.unique(some.groups)) < 2:
        raise DatakinError(
            f"The source must have several groups. All rows of {some.name!r} belong to one: chance cannot be "
            f"told from what differs; leave the groups out (group, --group), or name smaller ones."
        )

    def learned(by: Learner) -> World:
        n_repeats = 1 if getattr(by, "refits", False) else REPEATS  # Each fold is a fit.
        return make_world(few, some, by, loss, n_repeats, random_state)

    with threadpool_limits(limits=1):
        first = climbed(learned(made or pick_learner(few, some, loss)))
        world, mends = fixed_tables(first)
        if is_auto and mends:  # What was wrong in a column may have asked for trees.
            again = pick_learner(world.target, world.source, loss)
            if again.name != world.learner.name:
                first = climbed(learned(again))
                world, mends = fixed_tables(first)
        found = explanation_of(first, world, mends, tuple(notes), provenance)
    stated_in, error = error_alone(own, max_rows=max_rows, random_state=random_state)
    return replace(found, error_alone=error, error_loss=stated_in)


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
    if isinstance(given, str) and given not in LEARNERS:
        raise DatakinError(
            f"The 'learner' parameter must be 'auto', {listed(LEARNERS)}, or a scikit-learn estimator. Got "
            f"{given!r}.{suggest(given, ('auto', *LEARNERS))}"
        )
    made = make_learners(given, is_class, seed)
    if len(made) != 1 or given is None:
        raise DatakinError(
            f"The 'learner' parameter must be one learner, such as 'linear' or 'trees', or 'auto'. Got "
            f"{given!r}."
        )
    only = made[0]
    if isinstance(only, RawLearner):
        raise DatakinError(
            "The learner of an explanation must take encoded numbers, because columns of these are changed "
            "one by one. Got one marked with datakin.raw; give the estimator without it, or use 'linear' or "
            "'trees'."
        )
    if is_class and isinstance(only, ForeignLearner) and not hasattr(given, "predict_proba"):
        raise DatakinError(
            f"The learner must give probabilities (predict_proba) to be mended step by step. Got "
            f"{type(given).__name__}, which has none; use 'linear' or 'trees'."
        )
    return only


def _copy(own: Dataset, other: Dataset, provenance: Provenance) -> Explanation:
    """Return the explanation of two copies: there is nothing to explain."""
    empty: dict[str, Any] = {
        **dict.fromkeys(("excess", "low", "high"), 0.0),
        **dict.fromkeys(("observed", "expected", "in_source", "slope"), nan),
        **dict.fromkeys(("steps", "parts", "columns", "regions", "mends", "notes"), ()),
        **dict.fromkeys(("shift", "kept")),
    }
    return Explanation(
        target=own.name,
        source=other.name,
        task=own.task,
        loss=provenance.options["loss"],
        learner=provenance.options["learner"],
        n_target=own.n_rows,
        n_source=other.n_rows,
        positive="",
        provenance=provenance,
        **empty,
    )
