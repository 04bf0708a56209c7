"""What happens when one acts: the realised error of choose and of other policies, for one draw."""

from __future__ import annotations

import time
import warnings
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from benchmarks.decisions.collection import load_collection
from benchmarks.decisions.draws import Draw, draw
from benchmarks.decisions.gains import SPLITS, Table, error_on, learners
from benchmarks.decisions.inside import Inside
from benchmarks.decisions.judging import (
    Judge,
    aligned,
    like_target,
    loss_of,
    outputs_of,
    pooled,
)
from benchmarks.decisions.runs import Study, Task
from datakin import Choice, DatakinError, DatakinWarning, Dataset, choose, rank
from datakin.transfer import ART, Concatenate, KinWeighted

VERSION = 4  # of what a draw holds, and of choose; a new one starts a new cache
POLICIES = (
    "choose",
    "alone",
    "ridge_alone",
    "pool_all",
    "pool_called",
    "best_single_by_trial",
    "best_single_by_directional",
    "best_single_by_one_fit",
    "kin_weighted",
    "kin_weighted_trees",
    "art",
    "multi_study",
    "afterwards_best",
)
ONCE = 1  # draws of the folds where there are many fits: single sources and pools
CLIP = 1.0  # both parts of the combined order


def act_on_draw(spec: str, data: Path, task: Task) -> dict[str, Any]:
    """Draw, choose and realise one decision."""
    collection = load_collection(spec, data)
    target, n_target, sources, repeat = task
    began = time.process_time()
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        made = draw(collection, target, n_target, sources, repeat)
        found = act(made)
    return {
        "collection": collection.name,
        "task": collection.task,
        "target": target,
        "n_target": n_target,
        "repeat": repeat,
        "n_test": made.test.n_rows,
        **found,
        "seconds_all": time.process_time() - began,
    }


STUDY = Study("choices", VERSION, act_on_draw)


def act(made: Draw) -> dict[str, Any]:
    """Return what choose says, and what comes true of every policy and source."""
    target, test = made.target, made.test
    sources = {name: like_target(each, target) for name, each in made.sources.items()}
    judge, loss = Judge(target, test), loss_of(target)
    outputs: dict[str, Any] = {}

    def fitted(own: Dataset, others: list[Dataset], **options: Any) -> Any:
        choice = choose(own, others, loss=loss, **options)
        return outputs_of(choice.model, test, target)

    began = time.process_time()
    choice = choose(target, list(made.sources.values()), loss=loss)
    seconds = time.process_time() - began
    outputs["choose"] = outputs_of(choice.model, test, target)
    outputs["alone"] = fitted(target, [])
    # A single learner is fitted on all rows at the end, however often the folds are drawn.
    outputs["ridge_alone"] = fitted(target, [], learners=["linear"], repeats=ONCE)
    names = [each.source for each in choice.choices]
    outputs["pool_all"] = fitted(
        pooled(target, [sources[name] for name in names]), [], repeats=ONCE
    )
    helping = [sources[each.source] for each in choice.choices if each.call == "helps"]
    outputs["pool_called"] = outputs["alone"]
    if helping:
        outputs["pool_called"] = fitted(pooled(target, helping), [], repeats=ONCE)
    outputs |= _rivals(target, test, [sources[name] for name in names])
    errors = {name: judge.error(each) for name, each in outputs.items()}
    losses = {name: judge.loss(each) for name, each in outputs.items()}
    rows = _per_source(made, choice)
    truth = Inside(made).gains()
    for row in rows:
        single = fitted(target, [made.sources[row["source"]]], repeats=ONCE)
        row["single_error"], row["single_loss"] = judge.error(single), judge.loss(single)
        row |= truth[row["source"]]
    for policy, row in _picked(rows).items():
        errors[policy] = row["single_error"] if row else errors["alone"]
        losses[policy] = row["single_loss"] if row else losses["alone"]
    return {
        "loss": loss,
        "errors": errors,
        "losses": losses,
        "noise": judge.noise(outputs["choose"], outputs["alone"]),
        "stated": _stated(choice),
        "seconds_choose": seconds,
        "sources": rows,
    }


def _stated(choice: Choice) -> dict[str, Any]:
    """Return what the choice says of the whole."""
    stable = asdict(choice.stability)
    return {
        "error": choice.error,
        "low": choice.interval[0],
        "high": choice.interval[1],
        "error_alone": choice.error_alone,
        "error_all": choice.error_all,
        "gain": choice.gain,
        "gain_low": choice.gain_interval[0],
        "gain_high": choice.gain_interval[1],
        "p_gain": choice.p_gain,
        "used": list(choice.used),
        "unusable": list(choice.unusable),
        **{k: v for k, v in stable.items() if not isinstance(v, dict)},
    }


def _per_source(made: Draw, choice: Choice) -> list[dict[str, Any]]:
    """Return what the choice, the ranking and one fit say of every source."""
    target = made.target
    # Only what is lost is read from it, so that no trials are needed.
    ranking = rank(target, list(made.sources.values()), zones="paper")
    base = next(iter(learners(target.task).values()))
    rows = []
    for each in choice.choices:
        compared = ranking[each.source]
        directional, own = compared.source_to_target, compared.own_errors[target.name]
        table = Table.make(made.sources[each.source], [target])
        one_fit = error_on(Concatenate(base).fit(*table.own), *table.others[0], target)
        rows.append(
            {
                **asdict(each),
                "directional": directional,
                "own_error": own,
                "source_error": one_fit,
                "tried": each.tried,
                "combined": combined(each.tried, directional, own),
            }
        )
    return rows


def combined(gain: float, directional: float, own_error: float) -> float:
    """Return the gain of a trial minus what is lost, in units of the target's own: high is good."""
    relative = directional / own_error if own_error > 0 else np.sign(directional) * CLIP
    return float(np.clip(gain, -CLIP, CLIP) + np.clip(-relative, -CLIP, CLIP))


def _picked(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the source that each policy of a single one uses; none where there is none."""
    best = {
        "best_single_by_trial": lambda row: -row["gain"],
        "best_single_by_directional": lambda row: row["directional"],
        "best_single_by_one_fit": lambda row: row["source_error"],
        "afterwards_best": lambda row: row["single_error"],
    }
    return {policy: min(rows, key=by, default=None) for policy, by in best.items()}


def _rivals(target: Dataset, test: Dataset, sources: list[Dataset]) -> dict[str, Any]:
    """Return outputs of the transfer methods, and of models of the sources alone."""
    table = Table.make(target, [test, *sources])
    glm, trees = learners(target.task).values()
    methods = {
        "kin_weighted": KinWeighted(glm),
        "kin_weighted_trees": KinWeighted(trees),
        "art": ART(glm, repeats=SPLITS),
    }
    found = {}
    for name, method in methods.items():
        model = clone(method).fit(*table.own, sources=table.others[1:])
        found[name] = _outputs(model, table.others[0][0], target)
    found["multi_study"] = _multi_study(target, test, sources, table)
    return found


def _outputs(model: Any, X: Any, target: Dataset) -> Any:
    """Return what a scikit-learn estimator gives."""
    if target.classes:
        return aligned(model.predict_proba(X), model.classes_, target)
    return np.asarray(model.predict(X), dtype=float)[:, None]


def _multi_study(target: Dataset, test: Dataset, sources: list[Dataset], table: Table) -> Any:
    """Return the mean of models of single sources, weighed by least squares on the target's rows.

    Of each source the penalised linear model of choose, and boosted trees.
    """
    trees = learners(target.task)["trees"]
    here, there = [], []
    for source, rows in zip(sources, table.others[1:], strict=True):
        with suppress(DatakinError):  # a source with a single class
            linear = choose(source, [], learners=["linear"], repeats=ONCE).model
            here.append(outputs_of(linear, target, target))
            there.append(outputs_of(linear, test, target))
            boosted = Concatenate(trees).fit(*rows)
            here.append(_outputs(boosted, table.own[0], target))
            there.append(_outputs(boosted, table.others[0][0], target))
    truth = np.eye(len(target.classes))[target.y] if target.classes else target.y[:, None]
    weights = simplex(np.array([each.ravel() for each in here]).T, truth.ravel())
    return np.einsum("cnk,c->nk", np.array(there), weights)


def simplex(columns: Any, y: Any) -> Any:
    """Return weights that are not negative and sum to 1; equal ones where nothing fits."""
    weights = nnls(columns, np.asarray(y, dtype=float))[0]
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
