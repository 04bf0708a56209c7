"""From rows to the evidence of a target: fits of draws of its folds, of pools, and of what predicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Learner, Predictor, Rows
from datakin.learners.losses import Judge
from datakin.learners.predictors import StackPredictor
from datakin.learners.stack import gains
from datakin.learners.stack.candidates import Run, Stack, serially
from datakin.learners.stack.evidence import Candidate
from datakin.learners.stack.passes import Passes, StackReading, read_stack, used_sources

LEAST_WEIGHT = 0.001  # of a candidate that is kept

Folds = Callable[[int], Array]
Keep = Callable[[int, Callable[[], Array]], Array]


def made_now(repeat: int, make: Callable[[], Array]) -> Array:
    """Return the predictions of a draw that no checkpoint has."""
    return make()


def folds_of(target: Dataset, random_state: int) -> Folds:
    """Return the function that draws the folds of a target."""

    def draw(repeat: int) -> Array:
        seed = derive_seed(random_state, "repeat", repeat)
        return draw_folds(target.y, bool(target.classes), target.groups, seed)

    return draw


@dataclass(frozen=True, eq=False)
class Fitted:
    """A stack that has been fitted.

    Attributes
    ----------
    reading : StackReading
        What its evidence comes to.
    stacks : pair of Stack
        The fits of all sources, and of those that are used.
    parts : tuple of (Candidate, weight, predictor)
        What predicts.
    interrupted : bool
        Whether Ctrl-C ended the draws.
    """

    reading: StackReading
    stacks: tuple[Stack, Stack]
    parts: tuple[tuple[Candidate, float, Predictor], ...]
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
    alone: Rows | None = None,
    groups: Array | None = None,
    repeats: tuple[int, int] = (3, 3),
    pools: bool = True,
    trials: bool = False,
    seed: int = 0,
    run: Run = serially,
    ready: Mapping[tuple[str, str], Predictor] | None = None,
    keep: Keep = made_now,
    advance: Callable[[], None] = lambda: None,
) -> Fitted:
    """Fit the candidates, find their weights, leave out the sources that hardly count.

    Parameters
    ----------
    target, sources, learners, seed, run, ready, pools, alone
        As in `Stack`.
    folds : callable
        ``folds(repeat)`` returns the fold of each row of the target.
    groups : ndarray of int, optional
        Rows of the target that belong together.
    repeats : (int, int)
        Least and largest number of draws of the folds.
    trials : bool
        Whether the evidence holds what trials of single sources, and the target's learning curve, ask for.
    keep : callable
        Returns the predictions of a draw: found in a checkpoint, or made by the function it is given.
    advance : callable
        Called after each draw of the folds.
    """
    own: dict[tuple[str, int], tuple[Array, Array]] = {}
    shared: dict[str, Any] = {"seed": seed, "run": run, "own": own, "pools": pools, "alone": alone}
    stack = Stack(target, sources, learners, ready=ready, **shared)
    stack.fit_sources()
    passes = Passes(stack.evidence(groups))
    interrupted = _draw(stack, passes, folds, repeats, keep, advance)
    used, chosen, fitted = used_sources(passes.shares()), passes, stack
    if len(used) < len(passes.evidence.names):
        some = {name: rows for name, rows in stack.sources.items() if name in used}
        fits = {key: fit for key, fit in stack.fits.items() if key[1] in some}
        still = {key: fit for key, fit in (ready or {}).items() if key[1] in used}
        fitted = Stack(target, some, learners, known=fits, ready=still, **shared)
        fitted.fit_sources()
        chosen = Passes(fitted.evidence(groups))
        for draw, each in enumerate(passes.evidence.folds):
            chosen.add(each, fitted.held_out(each, draw))
    parts = tuple(fitted.predictors(chosen.weights, LEAST_WEIGHT))
    if trials:
        passes.evidence = _with_trials(stack, passes)
    return Fitted(read_stack(passes, chosen), (stack, fitted), parts, interrupted)


def _draw(
    stack: Stack,
    passes: Passes,
    folds: Folds,
    repeats: tuple[int, int],
    keep: Keep,
    advance: Callable[[], None],
) -> bool:
    """Draw the folds until the answer is the same; return whether Ctrl-C ended that."""
    least, most = repeats if passes.evidence.names else (repeats[0], repeats[0])
    for repeat in range(most):
        try:
            drawn = folds(repeat)
            passes.add(drawn, keep(repeat, partial(stack.held_out, drawn, repeat)))
        except KeyboardInterrupt:
            if not passes.n_draws:
                raise
            return True  # what is there is an answer
        advance()
        if repeat + 1 >= least and passes.is_settled:
            break
    return False


def _with_trials(stack: Stack, passes: Passes) -> Any:
    """Return the evidence with what trials of single sources, and the learning curve, ask for."""
    evidence = passes.evidence
    tried = evidence.folds[: gains.draws_of(len(evidence.Y))]
    for draw, folds in enumerate(tried):
        stack.predict_own(folds, draw)
    pooled = stack.pooled(tried)
    return replace(evidence, pooled=pooled, halves=stack.halves(passes.n_draws, evidence.groups))
