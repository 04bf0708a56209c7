"""Looks at the evidence of a target: weights of candidates, sources that count, honest predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from datakin.data.features import Array
from datakin.learners.stack.evidence import BOTH, Candidate, Evidence
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
SETTLED = 3  # answers in a row that must agree before no more folds are drawn
CLEAR = 2.0  # standard errors that every share must lie away from the cut


class Passes:
    """The draws of a target's evidence, read with weights: each mix is found when it is asked for, once.

    Of evidence without predictions of pools, only looks at the target alone and at single sources may follow.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._known: dict[tuple[str, int], Mix] = {}

    def add(self, folds: Array, predictions: Array) -> None:
        """Take one more draw of the folds."""
        self.evidence = self.evidence.with_draw(folds, predictions)

    @property
    def n_draws(self) -> int:
        """How often the folds were drawn."""
        return len(self.evidence.folds)

    def mix_of(self, draw: int, some: Array, style: Style, only: int | None = None) -> Mix:
        """Return the mix of some candidates in one draw, perhaps of one fold only."""
        evidence = self.evidence
        own, pooled, sources = (
            each[some] for each in (evidence.own, evidence.in_pools, evidence.together)
        )
        own = own if own.any() else np.ones(len(own), dtype=bool)
        if style.sources and not (pooled.any() or sources.any()):
            sources = ~own
        center = style.center(own, pooled, sources)
        P, folds = evidence.predictions[draw][some], evidence.folds[draw]
        return mix(P, evidence.Y, evidence.weights, folds, own, style, center, only)

    def _some(self, keep: Callable[[Candidate], bool]) -> Array:
        return np.array([keep(candidate) for candidate in self.evidence.candidates])

    def _once(self, name: str, keep: Callable[[Candidate], bool], style: Style) -> list[Mix]:
        """Return mixes that are asked for again and again, one for each draw."""
        some = self._some(keep)
        for draw in range(self.n_draws):
            if (name, draw) not in self._known:
                self._known[name, draw] = self.mix_of(draw, some, style)
        return [self._known[name, draw] for draw in range(self.n_draws)]

    @property
    def mixes(self) -> list[Mix]:
        """What predicts: all candidates."""
        style = PREDICTING if self.evidence.in_pools.any() else ONE_SOURCE
        return self._once("all", lambda candidate: True, style)

    @property
    def choosing(self) -> list[Mix]:
        """What tells which sources count."""
        return self._once("choosing", lambda candidate: True, CHOOSING)

    @property
    def alone(self) -> list[Mix]:
        """What is learned from the target alone."""
        return self._once("alone", lambda candidate: candidate.rows == "target", ONE_SOURCE)

    @property
    def pooled(self) -> list[Mix]:
        """What is learned from the target and all sources in one pool."""
        return self._once("pooled", lambda candidate: candidate.rows == BOTH, PREDICTING)

    @property
    def singles(self) -> dict[str, list[Mix]]:
        """By source: what is learned from the target and from it alone."""
        return {
            name: self._once(f"source {name}", partial(_is_among, {name}), ONE_SOURCE)
            for name in self.evidence.names
        }

    def of_fold(
        self, keep: Callable[[Candidate], bool], style: Style, draw: int, fold: int
    ) -> Array:
        """Return held-out predictions of one fold of one draw by some of the candidates."""
        found = self.mix_of(draw, self._some(keep), style, fold)
        return np.asarray(found.predictions[self.evidence.folds[draw] == fold])

    @property
    def weights(self) -> Array:
        """Weights of the candidates, mean over the draws."""
        return np.asarray(np.mean([each.weights for each in self.mixes], axis=0))

    def shares(self, n_draws: int | None = None) -> dict[str, float]:
        """Return shares of the sources by the weights they are chosen by, in all draws or the first."""
        found = [each.weights for each in self.choosing[:n_draws]]
        return self.evidence.shares(np.mean(found, axis=0))

    @property
    def is_clear(self) -> bool:
        """Whether no source lies so near the cut that other folds could turn the answer."""
        names = self.evidence.names
        if self.n_draws < 2 or not names:
            return not names
        each = [self.evidence.shares(one.weights) for one in self.choosing]
        shares = np.array([[one[name] for name in names] for one in each])
        means, error = shares.mean(axis=0), shares.std(axis=0, ddof=1) / np.sqrt(len(each))
        return bool((np.abs(means - cut_of(means)) > CLEAR * error).all())

    @property
    def is_settled(self) -> bool:
        """Whether the last draws of the folds agree on the sources that count, clearly."""
        last = range(max(self.n_draws - SETTLED, 0), self.n_draws)
        return len({used_sources(self.shares(n + 1)) for n in last}) == 1 and self.is_clear


@dataclass(frozen=True, eq=False)
class StackReading:
    """What the evidence of a target and its sources comes to.

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
    """

    passes: Passes
    chosen: Passes
    honest: tuple[Array, ...]
    used: tuple[str, ...]
    shares: dict[str, float]


def read_stack(passes: Passes, chosen: Passes) -> StackReading:
    """Read the evidence of all sources, and of those that are used."""
    used, evidence = used_sources(passes.shares()), passes.evidence
    shares = dict.fromkeys(evidence.names, 0.0) | chosen.evidence.shares(chosen.weights)
    return StackReading(passes, chosen, tuple(_judged(passes, chosen, used)), used, shares)


def held_out(mixes: Sequence[Mix]) -> list[Array]:
    """Return the held-out predictions of mixes, one for each draw of the folds."""
    return [each.predictions for each in mixes]


def _judged(passes: Passes, chosen: Passes, used: tuple[str, ...]) -> list[Array]:
    """Return held-out predictions by sources that were chosen without the fold that is predicted.

    Where the other folds choose what all rows do, or all sources, or none, it is the same stack. Where
    they choose others, it is a mix of what was learned from the target and from each of these: pools of
    them are not fitted for this alone.
    """
    evidence = passes.evidence
    known = {(): passes.alone, tuple(evidence.names): passes.mixes, used: chosen.mixes}
    if not used:
        known[used] = passes.alone
    style = WITHOUT_POOLS if evidence.in_pools.any() else ONE_SOURCE
    found = []
    for draw, folds in enumerate(evidence.folds):
        predictions = np.empty_like(passes.mixes[draw].predictions)
        for k, weights in enumerate(passes.choosing[draw].by_fold):
            some, at = used_sources(evidence.shares(weights)), folds == k
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
