"""The stack of one draw, looked at from inside: what was tried, and what exactly that brings on test rows.

`choose` leaves out sources with a small share, and pools the others. A trial of one source does neither.
So what comes true of a trial is measured on the very mix that was tried, which has no public name.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.decisions.draws import Draw
from benchmarks.decisions.judging import Judge
from datakin.learners.named import make_learners
from datakin.learners.stack.fitting import fit_stack, folds_of
from datakin.learners.stack.gains import draws_of, read_trials
from datakin.learners.stack.passes import Passes
from datakin.learners.stack.preparation import prepare
from datakin.learners.stack.records import Trial


class Inside:
    """The stack of a draw, with all its candidates fitted."""

    def __init__(self, made: Draw) -> None:
        self.prepared = prepare(made.target, list(made.sources.values()))
        self.judge = Judge(made.target, made.test)
        n_draws = draws_of(len(self.prepared.rows))
        self.fitted = fit_stack(
            self.prepared.rows,
            self.prepared.sources,
            make_learners(None, bool(made.target.classes)),
            folds_of(self.prepared.target, 0),
            groups=self.prepared.groups.get(made.target.name),
            alone=self.prepared.alone,
            repeats=(n_draws, n_draws),
            trials=True,
        )
        self._X = self.prepared.encoder.apply(made.test.features)
        self._known: dict[int, Any] = {}

    @property
    def passes(self) -> Passes:
        return self.fitted.reading.passes

    @cached_property
    def trials(self) -> list[Trial]:
        return read_trials(self.passes)

    def outputs(self, passes: Passes, mixes: Sequence[Any], some: Any = None) -> Any:
        """Return what a mix of candidates (all, or some of them) gives for the test rows."""
        if id(passes) not in self._known:
            stack = self.fitted.stacks[passes is not self.passes]
            made = stack.predictors(np.ones(len(stack.candidates)), 0.0)
            self._known[id(passes)] = np.array([fit.predict(self._X) for _, _, fit in made])
        each = self._known[id(passes)]
        each = each if some is None else each[some]
        found = np.einsum("c,cnm->nm", np.mean([mix.weights for mix in mixes], axis=0), each)
        return np.hstack([1 - found, found]) if self.prepared.rows.kind == "binary" else found

    @property
    def alone(self) -> Any:
        """What the learners give that know the target alone."""
        return self.outputs(self.passes, self.passes.alone, self.passes.evidence.own)

    def with_source(self, name: str) -> Any:
        """What a trial of one source gives: its models and the target's, mixed."""
        candidates = self.passes.evidence.candidates
        some = np.array([c.rows == "target" or c.source == name for c in candidates])
        mixes = self.passes.singles[name]
        return self.outputs(self.passes, mixes, some)

    def pooled(self, name: str) -> tuple[Any, Any]:
        """What the linear learner gives that knows the target, and one pool of target and source."""
        stack, rows = self.fitted.stacks[0], self.prepared.rows
        learner = stack.learners[0]
        own, told = learner.fit(rows)
        parts = [stack.fits[learner.name, name].told, told]
        both = learner.fit(rows.below(self.prepared.sources[name]), parts)[0]
        found = [fit.predict(self._X) for fit in (own, both)]
        if rows.kind == "binary":
            found = [np.hstack([1 - each, each]) for each in found]
        return found[0], found[1]

    def gains(self) -> dict[str, dict[str, float]]:
        """Return by source what its trial, and a pool with it, bring on the test rows."""
        alone = self.judge.loss(self.alone)
        found = {}
        for name in self.passes.evidence.names:
            before, after = (self.judge.loss(each) for each in self.pooled(name))
            found[name] = {
                "true_gain": fall(alone, self.judge.loss(self.with_source(name))),
                "true_pooled": fall(before, after),
            }
        return found


def fall(before: float, after: float) -> float:
    """Return by how much a loss falls, in units of what it was."""
    return (before - after) / before if before > 0 else 0.0
