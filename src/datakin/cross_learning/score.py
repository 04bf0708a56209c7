"""The Cross-Learning Score of pairs, rankings and matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Self

from datakin._core.checks import check_callback
from datakin._core.exceptions import DatakinError, Interrupted, announce, listed, suggest
from datakin._core.warned import filters_kept
from datakin.cross_errors.options import AGGREGATES, Options, check_names_of
from datakin.cross_errors.table import ErrorTable
from datakin.cross_learning.preparation import prepare
from datakin.cross_learning.screening import screen_sources
from datakin.data import Dataset, for_comparison, for_matrix, for_ranking
from datakin.execution.agreement import Names
from datakin.execution.running import measured
from datakin.learners.models import LEARNERS, Model, choose_models, default_models
from datakin.results import Comparison, Matrix, Ranking
from datakin.results.zones import PAPER
from datakin.scoring.matrices import check_symmetric, complete_names, fill_matrix, make_matrix
from datakin.scoring.pairs import compare_pair
from datakin.scoring.rankings import rank_sources


@dataclass(frozen=True, repr=False, eq=False)
class CrossLearningScore(Options):
    """The Cross-Learning Score of pairs of labelled datasets.

    Train on each dataset, test on the other, subtract what each achieves on itself, average both
    ways. Small means kin.

    Parameters
    ----------
    models : None, "learners", "paper", "extended", list of names or mapping of name to estimator or options
        None: logistic (or linear) regression, radial support vector machine, boosted trees sized for
        the data. "extended" adds a quadratic and a cubic model and, for classes, quadratic
        discriminant analysis. "paper": the paper's four, with a linear support vector machine and
        XGBoost's 100 rounds of depth 6. "learners": those of `choose`, penalised linear models, boosted
        trees and a kernel ridge regression; folds and samples then follow from what rows hold, not from
        their order. A mapping of options changes a built-in model:
        ``{"trees": {"max_depth": 4}}``.
    estimate : str
        "ensemble" (the paper's algorithm 2), "weighted", "unweighted" (averages over models) or the
        name of one model (algorithm 1).
    cv : int
        Number of folds, at least 3.
    loss : str or callable
        "auto", "zero_one", "balanced", "brier", "log", "squared", "absolute", or a function of
        (true, predicted) that returns one loss per row. "auto" is 0-1 for classes, balanced over
        classes on a dataset with a rare class (a share below 0.3 divided by the number of classes:
        15% of two), and squared for regression.
    sharpness : float
        The paper's lambda: how sharply the ensemble prefers models with a low error.
    direction : float
        Weight of the source-to-target discrepancy; 0.5 makes the score symmetric.
    size : {"matched", "paper", "limit"}
        "matched": predictors of equal training size on both sides, 0 in expectation for two
        samples of one distribution. "paper": the other dataset's predictor has seen all its rows;
        quicker for many datasets, without the limit. "limit": the matched score extrapolated to
        infinitely many rows.
    inner : {"shared", "fresh"}
        Inner folds are the other outer folds, or drawn anew (slower, the paper to the letter).
    stratify : bool
        Folds keep the class shares of the dataset. False draws rows at random, which is calibrated
        also where features hardly predict the label, at the price of a little more noise.
    voting : {"soft", "hard"}
        The ensemble averages probabilities or counts votes.
    weighting : {"scaled", "paper"}
        Regression: losses are divided by that of the best constant before models are weighted, or
        taken as they are, as in the paper.
    zones : {"gain", "paper"}
        What decides. "gain": the source is tried, in a stack with the target against the stack of
        the target alone, in Brier or squared error and by learners of its own, whatever `models`
        and `loss` are; it helps, is harmless, unclear or hurts. Where it cannot be tried, and in
        a matrix without ``calls=True``, there is no call: it reads "not tried".
        "paper": the paper's thresholds for the score; nothing is tried.
    zone_error : {"rows", "folds"}
        How the standard error of the baseline error is found.
    repeats : int
        Number of fold seeds to average over.
    max_rows : int or None
        A dataset with more rows is scored from random samples: trained on at most so many rows,
        tested on up to 10,000 others. The samples grow until doubling them changes the score by
        less than its standard error. None uses all rows, whatever it costs.
    precision : float
        Samples also grow until the standard error is this small, in units of the loss for classes,
        of the best constant's loss for regression. What cannot be reached is said.
    random_state : int
        Root seed.
    n_jobs : int, optional
        Number of threads; -1 for all cores. Changes no number.
    client : dask.distributed.Client or str, optional
        A cluster (or the address of its scheduler) to run on instead. Changes no number.
    checkpoint : path, optional
        Folder to keep finished datasets in, so that a run that was killed goes on where it was.
    skip_unusable : bool
        Leave out sources (or members of a matrix) that have too few rows of a class for the folds,
        or that cannot be compared with the target (or the first member), with a warning, instead of
        raising.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((400, 3))
    >>> y = (X[:, 0] + 0.5 * rng.standard_normal(400) > 0).astype(int)
    >>> cls = CrossLearningScore(models=["logistic"])
    >>> cls.compare((X[:200], y[:200]), (X[200:], 1 - y[200:])).zone
    <Zone.NEGATIVE: 'negative'>
    """

    def __new__(cls, *_: Any, **options: Any) -> Self:
        """Refuse unknown options with a sentence, before Python does."""
        if "screen" in options:
            raise DatakinError(
                "'screen' belongs to rank alone: rank(target, sources, screen=True). A score has one "
                "source, and a matrix needs every pair."
            )
        check_names_of(options)
        return super().__new__(cls)

    @classmethod
    def as_in_paper(cls, **changes: Any) -> Self:
        """Return the score with the paper's choices, to the letter.

        The paper's four models, fresh inner folds, losses weighted as they are, the "paper" size and
        the paper's zones with standard errors from folds. Other options can be changed.
        """
        from datakin.paper import OPTIONS

        return cls(**{**OPTIONS, **changes})

    def _tried(self, targets: Sequence[str]) -> Sequence[str]:
        """Return the targets whose sources are tried: none if the paper's rule decides."""
        return () if self.zones == PAPER else targets

    @filters_kept()
    def compare(self, target: Any, source: Any) -> Comparison:
        """Compare one target with one source: see `datakin.score`."""
        datasets = for_comparison(target, source)
        names = (datasets[0].name, datasets[1].name)
        models = chosen_models(self, datasets)
        measurement = prepare(datasets, [names], self, models, self._tried([names[0]]), "auto")
        said = "Interrupted before the pair was finished."
        comparison = compare_pair(measured(measurement, said.format), *names)
        announce([comparison])
        return comparison

    @filters_kept()
    def rank(
        self,
        target: Any,
        sources: Any,
        *,
        screen: bool = False,
        on_result: Callable[[Comparison], None] | None = None,
    ) -> Ranking:
        """Rank several sources for one target, best first: see `datakin.rank`."""
        check_callback(on_result)
        if not isinstance(screen, bool):
            raise DatakinError(f"The 'screen' parameter must be True or False. Got {screen!r}.")
        datasets = for_ranking(target, sources)
        first, *others = (d.name for d in datasets)
        pairs = [(first, name) for name in others]
        models = chosen_models(self, datasets)
        measurement = prepare(datasets, pairs, self, models, self._tried([first]), "auto")
        screening = None
        if screen:
            try:
                screening = screen_sources(measurement, first)
            except KeyboardInterrupt:
                raise Interrupted("Interrupted in the quick pass: no source is finished.") from None

        def look(table: ErrorTable) -> Ranking:
            return replace(rank_sources(table, first), screening=screening)

        def tell(names: Names) -> None:
            assert on_result is not None
            on_result(compare_pair(measurement.view(names), *names))

        n_sources = len(pairs) - (len(screening.left_out) if screening else 0)
        said = f"Interrupted with {{}} of {n_sources} sources finished."
        ranking = look(measured(measurement, said.format, look, on_result and tell))
        announce(ranking)
        return ranking

    @filters_kept()
    def matrix(self, datasets: Any, *, calls: bool = False) -> Matrix:
        """Compare every dataset with every other: see `datakin.matrix`."""
        members = for_matrix(datasets)
        names = [d.name for d in members]
        check_symmetric(self)
        if not isinstance(calls, bool):
            raise DatakinError(f"The 'calls' parameter must be True or False. Got {calls!r}.")
        if calls and self.zones == PAPER:
            raise DatakinError(
                "Calls are made by trials, and zones='paper' asks for the paper's rule: leave out one of "
                "the two."
            )
        pairs, tried = list(combinations(names, 2)), names if calls else ()
        models = chosen_models(self, members)
        measurement = prepare(members, pairs, self, models, tried, "sums", with_grams=False)

        def said(n_pairs: int) -> str:
            done = complete_names(measurement.table(complete=False))
            return f"Interrupted with {len(done)} of {len(members)} datasets finished."

        result, told = fill_matrix(measured(measurement, said, make_matrix))
        announce(told)
        return result


def chosen_models(options: Options, datasets: Sequence[Dataset]) -> tuple[Model, ...]:
    """Return the models for the task, and check that `estimate` is one of what they give.

    Those that are not of the default come from the paper's leaf, which is loaded where one is named.
    """
    is_class, given, estimate = bool(datasets[0].classes), options.models, options.estimate
    usual = default_models(is_class)
    asked = given if isinstance(given, (list, tuple)) else [given]
    if isinstance(given, Mapping):
        asked = [name for name, changed in given.items() if isinstance(changed, Mapping)]
    ours = (*usual, LEARNERS)
    if given is None or all(isinstance(each, Model) or str(each) in ours for each in asked):
        models = choose_models(given, is_class, usual)
    else:
        from datakin.paper import choose_named

        models = choose_named(given, is_class)
    names = [model.name for model in models]
    if estimate in (*AGGREGATES, *names):
        return models
    if given is None:
        from datakin.paper import named_models

        known = named_models(is_class)
        if estimate in known:  # another model, asked for by name alone
            return (*models, known[estimate])
    raise DatakinError(
        f"The 'estimate' parameter must be one of {listed((*AGGREGATES, *names), limit=12)}. "
        f"Got {estimate!r} instead.{suggest(str(estimate), [*AGGREGATES, *names])}"
    )


def score(target: Any, source: Any, **options: Any) -> Comparison:
    """Tell how far a target and a source are kin.

    Parameters
    ----------
    target, source : Dataset or (X, y)
    **options
        As in `CrossLearningScore`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X = rng.standard_normal((400, 2))
    >>> y = (X[:, 0] + rng.standard_normal(400) > 0).astype(int)
    >>> result = score((X[:200], y[:200]), (X[200:], y[200:]), models=["logistic"])
    >>> abs(result.score) < 0.05
    True
    """
    return CrossLearningScore(**options).compare(target, source)


def rank(
    target: Any,
    sources: Any,
    *,
    screen: bool = False,
    on_result: Callable[[Comparison], None] | None = None,
    **options: Any,
) -> Ranking:
    """Rank sources for a target, best first.

    Parameters
    ----------
    target : Dataset or (X, y)
    sources : list of datasets, or mapping of name to dataset
        A dataset with the target's name is an error.
    screen : bool
        Look at all sources with a few quick fits first, and do the full work only for those within
        reach of the best or called helpful. The numbers of these are the same as without, except groups
        and the probabilities of the first place, which are about them alone. The others stay in the
        table, marked as screened out. For many sources; fewer than four are not screened.
    on_result : callable, optional
        Called with the Comparison of each source as soon as it is finished.
    **options
        As in `CrossLearningScore`.

    Returns
    -------
    Ranking
    """
    return CrossLearningScore(**options).rank(target, sources, screen=screen, on_result=on_result)


def matrix(datasets: Any, *, calls: bool = False, **options: Any) -> Matrix:
    """Compare all datasets with each other.

    Parameters
    ----------
    datasets : list of datasets, or mapping of name to dataset
    calls : bool
        Try every dataset with every other, both ways, and call each by its trial: about a tenth of a
        second a pair and direction. Otherwise there are no calls.
    **options
        As in `CrossLearningScore`.

    Returns
    -------
    Matrix
    """
    return CrossLearningScore(**options).matrix(datasets, calls=calls)
