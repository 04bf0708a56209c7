"""The candidates of a stack: fits on the target, on its sources, and on both; predictions held out.

For each learner: the target alone, the target with all sources, all sources together, and each source
by itself. Fits on sources never see the target, so they predict its rows as they are. Fits that hold
rows of the target predict each fold of it from the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Learner, Predictor, Rows, predicted
from datakin.learners.stack.evidence import ALL, BOTH, TARGET, Candidate, Evidence

MOST_POOLED = 20_000  # rows of all sources in one pool


@dataclass(frozen=True, eq=False)
class SourceFit:
    """A fit that never saw the target.

    What its rows tell about penalties, and its predictions of the target's rows, of shape (n, m).
    """

    predictor: Predictor
    told: Array
    on_target: Array


Task = Callable[[], Any]
Run = Callable[[Sequence[Task]], list[Any]]


def serially(tasks: Sequence[Task]) -> list[Any]:
    """Run tasks one after the other."""
    return [task() for task in tasks]


class Stack:
    """All candidates of one target and its sources.

    Parameters
    ----------
    target : Rows
    sources : mapping of str to Rows
    learners : sequence of Learner
    seed : int
        Of what is drawn later: halves of the target, other weights of its rows. Rows that are drawn where
        there are too many for a learner do not depend on it.
    run : callable
        Runs a list of tasks and returns what they return, in order.
    known : mapping of (learner, source) to SourceFit
        Fits that are there already.
    ready : mapping of (learner, source) to Predictor
        Fits of sources whose rows are not here, from an earlier stack with the same columns: they are
        candidates, and in no pool.
    alone : Rows, optional
        The target's rows as they are learned from without sources, where that is not the same.
    pools : bool
        Whether there are candidates that learn from several tables together.
    own : dict of (learner, repeat) to (predictions, told)
        Held-out predictions of the target alone; filled here, to be shared with other stacks of the
        same target.
    """

    def __init__(
        self,
        target: Rows,
        sources: Mapping[str, Rows],
        learners: Sequence[Learner],
        *,
        seed: int = 0,
        run: Run = serially,
        known: Mapping[tuple[str, str], SourceFit] | None = None,
        own: dict[tuple[str, int], tuple[Array, Array]] | None = None,
        ready: Mapping[tuple[str, str], Predictor] | None = None,
        pools: bool = True,
        alone: Rows | None = None,
    ) -> None:
        self.target, self.learners, self.seed, self.run = target, tuple(learners), seed, run
        self.alone = target if alone is None else alone
        # By name: the order in which sources are given changes no number.
        self.sources = {name: sources[name] for name in sorted(sources)}
        self.fits = dict(known or {})
        self.has_pools = pools and bool(self.sources)
        self.ready = dict(sorted((ready or {}).items()))
        for key, predictor in self.ready.items():
            on_target = predicted(predictor, target.X, target.table)
            self.fits[key] = SourceFit(predictor, np.zeros(0), on_target)
        self.own_passes = {} if own is None else own
        self._pools: dict[str, tuple[Rows, Rows]] = {}
        self.candidates = tuple(self._list())

    def evidence(self, groups: Array | None = None) -> Evidence:
        """Return the evidence, before any fold is drawn; `groups` are rows that belong together."""
        target, sizes = self.target, {name: len(rows) for name, rows in self.sources.items()}
        return Evidence(target.kind, target.Y, target.weights, groups, self.candidates, sizes)

    @property
    def _has_all(self) -> bool:
        """Whether all sources together are more than one of them."""
        return self.has_pools and len(self.sources) > 1

    def _list(self) -> list[Candidate]:
        found = []
        for learner in self.learners:
            found.append(Candidate(learner.name, TARGET))
            if self.has_pools:
                found.append(Candidate(learner.name, BOTH))
            if self._has_all:
                found.append(Candidate(learner.name, ALL))
            found += [Candidate(learner.name, "source", name) for name in self.sources]
        # What is ready may come from learners that are not used any more.
        found += [Candidate(learner, "source", name) for learner, name in self.ready]
        return found

    def fit_sources(self, *, pools: bool = True) -> None:
        """Fit every learner on each source and, perhaps, on all of them together."""
        wanted = {
            (learner.name, name): (learner, self._cut(learner, rows, name))
            for learner in self.learners
            for name, rows in self.sources.items()
            if (learner.name, name) not in self.fits
        }
        if pools and self._has_all:
            wanted |= {(each.name, ""): (each, self.pool(each)[0]) for each in self.learners}
        tasks = [partial(_fit_source, *each, self.target) for each in wanted.values()]
        self.fits |= dict(zip(wanted, self.run(tasks), strict=True))

    def pool(self, learner: Learner) -> tuple[Rows, Rows]:
        """Return the rows of all sources, and the target's with them, cut where they are too many."""
        if learner.name not in self._pools:
            first, *others = self.sources.values()
            pool = self._cut(learner, first.below(*others) if others else first, "")
            self._pools[learner.name] = pool, self.target.below(pool)
        return self._pools[learner.name]

    def _cut(self, learner: Learner, rows: Rows, name: str) -> Rows:
        most = getattr(learner, "most_rows", MOST_POOLED)
        if len(rows) <= most:
            return rows
        # Whatever the seed of the folds: it would stay the same over all of their draws.
        rng = np.random.default_rng(derive_seed(0, "rows", learner.name, name))
        return rows.take(np.sort(rng.permutation(len(rows))[:most]))

    def _all_told(self, learner: Learner) -> Array:
        name = "" if len(self.sources) > 1 else next(iter(self.sources))
        return self.fits[learner.name, name].told

    def held_out(self, folds: Array, repeat: int = 0, *, pools: bool = True) -> Array:
        """Return held-out predictions of shape (candidates, n, m) for one draw of the folds.

        Without pools, candidates that are pools get NaN: only looks at the others may follow.
        """
        self.predict_own(folds, repeat)
        nothing = np.full(self.target.Y.shape, np.nan)
        both: dict[str, Array] = {}
        if pools and self.has_pools:
            made = self.run([self._pooled(each, folds, repeat) for each in self.learners])
            both = {each.name: P for each, (P, _) in zip(self.learners, made, strict=True)}

        def of(candidate: Candidate) -> Array:
            name = candidate.learner
            if candidate.rows == TARGET:
                return self.own_passes[name, repeat][0]
            if candidate.rows == BOTH:
                return both.get(name, nothing)
            fit = self.fits.get((name, candidate.source))
            return nothing if fit is None else fit.on_target

        return np.array([of(candidate) for candidate in self.candidates])

    def predict_own(self, folds: Array, repeat: int) -> None:
        """Predict the folds of the target from the target alone."""
        new = [each for each in self.learners if (each.name, repeat) not in self.own_passes]
        done = self.run([partial(each.held_out, self.alone, folds) for each in new])
        for learner, found in zip(new, done, strict=True):
            self.own_passes[learner.name, repeat] = found

    def _pooled(self, learner: Learner, folds: Array, repeat: int) -> Task:
        """Return the task of predicting each fold from the target's others and all sources."""
        pool, rows = self.pool(learner)
        told = self.own_passes[learner.name, repeat][1]
        if getattr(learner, "refits", False) and len(pool) >= len(self.target):
            # Each fold is a fit. Where most rows are the sources', half as many folds tell as much.
            folds = folds // 2
        both = np.append(folds, np.full(len(pool), -1))
        return partial(learner.held_out, rows, both, [self._all_told(learner), told])

    def predictors(self, weights: Array, least: float) -> list[tuple[Candidate, float, Predictor]]:
        """Fit the candidates whose weight is worth it on all their rows; weights then sum to 1."""
        kept = [i for i, weight in enumerate(weights) if weight >= least]
        total = float(weights[kept].sum())
        some = [(self.candidates[i], float(weights[i]) / total) for i in kept]
        return [(candidate, weight, self._fitted(candidate)) for candidate, weight in some]

    def _fitted(self, candidate: Candidate) -> Predictor:
        if candidate.rows not in (TARGET, BOTH):
            return self.fits[candidate.learner, candidate.source].predictor
        learner = next(each for each in self.learners if each.name == candidate.learner)

        def few(rows: Rows) -> Rows:
            return learner.few(rows) if hasattr(learner, "few") else rows

        own, told = learner.fit(few(self.alone))
        if candidate.rows == TARGET:
            return own
        pool, whole = self.pool(learner)
        some = few(self.target)
        rows = whole if some is self.target else some.below(pool)
        return learner.fit(rows, [self._all_told(learner), told])[0]

    def pooled(self, folds: Sequence[Array]) -> dict[str, tuple[Array, ...]]:
        """Return predictions by the first learner from one pool of target and source, for draws of the folds.

        The target alone must have been predicted for these draws.
        """
        learner = self.learners[0]
        told = [self.own_passes[learner.name, repeat][1] for repeat in range(len(folds))]
        draws = list(zip(folds, told, strict=True))
        tasks = [
            partial(_pooled, learner, self.target, rows, self.fits[learner.name, name].told, draws)
            for name, rows in self.sources.items()
        ]
        return dict(zip(self.sources, self.run(tasks), strict=True))

    def halves(self, n_draws: int, groups: Array | None) -> tuple[Array, ...]:
        """Return predictions of the target's halves from each other, for some draws of them."""
        target, found = self.alone, []
        is_class = target.kind != "regression"
        y = target.codes if is_class else target.Y[:, 0]
        for draw in range(n_draws):
            seed = derive_seed(self.seed, "half", draw)
            folds = draw_folds(y, is_class, groups, seed, n_folds=2)
            tasks = [partial(learner.held_out, target, folds) for learner in self.learners]
            found.append(np.array([predictions for predictions, _ in self.run(tasks)]))
        return tuple(found)


def _fit_source(learner: Learner, rows: Rows, target: Rows) -> SourceFit:
    predictor, told = learner.fit(rows)
    return SourceFit(predictor, told, predicted(predictor, target.X, target.table))


def _pooled(
    learner: Learner, target: Rows, source: Rows, told: Array, draws: Sequence[tuple[Array, Array]]
) -> tuple[Array, ...]:
    """Return predictions of the target's rows, each from a pool without its fold."""
    both, never = target.below(source), np.full(len(source), -1)
    return tuple(
        learner.held_out(both, np.append(folds, never), [told, own])[0] for folds, own in draws
    )
