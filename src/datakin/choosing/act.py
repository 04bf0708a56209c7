"""choose: which sources to learn from besides the target, a fitted model, and the error to expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from threadpoolctl import threadpool_limits

from datakin._core.checks import check_count, check_seed
from datakin._core.exceptions import DatakinError, Interrupted, Note, warn
from datakin._core.warned import filters_kept
from datakin.choosing.earlier import Earlier
from datakin.choosing.outcome import make_choice
from datakin.choosing.running import keeper, runner
from datakin.data import Dataset, check_names, coerce
from datakin.data.inputs import collect
from datakin.learners.learner import takes_table
from datakin.learners.losses import resolve_loss
from datakin.learners.named import make_learners
from datakin.learners.stack import gains
from datakin.learners.stack.ahead import own_fits
from datakin.learners.stack.fitting import fit_stack, folds_of
from datakin.learners.stack.preparation import MOST_ROWS, Prepared, prepare
from datakin.learners.stack.trials import choice_options, judge_of, repeats_of
from datakin.results.choice import Choice

LARGE = 2_000  # Rows of a target that gains little from others.
HIDDEN = {"hidden": True}  # No options of the command line, or written there by hand.


@dataclass(frozen=True)
class ChoiceOptions:
    """Options of `choose`.

    Parameters
    ----------
    learners : list of str, optional
        Names separated by commas: linear, trees, kernel.
    loss : str
        What the error is stated in: auto, zero_one, balanced, brier, log, squared or absolute.
    max_rows : int or None
        Rows to draw from the target and from each source with more; 0 for all.
    pools : bool
        Whether tables are also learned from together.
    random_state : int
        Seed of folds and samples.
    n_jobs : int, optional
        Threads; -1 for all cores.
    checkpoint : str, optional
        A folder that keeps finished draws of the folds, to go on from after a stop.
    repeats, weights, add_to, client
        As in `choose`.
    """

    learners: Any = field(default=None, metadata={"kind": "names"})
    loss: str = "auto"
    max_rows: int | None = field(default=MOST_ROWS, metadata={"none": 0})
    pools: bool = True
    random_state: int = 0
    n_jobs: int | None = None
    checkpoint: Any = field(default=None, metadata={"kind": "path"})
    repeats: Any = field(default=None, metadata=HIDDEN)
    weights: Mapping[str, Any] | None = field(default=None, metadata=HIDDEN)
    add_to: Any = field(default=None, metadata=HIDDEN)
    client: Any = field(default=None, metadata=HIDDEN)


@filters_kept()
def choose(
    target: Any,
    sources: Any = (),
    *,
    learners: Any = None,
    loss: Any = "auto",
    repeats: Any = None,
    max_rows: int | None = MOST_ROWS,
    pools: bool = True,
    weights: Mapping[str, Any] | None = None,
    add_to: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    client: Any = None,
    checkpoint: Any = None,
) -> Choice:
    """Choose the sources to learn from, fit the model, and say what error to expect.

    For each learner there are candidates: the target alone, the target with all sources, all sources
    together, and each source. Their weights come from the target's held-out rows. Sources with less than
    about 5% of the prediction are left out, and pools are fitted again without them. The error is stated
    from before that, from fits and weights that never saw the row.

    Parameters
    ----------
    target : Dataset or (X, y)
    sources : list of Dataset or (X, y), or mapping of name to one
        Without any, the model is learned from the target alone. Sources without a name are called by
        their place in the list, and names enter what is drawn: only named ones give the same numbers in
        any order.
    learners : list of names, or mapping of name to scikit-learn estimator, optional
        "linear", "trees" and "kernel" by default; see `datakin.transfer.KinStack`. Estimators get encoded
        numbers, those marked with `datakin.raw` the table as it is.
    loss : str or callable
        What the error is stated in, and what `predict` follows. "auto": the share of wrong predictions,
        with every class counting the same where one is rare; squared error for numbers.
    repeats : int, or (least, most), optional
        Draws of the folds. From the least number on, more are drawn until the last three agree on the
        sources to use. By default the least is five for a target of up to 149 rows, two for one of 300 to
        599, one from 600 rows on; the most is twelve.
    max_rows : int or None
        Of the target and of each source with more rows, this many are drawn at random.
    pools : bool
        Whether tables are also learned from together. Without it, what is learned from each source is
        only mixed with what is learned from the target.
    weights : mapping of str to array, optional
        Weights of the rows of some datasets, by name. For the others they are taken from the datasets,
        where they have any (``read_table(..., weight=)``, ``as_dataset(..., weights=)``).
    add_to : Choice, KinModel or path of a saved model, optional
        An earlier choice for the same columns: what it learned from its sources enters as it is, without
        their rows; only the sources given here are fitted.
    random_state : int
        Seed of folds and samples.
    n_jobs : int, optional
        Threads; -1 for all cores. No number depends on it.
    client : dask.distributed.Client, optional
        Fits run there.
    checkpoint : path, optional
        A folder that keeps finished draws of the folds, to go on from after a stop.

    Returns
    -------
    Choice

    Examples
    --------
    >>> from datakin.synthetic import settings
    >>> pair, far = (settings()["lda"](c).sample(60, 300, random_state=0) for c in (1.0, -1.0))
    >>> choice = choose(pair.target, {"near": pair.source, "far": far.source})
    >>> choice.used
    ('near',)
    >>> choice["far"].call
    'hurts'
    """
    datasets = [coerce(target, "target"), *collect(sources, "source")]
    check_names(datasets)
    options = ChoiceOptions(learners, loss, max_rows, pools, random_state, n_jobs, checkpoint)
    options = replace(options, repeats=repeats, weights=weights, add_to=add_to, client=client)
    return choose_from(datasets[0], datasets[1:], {}, options)


def choose_from(
    own: Dataset, sources: Sequence[Dataset], left_out: Mapping[str, str], options: ChoiceOptions
) -> Choice:
    """Choose among sources that have been read; `left_out` names those that could not be, and why."""
    seed, max_rows = options.random_state, options.max_rows
    check_seed(seed)
    asked = None if options.repeats is None else _check_repeats(options.repeats)
    earlier = Earlier.read(options.add_to, own, sources)
    learners = make_learners(options.learners, bool(own.classes), seed)
    prepared = prepare(
        own,
        sources,
        weights=options.weights,
        max_rows=max_rows,
        random_state=seed,
        encoder=earlier.encoder,
        tables_too=any(map(takes_table, (*learners, *earlier.predictors.values()))),
    )
    prepared.unusable.update(left_out)
    _announce(prepared, own)
    rows = prepared.rows
    least, most = asked or repeats_of(len(rows))
    judge = judge_of(prepared, resolve_loss(options.loss))
    recorded = choice_options(
        [learner.name for learner in learners],
        judge,
        (least, most),
        max_rows=max_rows,
        pools=options.pools,
        add_to=earlier.fingerprint,
    )
    named = {**recorded, "fitted": [repr(learner) for learner in learners]}
    keep = keeper(options.checkpoint, named, prepared, seed)
    folds, tables = folds_of(prepared.target, seed), (rows, prepared.sources)
    bar = own_fits(
        learners,
        *tables,
        folds(0),
        (least, most if prepared.sources or earlier.predictors else least),
        pools=options.pools,
        tried=gains.draws_of(len(rows)),
        of="choose",
        here=options.client is None,
    )
    with (
        threadpool_limits(limits=1),
        runner(options.n_jobs, options.client) as run,
        bar as advance,
    ):
        fitted = fit_stack(
            *tables,
            learners,
            folds,
            alone=prepared.alone,
            groups=prepared.groups.get(own.name),
            repeats=(least, most),
            trials=True,
            pools=options.pools,
            seed=seed,
            run=run,
            ready=earlier.predictors,
            keep=keep,
            advance=advance,
        )
        choice = make_choice(own, sources, prepared, earlier, fitted, judge, recorded, seed)
    if fitted.interrupted:
        n = fitted.reading.passes.n_draws
        raise Interrupted(f"Interrupted after {n} of at least {least} draws of the folds.", choice)
    return choice


def _announce(prepared: Prepared, own: Dataset) -> None:
    """Warn of what was done to the data, and of what cannot be used, before the work begins."""
    for note in prepared.notes:
        warn(note)
    for name, why in prepared.unusable.items():
        warn(Note(f"{name} cannot be used: {why}"))
    if own.n_rows > LARGE and prepared.sources:
        warn(
            f"{own.name} has {own.n_rows:,} rows: a target of that size gains little from other tables."
        )


def _check_repeats(repeats: Any) -> tuple[int, int]:
    if isinstance(repeats, (tuple, list)) and len(repeats) == 2:
        least, most = repeats
    else:
        least = most = repeats
    check_count("repeats", least, 1)
    check_count("repeats", most, 1)
    if most < least:
        raise DatakinError(
            f"The 'repeats' parameter must be a number, or (least, most). Got {repeats!r}."
        )
    return int(least), int(most)
