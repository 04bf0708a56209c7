"""From rows to a fitted stack: passes over redrawn folds, the sources that count, honest predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from datakin.data.features import Array
from datakin.learners.learner import Learner, Predictor, Rows
from datakin.learners.losses import Judge
from datakin.learners.predictors import StackPredictor
from datakin.learners.stack.candidates import BOTH, Candidate, Run, Stack, serially
from datakin.learners.stack.weights import (
    CHOOSING,
    ONE_SOURCE,
    PREDICTING,
    WITHOUT_POOLS,
    Mix,
    Style,
    mix,
)

CUT = 0.05  # share of the prediction below which a source is left out
WINDOW = (0.03, 0.08)  # where the cut is looked for: in the widest gap between shares
LEAST_WEIGHT = 0.001  # of a candidate that is kept
SETTLED = 3  # answers in a row that must agree before no more folds are drawn
CLEAR = 2.0  # standard errors that every share must lie away from the cut

Folds = Callable[[int], Array]
Advance = Callable[[int, Array], None]


@dataclass
class Passes:
    """Held-out predictions of a stack for several draws of the folds, and the weights they give.

    For each draw there are the folds, predictions of shape (candidates, n, m), a mix to predict with, and
    one to tell which sources count.
    """

    stack: Stack
    row_weights: Array
    folds: list[Array] = field(default_factory=list)
    predictions: list[Array] = field(default_factory=list)
    mixes: list[Mix] = field(default_factory=list)
    choosing: list[Mix] = field(default_factory=list)

    def add(self, folds: Array, known: Array | None = None, *, pools: bool = True) -> None:
        """Take one more draw of the folds; `known` if its predictions are there already.

        Without pools, only looks at the target alone and at single sources may follow.
        """
        draw = len(self.folds)
        P = self.stack.held_out(folds, draw, pools=pools) if known is None else known
        self.folds.append(folds)
        self.predictions.append(P)
        if pools:
            everything = np.ones(len(P), dtype=bool)
            style = PREDICTING if self.stack.has_pools else ONE_SOURCE
            self.mixes.append(self._mix(draw, everything, style))
            self.choosing.append(self._mix(draw, everything, CHOOSING))

    def first(self, n_draws: int) -> Passes:
        """Return the first draws of the folds alone."""
        draws = ("folds", "predictions", "mixes", "choosing")
        return replace(self, **{name: getattr(self, name)[:n_draws] for name in draws})

    def _mix(self, draw: int, some: Array, style: Style, only: int | None = None) -> Mix:
        stack = self.stack
        own, pooled, sources = (each[some] for each in (stack.own, stack.pooled, stack.together))
        own = own if own.any() else np.ones(len(own), dtype=bool)
        if style.sources and not (pooled.any() or sources.any()):
            sources = ~own
        center = style.center(own, pooled, sources)
        P, folds = self.predictions[draw][some], self.folds[draw]
        return mix(P, stack.target.Y, self.row_weights, folds, own, style, center, only)

    def _some(self, keep: Callable[[Candidate], bool]) -> Array:
        return np.array([keep(candidate) for candidate in self.stack.candidates])

    @property
    def weights(self) -> Array:
        """Weights of the candidates, mean over the draws."""
        return np.asarray(np.mean([each.weights for each in self.mixes], axis=0))

    @property
    def shares(self) -> dict[str, float]:
        """Shares of the sources by the weights that they are chosen by."""
        return self.stack.shares(np.mean([each.weights for each in self.choosing], axis=0))

    @property
    def is_clear(self) -> bool:
        """Whether no source lies so near the cut that other folds could turn the answer."""
        names = self.stack.names
        if len(self.choosing) < 2 or not names:
            return not names
        each = [self.stack.shares(one.weights) for one in self.choosing]
        shares = np.array([[one[name] for name in names] for one in each])
        means, error = shares.mean(axis=0), shares.std(axis=0, ddof=1) / np.sqrt(len(each))
        return bool((np.abs(means - cut_of(means)) > CLEAR * error).all())

    def of(self, keep: Callable[[Candidate], bool], style: Style = ONE_SOURCE) -> list[Mix]:
        """Return the mixes of some of the candidates alone, such as those of one source."""
        some = self._some(keep)
        return [self._mix(draw, some, style) for draw in range(len(self.folds))]

    def of_fold(
        self, keep: Callable[[Candidate], bool], style: Style, draw: int, fold: int
    ) -> Array:
        """Return held-out predictions of one fold of one draw by some of the candidates."""
        found = self._mix(draw, self._some(keep), style, fold)
        return np.asarray(found.predictions[self.folds[draw] == fold])

    @property
    def alone(self) -> list[Mix]:
        """The mixes of what is learned from the target alone."""
        return self.of(lambda candidate: candidate.rows == "target")

    @property
    def pooled(self) -> list[Mix]:
        """The mixes of what is learned from the target and all sources in one pool."""
        return self.of(lambda candidate: candidate.rows == BOTH, PREDICTING)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A stack that has been fitted.

    Attributes
    ----------
    passes : Passes
        Of all sources.
    chosen : Passes
        Of the sources that are used: what predicts.
    honest : tuple of ndarray
        Held-out predictions, of each draw of the folds: what the error is stated from. For each fold the
        sources were chosen, and weighed, without its rows.
    used : tuple of str
    shares : dict of str to float
        Each source's share of the prediction, 0 for those that are not used.
    parts : tuple of (Candidate, weight, predictor)
    settled : bool
        Whether the sources used were the same in the last draws of the folds.
    interrupted : bool
        Whether Ctrl-C ended the draws.
    """

    passes: Passes
    chosen: Passes
    honest: tuple[Array, ...]
    used: tuple[str, ...]
    shares: dict[str, float]
    parts: tuple[tuple[Candidate, float, Predictor], ...]
    settled: bool
    interrupted: bool = False

    def predictor(self, judge: Judge) -> StackPredictor:
        """Return what predicts new rows, classes by the rule of a judge."""
        parts = tuple(
            (c.learner, f"source: {c.source}" if c.source else c.rows, weight, predictor)
            for c, weight, predictor in self.parts
        )
        return StackPredictor(parts, judge.kind, judge.classes, judge.shares)


def fit_stack(
    target: Rows,
    sources: Mapping[str, Rows],
    learners: Sequence[Learner],
    folds: Folds,
    *,
    repeats: tuple[int, int] = (3, 3),
    pools: bool = True,
    seed: int = 0,
    run: Run = serially,
    ready: Mapping[tuple[str, str], Predictor] | None = None,
    kept: Mapping[int, Array] | None = None,
    advance: Advance = lambda repeat, predictions: None,
) -> Fitted:
    """Fit the candidates, find their weights, leave out the sources that hardly count.

    Parameters
    ----------
    target, sources, learners, seed, run, ready, pools
        As in `Stack`.
    folds : callable
        ``folds(repeat)`` returns the fold of each row of the target.
    repeats : (int, int)
        Least and largest number of draws of the folds.
    kept : mapping of repeat to predictions
        Draws that are there already, from a checkpoint.
    advance : callable
        Called after each draw of the folds, with its number and predictions.
    """
    own: dict[tuple[str, int], tuple[Array, Array]] = {}
    shared: dict[str, Any] = {"seed": seed, "run": run, "own": own, "pools": pools}
    stack = Stack(target, sources, learners, ready=ready, **shared)
    stack.fit_sources()
    passes, answers = Passes(stack, target.weights), []
    least, most = repeats if stack.names else (repeats[0], repeats[0])
    settled = interrupted = False
    for repeat in range(most):
        try:
            passes.add(folds(repeat), (kept or {}).get(repeat))
        except KeyboardInterrupt:
            if not passes.mixes:
                raise
            interrupted = True  # what is there is an answer
            break
        answers.append(used_sources(passes.shares))
        advance(repeat, passes.predictions[-1])
        settled = len(set(answers[-SETTLED:])) == 1 and passes.is_clear
        if repeat + 1 >= least and settled:
            break
    used = answers[-1]
    chosen = passes
    if len(used) < len(stack.names):
        some = {name: rows for name, rows in stack.sources.items() if name in used}
        fits = {key: fit for key, fit in stack.fits.items() if key[1] in some}
        still = {key: fit for key, fit in (ready or {}).items() if key[1] in used}
        smaller = Stack(target, some, learners, known=fits, ready=still, **shared)
        smaller.fit_sources()
        chosen = Passes(smaller, target.weights)
        for each in passes.folds:
            chosen.add(each)
    weights = chosen.weights
    shares = dict.fromkeys(stack.names, 0.0) | chosen.stack.shares(weights)
    parts = tuple(chosen.stack.predictors(weights, LEAST_WEIGHT))
    honest = tuple(_judged(passes, chosen, used))
    return Fitted(passes, chosen, honest, used, shares, parts, settled, interrupted)


def held_out(mixes: Sequence[Mix]) -> list[Array]:
    """Return the held-out predictions of mixes, one for each draw of the folds."""
    return [each.predictions for each in mixes]


def _judged(passes: Passes, chosen: Passes, used: tuple[str, ...]) -> list[Array]:
    """Return held-out predictions by sources that were chosen without the fold that is predicted.

    Where the other folds choose what all rows do, or all sources, or none, it is the same stack. Where
    they choose others, it is a mix of what was learned from the target and from each of these: pools of
    them are not fitted for this alone.
    """
    stack = passes.stack
    known = {(): passes.alone, tuple(stack.names): passes.mixes, used: chosen.mixes}
    if not used:
        known[used] = passes.alone
    style = WITHOUT_POOLS if stack.has_pools else ONE_SOURCE
    found = []
    for draw, folds in enumerate(passes.folds):
        predictions = np.empty_like(passes.mixes[draw].predictions)
        for k, weights in enumerate(passes.choosing[draw].by_fold):
            some, at = used_sources(stack.shares(weights)), folds == k
            if some in known:
                predictions[at] = known[some][draw].predictions[at]
            else:
                predictions[at] = passes.of_fold(partial(_is_among, set(some)), style, draw, k)
        found.append(predictions)
    return found


def _is_among(kept: set[str], candidate: Candidate) -> bool:
    return candidate.rows == "target" or candidate.source in kept


def used_sources(shares: Mapping[str, float]) -> tuple[str, ...]:
    """Return the sources whose share is worth having, by name."""
    cut = cut_of(list(shares.values()))
    return tuple(sorted(name for name, share in shares.items() if share >= cut))


def cut_of(shares: Sequence[float]) -> float:
    """Return the share from which a source is used.

    It lies in the widest gap between shares around 5%, so that small changes of the shares do not
    change which sources are used.

    Examples
    --------
    >>> round(cut_of([0.3, 0.052, 0.01]), 3)
    0.066
    >>> cut_of([0.3, 0.2])
    0.05
    """
    low, high = WINDOW
    ends = np.clip(np.sort([low, *shares, high]), low, high)
    widest = int(np.argmax(np.diff(ends)))
    first, last = ends[widest : widest + 2]
    is_free = first <= CUT <= last and last - first >= (high - low) * 0.99
    return CUT if is_free else float(first + last) / 2
