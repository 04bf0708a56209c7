"""The evidence of a target measured: for the trials of its sources alone, or for a choice too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from threadpoolctl import threadpool_limits

from datakin.data import Dataset
from datakin.learners.losses import LOSSES, Judge, Loss, choose_loss
from datakin.learners.named import LEARNERS
from datakin.learners.stack import gains
from datakin.learners.stack.candidates import Stack
from datakin.learners.stack.evidence import Evidence, TargetEvidence
from datakin.learners.stack.fitting import fit_stack, folds_of
from datakin.learners.stack.preparation import MOST_ROWS, Prepared, prepare

MOST_REPEATS = 12  # draws of the folds of a choice, until the answer is the same


def measure_target(
    target: Dataset,
    sources: Sequence[Dataset],
    *,
    max_rows: int | None = MOST_ROWS,
    random_state: int = 0,
    loss: Loss | None = None,
    whole: bool = False,
) -> TargetEvidence:
    """Fit what trials of every source ask for; with `whole`, what a choice asks for too.

    The numbers of a trial depend on the columns and classes of the target, on the rows of its source and on
    the seed; levels of categories that get a column are those frequent in all tables together.
    """
    prepared = prepare(target, sources, max_rows=max_rows, random_state=random_state)
    learners, folds = tuple(LEARNERS.values()), folds_of(prepared.target, random_state)
    rows, groups = prepared.rows, prepared.groups.get(target.name)
    judge = judge_of(prepared, loss)
    chosen: Evidence | None = None
    with threadpool_limits(limits=1):
        if whole:
            made = rows, prepared.sources, learners, folds
            fitted = fit_stack(
                *made,
                alone=prepared.alone,
                groups=groups,
                repeats=repeats_of(len(rows)),
                trials=True,
                seed=random_state,
            ).reading
            found, chosen = fitted.passes.evidence, fitted.chosen.evidence
        else:
            stack = Stack(rows, prepared.sources, learners, seed=random_state, alone=prepared.alone)
            stack.fit_sources(pools=False)
            found = stack.evidence(groups)
            for repeat in range(gains.draws_of(len(rows))):
                drawn = folds(repeat)
                found = found.with_draw(drawn, stack.held_out(drawn, repeat, pools=False))
            found = replace(found, pooled=stack.pooled(found.folds))
    names = [each.name for each in learners]
    options = choice_options(names, judge, repeats_of(len(rows)), max_rows=max_rows)
    return evidence_of(target, sources, prepared, judge, options, random_state, found, chosen)


def error_alone(
    target: Dataset, *, max_rows: int | None = MOST_ROWS, random_state: int = 0
) -> tuple[str, float]:
    """Return what the error of a target alone is stated in, and that error; measured once."""
    key = f"error alone {max_rows} {random_state}"
    if key not in target.kept:
        found = measure_target(target, [], max_rows=max_rows, random_state=random_state)
        judge = gains.judge_of(found)
        target.kept[key] = judge.loss.name, gains.trials_of(found, judge).error_alone
    name, error = target.kept[key]
    return name, error


def repeats_of(n_rows: int) -> tuple[int, int]:
    """Return the least and largest number of draws of the folds of a choice."""
    return gains.draws_of(n_rows), MOST_REPEATS


def judge_of(prepared: Prepared, loss: Loss | None) -> Judge:
    """Return what judges predictions of a target; None for the usual loss."""
    own, rows = prepared.target, prepared.rows
    return Judge.make(choose_loss(loss, own), rows.kind, own.classes, own.y, rows.weights)


def choice_options(
    learners: Sequence[str],
    judge: Judge,
    repeats: tuple[int, int],
    *,
    max_rows: int | None = MOST_ROWS,
    pools: bool = True,
    add_to: str = "",
) -> dict[str, Any]:
    """Return the options of a choice as its record has them."""
    return {
        "learners": list(learners),
        "loss": judge.loss.name,
        "repeats": list(repeats),
        "max_rows": max_rows,
        "pools": pools,
        "add_to": add_to,
    }


def evidence_of(
    own: Dataset,
    sources: Sequence[Dataset],
    prepared: Prepared,
    judge: Judge,
    options: Mapping[str, Any],
    seed: int,
    whole: Evidence,
    chosen: Evidence | None,
) -> TargetEvidence:
    """Put together what was measured and what it is about."""
    notes = [f"{table.name}: {note}" for table in (own, *sources) for note in table.notes]
    notes += [note for note in prepared.notes if note not in notes]
    return TargetEvidence(
        target=own.name,
        label=own.label,
        task=own.task,
        classes=own.classes,
        y=prepared.target.y,
        loss=judge.loss.name,
        has_own_loss=LOSSES.get(judge.loss.name) is not judge.loss,
        options=options,
        seed=seed,
        n_rows=whole.sizes,
        unusable=prepared.unusable,
        notes=tuple(notes),
        fingerprints=prepared.fingerprints,
        whole=whole,
        chosen=chosen,
    )
