"""Every score of every source for one target, with the processor time it took."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import numpy as np

from benchmarks.decisions.draws import Draw
from benchmarks.decisions.gains import Table, error_on, learners
from datakin import Comparison, CrossErrors
from datakin.distances import (
    MMD,
    OTDD,
    Energy,
    JensenShannon,
    KLDivergence,
    ProxyADistance,
    Wasserstein,
)
from datakin.transfer import Concatenate

with suppress(ImportError):
    import ot  # noqa: F401 - loaded before anything is timed

# Distances whose value depends on units get every column scaled: that is kind to them.
DISTANCES: dict[str, Any] = {
    "kl": KLDivergence(),
    "js": JensenShannon(),
    "wasserstein": Wasserstein(scaling="pooled"),
    "sliced": Wasserstein(method="sliced", n_projections=100, scaling="pooled"),
    "mmd": MMD(scaling="pooled"),
    "energy": Energy(scaling="pooled"),
    "otdd": OTDD(scaling="pooled"),
    "otdd_gaussian": OTDD(inner="gaussian", scaling="pooled"),
    "proxy_a": ProxyADistance(),
}
FOR_CLASSES = ("otdd", "otdd_gaussian")
OURS = (
    "cls",
    "cls_paper",
    "cls_limit",
    "cls_standardised",
    "directional",
    "trial",
)
RIVALS = (*DISTANCES, "source_error", "source_size")
SCORES = (*OURS, *RIVALS)
# All others are distances: low is good.
HIGH_IS_GOOD = ("trial", "source_size")
# Of the Cross-Learning Score: the models that were the default when the page was run. What the default of
# today does on the same collections is in results/models.md.
OPTIONS: dict[str, Any] = {"models": "paper"}


def score_draw(draw: Draw) -> tuple[dict[str, dict[str, Any]], dict[str, float]]:
    """Return per source the scores and zones, and per score the seconds for all sources."""
    found: dict[str, dict[str, Any]] = {name: {} for name in draw.sources}
    seconds: dict[str, float] = {}
    _cross_learning(draw, found, seconds)
    is_class = bool(draw.target.classes)
    for name, distance in DISTANCES.items():
        if is_class or name not in FOR_CLASSES:
            began = time.process_time()
            for key, source in draw.sources.items():
                found[key][name] = _plain(distance.compare(draw.target, source).score)
            seconds[name] = time.process_time() - began
    _naive(draw, found, seconds)
    return found, seconds


def _cross_learning(
    draw: Draw, found: dict[str, dict[str, Any]], seconds: dict[str, float]
) -> None:
    """One plan per dataset serves all sizes of the score, both directions and the trials."""
    began = time.process_time()
    target = draw.target.name
    datasets = [draw.target, *draw.sources.values()]
    errors = CrossErrors.measure(datasets, pairs=target, trials=target, **OPTIONS)
    compared = {name: errors.score(target, name, zones="paper") for name in draw.sources}
    seconds["cls"] = time.process_time() - began
    for name, c in compared.items():
        found[name] |= {
            "cls": _plain(c.sizes["matched"].value),
            "cls_paper": _plain(c.sizes["paper"].value),
            "cls_limit": _plain(c.sizes["limit"].value),
            "cls_standardised": _plain(c.standardised),
            "directional": _plain(c.source_to_target),
            "zone_paper": c.zone.value,
            **_tried(errors.score(target, name)),
            # Not scores: kept to learn from where a decision was bad.
            "cls_se": _plain(c.standard_error),
            "threshold": _plain(c.decision.high),
            "model_scores": {model: _plain(v) for model, v in c.model_scores.items()},
            "model_weights": c.model_weights.get(target),
        }
    for name in OURS[1:]:
        if name != "cls_standardised" or not draw.target.classes:
            seconds[name] = seconds["cls"]


def _tried(compared: Comparison) -> dict[str, Any]:
    """Return what is expected of a source by its trial, and how it is called."""
    gain = None if compared.trial is None else compared.trial.gain
    return {"trial": gain, "zone_gain": compared.zone.value}


def _naive(draw: Draw, found: dict[str, dict[str, Any]], seconds: dict[str, float]) -> None:
    """What one would try first: a predictor of the source on the target, and the source's size."""
    began = time.process_time()
    base = next(iter(learners(draw.target.task).values()))
    for name, source in draw.sources.items():
        table = Table.make(source, [draw.target])
        fitted = Concatenate(base).fit(*table.own)
        found[name]["source_error"] = error_on(fitted, *table.others[0], draw.target)
    seconds["source_error"] = time.process_time() - began
    for name, source in draw.sources.items():
        found[name]["source_size"] = float(source.n_rows)
    seconds["source_size"] = 0.0


def _plain(value: Any) -> float | None:
    """Return a float that JSON can hold."""
    return None if value is None or not np.isfinite(value) else float(value)
