"""score, rank and matrix: from datasets to results, each dataset fitted once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import combinations
from typing import Any

from datakin._core.checks import check_options
from datakin._core.exceptions import DatakinError, Interrupted
from datakin._core.notes import announce
from datakin._core.progress import check_callback
from datakin.data import for_comparison, for_matrix, for_ranking
from datakin.results import Comparison, Matrix, Ranking
from datakin.scoring.matrices import make_matrix
from datakin.scoring.options import MAX_ROWS, Options
from datakin.scoring.rankings import make_ranking
from datakin.scoring.run import Run

__all__ = ["CrossLearningScore", "matrix", "rank", "score"]


class CrossLearningScore:
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

    def __init__(
        self,
        models: Any = None,
        *,
        estimate: str = "ensemble",
        cv: int = 5,
        loss: Any = "auto",
        sharpness: float = 500.0,
        direction: float = 0.5,
        size: str = "matched",
        inner: str = "shared",
        stratify: bool = True,
        voting: str = "soft",
        weighting: str = "scaled",
        zones: str = "gain",
        zone_error: str = "rows",
        repeats: int = 1,
        max_rows: int | None = MAX_ROWS,
        precision: float = 0.005,
        random_state: int = 0,
        n_jobs: int | None = None,
        client: Any = None,
        checkpoint: Any = None,
        skip_unusable: bool = False,
        **others: Any,
    ) -> None:
        _refuse(others, "compare(target, source, {})", "measures a distance")
        self.options = Options(
            models,
            estimate,
            cv,
            loss,
            sharpness,
            direction,
            size,
            inner,
            stratify,
            voting,
            weighting,
            zones,
            zone_error,
            repeats,
            max_rows,
            precision,
            random_state,
            n_jobs,
            client,
            checkpoint,
            skip_unusable,
        )
        self.options.check()

    def __repr__(self) -> str:
        standard = Options()
        changed = [
            f"{name}={getattr(self.options, name)!r}"
            for name in standard.__dataclass_fields__
            if getattr(self.options, name) != getattr(standard, name)
        ]
        return f"CrossLearningScore({', '.join(changed)})"

    def compare(self, target: Any, source: Any) -> Comparison:
        """Compare one target with one source.

        Parameters
        ----------
        target, source : Dataset or (X, y)

        Returns
        -------
        Comparison
        """
        run = Run(for_comparison(target, source), [(0, 1)], self.options)
        if run.interrupted:
            raise Interrupted("Interrupted before the pair was finished.")
        comparison = run.comparisons[0, 1]
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
        datasets = for_ranking(target, sources)
        pairs = [(0, j) for j in range(1, len(datasets))]
        check_callback(on_result)
        run = Run(datasets, pairs, self.options, on_result=on_result)
        ranking = make_ranking(run)
        found = tuple(ranking or ())
        if run.interrupted:
            raise Interrupted(
                f"Interrupted with {len(found)} of {len(datasets) - 1} sources finished.", ranking
            )
        assert ranking is not None
        announce(found)
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
        if self.options.direction != 0.5:
            raise DatakinError(
                f"A matrix is symmetric: the 'direction' parameter must be 0.5. "
                f"Got {self.options.direction!r}; use rank for one direction."
            )
        pairs = list(combinations(range(len(members)), 2))
        run = Run(members, pairs, self.options, as_cells=True)
        if run.interrupted:
            done = run.complete_datasets()
            partial = make_matrix(run, done) if len(done) > 1 else None
            raise Interrupted(
                f"Interrupted with {len(done)} of {len(members)} datasets finished.", partial
            )
        result = make_matrix(run, run.complete_datasets())
        announce(run.cells.values())
        return result


def _refuse(options: dict[str, Any], call: str, does: str) -> None:
    """Refuse options that the score does not have; `call` does what a method= was once for."""
    if "method" in options:
        call = call.format(f"method={options['method']!r}")
        instead = f"datakin.distances.{call} {does}"
        if options["method"] == "cls":
            instead = "leave it out to get the Cross-Learning Score"
        raise DatakinError(f"The 'method' option is gone: {instead}.")
    known = [name for name in inspect.signature(CrossLearningScore).parameters if name != "others"]
    check_options(options, known, "a score")


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
    _refuse(options, "compare(target, source, {})", "measures a distance")
    return CrossLearningScore(**options).compare(target, source)


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
    _refuse(options, "rank(target, sources, {})", "ranks by a distance")
    return CrossLearningScore(**options).rank(target, sources, on_result=on_result)


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
    _refuse(options, "matrix(datasets, {})", "compares all by a distance")
    return CrossLearningScore(**options).matrix(datasets)
