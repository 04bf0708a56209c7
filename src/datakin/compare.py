"""score, rank and matrix: from datasets to results, each dataset fitted once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, DatakinWarning, Interrupted, listed, suggest
from datakin.data import Dataset, Pairing, coerce, pair
from datakin.results import Comparison, Matrix, Ranking
from datakin.results.record import make_provenance
from datakin.results.zones import Zone
from datakin.scoring.identity import compare_with_itself
from datakin.scoring.options import Options
from datakin.scoring.pairs import Side, compare_pair
from datakin.scoring.units import Test, Unit, UnitResult, run_units

__all__ = ["METHODS", "CrossLearningScore", "matrix", "rank", "score"]

MIN_TEST_ROWS = 10
Pairs = dict[tuple[int, int], Pairing]


class CrossLearningScore:
    """The Cross-Learning Score of pairs of labelled datasets.

    Train on each dataset, test on the other, subtract what each achieves on itself, average both
    ways. Small means kin.

    Parameters
    ----------
    models : None, "extended", list of names or mapping of name to estimator
        None: logistic (or linear) regression, linear and radial support vector machine, XGBoost.
        "extended" adds a quadratic model and a random forest.
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
        samples of one distribution. "paper": the other dataset's predictor has seen all its rows.
        "limit": the matched score extrapolated to infinitely many rows.
    inner : {"shared", "fresh"}
        Inner folds are the other outer folds, or drawn anew (slower, the paper to the letter).
    voting : {"soft", "hard"}
        The ensemble averages probabilities or counts votes.
    weighting : {"scaled", "paper"}
        Regression: losses are divided by that of the best constant before models are weighted, or
        taken as they are, as in the paper.
    zones : {"paper"}
        The rule for zones.
    zone_error : {"rows", "folds"}
        How the standard error of the baseline error is found.
    repeats : int
        Number of fold seeds to average over.
    random_state : int
        Root seed.
    n_jobs : int, optional
        Number of threads; -1 for all cores. Changes no number.

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
        voting: str = "soft",
        weighting: str = "scaled",
        zones: str = "paper",
        zone_error: str = "rows",
        repeats: int = 1,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.options = Options(
            models,
            estimate,
            cv,
            loss,
            sharpness,
            direction,
            size,
            inner,
            voting,
            weighting,
            zones,
            zone_error,
            repeats,
            random_state,
            n_jobs,
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
        datasets = [coerce(target, "target"), coerce(source, "source")]
        if datasets[0].name == datasets[1].name:
            if datasets[0].fingerprint == datasets[1].fingerprint:
                datasets[1] = datasets[1].renamed(f"{datasets[1].name} (again)")
            else:
                _check_names(datasets)
        run = _Run(datasets, [(0, 1)], self.options)
        if run.interrupted:
            raise Interrupted("Interrupted before the pair was finished.")
        comparison = run.comparisons[0, 1]
        _announce([comparison])
        return comparison

    def rank(self, target: Any, sources: Any) -> Ranking:
        """Rank several sources for one target, closest kin first.

        Parameters
        ----------
        target : Dataset or (X, y)
        sources : list of datasets, or mapping of name to dataset
            A dataset with the target's name is an error.

        Returns
        -------
        Ranking
        """
        datasets = [coerce(target, "target"), *_collect(sources, "source")]
        if len(datasets) < 2:
            raise DatakinError("A ranking needs at least one source. Got none.")
        _check_names(datasets)
        run = _Run(datasets, [(0, j) for j in range(1, len(datasets))], self.options)
        found = tuple(sorted(run.comparisons.values(), key=lambda c: (c.score, c.source)))
        ranking = Ranking(datasets[0].name, found, run.n_fits) if found else None
        if run.interrupted:
            raise Interrupted(
                f"Interrupted with {len(found)} of {len(datasets) - 1} sources finished.", ranking
            )
        assert ranking is not None
        _announce(found)
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
        members = _collect(datasets, "dataset")
        if len(members) < 2:
            raise DatakinError(f"A matrix needs at least two datasets. Got {len(members)}.")
        _check_names(members)
        run = _Run(members, list(combinations(range(len(members)), 2)), self.options)
        if run.interrupted:
            done = run.complete_datasets()
            partial = _make_matrix(run, done) if len(done) > 1 else None
            raise Interrupted(
                f"Interrupted with {len(done)} of {len(members)} datasets finished.", partial
            )
        result = _make_matrix(run, range(len(members)))
        _announce(run.comparisons.values())
        return result


class _Run:
    """Pairs agreed on, units run once each, comparisons built from what is finished."""

    def __init__(
        self, datasets: Sequence[Dataset], pairs: Iterable[tuple[int, int]], options: Options
    ) -> None:
        self.datasets, self.options = list(datasets), options
        models = options.chosen_models(bool(datasets[0].classes))
        self.pairings: Pairs = {(i, j): pair(datasets[i], datasets[j]) for i, j in pairs}
        self.units: dict[tuple[int, tuple[str, ...]], Unit] = {}
        self.position: dict[tuple[int, int], int] = {}
        for (i, j), common in self.pairings.items():
            if not common.identical:
                self._check_rows(i, j, common)
                self._plan_test(i, j, common, common.shared_source)
                self._plan_test(j, i, common, common.shared_target)
        results, self.interrupted = run_units(list(self.units.values()), models, options)
        self.results: dict[tuple[int, tuple[str, ...]], UnitResult | None] = dict(
            zip(self.units, results, strict=True)
        )
        self.n_fits = sum(
            learner.n_fits for r in results if r is not None for learner in r.learners
        )
        self.comparisons: dict[tuple[int, int], Comparison] = {}
        for (i, j), common in self.pairings.items():
            comparison = self._compare(i, j, common)
            if comparison is not None:
                self.comparisons[i, j] = comparison

    def _check_rows(self, i: int, j: int, common: Pairing) -> None:
        for dataset, shared in (
            (self.datasets[i], common.shared_target),
            (self.datasets[j], common.shared_source),
        ):
            left = int((~shared).sum())
            if left < MIN_TEST_ROWS:
                other = self.datasets[j if dataset is self.datasets[i] else i].name
                raise DatakinError(
                    f"Two datasets must differ in at least {MIN_TEST_ROWS} rows each. "
                    f"Of {dataset.n_rows} rows of {dataset.name!r}, {dataset.n_rows - left} also stand in "
                    f"{other!r}: remove them there."
                )

    def _plan_test(self, i: int, j: int, common: Pairing, left_out: Any) -> None:
        unit = self.units.setdefault((i, common.columns), Unit(self.datasets[i], common.columns))
        self.position[i, j] = len(unit.tests)
        unit.tests.append(Test(self.datasets[j], common.classes, left_out))

    def _side(self, i: int, j: int, common: Pairing) -> Side | None:
        result = self.results[i, common.columns]
        if result is None:
            return None
        at = self.position[i, j]
        return Side(self.datasets[i], result.learners, [tests[at] for tests in result.crosses])

    def _compare(self, i: int, j: int, common: Pairing) -> Comparison | None:
        datasets = self.datasets[i], self.datasets[j]
        provenance = make_provenance(
            self.options.random_state,
            self.options.summary(),
            {d.name: d.fingerprint for d in datasets},
        )
        if common.identical:
            return compare_with_itself(*datasets, self.options, provenance)
        target, source = self._side(i, j, common), self._side(j, i, common)
        if target is None or source is None:
            return None
        return compare_pair(target, source, common, self.options, provenance)

    def complete_datasets(self) -> list[int]:
        """Return the datasets that have a comparison with each other."""
        done: list[int] = []
        for i in range(len(self.datasets)):
            if all((min(i, j), max(i, j)) in self.comparisons for j in done):
                finished = all(r is not None for (k, _), r in self.results.items() if k == i)
                if finished:
                    done.append(i)
        return done


def _make_matrix(run: _Run, members: Iterable[int]) -> Matrix:
    members = list(members)
    n = len(members)
    names = tuple(run.datasets[i].name for i in members)
    blank = np.zeros((n, n))
    scores, spreads, lows, highs, thresholds = (blank.copy() for _ in range(5))
    errors = np.full((n, n), np.nan)
    zones = [[Zone.POSITIVE] * n for _ in range(n)]
    notes: list[str] = []
    for a, b in combinations(range(n), 2):
        c = run.comparisons[members[a], members[b]]
        for array, value in (
            (scores, c.score),
            (spreads, c.standard_error),
            (lows, c.interval[0]),
            (highs, c.interval[1]),
            (thresholds, c.decision.high),
        ):
            array[a, b] = array[b, a] = value
        zones[a][b] = zones[b][a] = c.zone
        own, cross = c.own_errors, c.cross_errors
        if own:
            errors[a, a], errors[b, b] = own[names[a]], own[names[b]]
        errors[a, b], errors[b, a] = (cross.get(name, np.nan) for name in (names[a], names[b]))
        notes += [note for note in c.notes if note not in notes]
    provenance = make_provenance(
        run.options.random_state,
        run.options.summary(),
        {run.datasets[i].name: run.datasets[i].fingerprint for i in members},
    )
    return Matrix(
        names,
        scores,
        spreads,
        lows,
        highs,
        errors,
        tuple(tuple(row) for row in zones),
        thresholds,
        run.n_fits,
        tuple(notes),
        provenance,
    )


def _collect(data: Any, stem: str) -> list[Dataset]:
    if isinstance(data, Mapping):
        return [coerce(d, str(name)).renamed(str(name)) for name, d in data.items()]
    if isinstance(data, (list, tuple)):
        return [coerce(d, f"{stem} {i}") for i, d in enumerate(data, start=1)]
    raise DatakinError(
        f"Several datasets must come as a list, or as a mapping of name to dataset. "
        f"Got {type(data).__name__}."
    )


def _check_names(datasets: Sequence[Dataset]) -> None:
    names = [d.name for d in datasets]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatakinError(
            f"Datasets must have different names. Got more than one named {listed(twice)}; "
            f"pass name= when reading them, or a mapping of name to dataset."
        )


def _announce(comparisons: Iterable[Comparison], limit: int = 6) -> None:
    """Warn once about what the user should know of the pairs."""
    notes = list(dict.fromkeys(note for c in comparisons for note in c.notes))
    if notes:
        more = [f"... and {len(notes) - limit} more (see .notes)"] if len(notes) > limit else []
        warnings.warn("; ".join([*notes[:limit], *more]), DatakinWarning, stacklevel=4)


METHODS: dict[str, Any] = {"cls": CrossLearningScore}


def _method(name: str, options: dict[str, Any]) -> Any:
    if name not in METHODS:
        raise DatakinError(
            f"The 'method' parameter must be one of {listed(METHODS)}. "
            f"Got {name!r} instead.{suggest(name, METHODS)}"
        )
    try:
        return METHODS[name](**options)
    except TypeError as error:
        unknown = str(error).rpartition("argument ")[2].strip("'")
        known = Options.__dataclass_fields__
        raise DatakinError(
            f"Unknown option {unknown!r}. "
            f"The options are {listed(known, limit=20)}.{suggest(unknown, known)}"
        ) from None


def score(target: Any, source: Any, *, method: str = "cls", **options: Any) -> Comparison:
    """Tell how far a target and a source are kin.

    Parameters
    ----------
    target, source : Dataset or (X, y)
    method : str
        "cls", the Cross-Learning Score.
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
    comparison: Comparison = _method(method, options).compare(target, source)
    return comparison


def rank(target: Any, sources: Any, *, method: str = "cls", **options: Any) -> Ranking:
    """Rank sources for a target, closest kin first.

    Parameters
    ----------
    target : Dataset or (X, y)
    sources : list of datasets, or mapping of name to dataset
    method : str
    **options
        As in `CrossLearningScore`.

    Returns
    -------
    Ranking
    """
    ranking: Ranking = _method(method, options).rank(target, sources)
    return ranking


def matrix(datasets: Any, *, method: str = "cls", **options: Any) -> Matrix:
    """Compare all datasets with each other.

    Parameters
    ----------
    datasets : list of datasets, or mapping of name to dataset
    method : str
    **options
        As in `CrossLearningScore`.

    Returns
    -------
    Matrix
    """
    result: Matrix = _method(method, options).matrix(datasets)
    return result
