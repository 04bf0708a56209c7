"""Every score of every source for one target, with the processor time it took."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from benchmarks.decisions.draws import Draw
from benchmarks.decisions.gains import Table, error_on, learners
from scipy.special import stdtrit

from datakin.distances import (
    MMD,
    OTDD,
    Energy,
    JensenShannon,
    KLDivergence,
    ProxyADistance,
    Wasserstein,
)
from datakin.results.forecast import Outlook
from datakin.results.record import make_provenance
from datakin.scoring.forecast import decide_gain, forecast_pool, outlook, plain_gain
from datakin.scoring.options import Options
from datakin.scoring.pairs import Pair
from datakin.scoring.run import Run
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
    "kinship",
    "forecast",
    "forecast_best",
    "forecast_before",
    "forecast_inferred",
)
RIVALS = (*DISTANCES, "source_error", "source_size")
SCORES = (*OURS, *RIVALS)
# All others are distances: low is good.
HIGH_IS_GOOD = (*OURS[5:], "source_size")
NOWHERE = make_provenance(0, {}, {})


def score_draw(draw: Draw) -> tuple[dict[str, dict[str, Any]], dict[str, float]]:
    """Return per source the scores and zones, and per score the seconds for all sources."""
    found: dict[str, dict[str, Any]] = {name: {} for name in draw.sources}
    seconds: dict[str, float] = {}
    _cross_learning(draw, found, seconds)
    is_class = bool(draw.target.classes)
    for name, distance in DISTANCES.items():
        if is_class or name not in FOR_CLASSES:
            began = time.process_time()
            for c in distance.rank(draw.target, draw.sources):
                found[c.source][name] = _plain(c.score)
            seconds[name] = time.process_time() - began
    _naive(draw, found, seconds)
    return found, seconds


def _cross_learning(
    draw: Draw, found: dict[str, dict[str, Any]], seconds: dict[str, float]
) -> None:
    """One plan per dataset serves all sizes of the score, both directions and the forecasts.

    Of forecasts only what they are made from is kept; `add_forecasts` does the rest.
    """
    began = time.process_time()
    datasets = [draw.target, *draw.sources.values()]
    options = Options(zones="paper")
    run = Run(datasets, [(0, j) for j in range(1, len(datasets))], options)
    seconds["cls"] = time.process_time() - began
    for key, c in run.comparisons.items():
        pair = Pair(*run.sides(*key), options)
        assert c.outlook is not None
        found[c.source] |= {
            "cls": _plain(c.sizes["matched"].value),
            "cls_paper": _plain(c.sizes["paper"].value),
            "cls_limit": _plain(c.sizes["limit"].value),
            "cls_standardised": _plain(c.standardised),
            "directional": _plain(c.source_to_target),
            "zone_paper": c.zone.value,
            "outlook": asdict(c.outlook),
            "outlook_before": asdict(outlook(pair.to_target, "ensemble", draw.target.groups)),
            # Not scores: kept to learn from where a decision was bad.
            "cls_se": _plain(c.standard_error),
            "threshold": _plain(c.decision.high),
            "model_scores": {name: _plain(v) for name, v in c.model_scores.items()},
            "model_weights": c.model_weights.get(draw.target.name),
        }
    for name in OURS[1:]:
        if name != "cls_standardised" or not draw.target.classes:
            seconds[name] = seconds["cls"]


def add_forecasts(source: dict[str, Any]) -> dict[str, Any]:
    """Return a source's scores with those that follow from its outlooks, and their zones."""
    seen, ensemble = (_outlook(source[name]) for name in ("outlook", "outlook_before"))
    gain, inferred = plain_gain(seen), plain_gain(replace(seen, trial=None))
    before = plain_gain(ensemble)
    whole = forecast_pool("", [""], [seen], np.ones((1, 1)), "", NOWHERE)
    return source | {
        "kinship": whole.kinship,
        "forecast": gain.value,
        "forecast_best": whole.best.value,
        "forecast_before": before.value,
        "forecast_inferred": inferred.value,
        "zone_gain": decide_gain(gain).zone.value,
        "zone_before": _zone(before.value, before.standard_error, 0.8, ensemble.freedom),
        "zone_inferred": decide_gain(inferred).zone.value,
        "p_gain": gain.probability,
        "gain_low": gain.low90,
        "gain_high": gain.high90,
    }


def _outlook(kept: dict[str, Any]) -> Outlook:
    trial = kept["trial"]
    return Outlook(
        **kept | {"covariance": tuple(kept["covariance"]), "trial": tuple(trial) if trial else None}
    )


def _zone(value: float, error: float, level: float, freedom: int) -> str:
    """Decide by the interval of a gain at some level, as zones did before."""
    reach = float(stdtrit(freedom, 0.5 + level / 2)) * error
    return "positive" if value > reach else "negative" if value < -reach else "ambiguous"


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
