"""CrossErrors, CrossLearningScore, score, rank and matrix: measure once, then look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
import pandas as pd

from datakin._core.checks import check_callback, check_choice
from datakin._core.exceptions import DatakinError, announce, listed, suggest
from datakin.cross_errors.options import AGGREGATES, Options
from datakin.cross_errors.records import WaySums
from datakin.cross_errors.table import ErrorTable
from datakin.data import Dataset, for_comparison, for_matrix, for_ranking
from datakin.execution.measurement import Looks, Measurement, choose_keep, measured
from datakin.learning.models import Model, choose_models
from datakin.results import Comparison, Matrix, Ranking
from datakin.scoring.curves import measure_growth
from datakin.scoring.forecast import SIMPLEST, learner_of
from datakin.scoring.matrices import complete_names, fill_matrix, make_matrix
from datakin.scoring.pairs import all_estimates, compare_pair, make_pair
from datakin.scoring.rankings import grams_of_all, rank_sources, what_rows_add
from datakin.scoring.ways import RowsWay, summed

__all__ = ["CrossErrors", "CrossLearningScore", "matrix", "rank", "score"]

READING = ("label", "domain", "ignore", "group", "positive")
KEEPS = ("auto", "predictions", "losses", "sums")


class CrossErrors(ErrorTable):
    """The cross-error table of some datasets: measured once, looked at from every side.

    Made by `CrossErrors.measure` or `CrossErrors.load`. Every score, ranking and matrix is a look at
    it, for which nothing is fitted.

    Attributes
    ----------
    names : tuple of str
        The datasets.
    frame : pandas.DataFrame
        trained_on, tested_on, model, held_out, weights_from, n_train, rows, error, spread.
    keep : {"predictions", "losses", "sums"}
        What is kept: predictions of every model for every row (every look is possible); losses of
        every row (all looks but another sharpness, voting or weighting); or sums (looks at the
        estimate that was measured).
    n_fits : int

    Examples
    --------
    >>> from datakin.synthetic import settings
    >>> pair = settings()["lda"](1.0).sample(60, 100, random_state=0)
    >>> errors = CrossErrors.measure([pair.target, pair.source], models=["logistic"])
    >>> first, second = (errors.score("target", "source", size=s) for s in ("matched", "limit"))
    >>> first.size, second.size
    ('matched', 'limit')
    """

    @classmethod
    def measure(
        cls,
        datasets: Any,
        *,
        pairs: Any = "all",
        trials: Any = None,
        keep: str = "auto",
        **options: Any,
    ) -> CrossErrors:
        """Fit each dataset once and test it on its partners.

        Parameters
        ----------
        datasets : list of datasets, or mapping of name to dataset
        pairs : "all", str or list of (target, source)
            All pairs; those of one target, by its name; or pairs of names.
        trials : str, list of str or "all", optional
            Targets for which pools of target and source are tried with logistic or linear
            regression. Where none was tried, gains come from the formula.
        keep : {"auto", "predictions", "losses", "sums"}
            What to keep; "auto" keeps predictions up to 512 MB, and beyond that sums, or for one
            target losses.
        **options
            As in `CrossLearningScore`.

        Returns
        -------
        CrossErrors
        """
        chosen = CrossLearningScore(**_checked(options))
        check_choice("keep", keep, KEEPS)
        members = for_matrix(datasets)
        names = [d.name for d in members]
        wanted = _named_pairs(pairs, names)
        tried = _named_trials(trials, names)
        measurement = _prepare(members, wanted, chosen, tried, keep)
        said = f"Interrupted with {{}} of {len(wanted)} pairs finished."
        return _as_cross_errors(measured(measurement, said.format, _as_cross_errors))

    def score(self, target: str, source: str, **looks: Any) -> Comparison:
        """Look at one pair.

        Parameters
        ----------
        target, source : str
            Names of datasets.
        **looks
            estimate, size, direction, sharpness, voting, weighting, zones, zone_error: as in
            `CrossLearningScore`; by default as they were measured.

        Returns
        -------
        Comparison
        """
        return compare_pair(self._looked(looks), target, source)

    def rank(self, target: str, **looks: Any) -> Ranking:
        """Look at all sources of one target, best first.

        Parameters
        ----------
        target : str
        **looks
            As in `score`.

        Returns
        -------
        Ranking
        """
        return rank_sources(self._looked(looks), target)

    def matrix(self, **looks: Any) -> Matrix:
        """Look at all pairs.

        Parameters
        ----------
        **looks
            As in `score`.

        Returns
        -------
        Matrix
        """
        return make_matrix(self._looked(looks))

    def estimates(self, target: str, source: str) -> pd.DataFrame:
        """Return every estimate of a pair in every size, with standard error and interval.

        Parameters
        ----------
        target, source : str

        Returns
        -------
        pandas.DataFrame
            estimate, size, score, standard_error, low, high, p_value.
        """
        return all_estimates(self, target, source)

    def _looked(self, looks: Mapping[str, Any]) -> CrossErrors:
        """Return the table as other options read it."""
        known = Options.names("look")
        for name in looks:
            if name not in known:
                raise DatakinError(
                    f"The option {name!r} cannot be changed after the measurement; {listed(known, 12)} "
                    f"can.{suggest(name, known)}"
                )
        changed = {name: value for name, value in looks.items() if value is not None}
        return self.read_with(self.options.replace(**changed))


def _as_cross_errors(table: ErrorTable) -> CrossErrors:
    return CrossErrors(**{name: getattr(table, name) for name in table.__dataclass_fields__})


@dataclass(frozen=True, repr=False)
class CrossLearningScore(Options):
    """The Cross-Learning Score of pairs of labelled datasets.

    Train on each dataset, test on the other, subtract what each achieves on itself, average both
    ways. Small means kin.

    Parameters
    ----------
    models : None, "extended", list of names or mapping of name to estimator
        None: logistic (or linear) regression, linear and radial support vector machine, XGBoost.
        "extended" adds a quadratic and a cubic model and, for classes, quadratic discriminant analysis.
    estimate : str
        "ensemble" (the paper's algorithm 2), "weighted", "unweighted" (averages over models) or the
        name of one model (algorithm 1).
    cv : int
        Number of folds, at least 3.
    loss : str or callable
        "auto", "zero_one", "balanced", "brier", "log", "squared", "absolute", or a function of
        (true, predicted) that returns one loss per row. "auto" is 0-1 for classes, balanced over
        classes on a dataset with a class rarer than 15%, and squared for regression.
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
        The rule for zones: on which side of 0 the 90% interval lies of the gain that plain pooling
        is expected to bring (see `datakin.forecast_gain`), or the paper's thresholds for the score.
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
        Leave out sources (or members of a matrix) with too few rows of a class for the folds, with
        a warning, instead of raising.

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

    @classmethod
    def as_in_paper(cls, **changes: Any) -> Self:
        """Return the score with the paper's choices, to the letter.

        The paper's four models, fresh inner folds, losses weighted as they are, the "paper" size and
        the paper's zones with standard errors from folds.

        Parameters
        ----------
        **changes
            Other options.
        """
        paper = {
            "size": "paper",
            "inner": "fresh",
            "weighting": "paper",
            "zones": "paper",
            "zone_error": "folds",
        }
        return cls(**{**paper, **_checked(changes)})

    def compare(self, target: Any, source: Any) -> Comparison:
        """Compare one target with one source.

        Parameters
        ----------
        target, source : Dataset or (X, y)

        Returns
        -------
        Comparison
        """
        datasets = for_comparison(target, source)
        names = (datasets[0].name, datasets[1].name)
        measurement = _prepare(datasets, [names], self, [names[0]], "auto")
        said = "Interrupted before the pair was finished."
        comparison = compare_pair(measured(measurement, said.format), *names)
        announce([comparison])
        return comparison

    def rank(
        self,
        target: Any,
        sources: Any,
        *,
        on_result: Callable[[Comparison], None] | None = None,
    ) -> Ranking:
        """Rank several sources for one target, best first.

        Parameters
        ----------
        target : Dataset or (X, y)
        sources : list of datasets, or mapping of name to dataset
            A dataset with the target's name is an error.
        on_result : callable, optional
            Called with the Comparison of each source as soon as it is finished.

        Returns
        -------
        Ranking
        """
        check_callback(on_result)
        datasets = for_ranking(target, sources)
        first, *others = (d.name for d in datasets)
        pairs = [(first, name) for name in others]
        measurement = _prepare(datasets, pairs, self, [first], "auto")

        def tell(table: ErrorTable, target: str, source: str) -> None:
            assert on_result is not None
            on_result(compare_pair(table, target, source))

        said = f"Interrupted with {{}} of {len(pairs)} sources finished."
        table = measured(
            measurement, said.format, lambda t: rank_sources(t, first), on_result and tell
        )
        ranking = rank_sources(table, first)
        announce(ranking)
        return ranking

    def matrix(self, datasets: Any) -> Matrix:
        """Compare every dataset with every other.

        Parameters
        ----------
        datasets : list of datasets, or mapping of name to dataset

        Returns
        -------
        Matrix
        """
        members = for_matrix(datasets)
        names = [d.name for d in members]
        if self.direction != 0.5:
            raise DatakinError(
                f"A matrix is symmetric: the 'direction' parameter must be 0.5. "
                f"Got {self.direction!r}; use rank for one direction."
            )
        measurement = _prepare(members, list(combinations(names, 2)), self, (), "sums")

        def said(n_pairs: int) -> str:
            done = complete_names(measurement.table(complete=False))
            return f"Interrupted with {len(done)} of {len(members)} datasets finished."

        result, told = fill_matrix(measured(measurement, said, make_matrix))
        announce(told)
        return result


def _checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse options that there are not, saying where they went or belong."""
    known = CrossLearningScore.__dataclass_fields__
    for option in options:
        if option == "method":
            raise DatakinError(
                f"The 'method' option is gone: distances have calls of their own, such as "
                f"datakin.distances.rank(target, sources, method={options[option]!r})."
            )
        if option in READING:
            raise DatakinError(
                f"{option!r} belongs to reading: datakin.read_table(table, {option}=...) makes a "
                f"dataset to compare."
            )
        if option not in known:
            raise DatakinError(
                f"Unknown option {option!r}. The options are {listed(known, limit=30)}."
                f"{suggest(option, known)}"
            )
    return dict(options)


def _chosen_models(options: Options, is_class: bool) -> tuple[Model, ...]:
    """Return the models for the task, and check that `estimate` is one of what they give."""
    models = choose_models(options.models, is_class)
    names = [model.name for model in models]
    if options.estimate in (*AGGREGATES, *names):
        return models
    if options.models is None:
        known = {m.name: m for m in choose_models("extended", is_class)}
        if options.estimate in known:  # a model of the extended zoo, asked for by name alone
            return (*models, known[options.estimate])
    raise DatakinError(
        f"The 'estimate' parameter must be one of {listed((*AGGREGATES, *names), limit=12)}. "
        f"Got {options.estimate!r} instead.{suggest(str(options.estimate), [*AGGREGATES, *names])}"
    )


def _prepare(
    datasets: Sequence[Dataset],
    pairs: Sequence[tuple[str, str]],
    options: Options,
    trials: Sequence[str],
    keep: str,
) -> Measurement:
    """Return a measurement that is ready to run."""
    models = _chosen_models(options, bool(datasets[0].classes))
    # A pool is tried with the forecasts' learner where it is the simplest model: others may take
    # long, and a pair should cost next to nothing.
    learner = learner_of([model.name for model in models], options.estimate)
    is_quick = any(m.name == learner and m.backend is not None for m in models)
    return Measurement(
        datasets,
        pairs,
        options,
        models,
        LOOKS,
        trials=trials,
        pool_model=learner if learner in SIMPLEST and is_quick else None,
        keep=choose_keep(datasets, pairs, options, len(models), keep),
    )


def _growth(table: ErrorTable, target: str, source: str) -> tuple[bool, str | None]:
    """Return whether the samples of a pair are large enough, and what to say if they cannot be."""
    pair = make_pair(table, target, source)
    wanted = table.options.precision
    if not pair.members[0].classes:
        wanted *= float(np.mean([member.best_constant for member in pair.members]))
    ways = [(way.directions, way.groups) for way in pair.ways if isinstance(way, RowsWay)]
    is_sampled = (pair.members[0].is_sampled, pair.members[1].is_sampled)
    found = measure_growth(ways, pair.factors, is_sampled, table.options.estimate, wanted)
    return found.is_enough, found.note


def _reduce(table: ErrorTable, target: str, source: str) -> tuple[tuple[WaySums, WaySums], Any]:
    """Return the sums of both directions, and what each row adds to them."""
    pair = make_pair(table, target, source)
    forth, back = (
        summed(way, table.options.estimate) for way in pair.ways if isinstance(way, RowsWay)
    )
    return (forth, back), [what_rows_add(pair, way) for way in (0, 1)]


LOOKS = Looks(_growth, _reduce, grams_of_all)


def _named_pairs(pairs: Any, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs asked for as names."""
    if isinstance(pairs, str):
        if pairs == "all" and "all" not in names:
            return list(combinations(names, 2))
        _check_name(pairs, names, "pairs")
        return [(pairs, name) for name in names if name != pairs]
    found = []
    for item in pairs if isinstance(pairs, (list, tuple)) else [pairs]:
        if not isinstance(item, (list, tuple)) or len(item) != 2 or item[0] == item[1]:
            raise DatakinError(
                f"The 'pairs' parameter must be 'all', the name of a target, or a list of pairs of two "
                f"names. Got {item!r}."
            )
        for name in item:
            _check_name(name, names, "pairs")
        found.append((str(item[0]), str(item[1])))
    if not found:
        raise DatakinError("The 'pairs' parameter must name at least one pair. Got none.")
    if len({frozenset(pair) for pair in found}) < len(found):
        raise DatakinError("The 'pairs' parameter must name every pair once, in one order.")
    return found


def _named_trials(trials: Any, names: Sequence[str]) -> list[str]:
    """Return the targets for which pools are tried."""
    if trials is None:
        return []
    if isinstance(trials, str):
        trials = list(names) if trials == "all" and "all" not in names else [trials]
    for name in trials:
        _check_name(name, names, "trials")
    return list(trials)


def _check_name(name: Any, names: Sequence[str], option: str) -> None:
    if name not in names:
        raise DatakinError(
            f"The '{option}' parameter names datasets. There is no {name!r}; the datasets are "
            f"{listed(names, limit=12)}.{suggest(name, names)}"
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
    >>> y = (X[:, 0] > 0).astype(int)
    >>> result = score((X[:200], y[:200]), (X[200:], y[200:]), models=["logistic"])
    >>> abs(result.score) < 0.05
    True
    """
    return CrossLearningScore(**_checked(options)).compare(target, source)


def rank(
    target: Any,
    sources: Any,
    *,
    on_result: Callable[[Comparison], None] | None = None,
    **options: Any,
) -> Ranking:
    """Rank sources for a target, best first.

    Parameters
    ----------
    target : Dataset or (X, y)
    sources : list of datasets, or mapping of name to dataset
    on_result : callable, optional
        Called with the Comparison of each source as soon as it is finished.
    **options
        As in `CrossLearningScore`.

    Returns
    -------
    Ranking
    """
    return CrossLearningScore(**_checked(options)).rank(target, sources, on_result=on_result)


def matrix(datasets: Any, **options: Any) -> Matrix:
    """Compare all datasets with each other.

    Parameters
    ----------
    datasets : list of datasets, or mapping of name to dataset
    **options
        As in `CrossLearningScore`.

    Returns
    -------
    Matrix
    """
    return CrossLearningScore(**_checked(options)).matrix(datasets)
